//! The store as a whole: entries are listed, verified, and removed when they take too much space.

use std::collections::BTreeSet;
use std::time::SystemTime;

use facets_digest::{Algorithm, Digest, Progress};

use crate::directory::{Directory, is_missing, reading};
use crate::entry::OpenEntry;
use crate::error::{StoreError, unreadable};
use crate::key::{EntryKey, KINDS};
use crate::removal::USED;
use crate::stamp::Stamp;
use crate::store::Store;

/// An entry of the store, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreEntry {
    /// What names it.
    pub key: EntryKey,
    /// Bytes that it takes of the disk.
    pub size: u64,
    /// When it was last used, to the hour.
    pub used: SystemTime,
    /// Whether a process uses it now.
    pub is_in_use: bool,
}

/// The verdict on one entry when everything was verified.
#[derive(Debug)]
pub struct EntryVerdict {
    /// The entry.
    pub key: EntryKey,
    /// Why it is not intact, or could not be verified; none if it is intact.
    pub problem: Option<StoreError>,
}

/// The entries that were removed to make room.
#[derive(Debug)]
pub struct PruneReport {
    /// The entries that were removed, the one that was not used for longest first.
    pub removed: Vec<StoreEntry>,
    /// Bytes of all entries that are left.
    pub kept: u64,
}

/// What became of an entry that was to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalOutcome {
    /// It is gone.
    Removed,
    /// There was none.
    Absent,
    /// A process uses it, and it stays.
    InUse,
}

impl Store {
    /// Every entry, the one that was not used for longest first.
    pub fn entries(&self) -> Result<Vec<StoreEntry>, StoreError> {
        let mut entries = Vec::new();
        for key in self.keys()? {
            entries.extend(self.listed(key)?);
        }
        entries.sort_by_key(|entry| (entry.used, entry.key));
        Ok(entries)
    }

    /// The keys of all entries, in order.
    fn keys(&self) -> Result<Vec<EntryKey>, StoreError> {
        let mut keys = Vec::new();
        for (kind, make) in KINDS {
            let algorithm = Algorithm::Sha256.name();
            let Some(shards) = below(self.root(), &format!("{kind}/{algorithm}"))? else {
                continue;
            };
            for shard in names(&shards)? {
                let Some(directory) = below(&shards, &shard)? else { continue };
                let named = names(&directory)?;
                let digests = named.iter().map(|name| format!("{algorithm}:{shard}{name}"));
                // Other names are none that facet gave.
                keys.extend(digests.filter_map(|digest| digest.parse::<Digest>().ok()).map(make));
            }
        }
        Ok(keys)
    }

    /// An entry as it is listed; nothing if it has been removed in the meantime.
    fn listed(&self, key: EntryKey) -> Result<Option<StoreEntry>, StoreError> {
        let Some(shard) = self.shard(&key)? else { return Ok(None) };
        let name = key.name();
        let Some(entry) = below(&shard, &name)? else { return Ok(None) };
        let used = entry.open_file(USED, reading()).and_then(|file| file.metadata()?.modified());
        let is_in_use = match OpenEntry::open_unused(&shard, &name) {
            Ok(unused) => unused.is_none(),
            // Modified: it goes when it is used or verified.
            Err(_) => false,
        };
        let used = used.unwrap_or(SystemTime::UNIX_EPOCH);
        Ok(Some(StoreEntry { key, size: measure(&entry), used, is_in_use }))
    }

    /// Hashes every entry, which counts as no use. Those that were modified are evicted; each has a verdict.
    pub fn verify(&self, progress: &dyn Progress) -> Result<Vec<EntryVerdict>, StoreError> {
        let mut verdicts = Vec::new();
        for key in self.keys()? {
            let found = match key {
                EntryKey::File(digest) => {
                    self.check_file(&digest, progress).map(|found| found.is_some())
                }
                EntryKey::Tree(tree) => {
                    self.check_tree(&tree, progress).map(|found| found.is_some())
                }
            };
            match found {
                // Removed in the meantime.
                Ok(false) => {}
                Ok(true) => verdicts.push(EntryVerdict { key, problem: None }),
                Err(error) => verdicts.push(EntryVerdict { key, problem: Some(error) }),
            }
        }
        Ok(verdicts)
    }

    /// Removes entries until all of them together take no more than `bound` bytes, beginning with the one that was
    /// not used for longest. Entries in use stay, and so do those in `keep`.
    pub fn prune(&self, bound: u64, keep: &BTreeSet<EntryKey>) -> Result<PruneReport, StoreError> {
        // Also sweeps what dead processes left.
        drop(self.temporary()?);
        let entries = self.entries()?;
        let mut kept: u64 = entries.iter().map(|entry| entry.size).sum();
        let mut removed = Vec::new();
        for entry in entries {
            if kept <= bound {
                break;
            }
            if !keep.contains(&entry.key) && self.remove_unused(&entry)? {
                kept = kept.saturating_sub(entry.size);
                removed.push(entry);
            }
        }
        Ok(PruneReport { removed, kept })
    }

    /// Removes one entry, unless it is in use.
    pub fn remove(&self, key: &EntryKey) -> Result<RemovalOutcome, StoreError> {
        let Some(shard) = self.shard(key)? else { return Ok(RemovalOutcome::Absent) };
        let name = key.name();
        match OpenEntry::open_unused(&shard, &name) {
            Ok(Some(unused)) => unused.remove(self.temporary()?).map(|()| RemovalOutcome::Removed),
            Ok(None) if below(&shard, &name)?.is_some() => Ok(RemovalOutcome::InUse),
            Ok(None) => Ok(RemovalOutcome::Absent),
            // Not an entry at all: opening it moves it away.
            Err(StoreError::Tampered { .. }) => {
                let _ = self.entry(key);
                Ok(RemovalOutcome::Removed)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether an entry was not in use, and is gone.
    fn remove_unused(&self, entry: &StoreEntry) -> Result<bool, StoreError> {
        let Some(shard) = self.shard(&entry.key)? else { return Ok(false) };
        match OpenEntry::open_unused(&shard, &entry.key.name()) {
            Ok(Some(unused)) => unused.remove(self.temporary()?).map(|()| true),
            Ok(None) => Ok(false),
            // The next reader evicts it.
            Err(StoreError::Tampered { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// A directory below another; nothing if there is none, or something else.
fn below(directory: &Directory, path: &str) -> Result<Option<Directory>, StoreError> {
    match directory.below(path) {
        Err(error) if is_missing(&error) => Ok(None),
        other => other.map(Some).map_err(unreadable(&directory.path().join(path))),
    }
}

fn names(directory: &Directory) -> Result<Vec<String>, StoreError> {
    directory.names().map_err(unreadable(directory.path()))
}

/// What a directory takes of the disk, with everything in it that can be reached.
fn measure(top: &Directory) -> u64 {
    let (mut blocks, mut open) = (0_u64, vec![String::new()]);
    while let Some(path) = open.pop() {
        let Ok(directory) = top.below(&path) else { continue };
        for name in directory.names().unwrap_or_default() {
            let Ok(status) = directory.status(&name) else { continue };
            blocks = blocks.saturating_add(status.stx_blocks);
            if Stamp::from(&status).is_directory() {
                open.push(if path.is_empty() { name } else { format!("{path}/{name}") });
            }
        }
    }
    blocks.saturating_mul(512)
}
