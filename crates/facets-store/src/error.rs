//! Why something cannot be stored, or an entry cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_failure::{Describe, DiskProblem};

/// Why something cannot be stored, or an entry cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A directory or file of the store cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The store cannot be written to.
    #[error("cannot write to the store at {}", path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk is full, or the quota of this user is used up.
    #[error("no space is left for {}", path.display())]
    Full {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The directory of the store is not one that this user alone can write to.
    #[error("{} is not used as a store", path.display())]
    Untrusted {
        /// The directory.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// An entry is not as it was stored. It was removed, if that was possible.
    #[error("{} was modified after it was stored", path.display())]
    Tampered {
        /// The file or directory that differs.
        path: PathBuf,
        /// How it was stored.
        expected: String,
        /// How it is.
        actual: String,
    },
    /// Bytes that are to be stored, or a stored tree, have another digest than the caller expects.
    #[error("{what} does not match its digest")]
    Mismatch {
        /// The entry.
        what: String,
        /// The digest that the caller knows.
        expected: Digest,
        /// The digest of the bytes.
        actual: Digest,
    },
    /// Something is larger than its limit.
    #[error("{what} is too large for the store")]
    TooLarge {
        /// The entry or file.
        what: String,
        /// The limit, with its unit.
        limit: String,
    },
    /// A path cannot be part of a tree.
    #[error("{path:?} cannot be stored in a tree")]
    BadPath {
        /// The path, as it was given.
        path: String,
        /// The reason.
        reason: &'static str,
    },
    /// The bytes to store could not be read.
    #[error("cannot read the bytes of {what}")]
    Source {
        /// The entry or file.
        what: String,
        /// What its reader said.
        source: io::Error,
    },
    /// A verified tree or file was replaced or modified before it was used.
    #[error("{} was replaced after it was verified", path.display())]
    Swapped {
        /// Where it was verified.
        path: PathBuf,
    },
    /// Another process stores or removes the same entry, and does not finish.
    #[error("{} is being changed by another process", path.display())]
    Busy {
        /// The entry.
        path: PathBuf,
    },
}

impl StoreError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "store-bad-path",
        "store-busy",
        "store-full",
        "store-mismatch",
        "store-source-unreadable",
        "store-swapped",
        "store-tampered",
        "store-too-large",
        "store-unreadable",
        "store-untrusted",
        "store-unwritable",
    ];

    /// Something could not be written where the store lies. A full disk is told apart: freeing space helps, and
    /// nothing else does.
    #[must_use]
    pub fn of_write(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match DiskProblem::of(&source) {
            Some(DiskProblem::Full) => Self::Full { path, source },
            Some(DiskProblem::ReadOnly) | None => Self::Unwritable { path, source },
        }
    }
}

impl Describe for StoreError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "store-unreadable",
            Self::Unwritable { .. } => "store-unwritable",
            Self::Full { .. } => "store-full",
            Self::Untrusted { .. } => "store-untrusted",
            Self::Tampered { .. } => "store-tampered",
            Self::Mismatch { .. } => "store-mismatch",
            Self::TooLarge { .. } => "store-too-large",
            Self::BadPath { .. } => "store-bad-path",
            Self::Source { .. } => "store-source-unreadable",
            Self::Swapped { .. } => "store-swapped",
            Self::Busy { .. } => "store-busy",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { .. } => "a readable file or directory".to_owned(),
            Self::Unwritable { .. } => "a directory that you can write to".to_owned(),
            Self::Full { .. } => "enough space for a new entry".to_owned(),
            Self::Untrusted { .. } => {
                "a directory that you own and only you can write to".to_owned()
            }
            Self::Tampered { expected, .. } => expected.clone(),
            Self::Mismatch { expected, .. } => expected.to_string(),
            Self::TooLarge { limit, .. } => format!("at most {limit}"),
            Self::BadPath { .. } => "a relative path with ordinary names".to_owned(),
            Self::Source { .. } => "all of the bytes".to_owned(),
            Self::Swapped { .. } => "the directory that was verified".to_owned(),
            Self::Busy { .. } => "no other process at work on this entry".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { source, .. }
            | Self::Unwritable { source, .. }
            | Self::Full { source, .. }
            | Self::Source { source, .. } => source.to_string(),
            Self::Untrusted { reason, .. } | Self::BadPath { reason, .. } => (*reason).to_owned(),
            Self::Tampered { actual, .. } => actual.clone(),
            Self::Mismatch { actual, .. } => actual.to_string(),
            Self::TooLarge { .. } => "more; nothing was stored".to_owned(),
            Self::Swapped { .. } => "another directory, or modified files".to_owned(),
            Self::Busy { .. } => "it has been locked for more than 20 seconds".to_owned(),
        })
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Unreadable { path, .. }
            | Self::Unwritable { path, .. }
            | Self::Full { path, .. }
            | Self::Untrusted { path, .. }
            | Self::Tampered { path, .. }
            | Self::Swapped { path }
            | Self::Busy { path } => Some(path),
            Self::Mismatch { .. }
            | Self::TooLarge { .. }
            | Self::BadPath { .. }
            | Self::Source { .. } => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::Full { .. } => "facet cache prune".to_owned(),
            other => format!("facet explain {}", other.code()),
        }
    }
}

