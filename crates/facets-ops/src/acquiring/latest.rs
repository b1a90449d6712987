//! What a registry has by now, without its archives.

use facets_model::manifest::VersionSpec;
use facets_model::{ArtifactName, HttpUrl};
use facets_registry_client::{PublishedKind, VersionDocument, WantedVersion};

use super::acquirer::Acquirer;
use super::freshness::wanted_version;
use super::git_references::{RemoteCommit, remote_commit};
use super::git_repository::{clone_address, shown_address};
use super::registry_ask::RegistryAsk;
use crate::error::{AcquireError, OpsError, PublishError};

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

    /// The commit that a branch or tag of a repository, or its default branch, has by now.
    pub(crate) fn newest_commit(
        &self,
        name: &str,
        url: &str,
        reference: Option<&str>,
    ) -> Result<RemoteCommit, OpsError> {
        let subject = format!("facet {name}");
        self.require_network(&subject)?;
        let address = clone_address(url);
        remote_commit(&address, reference).map_err(|reason| {
            AcquireError::Git { subject, url: shown_address(&address), reason }.into()
        })
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
            Ok(answer) => {
                self.saw(&answer);
                Ok(Some(answer.document))
            }
            Err(OpsError::Publish(PublishError::Client(error))) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
