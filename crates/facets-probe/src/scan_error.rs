//! Why the source of a server could not be scanned.

use std::path::{Path, PathBuf};

use facets_failure::Describe;
use facets_files::FileError;
use facets_launch::LaunchError;

/// Why the source of a server could not be scanned.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// What was to be scanned cannot be read.
    #[error("{0}")]
    File(#[from] FileError),
    /// The manifest that names the first file has problems.
    #[error("{} is not a valid manifest", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// How many.
        problems: usize,
    },
    /// No scanner could be started.
    #[error("{0}")]
    Launch(LaunchError),
}

impl Describe for ScanError {
    fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            // Explained with the check that shows the problems.
            Self::Manifest { .. } => "manifest-has-problems",
            Self::Launch(error) => error.code(),
        }
    }

    fn expected(&self) -> Option<String> {
        match self {
            Self::File(error) => error.expected(),
            Self::Manifest { .. } => Some("a valid manifest".to_owned()),
            Self::Launch(error) => error.expected(),
        }
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::File(error) => error.actual(),
            Self::Manifest { problems, .. } => {
                let plural = if *problems == 1 { "" } else { "s" };
                Some(format!("{problems} problem{plural}"))
            }
            Self::Launch(error) => error.actual(),
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::File(error) => error.file(),
            Self::Manifest { path, .. } => Some(path),
            Self::Launch(_) => None,
        }
    }
}
