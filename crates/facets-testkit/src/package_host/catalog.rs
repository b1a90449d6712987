//! What is published, and what is said about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::hashes::{integrity, sha256_hex};
use super::npm_package::NpmPackage;
use super::publication::PUBLISHED;
use super::tarball::{TarEntry, tarball};
use super::wheel::{Wheel, normalized_name};

/// One version of a package of npm, as it is served.
#[derive(Clone, Debug)]
pub(super) struct NpmRelease {
    pub(super) version: String,
    pub(super) manifest: Value,
    pub(super) published: String,
    pub(super) file: ServedFile,
}

impl NpmRelease {
    pub(super) fn new(package: &NpmPackage) -> Self {
        let tarball = package.tarball();
        Self {
            version: package.version.clone(),
            manifest: package.manifest(),
            published: package.published.clone(),
            file: ServedFile::new(tarball, integrity),
        }
    }

    /// The last part of the path of its tarball.
    pub(super) fn file_name(&self, package: &str) -> String {
        let name = package.rsplit('/').next().unwrap_or_default();
        format!("{name}-{}.tgz", self.version)
    }
}

/// One file of a release of PyPI, as it is served.
#[derive(Clone, Debug)]
pub(super) struct Distribution {
    pub(super) project: String,
    pub(super) version: String,
    pub(super) file_name: String,
    pub(super) requires_python: Option<String>,
    pub(super) published: String,
    /// What PEP 658 serves beside a wheel.
    pub(super) metadata: Option<String>,
    pub(super) file: ServedFile,
}

impl Distribution {
    pub(super) fn new(wheel: &Wheel) -> Self {
        Self {
            project: normalized_name(&wheel.name),
            version: wheel.version.clone(),
            file_name: wheel.file_name(),
            requires_python: wheel.requires_python.clone(),
            published: wheel.published.clone(),
            metadata: Some(wheel.metadata()),
            file: ServedFile::new(wheel.archive(), sha256_hex),
        }
    }

    /// A file that has only a name.
    pub(super) fn raw(file_name: &str, bytes: Vec<u8>) -> Self {
        let mut parts = file_name.trim_end_matches(".tar.gz").split('-');
        let mut part = || parts.next().unwrap_or_default().to_owned();
        Self {
            project: normalized_name(&part()),
            version: part(),
            file_name: file_name.to_owned(),
            requires_python: None,
            published: PUBLISHED.to_owned(),
            metadata: None,
            file: ServedFile::new(bytes, sha256_hex),
        }
    }

    fn source(name: &str, version: &str) -> Self {
        let stem = format!("{}-{version}", normalized_name(name).replace('-', "_"));
        let text = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n");
        let entry = TarEntry::file(&format!("{stem}/PKG-INFO"), text);
        Self::raw(&format!("{stem}.tar.gz"), tarball(&[entry]))
    }
}

/// Bytes, and the hash that is stated for them.
#[derive(Clone, Debug)]
pub(super) struct ServedFile {
    pub(super) bytes: Arc<[u8]>,
    pub(super) hash: String,
    pub(super) is_missing: bool,
}

impl ServedFile {
    pub(super) fn new(bytes: Vec<u8>, hash: fn(&[u8]) -> String) -> Self {
        Self { hash: hash(&bytes), bytes: bytes.into(), is_missing: false }
    }
}

/// Everything that a host serves.
#[derive(Clone, Debug, Default)]
pub(super) struct Catalog {
    /// By name, in the order of publication.
    npm: BTreeMap<String, Vec<NpmRelease>>,
    /// Versions by package and tag.
    tags: BTreeMap<(String, String), String>,
    /// In the order of publication.
    distributions: Vec<Distribution>,
}

impl Catalog {
    pub(super) fn publish_npm(&mut self, package: &NpmPackage) {
        let NpmPackage { name, version, .. } = package;
        let taken = self.npm_releases(name).iter().any(|release| release.version == *version);
        assert!(
            !taken,
            "{name} {version} is already published; use `Misbehaviour::ReplaceTarball`"
        );
        self.npm.entry(name.clone()).or_default().push(NpmRelease::new(package));
    }

