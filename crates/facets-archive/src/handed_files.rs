//! Files of an archive, handed on one by one while it is read again.

use std::slice;

use facets_digest::Digest;

use crate::error::{ArchiveError, UnpackError};
use crate::index::{ArchivedFile, TakeFile};
use crate::scan::EntryVisitor;
use crate::tar::{TarEntry, TarEntryKind};

/// Hands on each file that is the one that was validated.
pub(crate) struct HandedFiles<'h, E> {
    /// Those that are to come.
    files: slice::Iter<'h, ArchivedFile>,
    content: Vec<u8>,
    take: &'h mut TakeFile<'h, E>,
    /// Why no more files are wanted.
    refusal: Option<E>,
}

impl<'h, E> HandedFiles<'h, E> {
    pub(crate) fn new(files: &'h [ArchivedFile], take: &'h mut TakeFile<'h, E>) -> Self {
        Self { files: files.iter(), content: Vec::new(), take, refusal: None }
    }

    /// Why a file was not taken, if one was not.
    pub(crate) fn into_refusal(self) -> Option<E> {
        self.refusal
    }
}

impl<E> EntryVisitor for HandedFiles<'_, E> {
    fn begin(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        self.content.clear();
        let TarEntryKind::File(mode) = entry.kind else { return Ok(()) };
        let is_expected = self.files.as_slice().first().is_some_and(|file| {
            (&file.path, file.mode, file.size) == (&entry.path, mode, entry.size)
        });
        if is_expected { Ok(()) } else { Err(UnpackError::Changed.into()) }
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.content.extend_from_slice(bytes);
        Ok(())
    }

    fn end(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        if entry.kind == TarEntryKind::Directory {
            return Ok(());
        }
        let content = &*self.content;
        let file = self.files.next().filter(|file| file.digest == Digest::of(content));
        let taken = (self.take)(file.ok_or(UnpackError::Changed)?, content);
        // The error only ends the reading; the caller asks for the refusal first.
        taken.map_err(|refusal| {
            self.refusal = Some(refusal);
            UnpackError::Changed.into()
        })
    }
}
