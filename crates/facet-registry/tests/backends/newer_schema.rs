//! A catalog that a newer version has written.

use std::process::Stdio;

use sqlx::Connection as _;

use crate::backend::{Backend, Site, on_both};
use crate::node::{Node, SERVE};

#[test]
fn a_catalog_with_newer_tables_is_refused() {
    on_both(refuse);
}

fn refuse(backend: &Backend) {
    let site = backend.site();
    drop(Node::start(&site, &[]));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(execute(&site));
    let started = Node::try_start(site.program().args(SERVE).stderr(Stdio::null()));
    assert!(started.is_none(), "it serves");
    for words in [&["check"][..], &["migrate"], &["gc"], &["token", "list"]] {
        let refused = site.run(words);
        assert_eq!((refused.exit, &*refused.stdout), (2, ""), "{words:?}");
        assert!(refused.stderr.contains("[catalog-newer-schema]"), "{}", refused.stderr);
    }
}

/// Does what a migration of a newer version would.
async fn execute(site: &Site) {
    const NEWER: &str = "INSERT INTO schema_version (number, name) VALUES (999, 'future')";
    if let Some(address) = site.database() {
        let mut connection = sqlx::PgConnection::connect(address).await.unwrap();
        sqlx::raw_sql(NEWER).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    } else {
        let address = format!("sqlite:{}", site.data().join("catalog.sqlite").display());
        let mut connection = sqlx::SqliteConnection::connect(&address).await.unwrap();
        sqlx::raw_sql(NEWER).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}
