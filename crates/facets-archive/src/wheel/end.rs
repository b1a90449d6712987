//! The record that a wheel ends with: where its directory is.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use super::fields::{IN_ZIP64, u16_at, u32_at};
use super::input::read_record;
use crate::error::{ArchiveError, LimitError, LimitKind, WheelError, unreadable};
use crate::limits::ArchiveLimits;

/// Without the comment, which no wheel has.
pub(super) const END: usize = 22;
const SIGNATURE: &[u8; 4] = b"PK\x05\x06";
const LOCATOR: u64 = 20;
const LOCATOR_SIGNATURE: &[u8; 4] = b"PK\x06\x07";

/// The end of a wheel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EndRecord {
    pub(super) bytes: [u8; END],
    pub(super) entries: usize,
    /// Where the directory is: right before this.
    pub(super) directory: Range<u64>,
}

impl EndRecord {
    /// Bytes of the whole wheel.
    pub(super) fn wheel_size(&self) -> u64 {
        self.directory.end + END as u64
    }
}

/// Reads the last bytes of a wheel.
pub(super) fn read_end(
    wheel: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
) -> Result<EndRecord, ArchiveError> {
    let size = wheel.seek(SeekFrom::End(0)).map_err(unreadable)?;
    if size > limits.compressed {
        return Err(LimitError::new(LimitKind::Compressed, limits.compressed).into());
    }
    let Some(start) = size.checked_sub(END as u64) else {
        return Err(WheelError::End { problem: "it is shorter than an end record" }.into());
    };
    let bytes = read_at(wheel, start)?;
    let record = parse(bytes, start)?;
    if let Some(locator) = start.checked_sub(LOCATOR)
        && read_at::<4>(wheel, locator)? == *LOCATOR_SIGNATURE
    {
        // The last bytes of the directory are ours to read, but others look for this first.
        return Err(refused_zip64().into());
    }
    if record.entries > limits.entries {
        return Err(LimitError::new(LimitKind::Entries, limits.entries as u64).into());
    }
    Ok(record)
}

fn read_at<const LENGTH: usize>(
    wheel: &mut (impl Read + Seek),
    offset: u64,
) -> Result<[u8; LENGTH], ArchiveError> {
    wheel.seek(SeekFrom::Start(offset)).map_err(unreadable)?;
    let mut bytes = [0; LENGTH];
    read_record(wheel, &mut bytes)?;
    Ok(bytes)
}

fn parse(bytes: [u8; END], start: u64) -> Result<EndRecord, WheelError> {
    let refuse = |problem| Err(WheelError::End { problem });
    if bytes[..4] != *SIGNATURE {
        return refuse("its last 22 bytes are no end record");
    }
    let [disk, first_disk, entries, all_entries] = [4, 6, 8, 10].map(|at| u16_at(&bytes, at));
    let [length, offset] = [12, 16].map(|at| u32_at(&bytes, at));
    let is_in_zip64 = [disk, first_disk, entries, all_entries].contains(&u16::MAX);
    if is_in_zip64 || [length, offset].contains(&IN_ZIP64) {
        return Err(refused_zip64());
    }
    if disk != 0 || first_disk != 0 || entries != all_entries {
        return refuse("it is a part of several");
    }
    if u16_at(&bytes, 20) != 0 {
        return refuse("the end record announces a comment");
    }
    let directory = u64::from(offset)..u64::from(offset) + u64::from(length);
    if directory.end != start {
        return refuse("the directory does not stand right before the end record");
    }
    Ok(EndRecord { bytes, entries: entries.into(), directory })
}

fn refused_zip64() -> WheelError {
    WheelError::Zip64 { part: "the end record".to_owned() }
}
