//! A catalog of the test's own, and things to put into it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use facets_catalog::{
    ArtifactKind, AssetCounts, AuditWho, Catalog, CatalogUrl, Migrate, Moment, NewUpload,
    NewVersion, Owner, PublishOutcome, ServerRecord, UploadStart, VersionRecord, Wanted,
    YankOutcome,
};
use facets_digest::Digest;
use facets_model::{ArtifactName, Version};
use facets_testkit::Postgres;
use sqlx::Connection as _;
use tempfile::TempDir;

pub(crate) const FACET: ArtifactKind = ArtifactKind::Facet;
pub(crate) const SERVER: ArtifactKind = ArtifactKind::Server;
pub(crate) const NOW: Moment = Moment(1_000_000);
pub(crate) const LATER: Moment = Moment(2_000_000_000);

/// A number that no other test has.
fn next_number() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// A name for an upload, a job or a token.
pub(crate) fn fresh_id() -> String {
    format!("{:032x}", next_number())
}

/// A catalog of the test's own.
pub(crate) struct Scene {
    pub(crate) catalog: Catalog,
    pub(crate) url: CatalogUrl,
    folder: Option<TempDir>,
}

pub(crate) fn on_sqlite<F: Future<Output = ()>>(test: impl FnOnce(Scene) -> F) {
    let folder = tempfile::tempdir().unwrap();
    let url = CatalogUrl::Sqlite(folder.path().to_owned());
    run(url, Some(folder), test);
}

/// All tests share one server, which ends with the process.
pub(crate) fn on_postgres<F: Future<Output = ()>>(test: impl FnOnce(Scene) -> F) {
    static CLUSTER: OnceLock<Option<Postgres>> = OnceLock::new();
    let Some(server) = CLUSTER.get_or_init(Postgres::start) else {
        return facets_testkit::skip("PostgreSQL 15 is not installed");
    };
    let database = server.create_database(&format!("test{}", next_number()));
    run(CatalogUrl::Postgres(database), None, test);
}

fn run<F: Future<Output = ()>>(
    url: CatalogUrl,
    folder: Option<TempDir>,
    test: impl FnOnce(Scene) -> F,
) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        // Without tables, so that a test can look at their making.
        let catalog = Catalog::open(&url, Migrate::No).await.unwrap();
        test(Scene { catalog, url, folder }).await;
    });
}

impl Scene {
    /// A catalog that a test opened itself.
    pub(crate) fn of(catalog: Catalog, url: CatalogUrl) -> Self {
        Self { catalog, url, folder: None }
    }

    /// With tables.
    pub(crate) async fn ready(self) -> Self {
        self.catalog.migrate().await.unwrap();
        self
    }

    /// Another replica.
    pub(crate) async fn replica(&self) -> Catalog {
        Catalog::open(&self.url, Migrate::No).await.unwrap()
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        self.folder.is_some()
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.as_ref().unwrap().path()
    }

    /// Runs a statement past the catalog.
    pub(crate) async fn execute(&self, sql: &'static str) {
        match &self.url {
            CatalogUrl::Sqlite(folder) => {
                let file = folder.join("catalog.sqlite");
                let address = format!("sqlite:{}", file.display());
                let mut connection = sqlx::SqliteConnection::connect(&address).await.unwrap();
                sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
                connection.close().await.unwrap();
            }
            CatalogUrl::Postgres(address) => {
                let mut connection = sqlx::PgConnection::connect(address).await.unwrap();
                sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
                connection.close().await.unwrap();
            }
        }
    }

    /// A version whose blobs are being uploaded.
    pub(crate) async fn uploaded(&self, record: VersionRecord) -> NewVersion {
        let upload = self.upload(&record).await;
        let audit = who(record.owner.as_str());
        NewVersion { record, upload, job: None, audit }
    }

    /// An upload of the blobs of a version.
    pub(crate) async fn upload(&self, record: &VersionRecord) -> String {
        let surface = record.server.as_ref().map(|server| server.surface_file);
        let digests = std::iter::once(record.content_hash).chain(surface).collect();
        let (id, owner, expires) = (fresh_id(), record.owner.clone(), LATER);
        let upload = NewUpload { id: id.clone(), digests, owner, expires };
        let started = self.catalog.begin_upload(&upload, NOW).await.unwrap();
        assert_eq!(started, UploadStart::Started);
        id
    }

