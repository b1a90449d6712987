//! What publishing a facet and a server have in common: all or nothing, the blob before the version.

use std::time::Duration;

use facets_catalog::{AuditWho, NewUpload, Owner, UploadStart, VersionRecord, Wanted};
use facets_digest::Digest;

use crate::caller::Caller;
use crate::clock::now;
use crate::error::RegistryError;
use crate::random::random_id;
use crate::reading::ArtifactFacts;
use crate::refusals;
use crate::registry::Registry;
use crate::upload::Received;

/// How often, and after what pause, an upload is begun again whose blob is just being collected.
const ATTEMPTS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(250);

/// What became of a publish.
#[derive(Clone, Debug)]
pub enum PublishAnswer {
    /// The version exists now.
    Created(Box<VersionRecord>),
    /// The version existed already, with the same integrity. The first bytes stay.
    Same(Box<VersionRecord>),
    /// The server waits to be probed.
    Accepted {
        /// The id to ask for its status with.
        job: String,
    },
}

/// Who does something, for the audit.
pub(crate) fn audit_of(caller: &Caller) -> AuditWho {
    AuditWho { owner: caller.owner.clone(), token_id: Some(caller.token_id.clone()) }
}

impl Registry {
    /// The published version of the same name and version, if it has the same integrity. Other content is refused.
    pub(crate) async fn find_same(
        &self,
        facts: &ArtifactFacts,
    ) -> Result<Option<VersionRecord>, RegistryError> {
        let wanted = Wanted::Exact(facts.version.clone());
        let Some(found) = self.catalog().find(facts.kind, &facts.name, &wanted).await? else {
            return Ok(None);
        };
        if found.integrity == facts.integrity {
            return Ok(Some(found));
        }
        Err(other_content(facts, &found))
    }

    pub(crate) async fn put_archive(&self, received: &Received) -> Result<(), RegistryError> {
        self.blobs().put_file(&received.content_hash, &received.path()).await?;
        Ok(())
    }

    /// Tells the collector that these blobs are about to be stored and referenced. The id ends it.
    pub(crate) async fn hold_blobs(
        &self,
        owner: &Owner,
        digests: Vec<Digest>,
    ) -> Result<String, RegistryError> {
        let id = random_id()?;
        for _ in 0..ATTEMPTS {
            let moment = now();
            let upload = NewUpload {
                id: id.clone(),
                digests: digests.clone(),
                owner: owner.clone(),
                expires: moment.plus(self.limits().unfinished_kept),
            };
            match self.catalog().begin_upload(&upload, moment).await? {
                UploadStart::Started => return Ok(id),
                UploadStart::Condemned => tokio::time::sleep(PAUSE).await,
            }
        }
        Err(refusals::busy("blobs in removal").into())
    }

    /// Ends what [`Self::hold_blobs`] began. If that fails, it ends by itself after some time.
    pub(crate) async fn release_blobs(&self, id: &str) {
        let _ = self.catalog().end_upload(id).await;
    }
}

/// The refusal of a version that exists with other content.
pub(crate) fn other_content(facts: &ArtifactFacts, found: &VersionRecord) -> RegistryError {
    let artifact = (facts.kind, &facts.name, &facts.version);
    refusals::version_exists(artifact, &found.integrity, &facts.integrity).into()
}
