//! What a registry stores in: two kinds of catalogs and blobs.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use facets_blobs::{BlobLimits, Blobs, BlobsUrl, S3Credentials};
use facets_testkit::{ObjectStorage, Postgres};
use serde_json::Value;
use tempfile::TempDir;

use crate::archives::runtime_cache;
use crate::support::{Ran, program, run, wait_until};

/// Where registries of one kind store everything.
pub(crate) struct Backend {
    /// Without services: SQLite and files, in the data directory.
    services: Option<&'static Services>,
}

/// PostgreSQL and an object store. All tests share them, each with a database and a prefix of its own.
struct Services {
    postgres: Postgres,
    storage: ObjectStorage,
    _folder: TempDir,
}

impl Services {
    fn start() -> Option<Self> {
        let postgres = Postgres::start()?;
        let folder = tempfile::tempdir().unwrap();
        let storage = ObjectStorage::start(folder.path())?;
        Some(Self { postgres, storage, _folder: folder })
    }
}

/// Runs a test on both kinds, at the same time: it mostly waits.
pub(crate) fn on_both(test: impl Fn(&Backend) + Sync) {
    let name = thread::current().name().unwrap_or("a test").to_owned();
    thread::scope(|scope| {
        let files = thread::Builder::new().name(format!("{name} on files"));
        let _joined = files.spawn_scoped(scope, || test(&Backend::files())).unwrap();
        if let Some(backend) = Backend::services() {
            test(&backend);
        }
    });
}

impl Backend {
    pub(crate) fn files() -> Self {
        Self { services: None }
    }

    /// None, and a visible skip, where the services are not installed.
    pub(crate) fn services() -> Option<Self> {
        static SERVICES: OnceLock<Option<Services>> = OnceLock::new();
        let services = SERVICES.get_or_init(Services::start).as_ref();
        if services.is_none() {
            facets_testkit::skip("PostgreSQL or SeaweedFS is not installed");
        }
        services.map(|services| Self { services: Some(services) })
    }

    /// An empty registry.
    pub(crate) fn site(&self) -> Site {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let Some(services) = self.services else { return Site::new(None, None) };
        let name = format!("site{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let database = services.postgres.create_database(&name);
        Site::new(Some(database), Some(services.storage.url(&name)))
    }
}

/// What a registry has stored, and what its processes are told about that.
pub(crate) struct Site {
    folder: TempDir,
    database: Option<String>,
    blobs: Option<String>,
}

impl Site {
    /// One with an empty data directory; what is not given is in it.
    pub(crate) fn new(database: Option<String>, blobs: Option<String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        // Fetched once for all, not for each of them.
        symlink(runtime_cache(), data.join("store")).unwrap();
        Self { folder, database, blobs }
    }

    /// The same registry for another process, with a data directory of its own.
    pub(crate) fn replica(&self) -> Self {
        Self::new(self.database.clone(), self.blobs.clone())
    }

    /// A registry whose data directory is `data` in this folder.
    pub(crate) fn restored(folder: TempDir) -> Self {
        Self { folder, database: None, blobs: None }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The address of the database, if there is one.
    pub(crate) fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// The program, with everything that it has to be told.
    pub(crate) fn program(&self) -> Command {
        let mut command = program(&self.folder);
        command.env("AWS_ACCESS_KEY_ID", ObjectStorage::ACCESS_KEY);
        command.env("AWS_SECRET_ACCESS_KEY", ObjectStorage::SECRET_KEY);
        for (flag, value) in [("--database", &self.database), ("--blobs", &self.blobs)] {
            if let Some(value) = value {
                command.arg(flag).arg(value);
            }
        }
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        run(self.program().args(words))
    }

    /// What a command reports that has to end well.
    pub(crate) fn report(&self, words: &[&str]) -> Value {
        let ran = run(self.program().arg("--json").args(words));
        assert_eq!(ran.exit, 0, "{words:?}: {}{}", ran.stdout, ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// A token that may publish everything.
    pub(crate) fn token(&self, owner: &str) -> String {
        let ran = self.run(&["token", "create", "--scope", "publish:*", "--owner", owner]);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        ran.stdout.trim_end().to_owned()
    }

    /// Hashes everything anew, which has to be intact; how many versions there are.
    pub(crate) fn checked_versions(&self) -> u64 {
        let report = self.report(&["check"]);
        assert_eq!(report["damaged"], serde_json::json!([]), "{report}");
        report["versions"].as_u64().unwrap()
    }

    /// Collects everything that can be, however young; how many blobs stay. Times of an object store may be coarse.
    pub(crate) fn collect(&self, expected: u64) -> u64 {
        let (removed, kept) = (Cell::new(0), Cell::new(0));
        wait_until("orphans are collected", || {
            let report = self.report(&["gc", "--older-than", "0"]);
            removed.set(removed.get() + report["removed"].as_u64().unwrap());
            kept.set(report["kept"].as_u64().unwrap());
            removed.get() >= expected
        });
        assert_eq!(removed.get(), expected, "blobs that were removed");
        kept.get()
    }

    /// The blobs, past the registry.
    pub(crate) fn open_blobs(&self) -> Blobs {
        let credentials = S3Credentials {
            access_key: ObjectStorage::ACCESS_KEY.to_owned(),
            secret_key: ObjectStorage::SECRET_KEY.to_owned(),
            session: None,
        };
        let url = match &self.blobs {
            Some(url) => url.parse::<BlobsUrl>().unwrap(),
            None => BlobsUrl::Files(self.data().join("blobs")),
        };
        Blobs::open(&url, Some(&credentials), BlobLimits::default()).unwrap()
    }
}
