//! A version becomes visible.

use std::io;

use facets_digest::Digest;

use crate::audit::{AuditNote, write_audit};
use crate::catalog::Catalog;
use crate::database::{Ending, Operation, Transaction, Trouble, size};
use crate::error::CatalogError;
use crate::job_claims::{JobClaim, finish_published};
use crate::lookalike::{lookalike, plain, scope_of};
use crate::moment::Moment;
use crate::names::{CLAIMS, insert_name, insert_scope, lock_name, refresh_name};
use crate::ordering::storable_ordering;
use crate::owner::{AuditWho, Owner};
use crate::record::VersionRecord;
use crate::tokens::{TokenEnd, find_token_end};
use crate::version_row::{INSERT, insert_params, read_version, version_columns};

/// A version that is to become visible. Its blobs are stored already.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// The version. That it would be yanked is not stored.
    pub record: VersionRecord,
    /// The upload that keeps its blobs.
    pub upload: String,
    /// The job that made it, if one did.
    pub job: Option<JobClaim>,
    /// Who publishes it.
    pub audit: AuditWho,
}

/// What became of a publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublishOutcome {
    /// The version is visible from now on.
    Inserted,
    /// The same content was there before; its first bytes stay.
    SameExists(VersionRecord),
    /// Other content was there before.
    OtherExists(VersionRecord),
    /// The name or its scope belongs to another owner.
    NotOwner {
        /// That owner.
        owner: Owner,
    },
    /// The name, which would be new, looks like one of another owner.
    LookalikeOf {
        /// That name, or that scope with `@`.
        name: String,
    },
    /// The job was given to another worker.
    JobLost,
    /// The token was revoked or expired after the request was accepted.
    TokenEnded(TokenEnd),
}

impl Catalog {
    /// Makes a version visible: all of it, or nothing.
    pub async fn publish(
        &self,
        new: &NewVersion,
        now: Moment,
    ) -> Result<PublishOutcome, CatalogError> {
        let record = &new.record;
        let ordering = storable_ordering(&record.version)?;
        let subject = format!("{} {}@{}", record.kind, record.name, record.version);
        let detail = Some(record.integrity.to_string());
        let note = AuditNote::new(&new.audit, "publish", subject.clone(), detail);
        self.database.write(&Publishing { new, ordering, subject, note, now }).await
    }
}

struct Publishing<'a> {
    new: &'a NewVersion,
    ordering: String,
    subject: String,
    note: AuditNote<'a>,
    now: Moment,
}

impl Operation for Publishing<'_> {
    type Output = PublishOutcome;

    async fn run(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Ending<PublishOutcome>, Trouble> {
        let outcome = self.publish(transaction).await?;
        Ok(match outcome {
            PublishOutcome::Inserted | PublishOutcome::SameExists(_) => Ending::Commit(outcome),
            refusal => Ending::Discard(refusal),
        })
    }
}

