//! Where this user keeps things: `$FACET_DIR`, or `~/.facet`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::ProjectError;
use crate::files::io;

/// The folder in which facet keeps what belongs to a user and a machine, and to no project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDirectory {
    path: PathBuf,
}

impl UserDirectory {
    /// `$FACET_DIR`, or `~/.facet`.
    pub fn of_this_user() -> Result<Self, ProjectError> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let path = set("FACET_DIR").map(PathBuf::from);
        let path = path.or_else(|| set("HOME").map(|home| Path::new(&home).join(".facet")));
        path.map(Self::at).ok_or(ProjectError::NoHome)
    }

    /// Another folder. Nothing is made yet.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// A folder in it, for reading: neither must be one that others can write.
    pub(crate) fn checked(&self, name: &str) -> Result<PathBuf, ProjectError> {
        let folder = self.path.join(name);
        for folder in [&self.path, &folder] {
            check_owner(folder)?;
        }
        Ok(folder)
    }

    /// A folder in it, made if it does not exist, readable by this user alone.
    pub(crate) fn made(&self, name: &str) -> Result<PathBuf, ProjectError> {
        let folder = self.path.join(name);
        for folder in [&self.path, &folder] {
            make_private(folder)?;
        }
        Ok(folder)
    }

    /// A folder in it, whether it is there or not.
    pub(crate) fn unchecked(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The project of this user that belongs to no folder: servers for every project.
    pub fn project(&self) -> Result<PathBuf, ProjectError> {
        self.made("user")
    }
}

#[cfg(unix)]
pub(crate) fn make_private(folder: &Path) -> Result<(), ProjectError> {
    use std::os::unix::fs::DirBuilderExt as _;
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(io("write", folder))?;
    check_owner(folder)
}

#[cfg(not(unix))]
pub(crate) fn make_private(folder: &Path) -> Result<(), ProjectError> {
    fs::create_dir_all(folder).map_err(io("write", folder))
}

/// A ledger that others can write approves what others want.
#[cfg(unix)]
pub(crate) fn check_owner(folder: &Path) -> Result<(), ProjectError> {
    use std::os::unix::fs::MetadataExt as _;
    let data = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(io("read", folder))?,
    };
    let reason = if !data.is_dir() {
        "it is not a plain folder"
    } else if data.uid() != rustix::process::getuid().as_raw() {
        "it belongs to another user"
    } else if data.mode() & 0o022 != 0 {
        "others can write to it"
    } else {
        return Ok(());
    };
    Err(ProjectError::Untrusted { path: folder.to_owned(), reason })
}

#[cfg(not(unix))]
pub(crate) fn check_owner(_: &Path) -> Result<(), ProjectError> {
    Ok(())
}
