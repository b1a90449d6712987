//! Reading and unpacking a server.

use std::io::{Read, Seek};
use std::os::fd::BorrowedFd;

use facets_model::manifest::{ServerManifest, parse_server};
use facets_model::tree::MANIFEST_LIMITS;

use crate::error::{ArchiveError, ContentError};
use crate::index::{ArchiveIndex, ExpectedArtifact};
use crate::kept::{KeptBytes, KeptTar};
use crate::limits::ArchiveLimits;
use crate::scan::{KeptFile, read_and_keep, read_compressed};
use crate::tar::ArchiveFormat;
use crate::unpack::{rewind, write_archive};
use crate::validated::ValidatedArchive;

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
    let (server, _) = read_server(reader, limits, KeptBytes::none())?;
    Ok(server)
}

fn read_server(
    reader: impl Read,
    limits: &ArchiveLimits,
    kept: KeptBytes,
) -> Result<(ServerArchive, Option<KeptTar>), ArchiveError> {
    let mut manifest = KeptFile::new(MANIFEST, MANIFEST_LIMITS.bytes);
    let (index, kept) = read_and_keep(reader, ArchiveFormat::Server, limits, kept, &mut manifest)?;
    let bytes = manifest.into_bytes().ok_or(ContentError::NoManifest { file: MANIFEST })?;
    let manifest = read_manifest(&bytes)?;
    if index.file(manifest.entry.as_str()).is_none() {
        let entry = manifest.entry.to_string();
        return Err(ContentError::NoEntry { entry, reason: None }.into());
    }
    // A manifest without problems is UTF-8.
    let manifest_text = String::from_utf8_lossy(&bytes).into_owned();
    Ok((ServerArchive { manifest, manifest_text, index }, kept))
}

/// A manifest without problems.
pub(super) fn read_manifest(bytes: &[u8]) -> Result<ServerManifest, ContentError> {
    let outcome = parse_server(bytes);
    let problems = outcome.problems;
    outcome.manifest.ok_or(ContentError::Manifest { file: MANIFEST, problems })
}

/// Reads an archive to its end, checks every rule, and compares it. Nothing is written.
pub fn validate_server(
    archive: &mut (impl Read + Seek),
    expected: &ExpectedArtifact,
    limits: &ArchiveLimits,
) -> Result<ValidatedArchive<ServerArchive>, ArchiveError> {
    rewind(archive)?;
    let (server, kept) = read_server(&mut *archive, limits, KeptBytes::up_to(limits.kept))?;
    server.verify(expected)?;
    Ok(ValidatedArchive { archive: server, kept, limits: *limits })
}

impl ValidatedArchive<ServerArchive> {
    /// Unpacks it into an empty directory. The file that was validated is read again only if the archive is too
    /// large to be kept.
    pub fn unpack(
        self,
        file: &mut (impl Read + Seek),
        directory: BorrowedFd<'_>,
    ) -> Result<ServerArchive, ArchiveError> {
        let Self { archive: server, kept, limits } = self;
        write_archive(directory, &server.index, kept.as_ref(), |visitor| {
            rewind(file)?;
            read_compressed(&mut *file, ArchiveFormat::Server, &limits, visitor)
        })?;
        Ok(server)
    }
}

/// Unpacks an archive into an empty directory, after all of it was checked and compared.
pub fn unpack_server(
    archive: &mut (impl Read + Seek),
    expected: &ExpectedArtifact,
    directory: BorrowedFd<'_>,
    limits: &ArchiveLimits,
) -> Result<ServerArchive, ArchiveError> {
    validate_server(archive, expected, limits)?.unpack(archive, directory)
}
