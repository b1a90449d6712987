//! What is in the way of a package that is to be started.

use std::path::PathBuf;

use facets_digest::Digest;
use facets_failure::{Describe, Note, Stderr};
use facets_model::PackageSpecError;

use super::start::StartFailure;

/// What is in the way of a package that is to be started.
#[derive(Debug, thiserror::Error)]
pub enum PackageStartError {
    /// What was typed names no package.
    #[error("`{word}` names no package: {source}")]
    BadName {
        /// What was typed.
        word: String,
        /// What is wrong with it.
        source: PackageSpecError,
    },
    /// Its tree is not in the store, and nothing is fetched now.
    #[error("the packages of {package} are not in the store of this machine")]
    NotStored {
        /// The package and its version.
        package: String,
        /// The digest of its closure.
        closure: Digest,
    },
    /// The Python that was found is not the pinned one.
    #[error("{program} is not the Python that is pinned")]
    OtherPython {
        /// The server, if it has a name.
        server: Option<String>,
        /// What was found.
        program: String,
        /// What is pinned.
        expected: String,
        /// What it is.
        actual: String,
    },
    /// A pinned file in the server's own copy was changed.
    #[error("{} was modified in the copy of {server}", path.display())]
    CopyModified {
        /// The server.
        server: String,
        /// The file.
        path: PathBuf,
        /// What is pinned.
        expected: Digest,
        /// What it is; none if it is no file any more.
        actual: Option<Digest>,
    },
    /// The same packages gave other files.
    #[error("the unpacked files of {package} are not those of the lock")]
    OtherTree {
        /// The package and its version.
        package: String,
        /// What is locked.
        expected: Digest,
        /// What was unpacked.
        actual: Digest,
    },
    /// The resolver left out what it was asked for.
    #[error("{package} is not among the packages that were resolved")]
    NotInClosure {
        /// The package.
        package: String,
    },
    /// A variable that would decide which code runs.
    #[error("the variable {variable} can choose other code, and is not passed to a locked package")]
    Variable {
        /// Its name.
        variable: String,
    },
    /// It does not start, and has packages that an installer would build.
    #[error("{package} needs a build: {source}")]
    NeedsBuild {
        /// The package and its version.
        package: String,
        /// The packages that would be built.
        builds: Vec<String>,
        /// How the start failed.
        source: Box<StartFailure>,
    },
}

impl PackageStartError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "package-bad-name",
        "package-copy-modified",
        "package-needs-build",
        "package-not-resolved",
        "package-not-stored",
        "package-tree-differs",
        "package-variable-refused",
        "python-differs",
    ];
}

impl Describe for PackageStartError {
    fn code(&self) -> &'static str {
        match self {
            Self::BadName { .. } => "package-bad-name",
            Self::NotStored { .. } => "package-not-stored",
            Self::OtherPython { .. } => "python-differs",
            Self::CopyModified { .. } => "package-copy-modified",
            Self::OtherTree { .. } => "package-tree-differs",
            Self::NotInClosure { .. } => "package-not-resolved",
            Self::Variable { .. } => "package-variable-refused",
            Self::NeedsBuild { .. } => "package-needs-build",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::BadName { .. } => {
                "npm:NAME, npm:NAME@VERSION, pypi:NAME or pypi:NAME==VERSION".to_owned()
            }
            Self::NotStored { closure, .. } => format!("the files of the closure {closure}"),
            Self::OtherPython { expected, .. } => expected.clone(),
            Self::CopyModified { expected, .. } | Self::OtherTree { expected, .. } => {
                expected.to_string()
            }
            Self::NotInClosure { package } => package.clone(),
            Self::Variable { .. } => "variables that are data".to_owned(),
            Self::NeedsBuild { .. } => "a server that starts without a build".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::BadName { word, .. } => word.clone(),
            Self::NotStored { .. } => "none".to_owned(),
            Self::OtherPython { actual, .. } => actual.clone(),
            Self::CopyModified { actual, .. } => {
                actual.map_or("no such file".to_owned(), |actual| actual.to_string())
            }
            Self::OtherTree { actual, .. } => actual.to_string(),
            Self::NotInClosure { .. } => "other packages".to_owned(),
            Self::Variable { variable } => variable.clone(),
            Self::NeedsBuild { builds, .. } => {
                format!("an installer would run scripts of {}; facet runs none", builds.join(", "))
            }
        })
    }

    fn next(&self) -> String {
        match self {
            Self::NotStored { .. } => "facet install".to_owned(),
            Self::CopyModified { server, .. } => format!("facet data {server} --clear"),
            Self::OtherPython { server: Some(server), .. } => format!("facet approve {server}"),
            other => format!("facet explain {}", other.code()),
        }
    }

    fn error_output(&self) -> Option<Stderr> {
        match self {
            Self::NeedsBuild { source, .. } => source.error_output(),
            _ => None,
        }
    }

    fn notes(&self) -> Vec<Note> {
        match self {
            Self::NeedsBuild { source, .. } => source.notes(),
            _ => Vec::new(),
        }
    }
}
