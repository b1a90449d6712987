//! The queue of servers that are to be started once.

use facets_digest::Digest;
use facets_model::{ArtifactName, Version};

use crate::catalog::Catalog;
use crate::database::{Cells, Ending, Operation, Transaction, Trouble, size};
use crate::error::CatalogError;
use crate::job_claims::QUEUE;
use crate::kind::ArtifactKind;
use crate::moment::Moment;
use crate::ordering::storable_ordering;
use crate::owner::Owner;

/// A server that is to be started once before it is published.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// A random name.
    pub id: String,
    /// Who publishes.
    pub owner: Owner,
    /// Facet or server.
    pub kind: ArtifactKind,
    /// The name.
    pub name: ArtifactName,
    /// The version.
    pub version: Version,
    /// The digest of the archive.
    pub content_hash: Digest,
    /// The digest of the content of the archive (`integrity`).
    pub integrity: Digest,
    /// The size of the archive.
    pub size: u64,
    /// The upload that keeps the archive. It ends with the job, and not before.
    pub upload: String,
    /// Anything that the worker needs.
    pub document: String,
}

/// What became of a job that was to be queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnqueueOutcome {
    /// It is in the queue.
    Queued,
    /// The owner has too many jobs that are not ended.
    TooMany,
    /// The same content is in the queue, or running, for the same owner and with the same document.
    AlreadyQueued {
        /// That job.
        id: String,
    },
    /// Other content of the same version, or of another owner, is in the queue or running.
    OtherQueued,
}

/// How far a job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It waits.
    Queued {
        /// How many older jobs wait as well.
        ahead: u64,
    },
    /// A worker has it.
    Running,
    /// Its version is visible.
    Published,
    /// Its server was refused.
    Refused {
        /// Why, as JSON; or [`PROBE_INTERRUPTED`](crate::PROBE_INTERRUPTED).
        problem: String,
    },
}

/// The status of a job, for its publisher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobStatus {
    /// The job.
    pub id: String,
    /// Who publishes.
    pub owner: Owner,
    /// Facet or server.
    pub kind: ArtifactKind,
    /// The name.
    pub name: ArtifactName,
    /// The version.
    pub version: Version,
    /// How far it is.
    pub state: JobState,
}

/// How many jobs are not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// Jobs that wait.
    pub queued: u64,
    /// Jobs that a worker has.
    pub running: u64,
}

impl Catalog {
    /// Puts a job behind all others.
    pub async fn enqueue(
        &self,
        job: &NewJob,
        most_per_owner: u32,
        now: Moment,
    ) -> Result<EnqueueOutcome, CatalogError> {
        storable_ordering(&job.version)?;
        self.database.write(&Enqueueing { job, most_per_owner, now }).await
    }

    /// How far a job is.
    pub async fn job(&self, id: &str) -> Result<Option<JobStatus>, CatalogError> {
        const FIND: &str = "SELECT j.id, j.owner, j.kind, j.name, j.version, j.state, j.problem, \
             (SELECT COUNT(*) FROM jobs o WHERE o.state = 'queued' AND o.sequence < j.sequence) \
             FROM jobs j WHERE j.id = $1";
        let row = self.database.fetch_first(FIND, &[id.into()]).await?;
        row.map(|row| read_status(&mut row.cells())).transpose()
    }

    /// How many jobs are not ended.
    pub async fn queue_depth(&self) -> Result<QueueDepth, CatalogError> {
        const COUNT: &str = "SELECT (SELECT COUNT(*) FROM jobs WHERE state = 'queued'), \
             (SELECT COUNT(*) FROM jobs WHERE state = 'running')";
        let row = self.database.fetch_first(COUNT, &[]).await?;
        let Some(row) = row else { return Ok(QueueDepth::default()) };
        let mut cells = row.cells();
        Ok(QueueDepth { queued: cells.unsigned()?, running: cells.unsigned()? })
    }

    /// Forgets jobs that ended before a moment, and uploads that expired before it; how many jobs it were.
    pub async fn forget_jobs(&self, older_than: Moment) -> Result<u64, CatalogError> {
        self.database.write(&Forgetting { older_than }).await
    }
}

fn read_status(cells: &mut Cells<'_>) -> Result<JobStatus, CatalogError> {
    let id = cells.owned_text()?;
    let owner = cells.parsed()?;
    let kind = cells.parsed()?;
    let name = cells.parsed()?;
    let version = cells.parsed()?;
    let state = cells.text()?;
    let problem = cells.optional_owned_text()?.unwrap_or_default();
    let ahead = cells.unsigned()?;
    let state = match state {
        "queued" => JobState::Queued { ahead },
        "running" => JobState::Running,
        "published" => JobState::Published,
        "refused" => JobState::Refused { problem },
        _ => return Err(CatalogError::damaged("a job", "its state is unknown")),
    };
    Ok(JobStatus { id, owner, kind, name, version, state })
}

