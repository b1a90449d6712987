//! The supervisor, or what it needs, could not be had.

use std::io;

use facets_probe::ObserveError;

use crate::error::OpsError;

/// The supervisor, or what it needs, could not be had.
pub(crate) fn supervisor_failed(source: io::Error) -> OpsError {
    ObserveError::from(facets_launch::LaunchError::Supervisor(source)).into()
}
