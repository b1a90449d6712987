//! Packing a server: the same tree gives the same bytes everywhere (spec 4.2).

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use facets_digest::{Hasher, ReadBuffer};
use facets_model::ArtifactPath;
use facets_model::manifest::ServerManifest;
use facets_model::tree::MANIFEST_LIMITS;

use super::read::{MANIFEST, read_manifest};
use crate::entry_mode::EntryMode;
use crate::error::{
    ArchiveError, ContentError, EntryPathError, LimitError, LimitKind, TreeError, TreeProblemKind,
    unwritable,
};
use crate::gzip::{GzipWriter, SERVER_HEADER};
use crate::hashed_writer::HashedWriter;
use crate::index::{ArchiveIndex, ArchivedFile};
use crate::limits::ArchiveLimits;
use crate::paths::PathSet;
use crate::secrets::{SecretScanner, secret_name};
use crate::tar::{ArchiveFormat, TarWriter};
use crate::tree::{FileContent, SkippedPath, SourceTree, TreeVisitor, refuse, walk};

/// What to pack besides the tree, and what to let pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackRequest {
    /// Files that look like secrets and are packed all the same.
    pub allowed_secrets: BTreeSet<String>,
    /// Files that were made for the archive: they come beside those of the tree, or in their place.
    pub generated: BTreeMap<ArtifactPath, Vec<u8>>,
}

/// A server that was packed.
#[derive(Clone, Debug)]
pub struct PackedServer {
    /// Its `server.yaml`, as it was packed.
    pub manifest: ServerManifest,
    /// Everything that went in, and the hashes.
    pub index: ArchiveIndex,
    /// What did not go in.
    pub left_out: Vec<LeftOut>,
}

/// Something that did not go in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Relative to the root; a directory, with all that is in it, has a slash at its end.
    pub path: String,
    /// Why.
    pub reason: LeftOutReason,
}

/// Why something did not go in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOutReason {
    /// `.git` and `node_modules` never do.
    Always,
    /// A pattern names it.
    Ignored {
        /// The file with the pattern.
        file: String,
        /// Its line.
        line: usize,
        /// The pattern.
        pattern: String,
    },
}

/// Packs a tree. What was written so far is worthless if this fails.
pub fn pack_server(
    tree: &SourceTree,
    request: &PackRequest,
    limits: &ArchiveLimits,
    output: impl Write,
) -> Result<PackedServer, ArchiveError> {
    let output = HashedWriter::new(output);
    let gzip = GzipWriter::start(output, SERVER_HEADER).map_err(unwritable)?;
    let mut packer = Packer::new(TarWriter::new(gzip, ArchiveFormat::Server), request, limits);
    let mut report = walk(tree, MANIFEST, &mut packer)?;
    match packer.add_generated_before(None) {
        Err(ArchiveError::Tree(TreeError::Refused { problems })) => {
            report.problems.extend(problems);
        }
        other => other?,
    }
    if !report.problems.is_empty() {
        return Err(TreeError::Refused { problems: report.problems }.into());
    }
    let left_out: Vec<LeftOut> = report.skipped.into_iter().map(LeftOut::of).collect();
    let manifest = packer.check_manifest(&left_out)?;
    let index = packer.finish()?;
    Ok(PackedServer { manifest, index, left_out })
}

/// Writes files as they are walked.
struct Packer<'p, W> {
    tar: TarWriter<W>,
    request: &'p PackRequest,
    limits: &'p ArchiveLimits,
    /// What was generated and is not written yet.
    generated: BTreeMap<&'p ArtifactPath, &'p Vec<u8>>,
    paths: PathSet,
    files: Vec<ArchivedFile>,
    manifest: Option<Vec<u8>>,
    buffer: ReadBuffer,
}

impl<'p, W: Write> Packer<'p, W> {
    fn new(tar: TarWriter<W>, request: &'p PackRequest, limits: &'p ArchiveLimits) -> Self {
        Self {
            tar,
            request,
            limits,
            generated: request.generated.iter().collect(),
            paths: PathSet::default(),
            files: Vec::new(),
            manifest: None,
            buffer: ReadBuffer::new(),
        }
    }

    /// Writes what was generated and comes before a path, or all of it.
    fn add_generated_before(&mut self, path: Option<&ArtifactPath>) -> Result<(), ArchiveError> {
        while let Some((&next, &bytes)) = self.generated.first_key_value() {
            if path.is_some_and(|path| next >= path) {
                break;
            }
            self.generated.remove(next);
            let content = FileContent::Read { bytes: bytes.clone(), mode: EntryMode::Plain };
            self.add(next, content)?;
        }
        Ok(())
    }

