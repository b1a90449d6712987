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
    pub const CODES: &'static [&'static str] = &["build-output-exists", "build-output-inside"];
}

impl Describe for BuildError {
    fn code(&self) -> &'static str {
        match self {
            Self::OutputExists { .. } => "build-output-exists",
            Self::OutputInside { .. } => "build-output-inside",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
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
            Self::OutputExists { .. } => "a file with other content; nothing was overwritten",
            Self::OutputInside { .. } => "a path whose file would be packed; nothing was written",
        };
        Some(actual.to_owned())
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::OutputExists { path, .. } | Self::OutputInside { path, .. } => Some(path),
        }
    }

    fn next(&self) -> String {
        match self {
            Self::OutputExists { directory, .. } => {
                format!("facet build {} --force", shell_word(directory))
            }
            Self::OutputInside { directory, .. } => {
                format!("facet build {}", shell_word(directory))
            }
        }
    }
}
