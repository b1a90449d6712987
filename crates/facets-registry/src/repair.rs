//! Publishing a version again restores blobs of it that are missing or damaged.

use facets_blobs::BlobVerdict;
use facets_catalog::{ClaimedJob, VersionRecord, Wanted};
use facets_digest::Digest;

use crate::caller::Caller;
use crate::error::RegistryError;
use crate::problem::RegistryProblem;
use crate::publishing::PublishAnswer;
use crate::reading::ArtifactFacts;
use crate::refusals;
use crate::registry::Registry;
use crate::upload::Received;

impl Registry {
    /// Answers a publish of a version that exists with the same content. A missing archive is stored as it was
    /// received; a missing surface file needs another probe.
    pub(crate) async fn publish_same(
        &self,
        received: Received,
        facts: &ArtifactFacts,
        caller: &Caller,
        found: VersionRecord,
    ) -> Result<PublishAnswer, RegistryError> {
        self.repair_archive(&found, &received).await?;
        let has_surface = match &found.server {
            Some(server) => self.is_intact(&server.surface_file).await?,
            None => true,
        };
        if has_surface {
            return Ok(PublishAnswer::Same(Box::new(found)));
        }
        Ok(match self.publish_server(received, facts, caller).await? {
            PublishAnswer::Created(record) => PublishAnswer::Same(record),
            other => other,
        })
    }

    async fn repair_archive(
        &self,
        found: &VersionRecord,
        received: &Received,
    ) -> Result<(), RegistryError> {
        if self.is_intact(&found.content_hash).await? {
            return Ok(());
        }
        if found.content_hash != received.content_hash {
            let artifact = (found.kind, &found.name, &found.version);
            let (lost, sent) = (&found.content_hash, &received.content_hash);
            return Err(refusals::other_archive(artifact, lost, sent).into());
        }
        self.put_archive(received).await
    }

    /// The refusal of a server that was probed to restore the surface file of its version, and whose surface changed.
    pub(crate) async fn refuse_changed_surface(
        &self,
        job: &ClaimedJob,
        probed: &Digest,
    ) -> Result<Option<RegistryProblem>, RegistryError> {
        let wanted = Wanted::Exact(job.version.clone());
        let found = self.catalog().find(job.kind, &job.name, &wanted).await?;
        let same = found.filter(|record| record.integrity == job.integrity);
        let Some(server) = same.and_then(|record| record.server) else { return Ok(None) };
        let recorded = server.surface_file;
        if recorded == *probed || self.is_intact(&recorded).await? {
            return Ok(None);
        }
        Ok(Some(refusals::surface_changed(&recorded, probed)))
    }

    async fn is_intact(&self, digest: &Digest) -> Result<bool, RegistryError> {
        Ok(match self.blobs().verify(digest).await? {
            BlobVerdict::Ok { .. } => true,
            BlobVerdict::Absent | BlobVerdict::Damaged { .. } => false,
        })
    }
}
