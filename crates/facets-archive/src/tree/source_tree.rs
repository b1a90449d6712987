//! The directory that is packed.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::file::SourceFile;
use super::problems::{not_opened, unreadable};
use crate::error::ArchiveError;
use crate::folder::{open_below, open_folder, split_name};

/// A directory with source files.
#[derive(Debug)]
pub struct SourceTree {
    root: OwnedFd,
    path: PathBuf,
}

impl SourceTree {
    /// Opens a directory. Everything below it is reached from here, wherever its path leads later.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, path, flags, Mode::empty());
        let root = root.map_err(|error| unreadable(path)(error.into()))?;
        Ok(Self { root, path: path.to_owned() })
    }

    /// The handle of the directory itself.
    pub(super) fn open_root(&self) -> Result<OwnedFd, ArchiveError> {
        open_folder(&self.root, ".").map_err(|error| not_opened(".", &self.path, error))
    }

    /// A path for people.
    pub(super) fn full(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// Opens one file; nothing if there is none.
    pub(crate) fn open_file(&self, path: &str) -> Result<Option<SourceFile>, ArchiveError> {
        let (parent, name) = split_name(path);
        match open_below(&self.root, parent) {
            Ok(folder) => SourceFile::open(&folder, name, path, self.full(path)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(not_opened(path, &self.full(path), error)),
        }
    }
}
