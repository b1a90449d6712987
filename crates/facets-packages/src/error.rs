//! Why a package cannot be resolved, fetched or unpacked.

use std::path::Path;

use facets_archive::ArchiveError;
use facets_closure::ClosureError;
use facets_failure::{Describe, FileProblem, Stderr};
use facets_fetch::FetchError;
use facets_launch::LaunchError;
use facets_store::StoreError;

/// Why a package cannot be resolved, fetched or unpacked.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// npm or uv ended without a result.
    #[error("cannot resolve {package}: {program} {reason}")]
    Unresolved {
        /// What was asked for.
        package: String,
        /// Which program.
        program: &'static str,
        /// How it ended.
        reason: String,
        /// What it printed.
        stderr: Box<Stderr>,
    },
    /// The file of a package contains another one.
    #[error("the file of {package} contains {found}")]
    Identity {
        /// What the registry says it is.
        package: String,
        /// What it is.
        found: String,
    },
    /// The program of a package is not among its files.
    #[error("{package} has no file {path}, which its program {program} names")]
    NoProgramFile {
        /// The package.
        package: String,
        /// The name of the program.
        program: String,
        /// The file that is missing.
        path: String,
    },
    /// A wheel is not as wheels have to be.
    #[error("{wheel}: {problem}")]
    Wheel {
        /// The wheel.
        wheel: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no suitable Python on this machine.
    #[error("no {wanted} was found")]
    NoPython {
        /// What was looked for.
        wanted: String,
    },
    /// A Python does not answer as it should.
    #[error("{program} cannot be used: {problem}")]
    BadPython {
        /// The program.
        program: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The file of a package could not be fetched.
    #[error("{package}: {source}")]
    Fetch {
        /// The package.
        package: String,
        /// Why not.
        source: FetchError,
    },
    /// The file of a package broke a rule.
    #[error("{package}: {source}")]
    Archive {
        /// The package.
        package: String,
        /// Which rule.
        source: ArchiveError,
    },
    /// The closure cannot be used.
    #[error(transparent)]
    Closure(#[from] ClosureError),
    /// It could not be stored, or is not as it was stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A program could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The configuration of npm or pip cannot be read.
    #[error(transparent)]
    Configuration(#[from] FetchError),
}

/// An archive is visited before it is known whose it is: the package is named later.
impl From<ArchiveError> for PackageError {
    fn from(source: ArchiveError) -> Self {
        Self::Archive { package: "a package".to_owned(), source }
    }
}

impl PackageError {
    /// The codes of this crate alone.
    pub const CODES: &'static [&'static str] = &[
        "package-identity",
        "package-program-missing",
        "package-unresolved",
        "python-not-found",
        "python-unusable",
        "wheel-invalid",
    ];

    /// The same about a package.
    #[must_use]
    pub(crate) fn of_package(self, name: &str) -> Self {
        match self {
            Self::Archive { source, .. } => Self::Archive { package: name.to_owned(), source },
            other => other,
        }
    }

    /// The error of a crate below that this one only passes on.
    fn inner(&self) -> Option<&dyn Describe> {
        match self {
            Self::Fetch { source, .. } | Self::Configuration(source) => Some(source),
            Self::Archive { source, .. } => Some(source),
            Self::Closure(error) => Some(error),
            Self::Store(error) => Some(error),
            Self::Launch(error) => Some(error),
            Self::Unresolved { .. }
            | Self::Identity { .. }
            | Self::NoProgramFile { .. }
            | Self::Wheel { .. }
            | Self::NoPython { .. }
            | Self::BadPython { .. } => None,
        }
    }
}

impl Describe for PackageError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unresolved { .. } => "package-unresolved",
            Self::Identity { .. } => "package-identity",
            Self::NoProgramFile { .. } => "package-program-missing",
            Self::Wheel { .. } => "wheel-invalid",
            Self::NoPython { .. } => "python-not-found",
            Self::BadPython { .. } => "python-unusable",
            other => other.inner().map_or("package-unresolved", Describe::code),
        }
    }

    fn expected(&self) -> Option<String> {
        match self {
            Self::Unresolved { .. } => Some("the packages that it needs".to_owned()),
            Self::Identity { package, .. } => Some(package.clone()),
            Self::NoProgramFile { path, .. } => Some(path.clone()),
            Self::Wheel { .. } => Some("a wheel that matches its own RECORD".to_owned()),
            Self::NoPython { wanted } => Some(wanted.clone()),
            Self::BadPython { .. } => Some("CPython 3.9 or later".to_owned()),
            other => other.inner().and_then(Describe::expected),
        }
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Unresolved { reason, .. } => Some(reason.clone()),
            Self::Identity { found, .. } => Some(found.clone()),
            Self::NoProgramFile { .. } => Some("no such file".to_owned()),
            Self::Wheel { problem, .. } | Self::BadPython { problem, .. } => Some(problem.clone()),
            Self::NoPython { .. } => Some("none in PATH".to_owned()),
            other => other.inner().and_then(Describe::actual),
        }
    }

    fn file(&self) -> Option<&Path> {
        self.inner().and_then(Describe::file)
    }

    fn error_output(&self) -> Option<Stderr> {
        match self {
            Self::Unresolved { stderr, .. } => Some((**stderr).clone()),
            other => other.inner().and_then(Describe::error_output),
        }
    }

    fn next(&self) -> String {
        match self.inner() {
            Some(error) => error.next(),
            None => format!("facet explain {}", self.code()),
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        self.inner().map(Describe::problems).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Vec<PackageError> {
        let text = || "x".to_owned();
        vec![
            PackageError::Identity { package: text(), found: text() },
            PackageError::NoProgramFile { package: text(), program: text(), path: text() },
            PackageError::Unresolved {
                package: text(),
                program: "npm",
                reason: text(),
                stderr: Box::default(),
            },
            PackageError::NoPython { wanted: text() },
            PackageError::BadPython { program: text(), problem: text() },
            PackageError::Wheel { wheel: text(), problem: text() },
        ]
    }

    #[test]
    fn every_code_is_explained_and_every_explanation_has_a_code() {
        let codes: Vec<&str> = own().iter().map(Describe::code).collect();
        assert_eq!(codes, PackageError::CODES);
        let explained: Vec<&str> =
            facets_failure::explanations(crate::EXPLANATIONS).map(|one| one.code).collect();
        assert_eq!(explained, PackageError::CODES);
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
}
