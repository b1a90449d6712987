//! Looking at a server: what it declares everywhere, on this machine, and to other clients.

use facets_files::FileError;
use facets_launch::{Launchable, Launcher};
use facets_mcp::{Capture, CaptureOptions, Conduct, EraChoice};
use facets_probe::observe;
use facets_surface::{Also, Era, Surface};

use crate::capturing::is_fetched;
use crate::error::OpsError;
use crate::launching::normalised;

/// What was seen of a server.
pub(crate) struct Observed {
    /// What it declares, whichever machine it runs on, and otherwise to other clients.
    pub(crate) surface: Surface,
    /// How it behaved.
    pub(crate) conduct: Conduct,
    /// What it declares otherwise on this machine.
    pub(crate) variant: Also,
}

/// Starts or calls a server, and takes down what it declares.
pub(crate) fn observe_once(
    server: &Launchable,
    options: CaptureOptions,
) -> Result<(Surface, Conduct), OpsError> {
    let launcher = Launcher::from_current_executable()
        .map_err(|source| OpsError::File(FileError::Unreadable { path: "facet".into(), source }))?;
    let Capture { surface, conduct, .. } = observe(&launcher, server, options)?.capture;
    Ok((surface, conduct))
}

/// spec 5.1, 5.2: what it declares to a client that announces everything, in an environment that is the
/// same on every machine; and to one that announces nothing, in the environment that it has here. Only
/// if the two differ it is asked why.
pub(crate) fn observe_for_all_clients(
    server: &Launchable,
    options: CaptureOptions,
) -> Result<Observed, OpsError> {
    let everywhere = normalised(server);
    let look = |server: &Launchable, era: EraChoice, announce_nothing: bool| {
        observe_once(server, CaptureOptions { era, announce_nothing, ..options })
    };
    // A server that does not answer clients that announce nothing declares nothing to them.
    let ((surface, conduct), for_few) =
        both(!is_fetched(server), &|| look(&everywhere, options.era, false), &|| {
            look(server, options.era, true)
        })?;
    let same = EraChoice::Only(surface.era);
    let (mut also, mut variant) = (Also::default(), Also::default());
    if for_few.as_ref().is_none_or(|few| !is_part(few, &surface)) {
        let (here, _) = look(server, same, false)?;
        variant.add(&surface, &here);
        let mut announced = Also::default();
        if let Some(few) = &for_few {
            announced.add(&here, few);
        }
        if !announced.is_empty() && !variant.is_empty() {
            // Both matter: what is pinned must be what is declared everywhere.
            if let Ok((few, _)) = look(&everywhere, same, true) {
                also.add(&surface, &few);
            }
            if let Some(few) = &for_few {
                variant.add(&surface, few);
            }
            variant.remove(&also);
        } else {
            also = announced;
        }
    }
    if surface.era == Era::Discover {
        let older = EraChoice::Only(Era::Initialize);
        if let Ok((other, _)) = look(&everywhere, older, false) {
            also.add(&surface, &other);
        }
        if !variant.is_empty()
            && let Ok((other, _)) = look(server, older, false)
        {
            variant.add(&surface, &other);
            variant.remove(&also);
        }
    }
    Ok(Observed { surface: Surface { also, ..surface }, conduct, variant })
}

/// Whether everything that one look showed was in the other.
fn is_part(few: &Surface, all: &Surface) -> bool {
    let mut more = Also::default();
    more.add(all, few);
    more.is_empty()
}

type Seen = (Surface, Conduct);
type Look<'l> = &'l (dyn Fn() -> Result<Seen, OpsError> + Sync);

/// Two looks, at once if that may be. A server may need a port or a file for itself: one that failed
/// beside the other is looked at again, alone. Of the second, what it declared, if it answered at all.
fn both(
    at_once: bool,
    first: Look<'_>,
    second: Look<'_>,
) -> Result<(Seen, Option<Surface>), OpsError> {
    let alone = || second().ok().map(|(surface, _)| surface);
    if !at_once {
        return Ok((first()?, alone()));
    }
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(second);
        (first(), other.join())
    });
    match (one, other) {
        (Ok(one), Ok(Ok((other, _)))) => Ok((one, Some(other))),
        (Ok(one), _) => Ok((one, alone())),
        (Err(_), Ok(Ok((other, _)))) => Ok((first()?, Some(other))),
        (Err(error), _) => Err(error),
    }
}
