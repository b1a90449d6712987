//! What is in the way of an artifact that is to be started.

use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_failure::{Describe, FileProblem, shell_word};

/// What is known of the source of an artifact whose archive is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceLook {
    /// Nothing: it was not built.
    NotBuilt,
    /// That it cannot be built.
    Unbuildable,
    /// That it gives other bytes than the pinned ones.
    Changed,
}

/// What is in the way of an artifact that is to be started.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// Its archive is not in the store, and was not built again.
    #[error("the pinned bytes of {artifact} are not in the store of this machine")]
    ArtifactAbsent {
        /// Name and version.
        artifact: String,
        /// SHA-256 of its archive.
        content_hash: Digest,
        /// What is known of its source.
        source_look: SourceLook,
    },
    /// The directory or archive that was typed does not exist.
    #[error("{} does not exist", path.display())]
    SourceMissing {
        /// What was typed.
        path: PathBuf,
        /// What to type next.
        next: String,
    },
    /// What was typed is no server.
    #[error("{} is not a server", path.display())]
    NotAServer {
        /// The directory or file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// The directory of a server has mistakes.
    #[error("{} has {}", directory.display(), count_of(problems))]
    SourceInvalid {
        /// The directory.
        directory: PathBuf,
        /// All mistakes.
        problems: Vec<FileProblem>,
    },
    /// Its runtime is not installed.
    #[error("{runtime} is not installed")]
    RuntimeAbsent {
        /// Name and version.
        runtime: String,
    },
    /// The lock pins a runtime that this facet does not have.
    #[error("this facet does not have {runtime}, which facets.lock pins")]
    RuntimeUnknown {
        /// Name and version.
        runtime: String,
    },
    /// The lock pins other bytes of a runtime.
    #[error("facets.lock pins other bytes of {runtime} for {platform} than this facet has")]
    RuntimeDiffers {
        /// Name and version.
        runtime: String,
        /// The platform of this machine.
        platform: String,
        /// The digest in the lock.
        expected: String,
        /// The digest that this facet knows.
        actual: String,
    },
    /// Packages that are not part of it, or a `package.json`, where its runtime would find them.
    #[error("{} is above the artifact, and can replace what the server imports", path.display())]
    ModulesAbove {
        /// The directory or file.
        path: PathBuf,
        /// The server, if it is pinned.
        server: Option<String>,
    },
    /// A variable that it lists is one that no server gets.
    #[error("server.yaml lists {variable}, which no server gets from facet")]
    VariableRefused {
        /// Its name.
        variable: String,
        /// Why no server gets it.
        reason: &'static str,
    },
    /// A variable that it cannot do without has no value.
    #[error("{}", without_value(variable, description.as_deref()))]
    VariableMissing {
        /// Its name.
        variable: String,
        /// What its manifest says about it.
        description: Option<String>,
        /// Files of clients that could have had its value.
        looked: Vec<String>,
    },
}

fn without_value(variable: &str, description: Option<&str>) -> String {
    match description {
        Some(text) => format!("environment variable {variable} is not set: {text}"),
        None => format!("environment variable {variable} is not set"),
    }
}

fn count_of(problems: &[FileProblem]) -> String {
    match problems.len() {
        1 => "1 problem".to_owned(),
        count => format!("{count} problems"),
    }
}

impl ArtifactError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "ancestor-node-modules",
        "artifact-not-a-server",
        "artifact-not-stored",
        "artifact-runtime-absent",
        "artifact-runtime-differs",
        "artifact-runtime-unknown",
        "artifact-source-invalid",
        "artifact-source-missing",
    ];
}

