//! Reading and unpacking a facet.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::BorrowedFd;

use facets_digest::Digest;
use facets_model::ArtifactPath;
use facets_model::manifest::{FacetManifest, FileRole, parse_facet};
use facets_model::tree::{MANIFEST_LIMITS, ManifestFormat};

use super::build_manifest::{self, ARCHIVE, BUILD_MANIFEST, BuildManifest, FacetFormat};
use super::pack::MANIFEST;
use super::text::TextProbe;
use crate::error::{
    ArchiveError, ContentError, FacetError, LimitError, LimitKind, UnpackError, unreadable,
};
use crate::index::{ArchiveIndex, ArchivedFile, ExpectedArtifact};
use crate::kept::{KeptBytes, KeptTar};
use crate::limits::ArchiveLimits;
use crate::scan::{EntryVisitor, KeptFile, read_and_keep};
use crate::source::{ByteSource, HashedSource, PlainSource};
use crate::tar::{ArchiveFormat, TarEntry, TarReader};
use crate::unpack::{rewind, write_archive};
use crate::validated::ValidatedArchive;

/// A facet whose archive broke no rule, and is what its own manifests state.
#[derive(Clone, Debug)]
pub struct FacetArchive {
    /// Its `facet.json`.
    pub manifest: FacetManifest,
    /// The text of `facet.json`, as it is archived.
    pub manifest_text: String,
    /// Its files and hashes.
    pub index: ArchiveIndex,
}

impl FacetArchive {
    /// Compares hashes, name and version with what was requested.
    pub fn verify(&self, expected: &ExpectedArtifact) -> Result<(), ArchiveError> {
        self.index.verify(expected)?;
        let (name, version) = (self.manifest.name.to_string(), self.manifest.version.to_string());
        expected.verify_identity(&name, &version)
    }
}

/// Reads a `.facet` archive to its end and checks every rule. Nothing is written.
pub fn read_facet(
    mut archive: impl Read + Seek,
    limits: &ArchiveLimits,
) -> Result<FacetArchive, ArchiveError> {
    let (facet, _) = read_and_keep_facet(&mut archive, limits, KeptBytes::none())?;
    Ok(facet)
}

fn read_and_keep_facet(
    archive: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
    kept: KeptBytes,
) -> Result<(FacetArchive, Option<KeptTar>), ArchiveError> {
    let container = read_container(archive, limits)?;
    let stated = build_manifest::parse(&container.build_manifest)?;
    let mut visitor = FacetVisitor::new();
    let (index, kept) = container.read_inner(archive, limits, kept, &mut visitor)?;
    Ok((accept_facet(&stated, index, visitor)?, kept))
}

/// What remains to be checked when all of an archive was read.
fn accept_facet(
    stated: &BuildManifest,
    index: ArchiveIndex,
    visitor: FacetVisitor,
) -> Result<FacetArchive, ArchiveError> {
    let (manifest, manifest_text) = check_content(&index.files, visitor, stated.format)?;
    check_stated(stated, &index)?;
    Ok(FacetArchive { manifest, manifest_text, index })
}

/// Reads an archive like [`read_facet`], and keeps the bytes of all its files, which are in memory then: `limits`
/// say how many they may be.
pub fn read_facet_files(
    archive: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
) -> Result<(FacetArchive, BTreeMap<ArtifactPath, Vec<u8>>), ArchiveError> {
    let container = read_container(archive, limits)?;
    let stated = build_manifest::parse(&container.build_manifest)?;
    let mut files = FileVisitor::new();
    let (index, _) = container.read_inner(archive, limits, KeptBytes::none(), &mut files)?;
    let FileVisitor { facet, found, .. } = files;
    Ok((accept_facet(&stated, index, facet)?, found))
}

/// Reads an archive like [`read_facet`], and then the files that are UTF-8 text, each with its path, in the order
/// of the archive. One whose files have more than `most` bytes together is refused.
pub fn read_facet_texts(
    archive: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
    most: u64,
) -> Result<Vec<(ArtifactPath, String)>, ArchiveError> {
    let facet = read_facet(&mut *archive, limits)?;
    if facet.index.files.iter().map(|file| file.size).sum::<u64>() > most {
        return Err(LimitError::new(LimitKind::Total, most).into());
    }
    let container = read_container(archive, limits)?;
    let mut texts = TextVisitor::default();
    let (index, _) = container.read_inner(archive, limits, KeptBytes::none(), &mut texts)?;
    if index.integrity != facet.index.integrity {
        return Err(UnpackError::Changed.into());
    }
    Ok(texts.found)
}

