//! The loops that work on the queue. Any number of processes share one queue: a job belongs to the one that holds
//! its lease.

use std::time::Duration;

use facets_catalog::{CatalogError, Claimant, ClaimedJob, JobClaim, Lease};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::clock::now;
use crate::probe_job::JobTrouble;
use crate::random::random_id;
use crate::registry::Registry;

/// How long a job belongs to a process that is not heard of any more, and how often one is heard of. After a crash,
/// its publishers wait that long before another process starts over.
const LEASE: Duration = Duration::from_secs(20);
const RENEWAL: Duration = Duration::from_secs(5);

/// A lease that ends at once, so that the attempt counts.
const LAPSED: Duration = Duration::from_millis(1);

/// How often the queue is looked at; jobs that other processes queued ring no bell here.
const LOOK: Duration = Duration::from_millis(500);

/// Pauses after trouble: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

impl Registry {
    /// Starts to work on the queue, until `stop` becomes true. Probes that run then are ended, and their jobs given
    /// back.
    pub fn start_probers(&self, stop: watch::Receiver<bool>) -> JoinHandle<()> {
        let registry = self.clone();
        registry.set_stopping(false);
        // Without randomness there are no ids, and nothing else works either.
        let worker = random_id().unwrap_or_else(|_| std::process::id().to_string());
        tokio::spawn(async move {
            let mut loops = JoinSet::new();
            loops.spawn(note_stop(registry.clone(), stop.clone()));
            for _ in 0..registry.limits().probes_at_once {
                loops.spawn(ProberLoop::new(&registry, &worker, &stop).run());
            }
            while loops.join_next().await.is_some() {}
        })
    }
}

/// Tells running probes, and publishes that wait for one, that the process ends.
async fn note_stop(registry: Registry, mut stop: watch::Receiver<bool>) {
    // A sender that is gone means the same.
    let _ = stop.wait_for(|is_stopping| *is_stopping).await;
    registry.set_stopping(true);
    registry.finished().notify_waiters();
}

/// Of one owner never all probes at once: another one may come.
fn most_per_owner(probes_at_once: usize) -> u32 {
    u32::try_from(probes_at_once).unwrap_or(u32::MAX).saturating_sub(1).max(1)
}

/// One loop: one job at a time.
struct ProberLoop {
    registry: Registry,
    /// The name of the process, which all of its loops share.
    worker: String,
    stop: watch::Receiver<bool>,
    pause: Duration,
    /// Whether the catalog did not answer the last time.
    is_cut_off: bool,
}

impl ProberLoop {
    fn new(registry: &Registry, worker: &str, stop: &watch::Receiver<bool>) -> Self {
        let (registry, worker, stop) = (registry.clone(), worker.to_owned(), stop.clone());
        Self { registry, worker, stop, pause: FIRST_PAUSE, is_cut_off: false }
    }

    async fn run(mut self) {
        let registry = self.registry.clone();
        let worker = self.worker.clone();
        let most_per_owner = most_per_owner(registry.limits().probes_at_once);
        let claimant = Claimant { worker: &worker, most_per_owner };
        while !self.is_stopping() {
            // Before the look, so that a job that is queued meanwhile is noticed.
            let bell = registry.queued().notified();
            let claimed = registry.catalog().claim_job(claimant, LEASE, now()).await;
            self.note_catalog(claimed.as_ref().err());
            match claimed {
                Ok(Some(job)) => self.work(&job).await,
                Ok(None) => {
                    tokio::select! {
                        () = bell => {}
                        () = tokio::time::sleep(LOOK) => {}
                        _ = self.stop.changed() => {}
                    }
                }
                Err(_) => self.rest().await,
            }
        }
    }

    /// A sender that is gone means that the process ends.
    fn is_stopping(&self) -> bool {
        *self.stop.borrow() || self.stop.has_changed().is_err()
    }

    /// Whether the catalog answers. Trouble of other kinds is not ended by that.
    fn note_catalog(&mut self, error: Option<&CatalogError>) {
        match error {
            Some(error) => self.registry.set_prober_trouble(Some(error.to_string())),
            None if self.is_cut_off => {
                self.registry.set_prober_trouble(None);
                self.pause = FIRST_PAUSE;
            }
            None => {}
        }
        self.is_cut_off = error.is_some();
    }

    /// Works on a job until it is published or refused. After trouble of the registry it is given back, and waits
    /// in the queue for as long as that lasts.
    async fn work(&mut self, job: &ClaimedJob) {
        let lease = HeldLease::keep(&self.registry, &job.claim);
        match self.registry.finish_job(job).await {
            Ok(()) => {
                self.registry.set_prober_trouble(None);
                self.registry.finished().notify_waiters();
                self.pause = FIRST_PAUSE;
            }
            Err(JobTrouble::Stopped) => lease.give_back(&self.registry, Duration::ZERO).await,
            Err(trouble) => {
                self.registry.set_prober_trouble(Some(trouble.reason()));
                lease.give_back(&self.registry, remaining_lease(&trouble)).await;
                self.rest().await;
            }
        }
    }

    /// Waits longer each time.
    async fn rest(&mut self) {
        tokio::select! {
            () = tokio::time::sleep(self.pause) => {}
            _ = self.stop.changed() => {}
        }
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }
}

/// An attempt that is given back does not count, so that no trouble of the registry refuses a server. Only one that
/// ended a worker which had worked until then counts: such a server must not come back for ever.
fn remaining_lease(trouble: &JobTrouble) -> Duration {
    match trouble {
        JobTrouble::Worker { worked_before: true, .. } => LAPSED,
        JobTrouble::Worker { worked_before: false, .. }
        | JobTrouble::Registry(_)
        | JobTrouble::Stopped => Duration::ZERO,
    }
}

/// The lease of a job, renewed until this is dropped.
struct HeldLease {
    claim: JobClaim,
    renewal: JoinHandle<()>,
}

impl HeldLease {
    fn keep(registry: &Registry, claim: &JobClaim) -> Self {
        let renewal = renew(registry.clone(), claim.clone());
        Self { claim: claim.clone(), renewal: tokio::spawn(renewal) }
    }

    /// Lets another process take the job. If that fails, the lease ends by itself.
    async fn give_back(&self, registry: &Registry, lease: Duration) {
        self.renewal.abort();
        let _ = registry.catalog().renew_job(&self.claim, lease, now()).await;
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

/// Renews a lease until it is lost. A catalog that does not answer is asked again: only time loses a lease then.
async fn renew(registry: Registry, claim: JobClaim) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        if let Ok(Lease::Lost) = registry.catalog().renew_job(&claim, LEASE, now()).await {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_probe_is_left_for_another_owner_where_there_are_several() {
        let most: Vec<u32> = [1, 2, 3, 8].map(most_per_owner).into();
        assert_eq!(most, [1, 1, 2, 7]);
    }
}