    pub(super) fn publish_wheel(&mut self, wheel: &Wheel) {
        self.publish_distribution(Distribution::new(wheel));
    }

    pub(super) fn publish_source(&mut self, name: &str, version: &str) {
        self.publish_distribution(Distribution::source(name, version));
    }

    fn publish_distribution(&mut self, added: Distribution) {
        let name = &added.file_name;
        let taken = self.distribution(name).is_some();
        assert!(!taken, "{name} is already published; use `Misbehaviour::ReplaceWheel`");
        self.distributions.push(added);
    }

    pub(super) fn tag(&mut self, name: &str, tag: &str, version: &str) {
        self.require_npm(name, version);
        self.tags.insert((name.to_owned(), tag.to_owned()), version.to_owned());
    }

    /// The versions of a package of npm.
    pub(super) fn npm_releases(&self, name: &str) -> &[NpmRelease] {
        self.npm.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The tags of a package of npm, all of which lead to a version that exists.
    pub(super) fn npm_tags(&self, name: &str) -> Value {
        let releases = self.npm_releases(name);
        let exists = |version: &String| releases.iter().any(|release| release.version == *version);
        let last = releases.last().map(|release| release.version.clone());
        let mut tags = json!({ "latest": last });
        for ((package, tag), version) in &self.tags {
            if package == name && exists(version) {
                tags[tag] = json!(version);
            }
        }
        tags
    }

    /// A version that must exist: a test that misspells one would prove nothing.
    pub(super) fn require_npm(&mut self, name: &str, version: &str) -> &mut NpmRelease {
        let releases = self.npm.get_mut(name).into_iter().flatten();
        let found = releases.into_iter().find(|release| release.version == version);
        found.unwrap_or_else(|| panic!("{name} {version} is not published"))
    }

    /// The version, which is published without anything else if it does not exist.
    pub(super) fn ensure_npm(&mut self, name: &str, version: &str) -> &mut NpmRelease {
        if self.npm_releases(name).iter().all(|release| release.version != version) {
            self.publish_npm(&NpmPackage::new(name, version));
        }
        self.require_npm(name, version)
    }

    pub(super) fn delete_npm(&mut self, name: &str, version: &str) {
        self.require_npm(name, version);
        let releases = self.npm.entry(name.to_owned()).or_default();
        releases.retain(|release| release.version != version);
    }

    /// The files of a project.
    pub(super) fn distributions(&self, project: &str) -> impl Iterator<Item = &Distribution> {
        self.distributions.iter().filter(move |one| one.project == project)
    }

    pub(super) fn distribution(&self, file_name: &str) -> Option<&Distribution> {
        self.distributions.iter().find(|one| one.file_name == file_name)
    }

    /// The files of a release, of which there must be some.
    pub(super) fn require_release(
        &mut self,
        name: &str,
        version: &str,
    ) -> impl Iterator<Item = &mut Distribution> {
        let project = normalized_name(name);
        let exists = self.distributions(&project).any(|one| one.version == version);
        assert!(exists, "{name} {version} is not published");
        let version = version.to_owned();
        let all = self.distributions.iter_mut();
        all.filter(move |one| one.project == project && one.version == version)
    }

    /// A file that must exist.
    pub(super) fn require_distribution(&mut self, file_name: &str) -> &mut Distribution {
        let found = self.distributions.iter_mut().find(|one| one.file_name == file_name);
        found.unwrap_or_else(|| panic!("{file_name} is not published"))
    }

    /// Puts a file in the place of the one with its name, or beside the others.
    pub(super) fn put_distribution(&mut self, added: Distribution) {
        match self.distributions.iter_mut().find(|one| one.file_name == added.file_name) {
            Some(place) => *place = added,
            None => self.distributions.push(added),
        }
    }

    pub(super) fn delete_release(&mut self, name: &str, version: &str) {
        drop(self.require_release(name, version));
        let project = normalized_name(name);
        self.distributions.retain(|one| one.project != project || one.version != version);
    }
}
