//! One pass over an archive: every rule is checked, every file hashed, and a visitor sees all of it.

use std::io::Read;
use std::ops::Range;

use facets_digest::{Hasher, ReadBuffer};
use facets_model::ArtifactPath;

use crate::error::{ArchiveError, LimitError, LimitKind, UnpackError};
use crate::gzip::{Gunzip, GzipHeader};
use crate::index::{ArchiveIndex, ArchivedFile};
use crate::kept::{KeptBytes, KeptSource, KeptTar};
use crate::limits::ArchiveLimits;
use crate::source::{ByteSource, HashedSource, PlainSource};
use crate::tar::{ArchiveFormat, TarEntry, TarEntryKind, TarReader};

/// Sees the entries of an archive while they are read, before all of it is accepted.
pub(crate) trait EntryVisitor {
    /// An entry begins.
    fn begin(&mut self, entry: &TarEntry) -> Result<(), ArchiveError>;

    /// A part of its content.
    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError>;

    /// The entry ends.
    fn end(&mut self, entry: &TarEntry) -> Result<(), ArchiveError>;
}

/// Nothing is done with what is read.
pub(crate) struct NoVisitor;

impl EntryVisitor for NoVisitor {
    fn begin(&mut self, _: &TarEntry) -> Result<(), ArchiveError> {
        Ok(())
    }

    fn content(&mut self, _: &[u8]) -> Result<(), ArchiveError> {
        Ok(())
    }

    fn end(&mut self, _: &TarEntry) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// Keeps the content of one file, up to a limit.
pub(crate) struct KeptFile {
    path: &'static str,
    limit: u64,
    bytes: Option<Vec<u8>>,
    is_current: bool,
}

impl KeptFile {
    pub(crate) fn new(path: &'static str, limit: usize) -> Self {
        Self { path, limit: limit as u64, bytes: None, is_current: false }
    }

    /// The content, if the file was there.
    pub(crate) fn into_bytes(self) -> Option<Vec<u8>> {
        self.bytes
    }
}

impl EntryVisitor for KeptFile {
    fn begin(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        self.is_current = entry.path.as_str() == self.path;
        if !self.is_current {
            return Ok(());
        }
        if entry.size > self.limit {
            return Err(LimitError::of_entry(LimitKind::File, self.limit, self.path).into());
        }
        self.bytes = Some(Vec::new());
        Ok(())
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if let Some(kept) = self.bytes.as_mut().filter(|_| self.is_current) {
            kept.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn end(&mut self, _: &TarEntry) -> Result<(), ArchiveError> {
        self.is_current = false;
        Ok(())
    }
}

/// The entries of an archive.
#[derive(Default)]
struct Contents {
    files: Vec<ArchivedFile>,
    /// Where the content of each file begins.
    starts: Vec<u64>,
    directories: Vec<ArtifactPath>,
}

/// Reads all entries.
fn read_entries<S: ByteSource>(
    tar: &mut TarReader<S>,
    visitor: &mut dyn EntryVisitor,
) -> Result<Contents, ArchiveError> {
    let mut contents = Contents::default();
    let mut buffer = ReadBuffer::new();
    while let Some(entry) = tar.next_entry()? {
        let start = tar.position();
        visitor.begin(&entry)?;
        let mut hasher = Hasher::new();
        loop {
            let read = tar.read_content(&mut buffer)?;
            if read == 0 {
                break;
            }
            hasher.update(&buffer[..read]);
            visitor.content(&buffer[..read])?;
        }
        visitor.end(&entry)?;
        let TarEntry { path, kind, size } = entry;
        match kind {
            TarEntryKind::Directory => contents.directories.push(path),
            TarEntryKind::File(mode) => {
                contents.files.push(ArchivedFile { path, mode, size, digest: hasher.finish() });
                contents.starts.push(start);
            }
        }
    }
    Ok(contents)
}

/// Reads a compressed archive to its end.
pub(crate) fn read_compressed(
    reader: impl Read,
    format: ArchiveFormat,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
) -> Result<ArchiveIndex, ArchiveError> {
    let (index, _) = read_and_keep(reader, format, limits, KeptBytes::none(), visitor)?;
    Ok(index)
}

/// Reads a compressed archive to its end, and keeps the uncompressed one if it is small.
pub(crate) fn read_and_keep(
    reader: impl Read,
    format: ArchiveFormat,
    limits: &ArchiveLimits,
    kept: KeptBytes,
    visitor: &mut dyn EntryVisitor,
) -> Result<(ArchiveIndex, Option<KeptTar>), ArchiveError> {
    let header = match format {
        ArchiveFormat::Npm => GzipHeader::Any,
        ArchiveFormat::FacetContainer | ArchiveFormat::Facet | ArchiveFormat::Server => {
            GzipHeader::Plain
        }
    };
    let stored = HashedSource::new(PlainSource::new(reader, limits.compressed));
    let inner = HashedSource::new(Gunzip::open(stored, header, *limits)?);
    let mut tar = TarReader::new(KeptSource::new(inner, kept), format, limits);
    let Contents { files, starts, directories } = read_entries(&mut tar, visitor)?;
    let (inner, bytes) = tar.into_source().finish();
    let (integrity, unpacked, gunzip) = inner.finish();
    let (content_hash, size, _) = gunzip.into_input().finish();
    let index = ArchiveIndex { content_hash, integrity, size, unpacked, files, directories };
    Ok((index, bytes.map(|bytes| KeptTar::new(bytes, starts))))
}

/// Shows the directories that an archive names itself.
pub(crate) fn visit_directories(
    index: &ArchiveIndex,
    visitor: &mut dyn EntryVisitor,
) -> Result<(), ArchiveError> {
    for path in &index.directories {
        let entry = TarEntry { path: path.clone(), kind: TarEntryKind::Directory, size: 0 };
        visitor.begin(&entry)?;
        visitor.end(&entry)?;
    }
    Ok(())
}

/// Shows some files of an archive that was validated and kept. Its bytes are those that were hashed, so nothing is
/// decompressed, parsed or hashed again.
pub(crate) fn visit_kept_files(
    kept: &KeptTar,
    index: &ArchiveIndex,
    numbers: Range<usize>,
    visitor: &mut dyn EntryVisitor,
) -> Result<(), ArchiveError> {
    let files = index.files.iter().enumerate().take(numbers.end).skip(numbers.start);
    for (number, file) in files {
        let ArchivedFile { path, mode, size, .. } = file;
        let content = kept.content(number, *size).ok_or(UnpackError::Changed)?;
        let entry = TarEntry { path: path.clone(), kind: TarEntryKind::File(*mode), size: *size };
        visitor.begin(&entry)?;
        visitor.content(content)?;
        visitor.end(&entry)?;
    }
    Ok(())
}
