//! What earlier facets wrote, copied to where it can be used.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use facets_lock::Lock;
use facets_project::{LOCK, UserDirectory};
use facets_testkit::repository_root;
use tempfile::TempDir;

/// Every version that has written fixtures.
pub(crate) const VERSIONS: &[&str] = &["2f02447", "ff83894"];

/// A fixture in a folder of its own.
pub(crate) struct Written {
    pub(crate) folder: TempDir,
    /// Where the project lay when it was written.
    pub(crate) place: PathBuf,
}

impl Written {
    pub(crate) fn by(version: &str, state: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let from = repository_root().join("testdata/written-by").join(version).join(state);
        copy(&from, folder.path());
        Self { folder, place: format!("/tmp/facet-written-by-{version}/project").into() }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn user(&self) -> UserDirectory {
        UserDirectory::at(self.folder.path().join("home"))
    }

    pub(crate) fn lock(&self) -> Lock {
        Lock::parse(&fs::read(self.project().join(LOCK)).unwrap()).unwrap()
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    // As facet makes folders; a repository does not keep their modes.
    fs::DirBuilder::new().recursive(true).mode(0o700).create(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}
