//! Tables that are made once, and only by who may.

use facets_catalog::{Catalog, CatalogError, CatalogUrl, Migrate, Wanted};

use crate::support::{FACET, Scene, facet, name};

on_both![
    tables_are_made_only_when_asked_for,
    two_openers_at_once_make_tables_once,
    newer_tables_are_refused,
    a_clone_and_a_replica_see_the_same,
    a_backup_is_a_catalog,
];

async fn tables_are_made_only_when_asked_for(scene: Scene) {
    let before = scene.catalog.schema().await.unwrap();
    assert_eq!((before.applied, before.is_current()), (0, false));
    let missing = scene.catalog.find(FACET, &name("demo"), &Wanted::Latest).await;
    assert!(matches!(missing, Err(CatalogError::Failed { .. })), "{missing:?}");
    assert_eq!(scene.catalog.migrate().await.unwrap(), before.pending);
    assert_eq!(scene.catalog.migrate().await.unwrap(), [""; 0]);
    let after = scene.catalog.schema().await.unwrap();
    assert_eq!((after.applied, after.is_current()), (before.known, true));
    scene.catalog.ping().await.unwrap();
}

async fn two_openers_at_once_make_tables_once(scene: Scene) {
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let url = scene.url.clone();
        tasks.push(tokio::spawn(async move {
            let catalog = Catalog::open(&url, Migrate::No).await?;
            catalog.migrate().await
        }));
    }
    let mut names = Vec::new();
    for task in tasks {
        names.extend(task.await.unwrap().unwrap());
    }
    assert_eq!(names, ["first-tables", "owner-turns"]);
    let both = Catalog::open(&scene.url, Migrate::Yes).await.unwrap();
    assert!(both.schema().await.unwrap().is_current());
}

async fn newer_tables_are_refused(scene: Scene) {
    let scene = scene.ready().await;
    scene.execute("INSERT INTO schema_version (number, name) VALUES (999, 'future')").await;
    for migrate in [Migrate::No, Migrate::Yes] {
        let refused = Catalog::open(&scene.url, migrate).await;
        let is_newer = matches!(refused, Err(CatalogError::NewerSchema { found: 999, known: 2 }));
        assert!(is_newer, "{refused:?}");
    }
}

async fn a_clone_and_a_replica_see_the_same(scene: Scene) {
    let scene = scene.ready().await;
    let replica = scene.replica().await;
    scene.publish(facet("demo", "1.0.0")).await;
    for catalog in [&scene.catalog.clone(), &replica] {
        let found = catalog.find(FACET, &name("demo"), &Wanted::Latest).await.unwrap();
        assert_eq!(found, Some(facet("demo", "1.0.0")));
    }
    assert!(!format!("{replica:?}").contains("test@"), "no address in {replica:?}");
}

async fn a_backup_is_a_catalog(scene: Scene) {
    let scene = scene.ready().await;
    scene.publish(facet("demo", "1.0.0")).await;
    if !scene.is_sqlite() {
        let refused = scene.catalog.backup("backup".as_ref()).await;
        assert!(matches!(refused, Err(CatalogError::BackupUnsupported)), "{refused:?}");
        return;
    }
    let file = scene.folder().join("it's a backup.sqlite");
    scene.catalog.backup(&file).await.unwrap();
    scene.publish(facet("demo", "2.0.0")).await;
    let copy = Catalog::open(&CatalogUrl::Sqlite(file.clone()), Migrate::No).await.unwrap();
    let found = copy.find(FACET, &name("demo"), &Wanted::Latest).await.unwrap();
    assert_eq!(found, Some(facet("demo", "1.0.0")));
    let refused = scene.catalog.backup(&file).await;
    assert!(matches!(refused, Err(CatalogError::BackupFailed { .. })), "{refused:?}");
    let nowhere = scene.folder().join("none/backup.sqlite");
    let refused = scene.catalog.backup(&nowhere).await;
    assert!(matches!(refused, Err(CatalogError::BackupFailed { .. })), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_file_is_made_by_several_openers_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = CatalogUrl::Sqlite(folder.path().join("new.sqlite"));
    let open = |url: CatalogUrl| async move { Catalog::open(&url, Migrate::Yes).await };
    let tasks: Vec<_> = (0..8).map(|_| tokio::spawn(open(url.clone()))).collect();
    for task in tasks {
        let catalog = task.await.unwrap().unwrap();
        assert!(catalog.schema().await.unwrap().is_current());
    }
}

#[tokio::test]
async fn addresses_that_lead_nowhere_are_noticed_on_opening() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = CatalogUrl::Sqlite(folder.path().join("none/catalog.sqlite"));
    let refused = Catalog::open(&nowhere, Migrate::Yes).await;
    assert!(matches!(refused, Err(CatalogError::Unavailable { .. })), "{refused:?}");
    let file = folder.path().join("text");
    std::fs::write(&file, "this is not a database, and long enough to be sure of it").unwrap();
    let refused = Catalog::open(&CatalogUrl::Sqlite(file), Migrate::Yes).await;
    assert!(matches!(refused, Err(CatalogError::Damaged { .. })), "{refused:?}");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let unused = CatalogUrl::Postgres(format!("postgres://test@127.0.0.1:{port}/none"));
    let refused = Catalog::open(&unused, Migrate::Yes).await;
    assert!(matches!(refused, Err(CatalogError::Unavailable { .. })), "{refused:?}");
}
