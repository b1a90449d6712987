//! Bytes that are hashed while they are read.

use std::io::{self, Read};

use facets_digest::{Digest, Hasher};

/// Hashes everything that is read.
pub(super) struct HashedReader<R> {
    reader: R,
    hasher: Hasher,
}

impl<R> HashedReader<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, hasher: Hasher::new() }
    }

    /// The digest of everything that was read.
    pub(super) fn finish(self) -> Digest {
        self.hasher.finish()
    }
}

impl<R: Read> Read for HashedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        Ok(read)
    }
}
