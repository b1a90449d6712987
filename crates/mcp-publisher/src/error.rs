//! Why a command could not do its work.

use std::path::{Path, PathBuf};

use facets_failure::{Describe, FileProblem, LineColumn};
use facets_file_hashes::FileHashesError;
use facets_files::FileError;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublisherError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The hashes of a file could not be looked at.
    #[error(transparent)]
    Hashes(#[from] FileHashesError),
    /// The place of a new file is taken.
    #[error("{} already exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file of the project cannot be read.
    #[error("cannot read {}", path.display())]
    Project {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The code is unknown.
    #[error("unknown code {code:?}")]
    UnknownCode {
        /// What was asked for.
        code: String,
        /// Codes that look like it.
        similar: Vec<&'static str>,
    },
    /// A defect.
    #[error("mcp-publisher has a bug and stopped in the middle of this command")]
    Internal,
}

impl PublisherError {
    /// The codes of this crate alone.
    #[cfg(test)]
    pub(crate) const CODES: &'static [&'static str] =
        &["project-file-unreadable", "server-json-exists"];
}

impl Describe for PublisherError {
    fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::Hashes(error) => error.code(),
            Self::Exists { .. } => "server-json-exists",
            Self::Project { .. } => "project-file-unreadable",
            Self::UnknownCode { .. } => "unknown-code",
            Self::Internal => "internal-error",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::File(error) => return error.expected(),
            Self::Hashes(error) => return error.expected(),
            Self::Exists { .. } => "a name that is free".to_owned(),
            Self::Project { .. } => "a file that its own tool can read".to_owned(),
            Self::UnknownCode { .. } => "a code that mcp-publisher reports".to_owned(),
            Self::Internal => return None,
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::File(error) => error.actual(),
            Self::Hashes(error) => error.actual(),
            Self::Project { problem, .. } => Some(problem.clone()),
            Self::Exists { .. } | Self::UnknownCode { .. } | Self::Internal => None,
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::File(error) => error.file(),
            Self::Hashes(error) => error.file(),
            Self::Exists { path } | Self::Project { path, .. } => Some(path),
            Self::UnknownCode { .. } | Self::Internal => None,
        }
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Hashes(error) => error.place(),
            _ => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::UnknownCode { similar, .. } => match similar.first() {
                Some(code) => format!("mcp-publisher explain {code}"),
                None => "mcp-publisher explain".to_owned(),
            },
            other => format!("mcp-publisher explain {}", other.code()),
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        match self {
            Self::Hashes(error) => error.problems(),
            _ => Vec::new(),
        }
    }
}
