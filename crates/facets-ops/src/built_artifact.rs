//! An artifact of either kind that was built from a directory, and is not on the disk yet.

use std::path::Path;

use facets_archive::{ArchiveError, TreeError};
use facets_digest::Digest;
use facets_failure::FileProblem;
use facets_fetch::FetchProgress;
use facets_model::tree::ManifestFormat;

use crate::building::{
    ArchivedFile, ArtifactKind, BuildOptions, BuiltFacet, BuiltServer, BundledCode, LeftOut,
    build_facet, build_server,
};
use crate::error::OpsError;
use crate::manifest_check::{BuildCheckReport, check_manifest, find_manifest};

/// What came of a directory.
pub(crate) enum DirectoryBuild {
    /// It has problems.
    Refused(BuildCheckReport),
    /// It was built, and this is allowed, but probably not meant.
    Built(Box<BuiltArtifact>, Vec<FileProblem>),
}

/// Either kind of artifact.
pub(crate) struct BuiltArtifact {
    pub(crate) kind: ArtifactKind,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) archive: Vec<u8>,
    pub(crate) integrity: Digest,
    pub(crate) content_hash: Digest,
    pub(crate) files: Vec<ArchivedFile>,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) bundle: Option<BundledCode>,
}

/// Checks a directory, and builds its artifact if nothing is wrong. Nothing is written there.
pub(crate) fn build_directory(
    directory: &Path,
    options: &BuildOptions,
    progress: &dyn FetchProgress,
) -> Result<DirectoryBuild, OpsError> {
    let mut checked = check_manifest(directory)?;
    if !checked.problems.is_empty() {
        return Ok(DirectoryBuild::Refused(checked));
    }
    match BuiltArtifact::of(directory, options, progress) {
        Err(OpsError::Archive(error @ ArchiveError::Tree(TreeError::Refused { .. }))) => {
            checked.take_refused(directory, &error);
            Ok(DirectoryBuild::Refused(checked))
        }
        other => Ok(DirectoryBuild::Built(Box::new(other?), checked.warnings)),
    }
}

impl BuiltArtifact {
    fn of(
        directory: &Path,
        options: &BuildOptions,
        progress: &dyn FetchProgress,
    ) -> Result<Self, OpsError> {
        match find_manifest(directory)? {
            "facet.json" => Ok(build_facet(directory, ManifestFormat::Json)?.into()),
            "facet.yaml" => Ok(build_facet(directory, ManifestFormat::Yaml)?.into()),
            _ => Ok(build_server(directory, options, progress)?.into()),
        }
    }

    /// `@scope/name` becomes `scope-name`, as it does in file names of npm.
    pub(crate) fn file_name(&self) -> String {
        let name = self.name.trim_start_matches('@').replace('/', "-");
        format!("{name}-{}{}", self.version, self.kind.file_ending())
    }
}

impl From<BuiltFacet> for BuiltArtifact {
    fn from(built: BuiltFacet) -> Self {
        Self {
            kind: ArtifactKind::Facet,
            name: built.manifest.name.to_string(),
            version: built.manifest.version.to_string(),
            archive: built.archive,
            integrity: built.integrity,
            content_hash: built.content_hash,
            files: built.files,
            left_out: Vec::new(),
            bundle: None,
        }
    }
}

impl From<BuiltServer> for BuiltArtifact {
    fn from(built: BuiltServer) -> Self {
        Self {
            kind: ArtifactKind::Server,
            name: built.manifest.name.to_string(),
            version: built.manifest.version.to_string(),
            archive: built.archive,
            integrity: built.integrity,
            content_hash: built.content_hash,
            files: built.files,
            left_out: built.left_out,
            bundle: built.bundle,
        }
    }
}