struct Enqueueing<'a> {
    job: &'a NewJob,
    most_per_owner: u32,
    now: Moment,
}

impl Operation for Enqueueing<'_> {
    type Output = EnqueueOutcome;

    async fn run(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Ending<EnqueueOutcome>, Trouble> {
        transaction.lock(QUEUE).await?;
        if let Some(outcome) = self.same_version(transaction).await? {
            return Ok(Ending::Discard(outcome));
        }
        if self.has_too_many(transaction).await? {
            return Ok(Ending::Discard(EnqueueOutcome::TooMany));
        }
        self.insert(transaction).await?;
        Ok(Ending::Commit(EnqueueOutcome::Queued))
    }
}

impl Enqueueing<'_> {
    /// The outcome if the same version is in the queue or running. One with another document, which names another
    /// token, is queued beside it: it must not be refused because the other token ends.
    async fn same_version(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Option<EnqueueOutcome>, Trouble> {
        const SAME: &str = "SELECT id, owner, integrity, document FROM jobs WHERE kind = $1 \
             AND name = $2 AND version = $3 AND state IN ('queued', 'running') ORDER BY sequence";
        let job = self.job;
        let params = [job.kind.into(), (&job.name).into(), (&job.version).into()];
        let mut same = None;
        for row in transaction.fetch(SAME, &params).await? {
            let mut cells = row.cells();
            let id = cells.owned_text()?;
            let (owner, integrity): (Owner, Digest) = (cells.parsed()?, cells.parsed()?);
            if id == job.id {
                // It was this very call, whose answer was lost.
                return Ok(Some(EnqueueOutcome::Queued));
            }
            if owner != job.owner || integrity != job.integrity {
                return Ok(Some(EnqueueOutcome::OtherQueued));
            }
            if same.is_none() && cells.text()? == job.document {
                same = Some(EnqueueOutcome::AlreadyQueued { id });
            }
        }
        Ok(same)
    }

    async fn has_too_many(&self, transaction: &mut Transaction<'_>) -> Result<bool, Trouble> {
        const COUNT: &str =
            "SELECT COUNT(*) FROM jobs WHERE state IN ('queued', 'running') AND owner = $1";
        let row = transaction.fetch_first(COUNT, &[(&self.job.owner).into()]).await?;
        let count = row.map(|row| row.cells().integer()).transpose()?.unwrap_or_default();
        Ok(count >= i64::from(self.most_per_owner))
    }

    /// The queue is locked: no other job gets the same place.
    async fn insert(&self, transaction: &mut Transaction<'_>) -> Result<(), Trouble> {
        const INSERT: &str = "INSERT INTO jobs (id, sequence, state, owner, kind, name, version, \
             content_hash, integrity, size, upload, claim, attempts, queued_at, document) \
             VALUES ($1, (SELECT COALESCE(MAX(sequence), 0) + 1 FROM jobs), 'queued', $2, $3, $4, $5, \
             $6, $7, $8, $9, 0, 0, $10, $11)";
        let job = self.job;
        let params = [
            (&job.id).into(),
            (&job.owner).into(),
            job.kind.into(),
            (&job.name).into(),
            (&job.version).into(),
            (&job.content_hash).into(),
            (&job.integrity).into(),
            size(job.size).into(),
            (&job.upload).into(),
            self.now.into(),
            (&job.document).into(),
        ];
        transaction.execute(INSERT, &params).await.map(drop)
    }
}

struct Forgetting {
    older_than: Moment,
}

impl Operation for Forgetting {
    type Output = u64;

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<u64>, Trouble> {
        const FORGET: &str =
            "DELETE FROM jobs WHERE state IN ('published', 'refused') AND finished_at < $1";
        const EXPIRE: &str = "DELETE FROM uploads WHERE expires_at < $1 AND NOT EXISTS \
             (SELECT 1 FROM jobs j WHERE j.upload = uploads.id AND j.state IN ('queued', 'running'))";
        let forgotten = transaction.execute(FORGET, &[self.older_than.into()]).await?;
        transaction.execute(EXPIRE, &[self.older_than.into()]).await?;
        Ok(Ending::Commit(forgotten))
    }
}
