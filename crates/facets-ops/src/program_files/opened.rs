//! What is opened to a server, as it is enforced and as it is shown.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::secret_names::is_secret;

/// The files that a confined server can use, beside the system's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedFiles {
    /// To read and execute.
    pub read: Vec<OpenedPath>,
    /// Folders whose names can be listed, with those below, and no more.
    pub names: Vec<PathBuf>,
    /// To read and write.
    pub write: Vec<PathBuf>,
    /// Which of these is the home directory that facet keeps for it.
    pub home: Option<PathBuf>,
}

/// A path, or the parts of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedPath {
    /// The path.
    pub path: PathBuf,
    /// What of it stays closed.
    pub without: Vec<PathBuf>,
    /// What is opened of it.
    parts: Vec<PathBuf>,
}

/// How many entries of a package are looked at. What lies beyond stays closed.
const MOST_ENTRIES: usize = 20_000;

/// Folders of other packages, which are opened as they are.
const OF_OTHERS: &[&str] =
    &["node_modules", "site-packages", "dist-packages", ".venv", "venv", ".yarn"];

impl OpenedFiles {
    /// To read, path by path.
    pub(crate) fn readable(&self) -> Vec<PathBuf> {
        self.read.iter().flat_map(|one| one.parts.clone()).collect()
    }

    /// The same, sorted, each once, and without what lies in something that is opened whole.
    pub(crate) fn simplified(mut self) -> Self {
        let whole: Vec<PathBuf> =
            self.read.iter().filter(|one| one.is_whole()).map(|one| one.path.clone()).collect();
        let is_inner =
            |path: &Path| path.ancestors().skip(1).any(|up| whole.iter().any(|one| one == up));
        self.read.retain(|one| !is_inner(&one.path));
        self.read.sort_by(|one, other| one.path.cmp(&other.path));
        self.read.dedup();
        self.names.sort();
        self.names.dedup();
        self
    }
}

impl OpenedPath {
    /// All of it.
    pub(crate) fn whole(path: PathBuf) -> Self {
        Self { parts: vec![path.clone()], without: Vec::new(), path }
    }

    /// A folder without what is secret in it, and without what the server can write, which is granted
    /// by itself. A file was named explicitly, and is opened as it is.
    pub(super) fn without_secrets(folder: PathBuf, writable: &[PathBuf]) -> Self {
        if folder.is_file() {
            return Self::whole(folder);
        }
        let mut walk = PackageWalk { writable, ..PackageWalk::default() };
        if walk.is_whole(&folder) {
            return Self::whole(folder);
        }
        walk.without.sort();
        Self { path: folder, without: walk.without, parts: walk.parts }
    }

    /// What is opened of it, path by path.
    pub(crate) fn into_parts(self) -> Vec<PathBuf> {
        self.parts
    }

    fn is_whole(&self) -> bool {
        self.parts == [self.path.clone()]
    }

    /// The folder, if only parts of it are opened: what they are called is no secret, and Python lists
    /// a folder to find a module in it.
    pub(crate) fn split_folder(&self) -> Option<PathBuf> {
        (!self.is_whole()).then(|| self.path.clone())
    }
}

#[derive(Default)]
struct PackageWalk<'w> {
    writable: &'w [PathBuf],
    parts: Vec<PathBuf>,
    without: Vec<PathBuf>,
    seen: usize,
}

impl PackageWalk<'_> {
    /// Whether all of a folder is opened. If not, its open parts are noted, and what stays closed.
    fn is_whole(&mut self, folder: &Path) -> bool {
        let Ok(entries) = std::fs::read_dir(folder) else {
            self.without.push(folder.to_owned());
            return false;
        };
        let (mut open, mut is_whole) = (Vec::new(), true);
        for entry in entries.flatten() {
            self.seen += 1;
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else { continue };
            if is_secret(&name, kind.is_dir()) || self.seen > MOST_ENTRIES {
                self.without.push(path);
                is_whole = false;
            } else if kind.is_symlink() || self.writable.contains(&path) {
                // What a link leads to is opened there or not at all; what the server can write is
                // granted by itself, and may be a link by the time that it is opened.
            } else if !kind.is_dir() || OF_OTHERS.contains(&&*name) || self.is_whole(&path) {
                open.push(path);
            } else {
                is_whole = false;
            }
        }
        if !is_whole {
            self.parts.extend(open);
        }
        is_whole
    }
}

/// Paths as a person reads them.
impl std::fmt::Display for OpenedPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 5;
        let mut out = self.path.display().to_string();
        if !self.without.is_empty() {
            let inner = |path: &PathBuf| {
                path.strip_prefix(&self.path).unwrap_or(path).display().to_string()
            };
            let mut shown: Vec<String> = self.without.iter().take(SHOWN).map(inner).collect();
            let more = self.without.len() - shown.len();
            shown.extend((more > 0).then(|| format!("{more} more")));
            let _ = write!(out, " (without {})", shown.join(", "));
        }
        f.write_str(&out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_opened_without_its_secrets_at_any_depth() {
        let place = tempfile::tempdir().unwrap();
        let put = |path: &str| {
            let path = place.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        for path in ["a.js", "lib/deep/b.js", "node_modules/x/.npmrc", "clean/c.js"] {
            put(path);
        }
        let whole = OpenedPath::without_secrets(place.path().to_owned(), &[]);
        assert_eq!(whole, OpenedPath::whole(place.path().to_owned()));
        for path in [".env", ".ssh/id", "lib/deep/server.key", "secrets/x", "lib/credentials.json"]
        {
            put(path);
        }
        std::os::unix::fs::symlink("/etc", place.path().join("link")).unwrap();
        put("lib/secret_store.js");
        let split = OpenedPath::without_secrets(place.path().to_owned(), &[]);
        let inner = |paths: &[PathBuf]| {
            let inner = |path: &PathBuf| path.strip_prefix(place.path()).unwrap().to_owned();
            let mut inner: Vec<PathBuf> = paths.iter().map(inner).collect();
            inner.sort();
            inner.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        let closed = [".env", ".ssh", "lib/credentials.json", "lib/deep/server.key", "secrets"];
        assert_eq!(inner(&split.without), closed);
        let open = ["a.js", "clean", "lib/deep/b.js", "lib/secret_store.js", "node_modules"];
        assert_eq!(inner(&split.parts), open);
        assert!(
            split.to_string().ends_with(
                "(without .env, .ssh, lib/credentials.json, lib/deep/server.key, secrets)"
            )
        );
    }
}
