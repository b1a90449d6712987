//! Damage, collection and backups.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::time::{Duration, Instant};

use bytes::Bytes;
use facets_blobs::{BlobLimits, Blobs, BlobsUrl, S3Credentials};
use facets_digest::Digest;
use facets_registry::{
    ArtifactKind, DamageKind, GcOptions, NoUpkeepProgress, PublishAnswer, RegistryLimits,
};

use crate::support::{
    TestRegistry, artifact, code, created, exact, facet, open, open_on, publish, publisher,
    read_all, reordered, server,
};

/// Everything, however young.
const EVERYTHING: GcOptions = GcOptions { older_than: Duration::ZERO, dry_run: false };

/// Long enough that files are older than now.
async fn moment() {
    tokio::time::sleep(Duration::from_millis(20)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_bytes_are_reported_not_served_and_repaired_by_the_same_publish() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let record = created(test.publish_facet(("demo", "1.0.0"), "text", &alice).await);
    let clean = test.registry.check(&NoUpkeepProgress).await.unwrap();
    assert!(clean.is_clean());
    assert_eq!((clean.versions, clean.blobs, clean.bytes), (1, 1, record.size));
    let path = test.blob(&record.content_hash);
    let good = fs::read(&path).unwrap();
    let mut bad = good.clone();
    bad[700] ^= 1;
    for damage in [DamageKind::Damaged, DamageKind::Absent] {
        fs::remove_file(&path).unwrap();
        if damage == DamageKind::Damaged {
            fs::write(&path, &bad).unwrap();
        }
        let report = test.registry.check(&NoUpkeepProgress).await.unwrap();
        let [found] = &*report.damaged else { panic!("{report:?}") };
        assert_eq!((found.digest, found.kind), (record.content_hash, damage));
        assert!(found.what.contains("demo"), "{found:?}");
        let restarted = test.restarted().await;
        assert_eq!(code(restarted.archive(&record, None).await), "E_DAMAGED");
        assert_eq!(code(restarted.contents(&record).await), "E_DAMAGED");
        let again = test.publish_facet(("demo", "1.0.0"), "text", &alice).await.unwrap();
        assert!(matches!(again, PublishAnswer::Same(_)), "{again:?}");
        assert_eq!(fs::read(&path).unwrap(), good);
        assert!(test.registry.check(&NoUpkeepProgress).await.unwrap().is_clean());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_archive_is_not_replaced_by_other_bytes_of_the_same_content() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let archive = facet("demo", "1.0.0", "text");
    let other = reordered(&archive);
    let kind = ArtifactKind::Facet;
    let record = created(publish(&test.registry, kind, "demo", &archive, &alice).await);
    let same = publish(&test.registry, kind, "demo", &other, &alice).await;
    assert!(matches!(same, Ok(PublishAnswer::Same(_))), "{same:?}");
    fs::remove_file(test.blob(&record.content_hash)).unwrap();
    let refused = publish(&test.registry, kind, "demo", &other, &alice).await;
    let problem = refused.unwrap_err().problem();
    assert_eq!((problem.status, problem.code), (409, "E_VERSION_EXISTS"));
    assert!(problem.fix.contains(&record.content_hash.to_string()), "{problem:?}");
    let same = publish(&test.registry, kind, "demo", &archive, &alice).await;
    assert!(matches!(same, Ok(PublishAnswer::Same(_))), "{same:?}");
    assert!(test.registry.check(&NoUpkeepProgress).await.unwrap().is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn collection_removes_orphans_only() {
    let test = TestRegistry::with_limits(crate::support::impatient()).await;
    let alice = publisher("alice");
    let record = created(test.publish_facet(("demo", "1.0.0"), "text", &alice).await);
    let archive = server("demo", "1.0.0", "1");
    let queued = publish(&test.registry, ArtifactKind::Server, "demo", &archive, &alice).await;
    assert!(matches!(queued.unwrap(), PublishAnswer::Accepted { .. }));
    let orphan = Bytes::from_static(b"a publish that was killed");
    test.blobs.put_bytes(&Digest::of(&orphan), orphan.clone()).await.unwrap();
    moment().await;
    let young = test.registry.gc(&GcOptions::default(), &NoUpkeepProgress).await.unwrap();
    assert_eq!((young.removed, young.kept), (0, 3));
    let dry = GcOptions { dry_run: true, ..EVERYTHING };
    let dry = test.registry.gc(&dry, &NoUpkeepProgress).await.unwrap();
    assert_eq!((dry.removed, dry.bytes, dry.kept), (1, orphan.len() as u64, 2));
    assert_eq!(test.count_files("blobs"), 3);
    let report = test.registry.gc(&EVERYTHING, &NoUpkeepProgress).await.unwrap();
    assert_eq!((report.removed, report.bytes, report.kept), (1, orphan.len() as u64, 2));
    assert!(!test.blob(&Digest::of(&orphan)).exists());
    assert!(test.blob(&record.content_hash).exists(), "it is published");
    assert!(test.blob(&Digest::of(&archive)).exists(), "it waits to be probed");
    assert!(test.registry.check(&NoUpkeepProgress).await.unwrap().is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_dead_processes_are_removed_unless_another_process_lives() {
    let test = TestRegistry::new().await;
    fs::write(test.path("uploads/upload-dead"), "x").unwrap();
    fs::create_dir_all(test.path("probes/run-dead/files")).unwrap();
    let second = test.restarted().await;
    assert_eq!(second.remove_leftovers().await.unwrap(), 0, "they may be of the first");
    drop(second);
    assert_eq!(test.registry.remove_leftovers().await.unwrap(), 2);
    assert!(!test.path("uploads/upload-dead").exists());
    assert!(!test.path("probes/run-dead").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn publishing_while_everything_is_collected_loses_nothing() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    // Their blobs are there already, old and without a version, when they are published.
    let archives: Vec<Vec<u8>> = (0..30)
        .map(|number| facet("demo", &format!("1.0.{number}"), &format!("text {number}")))
        .collect();
    for archive in &archives {
        let bytes = Bytes::copy_from_slice(archive);
        test.blobs.put_bytes(&Digest::of(&bytes), bytes).await.unwrap();
    }
    moment().await;
    let publishes = archives
        .iter()
        .map(|archive| publish(&test.registry, ArtifactKind::Facet, "demo", archive, &alice));
    let collections = async {
        for _ in 0..5 {
            test.registry.gc(&EVERYTHING, &NoUpkeepProgress).await.unwrap();
        }
    };
    let publishes = futures_util::future::join_all(publishes);
    let (answers, ()) = tokio::join!(publishes, collections);
    for answer in answers {
        created(answer);
    }
    let report = test.registry.check(&NoUpkeepProgress).await.unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((report.versions, report.blobs), (30, 30));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_a_registry() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let archive = facet("demo", "1.0.0", "text");
    let kind = ArtifactKind::Facet;
    let record = created(publish(&test.registry, kind, "demo", &archive, &alice).await);
    let copy = tempfile::tempdir().unwrap();
    let place = copy.path().join("copy");
    let report = test.registry.backup(&place).await.unwrap();
    assert_eq!((report.blobs, report.bytes), (1, record.size));
    assert_eq!(code(test.registry.backup(&place).await), "E_BAD_REQUEST", "it is not empty");
    created(test.publish_facet(("demo", "1.0.1"), "later", &alice).await);
    let (restored, _) = open(&place, RegistryLimits::default()).await;
    let found = restored.version(kind, &artifact("demo"), &exact("1.0.0")).await.unwrap();
    assert_eq!(found, record);
    assert_eq!(read_all(restored.archive(&found, None).await.unwrap()).await, archive);
    let later = restored.version(kind, &artifact("demo"), &exact("1.0.1")).await;
    assert_eq!(code(later), "E_NOT_FOUND");
    assert!(restored.check(&NoUpkeepProgress).await.unwrap().is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_never_answers_is_reported_within_seconds() {
    // The system accepts connections for it; nothing reads from them.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let url = format!("s3://bucket/prefix?endpoint=http://{address}&region=none");
    let credentials = S3Credentials {
        access_key: "key".to_owned(),
        secret_key: "secret".to_owned(),
        session: None,
    };
    let url: BlobsUrl = url.parse().unwrap();
    let blobs = Blobs::open(&url, Some(&credentials), BlobLimits::default()).unwrap();
    let place = tempfile::tempdir().unwrap();
    let registry = open_on(place.path(), blobs, RegistryLimits::default()).await;
    let begin = Instant::now();
    let readiness = registry.ready().await;
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!(readiness.catalog, None);
    assert_eq!(readiness.blobs.as_deref(), Some("no answer in 2 s"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_goes_on_without_damaged_blobs_and_lists_them() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let mut records = Vec::new();
    for version in ["1.0.0", "1.0.1", "1.0.2"] {
        records.push(created(test.publish_facet(("demo", version), version, &alice).await));
    }
    fs::remove_file(test.blob(&records[0].content_hash)).unwrap();
    let damaged = test.blob(&records[1].content_hash);
    fs::remove_file(&damaged).unwrap();
    fs::write(&damaged, b"other bytes").unwrap();
    let copy = tempfile::tempdir().unwrap();
    let place = copy.path().join("copy");
    // In a process that has no archive in memory.
    let report = test.restarted().await.backup(&place).await.unwrap();
    assert_eq!((report.blobs, report.bytes), (1, records[2].size));
    let mut found: Vec<(&str, DamageKind)> =
        report.damaged.iter().map(|damage| (damage.what.as_str(), damage.kind)).collect();
    found.sort_unstable_by_key(|(what, _)| *what);
    let expected = [
        ("facet demo@1.0.0 archive", DamageKind::Absent),
        ("facet demo@1.0.1 archive", DamageKind::Damaged),
    ];
    assert_eq!(found, expected);
    let (restored, _) = open(&place, RegistryLimits::default()).await;
    assert!(restored.archive(&records[2], None).await.is_ok());
    assert_eq!(code(restored.archive(&records[1], None).await), "E_DAMAGED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_fails_leaves_nothing() {
    let test = TestRegistry::new().await;
    let copy = tempfile::tempdir().unwrap();
    // SQLite takes no such path.
    let place = copy.path().join(OsStr::from_bytes(b"not-utf8-\xff"));
    assert!(test.registry.backup(&place).await.is_err());
    assert!(!place.exists());
    fs::create_dir(&place).unwrap();
    assert!(test.registry.backup(&place).await.is_err());
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "it was there before, and stays");
}
