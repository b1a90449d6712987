//! `facet digest archive`: both hashes of an archive, and those of its files (spec 4.4).

use std::path::PathBuf;

pub use crate::archive_file::ReadArchive;

use crate::archive_file::ArchiveFile;
use crate::error::OpsError;

/// Which archive to read.
#[derive(Debug)]
pub struct DigestArchiveRequest {
    /// A `.facet` file, or the archive of a server.
    pub file: PathBuf,
}

/// What it holds.
#[derive(Debug)]
pub struct DigestArchiveReport {
    /// The archive.
    pub file: PathBuf,
    /// Its content.
    pub archive: ReadArchive,
}

/// Reads an archive to its end, and checks every rule. Nothing is written.
pub fn digest_archive(request: DigestArchiveRequest) -> Result<DigestArchiveReport, OpsError> {
    let archive = ArchiveFile::open(&request.file)?.read()?;
    Ok(DigestArchiveReport { file: request.file, archive })
}
