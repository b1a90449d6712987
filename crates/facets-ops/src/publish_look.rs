//! What a server declares where it is started as a registry starts it: no network, no files but its own, no other
//! programs, an empty directory, and the probe values of its manifest.

use std::fs::File;
use std::path::Path;

use facets_lock::{Arguments, Extent, Grants};
use facets_model::{ArtifactSource, LocalPath};
use facets_surface::Surface;

use crate::capturing::capture_options;
use crate::confinement::apply_grants;
use crate::consent::Consent;
use crate::error::{OpsError, ServerError};
use crate::launch_options::{EnvironmentChoice, LaunchOptions, StartPurpose};
use crate::launching::prepare;
use crate::observing::{Observed, observe_for_all_clients};
use crate::resolving::{Resolved, ResolvedArtifact, resolve_archive};
use crate::source_artifact::unwritable_temporary;
use crate::start_attempt::{AskedBy, StartAttempt};
use crate::start_progress::WatchedStart;

/// spec 9.2: what a registry lets a server do while it looks at it
const PROBED: Grants = Grants {
    network: Extent::None,
    filesystem: Extent::None,
    subprocess: false,
    sampling: false,
    elicitation: false,
    arguments: Arguments::Pinned,
};

/// Shows the server of an archive, asks whether it may be started, and takes down what it declares.
pub(crate) fn look_as_registry(
    path: &Path,
    archive: &mut File,
    consent: &dyn Consent,
) -> Result<Surface, OpsError> {
    let Resolved { origin, pin, artifact, .. } = resolve_archive(&local_source(path)?, archive)?;
    let place = tempfile::tempdir().map_err(unwritable_temporary)?;
    let launch = LaunchOptions {
        environment: EnvironmentChoice::Scratch,
        directory: Some(place.path().to_owned()),
        grants: Some(PROBED),
        ..LaunchOptions::default()
    };
    let launch = launch.for_purpose(StartPurpose::Capture);
    let server = apply_grants(prepare((&origin, &pin), &launch, consent)?, &PROBED)?;
    let options = capture_options(&server, None, None);
    let shown = origin.to_string();
    let watched = WatchedStart::new(&shown, consent.progress());
    let asked = AskedBy::Publish;
    let attempt = StartAttempt { server: &server, origin: &origin, grants: &PROBED, asked };
    let observed = observe_for_all_clients(&server, options, watched);
    let Observed { mut surface, .. } = observed.map_err(|error| attempt.explain(error))?;
    if let Some(ResolvedArtifact { source, .. }) = artifact {
        surface.source = source;
    }
    Ok(surface)
}

/// The path of a server, written so that it is not taken for a name.
fn local_source(path: &Path) -> Result<ArtifactSource, OpsError> {
    let text = path.to_str().ok_or(ServerError::NotText)?;
    let is_path = LocalPath::is_meant_by(text);
    let text = if is_path { text.to_owned() } else { format!("./{text}") };
    let path = text.parse::<LocalPath>().map_err(|_| ServerError::NotText)?;
    Ok(ArtifactSource::Local { path })
}
