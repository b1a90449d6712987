//! Why a file cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

use facets_failure::{Describe, DiskProblem};

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
    #[error("{} is not a regular file", path.display())]
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

impl FileError {
    /// Every code.
    pub const CODES: &'static [&'static str] =
        &["file-not-regular", "file-too-large", "file-unreadable", "file-unwritable"];

    /// Whether the disk is the reason, whichever file it is.
    fn disk_problem(&self) -> Option<DiskProblem> {
        match self {
            Self::Unwritable { source, .. } => DiskProblem::of(source),
            Self::Unreadable { .. } | Self::NotPlain { .. } | Self::TooLarge { .. } => None,
        }
    }
}

impl Describe for FileError {
    fn code(&self) -> &'static str {
        if let Some(problem) = self.disk_problem() {
            return problem.code();
        }
        match self {
            Self::Unreadable { .. } => "file-unreadable",
            Self::Unwritable { .. } => "file-unwritable",
            Self::NotPlain { .. } => "file-not-regular",
            Self::TooLarge { .. } => "file-too-large",
        }
    }

    fn expected(&self) -> Option<String> {
        if let Some(problem) = self.disk_problem() {
            return Some(problem.expected());
        }
        Some(match self {
            Self::Unreadable { .. } => "a readable file".to_owned(),
            Self::Unwritable { .. } => "a writable path".to_owned(),
            Self::NotPlain { .. } => "a regular file".to_owned(),
            Self::TooLarge { limit, .. } => format!("at most {limit} bytes"),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { source, .. } | Self::Unwritable { source, .. } => source.to_string(),
            Self::NotPlain { .. } => "a directory, a pipe or a device".to_owned(),
            Self::TooLarge { .. } => "a larger file".to_owned(),
        })
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Unreadable { path, .. }
            | Self::Unwritable { path, .. }
            | Self::NotPlain { path }
            | Self::TooLarge { path, .. } => Some(path),
        }
    }

    fn next(&self) -> String {
        match self.disk_problem() {
            Some(problem) => problem.next(),
            None => format!("facet explain {}", self.code()),
        }
    }
}

pub(crate) fn unreadable(path: &Path) -> impl Fn(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Unreadable { path: path.clone(), source }
}

pub(crate) fn unwritable(path: &Path) -> impl Fn(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Unwritable { path: path.clone(), source }
}
