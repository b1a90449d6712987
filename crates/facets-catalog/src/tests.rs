//! Readers never walk through a table.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Row as _};

use crate::catalog::{Catalog, Migrate};
use crate::{CatalogUrl, names, search, versions};

#[tokio::test]
async fn readers_find_rows_by_indexes_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let url = CatalogUrl::Sqlite(folder.path().to_owned());
    drop(Catalog::open(&url, Migrate::Yes).await.unwrap());
    let file = folder.path().join("catalog.sqlite");
    let mut connection = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    let reads = [
        versions::EXACT,
        versions::HIGHEST,
        versions::HIGHEST_ABOVE_PRERELEASE,
        versions::LIST,
        names::LIST,
    ];
    for sql in reads.into_iter().chain(search::STATEMENTS) {
        let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"));
        let rows = sqlx::query(explain).fetch_all(&mut connection).await.unwrap();
        let steps: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
        assert!(steps.iter().any(|step| step.starts_with("SEARCH ")), "{sql}\n{steps:#?}");
        for step in &steps {
            let walks = step.starts_with("SCAN ") || step.contains("TEMP B-TREE");
            assert!(!walks && !step.contains("AUTOMATIC"), "{sql}\n{steps:#?}");
        }
    }
}
