//! Looking at a server: what it declares everywhere, on this machine, and to other clients.

use std::time::{Duration, Instant};

use facets_files::FileError;
use facets_launch::{Launchable, Launcher};
use facets_mcp::{Capture, CaptureOptions, Conduct, EraChoice};
use facets_probe::{ObserveProgress, observe};
use facets_surface::{Also, Definition, Era, Surface};

use crate::capturing::is_fetched;
use crate::error::OpsError;
use crate::launching::normalised;
use crate::start_progress::WatchedStart;

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
    progress: &dyn ObserveProgress,
) -> Result<(Surface, Conduct), OpsError> {
    let launcher = Launcher::from_current_executable()
        .map_err(|source| OpsError::File(FileError::Unreadable { path: "facet".into(), source }))?;
    let Capture { surface, conduct, .. } = observe(&launcher, server, options, progress)?.capture;
    Ok((surface, conduct))
}

/// spec 5.1, 5.2: what it declares to a client that announces everything, in an environment that is the
/// same on every machine; and to one that announces nothing, in the environment that it has here. Only
/// if the two differ it is asked why.
pub(crate) fn observe_for_all_clients(
    server: &Launchable,
    options: CaptureOptions,
    watched: WatchedStart<'_>,
) -> Result<Observed, OpsError> {
    let everywhere = normalised(server);
    let again = WatchedStart { is_again: true, ..watched };
    let look = |server: &Launchable, era: EraChoice, announce_nothing: bool| {
        observe_once(server, CaptureOptions { era, announce_nothing, ..options }, &again)
    };
    let at_once = !is_fetched(server);
    let first = || observe_once(&everywhere, options, &watched);
    // A server that does not answer clients that announce nothing declares nothing to them.
    let nothing = CaptureOptions { announce_nothing: true, ..options };
    // Of two looks at once, one is shown.
    let second: &dyn ObserveProgress = if at_once { &() } else { &again };
    let looks = both(at_once, &first, &|| observe_once(server, nothing, second));
    let ((mut surface, mut conduct), mut few) = looks?;
    let same = EraChoice::Only(surface.era);
    let (mut also, mut variant) = (Also::default(), Also::default());
    if !few.as_ref().is_some_and(|few| declare_the_same(&surface, few)) {
        let (here, _) = look(server, same, false)?;
        variant.add(&surface, &here);
        // Beside another of its kind a server may declare something else: then it is asked alone.
        if at_once && !is_of_environment(&variant, &surface) {
            (surface, conduct) = look(&everywhere, same, false)?;
            variant = Also::default();
            variant.add(&surface, &here);
        }
        if few.as_ref().is_some_and(|few| here.lacks_something_of(few)) {
            if at_once {
                few = look(server, same, true).ok().map(|(few, _)| few);
            }
            // What is pinned must be what is declared everywhere, also to such clients.
            if let Ok((other, _)) = look(&everywhere, same, true) {
                also.add(&surface, &other);
            }
            if let Some(few) = &few {
                variant.add(&surface, few);
            }
            variant.remove(&also);
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

fn declare_the_same(one: &Surface, other: &Surface) -> bool {
    !one.lacks_something_of(other) && !other.lacks_something_of(one)
}

/// Whether every definition of a variant has a value of this machine's environment in it that the pinned
/// one has not; or there is none.
fn is_of_environment(variant: &Also, surface: &Surface) -> bool {
    let is_local = |name: &str| {
        ["TZ", "LANG", "LANGUAGE", "USER", "LOGNAME"].contains(&name) || name.starts_with("LC_")
    };
    let local = std::env::vars().filter(|(name, value)| is_local(name) && value.len() > 1);
    let values: Vec<String> = local.map(|(_, value)| value).collect();
    let has_new = |text: &str, pinned: &str| {
        values.iter().any(|value| text.contains(value.as_str()) && !pinned.contains(value.as_str()))
    };
    let pinned = |item: &Definition| {
        surface.items(item.kind()).iter().find(|known| known.name() == item.name())
    };
    let instructions = surface.instructions.as_deref().unwrap_or_default();
    variant.items.iter().all(|item| has_new(item.raw(), pinned(item).map_or("", Definition::raw)))
        && variant.instructions.iter().all(|text| has_new(text, instructions))
}

/// A server that fails in this time has not waited for anything.
const SOON: Duration = Duration::from_secs(10);

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
    let begin = Instant::now();
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(second);
        (first(), other.join())
    });
    match (one, other) {
        (Ok(one), Ok(Ok((other, _)))) => Ok((one, Some(other))),
        (Ok(one), _) => Ok((one, alone())),
        (Err(_), Ok(Ok((other, _)))) => Ok((first()?, Some(other))),
        // Unless it has taken its time already.
        (Err(_), _) if begin.elapsed() < SOON => Ok((first()?, alone())),
        (Err(error), _) => Err(error),
    }
}
