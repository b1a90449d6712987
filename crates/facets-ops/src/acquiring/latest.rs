//! What a registry has by now, without its archives.

use facets_model::manifest::VersionSpec;
use facets_model::{ArtifactName, HttpUrl};
use facets_registry_client::{PublishedKind, VersionDocument, WantedVersion};

use super::acquirer::Acquirer;
use super::freshness::wanted_version;
use super::registry_ask::RegistryAsk;
use crate::error::{OpsError, PublishError};

impl Acquirer<'_> {
    /// The version of a facet that a registry has for what a project asks for; none if it has none.
    pub(crate) fn latest_facet(
        &self,
        name: &ArtifactName,
        spec: &VersionSpec,
        pinned: Option<&HttpUrl>,
    ) -> Result<Option<VersionDocument>, OpsError> {
        self.latest(PublishedKind::Facet, name, &wanted_version(spec)?, pinned)
    }

    /// The version of a server that a registry has; none if it has none.
    pub(crate) fn latest_server(
        &self,
        artifact: &ArtifactName,
        wanted: &WantedVersion,
        pinned: Option<&HttpUrl>,
    ) -> Result<Option<VersionDocument>, OpsError> {
        self.latest(PublishedKind::Server, artifact, wanted, pinned)
    }

    fn latest(
        &self,
        kind: PublishedKind,
        name: &ArtifactName,
        wanted: &WantedVersion,
        pinned: Option<&HttpUrl>,
    ) -> Result<Option<VersionDocument>, OpsError> {
        let ask = RegistryAsk { kind, name, wanted, locked: None, pinned, near: None };
        self.require_network(&ask.subject())?;
        match self.ask(&ask) {
            Ok(answer) => Ok(Some(answer.document)),
            Err(OpsError::Publish(PublishError::Client(error))) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
