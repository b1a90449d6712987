//! A registry with many versions, made without a request for each: one name is published as a registry
//! publishes it, and its rows are copied under other names.

use std::path::{Path, PathBuf};
use std::time::Duration;

use facets_blobs::{BlobLimits, Blobs, BlobsUrl};
use facets_catalog::{
    ArtifactKind, AssetCounts, AuditWho, Catalog, CatalogUrl, Migrate, Moment, NewUpload,
    NewVersion, Owner, PublishOutcome, UploadStart, VersionRecord,
};
use facets_digest::Digest;
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, Sqlite};

use crate::packing::noise;

const USAGE: &str = "fill-registry DATA NAMES";

/// The name that is copied. The others have another number; five digits are enough for all of them.
const ORIGINAL: &str = "bench-00000";
const DESCRIPTION: &str = "Reviews code and lists what to change";
/// Versions of each name: 1.0.0, 1.1.0 and so on.
const VERSIONS: u32 = 10;
/// Bytes of the archive that all versions share.
const ARCHIVE: usize = 64 << 10;
const NOW: Moment = Moment(1_750_000_000_000);

/// The names of the copies, with the digits that tell them apart.
const NUMBER: &str = "INSERT INTO copies (digits, name) \
     WITH RECURSIVE numbers (number) AS \
     (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < $1) \
     SELECT printf('%05d', number), printf('bench-%05d', number) FROM numbers";

/// What a publish writes, for each copy. A word that begins with zeros is a beginning of the number.
const COPY: [&str; 6] = [
    "INSERT INTO names (kind, name, owner, lookalike, claimed_at) \
     SELECT n.kind, c.name, n.owner, \
     replace(replace(replace(c.name, '-', ''), '0', 'o'), '1', 'l'), n.claimed_at \
     FROM copies c CROSS JOIN names n WHERE n.name = 'bench-00000'",
    "INSERT INTO latest (kind, name, ordering) SELECT l.kind, c.name, l.ordering \
     FROM copies c CROSS JOIN latest l WHERE l.name = 'bench-00000'",
    "INSERT INTO versions (kind, name, ordering, version, is_prerelease, content_hash, integrity, \
     size, agents, commands, servers, skills, owner, published_at, upload, author, description, \
     manifest) \
     SELECT v.kind, c.name, v.ordering, v.version, v.is_prerelease, v.content_hash, \
     'sha256:' || lower(hex(randomblob(32))), v.size, v.agents, v.commands, v.servers, v.skills, \
     v.owner, v.published_at, v.upload, v.author, v.description, \
     replace(v.manifest, 'bench-00000', c.name) \
     FROM copies c CROSS JOIN versions v WHERE v.kind = 'facet' AND v.name = 'bench-00000'",
    "INSERT INTO search_words (kind, word, name) SELECT w.kind, \
     CASE WHEN w.word GLOB '0*' THEN substr(c.digits, 1, length(w.word)) ELSE w.word END, c.name \
     FROM search_words w CROSS JOIN copies c WHERE w.name = 'bench-00000'",
    "INSERT INTO blob_uses (digest, what, size) \
     SELECT b.digest, replace(b.what, 'bench-00000', c.name), b.size \
     FROM blob_uses b CROSS JOIN copies c WHERE b.what LIKE 'facet bench-00000@%'",
    "INSERT INTO audit (happened_at, id, owner, token_id, action, subject, detail) \
     SELECT a.happened_at, lower(hex(randomblob(16))), a.owner, a.token_id, a.action, \
     replace(a.subject, 'bench-00000', c.name), a.detail \
     FROM audit a CROSS JOIN copies c WHERE a.subject LIKE 'facet bench-00000@%'",
];

/// Fills the data directory of a registry that does not run.
pub(crate) fn run(data: &str, names: &str) {
    let names: u32 = names.parse().expect(USAGE);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(fill(Path::new(data), names));
}

async fn fill(data: &Path, names: u32) {
    let archive = store_archive(data).await;
    publish_original(data, archive).await;
    copy_original(data, names.saturating_sub(1)).await;
}

async fn store_archive(data: &Path) -> Digest {
    let url = BlobsUrl::Files(data.join("blobs"));
    let blobs = Blobs::open(&url, None, BlobLimits::default()).expect("a directory can be made");
    let content = noise(ARCHIVE);
    let digest = Digest::of(&content);
    blobs.put_bytes(&digest, content.into()).await.expect("the archive is stored");
    digest
}

fn catalog_file(data: &Path) -> PathBuf {
    data.join("catalog.sqlite")
}