    fn add(&mut self, path: &ArtifactPath, content: FileContent) -> Result<(), ArchiveError> {
        self.place(path)?;
        if is_native_addon(path) {
            return Err(refuse(path.as_str(), TreeProblemKind::NativeAddon));
        }
        let (size, mode) = (content.size(), content.mode());
        let limit = self.limit_of(path);
        if size > limit {
            return Err(LimitError::of_entry(LimitKind::File, limit, path.as_str()).into());
        }
        let mut secrets = SecretScanner::new(path.as_str());
        let mut hasher = Hasher::new();
        let mut kept = (path.as_str() == MANIFEST).then(Vec::new);
        self.tar.begin_file(path.as_str(), size, mode).map_err(unwritable)?;
        let tar = &mut self.tar;
        content.read_parts(&mut self.buffer, &mut |part: &[u8]| {
            hasher.update(part);
            secrets.update(part);
            if let Some(kept) = &mut kept {
                kept.extend_from_slice(part);
            }
            tar.write(part).map_err(unwritable)
        })?;
        self.tar.fill_block().map_err(unwritable)?;
        self.manifest = kept.or(self.manifest.take());
        self.files.push(ArchivedFile { path: path.clone(), mode, size, digest: hasher.finish() });
        self.limit_total()?;
        self.refuse_secret(path, secrets.finish())
    }

    /// No path collides with an earlier one.
    fn place(&mut self, path: &ArtifactPath) -> Result<(), ArchiveError> {
        match self.paths.add_file(path) {
            Ok(()) => {}
            Err(
                EntryPathError::Collision { path, other }
                | EntryPathError::FileAsDirectory { path, other },
            ) => return Err(refuse(&path, TreeProblemKind::Collision { other })),
            Err(error) => return Err(error.into()),
        }
        if self.files.len() >= self.limits.entries {
            let limit = self.limits.entries as u64;
            return Err(LimitError::new(LimitKind::Entries, limit).into());
        }
        if self.paths.bytes() > self.limits.path_bytes {
            let limit = self.limits.path_bytes as u64;
            return Err(LimitError::new(LimitKind::PathBytes, limit).into());
        }
        Ok(())
    }

    fn limit_of(&self, path: &ArtifactPath) -> u64 {
        let is_manifest = path.as_str() == MANIFEST;
        if is_manifest { MANIFEST_LIMITS.bytes as u64 } else { self.limits.file }
    }

    fn limit_total(&self) -> Result<(), ArchiveError> {
        if self.tar.position() > self.limits.total {
            return Err(LimitError::new(LimitKind::Total, self.limits.total).into());
        }
        Ok(())
    }

    fn refuse_secret(
        &self,
        path: &ArtifactPath,
        in_content: Option<&'static str>,
    ) -> Result<(), ArchiveError> {
        let reason = secret_name(path.as_str()).or(in_content);
        match reason.filter(|_| !self.request.allowed_secrets.contains(path.as_str())) {
            Some(reason) => Err(refuse(path.as_str(), TreeProblemKind::Secret { reason })),
            None => Ok(()),
        }
    }

    /// The manifest that was packed, and its entry.
    fn check_manifest(&self, left_out: &[LeftOut]) -> Result<ServerManifest, ArchiveError> {
        let bytes = self.manifest.as_ref().ok_or(ContentError::NoManifest { file: MANIFEST })?;
        let manifest = read_manifest(bytes)?;
        let entry = manifest.entry.as_str();
        if self.files.iter().any(|file| file.path.as_str() == entry) {
            return Ok(manifest);
        }
        let reason = left_out.iter().find_map(|one| one.explain(entry));
        let reason = reason.map(|reason| format!(": {reason}"));
        Err(ContentError::NoEntry { entry: entry.to_owned(), reason }.into())
    }
}

impl<W: Write> Packer<'_, GzipWriter<HashedWriter<W>>> {
    fn finish(self) -> Result<ArchiveIndex, ArchiveError> {
        let (gzip, integrity, unpacked) = self.tar.finish().map_err(unwritable)?;
        let output = gzip.finish().map_err(unwritable)?;
        let (content_hash, size, _) = output.finish().map_err(unwritable)?;
        let (files, directories) = (self.files, Vec::new());
        Ok(ArchiveIndex { content_hash, integrity, size, unpacked, files, directories })
    }
}

impl<W: Write> TreeVisitor for Packer<'_, W> {
    fn file(&mut self, path: ArtifactPath, content: FileContent) -> Result<(), ArchiveError> {
        self.add_generated_before(Some(&path))?;
        let content = match self.generated.remove(&path) {
            Some(bytes) => FileContent::Read { bytes: bytes.clone(), mode: EntryMode::Plain },
            None => content,
        };
        self.add(&path, content)
    }
}

/// By its name, as for packages (spec 4.3).
fn is_native_addon(path: &ArtifactPath) -> bool {
    let ending = path.as_str().rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("node"))
}

impl LeftOut {
    fn of(SkippedPath { path, by }: SkippedPath) -> Self {
        let reason = match by {
            None => LeftOutReason::Always,
            Some(by) => {
                LeftOutReason::Ignored { file: by.file, line: by.line, pattern: by.pattern }
            }
        };
        Self { path, reason }
    }

    /// Why a path is not in the archive, if this is why: `line 3 of .gitignore leaves it out (*.json)`.
    #[must_use]
    pub fn explain(&self, path: &str) -> Option<String> {
        let is_inside = self.path.ends_with('/') && path.starts_with(&self.path);
        if self.path != path && !is_inside {
            return None;
        }
        Some(match &self.reason {
            LeftOutReason::Always => format!("{} is always left out", self.path),
            LeftOutReason::Ignored { file, line, pattern } => {
                format!("line {line} of {file} leaves it out ({pattern})")
            }
        })
    }
}
