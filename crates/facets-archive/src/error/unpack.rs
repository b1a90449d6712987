//! Why an archive could not be unpacked.

use std::io;

use facets_failure::{Describe, DiskProblem};

/// Why an archive could not be unpacked. Nothing of it is left.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// A file or directory could not be written.
    #[error("cannot write {path:?}")]
    Unwritable {
        /// Which, relative to the target.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// There is something where the archive should go.
    #[error("cannot unpack: {path:?} already exists")]
    Occupied {
        /// What, relative to the target.
        path: String,
    },
    /// The archive is not the one that was validated.
    #[error("the archive changed while it was unpacked")]
    Changed,
}

impl UnpackError {
    /// Whether the disk is the reason, whichever file it is.
    fn disk_problem(&self) -> Option<DiskProblem> {
        match self {
            Self::Unwritable { source, .. } => DiskProblem::of(source),
            Self::Occupied { .. } | Self::Changed => None,
        }
    }
}

impl Describe for UnpackError {
    fn code(&self) -> &'static str {
        if let Some(problem) = self.disk_problem() {
            return problem.code();
        }
        match self {
            Self::Unwritable { .. } => "archive-unpack-failed",
            Self::Occupied { .. } => "archive-target-occupied",
            Self::Changed => "archive-changed",
        }
    }

    fn expected(&self) -> Option<String> {
        if let Some(problem) = self.disk_problem() {
            return Some(problem.expected());
        }
        Some(match self {
            Self::Unwritable { .. } => "a writable directory".to_owned(),
            Self::Occupied { .. } => "an empty directory".to_owned(),
            Self::Changed => "the archive that was validated".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Unwritable { source, .. } => Some(source.to_string()),
            Self::Occupied { .. } | Self::Changed => None,
        }
    }

    fn next(&self) -> String {
        match self.disk_problem() {
            Some(problem) => problem.next(),
            None => format!("facet explain {}", self.code()),
        }
    }
}
