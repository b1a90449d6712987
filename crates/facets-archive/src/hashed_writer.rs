//! Where the bytes of a new archive go.

use std::io::{self, Write};

use facets_digest::{Digest, Hasher};

/// Hashes and counts everything that is written.
pub(crate) struct HashedWriter<W> {
    output: W,
    hasher: Hasher,
    size: u64,
}

impl<W: Write> HashedWriter<W> {
    pub(crate) fn new(output: W) -> Self {
        Self { output, hasher: Hasher::new(), size: 0 }
    }

    /// The digest and the number of the bytes that were written, and where they went.
    pub(crate) fn finish(mut self) -> io::Result<(Digest, u64, W)> {
        self.output.flush()?;
        Ok((self.hasher.finish(), self.size, self.output))
    }
}

impl<W: Write> Write for HashedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
