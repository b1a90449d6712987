//! Packing a facet.

use std::io::{Read, Seek, SeekFrom, Write};

use facets_digest::json::compare_utf16;
use facets_digest::{Digest, Hasher, ReadBuffer};
use facets_model::manifest::{FacetManifest, FileRole, NamedFile, parse_facet};
use facets_model::tree::{MANIFEST_LIMITS, ManifestFormat, parse as parse_tree};

use super::build_manifest::{self, ARCHIVE, BUILD_MANIFEST};
use super::text::TextProbe;
use crate::entry_mode::EntryMode;
use crate::error::{ArchiveError, ContentError, FacetError, LimitError, LimitKind, unwritable};
use crate::gzip::{FACET_HEADER, GzipWriter};
use crate::hashed_writer::HashedWriter;
use crate::index::{ArchiveIndex, ArchivedFile};
use crate::limits::ArchiveLimits;
use crate::paths::parse_path;
use crate::tar::{ArchiveFormat, TarWriter};
use crate::tree::{FileContent, SourceTree};

/// The manifest as every archive has it.
pub(super) const MANIFEST: &str = "facet.json";

/// Compressed files up to this size are held in memory until the outer archive is written.
const HELD: usize = 8 << 20;

/// A facet that was packed.
#[derive(Clone, Debug)]
pub struct PackedFacet {
    /// Its manifest.
    pub manifest: FacetManifest,
    /// Everything that went in, and the hashes.
    pub index: ArchiveIndex,
}

/// Packs the facet of a tree, whose manifest is `facet.json` or, as YAML, `facet.yaml`. What was written so
/// far is worthless if this fails.
pub fn pack_facet(
    tree: &SourceTree,
    format: ManifestFormat,
    limits: &ArchiveLimits,
    output: impl Write,
) -> Result<PackedFacet, ArchiveError> {
    let (manifest, json, files) = read_manifest(tree, format)?;
    if !manifest.facets.is_empty() {
        return Err(FacetError::Composition.into());
    }
    let spool = tempfile::spooled_tempfile(HELD);
    let gzip = GzipWriter::start(spool, FACET_HEADER).map_err(unwritable)?;
    let mut packer = FacetPacker {
        tree,
        limits,
        tar: TarWriter::new(gzip, ArchiveFormat::Facet),
        files: Vec::new(),
        buffer: ReadBuffer::new(),
    };
    packer.add_all(json, files)?;
    let FacetPacker { tar, files, .. } = packer;
    let (gzip, integrity, unpacked) = tar.finish().map_err(unwritable)?;
    let archive = gzip.finish().map_err(unwritable)?;
    let build_manifest = build_manifest::write(integrity, &files);
    let (content_hash, size) = write_container(&build_manifest, archive, output)?;
    let directories = Vec::new();
    let index = ArchiveIndex { content_hash, integrity, size, unpacked, files, directories };
    Ok(PackedFacet { manifest, index })
}

/// The manifest, its text as it is archived, and the files that it names.
fn read_manifest(
    tree: &SourceTree,
    format: ManifestFormat,
) -> Result<(FacetManifest, Vec<u8>, Vec<NamedFile>), ArchiveError> {
    let file = if format == ManifestFormat::Yaml { "facet.yaml" } else { MANIFEST };
    let opened = tree.open_file(file)?.ok_or(ContentError::NoManifest { file })?;
    let bytes = opened.read_all(file, MANIFEST_LIMITS.bytes as u64)?;
    let outcome = parse_facet(&bytes, format);
    let problems = outcome.problems;
    let manifest = outcome.manifest.ok_or(ContentError::Manifest { file, problems })?;
    let json = match format {
        // spec 3.1: a YAML manifest is archived as JSON
        ManifestFormat::Yaml => parse_tree(&bytes, format)
            .map(|parsed| parsed.root.to_json().into_bytes())
            .map_err(|problem| ContentError::Manifest { file, problems: vec![*problem] })?,
        ManifestFormat::Json | ManifestFormat::JsonWithComments => bytes,
    };
    Ok((manifest, json, outcome.files))
}

struct FacetPacker<'p, W> {
    tree: &'p SourceTree,
    limits: &'p ArchiveLimits,
    tar: TarWriter<W>,
    files: Vec<ArchivedFile>,
    buffer: ReadBuffer,
}

