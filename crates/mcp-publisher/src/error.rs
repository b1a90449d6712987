//! Why a command could not do its work.

use std::path::{Path, PathBuf};

use facets_failure::{Describe, FileProblem, LineColumn};
use facets_files::FileError;
use facets_jsonc::EditError;
use facets_model::manifest::Problem;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublisherError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is no `server.json`.
    #[error("cannot read {} as a server.json", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        problems: Vec<Problem>,
    },
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
    /// The hashes could not be put into the file.
    #[error("cannot complete {}", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// Why.
        source: EditError,
    },
    /// Nobody knows this code.
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
    pub(crate) const CODES: &'static [&'static str] = &[
        "project-file-unreadable",
        "server-json-edit",
        "server-json-exists",
        "server-json-unreadable",
    ];
}

impl Describe for PublisherError {
    fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::Unreadable { .. } => "server-json-unreadable",
            Self::Exists { .. } => "server-json-exists",
            Self::Project { .. } => "project-file-unreadable",
            Self::Edit { .. } => "server-json-edit",
            Self::UnknownCode { .. } => "unknown-code",
            Self::Internal => "internal-error",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::File(error) => return error.expected(),
            Self::Unreadable { .. } => "a server.json".to_owned(),
            Self::Exists { .. } => "a name that is free".to_owned(),
            Self::Project { .. } => "a file that its own tool can read".to_owned(),
            Self::Edit { .. } => "a file whose members can be changed one by one".to_owned(),
            Self::UnknownCode { .. } => "a code that mcp-publisher reports".to_owned(),
            Self::Internal => return None,
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::File(error) => error.actual(),
            Self::Project { problem, .. } => Some(problem.clone()),
            Self::Edit { source, .. } => Some(source.to_string()),
            Self::Unreadable { .. }
            | Self::Exists { .. }
            | Self::UnknownCode { .. }
            | Self::Internal => None,
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::File(error) => error.file(),
            Self::Unreadable { path, .. }
            | Self::Exists { path }
            | Self::Project { path, .. }
            | Self::Edit { path, .. } => Some(path),
            Self::UnknownCode { .. } | Self::Internal => None,
        }
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Edit { source, .. } => source.place(),
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
            Self::Unreadable { path, problems } => {
                problems.iter().map(|problem| problem.clone().in_file(path.clone())).collect()
            }
            _ => Vec::new(),
        }
    }
}
