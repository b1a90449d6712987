//! Why an artifact could not be built.

use std::path::{Path, PathBuf};

use facets_failure::{Describe, shell_word};

/// Why an artifact could not be built. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Another file is where the archive should go.
    #[error("{} already exists", path.display())]
    OutputExists {
        /// The file.
        path: PathBuf,
        /// The directory that was packed.
        directory: PathBuf,
    },
    /// A file that may be packed although it looks like a secret is not packed at all.
    #[error("`--allow-secret {path}` names no file of the archive")]
    AllowedNotPacked {
        /// What was typed.
        path: String,
        /// The directory that was packed.
        directory: PathBuf,
        /// A file that may be meant.
        similar: Option<String>,
    },
    /// The archive would become a part of the next one.
    #[error("{} would be packed by the next build", path.display())]
    OutputInside {
        /// Where the archive should go.
        path: PathBuf,
        /// The directory that is packed.
        directory: PathBuf,
    },
}

impl BuildError {
    /// Every code.
    pub const CODES: &'static [&'static str] =
        &["build-output-exists", "build-output-inside", "build-secret-not-packed"];
}

impl Describe for BuildError {
    fn code(&self) -> &'static str {
        match self {
            Self::AllowedNotPacked { .. } => "build-secret-not-packed",
            Self::OutputExists { .. } => "build-output-exists",
            Self::OutputInside { .. } => "build-output-inside",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::AllowedNotPacked { directory, .. } => {
                format!("the path of a packed file, relative to {}", directory.display())
            }
            Self::OutputExists { .. } => "a new file, or the same archive".to_owned(),
            Self::OutputInside { directory, .. } => {
                format!(
                    "a path outside {}, or one that its patterns leave out",
                    directory.display()
                )
            }
        })
    }

    fn actual(&self) -> Option<String> {
        let actual = match self {
            Self::AllowedNotPacked { .. } => "no such file, or one that is left out",
            Self::OutputExists { .. } => "a file with other content; nothing was overwritten",
            Self::OutputInside { .. } => "a path whose file would be packed; nothing was written",
        };
        Some(actual.to_owned())
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::AllowedNotPacked { .. } => None,
            Self::OutputExists { path, .. } | Self::OutputInside { path, .. } => Some(path),
        }
    }

    fn next(&self) -> String {
        match self {
            Self::OutputExists { directory, .. } => {
                format!("facet build {} --force", shell_word(directory))
            }
            Self::AllowedNotPacked { directory, similar: Some(meant), .. } => {
                let (directory, meant) = (shell_word(directory), shell_word(meant.as_ref()));
                format!("facet build {directory} --allow-secret {meant}")
            }
            Self::AllowedNotPacked { directory, similar: None, .. }
            | Self::OutputInside { directory, .. } => {
                format!("facet build {}", shell_word(directory))
            }
        }
    }
}