impl<W: Write> FacetPacker<'_, W> {
    /// Adds the manifest and the files that it names, in the order of UTF-16 code units.
    fn add_all(&mut self, manifest: Vec<u8>, files: Vec<NamedFile>) -> Result<(), ArchiveError> {
        let mut manifest = Some(manifest);
        let mut named: Vec<(String, Option<FileRole>)> =
            files.into_iter().map(|file| (file.path, Some(file.role))).collect();
        named.push((MANIFEST.to_owned(), None));
        named.sort_by(|(one, _), (other, _)| compare_utf16(one, other));
        for (path, role) in named {
            let content = match role {
                Some(_) => self.open(&path)?,
                None => FileContent::Read {
                    bytes: manifest.take().unwrap_or_default(),
                    mode: EntryMode::Plain,
                },
            };
            self.add(&path, role, content)?;
        }
        self.refuse_empty_last()
    }

    fn open(&self, path: &str) -> Result<FileContent, ArchiveError> {
        let missing = || FacetError::Missing { path: path.to_owned(), declared_in: "the manifest" };
        Ok(FileContent::Opened(self.tree.open_file(path)?.ok_or_else(missing)?))
    }

    fn add(
        &mut self,
        path: &str,
        role: Option<FileRole>,
        content: FileContent,
    ) -> Result<(), ArchiveError> {
        let parsed = parse_path(path.as_bytes(), self.limits)?;
        let size = content.size();
        if size > self.limits.file {
            return Err(LimitError::of_entry(LimitKind::File, self.limits.file, path).into());
        }
        let (mut hasher, mut probe) = (Hasher::new(), TextProbe::default());
        self.tar.begin_file(path, size, EntryMode::Plain).map_err(unwritable)?;
        let tar = &mut self.tar;
        content.read_parts(&mut self.buffer, &mut |part: &[u8]| {
            hasher.update(part);
            probe.update(part);
            tar.write(part).map_err(unwritable)
        })?;
        self.tar.fill_block().map_err(unwritable)?;
        if role == Some(FileRole::Primary) {
            check_text(path, &probe)?;
        }
        let (mode, digest) = (EntryMode::Plain, hasher.finish());
        self.files.push(ArchivedFile { path: parsed, mode, size, digest });
        Ok(())
    }

    /// spec 4.1: the reference does not see an empty file whose header is the end of the archive.
    fn refuse_empty_last(&self) -> Result<(), ArchiveError> {
        let has_end = ArchiveFormat::Facet.end(self.tar.position()) != Some(0);
        match self.files.last().filter(|last| last.size == 0 && !has_end) {
            Some(last) => Err(FacetError::EmptyLast { path: last.path.to_string() }.into()),
            None => Ok(()),
        }
    }
}

/// spec 4.1: the reference would change a text with a byte order mark or bad UTF-8.
fn check_text(path: &str, probe: &TextProbe) -> Result<(), FacetError> {
    let mark = probe.has_byte_order_mark().then_some("it begins with a byte order mark");
    match mark.or(probe.problem()) {
        Some(problem) => Err(FacetError::Text { path: path.to_owned(), problem }),
        None => Ok(()),
    }
}

/// Writes the outer archive: the build manifest, then the inner archive.
fn write_container(
    build_manifest: &[u8],
    mut archive: impl Read + Seek,
    output: impl Write,
) -> Result<(Digest, u64), ArchiveError> {
    let size = archive.seek(SeekFrom::End(0)).map_err(unwritable)?;
    archive.rewind().map_err(unwritable)?;
    let output = HashedWriter::new(output);
    let mut tar = TarWriter::new(output, ArchiveFormat::FacetContainer);
    tar.write_file(BUILD_MANIFEST, build_manifest, EntryMode::Plain).map_err(unwritable)?;
    tar.begin_file(ARCHIVE, size, EntryMode::Plain).map_err(unwritable)?;
    let mut buffer = ReadBuffer::new();
    loop {
        match archive.read(&mut buffer).map_err(unwritable)? {
            0 => break,
            read => tar.write(&buffer[..read]).map_err(unwritable)?,
        }
    }
    tar.fill_block().map_err(unwritable)?;
    let (output, _, _) = tar.finish().map_err(unwritable)?;
    let (content_hash, size, _) = output.finish().map_err(unwritable)?;
    Ok((content_hash, size))
}
