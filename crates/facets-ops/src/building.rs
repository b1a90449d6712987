//! From a directory to an archive (spec 4).

use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveIndex, ArchiveLimits, PackRequest, PackedFacet, PackedServer, SourceTree,
    TreeError, pack_facet, pack_server, read_facet, read_server_archive,
};
pub use facets_archive::{ArchivedFile, EntryMode, LeftOut, LeftOutReason};
use facets_digest::Digest;
use facets_failure::similar_names;
use facets_fetch::FetchProgress;
use facets_model::manifest::{FacetManifest, ServerManifest};
use facets_model::tree::ManifestFormat;

pub use crate::bundling::BundledCode;
use crate::bundling::{Bundle, bundle};
use crate::error::{BuildError, OpsError};

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
    /// Its code with the packages that it imports, if it declares any.
    pub bundle: Option<BundledCode>,
}

/// Packs the server of a directory, with its packages if it declares any. Nothing is written there.
pub fn build_server(
    directory: &Path,
    options: &BuildOptions,
    progress: &dyn FetchProgress,
) -> Result<BuiltServer, OpsError> {
    let tree = SourceTree::open(directory)?;
    let allowed_secrets = options.allowed_secrets.clone();
    let request = PackRequest { allowed_secrets, ..PackRequest::default() };
    let (archive, packed) = pack(&tree, &request)?;
    let Some(Bundle { files, code }) = bundle(directory, &archive, &packed, progress)? else {
        return Ok(BuiltServer::new(archive, packed, None));
    };
    let request = PackRequest { generated: files, ..request };
    let (archive, bundled) = pack(&tree, &request)?;
    require_same_sources(directory, &packed.index, &bundled.index, &request)?;
    Ok(BuiltServer::new(archive, bundled, Some(code)))
}

impl BuiltServer {
    fn new(archive: Vec<u8>, packed: PackedServer, bundle: Option<BundledCode>) -> Self {
        let PackedServer { manifest, index, left_out } = packed;
        let ArchiveIndex { content_hash, integrity, files, .. } = index;
        Self { manifest, archive, integrity, content_hash, files, left_out, bundle }
    }
}

fn pack(tree: &SourceTree, request: &PackRequest) -> Result<(Vec<u8>, PackedServer), OpsError> {
    let mut archive = Vec::new();
    let packed = pack_server(tree, request, &ArchiveLimits::SPEC, &mut archive)?;
    // spec 4.5: what is written can be read, also where the content is so uniform that it expands too much.
    read_server_archive(archive.as_slice(), &ArchiveLimits::SPEC)?;
    Ok((archive, packed))
}

/// The bundle was made from the files that were packed first.
fn require_same_sources(
    directory: &Path,
    first: &ArchiveIndex,
    second: &ArchiveIndex,
    request: &PackRequest,
) -> Result<(), ArchiveError> {
    let is_source = |file: &&ArchivedFile| !request.generated.contains_key(&file.path);
    let sources = |index: &ArchiveIndex| -> Vec<ArchivedFile> {
        index.files.iter().filter(is_source).cloned().collect()
    };
    let (first, second) = (sources(first), sources(second));
    // Both are in the order of their paths.
    let other = first.iter().zip(&second).find(|(one, other)| one != other);
    let extra = || first.get(second.len()).or_else(|| second.get(first.len()));
    match other.map(|(one, _)| one).or_else(extra) {
        Some(file) => {
            let path = directory.join(file.path.as_str());
            Err(TreeError::Changed { path }.into())
        }
        None => Ok(()),
    }
}

/// A file that is let pass by name has to be there: a name that lets nothing pass was mistyped.
pub(crate) fn require_packed(
    allowed: &BTreeSet<String>,
    files: &[ArchivedFile],
    directory: &Path,
) -> Result<(), BuildError> {
    let packed = || files.iter().map(|file| file.path.as_str());
    let Some(path) = allowed.iter().find(|path| !packed().any(|packed| packed == path.as_str()))
    else {
        return Ok(());
    };
    let similar = similar_names(path, packed()).first().map(|name| (*name).to_owned());
    let (path, directory) = (path.clone(), directory.to_owned());
    Err(BuildError::AllowedNotPacked { path, directory, similar })
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
    read_facet(Cursor::new(&archive), &ArchiveLimits::SPEC)?;
    let PackedFacet { manifest, index } = packed;
    let ArchiveIndex { content_hash, integrity, files, .. } = index;
    Ok(BuiltFacet { manifest, archive, integrity, content_hash, files })
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use facets_failure::Describe as _;

    use super::*;

    #[test]
    fn an_archive_that_expands_too_much_is_not_built() {
        let server = tempfile::tempdir().unwrap();
        let manifest = "name: demo\nversion: 1.2.3\nruntime: bun\nentry: index.ts\n";
        fs::write(server.path().join("server.yaml"), manifest).unwrap();
        fs::write(server.path().join("index.ts"), "").unwrap();
        let tree = SourceTree::open(server.path()).unwrap();
        pack(&tree, &PackRequest::default()).unwrap();
        let zeros = File::create(server.path().join("zeros")).unwrap();
        zeros.set_len(ArchiveLimits::SPEC.ratio_from + (16 << 20)).unwrap();
        let error = pack(&tree, &PackRequest::default()).unwrap_err();
        assert_eq!(error.code(), "archive-ratio");
    }

    #[test]
    fn a_secret_that_is_allowed_by_a_wrong_name_is_refused_with_a_similar_one() {
        let file = ArchivedFile {
            path: "keys/test.pem".parse().unwrap(),
            mode: EntryMode::Plain,
            size: 0,
            digest: Digest::of(b""),
        };
        let require = |path: &str| {
            let allowed = BTreeSet::from([path.to_owned()]);
            require_packed(&allowed, std::slice::from_ref(&file), Path::new("my-server"))
        };
        assert!(require("keys/test.pem").is_ok());
        let mistyped = require("keys/tset.pem").unwrap_err();
        assert_eq!(mistyped.code(), "build-secret-not-packed");
        assert_eq!(mistyped.next(), "facet build my-server --allow-secret keys/test.pem");
        assert_eq!(require("nope").unwrap_err().next(), "facet build my-server");
    }
}
