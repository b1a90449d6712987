//! Why a file cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It could not be opened or read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It could not be written.
    #[error("cannot write {}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A directory, a pipe, a device or a link where a file is expected.
    #[error("{} is not a plain file", path.display())]
    NotPlain {
        /// What is there.
        path: PathBuf,
    },
    /// It is larger than its reader takes.
    #[error("{} is too large", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size that is still allowed.
        limit: u64,
    },
}

pub(crate) fn unreadable(path: &Path) -> impl Fn(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Unreadable { path: path.clone(), source }
}

pub(crate) fn unwritable(path: &Path) -> impl Fn(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Unwritable { path: path.clone(), source }
}
