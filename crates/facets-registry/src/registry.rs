//! The registry: what all of its rules share.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use facets_blobs::Blobs;
use facets_catalog::Catalog;
use facets_digest::Digest;
use futures_util::StreamExt as _;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::error::RegistryError;
use crate::limits::RegistryLimits;
use crate::upload_pace::UploadRate;
use crate::upload_slots::UploadSlots;
use crate::used_folder::UsedFolder;

/// Directories of a registry. Processes may share them; what is in them can be lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryPlaces {
    /// For archives while they are received.
    pub uploads: PathBuf,
    /// For archives while they are probed, and what their servers write.
    pub probes: PathBuf,
    /// A store of facet, for the runtime that servers are probed with.
    pub store: PathBuf,
}

/// What a registry is made of.
#[derive(Clone)]
pub struct RegistrySetup {
    /// What it knows.
    pub catalog: Catalog,
    /// What it stores.
    pub blobs: Blobs,
    /// Its directories.
    pub places: RegistryPlaces,
    /// How much it takes.
    pub limits: RegistryLimits,
    /// Its own executable, which is started again for each probe.
    pub program: PathBuf,
}

/// A registry. Clones are the same one.
#[derive(Clone)]
pub struct Registry {
    shared: Arc<SharedState>,
}

struct SharedState {
    setup: RegistrySetup,
    used_uploads: UsedFolder,
    used_probes: UsedFolder,
    uploads: UploadSlots,
    /// For reading archives that are to be published: bombs of one owner must not keep others waiting.
    publish_readers: UploadSlots,
    readers: Arc<Semaphore>,
    /// Rings when a job was queued in this process.
    queued: Notify,
    /// Rings when a job was finished in this process.
    finished: Notify,
    /// Held while the runtime is looked up, so that it is fetched once.
    runtime: Mutex<()>,
    trouble: Mutex<Option<String>>,
    worker_works: AtomicBool,
    /// Whether the process ends.
    is_stopping: AtomicBool,
}

impl Registry {
    /// Makes the directories. Neither catalog nor blobs are asked for anything.
    pub fn new(setup: RegistrySetup) -> Result<Self, RegistryError> {
        make_private(&setup.places.uploads)?;
        make_private(&setup.places.probes)?;
        let used_uploads = UsedFolder::new(&setup.places.uploads);
        let used_probes = UsedFolder::new(&setup.places.probes);
        let limits = &setup.limits;
        let uploads = UploadSlots::new(
            limits.uploads_at_once.max(1),
            limits.uploads_per_owner(),
            limits.upload_rate(),
        );
        let most_read = limits.archives_read_at_once.max(1);
        let publish_readers = UploadSlots::new(most_read, 1, UploadRate::NONE);
        let readers = Arc::new(Semaphore::new(most_read));
        let shared = SharedState {
            setup,
            used_uploads,
            used_probes,
            uploads,
            publish_readers,
            readers,
            queued: Notify::new(),
            finished: Notify::new(),
            runtime: Mutex::new(()),
            trouble: Mutex::new(None),
            worker_works: AtomicBool::new(true),
            is_stopping: AtomicBool::new(false),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// How much it takes.
    #[must_use]
    pub fn limits(&self) -> &RegistryLimits {
        &self.shared.setup.limits
    }

    /// Why servers cannot be probed at the moment, if that is so. For logs and the health of the process.
    #[must_use]
    pub fn prober_trouble(&self) -> Option<String> {
        self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_prober_trouble(&self, trouble: Option<String>) {
        *self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Notes whether the last probe worker did its work; whether the one before it did.
    pub(crate) fn note_worker(&self, works: bool) -> bool {
        self.shared.worker_works.swap(works, Ordering::Relaxed)
    }

    /// Whether the process ends, so that no probe is waited for any more.
    pub(crate) fn is_stopping(&self) -> bool {
        self.shared.is_stopping.load(Ordering::Relaxed)
    }

    pub(crate) fn set_stopping(&self, is_stopping: bool) {
        self.shared.is_stopping.store(is_stopping, Ordering::Relaxed);
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.shared.setup.catalog
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.shared.setup.blobs
    }

    pub(crate) fn places(&self) -> &RegistryPlaces {
        &self.shared.setup.places
    }

    pub(crate) fn used_uploads(&self) -> &UsedFolder {
        &self.shared.used_uploads
    }

    pub(crate) fn used_probes(&self) -> &UsedFolder {
        &self.shared.used_probes
    }

    pub(crate) fn program(&self) -> &Path {
        &self.shared.setup.program
    }

    pub(crate) fn upload_slots(&self) -> &UploadSlots {
        &self.shared.uploads
    }

    pub(crate) fn queued(&self) -> &Notify {
        &self.shared.queued
    }

    pub(crate) fn finished(&self) -> &Notify {
        &self.shared.finished
    }

    pub(crate) fn runtime_lock(&self) -> &Mutex<()> {
        &self.shared.runtime
    }

    /// Slots for reading archives that were received.
    pub(crate) fn publish_readers(&self) -> &UploadSlots {
        &self.shared.publish_readers
    }

    /// Waits until another archive or surface that was published may be read.
    pub(crate) async fn reader_slot(&self) -> Result<OwnedSemaphorePermit, RegistryError> {
        let slot = Arc::clone(&self.shared.readers).acquire_owned().await;
        slot.map_err(|_| RegistryError::internal("the registry ends"))
    }

    /// All bytes of a blob, verified; one of more than `most` bytes is not read.
    pub(crate) async fn read_blob(
        &self,
        digest: &Digest,
        most: u64,
    ) -> Result<Bytes, RegistryError> {
        let mut stream = self.blobs().open_whole(digest).await?;
        if stream.size > most {
            let reason = format!("{digest} has {} bytes, more than {most}", stream.size);
            return Err(RegistryError::internal(reason));
        }
        let mut whole = BytesMut::new();
        while let Some(chunk) = stream.chunks.next().await {
            let chunk = chunk?;
            // A small blob is one chunk, and need not be copied.
            if whole.is_empty() && chunk.len() as u64 == stream.size {
                return Ok(chunk);
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }
}

fn make_private(path: &Path) -> Result<(), RegistryError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|source| RegistryError::Io { what: "a directory of the registry", source })
}
