//! Facets and servers.

use std::fmt;
use std::str::FromStr;

use crate::error::CatalogError;

/// The kind of an artifact. Each kind has its own names (spec 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArtifactKind {
    /// A facet.
    Facet,
    /// A source-mode server.
    Server,
}

impl ArtifactKind {
    /// The word that stands for it in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Facet => "facet",
            Self::Server => "server",
        }
    }
}

impl fmt::Display for ArtifactKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ArtifactKind {
    type Err = CatalogError;

    fn from_str(text: &str) -> Result<Self, CatalogError> {
        match text {
            "facet" => Ok(Self::Facet),
            "server" => Ok(Self::Server),
            _ => Err(CatalogError::damaged("a kind", "it is neither `facet` nor `server`")),
        }
    }
}
