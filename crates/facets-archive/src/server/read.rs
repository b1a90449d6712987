//! Reading and unpacking a server.

use std::io::{Read, Seek};
use std::os::fd::BorrowedFd;

use facets_model::manifest::{ServerManifest, parse_server};
use facets_model::tree::MANIFEST_LIMITS;

use crate::error::{ArchiveError, ContentError};
use crate::index::{ArchiveIndex, ExpectedArtifact};
use crate::limits::ArchiveLimits;
use crate::scan::{KeptFile, read_compressed};
use crate::tar::ArchiveFormat;
use crate::unpack::{rewind, write_archive};

pub(super) const MANIFEST: &str = "server.yaml";

/// A server whose archive broke no rule.
#[derive(Clone, Debug)]
pub struct ServerArchive {
    /// Its `server.yaml`.
    pub manifest: ServerManifest,
    /// The text of `server.yaml`.
    pub manifest_text: String,
    /// Its files and hashes.
    pub index: ArchiveIndex,
}

impl ServerArchive {
    /// Compares hashes, name and version with what was requested.
    pub fn verify(&self, expected: &ExpectedArtifact) -> Result<(), ArchiveError> {
        self.index.verify(expected)?;
        let (name, version) = (self.manifest.name.to_string(), self.manifest.version.to_string());
        expected.verify_identity(&name, &version)
    }
}

/// Reads an archive to its end and checks every rule. Nothing is written.
pub fn read_server_archive(
    reader: impl Read,
    limits: &ArchiveLimits,
) -> Result<ServerArchive, ArchiveError> {
    let mut manifest = KeptFile::new(MANIFEST, MANIFEST_LIMITS.bytes);
    let index = read_compressed(reader, ArchiveFormat::Server, limits, &mut manifest)?;
    let bytes = manifest.into_bytes().ok_or(ContentError::NoManifest { file: MANIFEST })?;
    let manifest = read_manifest(&bytes)?;
    if index.file(manifest.entry.as_str()).is_none() {
        let entry = manifest.entry.to_string();
        return Err(ContentError::NoEntry { entry, reason: None }.into());
    }
    // A manifest without problems is UTF-8.
    let manifest_text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(ServerArchive { manifest, manifest_text, index })
}

/// A manifest without problems.
pub(super) fn read_manifest(bytes: &[u8]) -> Result<ServerManifest, ContentError> {
    let outcome = parse_server(bytes);
    let problems = outcome.problems;
    outcome.manifest.ok_or(ContentError::Manifest { file: MANIFEST, problems })
}

/// Unpacks an archive into an empty directory, after all of it was checked and compared.
pub fn unpack_server(
    archive: &mut (impl Read + Seek),
    expected: &ExpectedArtifact,
    directory: BorrowedFd<'_>,
    limits: &ArchiveLimits,
) -> Result<ServerArchive, ArchiveError> {
    rewind(archive)?;
    let server = read_server_archive(&mut *archive, limits)?;
    server.verify(expected)?;
    rewind(archive)?;
    write_archive(directory, |visitor| {
        let second = read_compressed(&mut *archive, ArchiveFormat::Server, limits, visitor)?;
        Ok(second == server.index)
    })?;
    Ok(server)
}
