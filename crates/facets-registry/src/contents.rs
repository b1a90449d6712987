//! The files of a facet, as texts.

use std::io::Cursor;

use facets_archive::{ArchiveError, LimitError, LimitKind, read_facet_texts};
use facets_catalog::{ArtifactKind, VersionRecord};

use crate::blocking::blocking;
use crate::error::RegistryError;
use crate::refusals;
use crate::registry::Registry;

impl Registry {
    /// The files of a facet that are texts, each with its path, in the order of the archive.
    pub async fn contents(
        &self,
        record: &VersionRecord,
    ) -> Result<Vec<(String, String)>, RegistryError> {
        if record.kind != ArtifactKind::Facet {
            return Err(refusals::not_of_this_kind("contents", record.kind).into());
        }
        let slot = self.reader_slot().await?;
        // One that was published with higher limits is still read.
        let bytes = self.read_blob(&record.content_hash, record.size).await?;
        let mut limits = self.limits().archive(record.kind);
        limits.compressed = limits.compressed.max(record.size);
        let most = self.limits().contents_bytes;
        blocking(move || {
            let _slot = slot;
            let texts = read_facet_texts(&mut Cursor::new(bytes), &limits, most);
            let texts = texts.map_err(|error| refused(error, most))?;
            Ok(texts.into_iter().map(|(path, text)| (path.to_string(), text)).collect())
        })
        .await
    }
}

/// What was accepted when it was published can only be too large now.
fn refused(error: ArchiveError, most: u64) -> RegistryError {
    match error {
        ArchiveError::Limit(LimitError { kind: LimitKind::Total | LimitKind::File, .. }) => {
            refusals::contents_too_large(most).into()
        }
        other => RegistryError::internal(format!("a published archive cannot be read: {other}")),
    }
}
