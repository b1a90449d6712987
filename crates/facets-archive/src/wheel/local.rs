//! What stands around the content of an entry: its own header, and the data descriptor. Both have to state what the
//! directory does.

use std::io::Read;

use super::entry::WheelEntry;
use super::extra::{parse_extra, refused_zip64};
use super::fields::{IN_ZIP64, u16_at, u32_at};
use super::input::read_record;
use crate::error::{ArchiveError, WheelError};

const HEADER: usize = 30;
const HEADER_SIGNATURE: &[u8; 4] = b"PK\x03\x04";
const DESCRIPTOR_SIGNATURE: &[u8; 4] = b"PK\x07\x08";
/// With its signature, which writers may leave out.
const DESCRIPTOR: usize = 16;

/// Reads the header of an entry, and compares it; gives its length.
pub(super) fn read_local_header(
    input: &mut impl Read,
    entry: &WheelEntry,
) -> Result<u64, ArchiveError> {
    let mut fixed = [0; HEADER];
    read_record(input, &mut fixed)?;
    if fixed[..4] != *HEADER_SIGNATURE {
        let (entry, offset) = (entry.name(), entry.offset);
        return Err(WheelError::NoHeader { entry, offset }.into());
    }
    let header = "header";
    require(u16_at(&fixed, 6) == entry.flags, entry, header, "flags")?;
    require(u16_at(&fixed, 8) == entry.content.method.number(), entry, header, "method")?;
    let name = entry.name();
    require(usize::from(u16_at(&fixed, 26)) == name.len(), entry, header, "name")?;
    let mut found = vec![0; name.len()];
    read_record(input, &mut found)?;
    require(found == name.as_bytes(), entry, header, "name")?;
    let mut extra = vec![0; u16_at(&fixed, 28).into()];
    read_record(input, &mut extra)?;
    check_numbers(entry, &fixed, &extra)?;
    Ok((HEADER + found.len() + extra.len()) as u64)
}

/// Checksum and sizes. A writer that does not know them yet leaves them empty, and writes a descriptor. One that does
/// not know whether it will need zip64 writes the sizes also, or only, as fields of that.
fn check_numbers(entry: &WheelEntry, fixed: &[u8; HEADER], extra: &[u8]) -> Result<(), WheelError> {
    let [checksum, compressed, size] = [14, 18, 22].map(|at| u32_at(fixed, at));
    let content = entry.content;
    let zip64 = parse_extra(&entry.name(), extra)?;
    let is_left_out = |number: u32| number == 0 && entry.has_descriptor();
    let is_size = |number: u32, expected: u64| {
        u64::from(number) == expected
            || is_left_out(number)
            || number == IN_ZIP64 && zip64.is_some()
    };
    if let Some(sizes) = zip64 {
        if entry.has_descriptor() {
            return Err(refused_zip64(&entry.name()));
        }
        require(sizes.compressed == content.compressed, entry, "header", "compressed size")?;
        require(sizes.size == content.size, entry, "header", "size")?;
    }
    let is_checksum = checksum == entry.checksum || is_left_out(checksum);
    require(is_checksum, entry, "header", "checksum")?;
    require(is_size(compressed, content.compressed), entry, "header", "compressed size")?;
    require(is_size(size, content.size), entry, "header", "size")
}

/// Reads what stands behind the content of an entry with a descriptor: nothing else.
pub(super) fn read_descriptor(
    input: &mut impl Read,
    entry: &WheelEntry,
    length: u64,
) -> Result<(), ArchiveError> {
    let place = "data descriptor";
    let mut bytes = [0; DESCRIPTOR];
    let (signature, numbers) = bytes.split_at_mut(DESCRIPTOR_SIGNATURE.len());
    match length {
        12 => signature.copy_from_slice(DESCRIPTOR_SIGNATURE),
        16 => read_record(input, signature)?,
        _ => return Ok(require(false, entry, place, "length")?),
    }
    read_record(input, numbers)?;
    let [checksum, compressed, size] = [4, 8, 12].map(|at| u32_at(&bytes, at));
    require(bytes[..4] == *DESCRIPTOR_SIGNATURE, entry, place, "signature")?;
    require(checksum == entry.checksum, entry, place, "checksum")?;
    let content = entry.content;
    require(u64::from(compressed) == content.compressed, entry, place, "compressed size")?;
    require(u64::from(size) == content.size, entry, place, "size")?;
    Ok(())
}

fn require(
    is_same: bool,
    entry: &WheelEntry,
    place: &'static str,
    field: &'static str,
) -> Result<(), WheelError> {
    if is_same { Ok(()) } else { Err(WheelError::Mismatch { entry: entry.name(), place, field }) }
}
