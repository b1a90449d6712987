//! What a registry saw of a server, without starting it.

use facets_surface::{Surface, parse_surface_file};

use super::{AcquiredServer, Acquirer};
use crate::error::{InstallCheck, InstallError, OpsError};

impl Acquirer<'_> {
    /// The surface file of a published version. Its digest and its hash are those that the registry states.
    pub(crate) fn published_surface(&self, server: &AcquiredServer) -> Result<Surface, OpsError> {
        let unknown = || OpsError::Internal { subject: "a surface that nobody stated".to_owned() };
        let document = server.document.as_ref().ok_or_else(unknown)?;
        let stated = document.server.as_ref().ok_or_else(unknown)?;
        let subject = format!("{} {} {}", document.kind.word(), document.name, document.version);
        let client = self.origins.client(&subject, Some(&server.registry), None)?;
        let bytes = client.verified_surface(document)?;
        let mismatch = |actual: String| {
            let (expected, source_of) = (stated.surface.to_string(), server.registry.to_string());
            let check = InstallCheck::Surface;
            InstallError::Mismatch { check, subject: subject.clone(), expected, actual, source_of }
        };
        let surface = parse_surface_file(&bytes).map_err(|error| mismatch(error.to_string()))?;
        let actual = surface.hashes().surface;
        if actual == stated.surface {
            Ok(surface)
        } else {
            Err(mismatch(actual.to_string()).into())
        }
    }
}
