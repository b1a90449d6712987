//! Publishing a facet: it is read, stored, and made visible at once.

use facets_catalog::{NewVersion, PublishOutcome, VersionRecord};

use crate::caller::Caller;
use crate::clock::now;
use crate::error::RegistryError;
use crate::publishing::{PublishAnswer, audit_of, other_content};
use crate::reading::ArtifactFacts;
use crate::refusals;
use crate::registry::Registry;
use crate::upload::Received;

impl Registry {
    pub(crate) async fn publish_facet(
        &self,
        received: &Received,
        facts: &ArtifactFacts,
        caller: &Caller,
    ) -> Result<PublishAnswer, RegistryError> {
        let upload = self.hold_blobs(&caller.owner, vec![facts.content_hash]).await?;
        let new = NewVersion {
            record: record_of(facts, caller),
            upload: upload.clone(),
            job: None,
            audit: audit_of(caller),
        };
        let outcome = self.store_and_publish(received, &new).await;
        if !matches!(outcome, Ok(PublishOutcome::Inserted)) {
            self.release_blobs(&upload).await;
        }
        match outcome? {
            PublishOutcome::Inserted => Ok(PublishAnswer::Created(Box::new(new.record))),
            PublishOutcome::SameExists(found) => Ok(PublishAnswer::Same(Box::new(found))),
            PublishOutcome::OtherExists(found) => Err(other_content(facts, &found)),
            PublishOutcome::NotOwner { .. } => {
                Err(refusals::not_owner(facts.kind, &facts.name).into())
            }
            PublishOutcome::LookalikeOf { name } => {
                Err(refusals::too_similar(&facts.name, &name).into())
            }
            PublishOutcome::TokenEnded(end) => Err(refusals::token_ended(end).into()),
            PublishOutcome::JobLost => Err(RegistryError::internal("a facet has no job")),
        }
    }

    /// The blob first, then the one transaction that makes it visible.
    async fn store_and_publish(
        &self,
        received: &Received,
        new: &NewVersion,
    ) -> Result<PublishOutcome, RegistryError> {
        self.put_archive(received).await?;
        Ok(self.catalog().publish(new, new.record.published_at).await?)
    }
}

fn record_of(facts: &ArtifactFacts, caller: &Caller) -> VersionRecord {
    VersionRecord {
        kind: facts.kind,
        name: facts.name.clone(),
        version: facts.version.clone(),
        content_hash: facts.content_hash,
        integrity: facts.integrity,
        size: facts.size,
        manifest: facts.manifest.clone(),
        description: facts.description.clone(),
        author: facts.author.clone(),
        assets: facts.assets,
        owner: caller.owner.clone(),
        published_at: now(),
        yanked: None,
        server: None,
    }
}
