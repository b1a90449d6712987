//! What a project asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use facets_model::ArtifactName;
use facets_model::manifest::{DeclaredServer, ProjectFacet, ProjectManifest};

/// What a project asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Facets by name.
    pub facets: BTreeMap<ArtifactName, ProjectFacet>,
    /// Servers by the name that the project gives them.
    pub servers: BTreeMap<String, DeclaredServer>,
}

impl Wanted {
    /// What a `facets.json` asks for.
    #[must_use]
    pub fn of(manifest: &ProjectManifest) -> Self {
        Self { facets: manifest.facets.clone(), servers: manifest.servers.clone() }
    }
}

/// What may move to another version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Nothing that is locked and still asked for: install.
    Keep,
    /// Facets and servers of these names; a server by its effective name.
    Named(BTreeSet<String>),
    /// Everything: upgrade without names.
    All,
}

impl Move {
    /// Whether a facet or server of this name may move.
    #[must_use]
    pub fn includes(&self, name: &str) -> bool {
        match self {
            Self::Keep => false,
            Self::Named(names) => names.contains(name),
            Self::All => true,
        }
    }
}

/// Who asks for a server. The project comes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Requirer {
    /// `facets.json` itself.
    Project {
        /// The name of the member that declares it.
        authored: String,
    },
    /// A facet.
    Facet {
        /// Which.
        facet: ArtifactName,
        /// The name that its author gave the server.
        authored: String,
    },
}

impl Requirer {
    /// The name under which it is declared.
    #[must_use]
    pub fn authored(&self) -> &str {
        match self {
            Self::Project { authored } | Self::Facet { authored, .. } => authored,
        }
    }

    /// The facet, if it is one.
    #[must_use]
    pub fn facet(&self) -> Option<&ArtifactName> {
        match self {
            Self::Project { .. } => None,
            Self::Facet { facet, .. } => Some(facet),
        }
    }
}

impl fmt::Display for Requirer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Project { .. } => f.write_str("facets.json"),
            Self::Facet { facet, .. } => write!(f, "facet \"{facet}\""),
        }
    }
}
