//! Blocks of 512 bytes: headers, content and what fills its last block, and the end.

use super::format::ArchiveFormat;
use super::header::{BLOCK, Block, is_zero};
use crate::error::{ArchiveError, TarError};
use crate::source::ByteSource;

/// Reads headers and content.
pub(super) struct BlockReader<S> {
    source: S,
    /// Bytes read.
    position: u64,
    /// Bytes of the current content that are still to be read.
    unread: u64,
    /// Zero bytes behind it.
    padding: usize,
}

impl<S: ByteSource> BlockReader<S> {
    pub(super) fn new(source: S) -> Self {
        Self { source, position: 0, unread: 0, padding: 0 }
    }

    pub(super) fn into_source(self) -> S {
        self.source
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// The next header; nothing where the end begins.
    pub(super) fn next_header(&mut self) -> Result<Option<Block>, ArchiveError> {
        let mut block = [0; BLOCK];
        match self.read_up_to(&mut block)? {
            0 => Ok(None),
            BLOCK => Ok(Some(block).filter(|block| !is_zero(block))),
            _ => Err(self.truncated()),
        }
    }

    /// spec 4.5: the end is zeros, as many as the format has, and nothing is behind it.
    pub(super) fn read_end(
        &mut self,
        content: u64,
        format: ArchiveFormat,
    ) -> Result<(), ArchiveError> {
        let mut buffer = [0; 8 * BLOCK];
        loop {
            let offset = self.position;
            let read = self.read_some(&mut buffer)?;
            if !is_zero(&buffer[..read]) {
                return Err(TarError::Trailing { offset }.into());
            }
            if read == 0 {
                break;
            }
        }
        let actual = self.position - content;
        if format.accepts_end(content, actual) {
            return Ok(());
        }
        Err(TarError::End { expected: format.end_in_words(content), actual }.into())
    }

    /// So many bytes of content follow.
    pub(super) fn begin_content(&mut self, size: u64) {
        self.unread = size;
        let used = usize::try_from(size % BLOCK as u64).unwrap_or_default();
        self.padding = (BLOCK - used) % BLOCK;
    }

    /// Content; 0 at its end.
    pub(super) fn read_content(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveError> {
        let most = usize::try_from(self.unread).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let read = self.read_some(&mut buffer[..most])?;
        if read == 0 {
            return Err(self.truncated());
        }
        self.unread -= read as u64;
        Ok(read)
    }

    /// Reads the rest of the content, and what fills its last block.
    pub(super) fn end_content(&mut self, entry: &str) -> Result<(), ArchiveError> {
        let mut buffer = [0; 8 * BLOCK];
        while self.read_content(&mut buffer)? > 0 {}
        let padding = &mut buffer[..self.padding];
        self.padding = 0;
        if self.read_up_to(padding)? < padding.len() {
            return Err(self.truncated());
        }
        if is_zero(padding) {
            return Ok(());
        }
        // Nothing reads these bytes, so they could hold anything.
        Err(TarError::Padding { entry: entry.to_owned() }.into())
    }

    fn truncated(&self) -> ArchiveError {
        TarError::Truncated { offset: self.position }.into()
    }

    /// Fills as much of the buffer as there is.
    fn read_up_to(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_some(&mut buffer[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        Ok(filled)
    }

    fn read_some(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveError> {
        let read = self.source.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}
