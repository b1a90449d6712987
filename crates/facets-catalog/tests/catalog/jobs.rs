//! The queue: fair, leased, and never lost.

use std::collections::BTreeSet;
use std::time::Duration;

use facets_catalog::{
    Claimant, ClaimedJob, EnqueueOutcome, JobState, Lease, Moment, NewJob, NewVersion,
    PROBE_INTERRUPTED, PublishOutcome, QueueDepth, VersionRecord,
};

use crate::support::{LATER, NOW, Scene, changed, fresh_id, owned_by, server, who};

on_both![
    a_job_is_queued_once,
    a_job_with_another_document_is_queued_beside_the_first,
    an_owner_has_a_bounded_number_of_jobs,
    the_owner_with_the_fewest_running_jobs_comes_first,
    owners_take_turns_however_many_jobs_one_queued_before,
    no_owner_has_all_places_of_a_worker,
    a_job_is_given_to_one_of_many_workers,
    a_lapsed_lease_is_claimed_again_three_times_in_all,
    a_job_that_is_given_back_has_lost_no_attempt,
    a_lost_claim_changes_nothing,
    a_job_ends_with_its_version,
    a_refused_job_keeps_its_problem_and_ends_its_upload,
    ended_jobs_are_forgotten,
];

const LEASE: Duration = Duration::from_mins(1);

/// A worker with many places.
fn claimant(worker: &str) -> Claimant<'_> {
    Claimant { worker, most_per_owner: 100 }
}

async fn new_job(scene: &Scene, record: &VersionRecord) -> NewJob {
    NewJob {
        id: fresh_id(),
        owner: record.owner.clone(),
        kind: record.kind,
        name: record.name.clone(),
        version: record.version.clone(),
        content_hash: record.content_hash,
        integrity: record.integrity,
        size: record.size,
        upload: scene.upload(record).await,
        document: format!("{{\"of\":\"{}\"}}", record.name),
    }
}

async fn enqueue(scene: &Scene, record: &VersionRecord) -> NewJob {
    let job = new_job(scene, record).await;
    let outcome = scene.catalog.enqueue(&job, 20, NOW).await.unwrap();
    assert_eq!(outcome, EnqueueOutcome::Queued);
    job
}

async fn claim(scene: &Scene, now: Moment) -> Option<ClaimedJob> {
    scene.catalog.claim_job(claimant("worker"), LEASE, now).await.unwrap()
}

async fn state(scene: &Scene, id: &str) -> JobState {
    scene.catalog.job(id).await.unwrap().unwrap().state
}

async fn a_job_is_queued_once(scene: Scene) {
    let scene = scene.ready().await;
    let record = server("demo", "1.0.0");
    let job = enqueue(&scene, &record).await;
    assert_eq!(scene.catalog.enqueue(&job, 20, NOW).await.unwrap(), EnqueueOutcome::Queued);
    let again = new_job(&scene, &record).await;
    let outcome = scene.catalog.enqueue(&again, 20, NOW).await.unwrap();
    assert_eq!(outcome, EnqueueOutcome::AlreadyQueued { id: job.id.clone() });
    for other in [changed(&record, "other"), owned_by(&record, "mallory")] {
        let other = new_job(&scene, &other).await;
        let outcome = scene.catalog.enqueue(&other, 20, NOW).await.unwrap();
        assert_eq!(outcome, EnqueueOutcome::OtherQueued);
    }
    let status = scene.catalog.job(&job.id).await.unwrap().unwrap();
    assert_eq!((status.owner, status.kind), (record.owner, record.kind));
    assert_eq!((status.name, status.version), (record.name, record.version));
    assert_eq!(status.state, JobState::Queued { ahead: 0 });
    assert_eq!(scene.catalog.job("none").await.unwrap(), None);
    let depth = scene.catalog.queue_depth().await.unwrap();
    assert_eq!(depth, QueueDepth { queued: 1, running: 0 });
}

