//! An entry, as the directory of a wheel states it.

use facets_model::ArtifactPath;

use super::attributes::{WheelEntryKind, kind_of};
use super::content::{CompressionMethod, StoredContent};
use super::extra::{parse_extra, refused_zip64};
use super::fields::{IN_ZIP64, u16_at, u32_at};
use crate::error::{ArchiveError, EntryPathError, LimitError, LimitKind, WheelError};
use crate::limits::ArchiveLimits;
use crate::paths::parse_path;

/// The fixed part of an entry.
pub(super) const ENTRY: usize = 46;
const SIGNATURE: &[u8; 4] = b"PK\x01\x02";

/// Flags: a data descriptor follows the content, the name is UTF-8, and two bits about the effort of compression.
const DESCRIPTOR: u16 = 0x0008;
const UTF8: u16 = 0x0800;
const EFFORT: u16 = 0x0006;
/// Of the content, by a strong cipher, of the directory.
const ENCRYPTED: u16 = 0x0001 | 0x0040 | 0x2000;

/// An entry that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WheelEntry {
    pub(super) path: ArtifactPath,
    pub(super) kind: WheelEntryKind,
    pub(super) flags: u16,
    pub(super) checksum: u32,
    pub(super) content: StoredContent,
    /// Where its header is.
    pub(super) offset: u64,
}

impl WheelEntry {
    /// Its name, as the wheel has it.
    pub(super) fn name(&self) -> String {
        match self.kind {
            WheelEntryKind::File(_) => self.path.to_string(),
            WheelEntryKind::Directory => format!("{}/", self.path),
        }
    }

    /// Whether its content is followed by sizes and checksum.
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & DESCRIPTOR != 0
    }
}

/// How long the variable parts of an entry are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryLengths {
    pub(super) name: usize,
    pub(super) extra: usize,
}

/// Reads how much follows the fixed part; the error is what is wrong with it.
pub(super) fn parse_lengths(fixed: &[u8; ENTRY]) -> Result<EntryLengths, &'static str> {
    if fixed[..4] != *SIGNATURE {
        return Err("no entry begins here");
    }
    let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(fixed, at)));
    if comment != 0 {
        return Err("an entry has a comment");
    }
    Ok(EntryLengths { name, extra })
}

/// Judges an entry.
pub(super) fn parse_entry(
    fixed: &[u8; ENTRY],
    name: &[u8],
    extra: &[u8],
    limits: &ArchiveLimits,
) -> Result<WheelEntry, ArchiveError> {
    let directory = name.strip_suffix(b"/");
    let path = parse_path(directory.unwrap_or(name), limits)?;
    let entry = std::str::from_utf8(name).map_err(|_| EntryPathError::not_utf8(name))?;
    refuse_zip64(entry, fixed, extra)?;
    let flags = u16_at(fixed, 8);
    check_flags(entry, flags)?;
    let method = parse_method(entry, u16_at(fixed, 10))?;
    let kind = kind_of(entry, directory.is_some(), u16_at(fixed, 4), u32_at(fixed, 38))?;
    let [checksum, compressed, size, offset] = [16, 20, 24, 42].map(|at| u32_at(fixed, at));
    let (compressed, size) = (compressed.into(), size.into());
    if kind == WheelEntryKind::Directory && size > 0 {
        let kind = "a directory with content";
        return Err(WheelError::EntryType { entry: entry.to_owned(), kind }.into());
    }
    if size > limits.file {
        return Err(LimitError::of_entry(LimitKind::File, limits.file, entry).into());
    }
    let content = StoredContent { method, compressed, size };
    Ok(WheelEntry { path, kind, flags, checksum, content, offset: offset.into() })
}

fn refuse_zip64(entry: &str, fixed: &[u8; ENTRY], extra: &[u8]) -> Result<(), WheelError> {
    let numbers = [20, 24, 42].map(|at| u32_at(fixed, at));
    let disk = u16_at(fixed, 34);
    let is_in_zip64 = numbers.contains(&IN_ZIP64) || disk == u16::MAX;
    if parse_extra(entry, extra)?.is_some() || is_in_zip64 {
        return Err(refused_zip64(entry));
    }
    if disk != 0 {
        return Err(WheelError::End { problem: "it is a part of several" });
    }
    Ok(())
}

fn check_flags(entry: &str, flags: u16) -> Result<(), WheelError> {
    if flags & ENCRYPTED != 0 {
        return Err(WheelError::Encrypted { entry: entry.to_owned() });
    }
    if flags & !(DESCRIPTOR | UTF8 | EFFORT) != 0 {
        return Err(WheelError::Flags { entry: entry.to_owned(), flags });
    }
    if flags & UTF8 == 0 && !entry.is_ascii() {
        // Readers take such a name for one in the character set of DOS, or of the machine.
        return Err(WheelError::NameEncoding { entry: entry.to_owned() });
    }
    Ok(())
}

fn parse_method(entry: &str, number: u16) -> Result<CompressionMethod, WheelError> {
    let method = CompressionMethod::of_number(number);
    method.ok_or_else(|| WheelError::Method { entry: entry.to_owned(), method: number })
}
