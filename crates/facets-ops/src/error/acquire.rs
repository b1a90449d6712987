//! Why the bytes of a facet or server could not be had.

use std::path::{Path, PathBuf};

use facets_archive::ArchiveError;
use facets_failure::{Describe, FileProblem, Note};

/// Why the bytes of a facet or server could not be had. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum AcquireError {
    /// Another registry is configured than the locked one.
    #[error("{subject} is locked from another registry")]
    RegistryChanged {
        /// Kind and name.
        subject: String,
        /// The registry in the lock.
        locked: String,
        /// The registry that was typed, or is in the environment.
        configured: String,
    },
    /// The registry offers less than it did before.
    #[error("{registry} offers an older version of {subject} than before")]
    Rollback {
        /// Kind and name.
        subject: String,
        /// What this user has seen there.
        seen: String,
        /// What is offered now.
        offered: String,
        /// The registry.
        registry: String,
    },
    /// The registry has other bytes for a version than before.
    #[error("{registry} has other content for {subject} than before")]
    ContentChanged {
        /// Kind, name and version.
        subject: String,
        /// The hash that this user has seen, with its name.
        seen: String,
        /// The hash that is stated now.
        stated: String,
        /// The registry.
        registry: String,
    },
    /// No network is used, and something is not stored here.
    #[error("{} not stored on this machine", are_missing(missing))]
    Offline {
        /// What.
        missing: Vec<String>,
    },
    /// An archive breaks a rule.
    #[error("{subject} cannot be used: {source}")]
    Archive {
        /// Kind, name and version.
        subject: String,
        /// Where it came from: an address or a path.
        source_of: String,
        /// The rule.
        source: Box<ArchiveError>,
    },
    /// A git repository was of no help.
    #[error("cannot fetch {subject} from {url}")]
    Git {
        /// Kind and name.
        subject: String,
        /// The repository, without credentials.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// A directory of the project cannot be used as the source of a facet.
    #[error("{} cannot be used as the source of {subject}", path.display())]
    Folder {
        /// Kind and name.
        subject: String,
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
    /// A facet that is built here has problems.
    #[error("{subject} cannot be built from {place}")]
    Problems {
        /// Kind and name.
        subject: String,
        /// A directory, or a repository at a commit.
        place: String,
        /// All of them.
        problems: Vec<FileProblem>,
    },
}

fn are_missing(missing: &[String]) -> String {
    let are = if missing.len() == 1 { "is" } else { "are" };
    format!("{} {are}", missing.join(", "))
}

impl AcquireError {
    /// Every code, beside those of archives.
    pub const CODES: &'static [&'static str] = &[
        "content-changed",
        "facet-folder",
        "facet-has-problems",
        "git-fetch",
        "offline",
        "registry-changed",
        "rollback",
    ];

    /// Whether it is a negative verdict: what a registry or a repository has is known, and is not what it was.
    #[must_use]
    pub fn is_verdict(&self) -> bool {
        matches!(
            self,
            Self::RegistryChanged { .. }
                | Self::Rollback { .. }
                | Self::ContentChanged { .. }
                | Self::Archive { .. }
        )
    }
}

impl Describe for AcquireError {
    fn code(&self) -> &'static str {
        match self {
            Self::RegistryChanged { .. } => "registry-changed",
            Self::Rollback { .. } => "rollback",
            Self::ContentChanged { .. } => "content-changed",
            Self::Offline { .. } => "offline",
            Self::Archive { source, .. } => source.code(),
            Self::Git { .. } => "git-fetch",
            Self::Folder { .. } => "facet-folder",
            Self::Problems { .. } => "facet-has-problems",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::RegistryChanged { locked, .. } => locked.clone(),
            Self::Rollback { seen, .. } => format!("{seen} or later, which was seen there"),
            Self::ContentChanged { seen, .. } => format!("{seen}, which was seen there"),
            Self::Offline { .. } => "everything in the store, with --offline".to_owned(),
            Self::Archive { source, .. } => return source.expected(),
            Self::Git { .. } => {
                "a repository that git can fetch here without a question".to_owned()
            }
            Self::Folder { .. } => "a directory with a facet inside the project".to_owned(),
            Self::Problems { .. } => "a facet without problems".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::RegistryChanged { configured, .. } => configured.clone(),
            Self::Rollback { offered, .. } => offered.clone(),
            Self::ContentChanged { stated, .. } => stated.clone(),
            Self::Offline { .. } => "nothing was fetched".to_owned(),
            Self::Archive { source, source_of, .. } => {
                let actual = source.actual().unwrap_or_else(|| source.to_string());
                return Some(format!("{actual} (content check, {source_of})"));
            }
            Self::Git { reason, .. } => reason.clone(),
            Self::Folder { reason, .. } => (*reason).to_owned(),
            Self::Problems { problems, .. } => {
                let plural = if problems.len() == 1 { "" } else { "s" };
                format!("{} problem{plural}", problems.len())
            }
        })
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Folder { path, .. } => Some(path),
            _ => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::RegistryChanged { .. } => "the same command with --accept-registry".to_owned(),
            Self::Offline { .. } => "the same command without --offline".to_owned(),
            other => format!("facet explain {}", other.code()),
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        match self {
            Self::Archive { source, .. } => source.problems(),
            Self::Problems { problems, .. } => problems.clone(),
            _ => Vec::new(),
        }
    }

    fn notes(&self) -> Vec<Note> {
        match self {
            Self::Archive { source, .. } => source.notes(),
            _ => Vec::new(),
        }
    }
}