pub(crate) fn unreadable(path: &Path) -> impl Fn(io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| StoreError::Unreadable { path: path.clone(), source }
}

pub(crate) fn unwritable(path: &Path) -> impl Fn(io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| StoreError::of_write(&path, source)
}

pub(crate) fn tampered(
    path: PathBuf,
    expected: impl Into<String>,
    actual: impl Into<String>,
) -> StoreError {
    StoreError::Tampered { path, expected: expected.into(), actual: actual.into() }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    /// Every variant, once.
    fn all() -> Vec<StoreError> {
        let path = PathBuf::from("/s");
        let failed = |kind: ErrorKind| io::Error::from(kind);
        let (expected, actual) = (Digest::of(b"a"), Digest::of(b"b"));
        vec![
            StoreError::BadPath { path: "../x".to_owned(), reason: "it leads out" },
            StoreError::Busy { path: path.clone() },
            unwritable(&path)(failed(ErrorKind::StorageFull)),
            StoreError::Mismatch { what: "a.tar.gz".to_owned(), expected, actual },
            StoreError::Source { what: "x".to_owned(), source: failed(ErrorKind::Other) },
            StoreError::Swapped { path: path.clone() },
            StoreError::Tampered {
                path: path.clone(),
                expected: expected.to_string(),
                actual: actual.to_string(),
            },
            StoreError::TooLarge { what: "x".to_owned(), limit: "2 bytes".to_owned() },
            unreadable(&path)(failed(ErrorKind::PermissionDenied)),
            StoreError::Untrusted { path: path.clone(), reason: "it belongs to another user" },
            unwritable(&path)(failed(ErrorKind::ReadOnlyFilesystem)),
        ]
    }

    #[test]
    fn every_error_has_a_code_of_its_own_that_is_explained() {
        let codes: Vec<&str> = all().iter().map(Describe::code).collect();
        assert_eq!(codes, StoreError::CODES);
        let mut explained: Vec<&str> =
            facets_failure::explanations(crate::EXPLANATIONS).map(|one| one.code).collect();
        explained.sort_unstable();
        assert_eq!(explained, StoreError::CODES);
    }

    #[test]
    fn every_error_says_what_was_expected_and_what_was_found() {
        for error in all() {
            let failure = error.describe();
            assert!(failure.expected.is_some_and(|text| !text.is_empty()), "{error:?}");
            assert!(failure.actual.is_some_and(|text| !text.is_empty()), "{error:?}");
            assert!(failure.next.starts_with("facet "), "{error:?}");
        }
    }

    #[test]
    fn a_full_disk_a_used_up_quota_and_a_size_limit_are_one_code() {
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge] {
            assert_eq!(unwritable(Path::new("/s"))(kind.into()).code(), "store-full");
        }
    }
}
