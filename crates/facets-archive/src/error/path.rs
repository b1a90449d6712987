//! What is wrong with the path of an entry.

use facets_failure::Describe;
use facets_model::PathError;

/// What is wrong with the path of an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryPathError {
    /// The bytes are no text.
    #[error("the path {shown:?} is not UTF-8")]
    NotUtf8 {
        /// What can be shown of it.
        shown: String,
    },
    /// It is against the rules for paths.
    #[error("the path {path:?} is refused: {problem}")]
    Refused {
        /// The path.
        path: String,
        /// The rule.
        problem: PathError,
    },
    /// A file beside the one directory that a package has.
    #[error("{path:?} is not inside a directory, which every file of an npm package is")]
    TopLevel {
        /// The path.
        path: String,
    },
    /// The same path stands twice.
    #[error("{path:?} stands twice")]
    Duplicate {
        /// The path.
        path: String,
    },
    /// Two paths that some file system cannot tell apart.
    #[error("{path:?} and {other:?} are the same on some file systems")]
    Collision {
        /// The later path.
        path: String,
        /// The earlier path.
        other: String,
    },
    /// One path is a file and a directory.
    #[error("{path:?} and {other:?}: one would be a file and a directory")]
    FileAsDirectory {
        /// The later path.
        path: String,
        /// The earlier path.
        other: String,
    },
}

impl EntryPathError {
    pub(crate) fn not_utf8(bytes: &[u8]) -> Self {
        const SHOWN: usize = 200;
        let shown = &bytes[..bytes.len().min(SHOWN)];
        Self::NotUtf8 { shown: String::from_utf8_lossy(shown).into_owned() }
    }
}

/// The code of a rule for paths.
pub(super) fn code_of(problem: &PathError) -> &'static str {
    match problem {
        PathError::Empty => "archive-path-empty",
        PathError::TooLong { .. } => "archive-path-too-long",
        PathError::Absolute => "archive-path-absolute",
        PathError::Character { found: '\\' } => "archive-path-backslash",
        PathError::Character { found } if found.is_control() => "archive-path-control",
        PathError::Character { .. } => "archive-path-character",
        PathError::Segment { .. } => "archive-path-segment",
        PathError::TrailingDotOrSpace { .. } => "archive-path-trailing",
        PathError::DeviceName { .. } => "archive-path-device",
    }
}

impl Describe for EntryPathError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8 { .. } => "archive-path-not-utf8",
            Self::Refused { problem, .. } => code_of(problem),
            Self::TopLevel { .. } => "archive-path-top-level",
            Self::Duplicate { .. } => "archive-duplicate",
            Self::Collision { .. } => "archive-collision",
            Self::FileAsDirectory { .. } => "archive-file-as-directory",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::NotUtf8 { .. } => "paths in UTF-8".to_owned(),
            Self::Refused { .. } => {
                "a relative path that means the same on every system".to_owned()
            }
            Self::TopLevel { .. } => "a directory at the top".to_owned(),
            Self::Duplicate { .. } => "each path once".to_owned(),
            Self::Collision { .. } | Self::FileAsDirectory { .. } => {
                "paths that are different on every file system".to_owned()
            }
        })
    }

    fn actual(&self) -> Option<String> {
        None
    }
}
