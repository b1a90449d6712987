//! The directory of one probe. A server writes into a part of it, so it is removed like something hostile.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::CWD;

use crate::error::RegistryError;
use crate::random::random_id;

/// How directories of probes begin, so that those of dead processes are known. A server sees its path: no name in it
/// says what the server is started for.
pub(crate) const PROBE_PREFIX: &str = "run-";

/// A directory for one probe. It is removed when this is dropped, which may take some time.
pub(crate) struct ProbeFolder {
    path: PathBuf,
}

impl ProbeFolder {
    /// Makes an empty one below the directory for probes.
    pub(crate) fn make(probes: &Path) -> Result<Self, RegistryError> {
        let path = probes.join(format!("{PROBE_PREFIX}{}", random_id()?));
        let failed = |source| RegistryError::Io { what: "a directory of a probe", source };
        DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        let folder = Self { path };
        DirBuilder::new().mode(0o700).create(folder.scratch()).map_err(failed)?;
        Ok(folder)
    }

    /// Where the archive goes. There is nothing yet.
    pub(crate) fn archive(&self) -> PathBuf {
        self.path.join("archive.tar.gz")
    }

    /// An empty directory.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.path.join("files")
    }
}

impl Drop for ProbeFolder {
    fn drop(&mut self) {
        // What stays is removed by the collector.
        let _ = remove_folder(&self.path);
    }
}

/// Removes a directory and everything in it, whatever its modes, and follows no link.
pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    let handle = facets_removal::open_unlocked(CWD, path)?;
    facets_removal::empty(&handle)?;
    fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_goes_with_everything_that_was_written_into_it() {
        let probes = tempfile::tempdir().unwrap();
        let folder = ProbeFolder::make(probes.path()).unwrap();
        let locked = folder.scratch().join("locked");
        fs::create_dir(&locked).unwrap();
        fs::write(locked.join("file"), "x").unwrap();
        fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
        fs::write(folder.archive(), "x").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(probes.path()).unwrap().count(), 0);
    }

    #[test]
    fn no_name_of_a_folder_says_what_it_is_for() {
        let probes = tempfile::tempdir().unwrap();
        let folder = ProbeFolder::make(probes.path()).unwrap();
        let shown = folder.scratch().strip_prefix(probes.path()).unwrap().display().to_string();
        for word in ["probe", "scratch", "registry", "publish"] {
            assert!(!shown.contains(word), "{shown}");
        }
    }
}
