//! What an archive holds.

use facets_digest::Digest;
use facets_model::ArtifactPath;

use crate::entry_mode::EntryMode;
use crate::error::{ArchiveError, ContentError};

/// What an archive holds, and its two hashes (spec 4.4). There is one only of an archive that broke no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveIndex {
    /// SHA-256 of the archive as it is stored.
    pub content_hash: Digest,
    /// SHA-256 of the uncompressed tar inside.
    pub integrity: Digest,
    /// Bytes of the archive as it is stored.
    pub size: u64,
    /// Bytes of the uncompressed tar inside.
    pub unpacked: u64,
    /// Its files, in the order of the archive.
    pub files: Vec<ArchivedFile>,
    /// Directories that it names itself, which only npm packages do.
    pub directories: Vec<ArtifactPath>,
}

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedFile {
    /// Where it goes.
    pub path: ArtifactPath,
    /// Whether it is a program.
    pub mode: EntryMode,
    /// Its bytes.
    pub size: u64,
    /// SHA-256 of its bytes.
    pub digest: Digest,
}

/// Takes a file of an archive, and its content. An error ends the visit.
pub type TakeFile<'t, E> = dyn FnMut(&ArchivedFile, &[u8]) -> Result<(), E> + 't;

impl ArchiveIndex {
    /// The file of a path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&ArchivedFile> {
        self.files.iter().find(|file| file.path.as_str() == path)
    }

    /// Compares both hashes with those that were published or locked, where they are known.
    pub(crate) fn verify(&self, expected: &ExpectedArtifact) -> Result<(), ArchiveError> {
        if let Some(expected) = expected.content_hash.filter(|hash| *hash != self.content_hash) {
            let actual = self.content_hash;
            return Err(ContentError::ContentHash { expected, actual }.into());
        }
        if let Some(expected) = expected.integrity.filter(|hash| *hash != self.integrity) {
            let (stated_by, actual) = ("the registry or the lock", self.integrity);
            return Err(ContentError::Integrity { stated_by, expected, actual }.into());
        }
        Ok(())
    }
}

/// What is known of an artifact before it is read; what is absent is not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedArtifact {
    /// The name that was requested.
    pub name: Option<String>,
    /// The version that was requested.
    pub version: Option<String>,
    /// SHA-256 of the archive as it is stored.
    pub content_hash: Option<Digest>,
    /// SHA-256 of the uncompressed tar inside.
    pub integrity: Option<Digest>,
}

impl ExpectedArtifact {
    /// Compares name and version with those of a manifest.
    pub(crate) fn verify_identity(&self, name: &str, version: &str) -> Result<(), ArchiveError> {
        for (member, expected, actual) in
            [("name", &self.name, name), ("version", &self.version, version)]
        {
            if let Some(expected) = expected.as_deref().filter(|expected| *expected != actual) {
                let (expected, actual) = (expected.to_owned(), actual.to_owned());
                return Err(ContentError::Identity { member, expected, actual }.into());
            }
        }
        Ok(())
    }
}
