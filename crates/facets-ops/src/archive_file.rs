//! An archive that is given to a command.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};

use facets_archive::{
    ArchiveError, ArchiveIndex, ArchiveLimits, FacetArchive, ServerArchive, read_facet,
    read_server_archive,
};
use facets_files::FileError;

use crate::building::ArtifactKind;
use crate::error::OpsError;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// An archive that was opened, and not read yet.
pub(crate) struct ArchiveFile {
    pub(crate) path: PathBuf,
    pub(crate) kind: ArtifactKind,
    pub(crate) file: File,
}

/// An archive that broke no rule.
#[derive(Clone, Debug)]
pub struct ReadArchive {
    /// What it is of.
    pub kind: ArtifactKind,
    /// The name of the artifact.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its files and hashes.
    pub index: ArchiveIndex,
}

impl ArchiveFile {
    /// Opens an archive. A facet is an uncompressed tar, a server a compressed one.
    pub(crate) fn open(path: &Path) -> Result<Self, OpsError> {
        let unreadable = |source| FileError::Unreadable { path: path.to_owned(), source };
        // A pipe that nothing writes to would block for ever.
        if !fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(FileError::NotPlain { path: path.to_owned() }.into());
        }
        let mut file = File::open(path).map_err(unreadable)?;
        let mut start = Vec::new();
        file.by_ref().take(GZIP.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
        file.rewind().map_err(unreadable)?;
        let kind = if start == GZIP { ArtifactKind::Server } else { ArtifactKind::Facet };
        Ok(Self { path: path.to_owned(), kind, file })
    }

    /// Reads it to its end, and checks every rule.
    pub(crate) fn read(&mut self) -> Result<ReadArchive, OpsError> {
        let limits = &ArchiveLimits::SPEC;
        let read = match self.kind {
            ArtifactKind::Facet => read_facet(&mut self.file, limits).map(ReadArchive::from),
            ArtifactKind::Server => {
                read_server_archive(&mut self.file, limits).map(ReadArchive::from)
            }
        };
        read.map_err(|error| self.refused(error))
    }

    /// The same error, with the name of the file.
    pub(crate) fn refused(&self, source: ArchiveError) -> OpsError {
        OpsError::ArchiveFile { path: self.path.clone(), source: Box::new(source) }
    }
}

impl From<FacetArchive> for ReadArchive {
    fn from(FacetArchive { manifest, index, .. }: FacetArchive) -> Self {
        let (name, version) = (manifest.name.to_string(), manifest.version.to_string());
        Self { kind: ArtifactKind::Facet, name, version, index }
    }
}

impl From<ServerArchive> for ReadArchive {
    fn from(ServerArchive { manifest, index, .. }: ServerArchive) -> Self {
        let (name, version) = (manifest.name.to_string(), manifest.version.to_string());
        Self { kind: ArtifactKind::Server, name, version, index }
    }
}
