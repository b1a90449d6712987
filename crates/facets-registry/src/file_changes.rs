//! Which files of a facet changed from one version to another.

use std::collections::BTreeMap;
use std::io::Cursor;

use bytes::Bytes;
use facets_archive::{ArchiveError, ArchiveLimits, ArchivedFile, read_facet};
use facets_catalog::VersionRecord;
use facets_digest::Digest;

use crate::blocking::blocking;
use crate::error::RegistryError;
use crate::registry::Registry;

/// A file that is not the same in both versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Where it is.
    pub path: String,
    /// SHA-256 of its bytes before; none if it was added.
    pub before: Option<Digest>,
    /// SHA-256 of its bytes now; none if it was removed.
    pub after: Option<Digest>,
}

impl FileChange {
    /// `added`, `removed` or `modified`. One whose mode alone changed is modified, too.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match (self.before, self.after) {
            (None, _) => "added",
            (_, None) => "removed",
            (Some(_), Some(_)) => "modified",
        }
    }
}

impl Registry {
    /// The files that differ between two versions of a facet, by their paths.
    pub(crate) async fn changed_files(
        &self,
        from: &VersionRecord,
        to: &VersionRecord,
    ) -> Result<Vec<FileChange>, RegistryError> {
        let slot = self.reader_slot().await?;
        // Those that were published with higher limits are still read.
        let before = self.read_blob(&from.content_hash, from.size).await?;
        let after = self.read_blob(&to.content_hash, to.size).await?;
        let mut limits = self.limits().archive(to.kind);
        limits.compressed = limits.compressed.max(from.size).max(to.size);
        blocking(move || {
            let _slot = slot;
            Ok(compare_files(&files(before, &limits)?, &files(after, &limits)?))
        })
        .await
    }
}

/// The files of an archive that was checked when it was published.
fn files(archive: Bytes, limits: &ArchiveLimits) -> Result<Vec<ArchivedFile>, RegistryError> {
    let unreadable = |error: ArchiveError| {
        RegistryError::internal(format!("a published archive cannot be read: {error}"))
    };
    Ok(read_facet(Cursor::new(archive), limits).map_err(unreadable)?.index.files)
}

/// A file before and now.
#[derive(Default)]
struct FileSides<'f> {
    before: Option<&'f ArchivedFile>,
    after: Option<&'f ArchivedFile>,
}

fn compare_files(before: &[ArchivedFile], after: &[ArchivedFile]) -> Vec<FileChange> {
    let mut all: BTreeMap<&str, FileSides<'_>> = BTreeMap::new();
    for file in before {
        all.entry(file.path.as_str()).or_default().before = Some(file);
    }
    for file in after {
        all.entry(file.path.as_str()).or_default().after = Some(file);
    }
    let digest = |file: Option<&ArchivedFile>| file.map(|file| file.digest);
    let changed = all.into_iter().filter(|(_, sides)| sides.before != sides.after);
    changed
        .map(|(path, sides)| FileChange {
            path: path.to_owned(),
            before: digest(sides.before),
            after: digest(sides.after),
        })
        .collect()
}