/// Reads an archive to its end, checks every rule, and compares it. Nothing is written.
pub fn validate_facet(
    archive: &mut (impl Read + Seek),
    expected: &ExpectedArtifact,
    limits: &ArchiveLimits,
) -> Result<ValidatedArchive<FacetArchive>, ArchiveError> {
    let (facet, kept) = read_and_keep_facet(archive, limits, KeptBytes::up_to(limits.kept))?;
    facet.verify(expected)?;
    Ok(ValidatedArchive { archive: facet, kept, limits: *limits })
}

impl ValidatedArchive<FacetArchive> {
    /// Unpacks it into an empty directory. The file that was validated is read again only if the inner archive
    /// is too large to be kept.
    pub fn unpack(
        self,
        file: &mut (impl Read + Seek),
        directory: BorrowedFd<'_>,
    ) -> Result<FacetArchive, ArchiveError> {
        let Self { archive: facet, kept, limits } = self;
        write_archive(directory, &facet.index, kept.as_ref(), |visitor| {
            let container = read_container(file, &limits)?;
            let (index, _) = container.read_inner(file, &limits, KeptBytes::none(), visitor)?;
            Ok(index)
        })?;
        Ok(facet)
    }
}

/// Unpacks an archive into an empty directory, after all of it was checked and compared.
pub fn unpack_facet(
    archive: &mut (impl Read + Seek),
    expected: &ExpectedArtifact,
    directory: BorrowedFd<'_>,
    limits: &ArchiveLimits,
) -> Result<FacetArchive, ArchiveError> {
    validate_facet(archive, expected, limits)?.unpack(archive, directory)
}

/// The outer archive: what it states, and where the inner one lies.
struct Container {
    build_manifest: Vec<u8>,
    start: u64,
    length: u64,
    digest: Digest,
    size: u64,
}

impl Container {
    /// Reads the inner archive. The index has the size and the hash of the outer one.
    fn read_inner(
        &self,
        archive: &mut (impl Read + Seek),
        limits: &ArchiveLimits,
        kept: KeptBytes,
        visitor: &mut dyn EntryVisitor,
    ) -> Result<(ArchiveIndex, Option<KeptTar>), ArchiveError> {
        archive.seek(SeekFrom::Start(self.start)).map_err(unreadable)?;
        let inner = archive.by_ref().take(self.length);
        let (index, kept) = read_and_keep(inner, ArchiveFormat::Facet, limits, kept, visitor)?;
        Ok((ArchiveIndex { content_hash: self.digest, size: self.size, ..index }, kept))
    }
}

/// Reads the outer archive to its end. Its two files may stand in any order.
fn read_container(
    archive: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
) -> Result<Container, ArchiveError> {
    rewind(archive)?;
    refuse_gzip(archive)?;
    let source = HashedSource::new(PlainSource::new(archive, limits.compressed));
    let mut tar = TarReader::new(source, ArchiveFormat::FacetContainer, limits);
    let (mut build_manifest, mut place) = (None, None);
    while let Some(entry) = tar.next_entry()? {
        match entry.path.as_str() {
            BUILD_MANIFEST => build_manifest = Some(read_build_manifest(&mut tar, &entry)?),
            ARCHIVE => place = Some((tar.position(), entry.size)),
            other => {
                let problem = format!("it has a file {other:?}");
                return Err(FacetError::Container { problem }.into());
            }
        }
    }
    let (digest, size, _) = tar.into_source().finish();
    let missing = |name| FacetError::Container { problem: format!("it has no {name}") };
    let build_manifest = build_manifest.ok_or_else(|| missing(BUILD_MANIFEST))?;
    let (start, length) = place.ok_or_else(|| missing(ARCHIVE))?;
    Ok(Container { build_manifest, start, length, digest, size })
}

/// The first format was compressed as a whole; it was withdrawn.
fn refuse_gzip(archive: &mut (impl Read + Seek)) -> Result<(), ArchiveError> {
    let mut start = Vec::new();
    archive.by_ref().take(2).read_to_end(&mut start).map_err(unreadable)?;
    if start == [0x1f, 0x8b] {
        let problem = "it is compressed as a whole".to_owned();
        return Err(FacetError::Container { problem }.into());
    }
    rewind(archive)
}

