//! `facet cache`: the entries of the store, whether they are intact, and making room (spec 10.7).

use std::collections::BTreeSet;
use std::path::PathBuf;

use facets_digest::Progress;
use facets_project::{Ledger, UserDirectory};
use facets_runtime::TABLE;
pub use facets_store::EntryVerdict;
use facets_store::{EntryKey, Store, StoreEntry, StoreError};

use crate::audit::timestamp;
use crate::cache_directory::cache_directory;
use crate::error::OpsError;
use crate::judgement::Judgement;

/// An entry of the store.
#[derive(Debug)]
pub struct CachedEntry {
    /// What names it.
    pub key: EntryKey,
    /// Bytes that it takes of the disk.
    pub bytes: u64,
    /// When it was last used, to the hour; RFC 3339 in UTC.
    pub used: String,
    /// Whether a process uses it now.
    pub is_in_use: bool,
}

impl From<StoreEntry> for CachedEntry {
    fn from(entry: StoreEntry) -> Self {
        let StoreEntry { key, size, used, is_in_use } = entry;
        Self { key, bytes: size, used: timestamp(used), is_in_use }
    }
}

/// All entries.
#[derive(Debug)]
pub struct CacheListReport {
    /// Where the store lies; none if there is no store yet.
    pub path: Option<PathBuf>,
    /// The one that was not used for longest first.
    pub entries: Vec<CachedEntry>,
}

impl CacheListReport {
    /// Bytes that all entries take of the disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.bytes).fold(0, u64::saturating_add)
    }
}

/// Lists the entries of the store.
pub fn list_cache() -> Result<CacheListReport, OpsError> {
    let Some(store) = Store::find(&cache_directory()?)? else {
        return Ok(CacheListReport { path: None, entries: Vec::new() });
    };
    let entries = store.entries()?.into_iter().map(CachedEntry::from).collect();
    Ok(CacheListReport { path: Some(store.path().to_owned()), entries })
}

/// A verdict on each entry.
#[derive(Debug)]
pub struct CacheVerifyReport {
    /// By kind and digest. Entries that were modified have been removed.
    pub verdicts: Vec<EntryVerdict>,
}

impl CacheVerifyReport {
    /// A modified entry is a no, also if another one could not be read.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        let mut problems = self.verdicts.iter().filter_map(|verdict| verdict.problem.as_ref());
        let is_modified = |problem: &StoreError| matches!(problem, StoreError::Tampered { .. });
        if problems.clone().any(is_modified) {
            Judgement::No
        } else if problems.next().is_some() {
            Judgement::Unknown
        } else {
            Judgement::Yes
        }
    }
}

/// Hashes every entry of the store.
pub fn verify_cache(progress: &dyn Progress) -> Result<CacheVerifyReport, OpsError> {
    let verdicts = match Store::find(&cache_directory()?)? {
        Some(store) => store.verify(progress)?,
        None => Vec::new(),
    };
    Ok(CacheVerifyReport { verdicts })
}

/// How much may stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachePruneRequest {
    /// Bytes that all entries together may take of the disk.
    pub bound: u64,
}

/// The entries that were removed.
#[derive(Debug)]
pub struct CachePruneReport {
    /// The one that was not used for longest first.
    pub removed: Vec<CachedEntry>,
    /// Bytes that the others take of the disk.
    pub kept: u64,
}

/// Removes the entries that were not used for longest, until the others take no more than the bound. Archives
/// that were approved stay, and so do the runtimes that start them.
pub fn prune_cache(request: &CachePruneRequest) -> Result<CachePruneReport, OpsError> {
    let Some(store) = Store::find(&cache_directory()?)? else {
        return Ok(CachePruneReport { removed: Vec::new(), kept: 0 });
    };
    let report = store.prune(request.bound, &approved_entries()?)?;
    let removed = report.removed.into_iter().map(CachedEntry::from).collect();
    Ok(CachePruneReport { removed, kept: report.kept })
}

/// The archives that this user has approved in any project: a source that changed does not give them again. With them
/// the runtimes, since `run` fetches none. An approval does not say which version: all that a lock may name.
fn approved_entries() -> Result<BTreeSet<EntryKey>, OpsError> {
    let records = Ledger::all(&UserDirectory::of_person()?)?;
    let approvals = records.iter().flat_map(|record| &record.approved);
    let archives = approvals.filter_map(|approval| approval.bytes).map(EntryKey::File);
    let mut entries: BTreeSet<EntryKey> = archives.collect();
    if !entries.is_empty() {
        let programs = TABLE.iter().filter_map(|runtime| runtime.binary().ok());
        entries.extend(programs.map(|program| EntryKey::Tree(program.key())));
    }
    Ok(entries)
}
