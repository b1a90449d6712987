//! Publishing a server: it is read, stored and queued; the publisher waits a little for its probe.

use std::time::Duration;

use facets_catalog::{EnqueueOutcome, JobState, JobStatus, NewJob, Wanted};
use tokio::time::Instant;

use crate::caller::Caller;
use crate::clock::now;
use crate::error::RegistryError;
use crate::job_document::JobDocument;
use crate::problem::RegistryProblem;
use crate::publishing::PublishAnswer;
use crate::random::random_id;
use crate::reading::ArtifactFacts;
use crate::refusals;
use crate::registry::Registry;
use crate::upload::Received;

/// How often the catalog is asked for the status of a job, at first and at most.
const FIRST_LOOK: Duration = Duration::from_millis(25);
const LAST_LOOK: Duration = Duration::from_secs(1);

/// The longest id that is looked up.
const LONGEST_ID: usize = 64;

/// Which job a publish waits for.
enum Followed {
    /// Its own.
    Own(String),
    /// An earlier one with the same content.
    Earlier(String),
}

impl Followed {
    fn id(&self) -> &str {
        match self {
            Self::Own(id) | Self::Earlier(id) => id,
        }
    }
}

impl Registry {
    pub(crate) async fn publish_server(
        &self,
        received: Received,
        facts: &ArtifactFacts,
        caller: &Caller,
    ) -> Result<PublishAnswer, RegistryError> {
        let upload = self.hold_blobs(&caller.owner, vec![facts.content_hash]).await?;
        let queued = self.store_and_enqueue(&received, facts, caller, &upload).await;
        // A job needs it until it ends. After a failure there may be one, whose answer was lost.
        if matches!(queued, Ok(Followed::Earlier(_)) | Err(RegistryError::Refused(_))) {
            self.release_blobs(&upload).await;
        }
        drop(received);
        self.follow(&queued?, facts).await
    }

    async fn store_and_enqueue(
        &self,
        received: &Received,
        facts: &ArtifactFacts,
        caller: &Caller,
        upload: &str,
    ) -> Result<Followed, RegistryError> {
        self.put_archive(received).await?;
        let document = JobDocument {
            manifest: facts.manifest.clone(),
            description: facts.description.clone(),
            author: facts.author.clone(),
            token: caller.token_id.clone(),
        };
        let job = NewJob {
            id: random_id()?,
            owner: caller.owner.clone(),
            kind: facts.kind,
            name: facts.name.clone(),
            version: facts.version.clone(),
            content_hash: facts.content_hash,
            integrity: facts.integrity,
            size: facts.size,
            upload: upload.to_owned(),
            document: document.to_json(),
        };
        let most = self.limits().queued_per_owner;
        match self.catalog().enqueue(&job, most, now()).await? {
            EnqueueOutcome::Queued => {
                self.queued().notify_one();
                Ok(Followed::Own(job.id))
            }
            EnqueueOutcome::AlreadyQueued { id } => Ok(Followed::Earlier(id)),
            EnqueueOutcome::TooMany => Err(refusals::queue_full(most).into()),
            EnqueueOutcome::OtherQueued => {
                Err(refusals::version_queued(facts.kind, &facts.name, &facts.version).into())
            }
        }
    }

    async fn follow(
        &self,
        followed: &Followed,
        facts: &ArtifactFacts,
    ) -> Result<PublishAnswer, RegistryError> {
        match self.wait_for_job(followed.id()).await {
            Some(JobState::Published) => {
                let wanted = Wanted::Exact(facts.version.clone());
                let record = self.version(facts.kind, &facts.name, &wanted).await?;
                Ok(match followed {
                    Followed::Own(_) => PublishAnswer::Created(Box::new(record)),
                    Followed::Earlier(_) => PublishAnswer::Same(Box::new(record)),
                })
            }
            Some(JobState::Refused { problem }) => Err(stored_problem(&problem).into()),
            _ => Ok(PublishAnswer::Accepted { job: followed.id().to_owned() }),
        }
    }

    /// How a job ended; nothing if it has not after some time, or when the process ends. A catalog that does not answer for a moment is
    /// asked again: the job is safe.
    async fn wait_for_job(&self, id: &str) -> Option<JobState> {
        let deadline = Instant::now() + self.limits().wait_for_probe;
        let mut pause = FIRST_LOOK;
        loop {
            // Before the look, so that a job that ends meanwhile is noticed.
            let finished = self.finished().notified();
            if let Ok(Some(status)) = self.catalog().job(id).await
                && is_finished(&status.state)
            {
                return Some(status.state);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || self.is_stopping() {
                return None;
            }
            tokio::select! {
                () = finished => {}
                () = tokio::time::sleep(pause.min(left)) => {}
            }
            pause = (pause * 3 / 2).min(LAST_LOOK);
        }
    }

    /// What became of a publish, for its owner; other owners do not learn that there is one.
    pub async fn publish_status(
        &self,
        id: &str,
        caller: &Caller,
    ) -> Result<JobStatus, RegistryError> {
        let is_id = id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let found = if is_id { self.catalog().job(id).await? } else { None };
        let own = found.filter(|status| status.owner == caller.owner);
        let status = own.ok_or_else(|| refusals::job_not_found(id))?;
        let state = match status.state {
            JobState::Refused { problem } => {
                JobState::Refused { problem: stored_problem(&problem).to_json() }
            }
            other => other,
        };
        Ok(JobStatus { state, ..status })
    }
}

fn is_finished(state: &JobState) -> bool {
    match state {
        JobState::Published | JobState::Refused { .. } => true,
        JobState::Queued { .. } | JobState::Running => false,
    }
}

/// The problem of a job. The catalog itself refuses one that was interrupted too often, with a word of its own.
fn stored_problem(problem: &str) -> RegistryProblem {
    RegistryProblem::from_json(problem).unwrap_or_else(refusals::interrupted)
}