    pub(crate) async fn publish(&self, record: VersionRecord) -> PublishOutcome {
        let new = self.uploaded(record).await;
        self.catalog.publish(&new, NOW).await.unwrap()
    }

    /// Publishes versions of a facet of `acme`.
    pub(crate) async fn publish_all(&self, text: &str, versions: &[&str]) {
        for version in versions {
            let outcome = self.publish(facet(text, version)).await;
            assert_eq!(outcome, PublishOutcome::Inserted, "{text}@{version}");
        }
    }

    pub(crate) async fn yank(&self, text: &str, number: &str) {
        let who = who("acme");
        let (name, version) = (name(text), version(number));
        let outcome = self.catalog.yank(FACET, &name, &version, "broken", &who, NOW).await;
        assert_eq!(outcome.unwrap(), YankOutcome::Done);
    }

    pub(crate) async fn unyank(&self, text: &str, number: &str) {
        let who = who("acme");
        let (name, version) = (name(text), version(number));
        let outcome = self.catalog.unyank(FACET, &name, &version, &who, NOW).await;
        assert_eq!(outcome.unwrap(), YankOutcome::Done);
    }

    /// The version of a facet that is found.
    pub(crate) async fn found(&self, text: &str, wanted: &Wanted) -> Option<String> {
        let found = self.catalog.find(FACET, &name(text), wanted).await.unwrap();
        found.map(|record| record.version.to_string())
    }
}

pub(crate) fn name(text: &str) -> ArtifactName {
    text.parse().unwrap()
}

pub(crate) fn version(text: &str) -> Version {
    text.parse().unwrap()
}

pub(crate) fn owner(text: &str) -> Owner {
    text.parse().unwrap()
}

/// An owner with a token.
pub(crate) fn who(text: &str) -> AuditWho {
    AuditWho { owner: owner(text), token_id: Some(format!("token-of-{text}")) }
}

/// A facet of `acme`.
pub(crate) fn facet(text: &str, number: &str) -> VersionRecord {
    let content = format!("{text}@{number}");
    VersionRecord {
        kind: FACET,
        name: name(text),
        version: version(number),
        content_hash: Digest::of(format!("archive {content}").as_bytes()),
        integrity: Digest::of(content.as_bytes()),
        size: 1234,
        manifest: format!(r#"{{"name":"{text}","version":"{number}"}}"#),
        description: Some(format!("Facet {text}")),
        author: Some("Ann".to_owned()),
        assets: AssetCounts { agents: 1, commands: 2, servers: 3, skills: 4 },
        owner: owner("acme"),
        published_at: NOW,
        yanked: None,
        server: None,
    }
}

/// A server of `acme`.
pub(crate) fn server(text: &str, number: &str) -> VersionRecord {
    let digest = |what: &str| Digest::of(format!("{what} {text}@{number}").as_bytes());
    let server = ServerRecord {
        surface_file: digest("surface file"),
        surface_size: 99,
        api_surface: digest("api"),
        surface: digest("surface"),
        behavior: digest("behavior"),
        resources: Some("[]".to_owned()),
        entitlements: r#"{"network":[]}"#.to_owned(),
        runtime: "bun 1.4.4".to_owned(),
        tools: 7,
    };
    let assets = AssetCounts::default();
    VersionRecord { kind: SERVER, assets, server: Some(server), ..facet(text, number) }
}

/// The same version with other content.
pub(crate) fn changed(record: &VersionRecord, mark: &str) -> VersionRecord {
    VersionRecord {
        content_hash: Digest::of(format!("archive {mark}").as_bytes()),
        integrity: Digest::of(mark.as_bytes()),
        ..record.clone()
    }
}

/// The same version of another owner.
pub(crate) fn owned_by(record: &VersionRecord, text: &str) -> VersionRecord {
    VersionRecord { owner: owner(text), ..record.clone() }
}
