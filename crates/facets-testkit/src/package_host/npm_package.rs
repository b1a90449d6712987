//! One version of a package of npm.

use serde_json::{Map, Value, json};

use super::publication::PUBLISHED;
use super::tarball::{TarEntry, tarball};

/// A version of a package of npm that a test makes. Nothing about it is checked.
#[derive(Clone, Debug)]
pub struct NpmPackage {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) published: String,
    manifest: Map<String, Value>,
    files: Vec<TarEntry>,
}

impl NpmPackage {
    /// A package without files.
    #[must_use]
    pub fn new(name: &str, version: &str) -> Self {
        let mut manifest = Map::new();
        manifest.insert("name".to_owned(), json!(name));
        manifest.insert("version".to_owned(), json!(version));
        let (name, version) = (name.to_owned(), version.to_owned());
        Self { name, version, published: PUBLISHED.to_owned(), manifest, files: Vec::new() }
    }

    /// Adds a file. A `package.json` stands in the tarball in place of the one that the registry states.
    #[must_use]
    pub fn file(mut self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.files.push(TarEntry::file(&format!("package/{path}"), bytes));
        self
    }

    /// Adds a file that is executable.
    #[must_use]
    pub fn program(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        let mut package = self.file(path, bytes);
        package.files.last_mut().into_iter().for_each(|file| file.mode = 0o755);
        package
    }

    /// Adds an entry as it is, such as a link or one outside `package/`.
    #[must_use]
    pub fn raw_entry(mut self, entry: TarEntry) -> Self {
        self.files.push(entry);
        self
    }

    /// Needs another package.
    #[must_use]
    pub fn dependency(self, name: &str, range: &str) -> Self {
        self.member("dependencies", name, range)
    }

    /// Needs another package where that can be installed.
    #[must_use]
    pub fn optional_dependency(self, name: &str, range: &str) -> Self {
        self.member("optionalDependencies", name, range)
    }

    /// Needs another package beside itself.
    #[must_use]
    pub fn peer_dependency(self, name: &str, range: &str) -> Self {
        self.member("peerDependencies", name, range)
    }

    /// A command, and the file that it starts.
    #[must_use]
    pub fn bin(self, command: &str, path: &str) -> Self {
        self.member("bin", command, path)
    }

    /// A script, such as `postinstall`.
    #[must_use]
    pub fn script(self, name: &str, command: &str) -> Self {
        self.member("scripts", name, command)
    }

    /// A runtime that it needs, such as `node`.
    #[must_use]
    pub fn engine(self, name: &str, range: &str) -> Self {
        self.member("engines", name, range)
    }

    /// The systems that it is for.
    #[must_use]
    pub fn os(self, systems: &[&str]) -> Self {
        self.field("os", json!(systems))
    }

    /// The processors that it is for.
    #[must_use]
    pub fn cpu(self, processors: &[&str]) -> Self {
        self.field("cpu", json!(processors))
    }

    /// Any other member of `package.json`, or another value for one.
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.manifest.insert(name.to_owned(), value);
        self
    }

    /// When it was published, such as `2025-01-01T00:00:00.000Z`.
    #[must_use]
    pub fn published(mut self, time: &str) -> Self {
        time.clone_into(&mut self.published);
        self
    }

    fn member(mut self, field: &str, name: &str, value: &str) -> Self {
        let object = self.manifest.entry(field).or_insert_with(|| json!({}));
        object[name] = json!(value);
        self
    }

    /// What `package.json` says.
    #[must_use]
    pub fn manifest(&self) -> Value {
        Value::Object(self.manifest.clone())
    }

    /// The archive that is served.
    #[must_use]
    pub fn tarball(&self) -> Vec<u8> {
        let path = "package/package.json";
        let stated = TarEntry::file(path, format!("{:#}\n", self.manifest()));
        let has_own = self.files.iter().any(|file| file.path == path);
        let stated = Some(stated).filter(|_| !has_own);
        let entries: Vec<TarEntry> = stated.into_iter().chain(self.files.clone()).collect();
        tarball(&entries)
    }
}
