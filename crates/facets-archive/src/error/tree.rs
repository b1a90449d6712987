//! Why a tree cannot be packed.

use std::io;
use std::path::{Path, PathBuf};

use facets_failure::{Describe, FileProblem, shell_word};
use facets_model::PathError;

use super::path::code_of;

/// Why a tree cannot be packed.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Files that cannot be packed.
    #[error("{}", summary(problems))]
    Refused {
        /// All of them, as far as they are listed; at least one.
        problems: Vec<TreeProblem>,
    },
    /// A file or directory could not be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file was written to meanwhile.
    #[error("{} changed while it was read", path.display())]
    Changed {
        /// Which.
        path: PathBuf,
    },
}

/// A file that cannot be packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeProblem {
    /// Relative to the root.
    pub path: String,
    /// Why.
    pub kind: TreeProblemKind,
}

/// Why a file cannot be packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeProblemKind {
    /// A symbolic link.
    Symlink,
    /// A pipe, a socket or a device.
    SpecialFile,
    /// The name is no text.
    NotUtf8,
    /// The path is against the rules.
    Path(PathError),
    /// Another path is the same on some file systems.
    Collision {
        /// The other path.
        other: String,
    },
    /// It looks like a secret.
    Secret {
        /// Why.
        reason: &'static str,
    },
    /// A native addon, which works on one platform only.
    NativeAddon,
    /// A file of ignore patterns that cannot be used.
    IgnoreFile {
        /// Why.
        reason: &'static str,
    },
}

impl TreeProblem {
    fn code(&self) -> &'static str {
        match &self.kind {
            TreeProblemKind::Symlink => "archive-symlink",
            TreeProblemKind::SpecialFile => "archive-special-file",
            TreeProblemKind::NotUtf8 => "archive-path-not-utf8",
            TreeProblemKind::Path(problem) => code_of(problem),
            TreeProblemKind::Collision { .. } => "archive-collision",
            TreeProblemKind::Secret { .. } => "archive-secret",
            TreeProblemKind::NativeAddon => "archive-native-addon",
            TreeProblemKind::IgnoreFile { .. } => "archive-ignore-file",
        }
    }

    /// Found, allowed, and what to do.
    fn details(&self) -> [String; 3] {
        let leave_out = "leave it out with a line in .facetignore";
        match &self.kind {
            TreeProblemKind::Symlink => [
                "a symbolic link".to_owned(),
                "files and directories".to_owned(),
                format!("replace it with the file that it points to, or {leave_out}"),
            ],
            TreeProblemKind::SpecialFile => [
                "a pipe, a socket or a device".to_owned(),
                "files and directories".to_owned(),
                leave_out.to_owned(),
            ],
            TreeProblemKind::NotUtf8 => [
                "a name that is not UTF-8".to_owned(),
                "names in UTF-8".to_owned(),
                format!("rename it, or {leave_out}"),
            ],
            TreeProblemKind::Path(problem) => [
                problem.to_string(),
                "a path that means the same on every system".to_owned(),
                format!("rename it, or {leave_out}"),
            ],
            TreeProblemKind::Collision { other } => [
                format!("the same path as {other:?} on some file systems"),
                "paths that are different on every file system".to_owned(),
                format!("rename one of the two, or {leave_out}"),
            ],
            TreeProblemKind::Secret { reason } => [
                (*reason).to_owned(),
                "no secrets: every user of the server can read them".to_owned(),
                format!(
                    "{leave_out}, or pass --allow-secret {}",
                    shell_word(Path::new(&self.path))
                ),
            ],
            TreeProblemKind::NativeAddon => [
                "a native addon".to_owned(),
                "code that runs on every platform, and that can be scanned".to_owned(),
                leave_out.to_owned(),
            ],
            TreeProblemKind::IgnoreFile { reason } => [
                (*reason).to_owned(),
                "a text of patterns, at most 1 MiB".to_owned(),
                "replace it with a regular file".to_owned(),
            ],
        }
    }
}

fn summary(problems: &[TreeProblem]) -> String {
    match problems {
        [one] => format!("{:?} cannot be packed: {}", one.path, one.details()[0]),
        many => format!("{} files cannot be packed", many.len()),
    }
}

impl Describe for TreeError {
    fn code(&self) -> &'static str {
        match self {
            // Each problem has its own code; the first one stands for all.
            Self::Refused { problems } => {
                problems.first().map_or("archive-special-file", TreeProblem::code)
            }
            Self::Unreadable { .. } => "archive-tree-unreadable",
            Self::Changed { .. } => "archive-file-changed",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Refused { problems } => {
                problems.first().map(|one| one.details()[1].clone()).unwrap_or_default()
            }
            Self::Unreadable { .. } => "a readable file or directory".to_owned(),
            Self::Changed { .. } => "files that do not change while they are packed".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Unreadable { source, .. } => Some(source.to_string()),
            Self::Refused { .. } | Self::Changed { .. } => None,
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Refused { .. } => None,
            Self::Unreadable { path, .. } | Self::Changed { path } => Some(path),
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        let Self::Refused { problems } = self else { return Vec::new() };
        let shown = |one: &TreeProblem| {
            let [found, allowed, fix] = one.details();
            let details = [found.as_str(), allowed.as_str(), fix.as_str()];
            FileProblem::of_file(PathBuf::from(&one.path), one.code(), "", details)
        };
        problems.iter().map(shown).collect()
    }
}
