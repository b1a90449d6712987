//! A project with a store and a user of its own, and artifacts to acquire.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use facets_digest::Digest;
use facets_failure::Describe as _;
use facets_fetch::NoFetchProgress;
use facets_lock::{AcceptedFindings, Lock, LockedFacet, LockedFacetSource};
use facets_model::ArtifactName;
use facets_model::manifest::{FacetSource, VersionSpec};
use facets_model::tree::ManifestFormat;
use facets_plan::FacetQuery;
use facets_project::UserDirectory;
use facets_registry_client::RegistryClientLimits;
use facets_store::Store;
use tempfile::TempDir;

use crate::acquiring::{
    AcquireRequest, AcquiredFacet, AcquiredServer, Acquirer, InstallProgress, ServerWish,
};
use crate::building::{BuildOptions, build_facet, build_server};
use crate::error::{InstallError, OpsError};

/// An artifact that was built.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) archive: Vec<u8>,
    pub(super) integrity: Digest,
    pub(super) content_hash: Digest,
}

/// Writes a facet with one command and a companion that is not text.
pub(super) fn write_facet(folder: &Path, name: &str, version: &str, text: &str) {
    let manifest = format!(
        r#"{{"name":"{name}","version":"{version}","commands":{{"go":{{"description":"Goes"}}}},"files":["data.bin"]}}"#
    );
    fs::create_dir_all(folder.join("commands")).unwrap();
    fs::write(folder.join("facet.json"), manifest).unwrap();
    fs::write(folder.join("commands/go.md"), text).unwrap();
    fs::write(folder.join("data.bin"), b"\xff\x00\xfe").unwrap();
}

pub(super) fn facet(name: &str, version: &str, text: &str) -> Made {
    let folder = tempfile::tempdir().unwrap();
    write_facet(folder.path(), name, version, text);
    let built = build_facet(folder.path(), ManifestFormat::Json).unwrap();
    Made {
        name: name.to_owned(),
        version: version.to_owned(),
        archive: built.archive,
        integrity: built.integrity,
        content_hash: built.content_hash,
    }
}

pub(super) fn server(name: &str, version: &str) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!("name: '{name}'\nversion: {version}\nruntime: bun\nentry: index.ts\n");
    fs::write(folder.path().join("server.yaml"), manifest).unwrap();
    fs::write(folder.path().join("index.ts"), format!("// {version}\n")).unwrap();
    let built = build_server(folder.path(), &BuildOptions::default(), &NoFetchProgress).unwrap();
    Made {
        name: name.to_owned(),
        version: version.to_owned(),
        archive: built.archive,
        integrity: built.integrity,
        content_hash: built.content_hash,
    }
}

/// What is known of a facet that was locked.
pub(super) fn locked(made: &Made, source: LockedFacetSource) -> FacetQuery {
    FacetQuery::Locked(Box::new(LockedFacet {
        source,
        version: made.version.parse().unwrap(),
        integrity: made.integrity,
        content_hash: Some(made.content_hash),
        assets: Vec::new(),
        servers: BTreeMap::new(),
        accepted: AcceptedFindings::default(),
    }))
}

pub(super) fn of_registry(url: &str) -> LockedFacetSource {
    LockedFacetSource::Registry { url: url.parse().unwrap() }
}

/// A version of a registry, as it is written in a manifest.
pub(super) fn spec(text: &str) -> FacetQuery {
    let spec = match text.strip_suffix(".*") {
        _ if matches!(text, "*" | "latest") => VersionSpec::Latest,
        Some(numbers) => {
            VersionSpec::Prefix(numbers.split('.').map(|one| one.parse().unwrap()).collect())
        }
        None => VersionSpec::Exact(text.parse().unwrap()),
    };
    FacetQuery::Resolve { source: FacetSource::Registry(spec), registry: None }
}

#[derive(Default)]
pub(super) struct Notes(pub(super) Mutex<Vec<String>>);

impl InstallProgress for Notes {
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

pub(super) struct World {
    folder: TempDir,
    pub(super) lock: Lock,
    pub(super) registry: Option<String>,
    pub(super) accepts_other_registry: bool,
    pub(super) is_offline: bool,
    /// Until the next bytes arrive; a request may take four times as long.
    pub(super) patience: Duration,
    pub(super) notes: Notes,
}

impl World {
    pub(super) fn new(registry: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        Self {
            folder,
            lock: Lock::empty(),
            registry: registry.map(str::to_owned),
            accepts_other_registry: false,
            is_offline: false,
            patience: Duration::from_mins(1),
            notes: Notes::default(),
        }
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(super) fn store(&self) -> Store {
        Store::open(&self.folder.path().join("cache")).unwrap()
    }

    /// Forgets everything that was stored.
    pub(super) fn empty_store(&self) {
        let store = self.store();
        for entry in store.entries().unwrap() {
            store.remove(&entry.key).unwrap();
        }
    }

    pub(super) fn with<T>(&self, act: impl FnOnce(&Acquirer<'_>) -> T) -> T {
        let project = self.project();
        let request = AcquireRequest {
            project: &project,
            lock: &self.lock,
            registry: self.registry.as_deref(),
            accepts_other_registry: self.accepts_other_registry,
            is_offline: self.is_offline,
            user: UserDirectory::at(self.folder.path().join("user")),
            progress: &self.notes,
        };
        let limits = RegistryClientLimits {
            retries: 1,
            backoff: Duration::from_millis(1),
            read: self.patience,
            time: self.patience * 4,
            ..RegistryClientLimits::default()
        };
        act(&Acquirer::with(request, self.store(), limits).unwrap())
    }

    /// Acquires one facet, and remembers it if that succeeds.
    pub(super) fn facet(&self, name: &str, query: FacetQuery) -> Result<AcquiredFacet, OpsError> {
        let name: ArtifactName = name.parse().unwrap();
        let queries = BTreeMap::from([(name.clone(), query)]);
        self.with(|acquirer| {
            let mut all = acquirer.facets(&queries)?;
            acquirer.remember()?;
            Ok(all.remove(&name).unwrap())
        })
    }

    pub(super) fn server(&self, wish: ServerWish) -> Result<AcquiredServer, OpsError> {
        let wanted = BTreeMap::from([("jira".to_owned(), wish)]);
        self.with(|acquirer| {
            let mut all = acquirer.servers(&wanted)?;
            acquirer.remember()?;
            Ok(all.remove("jira").unwrap())
        })
    }

    /// How many archives are stored.
    pub(super) fn stored(&self) -> usize {
        self.store().entries().unwrap().len()
    }
}

/// The code of why something failed, and the check if it was one.
#[track_caller]
pub(super) fn why<T>(result: Result<T, OpsError>) -> String {
    let error = result.err().unwrap();
    match &error {
        OpsError::Install(InstallError::Mismatch {
            check, source_of, expected, actual, ..
        }) => {
            assert!(!source_of.is_empty());
            assert_ne!(expected, actual);
            format!("{} {}", error.code(), check.word())
        }
        _ => error.code().to_owned(),
    }
}
