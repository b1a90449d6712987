use std::io;
use std::path::{Path, PathBuf};

use facets_digest::json::{JsonError, Position};
use facets_model::NameError;

/// Why facet could not judge.
#[derive(Debug, thiserror::Error)]
pub enum OpsError {
    /// A file could not be opened or read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is larger than its reader takes.
    #[error("{} is too large", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size that is still allowed.
        limit: u64,
    },
    /// A directory, a pipe or a device where a file is expected.
    #[error("{} is not a regular file", path.display())]
    NotRegular {
        /// What was given.
        path: PathBuf,
    },
    /// Standard input can be read once.
    #[error("`-` is given more than once")]
    StdinTwice,
    /// A document is not the JSON that we accept.
    #[error("{} is not JSON that can be hashed", path.display())]
    Json {
        /// The document.
        path: PathBuf,
        /// What is wrong, and where.
        source: JsonError,
    },
    /// A directory was expected.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// What was given.
        path: PathBuf,
    },
    /// No manifest to check.
    #[error("no manifest in {}", directory.display())]
    NoManifest {
        /// The directory.
        directory: PathBuf,
    },
    /// More than one manifest to check.
    #[error("more than one manifest in {}", directory.display())]
    AmbiguousManifest {
        /// The directory.
        directory: PathBuf,
        /// Their names.
        found: Vec<&'static str>,
    },
    /// A file that `init` would write is there with other content.
    #[error("{} exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The name for a new manifest is not one.
    #[error("{found:?} cannot be a name")]
    BadName {
        /// The name, given or taken from the directory.
        found: String,
        /// What is wrong with it.
        source: NameError,
        /// The command with a name that would do.
        next: String,
    },
    /// `explain` was asked for a code that there is not.
    #[error("there is no code {code:?}")]
    UnknownCode {
        /// What was asked for.
        code: String,
        /// The most similar code.
        nearest: &'static str,
    },
}

/// An error as it is shown: what happened, to what, expected and actual, what next.
#[derive(Debug)]
pub struct Failure {
    /// The word for `facet explain`.
    pub code: &'static str,
    /// What happened, to what.
    pub message: String,
    /// The file or directory it is about.
    pub file: Option<PathBuf>,
    /// The place in that file.
    pub position: Option<Position>,
    /// What would have been right.
    pub expected: Option<String>,
    /// What was there instead.
    pub actual: Option<String>,
    /// A command to type next.
    pub next: String,
}

impl OpsError {
    /// Every code that an error of this crate can have, beside those of the JSON reader.
    pub const CODES: &'static [&'static str] = &[
        "file-exists",
        "file-too-large",
        "file-unreadable",
        "file-unwritable",
        "init-bad-name",
        "manifest-ambiguous",
        "manifest-not-found",
        "not-a-directory",
        "stdin-twice",
        "unknown-code",
    ];

    fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "file-unreadable",
            Self::Unwritable { .. } => "file-unwritable",
            Self::TooLarge { .. } => "file-too-large",
            Self::NotRegular { .. } => "file-not-regular",
            Self::StdinTwice => "stdin-twice",
            Self::Json { source, .. } => source.kind.code(),
            Self::NotADirectory { .. } => "not-a-directory",
            Self::NoManifest { .. } => "manifest-not-found",
            Self::AmbiguousManifest { .. } => "manifest-ambiguous",
            Self::Exists { .. } => "file-exists",
            Self::BadName { .. } => "init-bad-name",
            Self::UnknownCode { .. } => "unknown-code",
        }
    }

    /// The error for people and machines to read.
    #[must_use]
    pub fn describe(&self) -> Failure {
        let (expected, actual) = self.expected_and_actual();
        Failure {
            code: self.code(),
            message: self.to_string(),
            file: self.file().map(Path::to_owned),
            position: match self {
                Self::Json { source, .. } => Some(source.position),
                _ => None,
            },
            expected,
            actual,
            next: self.next(),
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Unreadable { path, .. }
            | Self::Unwritable { path, .. }
            | Self::TooLarge { path, .. }
            | Self::NotRegular { path }
            | Self::Json { path, .. }
            | Self::NotADirectory { path }
            | Self::Exists { path } => Some(path),
            Self::NoManifest { directory } | Self::AmbiguousManifest { directory, .. } => {
                Some(directory)
            }
            Self::StdinTwice | Self::BadName { .. } | Self::UnknownCode { .. } => None,
        }
    }

    fn expected_and_actual(&self) -> (Option<String>, Option<String>) {
        let both = |expected: &str, actual: String| (Some(expected.to_owned()), Some(actual));
        match self {
            Self::Unreadable { source, .. } => both("a readable file", source.to_string()),
            Self::Unwritable { source, .. } => both("a place to write to", source.to_string()),
            Self::TooLarge { limit, .. } => {
                both(&format!("at most {limit} bytes"), "more than that".to_owned())
            }
            Self::NotRegular { .. } => {
                both("a regular file", "a directory, a pipe or a device".to_owned())
            }
            Self::StdinTwice => both("`-` once", "`-` several times".to_owned()),
            Self::Json { source, .. } => {
                let problem = facets_model::manifest::Problem::from_json(source);
                both(&problem.allowed, problem.found)
            }
            Self::NoManifest { .. } => {
                both("facet.json, facet.yaml or server.yaml", "none of them".to_owned())
            }
            Self::AmbiguousManifest { found, .. } => both("exactly one", found.join(" and ")),
            Self::BadName { source, .. } => both(
                "2 to 64 of a-z, 0-9 and single hyphens, beginning with a letter",
                source.to_string(),
            ),
            Self::NotADirectory { path } => {
                let there = if path.exists() { "a file" } else { "nothing" };
                both("a directory", there.to_owned())
            }
            Self::Exists { .. } => {
                both("no manifest, or just this file", "something else under its name".to_owned())
            }
            Self::UnknownCode { code, .. } => {
                both("a code that `facet explain` lists", format!("{code:?}"))
            }
        }
    }

    fn next(&self) -> String {
        match self {
            Self::NoManifest { directory } => {
                format!("facet init facet {}", shell_word(directory))
            }
            Self::BadName { next, .. } => next.clone(),
            Self::UnknownCode { nearest, .. } => format!("facet explain {nearest}"),
            Self::StdinTwice => "facet digest file -".to_owned(),
            _ => format!("facet explain {}", self.code()),
        }
    }
}

/// A path as it can be typed into a shell.
#[must_use]
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
