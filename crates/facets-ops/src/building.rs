//! From a directory to an archive (spec 4).

use std::collections::BTreeSet;
use std::path::Path;

use facets_archive::{
    ArchiveIndex, ArchiveLimits, PackRequest, PackedFacet, PackedServer, SourceTree, pack_facet,
    pack_server,
};
pub use facets_archive::{ArchivedFile, EntryMode, LeftOut, LeftOutReason};
use facets_digest::Digest;
use facets_fetch::FetchProgress;
use facets_model::manifest::{FacetManifest, ServerManifest};
use facets_model::tree::ManifestFormat;

use crate::error::OpsError;

/// What an archive is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactKind {
    /// Skills, agents and commands.
    Facet,
    /// A source-mode server.
    Server,
}

impl ArtifactKind {
    /// How people and programs read it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Facet => "facet",
            Self::Server => "server",
        }
    }

    /// How the names of its archives end.
    #[must_use]
    pub fn file_ending(self) -> &'static str {
        match self {
            Self::Facet => ".facet",
            Self::Server => ".server.tar.gz",
        }
    }
}

/// What to let pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Files that look like secrets and are packed all the same, relative to the directory.
    pub allowed_secrets: BTreeSet<String>,
}

/// A server that was built, and that is not on the disk yet.
#[derive(Debug)]
pub struct BuiltServer {
    /// Its `server.yaml`, as it was packed.
    pub manifest: ServerManifest,
    /// The archive.
    pub archive: Vec<u8>,
    /// SHA-256 of the uncompressed tar inside.
    pub integrity: Digest,
    /// SHA-256 of the archive.
    pub content_hash: Digest,
    /// Its files.
    pub files: Vec<ArchivedFile>,
    /// What did not go in.
    pub left_out: Vec<LeftOut>,
}

impl BuiltServer {
    fn new(archive: Vec<u8>, PackedServer { manifest, index, left_out }: PackedServer) -> Self {
        let ArchiveIndex { content_hash, integrity, files, .. } = index;
        Self { manifest, archive, integrity, content_hash, files, left_out }
    }
}

/// Packs the server of a directory. Nothing is written.
pub fn build_server(
    directory: &Path,
    options: &BuildOptions,
    _progress: &dyn FetchProgress,
) -> Result<BuiltServer, OpsError> {
    let tree = SourceTree::open(directory)?;
    let allowed_secrets = options.allowed_secrets.clone();
    let request = PackRequest { allowed_secrets, ..PackRequest::default() };
    let mut archive = Vec::new();
    let packed = pack_server(&tree, &request, &ArchiveLimits::SPEC, &mut archive)?;
    Ok(BuiltServer::new(archive, packed))
}

/// A facet that was built, and that is not on the disk yet.
#[derive(Debug)]
pub struct BuiltFacet {
    /// Its manifest.
    pub manifest: FacetManifest,
    /// The archive.
    pub archive: Vec<u8>,
    /// SHA-256 of the uncompressed tar inside.
    pub integrity: Digest,
    /// SHA-256 of the archive.
    pub content_hash: Digest,
    /// Its files.
    pub files: Vec<ArchivedFile>,
}

/// Packs the facet of a directory. Nothing is written.
pub fn build_facet(directory: &Path, format: ManifestFormat) -> Result<BuiltFacet, OpsError> {
    let tree = SourceTree::open(directory)?;
    let mut archive = Vec::new();
    let packed = pack_facet(&tree, format, &ArchiveLimits::SPEC, &mut archive)?;
    let PackedFacet { manifest, index } = packed;
    let ArchiveIndex { content_hash, integrity, files, .. } = index;
    Ok(BuiltFacet { manifest, archive, integrity, content_hash, files })
}
