//! The tar of a server's files, hashed without being written: there is one for each list of files (spec 4.2).

use std::io;

use facets_digest::Digest;
use facets_model::manifest::ServerManifest;
use facets_model::tree::MANIFEST_LIMITS;

use super::read::{MANIFEST, read_manifest};
use crate::entry_mode::EntryMode;
use crate::error::{ArchiveError, ContentError, unwritable};
use crate::tar::{ArchiveFormat, TarWriter};

/// Takes files that were unpacked, in the order of the bytes of their paths, and says what the `integrity` of an
/// archive with them is. The files may be anything: only a hash that is expected says that they are valid.
pub struct ServerTarHasher {
    tar: TarWriter<io::Sink>,
    manifest: Option<Vec<u8>>,
    is_manifest: bool,
}

impl ServerTarHasher {
    /// No files yet.
    #[must_use]
    pub fn new() -> Self {
        let tar = TarWriter::new(io::sink(), ArchiveFormat::Server);
        Self { tar, manifest: None, is_manifest: false }
    }

    /// A file begins, and the one before it ends.
    pub fn begin_file(
        &mut self,
        path: &str,
        size: u64,
        mode: EntryMode,
    ) -> Result<(), ArchiveError> {
        self.is_manifest = path == MANIFEST && size <= MANIFEST_LIMITS.bytes as u64;
        if self.is_manifest {
            self.manifest = Some(Vec::new());
        }
        let begun = self.tar.fill_block();
        begun.and_then(|()| self.tar.begin_file(path, size, mode)).map_err(unwritable)
    }

    /// Bytes of the file that began last.
    pub fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if let Some(manifest) = self.manifest.as_mut().filter(|_| self.is_manifest) {
            manifest.extend_from_slice(bytes);
        }
        self.tar.write(bytes).map_err(unwritable)
    }

    /// The `integrity`, and the manifest among the files.
    pub fn finish(mut self) -> Result<(Digest, ServerManifest), ArchiveError> {
        let bytes = self.manifest.ok_or(ContentError::NoManifest { file: MANIFEST })?;
        self.tar.fill_block().map_err(unwritable)?;
        let (_, integrity, _) = self.tar.finish().map_err(unwritable)?;
        Ok((integrity, read_manifest(&bytes)?))
    }
}

impl Default for ServerTarHasher {
    fn default() -> Self {
        Self::new()
    }
}
