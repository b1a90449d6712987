//! Why the hashes of a file could not be looked at.

use std::path::{Path, PathBuf};

use facets_failure::{Describe, FileProblem, LineColumn};
use facets_files::FileError;
use facets_jsonc::EditError;
use facets_model::manifest::Problem;

/// Why the hashes of a file could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum FileHashesError {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is no `server.json`.
    #[error("cannot read {} as a server.json", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        problems: Vec<Problem>,
    },
    /// The hashes could not be put into the file.
    #[error("cannot complete {}", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// Why.
        source: EditError,
    },
}

impl FileHashesError {
    /// The codes of this crate's errors alone.
    pub const CODES: &'static [&'static str] = &["server-json-edit", "server-json-unreadable"];
}

impl Describe for FileHashesError {
    fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::Unreadable { .. } => "server-json-unreadable",
            Self::Edit { .. } => "server-json-edit",
        }
    }

    fn expected(&self) -> Option<String> {
        match self {
            Self::File(error) => error.expected(),
            Self::Unreadable { .. } => Some("a server.json".to_owned()),
            Self::Edit { .. } => Some("a file whose members can be changed one by one".to_owned()),
        }
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::File(error) => error.actual(),
            Self::Unreadable { .. } => None,
            Self::Edit { source, .. } => Some(source.to_string()),
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::File(error) => error.file(),
            Self::Unreadable { path, .. } | Self::Edit { path, .. } => Some(path),
        }
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Edit { source, .. } => source.place(),
            Self::File(_) | Self::Unreadable { .. } => None,
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        match self {
            Self::Unreadable { path, problems } => {
                problems.iter().map(|problem| problem.clone().in_file(path.clone())).collect()
            }
            Self::File(_) | Self::Edit { .. } => Vec::new(),
        }
    }
}
