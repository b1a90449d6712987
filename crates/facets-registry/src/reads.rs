//! What readers ask for (spec 9.3).

use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use facets_blobs::BlobStream;
use facets_catalog::{
    ArtifactKind, AuditEntry, Cursor, NameSummary, Page, QueueDepth, ServerRecord, VersionRecord,
    VersionSummary, Wanted, has_too_many_words,
};
use facets_failure::Describe;
use facets_model::ArtifactName;

use crate::error::RegistryError;
use crate::refusals;
use crate::registry::Registry;

/// How long a part may take to answer that it works. Balancers ask often, and do not wait as long as readers do.
const LONGEST_PING: Duration = Duration::from_secs(2);

/// What is wrong with the parts of a registry; nothing where all is well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// With the catalog.
    pub catalog: Option<String>,
    /// With the blobs.
    pub blobs: Option<String>,
}

impl Readiness {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.catalog.is_none() && self.blobs.is_none()
    }
}

impl Registry {
    /// One version. An exact one is found also if it is yanked, others are not.
    pub async fn version(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        wanted: &Wanted,
    ) -> Result<VersionRecord, RegistryError> {
        let found = self.catalog().find(kind, name, wanted).await?;
        found.ok_or_else(|| refusals::not_found(kind, name, &shown(wanted)).into())
    }

    /// The archive of a version, or a part of it. Damaged bytes are not served.
    pub async fn archive(
        &self,
        record: &VersionRecord,
        range: Option<Range<u64>>,
    ) -> Result<BlobStream, RegistryError> {
        Ok(match range {
            None => self.blobs().open_whole(&record.content_hash).await?,
            Some(range) => self.blobs().open_range(&record.content_hash, range).await?,
        })
    }

    /// Whether the archive of a version could be sent, as far as that is known without reading it.
    pub async fn require_archive(&self, record: &VersionRecord) -> Result<(), RegistryError> {
        Ok(self.blobs().require(&record.content_hash, record.size).await?)
    }

    /// The surface file of a server.
    pub async fn surface_file(&self, record: &VersionRecord) -> Result<Bytes, RegistryError> {
        let server = require_server(record, "surface")?;
        // One that was published with a higher limit is still read.
        let most = self.limits().surface_bytes.max(server.surface_size);
        self.read_blob(&server.surface_file, most).await
    }

    /// The versions of a name, the newest first; also yanked ones.
    pub async fn versions(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        after: Option<&Cursor>,
        limit: u32,
    ) -> Result<Page<VersionSummary>, RegistryError> {
        let page = self.catalog().versions(kind, name, after, limit).await?;
        if page.items.is_empty() && after.is_none() {
            return Err(refusals::name_not_found(kind, name).into());
        }
        Ok(page)
    }

    /// All names, or those of a scope.
    pub async fn names(
        &self,
        kind: ArtifactKind,
        scope: Option<&str>,
        after: Option<&Cursor>,
        limit: u32,
    ) -> Result<Page<NameSummary>, RegistryError> {
        Ok(self.catalog().names(kind, scope, after, limit).await?)
    }

    /// Names that a query finds.
    pub async fn search(
        &self,
        kind: ArtifactKind,
        query: &str,
        after: Option<&Cursor>,
        limit: u32,
    ) -> Result<Page<NameSummary>, RegistryError> {
        if has_too_many_words(query) {
            let fix = "search for up to four words, those that say the most";
            return Err(refusals::bad_request("the query has more than four words", fix).into());
        }
        Ok(self.catalog().search(kind, query, after, limit).await?)
    }

    /// Who did what, the last first.
    pub async fn audit(
        &self,
        after: Option<&Cursor>,
        limit: u32,
    ) -> Result<Page<AuditEntry>, RegistryError> {
        Ok(self.catalog().audit(after, limit).await?)
    }

    /// Whether catalog and blobs answer, within two seconds.
    pub async fn ready(&self) -> Readiness {
        let (catalog, blobs) =
            tokio::join!(trouble_of(self.catalog().ping()), trouble_of(self.blobs().ping()));
        Readiness { catalog, blobs }
    }

    /// How many servers wait to be probed, and how many are being probed.
    pub async fn queue_depth(&self) -> Result<QueueDepth, RegistryError> {
        Ok(self.catalog().queue_depth().await?)
    }
}

/// Why a part does not answer in time.
async fn trouble_of<E: Describe>(ping: impl Future<Output = Result<(), E>>) -> Option<String> {
    // In a place of its own: a future has room for everything that it waits for.
    match tokio::time::timeout(LONGEST_PING, Box::pin(ping)).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("{error} ({})", error.code())),
        Err(_) => Some(format!("no answer in {} s", LONGEST_PING.as_secs())),
    }
}

/// What only servers have.
pub(crate) fn require_server<'r>(
    record: &'r VersionRecord,
    what: &str,
) -> Result<&'r ServerRecord, RegistryError> {
    let server = record.server.as_ref();
    server.ok_or_else(|| refusals::not_of_this_kind(what, record.kind).into())
}

/// For a sentence.
fn shown(wanted: &Wanted) -> String {
    match wanted {
        Wanted::Exact(version) => version.to_string(),
        Wanted::Latest => "latest".to_owned(),
        Wanted::AtLeast(floor) => format!("{floor} or above"),
        Wanted::Range(range) => range.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_shown_as_it_was_written() {
        for text in ["*", "1.*", "1.2.*"] {
            assert_eq!(shown(&Wanted::Range(text.parse().unwrap())), text);
        }
        assert_eq!(shown(&Wanted::AtLeast("1.0.0".parse().unwrap())), "1.0.0 or above");
        assert_eq!(shown(&Wanted::Exact("1.0.0-rc.1".parse().unwrap())), "1.0.0-rc.1");
        assert_eq!(shown(&Wanted::Latest), "latest");
    }
}
