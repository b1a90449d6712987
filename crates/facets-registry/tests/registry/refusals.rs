//! Archives and requests that are refused, and leave nothing behind.

use std::time::Duration;

use facets_registry::{ArtifactKind, RegistryLimits};

use crate::support::{
    TestRegistry, artifact, code, exact, facet, facet_of, publish, publisher, server,
};

#[tokio::test(flavor = "multi_thread")]
async fn archives_that_break_a_rule_are_refused_and_leave_nothing() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let good = facet("demo", "1.0.0", "text");
    let mut damaged = good.clone();
    damaged[2000] ^= 1;
    let manifest =
        r#"{"name":"demo","version":"1.0.0","private":true,"skills":{"plan":{"description":"d"}}}"#;
    let private = facet_of(manifest, "text");
    let cases: [(&str, &str, &[u8]); 7] = [
        ("E_NAME_MISMATCH", "other", &good),
        ("E_INVALID_ARCHIVE", "demo", &damaged),
        ("E_INVALID_ARCHIVE", "demo", &good[..good.len() - 512]),
        ("E_INVALID_ARCHIVE", "demo", b"no archive"),
        ("E_INVALID_ARCHIVE", "demo", b""),
        ("E_INVALID_ARCHIVE", "demo", &server("demo", "1.0.0", "1")),
        ("E_INVALID_MANIFEST", "demo", &private),
    ];
    for (expected, name, archive) in cases {
        let refused = publish(&test.registry, ArtifactKind::Facet, name, archive, &alice).await;
        let problem = refused.unwrap_err().problem();
        assert_eq!((problem.status, problem.code), (422, expected), "{problem:?}");
        assert!(!problem.fix.is_empty());
    }
    assert_eq!(code(test.facet("demo", exact("1.0.0")).await), "E_NOT_FOUND");
    assert_eq!((test.count_files("uploads"), test.count_files("blobs")), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_is_too_long_is_an_invalid_version() {
    let test = TestRegistry::new().await;
    let archive = server("demo", &format!("1.0.0-{}", "a".repeat(251)), "1");
    let alice = publisher("alice");
    let refused = publish(&test.registry, ArtifactKind::Server, "demo", &archive, &alice).await;
    let problem = refused.unwrap_err().problem();
    assert_eq!((problem.status, problem.code), (422, "E_INVALID_VERSION"), "{problem:?}");
    assert!(problem.error.contains("256"), "{problem:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_refused_when_it_is_announced_and_while_it_comes() {
    let limits = RegistryLimits { facet_bytes: 20_000, ..RegistryLimits::default() };
    let test = TestRegistry::with_limits(limits).await;
    let (alice, demo) = (publisher("alice"), artifact("demo"));
    let begin = |size| test.registry.begin_body(ArtifactKind::Facet, &demo, &alice, size);
    assert_eq!(code(begin(Some(20_001)).await), "E_TOO_LARGE");
    let mut upload = begin(None).await.unwrap();
    upload.write(&vec![0; 20_000]).await.unwrap();
    assert_eq!(code(upload.write(&[0]).await), "E_TOO_LARGE");
    assert_eq!(code(test.registry.publish(upload, &alice).await), "E_TOO_LARGE");
    assert_eq!(test.count_files("uploads"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_expands_too_much_is_refused() {
    let limits = RegistryLimits { facet_unpacked: 100_000, ..RegistryLimits::default() };
    let test = TestRegistry::with_limits(limits).await;
    let bomb = facet("demo", "1.0.0", &"a".repeat(1 << 20));
    assert!(bomb.len() < 100_000);
    let alice = publisher("alice");
    let refused = publish(&test.registry, ArtifactKind::Facet, "demo", &bomb, &alice).await;
    let problem = refused.unwrap_err().problem();
    assert_eq!(problem.code, "E_INVALID_ARCHIVE");
    assert!(problem.details.unwrap().contains("archive-too-large"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_given_up_leaves_no_file() {
    let test = TestRegistry::new().await;
    let (alice, demo) = (publisher("alice"), artifact("demo"));
    let begin = || test.registry.begin_body(ArtifactKind::Facet, &demo, &alice, None);
    let mut upload = begin().await.unwrap();
    upload.write(&vec![7; 1 << 20]).await.unwrap();
    assert_eq!(test.count_files("uploads"), 1);
    drop(upload);
    assert_eq!(test.count_files("uploads"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_uploads_than_there_are_slots_wait_and_are_refused() {
    let wait_for_slot = Duration::from_millis(50);
    let limits = RegistryLimits { uploads_at_once: 1, wait_for_slot, ..RegistryLimits::default() };
    let test = TestRegistry::with_limits(limits).await;
    let (alice, bob, demo) = (publisher("alice"), publisher("bob"), artifact("demo"));
    let begin = |caller| test.registry.begin_body(ArtifactKind::Facet, &demo, caller, None);
    let first = begin(&alice).await.unwrap();
    let problem = begin(&bob).await.map(drop).unwrap_err().problem();
    assert_eq!((problem.code, problem.retry_after.is_some()), ("E_UNAVAILABLE", true));
    drop(first);
    assert!(begin(&bob).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_uploads_of_one_owner_leave_slots_for_the_others() {
    let wait_for_slot = Duration::from_millis(50);
    let limits = RegistryLimits { uploads_at_once: 8, wait_for_slot, ..RegistryLimits::default() };
    let test = TestRegistry::with_limits(limits).await;
    let (mallory, bob, demo) = (publisher("mallory"), publisher("bob"), artifact("demo"));
    let begin = |caller| test.registry.begin_body(ArtifactKind::Facet, &demo, caller, None);
    let (first, _second) = (begin(&mallory).await.unwrap(), begin(&mallory).await.unwrap());
    for _ in 0..8 {
        let problem = begin(&mallory).await.map(drop).unwrap_err().problem();
        assert_eq!((problem.status, problem.code), (429, "E_QUEUE_FULL"), "{problem:?}");
        assert!(problem.retry_after.is_some());
    }
    assert!(begin(&bob).await.is_ok());
    drop(first);
    assert!(begin(&mallory).await.is_ok(), "one of the two ended");
}
