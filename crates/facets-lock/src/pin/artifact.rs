//! An artifact that was verified: its name, version, both hashes (spec 4.4), and its runtime.

use facets_digest::Digest;
use facets_digest::json::quoted;
use facets_model::{ArtifactName, RuntimeName, Version};

use super::runtime::RuntimePin;
use crate::error::LockError;
use crate::members::EntryMembers;

/// The names of the members that hold it.
pub(super) const KNOWN: &[&str] = &["name", "version", "integrity", "content_hash", "runtime"];

/// An artifact that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactPin {
    /// The name that its own manifest gives it.
    pub name: ArtifactName,
    /// Its version.
    pub version: Version,
    /// The SHA-256 of the uncompressed tar.
    pub integrity: Digest,
    /// The SHA-256 of the complete archive.
    pub content_hash: Digest,
    /// What starts it.
    pub runtime: RuntimePin,
}

impl ArtifactPin {
    pub(super) fn members(&self) -> Vec<(&'static str, String)> {
        vec![
            ("name", quoted(self.name.as_str())),
            ("version", quoted(&self.version.to_string())),
            ("integrity", quoted(&self.integrity.to_string())),
            ("content_hash", quoted(&self.content_hash.to_string())),
            ("runtime", self.runtime.to_json()),
        ]
    }

    pub(super) fn read(entry: &EntryMembers<'_>) -> Result<Self, LockError> {
        Ok(Self {
            name: entry.parsed("name", "the name of an artifact")?,
            version: entry.parsed("version", "a version")?,
            integrity: entry.digest("integrity")?,
            content_hash: entry.digest("content_hash")?,
            runtime: RuntimePin::read(entry, &RuntimeName::OF_SOURCE_MODE)?,
        })
    }
}
