//! The one form in which entries are written.

use std::io::{self, Write};

use facets_digest::{Digest, Hasher};

use super::format::ArchiveFormat;
use super::header::{BLOCK, NAME};
use super::pax;
use crate::entry_mode::EntryMode;

/// Writes entries in the order in which they come, and hashes them.
pub(crate) struct TarWriter<W> {
    output: W,
    format: ArchiveFormat,
    hasher: Hasher,
    position: u64,
}

impl<W: Write> TarWriter<W> {
    /// For a format that has one form.
    pub(crate) fn new(output: W, format: ArchiveFormat) -> Self {
        Self { output, format, hasher: Hasher::new(), position: 0 }
    }

    /// Bytes written so far.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Begins a file of so many bytes.
    pub(crate) fn begin_file(&mut self, path: &str, size: u64, mode: EntryMode) -> io::Result<()> {
        if path.len() > NAME {
            self.write_path_record(path)?;
        }
        let name = pax::short_name(path).as_bytes();
        let Some(header) = self.format.header(name, size, mode) else {
            return Err(io::Error::other("this format is not written"));
        };
        self.write(&header)
    }

    /// spec 4.2: an extended header only where the path has no room.
    fn write_path_record(&mut self, path: &str) -> io::Result<()> {
        if self.format != ArchiveFormat::Server {
            return Err(io::Error::other("the path is longer than 100 bytes"));
        }
        let record = pax::path_record(path);
        self.write(&pax::path_header(&record))?;
        self.write(&record)?;
        self.fill_block()
    }

    /// A part of the content.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)?;
        self.hasher.update(bytes);
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Ends the content of a file.
    pub(crate) fn fill_block(&mut self) -> io::Result<()> {
        let fill = self.position.next_multiple_of(BLOCK as u64) - self.position;
        self.write_zeros(fill)
    }

    /// A whole file.
    pub(crate) fn write_file(
        &mut self,
        path: &str,
        bytes: &[u8],
        mode: EntryMode,
    ) -> io::Result<()> {
        self.begin_file(path, bytes.len() as u64, mode)?;
        self.write(bytes)?;
        self.fill_block()
    }

    /// Writes the end. Gives back where it went, the digest of everything, and its size.
    pub(crate) fn finish(mut self) -> io::Result<(W, Digest, u64)> {
        self.write_zeros(self.format.end(self.position).unwrap_or_default())?;
        Ok((self.output, self.hasher.finish(), self.position))
    }

    fn write_zeros(&mut self, count: u64) -> io::Result<()> {
        let mut left = count;
        while left > 0 {
            let part = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
            self.write(&[0; BLOCK][..part])?;
            left -= part as u64;
        }
        Ok(())
    }
}
