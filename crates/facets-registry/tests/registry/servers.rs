//! Servers that wait to be probed.

use facets_registry::{ArtifactKind, JobState, PublishAnswer, RegistryLimits};

use crate::support::{TestRegistry, artifact, code, exact, impatient, publish, publisher, server};

fn accepted(answer: &PublishAnswer) -> &str {
    match answer {
        PublishAnswer::Accepted { job } => job,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_queued_once_and_invisible_until_it_is_probed() {
    let test = TestRegistry::with_limits(impatient()).await;
    let alice = publisher("alice");
    let (kind, demo) = (ArtifactKind::Server, artifact("demo"));
    let archive = server("demo", "1.0.0-rc.1", "1");
    let first = publish(&test.registry, kind, "demo", &archive, &alice).await.unwrap();
    let again = publish(&test.registry, kind, "demo", &archive, &alice).await.unwrap();
    assert_eq!(accepted(&first), accepted(&again), "the same content is the same job");
    let other = server("demo", "1.0.0-rc.1", "2");
    let refused = publish(&test.registry, kind, "demo", &other, &alice).await;
    assert_eq!(code(refused), "E_VERSION_EXISTS");
    let found = test.registry.version(kind, &demo, &exact("1.0.0-rc.1")).await;
    assert_eq!(code(found), "E_NOT_FOUND");
    let depth = test.registry.queue_depth().await.unwrap();
    assert_eq!((depth.queued, depth.running), (1, 0));
    assert_eq!(test.count_files("uploads"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tokens_of_an_owner_have_jobs_of_their_own() {
    let test = TestRegistry::with_limits(impatient()).await;
    let (first, mut second) = (publisher("alice"), publisher("alice"));
    second.token_id = "another-token".to_owned();
    let (kind, archive) = (ArtifactKind::Server, server("demo", "1.0.0", "1"));
    let mut jobs = Vec::new();
    for caller in [&first, &second, &first, &second] {
        let answer = publish(&test.registry, kind, "demo", &archive, caller).await.unwrap();
        jobs.push(accepted(&answer).to_owned());
    }
    assert_ne!(jobs[0], jobs[1], "the end of one token does not refuse the other");
    assert_eq!(jobs[..2], jobs[2..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_its_owner_sees_the_status_of_a_publish() {
    let test = TestRegistry::with_limits(impatient()).await;
    let (alice, bob) = (publisher("alice"), publisher("bob"));
    let archive = server("demo", "1.0.0", "1");
    let kind = ArtifactKind::Server;
    let answer = publish(&test.registry, kind, "demo", &archive, &alice).await.unwrap();
    let job = accepted(&answer);
    let status = test.registry.publish_status(job, &alice).await.unwrap();
    assert!(matches!(status.state, JobState::Queued { .. }), "{status:?}");
    assert_eq!(code(test.registry.publish_status(job, &bob).await), "E_NOT_FOUND");
    for unknown in ["", "0123", "../etc", &"f".repeat(65)] {
        assert_eq!(code(test.registry.publish_status(unknown, &alice).await), "E_NOT_FOUND");
    }
    let taken = publish(&test.registry, kind, "demo", &archive, &bob).await;
    assert_eq!(code(taken), "E_VERSION_EXISTS", "the other owner was first");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_owner_cannot_fill_the_queue() {
    let limits = RegistryLimits { queued_per_owner: 2, ..impatient() };
    let test = TestRegistry::with_limits(limits).await;
    let kind = ArtifactKind::Server;
    let mut codes = Vec::new();
    for (owner, name) in [("alice", "one"), ("alice", "two"), ("alice", "three"), ("bob", "four")] {
        let archive = server(name, "1.0.0", name);
        codes.push(code(publish(&test.registry, kind, name, &archive, &publisher(owner)).await));
    }
    assert_eq!(codes, ["accepted", "accepted", "E_QUEUE_FULL", "accepted"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cannot_be_probed_here_stays_in_the_queue() {
    let test = TestRegistry::with_limits(impatient()).await;
    let alice = publisher("alice");
    // The store is a file, so that there is no runtime.
    std::fs::write(test.path("store"), "").unwrap();
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let probers = test.registry.start_probers(stopped);
    let archive = server("demo", "1.0.0", "1");
    let answer = publish(&test.registry, ArtifactKind::Server, "demo", &archive, &alice).await;
    let answer = answer.unwrap();
    for _ in 0..200 {
        if test.registry.prober_trouble().is_some() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    assert!(test.registry.prober_trouble().is_some());
    let status = test.registry.publish_status(accepted(&answer), &alice).await.unwrap();
    assert!(matches!(status.state, JobState::Running | JobState::Queued { .. }), "{status:?}");
    stop.send(true).unwrap();
    probers.await.unwrap();
    let status = test.registry.publish_status(accepted(&answer), &alice).await.unwrap();
    assert!(!matches!(status.state, JobState::Refused { .. }), "{status:?}");
    assert_eq!(test.count_files("probes"), 0);
}
