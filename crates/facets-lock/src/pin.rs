//! What exactly an origin is: the bytes that were verified.

mod artifact;
mod runtime;

use facets_digest::Digest;
use facets_model::Origin;

pub use artifact::ArtifactPin;
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
}

impl Pin {
    /// The digest of the bytes that are started, where they are known.
    #[must_use]
    pub fn bytes(&self) -> Option<Digest> {
        self.artifact().map(|artifact| artifact.content_hash)
    }

    /// The artifact, if it is one.
    #[must_use]
    pub fn artifact(&self) -> Option<&ArtifactPin> {
        match self {
            Self::AsWritten => None,
            Self::Artifact(artifact) => Some(artifact),
        }
    }

    /// The pin of an entry of this origin.
    pub(crate) fn read(origin: &Origin, entry: &EntryMembers<'_>) -> Result<Self, LockError> {
        match origin {
            Origin::Command(_) | Origin::Address(_) => Ok(Self::AsWritten),
            Origin::SourceMode(_) => ArtifactPin::read(entry).map(Box::new).map(Self::Artifact),
        }
    }

    /// The names of the members that hold it.
    pub(crate) fn known(&self) -> &'static [&'static str] {
        match self {
            Self::AsWritten => &[],
            Self::Artifact(_) => artifact::KNOWN,
        }
    }

    /// The members of a lock entry that hold it, as JSON, in the order in which they are written.
    pub(crate) fn members(&self) -> Vec<(&'static str, String)> {
        self.artifact().map(ArtifactPin::members).unwrap_or_default()
    }
}