impl Publishing<'_> {
    async fn publish(&self, transaction: &mut Transaction<'_>) -> Result<PublishOutcome, Trouble> {
        let record = &self.new.record;
        if let Some(refusal) = self.claim_name(transaction).await? {
            return Ok(refusal);
        }
        let existing = self.existing(transaction).await?;
        if existing.as_ref().is_some_and(|(upload, _)| *upload == self.new.upload) {
            // It was this very publish, whose answer was lost.
            return Ok(PublishOutcome::Inserted);
        }
        if let Some(end) = find_token_end(transaction, &self.new.audit, self.now).await? {
            return Ok(PublishOutcome::TokenEnded(end));
        }
        if let Some((_, existing)) = existing {
            return self.publish_again(transaction, existing).await;
        }
        if !self.end_upload(transaction).await? {
            return Err(upload_expired());
        }
        if !self.finish_job(transaction).await? {
            return Ok(PublishOutcome::JobLost);
        }
        let params = insert_params(record, &self.ordering, &self.new.upload);
        transaction.execute(INSERT, &params).await?;
        self.use_blobs(transaction).await?;
        refresh_name(transaction, record.kind, &record.name).await?;
        write_audit(transaction, &self.note, self.now).await?;
        Ok(PublishOutcome::Inserted)
    }

    /// Locks the name, which is claimed first if it is free. A refusal if another owner has it.
    async fn claim_name(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Option<PublishOutcome>, Trouble> {
        let record = &self.new.record;
        if let Some(owner) = lock_name(transaction, record.kind, &record.name).await? {
            return Ok(self.refuse_other(owner));
        }
        transaction.lock(CLAIMS).await?;
        // Another publisher may have been faster.
        if let Some(owner) = lock_name(transaction, record.kind, &record.name).await? {
            return Ok(self.refuse_other(owner));
        }
        if let Some(refusal) = self.check_scope(transaction).await? {
            return Ok(Some(refusal));
        }
        if let Some(refusal) = self.check_lookalikes(transaction).await? {
            return Ok(Some(refusal));
        }
        insert_scope(transaction, &record.name, &record.owner, self.now).await?;
        let name = (record.kind, &record.name);
        insert_name(transaction, name, &record.owner, self.now).await?;
        Ok(None)
    }

    fn refuse_other(&self, owner: Owner) -> Option<PublishOutcome> {
        let is_other = owner != self.new.record.owner;
        is_other.then_some(PublishOutcome::NotOwner { owner })
    }

    /// A scope belongs to who published below it first; one that looks like it is not given to another.
    async fn check_scope(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Option<PublishOutcome>, Trouble> {
        const OWNER: &str = "SELECT owner FROM scopes WHERE scope = $1";
        const SIMILAR: &str =
            "SELECT scope FROM scopes WHERE lookalike = $1 AND owner <> $2 LIMIT 1";
        let record = &self.new.record;
        let Some(scope) = scope_of(&record.name) else { return Ok(None) };
        if let Some(row) = transaction.fetch_first(OWNER, &[scope.into()]).await? {
            return Ok(self.refuse_other(row.cells().parsed()?));
        }
        let lookalike = plain(scope);
        let params = [(&lookalike).into(), (&record.owner).into()];
        let row = transaction.fetch_first(SIMILAR, &params).await?;
        let Some(row) = row else { return Ok(None) };
        let name = format!("@{}", row.cells().text()?);
        Ok(Some(PublishOutcome::LookalikeOf { name }))
    }

    async fn check_lookalikes(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Option<PublishOutcome>, Trouble> {
        const SIMILAR: &str = "SELECT name FROM names WHERE kind = $1 AND lookalike = $2 \
             AND owner <> $3 LIMIT 1";
        let record = &self.new.record;
        let lookalike = lookalike(&record.name);
        let params = [record.kind.into(), (&lookalike).into(), (&record.owner).into()];
        let row = transaction.fetch_first(SIMILAR, &params).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(PublishOutcome::LookalikeOf { name: row.cells().owned_text()? }))
    }

    /// The version that is there already, and the upload that made it.
    async fn existing(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Option<(String, VersionRecord)>, Trouble> {
        const EXISTING: &str = concat!(
            "SELECT upload, ",
            version_columns!(),
            " FROM versions WHERE kind = $1 AND name = $2 AND ordering = $3"
        );
        let record = &self.new.record;
        let params = [record.kind.into(), (&record.name).into(), (&self.ordering).into()];
        let row = transaction.fetch_first(EXISTING, &params).await?;
        let Some(row) = row else { return Ok(None) };
        let mut cells = row.cells();
        let upload = cells.owned_text()?;
        Ok(Some((upload, read_version(record.kind, &record.name, &mut cells)?)))
    }

    async fn publish_again(
        &self,
        transaction: &mut Transaction<'_>,
        existing: VersionRecord,
    ) -> Result<PublishOutcome, Trouble> {
        if existing.integrity != self.new.record.integrity {
            return Ok(PublishOutcome::OtherExists(existing));
        }
        self.end_upload(transaction).await?;
        if !self.finish_job(transaction).await? {
            return Ok(PublishOutcome::JobLost);
        }
        Ok(PublishOutcome::SameExists(existing))
    }

    /// Whether the upload was still there. If not, its blobs may be gone as well.
    async fn end_upload(&self, transaction: &mut Transaction<'_>) -> Result<bool, Trouble> {
        const END: &str = "DELETE FROM uploads WHERE id = $1";
        Ok(transaction.execute(END, &[(&self.new.upload).into()]).await? > 0)
    }

    /// Whether the job, if there is one, still belongs to this worker.
    async fn finish_job(&self, transaction: &mut Transaction<'_>) -> Result<bool, Trouble> {
        match &self.new.job {
            Some(claim) => finish_published(transaction, claim, self.now).await,
            None => Ok(true),
        }
    }

    async fn use_blobs(&self, transaction: &mut Transaction<'_>) -> Result<(), Trouble> {
        let record = &self.new.record;
        self.use_blob(transaction, &record.content_hash, record.size, "archive").await?;
        let Some(server) = &record.server else { return Ok(()) };
        self.use_blob(transaction, &server.surface_file, server.surface_size, "surface").await
    }

    async fn use_blob(
        &self,
        transaction: &mut Transaction<'_>,
        digest: &Digest,
        bytes: u64,
        part: &str,
    ) -> Result<(), Trouble> {
        const USE: &str = "INSERT INTO blob_uses (digest, what, size) VALUES ($1, $2, $3)";
        let what = format!("{} {part}", self.subject);
        let params = [digest.into(), (&what).into(), size(bytes).into()];
        transaction.execute(USE, &params).await.map(drop)
    }
}

/// The caller has to store the blobs again.
fn upload_expired() -> Trouble {
    let text = "the upload has expired, and its blobs may have been removed";
    let source = io::Error::new(io::ErrorKind::TimedOut, text).into();
    Trouble::Lasting(CatalogError::Unavailable { source })
}
