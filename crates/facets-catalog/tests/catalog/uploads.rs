//! No blob is removed that is needed, or about to be.

use std::time::Duration;

use facets_catalog::{CatalogError, Condemned, NewUpload, PublishOutcome, UploadStart, Wanted};
use facets_digest::Digest;

use crate::support::{LATER, NOW, Scene, facet, fresh_id, owner, server};

on_both![
    an_upload_keeps_its_blobs_until_it_ends_or_expires,
    a_version_keeps_its_blobs_for_ever,
    a_condemned_blob_is_not_uploaded_before_it_is_absolved,
    a_condemnation_lapses,
    a_publish_after_its_blobs_were_condemned_is_refused,
    uploads_and_removals_at_once_never_both_succeed,
    publishes_and_removals_at_once_never_both_succeed,
];

fn upload(digests: &[Digest]) -> NewUpload {
    let (id, digests) = (fresh_id(), digests.to_vec());
    NewUpload { id, digests, owner: owner("acme"), expires: LATER }
}

async fn an_upload_keeps_its_blobs_until_it_ends_or_expires(scene: Scene) {
    let scene = scene.ready().await;
    let catalog = &scene.catalog;
    let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
    let started = upload(&[two, one, two]);
    assert_eq!(catalog.begin_upload(&started, NOW).await.unwrap(), UploadStart::Started);
    for digest in [&one, &two] {
        assert!(catalog.is_referenced(digest, NOW).await.unwrap());
        assert_eq!(catalog.condemn(digest, NOW).await.unwrap(), Condemned::No);
        assert!(!catalog.is_referenced(digest, LATER).await.unwrap(), "it has expired");
    }
    // Begun again, it ends later.
    let until = LATER.plus(Duration::from_secs(1));
    let longer = NewUpload { expires: until, ..started.clone() };
    assert_eq!(catalog.begin_upload(&longer, NOW).await.unwrap(), UploadStart::Started);
    assert_eq!(catalog.condemn(&one, LATER).await.unwrap(), Condemned::No);
    catalog.end_upload(&started.id).await.unwrap();
    assert!(!catalog.is_referenced(&one, NOW).await.unwrap());
    assert_eq!(catalog.condemn(&one, NOW).await.unwrap(), Condemned::Yes);
    catalog.end_upload("none").await.unwrap();
}

async fn a_version_keeps_its_blobs_for_ever(scene: Scene) {
    let scene = scene.ready().await;
    let record = server("demo", "1.0.0");
    scene.publish(record.clone()).await;
    let surface = record.server.unwrap().surface_file;
    for digest in [&record.content_hash, &surface] {
        assert!(scene.catalog.is_referenced(digest, LATER).await.unwrap());
        assert_eq!(scene.catalog.condemn(digest, LATER).await.unwrap(), Condemned::No);
    }
    let other = Digest::of(b"other");
    assert!(!scene.catalog.is_referenced(&other, NOW).await.unwrap());
}

async fn a_condemned_blob_is_not_uploaded_before_it_is_absolved(scene: Scene) {
    let scene = scene.ready().await;
    let catalog = &scene.catalog;
    let (blob, other) = (Digest::of(b"blob"), Digest::of(b"other"));
    assert_eq!(catalog.condemn(&blob, NOW).await.unwrap(), Condemned::Yes);
    let again = catalog.condemn(&blob, NOW).await.unwrap();
    assert_eq!(again, Condemned::No, "one removal at a time");
    let start = upload(&[other, blob]);
    assert_eq!(catalog.begin_upload(&start, NOW).await.unwrap(), UploadStart::Condemned);
    assert!(!catalog.is_referenced(&other, NOW).await.unwrap(), "nothing of it was begun");
    catalog.absolve(&blob).await.unwrap();
    assert_eq!(catalog.begin_upload(&start, NOW).await.unwrap(), UploadStart::Started);
    catalog.absolve(&other).await.unwrap();
}

async fn a_condemnation_lapses(scene: Scene) {
    let scene = scene.ready().await;
    let catalog = &scene.catalog;
    let blob = Digest::of(b"blob");
    assert_eq!(catalog.condemn(&blob, NOW).await.unwrap(), Condemned::Yes);
    let soon = NOW.plus(Duration::from_mins(9));
    let start = upload(&[blob]);
    assert_eq!(catalog.begin_upload(&start, soon).await.unwrap(), UploadStart::Condemned);
    let late = NOW.plus(Duration::from_mins(10));
    assert_eq!(catalog.begin_upload(&start, late).await.unwrap(), UploadStart::Started);
}

async fn a_publish_after_its_blobs_were_condemned_is_refused(scene: Scene) {
    let scene = scene.ready().await;
    let new = scene.uploaded(facet("demo", "1.0.0")).await;
    // The clock of another replica is ahead.
    let condemned = scene.catalog.condemn(&new.record.content_hash, LATER).await.unwrap();
    assert_eq!(condemned, Condemned::Yes);
    let outcome = scene.catalog.publish(&new, NOW).await;
    assert!(matches!(outcome, Err(CatalogError::Unavailable { .. })), "{outcome:?}");
    assert_eq!(scene.found("demo", &Wanted::Latest).await, None);
}

async fn uploads_and_removals_at_once_never_both_succeed(scene: Scene) {
    let scene = scene.ready().await;
    let (uploader, remover) = (scene.replica().await, scene.replica().await);
    for number in 0..20 {
        let digest = Digest::of(format!("blob {number}").as_bytes());
        let start = upload(&[digest]);
        let (began, condemned) =
            tokio::join!(uploader.begin_upload(&start, NOW), remover.condemn(&digest, NOW));
        let outcome = (began.unwrap(), condemned.unwrap());
        let expected =
            [(UploadStart::Started, Condemned::No), (UploadStart::Condemned, Condemned::Yes)];
        assert!(expected.contains(&outcome), "{outcome:?}");
    }
}

async fn publishes_and_removals_at_once_never_both_succeed(scene: Scene) {
    let scene = scene.ready().await;
    let (first, second) = (scene.replica().await, scene.replica().await);
    for number in 0..20 {
        let new = scene.uploaded(facet("demo", &format!("1.0.{number}"))).await;
        let digest = new.record.content_hash;
        // For the remover the upload has expired.
        let (published, condemned) =
            tokio::join!(first.publish(&new, NOW), second.condemn(&digest, LATER));
        match condemned.unwrap() {
            Condemned::Yes => assert!(published.is_err(), "{published:?}"),
            Condemned::No => assert_eq!(published.unwrap(), PublishOutcome::Inserted),
        }
    }
}
