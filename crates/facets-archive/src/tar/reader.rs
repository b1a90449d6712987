//! The strict reader: every rule of spec 4.5 that an entry, or the order of entries, can break.

use std::cmp::Ordering;

use facets_model::ArtifactPath;

use super::blocks::BlockReader;
use super::format::ArchiveFormat;
use super::header::{self, Block, EntryType, NAME, RawHeader, differing_field};
use super::pax::{self, PaxRecords};
use crate::entry_mode::EntryMode;
use crate::error::{ArchiveError, EntryPathError, LimitError, LimitKind, TarError};
use crate::limits::ArchiveLimits;
use crate::paths::{PathSet, parse_path};
use crate::source::ByteSource;

/// Programs that would run as their owner or its group.
const SET_ID: u64 = 0o6000;

/// An entry whose header was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TarEntry {
    /// For an npm package without its first directory.
    pub(crate) path: ArtifactPath,
    pub(crate) kind: TarEntryKind,
    pub(crate) size: u64,
}

/// What an accepted entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TarEntryKind {
    File(EntryMode),
    Directory,
}

/// Reads entries one by one.
pub(crate) struct TarReader<S> {
    blocks: BlockReader<S>,
    format: ArchiveFormat,
    limits: ArchiveLimits,
    paths: PathSet,
    entries: usize,
    /// The path of the current entry, as the archive has it.
    current: String,
    last: Option<ArtifactPath>,
    is_done: bool,
}

impl<S: ByteSource> TarReader<S> {
    pub(crate) fn new(source: S, format: ArchiveFormat, limits: &ArchiveLimits) -> Self {
        Self {
            blocks: BlockReader::new(source),
            format,
            limits: *limits,
            paths: PathSet::default(),
            entries: 0,
            current: String::new(),
            last: None,
            is_done: false,
        }
    }

    /// Where the bytes came from. It is read to its end once there are no more entries.
    pub(crate) fn into_source(self) -> S {
        self.blocks.into_source()
    }

    /// Bytes read so far: right behind a header that is where the content begins.
    pub(crate) fn position(&self) -> u64 {
        self.blocks.position()
    }

