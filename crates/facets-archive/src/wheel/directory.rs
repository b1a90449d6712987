//! The directory of a wheel: all of its entries.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use facets_digest::Digest;

use super::attributes::WheelEntryKind;
use super::end::EndRecord;
use super::entry::{ENTRY, WheelEntry, parse_entry, parse_lengths};
use super::hashed_reader::HashedReader;
use super::input::{BUFFER, fill};
use crate::error::{ArchiveError, LimitError, LimitKind, WheelError, unreadable};
use crate::limits::ArchiveLimits;
use crate::paths::PathSet;

/// The directory of a wheel.
pub(super) struct WheelDirectory {
    /// In the order in which they are stored.
    pub(super) entries: Vec<WheelEntry>,
    /// SHA-256 of its bytes.
    pub(super) digest: Digest,
}

/// Reads the directory, which has exactly the entries that the end record states.
pub(super) fn read_directory(
    wheel: &mut (impl Read + Seek),
    end: &EndRecord,
    limits: &ArchiveLimits,
) -> Result<WheelDirectory, ArchiveError> {
    let start = end.directory.start;
    wheel.seek(SeekFrom::Start(start)).map_err(unreadable)?;
    let bytes = HashedReader::new(wheel.take(end.directory.end - start));
    let mut reader =
        DirectoryReader { input: BufReader::with_capacity(BUFFER, bytes), offset: start };
    let (mut entries, mut paths) = (Vec::new(), PathSet::default());
    for _ in 0..end.entries {
        let entry = reader.next_entry(limits)?;
        place(&mut paths, &entry, limits)?;
        entries.push(entry);
    }
    if !fill(&mut reader.input)?.is_empty() {
        return Err(reader.malformed("bytes follow its last entry").into());
    }
    entries.sort_by_key(|entry| entry.offset);
    let digest = reader.input.into_inner().finish();
    Ok(WheelDirectory { entries, digest })
}

/// Beside the entries before it: no collision, not too long together.
fn place(
    paths: &mut PathSet,
    entry: &WheelEntry,
    limits: &ArchiveLimits,
) -> Result<(), ArchiveError> {
    match entry.kind {
        WheelEntryKind::File(_) => paths.add_file(&entry.path)?,
        WheelEntryKind::Directory => paths.add_directory(&entry.path)?,
    }
    if paths.bytes() > limits.path_bytes {
        return Err(LimitError::new(LimitKind::PathBytes, limits.path_bytes as u64).into());
    }
    Ok(())
}

/// Reads entries one by one.
struct DirectoryReader<R> {
    input: R,
    /// Where the next entry begins.
    offset: u64,
}

impl<R: BufRead> DirectoryReader<R> {
    fn next_entry(&mut self, limits: &ArchiveLimits) -> Result<WheelEntry, ArchiveError> {
        let mut fixed = [0; ENTRY];
        self.read(&mut fixed)?;
        let lengths = parse_lengths(&fixed).map_err(|problem| self.malformed(problem))?;
        let mut name = vec![0; lengths.name];
        self.read(&mut name)?;
        let mut extra = vec![0; lengths.extra];
        self.read(&mut extra)?;
        self.offset += (ENTRY + lengths.name + lengths.extra) as u64;
        parse_entry(&fixed, &name, &extra, limits)
    }

    fn read(&mut self, part: &mut [u8]) -> Result<(), ArchiveError> {
        self.input.read_exact(part).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                self.malformed("it ends before all entries that the end record counts").into()
            }
            _ => unreadable(error),
        })
    }

    fn malformed(&self, problem: &'static str) -> WheelError {
        WheelError::Directory { offset: self.offset, problem }
    }
}
