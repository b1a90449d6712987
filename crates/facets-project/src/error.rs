//! Why a project cannot be read or changed.

use std::io;
use std::path::{Path, PathBuf};

use facets_failure::{Describe, DiskProblem, FileProblem, LineColumn};
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
    #[error("{} is not a valid manifest", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// All of them, with their places.
        problems: Vec<FileProblem>,
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
    #[error("another facet process is changing {}", path.display())]
    Busy {
        /// The project.
        path: PathBuf,
    },
    /// A change that was interrupted cannot be completed.
    #[error("cannot complete an interrupted change of {}", path.display())]
    Interrupted {
        /// The file that is neither as before nor as after.
        path: PathBuf,
    },
    /// Somebody else has begun a change, or this user in another place.
    #[error("{} records a change that you did not start in this project", path.display())]
    ForeignJournal {
        /// The journal.
        path: PathBuf,
    },
    /// What was decided about a server cannot be read.
    #[error("{} is not a valid approval record", path.display())]
    Ledger {
        /// The file.
        path: PathBuf,
    },
    /// The record of installed files cannot be read.
    #[error("{} is not a valid record of installed files", path.display())]
    Installed {
        /// The file.
        path: PathBuf,
    },
    /// What was seen of a registry cannot be read.
    #[error("{} is not a valid record of seen versions", path.display())]
    Seen {
        /// The file.
        path: PathBuf,
    },
    /// The file of an asset is not what it was when the change was decided.
    #[error("{} was changed meanwhile", path.display())]
    AssetChanged {
        /// The file.
        path: PathBuf,
    },
    /// Where this user keeps things is no place for that.
    #[error("{}", refused_directory(path, around.as_deref()))]
    BadUserDirectory {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
        /// The project or repository that it is inside of.
        around: Option<PathBuf>,
    },
    /// Nobody knows where this user keeps things.
    #[error("cannot keep approvals: no home directory")]
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
        "installed-unreadable",
        "seen-unreadable",
        "asset-changed-meanwhile",
        "facet-dir-refused",
        "no-home",
    ];

    /// Whether the disk is the reason, whichever file it is.
    fn disk_problem(&self) -> Option<DiskProblem> {
        match self {
            Self::Io { source, .. } => DiskProblem::of(source),
            _ => None,
        }
    }
}

impl Describe for ProjectError {
    fn code(&self) -> &'static str {
        if let Some(problem) = self.disk_problem() {
            return problem.code();
        }
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
            Self::Installed { .. } => "installed-unreadable",
            Self::Seen { .. } => "seen-unreadable",
            Self::AssetChanged { .. } => "asset-changed-meanwhile",
            Self::BadUserDirectory { .. } => "facet-dir-refused",
            Self::NoHome => "no-home",
        }
    }

    fn expected(&self) -> Option<String> {
        if let Some(problem) = self.disk_problem() {
            return Some(problem.expected());
        }
        Some(match self {
            Self::Io { what: "read", .. } => "a readable file".to_owned(),
            Self::Io { .. } => "a writable path".to_owned(),
            Self::Untrusted { .. } => {
                "a regular file or directory that you own and only you can write".to_owned()
            }
            Self::TooLarge { limit, .. } => format!("at most {limit} bytes"),
            Self::Lock { source, .. } => return source.expected(),
            Self::Manifest { .. } => "a valid manifest".to_owned(),
            Self::Edit { .. } => "an object to edit".to_owned(),
            Self::Busy { .. } => "no other facet process in this project".to_owned(),
            Self::Interrupted { .. } => "the file as it was before or after the change".to_owned(),
            Self::ForeignJournal { .. } => {
                "no journal, or one that you started in this project".to_owned()
            }
            Self::Ledger { .. } | Self::Installed { .. } | Self::Seen { .. } => {
                "a record as facet writes it".to_owned()
            }
            Self::AssetChanged { .. } => "the file as it was a moment ago".to_owned(),
            Self::BadUserDirectory { .. } => {
                "an absolute path outside the project and its repository".to_owned()
            }
            Self::NoHome => "HOME or FACET_DIR to be set".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::Io { source, .. } => source.to_string(),
            Self::Untrusted { reason, .. } => (*reason).to_owned(),
            Self::TooLarge { .. } => "a larger file".to_owned(),
            Self::Lock { source, .. } => return source.actual(),
            Self::Manifest { problems, .. } => {
                let plural = if problems.len() == 1 { "" } else { "s" };
                format!("{} problem{plural}", problems.len())
            }
            Self::Edit { source, .. } => source.to_string(),
            Self::Busy { .. } => {
                "another process has held the lock for more than 20 seconds".to_owned()
            }
            Self::Interrupted { .. } => "the file was modified since then".to_owned(),
            Self::ForeignJournal { .. } => {
                "a journal of another user or another directory".to_owned()
            }
            Self::Ledger { .. } | Self::Installed { .. } | Self::Seen { .. } => {
                "a modified or newer record, or one of something else".to_owned()
            }
            Self::AssetChanged { .. } => "another content".to_owned(),
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
            | Self::Installed { path }
            | Self::Seen { path }
            | Self::AssetChanged { path }
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

    fn problems(&self) -> Vec<FileProblem> {
        match self {
            Self::Manifest { problems, .. } => problems.clone(),
            _ => Vec::new(),
        }
    }

    fn next(&self) -> String {
        match self {
            Self::Manifest { .. } => "facet doctor".to_owned(),
            Self::BadUserDirectory { around: Some(folder), .. }
                if !folder.join(".git").exists() =>
            {
                "cd into a project; or, for servers of every project: facet adopt --user".to_owned()
            }
            Self::NoHome | Self::BadUserDirectory { .. } => "export FACET_DIR=…".to_owned(),
            other => match other.disk_problem() {
                Some(problem) => problem.next(),
                None => format!("facet explain {}", other.code()),
            },
        }
    }
}

/// Which of two folders is in the wrong place.
fn refused_directory(path: &Path, around: Option<&Path>) -> String {
    match around {
        Some(folder) => format!(
            "{} cannot be a project: your approvals are inside it, in {}",
            folder.display(),
            path.display()
        ),
        None => format!("cannot keep approvals in {}", path.display()),
    }
}

impl From<FileError> for ProjectError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Unreadable { path, source } => Self::Io { what: "read", path, source },
            FileError::Unwritable { path, source } => Self::Io { what: "write", path, source },
            FileError::NotPlain { path } => {
                Self::Untrusted { path, reason: "it is a link, or not a regular file" }
            }
            FileError::TooLarge { path, limit } => Self::TooLarge { path, limit },
        }
    }
}
