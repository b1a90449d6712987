//! A database that goes away and comes back.

use std::time::{Duration, Instant};

use facets_catalog::{Catalog, CatalogError, CatalogUrl, Migrate, PublishOutcome, Wanted};
use facets_testkit::Postgres;
use sqlx::Connection as _;

use crate::support::{FACET, NOW, Scene, facet, name, on_sqlite};

/// The longest that anything may take.
const LONGEST: Duration = Duration::from_secs(20);

#[test]
fn a_server_that_crashes_is_unavailable_until_it_is_back() {
    // Not the one of the other tests.
    let Some(server) = Postgres::start() else { return };
    let url = CatalogUrl::Postgres(server.create_database("outage"));
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(crash_and_return(&server, url));
}

async fn crash_and_return(server: &Postgres, url: CatalogUrl) {
    let catalog = Catalog::open(&url, Migrate::Yes).await.unwrap();
    let scene = Scene::of(catalog, url);
    scene.publish_all("demo", &["1.0.0"]).await;
    let next = scene.uploaded(facet("demo", "1.1.0")).await;
    // Several connections are open, and all of them break.
    let latest = Wanted::Latest;
    let find = || scene.found("demo", &latest);
    tokio::join!(find(), find(), find(), find());
    server.crash();
    let began = Instant::now();
    let read = scene.catalog.find(FACET, &name("demo"), &Wanted::Latest).await;
    assert!(matches!(read, Err(CatalogError::Unavailable { .. })), "{read:?}");
    let written = scene.catalog.publish(&next, NOW).await;
    assert!(matches!(written, Err(CatalogError::Unavailable { .. })), "{written:?}");
    let answer = scene.catalog.ping().await;
    assert!(matches!(answer, Err(CatalogError::Unavailable { .. })), "{answer:?}");
    assert!(began.elapsed() < LONGEST, "waits are bounded");
    server.restart();
    scene.catalog.ping().await.unwrap();
    let found = scene.found("demo", &Wanted::Latest).await;
    assert_eq!(found.as_deref(), Some("1.0.0"), "what was acknowledged is there");
    let outcome = scene.catalog.publish(&next, NOW).await.unwrap();
    assert_eq!(outcome, PublishOutcome::Inserted);
    // Connections that broke while they were idle are replaced without an error.
    server.crash();
    server.restart();
    assert_eq!(scene.found("demo", &Wanted::Latest).await.as_deref(), Some("1.1.0"));
    scene.publish_all("demo", &["1.2.0"]).await;
}

#[test]
fn a_file_that_another_process_locks_is_unavailable_for_writers_only() {
    on_sqlite(lock_and_release);
}

async fn lock_and_release(scene: Scene) {
    let scene = scene.ready().await;
    scene.publish_all("demo", &["1.0.0"]).await;
    let next = scene.uploaded(facet("demo", "1.1.0")).await;
    let address = format!("sqlite:{}", scene.folder().join("catalog.sqlite").display());
    let mut other = sqlx::SqliteConnection::connect(&address).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let began = Instant::now();
    let written = scene.catalog.publish(&next, NOW).await;
    assert!(matches!(written, Err(CatalogError::Unavailable { .. })), "{written:?}");
    assert!(began.elapsed() < LONGEST, "waits are bounded");
    assert_eq!(scene.found("demo", &Wanted::Latest).await.as_deref(), Some("1.0.0"));
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    let outcome = scene.catalog.publish(&next, NOW).await.unwrap();
    assert_eq!(outcome, PublishOutcome::Inserted);
}

#[test]
fn a_caller_that_goes_away_leaves_no_lock() {
    on_sqlite(cancel_publishes);
}

async fn cancel_publishes(scene: Scene) {
    let scene = scene.ready().await;
    for number in 0..20_u64 {
        let new = scene.uploaded(facet("demo", &format!("1.0.{number}"))).await;
        let publish = scene.catalog.publish(&new, NOW);
        let _ = tokio::time::timeout(Duration::from_micros(number * 50), publish).await;
    }
    scene.publish_all("demo", &["2.0.0"]).await;
    assert_eq!(scene.found("demo", &Wanted::Latest).await.as_deref(), Some("2.0.0"));
    // A version that is visible is so with all that belongs to it.
    let demo = name("demo");
    let versions = scene.catalog.versions(FACET, &demo, None, 100).await.unwrap().items;
    for item in versions {
        let digest = item.content_hash;
        assert!(scene.catalog.is_referenced(&digest, NOW).await.unwrap());
    }
}