async fn a_job_with_another_document_is_queued_beside_the_first(scene: Scene) {
    let scene = scene.ready().await;
    let record = server("demo", "1.0.0");
    let first = enqueue(&scene, &record).await;
    let other = NewJob { document: "{}".to_owned(), ..new_job(&scene, &record).await };
    for _ in 0..2 {
        let outcome = scene.catalog.enqueue(&other, 20, NOW).await.unwrap();
        assert_eq!(outcome, EnqueueOutcome::Queued, "also if its answer was lost");
    }
    let again = NewJob { id: fresh_id(), ..other.clone() };
    let outcome = scene.catalog.enqueue(&again, 20, NOW).await.unwrap();
    assert_eq!(outcome, EnqueueOutcome::AlreadyQueued { id: other.id.clone() });
    // The first one is refused, and the other one is published nevertheless.
    let claimed = claim(&scene, NOW).await.unwrap();
    assert_eq!(claimed.claim.id, first.id);
    scene.catalog.refuse_job(&claimed.claim, "{}", NOW).await.unwrap();
    let claimed = claim(&scene, NOW).await.unwrap();
    assert_eq!(claimed.claim.id, other.id);
    let mut new = scene.uploaded(record).await;
    new.job = Some(claimed.claim);
    assert_eq!(scene.catalog.publish(&new, NOW).await.unwrap(), PublishOutcome::Inserted);
    assert_eq!(state(&scene, &other.id).await, JobState::Published);
}

async fn an_owner_has_a_bounded_number_of_jobs(scene: Scene) {
    let scene = scene.ready().await;
    enqueue(&scene, &server("one", "1.0.0")).await;
    enqueue(&scene, &server("two", "1.0.0")).await;
    claim(&scene, NOW).await.unwrap();
    let job = new_job(&scene, &server("three", "1.0.0")).await;
    assert_eq!(scene.catalog.enqueue(&job, 2, NOW).await.unwrap(), EnqueueOutcome::TooMany);
    assert_eq!(scene.catalog.enqueue(&job, 3, NOW).await.unwrap(), EnqueueOutcome::Queued);
    let other = new_job(&scene, &owned_by(&server("four", "1.0.0"), "bob")).await;
    assert_eq!(scene.catalog.enqueue(&other, 1, NOW).await.unwrap(), EnqueueOutcome::Queued);
}

