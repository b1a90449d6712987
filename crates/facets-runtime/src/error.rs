//! Why a runtime cannot be used.

use std::path::Path;

use facets_archive::ArchiveError;
use facets_failure::{Describe, FileProblem};
use facets_fetch::FetchError;
use facets_store::StoreError;

/// Why a runtime cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The table has no program for this machine.
    #[error("{runtime} is not available for {platform}")]
    NoPlatform {
        /// The runtime and its version.
        runtime: String,
        /// This machine.
        platform: String,
        /// The platforms that there is a program for.
        known: Vec<&'static str>,
    },
    /// A package or program is not the one of the table.
    #[error("{what} is not the one that facet knows")]
    Mismatch {
        /// The package or program.
        what: String,
        /// What the table has.
        expected: String,
        /// What was found.
        actual: String,
    },
    /// A server runs on it.
    #[error("{runtime} is in use")]
    InUse {
        /// The runtime and its version.
        runtime: String,
    },
    /// The package could not be fetched.
    #[error("cannot fetch {runtime}: {source}")]
    NotFetched {
        /// The runtime and its version.
        runtime: String,
        /// Why not.
        source: FetchError,
    },
    /// The configuration of npm cannot be read.
    #[error(transparent)]
    Configuration(#[from] FetchError),
    /// The package could not be unpacked.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The program could not be stored, or is not as it was stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RuntimeError {
    /// The codes of this crate alone.
    pub const CODES: &'static [&'static str] =
        &["runtime-in-use", "runtime-mismatch", "runtime-no-platform"];

    /// The error of a crate below that this one only passes on.
    fn inner(&self) -> Option<&dyn Describe> {
        match self {
            Self::NoPlatform { .. } | Self::Mismatch { .. } | Self::InUse { .. } => None,
            Self::NotFetched { source, .. } | Self::Configuration(source) => Some(source),
            Self::Archive(error) => Some(error),
            Self::Store(error) => Some(error),
        }
    }
}

impl Describe for RuntimeError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoPlatform { .. } => "runtime-no-platform",
            Self::Mismatch { .. } => "runtime-mismatch",
            Self::InUse { .. } => "runtime-in-use",
            Self::NotFetched { source, .. } | Self::Configuration(source) => source.code(),
            Self::Archive(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    fn expected(&self) -> Option<String> {
        match self {
            Self::NoPlatform { known, .. } => Some(format!("one of {}", known.join(", "))),
            Self::Mismatch { expected, .. } => Some(expected.clone()),
            Self::InUse { .. } => Some("no server that runs on it".to_owned()),
            other => other.inner().and_then(Describe::expected),
        }
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::NoPlatform { platform, .. } => Some(platform.clone()),
            Self::Mismatch { actual, .. } => Some(actual.clone()),
            Self::InUse { .. } => Some("a process that uses it; nothing was removed".to_owned()),
            other => other.inner().and_then(Describe::actual),
        }
    }

    fn file(&self) -> Option<&Path> {
        self.inner().and_then(Describe::file)
    }

    fn next(&self) -> String {
        match self {
            Self::InUse { .. } => "facet ps".to_owned(),
            other => match other.inner() {
                Some(error) => error.next(),
                None => format!("facet explain {}", other.code()),
            },
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        self.inner().map(Describe::problems).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn own() -> Vec<RuntimeError> {
        let text = || "x".to_owned();
        vec![
            RuntimeError::InUse { runtime: text() },
            RuntimeError::Mismatch { what: text(), expected: text(), actual: text() },
            RuntimeError::NoPlatform { runtime: text(), platform: text(), known: vec!["y"] },
        ]
    }

    #[test]
    fn every_code_is_explained_and_every_explanation_has_a_code() {
        let codes: Vec<&str> = own().iter().map(Describe::code).collect();
        assert_eq!(codes, RuntimeError::CODES);
        let explained: Vec<&str> =
            facets_failure::explanations(crate::EXPLANATIONS).map(|one| one.code).collect();
        assert_eq!(explained, RuntimeError::CODES);
    }

    #[test]
    fn every_error_says_what_was_expected_and_what_was_found() {
        for error in own() {
            let failure = error.describe();
            assert!(failure.expected.is_some_and(|text| !text.is_empty()), "{error:?}");
            assert!(failure.actual.is_some_and(|text| !text.is_empty()), "{error:?}");
            assert!(failure.next.starts_with("facet "), "{error:?}");
        }
    }

    #[test]
    fn an_error_of_a_crate_below_keeps_its_words() {
        let busy = || StoreError::Busy { path: PathBuf::from("/s") };
        let (own, below) = (RuntimeError::from(busy()).describe(), busy().describe());
        assert_eq!((own.code, own.message), (below.code, below.message));
        assert_eq!((own.expected, own.actual), (below.expected, below.actual));
        assert_eq!((own.file, own.next), (below.file, below.next));
    }
}