async fn publish_original(data: &Path, archive: Digest) {
    let url = CatalogUrl::Sqlite(catalog_file(data));
    let catalog = Catalog::open(&url, Migrate::Yes).await.expect("a catalog can be made");
    for minor in 0..VERSIONS {
        let upload = NewUpload {
            id: format!("original-{minor}"),
            digests: vec![archive],
            owner: owner(),
            expires: NOW.plus(Duration::from_mins(1)),
        };
        let started = catalog.begin_upload(&upload, NOW).await.expect("an upload begins");
        assert_eq!(started, UploadStart::Started);
        let new = NewVersion {
            record: record(minor, archive),
            upload: upload.id,
            job: None,
            audit: AuditWho { owner: owner(), token_id: None },
        };
        let outcome = catalog.publish(&new, NOW).await.expect("a version is published");
        assert_eq!(outcome, PublishOutcome::Inserted);
    }
}

fn owner() -> Owner {
    "bench".parse().expect("it is an owner")
}

fn record(minor: u32, archive: Digest) -> VersionRecord {
    let manifest = format!(
        r#"{{"description":"{DESCRIPTION}","name":"{ORIGINAL}","skills":{{"review":{{"description":"Reviews code"}}}},"version":"1.{minor}.0"}}"#
    );
    VersionRecord {
        kind: ArtifactKind::Facet,
        name: ORIGINAL.parse().expect("it is a name"),
        version: format!("1.{minor}.0").parse().expect("it is a version"),
        content_hash: archive,
        integrity: Digest::of(manifest.as_bytes()),
        size: ARCHIVE as u64,
        manifest,
        description: Some(DESCRIPTION.to_owned()),
        author: None,
        assets: AssetCounts { skills: 1, ..AssetCounts::default() },
        owner: owner(),
        published_at: NOW,
        yanked: None,
        server: None,
    }
}

/// One transaction that waits for no disk: a publish for each would take minutes.
async fn copy_original(data: &Path, copies: u32) {
    if copies == 0 {
        return;
    }
    let options = SqliteConnectOptions::new().filename(catalog_file(data));
    let options = options.synchronous(SqliteSynchronous::Off);
    let mut connection = options.connect().await.expect("the catalog can be opened");
    let begin =
        ["BEGIN IMMEDIATE", "CREATE TEMP TABLE copies (digits TEXT NOT NULL, name TEXT NOT NULL)"];
    for sql in begin {
        sqlx::query::<Sqlite>(sql).execute(&mut connection).await.expect("a transaction begins");
    }
    let number = sqlx::query::<Sqlite>(NUMBER).bind(i64::from(copies));
    number.execute(&mut connection).await.expect("copies get their names");
    for sql in COPY {
        sqlx::query::<Sqlite>(sql)
            .execute(&mut connection)
            .await
            .expect("the tables are as they were");
    }
    // The registry is to begin with an empty journal, as one that has run for a while.
    for sql in ["COMMIT", "PRAGMA wal_checkpoint(TRUNCATE)"] {
        sqlx::query::<Sqlite>(sql).execute(&mut connection).await.expect("the copies are stored");
    }
    connection.close().await.expect("the catalog can be closed");
}

#[cfg(test)]
mod tests {
    use facets_catalog::Wanted;

    use super::*;

    #[tokio::test]
    async fn copies_are_found_as_published_versions_are() {
        let data = std::env::temp_dir().join(format!("facets-bench-fill-{}", std::process::id()));
        fill(&data, 12).await;
        let url = CatalogUrl::Sqlite(catalog_file(&data));
        let catalog = Catalog::open(&url, Migrate::No).await.unwrap();
        let (kind, name) = (ArtifactKind::Facet, "bench-00011".parse().unwrap());
        let wanted = Wanted::AtLeast("1.3.0".parse().unwrap());
        let found = catalog.find(kind, &name, &wanted).await.unwrap().unwrap();
        assert_eq!(found.version.to_string(), "1.9.0");
        assert!(found.manifest.contains("\"bench-00011\""), "{}", found.manifest);
        for (query, count) in [("bench-00011", 1), ("0001", 2), ("reviews", 12)] {
            let page = catalog.search(kind, query, None, 100).await.unwrap();
            assert_eq!(page.items.len(), count, "{query}");
        }
        let names = catalog.names(kind, None, None, 100).await.unwrap();
        assert_eq!(names.items.len(), 12);
        std::fs::remove_dir_all(&data).unwrap();
    }
}