async fn the_owner_with_the_fewest_running_jobs_comes_first(scene: Scene) {
    let scene = scene.ready().await;
    for text in ["a1", "a2", "a3", "a4"] {
        enqueue(&scene, &server(text, "1.0.0")).await;
    }
    let waiting = enqueue(&scene, &owned_by(&server("b1", "1.0.0"), "bob")).await;
    assert_eq!(state(&scene, &waiting.id).await, JobState::Queued { ahead: 4 });
    enqueue(&scene, &owned_by(&server("c1", "1.0.0"), "carol")).await;
    enqueue(&scene, &owned_by(&server("b2", "1.0.0"), "bob")).await;
    let mut order = Vec::new();
    // The clock does not matter.
    let mut now = NOW;
    while let Some(job) = claim(&scene, now).await {
        order.push(job.name.to_string());
        now = now.minus(Duration::from_secs(1));
    }
    assert_eq!(order, ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
    let depth = scene.catalog.queue_depth().await.unwrap();
    assert_eq!(depth, QueueDepth { queued: 0, running: 7 });
}

async fn owners_take_turns_however_many_jobs_one_queued_before(scene: Scene) {
    let scene = scene.ready().await;
    for text in ["a1", "a2", "a3"] {
        enqueue(&scene, &server(text, "1.0.0")).await;
    }
    enqueue(&scene, &owned_by(&server("b1", "1.0.0"), "bob")).await;
    enqueue(&scene, &owned_by(&server("b2", "1.0.0"), "bob")).await;
    let mut order = Vec::new();
    // Each job ends before the next one is taken: no owner has a running one.
    while let Some(job) = claim(&scene, NOW).await {
        scene.catalog.refuse_job(&job.claim, "{}", NOW).await.unwrap();
        order.push(job.name.to_string());
    }
    assert_eq!(order, ["a1", "b1", "a2", "b2", "a3"]);
}

async fn no_owner_has_all_places_of_a_worker(scene: Scene) {
    let scene = scene.ready().await;
    for text in ["a1", "a2", "a3", "a4"] {
        enqueue(&scene, &server(text, "1.0.0")).await;
    }
    let claim = async |worker: &str, now: Moment| {
        let claimant = Claimant { worker, most_per_owner: 2 };
        let job = scene.catalog.claim_job(claimant, LEASE, now).await.unwrap();
        job.map(|job| job.name.to_string())
    };
    assert_eq!(claim("one", NOW).await.as_deref(), Some("a1"));
    assert_eq!(claim("one", NOW).await.as_deref(), Some("a2"));
    assert_eq!(claim("one", NOW).await, None, "it has as many of this owner as it may");
    enqueue(&scene, &owned_by(&server("b1", "1.0.0"), "bob")).await;
    assert_eq!(claim("one", NOW).await.as_deref(), Some("b1"), "another owner has a place");
    assert_eq!(claim("two", NOW).await.as_deref(), Some("a3"), "another worker has its own places");
    // Jobs whose lease lapsed take no place, and are taken again.
    let later = NOW.plus(LEASE);
    let mut again = Vec::new();
    for _ in 0..3 {
        again.extend(claim("one", later).await);
    }
    assert_eq!(again, ["b1", "a1", "a2"]);
}

async fn a_job_is_given_to_one_of_many_workers(scene: Scene) {
    let scene = scene.ready().await;
    for number in 0..8 {
        enqueue(&scene, &server(&format!("server-{number}x"), "1.0.0")).await;
    }
    let mut tasks = Vec::new();
    for worker in 0..4 {
        let catalog = scene.replica().await;
        tasks.push(tokio::spawn(async move {
            let mut taken = Vec::new();
            let worker = format!("worker {worker}");
            while let Some(job) = catalog.claim_job(claimant(&worker), LEASE, NOW).await.unwrap() {
                taken.push(job.claim.id);
            }
            taken
        }));
    }
    let mut taken = Vec::new();
    for task in tasks {
        taken.extend(task.await.unwrap());
    }
    // A worker that met another one may have stopped early.
    while let Some(job) = claim(&scene, NOW).await {
        taken.push(job.claim.id);
    }
    assert_eq!(taken.len(), 8);
    assert_eq!(taken.into_iter().collect::<BTreeSet<_>>().len(), 8);
}

async fn a_lapsed_lease_is_claimed_again_three_times_in_all(scene: Scene) {
    let scene = scene.ready().await;
    let record = server("demo", "1.0.0");
    let job = enqueue(&scene, &record).await;
    let mut now = NOW;
    for attempt in 1..=3 {
        let claimed = claim(&scene, now).await.unwrap();
        assert_eq!((&claimed.claim.id, claimed.attempt), (&job.id, attempt));
        assert_eq!(claimed.document, job.document);
        assert_eq!((claimed.size, claimed.integrity), (job.size, job.integrity));
        assert!(claim(&scene, now.plus(LEASE / 2)).await.is_none(), "it is leased");
        let held = scene.catalog.renew_job(&claimed.claim, LEASE, now).await.unwrap();
        assert_eq!(held, Lease::Held);
        now = now.plus(LEASE);
    }
    assert!(scene.catalog.is_referenced(&record.content_hash, LATER).await.unwrap());
    assert!(claim(&scene, now).await.is_none());
    let problem = PROBE_INTERRUPTED.to_owned();
    assert_eq!(state(&scene, &job.id).await, JobState::Refused { problem });
    assert!(!scene.catalog.is_referenced(&record.content_hash, NOW).await.unwrap());
}

async fn a_job_that_is_given_back_has_lost_no_attempt(scene: Scene) {
    let scene = scene.ready().await;
    let job = enqueue(&scene, &server("demo", "1.0.0")).await;
    for _ in 0..5 {
        let claimed = claim(&scene, NOW).await.unwrap();
        assert_eq!(claimed.attempt, 1);
        let given = scene.catalog.renew_job(&claimed.claim, Duration::ZERO, NOW).await.unwrap();
        assert_eq!(given, Lease::Held);
        assert_eq!(state(&scene, &job.id).await, JobState::Queued { ahead: 0 });
        let again = scene.catalog.renew_job(&claimed.claim, LEASE, NOW).await.unwrap();
        assert_eq!(again, Lease::Lost);
    }
}

async fn a_lost_claim_changes_nothing(scene: Scene) {
    let scene = scene.ready().await;
    let record = server("demo", "1.0.0");
    let job = enqueue(&scene, &record).await;
    let first = claim(&scene, NOW).await.unwrap();
    let second = claim(&scene, NOW.plus(LEASE)).await.unwrap();
    assert_eq!(first.claim.id, second.claim.id);
    let catalog = &scene.catalog;
    assert_eq!(catalog.renew_job(&first.claim, LEASE, NOW).await.unwrap(), Lease::Lost);
    assert_eq!(catalog.refuse_job(&first.claim, "{}", NOW).await.unwrap(), Lease::Lost);
    let mut new = scene.uploaded(record.clone()).await;
    new.job = Some(first.claim);
    assert_eq!(catalog.publish(&new, NOW).await.unwrap(), PublishOutcome::JobLost);
    assert_eq!(state(&scene, &job.id).await, JobState::Running);
    assert_eq!(catalog.name_owner(record.kind, &record.name).await.unwrap(), None);
    new.job = Some(second.claim);
    assert_eq!(catalog.publish(&new, NOW).await.unwrap(), PublishOutcome::Inserted);
    assert_eq!(state(&scene, &job.id).await, JobState::Published);
}

async fn a_job_ends_with_its_version(scene: Scene) {
    let scene = scene.ready().await;
    let record = server("demo", "1.0.0");
    let job = enqueue(&scene, &record).await;
    let claimed = claim(&scene, NOW).await.unwrap();
    assert_eq!(state(&scene, &job.id).await, JobState::Running);
    let upload = scene.upload(&record).await;
    let (audit, claim_of) = (who("acme"), claimed.claim.clone());
    let new = NewVersion { record: record.clone(), upload, job: Some(claim_of), audit };
    for _ in 0..2 {
        let outcome = scene.catalog.publish(&new, NOW).await.unwrap();
        assert_eq!(outcome, PublishOutcome::Inserted, "also if its answer was lost");
    }
    assert_eq!(state(&scene, &job.id).await, JobState::Published);
    // The same content again, from another job: it is published as well, and nothing changes.
    let again = enqueue(&scene, &record).await;
    let claimed = claim(&scene, NOW).await.unwrap();
    let mut new = scene.uploaded(record.clone()).await;
    new.job = Some(claimed.claim);
    let outcome = scene.catalog.publish(&new, NOW).await.unwrap();
    assert_eq!(outcome, PublishOutcome::SameExists(record));
    assert_eq!(state(&scene, &again.id).await, JobState::Published);
}

async fn a_refused_job_keeps_its_problem_and_ends_its_upload(scene: Scene) {
    let scene = scene.ready().await;
    let record = server("demo", "1.0.0");
    let job = enqueue(&scene, &record).await;
    let claimed = claim(&scene, NOW).await.unwrap();
    let problem = r#"{"code":"E_SERVER_FAILED"}"#;
    let refused = scene.catalog.refuse_job(&claimed.claim, problem, NOW).await.unwrap();
    assert_eq!(refused, Lease::Held);
    let expected = JobState::Refused { problem: problem.to_owned() };
    assert_eq!(state(&scene, &job.id).await, expected);
    assert!(!scene.catalog.is_referenced(&record.content_hash, NOW).await.unwrap());
    let again = enqueue(&scene, &record).await;
    assert_eq!(state(&scene, &again.id).await, JobState::Queued { ahead: 0 });
}

async fn ended_jobs_are_forgotten(scene: Scene) {
    let scene = scene.ready().await;
    let ended = enqueue(&scene, &server("one", "1.0.0")).await;
    let waiting = enqueue(&scene, &server("two", "1.0.0")).await;
    let claimed = claim(&scene, NOW).await.unwrap();
    scene.catalog.refuse_job(&claimed.claim, "{}", NOW).await.unwrap();
    assert_eq!(scene.catalog.forget_jobs(NOW).await.unwrap(), 0);
    assert_eq!(scene.catalog.forget_jobs(Moment(LATER.0 * 2)).await.unwrap(), 1);
    assert_eq!(scene.catalog.job(&ended.id).await.unwrap(), None);
    assert_eq!(state(&scene, &waiting.id).await, JobState::Queued { ahead: 0 });
    let kept = scene.catalog.is_referenced(&waiting.content_hash, Moment(LATER.0 * 2)).await;
    assert!(kept.unwrap(), "a job keeps its upload beyond its end");
}