impl Describe for ArtifactError {
    fn code(&self) -> &'static str {
        match self {
            Self::ArtifactAbsent { .. } => "artifact-not-stored",
            Self::SourceMissing { .. } => "artifact-source-missing",
            Self::NotAServer { .. } => "artifact-not-a-server",
            Self::SourceInvalid { .. } => "artifact-source-invalid",
            Self::RuntimeAbsent { .. } => "artifact-runtime-absent",
            Self::RuntimeUnknown { .. } => "artifact-runtime-unknown",
            Self::RuntimeDiffers { .. } => "artifact-runtime-differs",
            Self::ModulesAbove { .. } => "ancestor-node-modules",
            Self::VariableMissing { .. } => "variable-not-set",
            Self::VariableRefused { .. } => "env-not-delivered",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::ArtifactAbsent { content_hash, .. } => {
                format!("an archive with the content hash {content_hash}")
            }
            Self::SourceInvalid { .. } => {
                "a server.yaml without problems, and its files".to_owned()
            }
            Self::SourceMissing { .. } | Self::NotAServer { .. } => {
                "the directory of a server with a server.yaml, or its .server.tar.gz".to_owned()
            }
            Self::RuntimeAbsent { .. } => "the pinned runtime".to_owned(),
            Self::RuntimeUnknown { .. } => "a runtime that this facet has".to_owned(),
            Self::RuntimeDiffers { expected, .. } => expected.clone(),
            Self::ModulesAbove { .. } => {
                "no node_modules or package.json above the store that the server can read"
                    .to_owned()
            }
            Self::VariableMissing { .. } => "a value in the environment".to_owned(),
            Self::VariableRefused { .. } => "a variable that facet gives to a server".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::ArtifactAbsent { source_look, .. } => match source_look {
                SourceLook::NotBuilt => "not stored; its source was not built".to_owned(),
                SourceLook::Unbuildable => "not stored, and its source cannot be built".to_owned(),
                SourceLook::Changed => "not stored, and its source gives other bytes".to_owned(),
            },
            Self::SourceMissing { .. } => "no such file or directory".to_owned(),
            Self::NotAServer { found, .. } => (*found).to_owned(),
            Self::SourceInvalid { .. } => "the problems below".to_owned(),
            Self::RuntimeAbsent { .. } => "not installed; nothing was fetched".to_owned(),
            Self::RuntimeUnknown { .. } => "a runtime of another version of facet".to_owned(),
            Self::RuntimeDiffers { actual, .. } => actual.clone(),
            Self::ModulesAbove { path, .. } => path.display().to_string(),
            Self::VariableRefused { variable, reason } => format!("{variable}: {reason}"),
            Self::VariableMissing { looked, .. } if looked.is_empty() => "not set".to_owned(),
            Self::VariableMissing { looked, .. } => {
                format!("not set, and no guarded entry has it in {}", looked.join(", "))
            }
        })
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::SourceMissing { path, .. } | Self::NotAServer { path, .. } => Some(path),
            Self::SourceInvalid { directory, .. } => Some(directory),
            _ => None,
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        match self {
            Self::SourceInvalid { problems, .. } => problems.clone(),
            _ => Vec::new(),
        }
    }

    fn next(&self) -> String {
        match self {
            Self::SourceMissing { next, .. } => next.clone(),
            Self::NotAServer { path, .. } if path.is_dir() => {
                format!("facet init server {}", shell_word(path))
            }
            Self::SourceInvalid { directory, .. } => {
                format!("facet build --check {}", shell_word(directory))
            }
            Self::RuntimeUnknown { .. }
            | Self::RuntimeDiffers { .. }
            | Self::ArtifactAbsent { source_look: SourceLook::Changed, .. } => {
                "facet approve --all".to_owned()
            }
            Self::ArtifactAbsent { .. } | Self::RuntimeAbsent { .. } => "facet check".to_owned(),
            Self::ModulesAbove { server: Some(name), .. } => {
                format!("facet grant {name} filesystem=none")
            }
            Self::ModulesAbove { server: None, .. }
            | Self::NotAServer { .. }
            | Self::VariableRefused { .. } => {
                format!("facet explain {}", self.code())
            }
            Self::VariableMissing { variable, .. } => format!("export {variable}=…"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_archive_is_approved_anew_only_where_its_source_was_seen_to_have_changed() {
        let absent = |source_look: SourceLook| ArtifactError::ArtifactAbsent {
            artifact: "mine 1.0.0".to_owned(),
            content_hash: Digest::of(b"archive"),
            source_look,
        };
        let not_built = absent(SourceLook::NotBuilt);
        assert_eq!(not_built.actual().as_deref(), Some("not stored; its source was not built"));
        assert_eq!(not_built.next(), "facet check");
        assert_eq!(absent(SourceLook::Unbuildable).next(), "facet check");
        assert_eq!(absent(SourceLook::Changed).next(), "facet approve --all");
    }
}
