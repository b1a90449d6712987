//! What stands in the way of a plan.

use std::fmt;

use facets_failure::{Describe, LineColumn};
use facets_lock::LockError;
use facets_model::{ArtifactName, AssetKind, AssetName};

use crate::fix::Fix;
use crate::wanted::Requirer;

/// One of several that want a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetClaim {
    /// The facet.
    pub facet: ArtifactName,
    /// What it has.
    pub kind: AssetKind,
    /// The author's name for it.
    pub authored: AssetName,
}

impl fmt::Display for AssetClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} \"{}\" of facet \"{}\"", self.kind, self.authored, self.facet)
    }
}

/// One of several that want a server under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerClaim {
    /// Who wants it.
    pub by: Requirer,
    /// The effective name, as this one spells it.
    pub name: String,
    /// What it wants, for people.
    pub what: String,
}

impl fmt::Display for ServerClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.what, self.by)
    }
}

/// What stands in the way of a plan. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanProblem {
    /// Several assets have one effective name.
    #[error("{} have the same name \"{name}\"", joined(claims))]
    AssetConflict {
        /// The effective name.
        name: AssetName,
        /// All that have it.
        claims: Vec<AssetClaim>,
        /// An alias for each but the first.
        fixes: Vec<Fix>,
    },
    /// Several servers have one effective name.
    #[error("server \"{name}\" is declared differently: {}", joined(claims))]
    ServerConflict {
        /// The effective name.
        name: String,
        /// All that want it.
        claims: Vec<ServerClaim>,
        /// An alias for each that does not agree with the first.
        fixes: Vec<Fix>,
    },
    /// A server is declared under a name that no server of the registry has.
    #[error("{by} declares a registry server under the name {:?}", by.authored())]
    BadServerName {
        /// Who declares it.
        by: Requirer,
    },
    /// The project renames or omits what the facet does not have.
    #[error("facet \"{facet}\" has no \"{authored}\" under \"{group}\"")]
    UnusedOverride {
        /// The facet.
        facet: ArtifactName,
        /// `skills`, `agents`, `commands` or `servers`.
        group: String,
        /// The name that the project gives.
        authored: String,
        /// The names that the facet has there.
        known: Vec<String>,
        /// The entry without it.
        fix: Fix,
    },
    /// A facet is composed of others.
    #[error("facet \"{facet}\" is composed of other facets: {}", of.join(", "))]
    Composition {
        /// The facet.
        facet: ArtifactName,
        /// What it is composed of, as `name@version`.
        of: Vec<String>,
    },
    /// The version is not one that the project asks for.
    #[error("facet \"{facet}\" has version {found}, facets.json asks for {asked}")]
    UnwantedVersion {
        /// The facet.
        facet: ArtifactName,
        /// What the project asks for.
        asked: String,
        /// The version that was found.
        found: String,
    },
    /// What a facet says about itself is not what it was resolved as.
    #[error("facet \"{facet}\" has the {member} {found} in its own manifest")]
    OtherFacet {
        /// The name in `facets.json`.
        facet: ArtifactName,
        /// `name` or `version`.
        member: &'static str,
        /// What was resolved.
        expected: String,
        /// What its manifest says.
        found: String,
    },
    /// A facet lacks a file that its manifest lists.
    #[error("facet \"{facet}\" has no file {path}")]
    MissingFile {
        /// The facet.
        facet: ArtifactName,
        /// The file.
        path: String,
    },
    /// An entry of the lock that is needed is not as facet writes it.
    #[error("the lock entry of {what} \"{name}\" is invalid: {error}")]
    BrokenEntry {
        /// `facet` or `server`.
        what: &'static str,
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: LockError,
    },
    /// Files of the user are where an asset belongs.
    #[error(
        "the {kind} \"{name}\" of facet \"{facet}\" would overwrite {}, which facet did not write",
        paths.join(", ")
    )]
    InTheWay {
        /// The facet.
        facet: String,
        /// What it installs.
        kind: AssetKind,
        /// Under which name.
        name: AssetName,
        /// The files that are in the way.
        paths: Vec<String>,
        /// An alias.
        fixes: Vec<Fix>,
    },
}

