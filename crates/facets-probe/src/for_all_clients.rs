//! What a server declares everywhere, on this machine, and to other clients.

use std::time::{Duration, Instant};

use facets_launch::{Launchable, Launcher};
use facets_mcp::{Capture, CaptureOptions, Conduct, EraChoice};
use facets_surface::{Also, Definition, Era, Surface};

use crate::error::ObserveError;
use crate::observe::observe;
use crate::watched::ObserveProgress;

/// What was seen of a server.
#[derive(Clone, Debug)]
pub struct Observed {
    /// What it declares, whichever machine it runs on, and otherwise to other clients.
    pub surface: Surface,
    /// How it behaved.
    pub conduct: Conduct,
    /// What it declares otherwise on this machine.
    pub variant: Also,
}

/// Whether a server may be started twice at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookOrder {
    /// Two looks side by side.
    AtOnce,
    /// One after the other: it is fetched when it starts.
    OneByOne,
}

/// Sees how far several looks at a server have come.
#[derive(Clone, Copy)]
pub struct LookProgress<'p> {
    /// Sees the first look.
    pub first: &'p dyn ObserveProgress,
    /// Sees the later ones.
    pub again: &'p dyn ObserveProgress,
}

/// spec 5.1, 5.2: what it declares to a client that announces everything, in an environment that is the
/// same on every machine; and to one that announces nothing, in the environment that it has here. Only
/// if the two differ it is asked why.
pub fn observe_for_all_clients(
    launcher: &Launcher,
    server: &Launchable,
    options: CaptureOptions,
    order: LookOrder,
    progress: LookProgress<'_>,
) -> Result<Observed, ObserveError> {
    let looks = Looks { launcher, options, progress };
    let everywhere = server.normalised();
    let at_once = order == LookOrder::AtOnce;
    let first = || looks.look_with(&everywhere, options, progress.first);
    // A server that does not answer clients that announce nothing declares nothing to them.
    let nothing = CaptureOptions { announce_nothing: true, ..options };
    // Of two looks at once, one is shown.
    let second: &dyn ObserveProgress = if at_once { &() } else { progress.again };
    let seen = both(at_once, &first, &|| looks.look_with(server, nothing, second));
    let ((mut surface, mut conduct), mut few) = seen?;
    let same = EraChoice::Only(surface.era);
    let (mut also, mut variant) = (Also::default(), Also::default());
    if !few.as_ref().is_some_and(|few| declare_the_same(&surface, few)) {
        let (here, _) = looks.look(server, same, false)?;
        variant.add(&surface, &here);
        // Beside another of its kind a server may declare something else: then it is asked alone.
        if at_once && !is_of_environment(&variant, &surface) {
            (surface, conduct) = looks.look(&everywhere, same, false)?;
            variant = Also::default();
            variant.add(&surface, &here);
        }
        if few.as_ref().is_some_and(|few| here.lacks_something_of(few)) {
            if at_once {
                few = looks.look(server, same, true).ok().map(|(few, _)| few);
            }
            // What is pinned must be what is declared everywhere, also to such clients.
            if let Ok((other, _)) = looks.look(&everywhere, same, true) {
                also.add(&surface, &other);
            }
            if let Some(few) = &few {
                variant.add(&surface, few);
            }
            variant.remove(&also);
        }
    }
    if surface.era == Era::Discover {
        looks.add_older((&everywhere, server), &surface, &mut also, &mut variant);
    }
    Ok(Observed { surface: Surface { also, ..surface }, conduct, variant })
}

type Seen = (Surface, Conduct);

/// How each look is taken.
#[derive(Clone, Copy)]
struct Looks<'l> {
    launcher: &'l Launcher,
    options: CaptureOptions,
    progress: LookProgress<'l>,
}

impl Looks<'_> {
    fn look_with(
        &self,
        server: &Launchable,
        options: CaptureOptions,
        progress: &dyn ObserveProgress,
    ) -> Result<Seen, ObserveError> {
        let observation = observe(self.launcher, server, options, progress)?;
        let Capture { surface, conduct } = observation.capture;
        Ok((surface, conduct))
    }

    /// A later look.
    fn look(
        &self,
        server: &Launchable,
        era: EraChoice,
        announce_nothing: bool,
    ) -> Result<Seen, ObserveError> {
        let options = CaptureOptions { era, announce_nothing, ..self.options };
        self.look_with(server, options, self.progress.again)
    }

    /// What clients of the older era are given.
    fn add_older(
        &self,
        (everywhere, here): (&Launchable, &Launchable),
        surface: &Surface,
        also: &mut Also,
        variant: &mut Also,
    ) {
        let older = EraChoice::Only(Era::Initialize);
        if let Ok((other, _)) = self.look(everywhere, older, false) {
            also.add(surface, &other);
        }
        if !variant.is_empty()
            && let Ok((other, _)) = self.look(here, older, false)
        {
            variant.add(surface, &other);
            variant.remove(also);
        }
    }
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

type Look<'l> = &'l (dyn Fn() -> Result<Seen, ObserveError> + Sync);

/// Two looks, at once if that may be. A server may need a port or a file for itself: one that failed
/// beside the other is looked at again, alone. Of the second, what it declared, if it answered at all.
fn both(
    at_once: bool,
    first: Look<'_>,
    second: Look<'_>,
) -> Result<(Seen, Option<Surface>), ObserveError> {
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