    /// The next entry, whatever was left of the one before; nothing at the end, which is checked.
    pub(crate) fn next_entry(&mut self) -> Result<Option<TarEntry>, ArchiveError> {
        self.blocks.end_content(&self.current)?;
        let mut records: Option<PaxRecords> = None;
        while !self.is_done {
            let offset = self.blocks.position();
            let Some(block) = self.blocks.next_header()? else {
                self.end(offset, records.is_some())?;
                break;
            };
            let header = header::parse(&block, offset)?;
            match (header.entry_type, records.is_some()) {
                (EntryType::Pax, false) => {
                    records = Some(self.read_records(&header, &block, offset)?);
                }
                (EntryType::PaxGlobal, false) => self.read_global_records(&header, offset)?,
                _ => {
                    if let Some(entry) = self.accept(&header, &block, records.take())? {
                        return Ok(Some(entry));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Content of the current entry; 0 at its end.
    pub(crate) fn read_content(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveError> {
        self.blocks.read_content(buffer)
    }

    fn end(&mut self, offset: u64, has_records: bool) -> Result<(), ArchiveError> {
        if has_records {
            return Err(TarError::Pax { offset, problem: "no entry follows it" }.into());
        }
        self.is_done = true;
        self.blocks.read_end(offset, self.format)
    }

    /// Reads the records before an entry.
    fn read_records(
        &mut self,
        header: &RawHeader,
        block: &Block,
        offset: u64,
    ) -> Result<PaxRecords, ArchiveError> {
        if matches!(self.format, ArchiveFormat::Facet | ArchiveFormat::FacetContainer) {
            return Err(wrong_type(header, "an extended header"));
        }
        let bytes = self.read_record_bytes(header, offset)?;
        let records = pax::parse(&bytes, offset)?;
        if self.format == ArchiveFormat::Server {
            check_own_records(&records, &bytes, block)?;
        }
        Ok(records)
    }

    /// Records about all entries: none that changes an entry is accepted.
    fn read_global_records(&mut self, header: &RawHeader, offset: u64) -> Result<(), ArchiveError> {
        if self.format != ArchiveFormat::Npm {
            return Err(wrong_type(header, "a global extended header"));
        }
        self.count_entry()?;
        let bytes = self.read_record_bytes(header, offset)?;
        let PaxRecords { path, size } = pax::parse(&bytes, offset)?;
        let key = match (path, size) {
            (Some(_), _) => "path",
            (None, Some(_)) => "size",
            (None, None) => return Ok(()),
        };
        Err(TarError::PaxRecord { offset, key: key.to_owned() }.into())
    }

    fn read_record_bytes(
        &mut self,
        header: &RawHeader,
        offset: u64,
    ) -> Result<Vec<u8>, ArchiveError> {
        if header.size > pax::LONGEST {
            return Err(TarError::Pax { offset, problem: "it is longer than 16 KiB" }.into());
        }
        self.blocks.begin_content(header.size);
        let (mut bytes, mut buffer) = (Vec::new(), [0; 1024]);
        loop {
            match self.blocks.read_content(&mut buffer)? {
                0 => break,
                read => bytes.extend_from_slice(&buffer[..read]),
            }
        }
        self.blocks.end_content("an extended header")?;
        Ok(bytes)
    }

    /// Judges a header; nothing for the directory that an npm package is in.
    fn accept(
        &mut self,
        header: &RawHeader,
        block: &Block,
        records: Option<PaxRecords>,
    ) -> Result<Option<TarEntry>, ArchiveError> {
        self.count_entry()?;
        let kind = self.kind(header)?;
        let has_records = records.is_some();
        let PaxRecords { path, size } = records.unwrap_or_default();
        let full = self.parse_name(&path.unwrap_or_else(|| header.name.clone()), kind)?;
        full.as_str().clone_into(&mut self.current);
        if size.is_some_and(|size| size != header.size) {
            // spec 4.5: two readers would see different entries from here on
            return Err(TarError::PaxConflict { entry: full.to_string(), field: "size" }.into());
        }
        self.limit_file(header.size)?;
        self.blocks.begin_content(header.size);
        let Some(path) = self.strip(full, kind)? else { return Ok(None) };
        self.place(&path, kind)?;
        self.check_canonical(&path, header, block, has_records)?;
        Ok(Some(TarEntry { path, kind, size: header.size }))
    }

    fn count_entry(&mut self) -> Result<(), ArchiveError> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            let limit = self.limits.entries as u64;
            return Err(LimitError::new(LimitKind::Entries, limit).into());
        }
        Ok(())
    }

    fn kind(&self, header: &RawHeader) -> Result<TarEntryKind, ArchiveError> {
        let kind = match header.entry_type {
            EntryType::File => TarEntryKind::File(EntryMode::of_bits(header.mode)),
            EntryType::Directory if self.format == ArchiveFormat::Npm => TarEntryKind::Directory,
            EntryType::Directory => return Err(wrong_type(header, "a directory")),
            EntryType::Sparse => return Err(TarError::Sparse { entry: shown(header) }.into()),
            EntryType::Other(kind) => return Err(wrong_type(header, kind)),
            EntryType::Pax | EntryType::PaxGlobal => {
                return Err(wrong_type(header, "a second extended header"));
            }
        };
        if kind == TarEntryKind::Directory && header.size > 0 {
            return Err(wrong_type(header, "a directory with content"));
        }
        if self.format == ArchiveFormat::Npm && header.mode & SET_ID != 0 {
            return Err(TarError::Mode { entry: shown(header), mode: header.mode }.into());
        }
        Ok(kind)
    }

    fn parse_name(&self, name: &[u8], kind: TarEntryKind) -> Result<ArtifactPath, ArchiveError> {
        let name = match kind {
            // A directory may be written with or without a slash.
            TarEntryKind::Directory => name.strip_suffix(b"/").unwrap_or(name),
            TarEntryKind::File(_) => name,
        };
        parse_path(name, &self.limits)
    }

    fn limit_file(&self, size: u64) -> Result<(), ArchiveError> {
        if size > self.limits.file {
            let error = LimitError::of_entry(LimitKind::File, self.limits.file, &self.current);
            return Err(error.into());
        }
        Ok(())
    }

    /// The path without the directory that every npm package is in, whatever that is called.
    fn strip(
        &self,
        full: ArtifactPath,
        kind: TarEntryKind,
    ) -> Result<Option<ArtifactPath>, ArchiveError> {
        if self.format != ArchiveFormat::Npm {
            return Ok(Some(full));
        }
        match full.as_str().split_once('/') {
            Some((_, rest)) => parse_path(rest.as_bytes(), &self.limits).map(Some),
            None if kind == TarEntryKind::Directory => Ok(None),
            None => Err(EntryPathError::TopLevel { path: full.to_string() }.into()),
        }
    }

    /// Beside the entries before it: no collision, the right order, not too long together.
    fn place(&mut self, path: &ArtifactPath, kind: TarEntryKind) -> Result<(), ArchiveError> {
        match kind {
            TarEntryKind::File(_) => self.paths.add_file(path)?,
            TarEntryKind::Directory => self.paths.add_directory(path)?,
        }
        if self.paths.bytes() > self.limits.path_bytes {
            let limit = self.limits.path_bytes as u64;
            return Err(LimitError::new(LimitKind::PathBytes, limit).into());
        }
        if let Some(last) = &self.last
            && self.format.compare(last.as_str(), path.as_str()) == Some(Ordering::Greater)
        {
            let (path, after) = (path.to_string(), last.to_string());
            return Err(TarError::Order { path, after }.into());
        }
        self.last = Some(path.clone());
        Ok(())
    }

    /// Where the format has one header for each file, any other is refused: what it says besides could be
    /// read by others.
    fn check_canonical(
        &self,
        path: &ArtifactPath,
        header: &RawHeader,
        block: &Block,
        has_records: bool,
    ) -> Result<(), ArchiveError> {
        let name = pax::short_name(path.as_str());
        let mode = EntryMode::of_bits(header.mode);
        let Some(expected) = self.format.header(name.as_bytes(), header.size, mode) else {
            return Ok(());
        };
        let is_long = path.as_str().len() > NAME;
        let field =
            if is_long == has_records { differing_field(&expected, block) } else { Some("name") };
        match field {
            Some(field) => Err(TarError::NotCanonical { entry: path.to_string(), field }.into()),
            None => Ok(()),
        }
    }
}

fn wrong_type(header: &RawHeader, kind: &'static str) -> ArchiveError {
    TarError::EntryType { entry: shown(header), kind }.into()
}

/// A name for people, who see that something is wrong with it.
fn shown(header: &RawHeader) -> String {
    String::from_utf8_lossy(&header.name).into_owned()
}

/// spec 4.2: an extended header has the path, and nothing else.
fn check_own_records(records: &PaxRecords, bytes: &[u8], block: &Block) -> Result<(), TarError> {
    let path = records.path.as_deref().and_then(|path| std::str::from_utf8(path).ok());
    let expected = path.map(pax::path_record);
    if expected.as_deref() == Some(bytes) && *block == pax::path_header(bytes) {
        return Ok(());
    }
    let entry = path.unwrap_or("an extended header").to_owned();
    Err(TarError::NotCanonical { entry, field: "extended header" })
}
