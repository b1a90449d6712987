//! Streams of bytes with our own errors: an `io::Error` could not say which rule was broken.

use std::io::{self, Read};

use facets_digest::{Digest, Hasher};

use crate::error::{ArchiveError, LimitError, LimitKind, unreadable};

/// Bytes of an archive, one part after the other.
pub(crate) trait ByteSource {
    /// Fills some of the buffer; 0 is the end.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveError>;
}

/// Bytes as they are stored, up to a limit.
pub(crate) struct PlainSource<R> {
    reader: R,
    limit: u64,
    left: u64,
}

impl<R: Read> PlainSource<R> {
    pub(crate) fn new(reader: R, limit: u64) -> Self {
        Self { reader, limit, left: limit }
    }
}

impl<R: Read> ByteSource for PlainSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveError> {
        loop {
            let read = match self.reader.read(buffer) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreadable(error)),
            };
            let Some(left) = self.left.checked_sub(read as u64) else {
                return Err(LimitError::new(LimitKind::Compressed, self.limit).into());
            };
            self.left = left;
            return Ok(read);
        }
    }
}

/// Hashes and counts everything that passes.
pub(crate) struct HashedSource<S> {
    source: S,
    hasher: Hasher,
    size: u64,
}

impl<S> HashedSource<S> {
    pub(crate) fn new(source: S) -> Self {
        Self { source, hasher: Hasher::new(), size: 0 }
    }

    /// The digest and the number of the bytes that passed, and where they came from.
    pub(crate) fn finish(self) -> (Digest, u64, S) {
        (self.hasher.finish(), self.size, self.source)
    }
}

impl<S: ByteSource> ByteSource for HashedSource<S> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveError> {
        let read = self.source.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        self.size += read as u64;
        Ok(read)
    }
}
