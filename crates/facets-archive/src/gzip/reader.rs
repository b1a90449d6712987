//! Reading gzip.

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

use super::crc32::Crc32;
use crate::error::{ArchiveError, GzipError, LimitError, LimitKind};
use crate::limits::ArchiveLimits;
use crate::source::ByteSource;

const BUFFER: usize = 64 * 1024;

/// Bits of the fourth byte.
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;

/// The longest name or comment that is skipped.
const LONGEST_TEXT: usize = 4096;

/// Which headers are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GzipHeader {
    /// Ten bytes.
    Plain,
    /// Also one with a name, a comment or extra bytes, which are skipped.
    Any,
}

/// The content of one gzip member that nothing follows.
pub(crate) struct Gunzip<S> {
    input: S,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    inflater: Box<InflateState>,
    crc: Crc32,
    consumed: u64,
    produced: u64,
    limits: ArchiveLimits,
    is_done: bool,
}

impl<S: ByteSource> Gunzip<S> {
    /// Reads the header.
    pub(crate) fn open(
        input: S,
        header: GzipHeader,
        limits: ArchiveLimits,
    ) -> Result<Self, ArchiveError> {
        let mut gunzip = Self {
            input,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            start: 0,
            end: 0,
            inflater: InflateState::new_boxed(DataFormat::Raw),
            crc: Crc32::new(),
            consumed: 0,
            produced: 0,
            limits,
            is_done: false,
        };
        gunzip.read_header(header)?;
        Ok(gunzip)
    }

    /// Where the compressed bytes came from.
    pub(crate) fn into_input(self) -> S {
        self.input
    }

    fn read_header(&mut self, accepted: GzipHeader) -> Result<(), ArchiveError> {
        let refuse = |problem| Err(GzipError::Header { problem }.into());
        let fixed = self.bytes::<10>()?;
        if fixed[..2] != [0x1f, 0x8b] {
            return refuse("it does not begin with 1f 8b");
        }
        if fixed[2] != 8 {
            return refuse("the compression is not deflate");
        }
        let flags = fixed[3];
        let known = match accepted {
            GzipHeader::Plain => 0,
            GzipHeader::Any => EXTRA | NAME | COMMENT,
        };
        if flags & !known != 0 {
            return refuse("it has a name, a comment or other parts");
        }
        if flags & EXTRA != 0 {
            let length = u16::from_le_bytes(self.bytes::<2>()?);
            for _ in 0..length {
                self.bytes::<1>()?;
            }
        }
        for text in [NAME, COMMENT] {
            if flags & text != 0 {
                self.skip_text()?;
            }
        }
        Ok(())
    }

    fn skip_text(&mut self) -> Result<(), ArchiveError> {
        for _ in 0..LONGEST_TEXT {
            if self.bytes::<1>()? == [0] {
                return Ok(());
            }
        }
        Err(GzipError::Header { problem: "a name or comment does not end" }.into())
    }

    fn bytes<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], ArchiveError> {
        let mut bytes = [0; COUNT];
        for byte in &mut bytes {
            if !self.fill()? {
                return Err(GzipError::Truncated.into());
            }
            *byte = self.buffer[self.start];
            self.start += 1;
        }
        Ok(bytes)
    }

    /// Makes sure that there is input; false at the end.
    fn fill(&mut self) -> Result<bool, ArchiveError> {
        if self.start == self.end {
            self.start = 0;
            self.end = self.input.read(&mut self.buffer)?;
        }
        Ok(self.start < self.end)
    }

    /// spec 4.5: an archive that expands too much is refused while it expands.
    fn count(&mut self, consumed: usize, produced: usize) -> Result<(), ArchiveError> {
        self.consumed += consumed as u64;
        self.produced += produced as u64;
        let ArchiveLimits { total, ratio, ratio_from, .. } = self.limits;
        if self.produced > total {
            return Err(LimitError::new(LimitKind::Total, total).into());
        }
        if self.produced > ratio_from && self.produced > self.consumed.saturating_mul(ratio) {
            return Err(LimitError::new(LimitKind::Ratio, ratio).into());
        }
        Ok(())
    }

    /// Compares checksum and length, and makes sure that nothing follows.
    fn finish(&mut self) -> Result<(), ArchiveError> {
        self.is_done = true;
        let stated = u32::from_le_bytes(self.bytes::<4>()?);
        let found = self.crc.finish();
        if stated != found {
            let error = GzipError::Checksum { what: "checksum", expected: stated, actual: found };
            return Err(error.into());
        }
        let stated = u32::from_le_bytes(self.bytes::<4>()?);
        let [a, b, c, d, ..] = self.produced.to_le_bytes();
        let found = u32::from_le_bytes([a, b, c, d]);
        if stated != found {
            let error = GzipError::Checksum { what: "length", expected: stated, actual: found };
            return Err(error.into());
        }
        if self.fill()? { Err(GzipError::Trailing.into()) } else { Ok(()) }
    }
}

impl<S: ByteSource> ByteSource for Gunzip<S> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveError> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while !self.is_done {
            let has_input = self.fill()?;
            let input = &self.buffer[self.start..self.end];
            let step = inflate(&mut self.inflater, input, buffer, MZFlush::None);
            self.start += step.bytes_consumed;
            self.count(step.bytes_consumed, step.bytes_written)?;
            self.crc.update(&buffer[..step.bytes_written]);
            match step.status {
                Ok(MZStatus::StreamEnd) => self.finish()?,
                Ok(_) if step.bytes_consumed + step.bytes_written > 0 => {}
                Ok(_) | Err(MZError::Buf) if !has_input => return Err(GzipError::Truncated.into()),
                _ => return Err(GzipError::Data.into()),
            }
            if step.bytes_written > 0 {
                return Ok(step.bytes_written);
            }
        }
        Ok(0)
    }
}
