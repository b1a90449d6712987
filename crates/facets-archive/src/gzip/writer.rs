//! Writing gzip: the same bytes for the same content, however it arrives.

use std::io::{self, Write};

use miniz_oxide::deflate::core::{CompressorOxide, create_comp_flags_from_zip_params};
use miniz_oxide::deflate::stream::deflate;
use miniz_oxide::{MZFlush, MZStatus};

use super::crc32::Crc32;

/// What the reference writes: no time, written on Unix.
pub(crate) const FACET_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

/// spec 4.2: no time, written on no particular system.
pub(crate) const SERVER_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

const LEVEL: i32 = 6;
/// Below zero: raw deflate, no zlib around it.
const RAW: i32 = -15;
const DEFAULT_STRATEGY: i32 = 0;

/// The compressor is given blocks of this size, so that its output cannot depend on the size of writes.
const INPUT: usize = 64 * 1024;
const OUTPUT: usize = 64 * 1024;

/// Compresses what is written to it.
pub(crate) struct GzipWriter<W> {
    output: W,
    compressor: Box<CompressorOxide>,
    input: Vec<u8>,
    compressed: Box<[u8]>,
    crc: Crc32,
    size: u64,
}

impl<W: Write> GzipWriter<W> {
    /// Writes the header.
    pub(crate) fn start(mut output: W, header: [u8; 10]) -> io::Result<Self> {
        output.write_all(&header)?;
        let flags = create_comp_flags_from_zip_params(LEVEL, RAW, DEFAULT_STRATEGY);
        Ok(Self {
            output,
            compressor: Box::new(CompressorOxide::new(flags)),
            input: Vec::with_capacity(INPUT),
            compressed: vec![0; OUTPUT].into_boxed_slice(),
            crc: Crc32::new(),
            size: 0,
        })
    }

    /// Writes the rest, and gives back where it went.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.compress(MZFlush::Finish)?;
        self.output.write_all(&self.crc.finish().to_le_bytes())?;
        // The length is stated modulo 2^32.
        self.output.write_all(&self.size.to_le_bytes()[..4])?;
        Ok(self.output)
    }

    fn compress(&mut self, flush: MZFlush) -> io::Result<()> {
        let mut rest = self.input.as_slice();
        loop {
            let step = deflate(&mut self.compressor, rest, &mut self.compressed, flush);
            rest = &rest[step.bytes_consumed..];
            self.output.write_all(&self.compressed[..step.bytes_written])?;
            match step.status {
                Ok(MZStatus::StreamEnd) => break,
                Ok(_) if flush == MZFlush::None && rest.is_empty() => break,
                Ok(_) => {}
                Err(_) => return Err(io::Error::other("the compressor failed")),
            }
        }
        self.input.clear();
        Ok(())
    }
}

impl<W: Write> Write for GzipWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = INPUT - self.input.len();
        let part = &bytes[..room.min(bytes.len())];
        self.input.extend_from_slice(part);
        self.crc.update(part);
        self.size += part.len() as u64;
        if self.input.len() == INPUT {
            self.compress(MZFlush::None)?;
        }
        Ok(part.len())
    }

    /// Nothing: a flush in the middle would change the bytes.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::{Gunzip, GzipHeader};
    use super::*;
    use crate::limits::ArchiveLimits;
    use crate::source::{ByteSource as _, PlainSource};

    fn compress(bytes: &[u8], part: usize) -> Vec<u8> {
        let mut writer = GzipWriter::start(Vec::new(), SERVER_HEADER).unwrap();
        for part in bytes.chunks(part) {
            writer.write_all(part).unwrap();
        }
        writer.finish().unwrap()
    }

    fn expand(bytes: &[u8]) -> Vec<u8> {
        let source = PlainSource::new(bytes, u64::MAX);
        let mut reader = Gunzip::open(source, GzipHeader::Plain, ArchiveLimits::SPEC).unwrap();
        let (mut content, mut buffer) = (Vec::new(), [0; 1000]);
        loop {
            match reader.read(&mut buffer).unwrap() {
                0 => return content,
                read => content.extend_from_slice(&buffer[..read]),
            }
        }
    }

    fn mixed(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_le_bytes()[3]
        };
        (0..length).map(|index| if index % 3000 < 1500 { b'a' } else { next() }).collect()
    }

    #[test]
    fn what_is_compressed_expands_to_itself() {
        for length in [0, 1, 511, INPUT - 1, INPUT, INPUT + 1, 5 * INPUT + 17] {
            let content = mixed(length);
            assert!(expand(&compress(&content, 4096)) == content, "{length}");
        }
    }

    #[test]
    fn the_bytes_do_not_depend_on_the_size_of_writes() {
        let content = mixed(3 * INPUT + 5);
        let whole = compress(&content, content.len());
        for part in [1, 100, 4096, INPUT, INPUT + 1] {
            assert!(compress(&content, part) == whole, "{part}");
        }
        assert_eq!(whole[..10], SERVER_HEADER);
    }
}
