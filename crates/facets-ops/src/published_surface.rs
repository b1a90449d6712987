//! A server as a registry published it: its bytes, and what the registry saw when it started them.

use facets_digest::Digest;
use facets_surface::Surface;

use crate::error::{InstallCheck, InstallError, OpsError};
use crate::resolving::Resolved;

/// An artifact that was fetched from a registry and verified.
pub(crate) struct PublishedBytes {
    pub(crate) resolved: Resolved,
    pub(crate) surface: PublishedSurface,
}

/// What a registry says that a server declares.
#[derive(Clone, Debug)]
pub(crate) struct PublishedSurface {
    pub(crate) api_surface: Digest,
    pub(crate) surface: Digest,
    /// The registry.
    pub(crate) stated_by: String,
}

impl PublishedSurface {
    /// spec 10.3: what the server declares here is what it declared to the registry
    pub(crate) fn require_same(&self, name: &str, seen: &Surface) -> Result<(), OpsError> {
        let hashes = seen.hashes();
        let pairs = [(self.api_surface, hashes.api_surface), (self.surface, hashes.surface)];
        match pairs.into_iter().find(|(stated, seen)| stated != seen) {
            None => Ok(()),
            Some((expected, actual)) => Err(InstallError::Mismatch {
                check: InstallCheck::Surface,
                subject: name.to_owned(),
                expected: expected.to_string(),
                actual: actual.to_string(),
                source_of: self.stated_by.clone(),
            }
            .into()),
        }
    }
}
