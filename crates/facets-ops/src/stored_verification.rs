//! Everything that the store has of a pinned artifact, hashed anew (spec 10.7.4). No stat record counts.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use facets_archive::{EntryMode, ServerTarHasher};
use facets_digest::NoProgress;
use facets_lock::{ArtifactPin, RuntimePin};
use facets_runtime::Runtimes;
use facets_store::{EntryKey, FileMode, Store, StoredFile, TreeKey, TreePart, Verified};

use crate::cache_directory::cache_directory;
use crate::error::OpsError;
use crate::evicted_entries::look_at;
use crate::stored_artifact::{get_archive, read_pinned, tree_pin};

/// Hashes artifacts and their runtimes; a runtime that many artifacts share is hashed once.
#[derive(Default)]
pub(crate) struct StoredVerification {
    intact_runtimes: Mutex<BTreeSet<EntryKey>>,
}

impl StoredVerification {
    /// Hashes everything that the store has of a pinned artifact and its runtime, and names what it does not have.
    pub(crate) fn verify(&self, pin: &ArtifactPin) -> Result<Vec<String>, OpsError> {
        let artifact = || format!("{} {}", pin.name, pin.version);
        let runtime = || format!("{} {}", pin.runtime.name.name(), pin.runtime.version);
        let Some(store) = Store::find(&cache_directory()?)? else {
            return Ok(vec![artifact(), runtime()]);
        };
        // At once, so that no processor is idle while another server waits for the runtime that both need.
        let (has_artifact, has_runtime) = thread::scope(|scope| {
            let runtime = scope.spawn(|| self.is_runtime_intact(&store, &pin.runtime));
            let has_artifact = verify_artifact(&store, pin);
            (has_artifact, runtime.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let mut absent = Vec::new();
        if !has_artifact? {
            absent.push(artifact());
        }
        if !has_runtime? {
            absent.push(runtime());
        }
        Ok(absent)
    }

    /// Hashes the runtime of a pin; false if it is not installed.
    fn is_runtime_intact(&self, store: &Store, pin: &RuntimePin) -> Result<bool, OpsError> {
        let Some(known) = facets_runtime::find(pin.name, &pin.version.to_string()) else {
            return Ok(false);
        };
        let key = EntryKey::Tree(known.binary()?.key());
        let intact = || self.intact_runtimes.lock().unwrap_or_else(PoisonError::into_inner);
        // Others that look at the same entry wait here.
        let found = look_at(key, || {
            if intact().contains(&key) {
                return Ok(Some(()));
            }
            let is_installed = Runtimes::new(store).installed_hashed(known)?.is_some();
            if is_installed {
                intact().insert(key);
            }
            Ok(is_installed.then_some(()))
        })?;
        Ok(found.is_some())
    }
}

/// Hashes archive and files of an artifact; false if its archive is not stored.
fn verify_artifact(store: &Store, pin: &ArtifactPin) -> Result<bool, OpsError> {
    // Files and archive at once: there may be no other server to hash meanwhile.
    let (archive, are_files_pinned) = thread::scope(|scope| {
        let files = scope.spawn(|| are_files_pinned(store, pin));
        let archive = get_archive(store, pin);
        (archive, files.join().unwrap_or(false))
    });
    let Some(archive) = archive? else { return Ok(false) };
    if !are_files_pinned {
        verify_thoroughly(store, pin, &archive)?;
    }
    Ok(true)
}

/// Whether the stored files are those of the lock: the tar of them has the `integrity` of the lock, and this very
/// archive was found to hold it. Where that is not so, reading the archive tells why.
fn are_files_pinned(store: &Store, pin: &ArtifactPin) -> bool {
    let mut tar = Ok(ServerTarHasher::new());
    let key = TreeKey::Server(pin.integrity);
    let is_read = store.read_noted_tree(&key, &pin.content_hash, |part| {
        let Ok(hasher) = &mut tar else { return };
        let taken = match part {
            TreePart::File { path, size, mode } => hasher.begin_file(path, size, entry_mode(mode)),
            TreePart::Content(bytes) => hasher.content(bytes),
        };
        if let Err(error) = taken {
            tar = Err(error);
        }
    });
    let found = tar.and_then(ServerTarHasher::finish);
    is_read
        && found.is_ok_and(|(integrity, manifest)| {
            integrity == pin.integrity
                && manifest.name.to_string() == pin.name.to_string()
                && manifest.version.to_string() == pin.version.to_string()
        })
}

fn entry_mode(mode: FileMode) -> EntryMode {
    match mode {
        FileMode::Plain => EntryMode::Plain,
        FileMode::Executable => EntryMode::Executable,
    }
}

/// Reads the archive to its end, and compares every file with the entry of the archive.
fn verify_thoroughly(
    store: &Store,
    pin: &ArtifactPin,
    archive: &Verified<StoredFile>,
) -> Result<(), OpsError> {
    let server = read_pinned(archive, pin)?;
    let key = TreeKey::Server(pin.integrity);
    let pinned = tree_pin(&server.index);
    let get = || Ok(store.get_tree_hashed(&key, pinned, &NoProgress)?);
    if let Some(tree) = look_at(EntryKey::Tree(key), get)? {
        store.note_origin(&tree, &pin.content_hash);
    }
    Ok(())
}
