//! A registry in a directory, and archives to publish.

#![allow(unreachable_pub, reason = "shared by the tests of this program")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use facets_archive::{ArchiveLimits, PackRequest, SourceTree, pack_facet, pack_server};
use facets_blobs::{BlobLimits, Blobs, BlobsUrl};
use facets_catalog::{Catalog, CatalogUrl, Migrate};
use facets_digest::Digest;
use facets_model::ArtifactName;
use facets_model::tree::ManifestFormat;
use facets_registry::{
    ArtifactKind, BlobStream, Caller, PublishAnswer, Registry, RegistryError, RegistryLimits,
    RegistryPlaces, RegistrySetup, VersionRecord, Wanted,
};
use futures_util::StreamExt as _;
use tempfile::TempDir;

/// A registry that is gone when the test ends.
pub struct TestRegistry {
    pub registry: Registry,
    pub blobs: Blobs,
    place: TempDir,
}

impl TestRegistry {
    pub async fn new() -> Self {
        Self::with_limits(RegistryLimits::default()).await
    }

    pub async fn with_limits(limits: RegistryLimits) -> Self {
        let place = tempfile::tempdir().unwrap();
        let (registry, blobs) = open(place.path(), limits).await;
        Self { registry, blobs, place }
    }

    /// The same registry in a process that has nothing in memory.
    pub async fn restarted(&self) -> Registry {
        open(self.place.path(), RegistryLimits::default()).await.0
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    /// Publishes a facet of this name and version that has one skill with this text.
    pub async fn publish_facet(
        &self,
        (name, version): (&str, &str),
        text: &str,
        caller: &Caller,
    ) -> Result<PublishAnswer, RegistryError> {
        let archive = facet(name, version, text);
        publish(&self.registry, ArtifactKind::Facet, name, &archive, caller).await
    }

    pub async fn facet(&self, name: &str, wanted: Wanted) -> Result<VersionRecord, RegistryError> {
        self.registry.version(ArtifactKind::Facet, &artifact(name), &wanted).await
    }

    /// Where a blob lies.
    pub fn blob(&self, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        self.path("blobs/sha256").join(&hex[..2]).join(&hex)
    }

    /// Files below a directory of the registry.
    pub fn count_files(&self, folder: &str) -> usize {
        fn count(folder: &Path) -> usize {
            let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            entries.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
        }
        count(&self.path(folder))
    }
}

/// A registry on a data directory.
pub async fn open(place: &Path, limits: RegistryLimits) -> (Registry, Blobs) {
    let blobs = BlobsUrl::Files(place.join("blobs"));
    let blobs = Blobs::open(&blobs, None, BlobLimits::default()).unwrap();
    (open_on(place, blobs.clone(), limits).await, blobs)
}

/// A registry on a data directory whose blobs lie elsewhere.
pub async fn open_on(place: &Path, blobs: Blobs, limits: RegistryLimits) -> Registry {
    let url = CatalogUrl::Sqlite(place.join("catalog.sqlite"));
    let catalog = Catalog::open(&url, Migrate::Yes).await.unwrap();
    let places = RegistryPlaces {
        uploads: place.join("uploads"),
        probes: place.join("probes"),
        store: place.join("store"),
    };
    let program = PathBuf::from("no-such-program");
    let setup = RegistrySetup { catalog, blobs, places, limits, program };
    Registry::new(setup).unwrap()
}

/// Limits with which a server that is queued is answered at once.
pub fn impatient() -> RegistryLimits {
    RegistryLimits { wait_for_probe: Duration::from_millis(20), ..RegistryLimits::default() }
}

pub fn artifact(name: &str) -> ArtifactName {
    name.parse().unwrap()
}

pub fn exact(version: &str) -> Wanted {
    Wanted::Exact(version.parse().unwrap())
}

pub fn caller(owner: &str, scopes: &[&str]) -> Caller {
    Caller {
        owner: owner.parse().unwrap(),
        token_id: format!("token-of-{owner}"),
        scopes: scopes.iter().map(|scope| scope.parse().unwrap()).collect(),
    }
}

/// One who may publish everything.
pub fn publisher(owner: &str) -> Caller {
    caller(owner, &["publish:*"])
}

/// Sends an archive in pieces, as a client does.
pub async fn publish(
    registry: &Registry,
    kind: ArtifactKind,
    name: &str,
    archive: &[u8],
    caller: &Caller,
) -> Result<PublishAnswer, RegistryError> {
    let announced = Some(archive.len() as u64);
    let mut upload = registry.begin_body(kind, &artifact(name), caller, announced).await?;
    for chunk in archive.chunks(10_000) {
        upload.write(chunk).await?;
    }
    registry.publish(upload, caller).await
}

/// The record of a version that was created.
pub fn created(answer: Result<PublishAnswer, RegistryError>) -> VersionRecord {
    match answer.unwrap() {
        PublishAnswer::Created(record) => *record,
        other => panic!("{other:?}"),
    }
}

/// The code of a refusal.
pub fn code<T>(result: Result<T, RegistryError>) -> &'static str {
    match result {
        Ok(_) => "accepted",
        Err(error) => error.problem().code,
    }
}

pub async fn read_all(mut stream: BlobStream) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(chunk) = stream.chunks.next().await {
        whole.extend_from_slice(&chunk.unwrap());
    }
    assert_eq!(whole.len() as u64, stream.size);
    whole
}

/// A facet with one skill.
pub fn facet(name: &str, version: &str, text: &str) -> Vec<u8> {
    let manifest = format!(
        r#"{{"name":"{name}","version":"{version}","description":"Plans work","author":"acme","skills":{{"plan":{{"description":"when planning"}}}},"x-more":1}}"#
    );
    facet_of(&manifest, text)
}

/// A facet with this manifest, which names the skill `plan`.
pub fn facet_of(manifest: &str, text: &str) -> Vec<u8> {
    let place = tempfile::tempdir().unwrap();
    write_tree(place.path(), &[("facet.json", manifest), ("skills/plan/SKILL.md", text)]);
    let tree = SourceTree::open(place.path()).unwrap();
    let mut bytes = Vec::new();
    pack_facet(&tree, ManifestFormat::Json, &ArchiveLimits::SPEC, &mut bytes).unwrap();
    bytes
}

/// A server of one file.
pub fn server(name: &str, version: &str, text: &str) -> Vec<u8> {
    let place = tempfile::tempdir().unwrap();
    let manifest = format!(
        "name: \"{name}\"\nversion: {version}\nruntime: bun\nentry: index.ts\ndescription: Adds\n"
    );
    write_tree(place.path(), &[("server.yaml", &manifest), ("index.ts", text)]);
    let tree = SourceTree::open(place.path()).unwrap();
    let mut bytes = Vec::new();
    pack_server(&tree, &PackRequest::default(), &ArchiveLimits::SPEC, &mut bytes).unwrap();
    bytes
}

/// The same facet with the two files of its outer archive in the other order: another content hash, the same
/// integrity.
pub fn reordered(facet: &[u8]) -> Vec<u8> {
    let length = |start: usize| {
        let digits = std::str::from_utf8(&facet[start + 124..start + 135]).unwrap();
        512 + usize::from_str_radix(digits, 8).unwrap().next_multiple_of(512)
    };
    let first = length(0);
    let end = first + length(first);
    [&facet[first..end], &facet[..first], &facet[end..]].concat()
}

fn write_tree(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let full = root.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, content).unwrap();
    }
}
