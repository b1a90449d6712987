//! One pass over a wheel: every rule is checked, and every file hashed.

use std::io::{BufReader, Read, Seek};

use facets_digest::{Digest, Hasher};

use super::attributes::WheelEntryKind;
use super::content::{StoredContent, read_content};
use super::directory::{WheelDirectory, read_directory};
use super::end::{END, EndRecord, read_end};
use super::entry::WheelEntry;
use super::hashed_reader::HashedReader;
use super::index::WheelIndex;
use super::inflater::Inflater;
use super::input::{BUFFER, fill, read_parts, read_record};
use super::local::{read_descriptor, read_local_header};
use crate::error::{ArchiveError, LimitError, LimitKind, UnpackError, WheelError};
use crate::gzip::Crc32;
use crate::index::ArchivedFile;
use crate::limits::ArchiveLimits;
use crate::unpack::rewind;

/// Where the content of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContentPlace {
    pub(super) start: u64,
    pub(super) content: StoredContent,
}

/// A wheel that broke no rule.
pub(super) struct ScannedWheel {
    pub(super) index: WheelIndex,
    /// Where the content of each file is.
    pub(super) places: Vec<ContentPlace>,
}

/// Reads the end, the directory, and then everything from the beginning.
pub(super) fn scan_wheel(
    wheel: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
) -> Result<ScannedWheel, ArchiveError> {
    let end = read_end(wheel, limits)?;
    let directory = read_directory(wheel, &end, limits)?;
    limit_total(&directory.entries, &end, limits)?;
    rewind(wheel)?;
    let mut pass = ForwardPass::new(wheel, limits);
    let following = directory.entries.iter().skip(1).map(|entry| entry.offset);
    let ends = following.chain([end.directory.start]);
    for (entry, end) in directory.entries.iter().zip(ends) {
        pass.read_entry(entry, end)?;
    }
    pass.read_directory_again(&directory, &end)?;
    Ok(pass.finish(end.wheel_size()))
}

/// What all files and everything around them take together. No more can come out, because each file has exactly the
/// size that is stated.
fn limit_total(
    entries: &[WheelEntry],
    end: &EndRecord,
    limits: &ArchiveLimits,
) -> Result<(), LimitError> {
    let sizes: u64 = entries.iter().map(|entry| entry.content.size).sum();
    let compressed: u64 = entries.iter().map(|entry| entry.content.compressed).sum();
    if sizes + end.wheel_size().saturating_sub(compressed) > limits.total {
        return Err(LimitError::new(LimitKind::Total, limits.total));
    }
    Ok(())
}

/// Reads a wheel from its first byte to its last.
struct ForwardPass<'l, R> {
    input: BufReader<HashedReader<R>>,
    position: u64,
    inflater: Inflater,
    expansion: Expansion<'l>,
    files: Vec<ArchivedFile>,
    places: Vec<ContentPlace>,
}

impl<'l, R: Read> ForwardPass<'l, R> {
    fn new(wheel: R, limits: &'l ArchiveLimits) -> Self {
        Self {
            input: BufReader::with_capacity(BUFFER, HashedReader::new(wheel)),
            position: 0,
            inflater: Inflater::new(),
            expansion: Expansion { produced: 0, limits },
            files: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Reads an entry and everything up to the next one, or to the directory.
    fn read_entry(&mut self, entry: &WheelEntry, end: u64) -> Result<(), ArchiveError> {
        self.refuse_gap(entry.offset)?;
        self.position += read_local_header(&mut self.input, entry)?;
        let start = self.position;
        let behind = bytes_behind(entry, start, end)?;
        let digest = self.read_content(entry)?;
        self.position = end - behind;
        if entry.has_descriptor() {
            read_descriptor(&mut self.input, entry, behind)?;
            self.position = end;
        }
        self.refuse_gap(end)?;
        if let WheelEntryKind::File(mode) = entry.kind {
            let (path, size) = (entry.path.clone(), entry.content.size);
            self.files.push(ArchivedFile { path, mode, size, digest });
            self.places.push(ContentPlace { start, content: entry.content });
        }
        Ok(())
    }

    fn read_content(&mut self, entry: &WheelEntry) -> Result<Digest, ArchiveError> {
        let (mut hasher, mut crc) = (Hasher::new(), Crc32::new());
        let (name, start, expansion) = (entry.name(), self.position, &mut self.expansion);
        let mut show = |part: &[u8], consumed: u64| {
            expansion.count(part.len(), start + consumed)?;
            hasher.update(part);
            crc.update(part);
            Ok(())
        };
        read_content(&mut self.input, &mut self.inflater, &name, entry.content, &mut show)?;
        let (expected, actual) = (entry.checksum, crc.finish());
        if expected != actual {
            return Err(WheelError::Checksum { entry: name, expected, actual }.into());
        }
        Ok(hasher.finish())
    }

    /// The next part begins here, and not later.
    fn refuse_gap(&self, next: u64) -> Result<(), WheelError> {
        match next.saturating_sub(self.position) {
            0 => Ok(()),
            length => Err(WheelError::Gap { offset: self.position, length }),
        }
    }

    /// The directory was read already. These are the bytes that are hashed with all others, so they have to be the same.
    fn read_directory_again(
        &mut self,
        directory: &WheelDirectory,
        end: &EndRecord,
    ) -> Result<(), ArchiveError> {
        self.refuse_gap(end.directory.start)?;
        let mut hasher = Hasher::new();
        let length = end.directory.end - end.directory.start;
        read_parts(&mut self.input, length, &mut |part| {
            hasher.update(part);
            Ok(())
        })?;
        let mut bytes = [0; END];
        read_record(&mut self.input, &mut bytes)?;
        let is_same = hasher.finish() == directory.digest && bytes == end.bytes;
        if !is_same || !fill(&mut self.input)?.is_empty() {
            return Err(UnpackError::Changed.into());
        }
        Ok(())
    }

    fn finish(self, size: u64) -> ScannedWheel {
        let content_hash = self.input.into_inner().finish();
        let index = WheelIndex { content_hash, size, files: self.files };
        ScannedWheel { index, places: self.places }
    }
}

/// How many bytes stand between the content of an entry and the next part of the wheel.
fn bytes_behind(entry: &WheelEntry, start: u64, end: u64) -> Result<u64, WheelError> {
    let behind = end.checked_sub(start + entry.content.compressed);
    behind.ok_or_else(|| WheelError::Overlap { entry: entry.name() })
}

/// How much came out so far.
struct Expansion<'l> {
    produced: u64,
    limits: &'l ArchiveLimits,
}

impl Expansion<'_> {
    /// spec 4.5: an archive that expands too much is refused while it expands.
    fn count(&mut self, produced: usize, consumed: u64) -> Result<(), LimitError> {
        self.produced += produced as u64;
        let ArchiveLimits { ratio, ratio_from, .. } = *self.limits;
        if self.produced > ratio_from && self.produced > consumed.saturating_mul(ratio) {
            return Err(LimitError::new(LimitKind::Ratio, ratio));
        }
        Ok(())
    }
}
