//! What an archive holds is not what was expected.

use std::path::PathBuf;

use facets_digest::Digest;
use facets_failure::{Describe, FileProblem};
use facets_model::manifest::Problem;

/// What an archive holds is not what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// There is no manifest.
    #[error("the archive has no {file}")]
    NoManifest {
        /// Its name.
        file: &'static str,
    },
    /// The manifest has problems.
    #[error("{file} has {} problems", problems.len())]
    Manifest {
        /// Its name.
        file: &'static str,
        /// All of them.
        problems: Vec<Problem>,
    },
    /// The file that the runtime starts is not in the archive.
    #[error("the entry {entry:?} is not in the archive{}", reason.as_deref().unwrap_or_default())]
    NoEntry {
        /// The path that the manifest names.
        entry: String,
        /// Why it is not, where that is known; begins with `: `.
        reason: Option<String>,
    },
    /// The archive is not the one that was published.
    #[error("the archive does not have the expected content hash")]
    ContentHash {
        /// The one that was expected.
        expected: Digest,
        /// The one it has.
        actual: Digest,
    },
    /// The content is not the one that was published.
    #[error("the content does not have the integrity that {stated_by} states")]
    Integrity {
        /// Who states it.
        stated_by: &'static str,
        /// The one that was expected.
        expected: Digest,
        /// The one it has.
        actual: Digest,
    },
    /// The archive holds a different artifact than the requested one.
    #[error("the {member} in the archive is {actual}, not {expected}")]
    Identity {
        /// `name` or `version`.
        member: &'static str,
        /// The requested one.
        expected: String,
        /// The one inside.
        actual: String,
    },
}

impl Describe for ContentError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoManifest { .. } => "archive-no-manifest",
            Self::Manifest { .. } => "archive-manifest",
            Self::NoEntry { .. } => "archive-no-entry",
            Self::ContentHash { .. } => "archive-content-hash-mismatch",
            Self::Integrity { .. } => "archive-integrity-mismatch",
            Self::Identity { .. } => "archive-identity-mismatch",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::NoManifest { file } => format!("{file} at the top"),
            Self::Manifest { .. } => "a manifest without problems".to_owned(),
            Self::NoEntry { entry, .. } => format!("a file {entry}"),
            Self::ContentHash { expected, .. } | Self::Integrity { expected, .. } => {
                expected.to_string()
            }
            Self::Identity { expected, .. } => expected.clone(),
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::ContentHash { actual, .. } | Self::Integrity { actual, .. } => {
                Some(actual.to_string())
            }
            Self::Identity { actual, .. } => Some(actual.clone()),
            Self::NoManifest { .. } | Self::Manifest { .. } | Self::NoEntry { .. } => None,
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        match self {
            Self::Manifest { file, problems } => {
                problems.iter().cloned().map(|one| one.in_file(PathBuf::from(*file))).collect()
            }
            _ => Vec::new(),
        }
    }
}
