//! Workers take jobs, keep them, and end them.

use std::time::Duration;

use facets_digest::Digest;
use facets_model::{ArtifactName, Version};

use crate::catalog::Catalog;
use crate::database::{Cells, Ending, Operation, Transaction, Trouble, shown};
use crate::error::CatalogError;
use crate::kind::ArtifactKind;
use crate::moment::Moment;
use crate::owner::Owner;

/// How often a job is tried whose worker does not end it.
const MOST_ATTEMPTS: i64 = 3;
/// The problem of a job that was tried too often.
pub const PROBE_INTERRUPTED: &str = "probe-interrupted";
/// The lock of transactions that change the order of the queue.
pub(crate) const QUEUE: &str = "queue";

/// A job that a worker took. Another claim of the same job ends this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobClaim {
    /// The job.
    pub id: String,
    /// Which claim of the job it is.
    pub number: i64,
}

/// Who takes jobs: a process that works on several at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimant<'c> {
    /// Its name, which no other process has.
    pub worker: &'c str,
    /// How many jobs of one owner it works on at once.
    pub most_per_owner: u32,
}

/// A job as its worker gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedJob {
    /// What proves that the job is this worker's.
    pub claim: JobClaim,
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
    /// The upload that keeps the archive. It ends with the job.
    pub upload: String,
    /// The document that was queued with the job.
    pub document: String,
    /// Which attempt this is, from 1 on.
    pub attempt: u32,
}

/// Whether a job is still this worker's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// It is, or was until this very call.
    Held,
    /// Another worker has it, or it is ended.
    Lost,
}

impl Catalog {
    /// Takes the next job: of the owner with the fewest running jobs the oldest, in turns of the owners, but for owners
    /// of which the claimant has as many as it may. A job whose lease lapsed is taken again, and refused as `PROBE_INTERRUPTED` after three
    /// attempts.
    pub async fn claim_job(
        &self,
        claimant: Claimant<'_>,
        lease: Duration,
        now: Moment,
    ) -> Result<Option<ClaimedJob>, CatalogError> {
        const ANY: &str = "SELECT id FROM jobs WHERE state = 'queued' \
             OR (state = 'running' AND lease_until <= $1) LIMIT 1";
        // Workers ask often, and mostly for nothing: a look costs less than a transaction.
        if self.database.fetch_first(ANY, &[now.into()]).await?.is_none() {
            return Ok(None);
        }
        self.database.write(&Claiming { claimant, until: now.plus(lease), now }).await
    }

    /// Keeps a job for longer. Without any time it gives the job back, and the attempt does not count.
    pub async fn renew_job(
        &self,
        claim: &JobClaim,
        lease: Duration,
        now: Moment,
    ) -> Result<Lease, CatalogError> {
        let change = if lease.is_zero() {
            ClaimChange::GiveBack
        } else {
            ClaimChange::Renew { until: now.plus(lease) }
        };
        self.database.write(&Changing { claim, change }).await
    }

    /// Ends a job whose server is refused, with a problem as JSON.
    pub async fn refuse_job(
        &self,
        claim: &JobClaim,
        problem: &str,
        now: Moment,
    ) -> Result<Lease, CatalogError> {
        self.database.write(&Changing { claim, change: ClaimChange::Refuse { problem, now } }).await
    }
}

struct Claiming<'a> {
    claimant: Claimant<'a>,
    until: Moment,
    now: Moment,
}

/// The owners' running jobs are counted once, not for every queued job. Of owners with as many of them, the one whose
/// last job was taken first has its turn, however many jobs another one queued before.
const NEXT: &str = "SELECT j.id, j.claim, j.owner, j.kind, j.name, j.version, j.content_hash, \
     j.integrity, j.size, j.upload, j.document, j.attempts FROM jobs j LEFT JOIN \
     (SELECT owner, COUNT(*) AS busy, SUM(CASE WHEN worker = $2 THEN 1 ELSE 0 END) AS own \
     FROM jobs WHERE state = 'running' AND lease_until > $1 GROUP BY owner) r ON r.owner = j.owner \
     LEFT JOIN turns t ON t.owner = j.owner \
     WHERE (j.state = 'queued' OR (j.state = 'running' AND j.lease_until <= $1)) \
     AND COALESCE(r.own, 0) < $3 \
     ORDER BY COALESCE(r.busy, 0), COALESCE(t.turn, 0), j.sequence LIMIT 1";

