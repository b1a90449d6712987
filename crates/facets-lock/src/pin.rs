//! What exactly an origin is: the bytes that were verified.

mod artifact;
mod package;
mod runtime;

use facets_digest::Digest;
use facets_model::Origin;

pub use artifact::ArtifactPin;
pub use package::PackagePin;
pub use runtime::RuntimePin;

use crate::error::LockError;
use crate::members::EntryMembers;

/// What exactly an origin is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// A command or an address names no bytes that could be verified: it is started or called as
    /// written, and known by its surface alone.
    #[default]
    AsWritten,
    /// An artifact with its hashes, and the runtime that starts it.
    Artifact(Box<ArtifactPin>),
    /// A package with everything that it depends on, and the runtime that starts it.
    Package(Box<PackagePin>),
}

impl Pin {
    /// The digest of the bytes that are started, where they are known.
    #[must_use]
    pub fn bytes(&self) -> Option<Digest> {
        match self {
            Self::AsWritten => None,
            Self::Artifact(artifact) => Some(artifact.content_hash),
            Self::Package(package) => Some(package.closure),
        }
    }

    /// The artifact, if it is one.
    #[must_use]
    pub fn artifact(&self) -> Option<&ArtifactPin> {
        match self {
            Self::Artifact(artifact) => Some(artifact),
            Self::AsWritten | Self::Package(_) => None,
        }
    }

    /// The package, if it is one.
    #[must_use]
    pub fn package(&self) -> Option<&PackagePin> {
        match self {
            Self::Package(package) => Some(package),
            Self::AsWritten | Self::Artifact(_) => None,
        }
    }

    /// The pin of an entry of this origin.
    pub(crate) fn read(origin: &Origin, entry: &EntryMembers<'_>) -> Result<Self, LockError> {
        match origin {
            Origin::Command(_) | Origin::Address(_) => Ok(Self::AsWritten),
            Origin::SourceMode(_) => ArtifactPin::read(entry).map(Box::new).map(Self::Artifact),
            Origin::Package(_) => PackagePin::read(entry).map(Box::new).map(Self::Package),
        }
    }

    /// The names of the members that hold it.
    pub(crate) fn known(&self) -> &'static [&'static str] {
        match self {
            Self::AsWritten => &[],
            Self::Artifact(_) => artifact::KNOWN,
            Self::Package(_) => package::KNOWN,
        }
    }

    /// The members of a lock entry that hold it, as JSON, in the order in which they are written.
    pub(crate) fn members(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::AsWritten => Vec::new(),
            Self::Artifact(artifact) => artifact.members(),
            Self::Package(package) => package.members(),
        }
    }
}
