//! Looking at a server: what it declares to us, and to other clients.

use facets_files::FileError;
use facets_launch::{Launchable, Launcher};
use facets_mcp::{Capture, CaptureOptions, Conduct, EraChoice};
use facets_probe::observe;
use facets_surface::{Also, Era, Surface};

use crate::error::OpsError;

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

/// The same, and what it declares to other clients (spec 5.1): those that announce nothing, and
/// those that speak the older era.
pub(crate) fn observe_for_all_clients(
    server: &Launchable,
    options: CaptureOptions,
) -> Result<(Surface, Conduct), OpsError> {
    let (mut surface, conduct) = observe_once(server, options)?;
    let same = EraChoice::Only(surface.era);
    let mut looks = vec![CaptureOptions { era: same, announce_nothing: true, ..options }];
    if surface.era == Era::Discover {
        let older = EraChoice::Only(Era::Initialize);
        looks.push(CaptureOptions { era: older, announce_nothing: false, ..options });
    }
    let mut also = Also::default();
    for look in looks {
        // A server that does not answer such clients declares nothing to them.
        if let Ok((other, _)) = observe_once(server, look) {
            also.add(&surface, &other);
        }
    }
    surface.also = also;
    Ok((surface, conduct))
}