impl PlanProblem {
    /// Every code, without those of a lock.
    pub const CODES: &'static [&'static str] = &[
        "asset-conflict",
        "server-conflict",
        "server-name-invalid",
        "override-unused",
        "composition-unsupported",
        "facet-version-unwanted",
        "facet-mismatch",
        "facet-file-missing",
        "asset-in-the-way",
    ];

    /// The members to write into `facets.json`, if that resolves it.
    #[must_use]
    pub fn fixes(&self) -> &[Fix] {
        match self {
            Self::AssetConflict { fixes, .. }
            | Self::ServerConflict { fixes, .. }
            | Self::InTheWay { fixes, .. } => fixes,
            Self::UnusedOverride { fix, .. } => std::slice::from_ref(fix),
            Self::BadServerName { .. }
            | Self::Composition { .. }
            | Self::UnwantedVersion { .. }
            | Self::OtherFacet { .. }
            | Self::MissingFile { .. }
            | Self::BrokenEntry { .. } => &[],
        }
    }
}

impl Describe for PlanProblem {
    fn code(&self) -> &'static str {
        match self {
            Self::AssetConflict { .. } => "asset-conflict",
            Self::ServerConflict { .. } => "server-conflict",
            Self::BadServerName { .. } => "server-name-invalid",
            Self::UnusedOverride { .. } => "override-unused",
            Self::Composition { .. } => "composition-unsupported",
            Self::UnwantedVersion { .. } => "facet-version-unwanted",
            Self::OtherFacet { .. } => "facet-mismatch",
            Self::MissingFile { .. } => "facet-file-missing",
            Self::BrokenEntry { error, .. } => error.code(),
            Self::InTheWay { .. } => "asset-in-the-way",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::AssetConflict { .. } => "one asset for each name".to_owned(),
            Self::ServerConflict { .. } => "one server for each name".to_owned(),
            Self::BadServerName { .. } => "the name of a registry server".to_owned(),
            Self::UnusedOverride { known, .. } if known.is_empty() => "no override".to_owned(),
            Self::UnusedOverride { known, .. } => format!("one of {}", known.join(", ")),
            Self::Composition { .. } => "a facet with assets and servers of its own".to_owned(),
            Self::UnwantedVersion { asked, .. } => asked.clone(),
            Self::OtherFacet { expected, .. } => expected.clone(),
            Self::MissingFile { .. } => "every file that its manifest lists".to_owned(),
            Self::BrokenEntry { error, .. } => return error.expected(),
            Self::InTheWay { .. } => "no file, or one that facet wrote".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::AssetConflict { claims, .. } => joined(claims),
            Self::ServerConflict { claims, .. } => joined(claims),
            Self::BadServerName { by } => by.authored().to_owned(),
            Self::UnusedOverride { authored, .. } => authored.clone(),
            Self::Composition { of, .. } => of.join(", "),
            Self::UnwantedVersion { found, .. } | Self::OtherFacet { found, .. } => found.clone(),
            Self::MissingFile { path, .. } => format!("no {path}"),
            Self::BrokenEntry { error, .. } => return error.actual(),
            Self::InTheWay { paths, .. } => paths.join(", "),
        })
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::BrokenEntry { error, .. } => error.place(),
            _ => None,
        }
    }

    fn next(&self) -> String {
        if let Self::BrokenEntry { name, .. } = self {
            return format!(
                "restore facets.lock from version control, or run `facet remove {name}`"
            );
        }
        let fixes: Vec<String> = self.fixes().iter().map(ToString::to_string).collect();
        if fixes.is_empty() {
            return format!("facet explain {}", self.code());
        }
        fixes.join("; ")
    }
}

/// For people: `a`, `a and b`, or `a, b and c`.
fn joined(all: &[impl fmt::Display]) -> String {
    match all {
        [] => String::new(),
        [only] => only.to_string(),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(ToString::to_string).collect();
            format!("{} and {last}", first.join(", "))
        }
    }
}
