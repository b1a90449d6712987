//! One file of an archive, copied while all of it is read.

use std::io::Write;

use crate::error::{ArchiveError, UnpackError};
use crate::scan::EntryVisitor;
use crate::tar::{TarEntry, TarEntryKind};

/// Copies the content of one file.
pub(crate) struct CopiedFile<'c> {
    path: &'c str,
    output: &'c mut dyn Write,
    is_current: bool,
}

impl<'c> CopiedFile<'c> {
    pub(crate) fn new(path: &'c str, output: &'c mut dyn Write) -> Self {
        Self { path, output, is_current: false }
    }
}

impl EntryVisitor for CopiedFile<'_> {
    fn begin(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        let is_file = matches!(entry.kind, TarEntryKind::File(_));
        self.is_current = is_file && entry.path.as_str() == self.path;
        Ok(())
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if !self.is_current {
            return Ok(());
        }
        let path = self.path.to_owned();
        let written = self.output.write_all(bytes);
        Ok(written.map_err(|source| UnpackError::Unwritable { path, source })?)
    }

    fn end(&mut self, _: &TarEntry) -> Result<(), ArchiveError> {
        self.is_current = false;
        Ok(())
    }
}
