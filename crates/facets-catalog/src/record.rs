//! Records of versions and names.

use facets_digest::Digest;
use facets_model::{ArtifactName, Version};

use crate::kind::ArtifactKind;
use crate::moment::Moment;
use crate::owner::Owner;

/// A published version, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRecord {
    /// Facet or server.
    pub kind: ArtifactKind,
    /// Its name.
    pub name: ArtifactName,
    /// Its version.
    pub version: Version,
    /// The digest of the archive, by which its blob is found.
    pub content_hash: Digest,
    /// The digest of the content of the archive (`integrity`).
    pub integrity: Digest,
    /// The size of the archive.
    pub size: u64,
    /// The manifest as JSON text.
    pub manifest: String,
    /// The description of the manifest.
    pub description: Option<String>,
    /// The author of the manifest.
    pub author: Option<String>,
    /// How many assets it has, by their kind.
    pub assets: AssetCounts,
    /// Who published it.
    pub owner: Owner,
    /// When it was published.
    pub published_at: Moment,
    /// Why and when it was taken back, if it was.
    pub yanked: Option<Yank>,
    /// What only servers have.
    pub server: Option<ServerRecord>,
}

/// How many assets a facet has; zero for servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssetCounts {
    /// Agents.
    pub agents: u32,
    /// Commands.
    pub commands: u32,
    /// Servers.
    pub servers: u32,
    /// Skills.
    pub skills: u32,
}

/// Why and when a version was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yank {
    /// The reason that was given.
    pub reason: String,
    /// When.
    pub at: Moment,
    /// By whom.
    pub by: Owner,
}

/// The part of a record that only servers have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRecord {
    /// The digest of the surface file, by which its blob is found.
    pub surface_file: Digest,
    /// The size of the surface file.
    pub surface_size: u64,
    /// The hash of the API surface.
    pub api_surface: Digest,
    /// The hash of the surface.
    pub surface: Digest,
    /// The hash of the behaviour.
    pub behavior: Digest,
    /// The listed resources, where there are any.
    pub resources: Option<String>,
    /// The entitlements as canonical JSON.
    pub entitlements: String,
    /// The runtime and its version, such as `bun 1.4.4`.
    pub runtime: String,
    /// How many tools it has.
    pub tools: u32,
}

/// A version in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionSummary {
    /// The version.
    pub version: Version,
    /// The digest of the archive.
    pub content_hash: Digest,
    /// The digest of the content of the archive (`integrity`).
    pub integrity: Digest,
    /// When it was published.
    pub published_at: Moment,
    /// Why and when it was taken back, if it was.
    pub yanked: Option<Yank>,
}

/// A name in a list, with its latest version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameSummary {
    /// The name.
    pub name: ArtifactName,
    /// Who owns the name.
    pub owner: Owner,
    /// The version that `latest` finds.
    pub latest_version: Version,
    /// When that version was published.
    pub published_at: Moment,
    /// The description of that version.
    pub description: Option<String>,
    /// The author of that version.
    pub author: Option<String>,
    /// The assets of that version.
    pub assets: AssetCounts,
}
