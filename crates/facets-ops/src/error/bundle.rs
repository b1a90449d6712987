//! Why the packages of a server could not be bundled.

use std::io;
use std::path::{Path, PathBuf};

use facets_failure::{Describe, FileProblem, Stderr};

/// Why the packages of a server could not be bundled.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Nothing says which packages exactly.
    #[error("package.json declares dependencies, but there is no bun.lock")]
    NoLock {
        /// What writes it.
        next: String,
    },
    /// A file without which no package is bundled is not packed.
    #[error("{file} is left out, and package.json declares dependencies")]
    LeftOut {
        /// `package.json` or `bun.lock`.
        file: &'static str,
        /// Which pattern does it.
        reason: String,
    },
    /// A lock that cannot be reviewed.
    #[error("bun.lockb is a binary lock, and there is no bun.lock")]
    BinaryLock {
        /// What writes one that can be.
        next: String,
    },
    /// `package.json` or `bun.lock` cannot be read.
    #[error("cannot read {file}")]
    Document {
        /// Which.
        file: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The lock is of other dependencies.
    #[error("bun.lock does not match package.json")]
    StaleLock {
        /// What is different.
        difference: String,
        /// What writes it anew.
        next: String,
    },
    /// A package that may be replaced without notice.
    #[error("bun.lock has no hash of {package}")]
    NoHash {
        /// As the lock names it.
        package: String,
    },
    /// The packages could not be installed.
    #[error("bun could not install the dependencies")]
    InstallFailed {
        /// What bun wrote.
        stderr: Stderr,
    },
    /// The bundle could not be made.
    #[error("bun could not bundle {entry}")]
    BundleFailed {
        /// The entry of the server.
        entry: String,
        /// What bun wrote.
        stderr: Stderr,
    },
    /// Packages that do not work without code of their own at installation, or on one platform only.
    #[error("{} cannot be bundled", packages(refused))]
    RefusedPackages {
        /// All of them.
        refused: Vec<RefusedPackage>,
    },
    /// A file that is not part of the server or its packages.
    #[error("the bundle would contain {path}, which is outside the server")]
    Outside {
        /// As bun names it.
        path: String,
    },
    /// The same sources gave two bundles.
    #[error("bundling {entry} twice gives different files")]
    NotReproducible {
        /// The entry of the server.
        entry: String,
    },
    /// There is a file where the bundle goes.
    #[error("{path} already exists in the server")]
    Collision {
        /// Which.
        path: String,
    },
    /// `server.yaml` is written in a way that cannot be edited.
    #[error("cannot replace `entry` in server.yaml")]
    Entry,
    /// The private directory could not be used.
    #[error("cannot use the temporary directory {}", path.display())]
    Temporary {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A package that cannot be bundled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedPackage {
    /// Its name and version.
    pub package: String,
    /// Why.
    pub reason: String,
}

fn packages(refused: &[RefusedPackage]) -> String {
    match refused {
        [one] => format!("the package {}", one.package),
        many => format!("{} packages", many.len()),
    }
}

impl BundleError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "build-binary-lock",
        "build-bundle-collision",
        "build-bundle-failed",
        "build-entry-not-editable",
        "build-import-outside",
        "build-install-failed",
        "build-left-out",
        "build-no-hash",
        "build-no-lock",
        "build-not-reproducible",
        "build-package-document",
        "build-package-refused",
        "build-stale-lock",
        "build-temporary-failed",
    ];
}

impl Describe for BundleError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoLock { .. } => "build-no-lock",
            Self::LeftOut { .. } => "build-left-out",
            Self::BinaryLock { .. } => "build-binary-lock",
            Self::Document { .. } => "build-package-document",
            Self::StaleLock { .. } => "build-stale-lock",
            Self::NoHash { .. } => "build-no-hash",
            Self::InstallFailed { .. } => "build-install-failed",
            Self::BundleFailed { .. } => "build-bundle-failed",
            Self::RefusedPackages { .. } => "build-package-refused",
            Self::Outside { .. } => "build-import-outside",
            Self::NotReproducible { .. } => "build-not-reproducible",
            Self::Collision { .. } => "build-bundle-collision",
            Self::Entry => "build-entry-not-editable",
            Self::Temporary { .. } => "build-temporary-failed",
        }
    }

    fn expected(&self) -> Option<String> {
        let expected = match self {
            Self::NoLock { .. } | Self::BinaryLock { .. } => "bun.lock beside package.json",
            Self::LeftOut { .. } => "package.json and bun.lock in the archive",
            Self::Document { .. } => "a readable file",
            Self::StaleLock { .. } => "a lock of exactly these dependencies",
            Self::NoHash { .. } => "a hash of each package in bun.lock",
            Self::InstallFailed { .. } => "the packages of bun.lock, with the hashes that it has",
            Self::BundleFailed { .. } => "a bundle",
            Self::RefusedPackages { .. } => "packages of JavaScript, without install scripts",
            Self::Outside { .. } => "files of the server, and of the packages in bun.lock",
            Self::NotReproducible { .. } => "the same bytes wherever it is bundled",
            Self::Collision { .. } => "no file where the bundle goes",
            Self::Entry => "`entry` with a path on one line",
            Self::Temporary { .. } => "a writable directory",
        };
        Some(expected.to_owned())
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::LeftOut { reason, .. } => Some(reason.clone()),
            Self::Document { problem, .. } => Some(problem.clone()),
            Self::StaleLock { difference, .. } => Some(difference.clone()),
            Self::Temporary { source, .. } => Some(source.to_string()),
            _ => None,
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Temporary { path, .. } => Some(path),
            _ => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::NoLock { next } | Self::BinaryLock { next } | Self::StaleLock { next, .. } => {
                next.clone()
            }
            _ => format!("facet explain {}", self.code()),
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        let Self::RefusedPackages { refused } = self else { return Vec::new() };
        let problem = |one: &RefusedPackage| {
            let details = [
                one.reason.as_str(),
                "JavaScript that runs on every platform, as it was published",
                "use another package, or remove it from the dependencies",
            ];
            FileProblem::of_file(PathBuf::from(&one.package), self.code(), "", details)
        };
        refused.iter().map(problem).collect()
    }

    fn error_output(&self) -> Option<Stderr> {
        match self {
            Self::InstallFailed { stderr } | Self::BundleFailed { stderr, .. } => {
                Some(stderr.clone())
            }
            _ => None,
        }
    }
}
