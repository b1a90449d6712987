//! What would be published, as it is read before it is.

use facets_archive::{ArchivedFile, LeftOut};
use facets_digest::Digest;
use facets_failure::FileProblem;
use facets_model::{ArtifactName, Version};
use facets_surface::{Surface, SurfaceHashes};

use crate::building::{ArtifactKind, BundledCode};

/// What would be published.
#[derive(Debug)]
pub struct PublishPage {
    /// What it is.
    pub kind: ArtifactKind,
    /// Its name.
    pub name: ArtifactName,
    /// Its version.
    pub version: Version,
    /// SHA-256 of the uncompressed tar inside.
    pub integrity: Digest,
    /// SHA-256 of the archive.
    pub content_hash: Digest,
    /// Bytes of the archive.
    pub size: u64,
    /// Its files.
    pub files: Vec<ArchivedFile>,
    /// What did not go in, if it was built now.
    pub left_out: Vec<LeftOut>,
    /// Its code with the packages that it imports, if it was built now and declares any.
    pub bundle: Option<BundledCode>,
    /// What a server declares.
    pub surface: Option<ShownSurface>,
    /// What is allowed, but probably not meant.
    pub warnings: Vec<FileProblem>,
    /// Where it would be published; none if no registry is configured.
    pub registry: Option<String>,
    /// Its address there.
    pub url: Option<String>,
}

/// What a server declares, and the hashes of that.
#[derive(Debug)]
pub struct ShownSurface {
    /// What it declares.
    pub surface: Surface,
    /// The hashes of that.
    pub hashes: SurfaceHashes,
}
