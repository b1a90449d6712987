//! What the source of a server can reach (spec 6.5), read in a sandbox.

use std::path::Path;
use std::time::Duration;

use facets_digest::{NoProgress, Progress};
use facets_probe::{ObserveError, ScanError, scan_directory};
pub use facets_probe::{ScanReport, ScanRequest};
use facets_surface::Source;

use crate::error::OpsError;
use crate::observing::own_launcher;

const IN_ALL: Duration = Duration::from_mins(5);

/// Scans a directory or a file, in a sandbox.
pub(crate) fn scan(request: &ScanRequest, progress: &dyn Progress) -> Result<ScanReport, OpsError> {
    Ok(scan_directory(&own_launcher()?, request, IN_ALL, progress)?)
}

/// What the files of an artifact can reach, and what its manifest declares.
pub(crate) fn source_of(tree: &Path) -> Result<Source, OpsError> {
    Ok(scan(&ScanRequest { path: tree.to_owned() }, &NoProgress)?.into_source())
}

impl From<ScanError> for OpsError {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::File(error) => Self::File(error),
            ScanError::Manifest { path, problems } => Self::BadManifest { path, problems },
            ScanError::Launch(error) => Self::Observe(ObserveError::Launch(error)),
        }
    }
}
