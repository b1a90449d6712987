//! Looking at a server, with a supervisor of our own.

use facets_files::FileError;
use facets_launch::{Launchable, Launcher};
use facets_mcp::{Capture, CaptureOptions, Conduct};
pub(crate) use facets_probe::Observed;
use facets_probe::{LookOrder, LookProgress, ObserveProgress, observe};
use facets_surface::Surface;

use crate::capturing::is_fetched;
use crate::error::OpsError;
use crate::start_progress::WatchedStart;

/// What starts everything that this process starts.
pub(crate) fn own_launcher() -> Result<Launcher, OpsError> {
    Launcher::from_current_executable()
        .map_err(|source| OpsError::File(FileError::Unreadable { path: "facet".into(), source }))
}

/// Starts or calls a server, and takes down what it declares.
pub(crate) fn observe_once(
    server: &Launchable,
    options: CaptureOptions,
    progress: &dyn ObserveProgress,
) -> Result<(Surface, Conduct), OpsError> {
    let observation = observe(&own_launcher()?, server, options, progress)?;
    let Capture { surface, conduct } = observation.capture;
    Ok((surface, conduct))
}

/// What a server declares everywhere, on this machine, and to other clients.
pub(crate) fn observe_for_all_clients(
    server: &Launchable,
    options: CaptureOptions,
    watched: WatchedStart<'_>,
) -> Result<Observed, OpsError> {
    let again = WatchedStart { is_again: true, ..watched };
    let order = if is_fetched(server) { LookOrder::OneByOne } else { LookOrder::AtOnce };
    let progress = LookProgress { first: &watched, again: &again };
    let launcher = own_launcher()?;
    Ok(facets_probe::observe_for_all_clients(&launcher, server, options, order, progress)?)
}
