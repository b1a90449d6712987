//! Why something was not installed or upgraded.

use std::path::Path;

use facets_failure::{Describe, FileProblem, LineColumn, Note};

use super::acquire::AcquireError;
use super::task::TaskError;

/// Which check found that something is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallCheck {
    /// The downloaded bytes, against the content hash.
    Transport,
    /// What an archive has in it: integrity, name, version.
    Content,
    /// What the lock pins.
    Lockfile,
    /// What a commit of a git repository was built to, against the lock.
    Git,
    /// What a server declares, against what its registry saw.
    Surface,
    /// A file in the folder of a client.
    File,
}

impl InstallCheck {
    /// Its word for people and programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Content => "content",
            Self::Lockfile => "lockfile",
            Self::Git => "git",
            Self::Surface => "surface",
            Self::File => "file",
        }
    }
}

/// Why something was not installed or upgraded.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// Something is not what it should be.
    #[error("{subject}: the {} check failed", check.word())]
    Mismatch {
        /// Which check.
        check: InstallCheck,
        /// Of what.
        subject: String,
        /// What it should be.
        expected: String,
        /// What it is.
        actual: String,
        /// Where that came from: an address or a path.
        source_of: String,
    },
    /// Bytes could not be had.
    #[error("{0}")]
    Acquire(#[from] AcquireError),
    /// A plan was not made, or not carried out.
    #[error("{0}")]
    Task(#[from] TaskError),
}

impl InstallError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &["install-mismatch"];

    /// Whether it is a negative verdict: something is known not to be what it should be.
    #[must_use]
    pub fn is_verdict(&self) -> bool {
        match self {
            Self::Mismatch { .. } => true,
            Self::Acquire(error) => error.is_verdict(),
            Self::Task(error) => error.is_verdict(),
        }
    }
}

impl Describe for InstallError {
    fn code(&self) -> &'static str {
        match self {
            Self::Mismatch { .. } => "install-mismatch",
            Self::Acquire(error) => error.code(),
            Self::Task(error) => error.code(),
        }
    }

    fn expected(&self) -> Option<String> {
        match self {
            Self::Mismatch { expected, .. } => Some(expected.clone()),
            Self::Acquire(error) => error.expected(),
            Self::Task(error) => error.expected(),
        }
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Mismatch { actual, source_of, .. } => Some(format!("{actual} ({source_of})")),
            Self::Acquire(error) => error.actual(),
            Self::Task(error) => error.actual(),
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Acquire(error) => error.file(),
            Self::Task(error) => error.file(),
            Self::Mismatch { .. } => None,
        }
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Task(error) => error.place(),
            Self::Acquire(error) => error.place(),
            Self::Mismatch { .. } => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::Acquire(error) => error.next(),
            Self::Task(error) => error.next(),
            Self::Mismatch { .. } => format!("facet explain {}", self.code()),
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        match self {
            Self::Acquire(error) => error.problems(),
            Self::Task(error) => error.problems(),
            Self::Mismatch { .. } => Vec::new(),
        }
    }

    fn notes(&self) -> Vec<Note> {
        match self {
            Self::Acquire(error) => error.notes(),
            Self::Task(error) => error.notes(),
            Self::Mismatch { .. } => Vec::new(),
        }
    }
}