impl Operation for Claiming<'_> {
    type Output = Option<ClaimedJob>;

    async fn run(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Ending<Option<ClaimedJob>>, Trouble> {
        // A job that is renewed at this moment is not as it was when it was chosen.
        const TAKE: &str = "UPDATE jobs SET state = 'running', claim = claim + 1, \
             attempts = attempts + 1, worker = $3, lease_until = $4 WHERE id = $1 AND claim = $2 \
             AND (state = 'queued' OR (state = 'running' AND lease_until <= $5))";
        transaction.lock(QUEUE).await?;
        self.refuse_interrupted(transaction).await?;
        let Claimant { worker, most_per_owner } = self.claimant;
        let params = [self.now.into(), worker.into(), i64::from(most_per_owner).into()];
        let row = transaction.fetch_first(NEXT, &params).await?;
        let Some(row) = row else { return Ok(Ending::Commit(None)) };
        let job = read_next(&mut row.cells())?;
        let before = job.claim.number - 1;
        let params = [
            (&job.claim.id).into(),
            before.into(),
            worker.into(),
            self.until.into(),
            self.now.into(),
        ];
        if transaction.execute(TAKE, &params).await? == 0 {
            return Ok(Ending::Commit(None));
        }
        note_turn(transaction, &job.owner).await?;
        Ok(Ending::Commit(Some(job)))
    }
}

/// The queue is locked: no other owner gets the same turn.
async fn note_turn(transaction: &mut Transaction<'_>, owner: &Owner) -> Result<(), Trouble> {
    const NOTE: &str = "INSERT INTO turns (owner, turn) \
         VALUES ($1, (SELECT COALESCE(MAX(turn), 0) + 1 FROM turns)) \
         ON CONFLICT (owner) DO UPDATE SET turn = excluded.turn";
    transaction.execute(NOTE, &[owner.into()]).await.map(drop)
}

impl Claiming<'_> {
    async fn refuse_interrupted(&self, transaction: &mut Transaction<'_>) -> Result<(), Trouble> {
        const REFUSE: &str = "UPDATE jobs SET state = 'refused', problem = $3, finished_at = $1 \
             WHERE state = 'running' AND lease_until <= $1 AND attempts >= $2 RETURNING upload";
        let params = [self.now.into(), MOST_ATTEMPTS.into(), PROBE_INTERRUPTED.into()];
        for row in transaction.fetch(REFUSE, &params).await? {
            end_upload(transaction, row.cells().text()?).await?;
        }
        Ok(())
    }
}

/// The job as it will be once it is taken.
fn read_next(cells: &mut Cells<'_>) -> Result<ClaimedJob, CatalogError> {
    let claim = JobClaim { id: cells.owned_text()?, number: cells.integer()? + 1 };
    Ok(ClaimedJob {
        claim,
        owner: cells.parsed()?,
        kind: cells.parsed()?,
        name: cells.parsed()?,
        version: cells.parsed()?,
        content_hash: cells.parsed()?,
        integrity: cells.parsed()?,
        size: cells.unsigned()?,
        upload: cells.owned_text()?,
        document: cells.owned_text()?,
        attempt: cells.unsigned::<u32>()?.saturating_add(1),
    })
}

struct Changing<'a> {
    claim: &'a JobClaim,
    change: ClaimChange<'a>,
}

enum ClaimChange<'a> {
    Renew { until: Moment },
    GiveBack,
    Refuse { problem: &'a str, now: Moment },
}

impl Operation for Changing<'_> {
    type Output = Lease;

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<Lease>, Trouble> {
        const RENEW: &str = "UPDATE jobs SET lease_until = $3 \
             WHERE id = $1 AND claim = $2 AND state = 'running'";
        const GIVE_BACK: &str = "UPDATE jobs SET state = 'queued', attempts = attempts - 1, \
             lease_until = NULL WHERE id = $1 AND claim = $2 AND state = 'running'";
        let (id, number) = (&self.claim.id, self.claim.number);
        let is_held = match self.change {
            ClaimChange::Renew { until } => {
                let params = [id.into(), number.into(), until.into()];
                transaction.execute(RENEW, &params).await? > 0
            }
            ClaimChange::GiveBack => {
                transaction.execute(GIVE_BACK, &[id.into(), number.into()]).await? > 0
            }
            ClaimChange::Refuse { problem, now } => {
                finish(transaction, self.claim, ("refused", Some(problem)), now).await?
            }
        };
        Ok(Ending::Commit(if is_held { Lease::Held } else { Lease::Lost }))
    }
}

/// Ends a job whose version becomes visible in the same transaction. Whether it was still this worker's.
pub(crate) async fn finish_published(
    transaction: &mut Transaction<'_>,
    claim: &JobClaim,
    now: Moment,
) -> Result<bool, Trouble> {
    finish(transaction, claim, ("published", None), now).await
}

async fn finish(
    transaction: &mut Transaction<'_>,
    claim: &JobClaim,
    (state, problem): (&str, Option<&str>),
    now: Moment,
) -> Result<bool, Trouble> {
    const FINISH: &str = "UPDATE jobs SET state = $3, problem = $4, finished_at = $5 \
         WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING upload";
    let params =
        [(&claim.id).into(), claim.number.into(), state.into(), shown(problem), now.into()];
    let row = transaction.fetch_first(FINISH, &params).await?;
    let Some(row) = row else { return Ok(false) };
    end_upload(transaction, row.cells().text()?).await?;
    Ok(true)
}

async fn end_upload(transaction: &mut Transaction<'_>, id: &str) -> Result<(), Trouble> {
    transaction.execute("DELETE FROM uploads WHERE id = $1", &[id.into()]).await.map(drop)
}
