//! Why a project cannot be read or changed.

use std::io;
use std::path::{Path, PathBuf};

use facets_failure::{Describe, LineColumn};
use facets_files::FileError;
use facets_jsonc::EditError;
use facets_lock::LockError;

/// Why a project cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The system refused.
    #[error("cannot {what} {}", path.display())]
    Io {
        /// What was to be done: read, write, remove, lock.
        what: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something that must be a plain file or folder is a link, or somebody else's.
    #[error("{} cannot be trusted", path.display())]
    Untrusted {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file is larger than its reader takes.
    #[error("{} is too large", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size that is still allowed.
        limit: u64,
    },
    /// The lock cannot be used.
    #[error("{} cannot be used", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: LockError,
    },
    /// The manifest has problems.
    #[error("{} has problems", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// How many.
        problems: usize,
    },
    /// The manifest cannot be changed in place.
    #[error("{} cannot be changed", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// Why.
        source: EditError,
    },
    /// Another facet is changing the project.
    #[error("another facet is at work in {}", path.display())]
    Busy {
        /// The project.
        path: PathBuf,
    },
    /// A change that was interrupted cannot be completed.
    #[error("an interrupted change of {} cannot be completed", path.display())]
    Interrupted {
        /// The file that is neither as before nor as after.
        path: PathBuf,
    },
    /// Somebody else has begun a change, or this user in another place.
    #[error("{} is a change that this user did not begin here", path.display())]
    ForeignJournal {
        /// The journal.
        path: PathBuf,
    },
    /// What was decided about a server cannot be read.
    #[error("{} says nothing that this facet can read", path.display())]
    Ledger {
        /// The file.
        path: PathBuf,
    },
    /// Where this user keeps things is no place for that.
    #[error("approvals cannot be kept in {}", path.display())]
    BadUserDirectory {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Nobody knows where this user keeps things.
    #[error("there is no home directory to keep approvals in")]
    NoHome,
}

impl ProjectError {
    /// The codes that no other part of facet has.
    pub const CODES: &'static [&'static str] = &[
        "project-untrusted-file",
        "project-cannot-be-edited",
        "project-busy",
        "project-interrupted",
        "project-foreign-journal",
        "ledger-unreadable",
        "facet-dir-refused",
        "no-home",
    ];
}

impl Describe for ProjectError {
    fn code(&self) -> &'static str {
        match self {
            Self::Io { what: "write" | "remove" | "lock", .. } => "file-unwritable",
            Self::Io { .. } => "file-unreadable",
            Self::Untrusted { .. } => "project-untrusted-file",
            Self::TooLarge { .. } => "file-too-large",
            Self::Lock { source, .. } => source.code(),
            Self::Manifest { .. } => "manifest-has-problems",
            Self::Edit { .. } => "project-cannot-be-edited",
            Self::Busy { .. } => "project-busy",
            Self::Interrupted { .. } => "project-interrupted",
            Self::ForeignJournal { .. } => "project-foreign-journal",
            Self::Ledger { .. } => "ledger-unreadable",
            Self::BadUserDirectory { .. } => "facet-dir-refused",
            Self::NoHome => "no-home",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Io { what: "read", .. } => "a readable file".to_owned(),
            Self::Io { .. } => "a place to write to".to_owned(),
            Self::Untrusted { .. } => "a plain file or folder of this user".to_owned(),
            Self::TooLarge { limit, .. } => format!("at most {limit} bytes"),
            Self::Lock { source, .. } => return source.expected(),
            Self::Manifest { .. } => "a manifest in order".to_owned(),
            Self::Edit { .. } => "an object to edit".to_owned(),
            Self::Busy { .. } => "the project for itself".to_owned(),
            Self::Interrupted { .. } => "the file as before or after the change".to_owned(),
            Self::ForeignJournal { .. } => {
                "no journal, or one that this user began here".to_owned()
            }
            Self::Ledger { .. } => "what facet wrote about one server".to_owned(),
            Self::BadUserDirectory { .. } => {
                "an absolute path outside of the project and its repository".to_owned()
            }
            Self::NoHome => "HOME or FACET_DIR".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::Io { source, .. } => source.to_string(),
            Self::Untrusted { reason, .. } => (*reason).to_owned(),
            Self::TooLarge { .. } => "more than that".to_owned(),
            Self::Lock { source, .. } => return source.actual(),
            Self::Manifest { problems, .. } => {
                let plural = if *problems == 1 { "" } else { "s" };
                format!("{problems} problem{plural}")
            }
            Self::Edit { source, .. } => source.to_string(),
            Self::Busy { .. } => "another facet holds it".to_owned(),
            Self::Interrupted { .. } => "something else".to_owned(),
            Self::ForeignJournal { .. } => "another".to_owned(),
            Self::Ledger { .. } => "something else".to_owned(),
            Self::BadUserDirectory { reason, .. } => (*reason).to_owned(),
            Self::NoHome => "neither is set".to_owned(),
        })
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. }
            | Self::Untrusted { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Lock { path, .. }
            | Self::Manifest { path, .. }
            | Self::Edit { path, .. }
            | Self::Busy { path }
            | Self::ForeignJournal { path }
            | Self::Ledger { path }
            | Self::BadUserDirectory { path, .. }
            | Self::Interrupted { path } => Some(path),
            Self::NoHome => None,
        }
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Lock { source, .. } => source.place(),
            Self::Edit { source, .. } => source.place(),
            _ => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::Manifest { .. } => "facet doctor".to_owned(),
            Self::NoHome | Self::BadUserDirectory { .. } => "export FACET_DIR=…".to_owned(),
            other => format!("facet explain {}", other.code()),
        }
    }
}

impl From<FileError> for ProjectError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Unreadable { path, source } => Self::Io { what: "read", path, source },
            FileError::Unwritable { path, source } => Self::Io { what: "write", path, source },
            FileError::NotPlain { path } => {
                Self::Untrusted { path, reason: "it is not a plain file" }
            }
            FileError::TooLarge { path, limit } => Self::TooLarge { path, limit },
        }
    }
}