fn read_build_manifest<S: ByteSource>(
    tar: &mut TarReader<S>,
    entry: &TarEntry,
) -> Result<Vec<u8>, ArchiveError> {
    let limit = build_manifest::LARGEST as u64;
    if entry.size > limit {
        return Err(LimitError::of_entry(LimitKind::File, limit, BUILD_MANIFEST).into());
    }
    let (mut bytes, mut buffer) = (Vec::new(), [0; 8192]);
    loop {
        match tar.read_content(&mut buffer)? {
            0 => return Ok(bytes),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

/// Keeps the manifest, and judges every file as a text: which of them are texts is known only afterwards.
struct FacetVisitor {
    manifest: KeptFile,
    current: TextProbe,
    problems: BTreeMap<String, &'static str>,
}

impl FacetVisitor {
    fn new() -> Self {
        Self {
            manifest: KeptFile::new(MANIFEST, MANIFEST_LIMITS.bytes),
            current: TextProbe::default(),
            problems: BTreeMap::new(),
        }
    }
}

impl EntryVisitor for FacetVisitor {
    fn begin(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        self.current = TextProbe::default();
        self.manifest.begin(entry)
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.current.update(bytes);
        self.manifest.content(bytes)
    }

    fn end(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        if let Some(problem) = self.current.problem() {
            self.problems.insert(entry.path.to_string(), problem);
        }
        self.manifest.end(entry)
    }
}

/// Judges every file, and keeps its bytes.
struct FileVisitor {
    facet: FacetVisitor,
    current: Vec<u8>,
    found: BTreeMap<ArtifactPath, Vec<u8>>,
}

impl FileVisitor {
    fn new() -> Self {
        Self { facet: FacetVisitor::new(), current: Vec::new(), found: BTreeMap::new() }
    }
}

impl EntryVisitor for FileVisitor {
    fn begin(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        self.facet.begin(entry)
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.current.extend_from_slice(bytes);
        self.facet.content(bytes)
    }

    fn end(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        self.found.insert(entry.path.clone(), std::mem::take(&mut self.current));
        self.facet.end(entry)
    }
}

/// Keeps the files that are texts.
#[derive(Default)]
struct TextVisitor {
    current: Vec<u8>,
    found: Vec<(ArtifactPath, String)>,
}

impl EntryVisitor for TextVisitor {
    fn begin(&mut self, _: &TarEntry) -> Result<(), ArchiveError> {
        self.current.clear();
        Ok(())
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.current.extend_from_slice(bytes);
        Ok(())
    }

    fn end(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        if let Ok(text) = String::from_utf8(std::mem::take(&mut self.current)) {
            self.found.push((entry.path.clone(), text));
        }
        Ok(())
    }
}

/// The files are exactly those that the manifest names, and its texts are texts.
fn check_content(
    files: &[ArchivedFile],
    visitor: FacetVisitor,
    format: FacetFormat,
) -> Result<(FacetManifest, String), ArchiveError> {
    let bytes = visitor.manifest.into_bytes();
    let bytes = bytes.ok_or(ContentError::NoManifest { file: MANIFEST })?;
    let outcome = parse_facet(&bytes, ManifestFormat::Json);
    let problems = outcome.problems;
    let manifest = outcome.manifest.ok_or(ContentError::Manifest { file: MANIFEST, problems })?;
    if !manifest.facets.is_empty() {
        return Err(FacetError::Composition.into());
    }
    if format == FacetFormat::Legacy && !manifest.servers.is_empty() {
        return Err(FacetError::LegacyServers.into());
    }
    let named = outcome.files.iter().map(|file| file.path.as_str()).chain([MANIFEST]);
    check_same(named.collect(), files, MANIFEST)?;
    for file in outcome.files.iter().filter(|file| file.role == FileRole::Primary) {
        if let Some(problem) = visitor.problems.get(&file.path).copied() {
            return Err(FacetError::Text { path: file.path.clone(), problem }.into());
        }
    }
    // A manifest without problems is UTF-8.
    Ok((manifest, String::from_utf8_lossy(&bytes).into_owned()))
}

/// The archive has exactly the files that are declared.
fn check_same(
    mut declared: BTreeSet<&str>,
    files: &[ArchivedFile],
    declared_in: &'static str,
) -> Result<(), FacetError> {
    for file in files {
        if !declared.remove(file.path.as_str()) {
            return Err(FacetError::Undeclared { path: file.path.to_string(), declared_in });
        }
    }
    match declared.first() {
        Some(path) => Err(FacetError::Missing { path: (*path).to_owned(), declared_in }),
        None => Ok(()),
    }
}

/// What the build manifest states is true (facets check C: the content decides, never the claim).
fn check_stated(stated: &BuildManifest, index: &ArchiveIndex) -> Result<(), ArchiveError> {
    let declared = stated.files.keys().map(String::as_str).collect();
    check_same(declared, &index.files, BUILD_MANIFEST)?;
    for file in &index.files {
        let path = file.path.to_string();
        if let Some(expected) = stated.files.get(&path).filter(|hash| **hash != file.digest) {
            let (expected, actual) = (*expected, file.digest);
            return Err(FacetError::FileHash { path, expected, actual }.into());
        }
    }
    if stated.integrity != index.integrity {
        let (expected, actual) = (stated.integrity, index.integrity);
        return Err(ContentError::Integrity { stated_by: BUILD_MANIFEST, expected, actual }.into());
    }
    Ok(())
}
