//! The store: where each blob lies, and what can be done with it besides reading and writing.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use facets_digest::Digest;
use futures_util::{Stream, StreamExt as _};
use object_store::aws::AmazonS3Builder;
use object_store::client::ClientOptions;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{BackoffConfig, ObjectMeta, ObjectStore, ObjectStoreExt as _, RetryConfig};
use tokio::sync::Semaphore;

use crate::cache::BlobCache;
use crate::error::BlobError;
use crate::located::{BlobsUrl, S3Credentials};
use crate::verified_once::{Appearance, VerifiedOnce};

/// What a store takes and keeps in memory.
#[derive(Clone, Copy, Debug)]
pub struct BlobLimits {
    /// Bytes of small blobs that are kept in memory.
    pub cache_bytes: usize,
    /// The most that counts as small.
    pub small: u64,
    /// How long one answer of the store may take.
    pub deadline: Duration,
    /// How many blobs are written at once: each holds a few megabytes.
    pub puts_at_once: usize,
}

impl Default for BlobLimits {
    fn default() -> Self {
        Self {
            cache_bytes: 16 << 20,
            small: 1 << 20,
            deadline: Duration::from_secs(30),
            puts_at_once: 4,
        }
    }
}

/// What a look at a whole blob gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobVerdict {
    /// It has its digest.
    Ok {
        /// Its size.
        size: u64,
    },
    /// There is none.
    Absent,
    /// It has a different digest.
    Damaged {
        /// That one.
        actual: Digest,
    },
}

/// A blob in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobEntry {
    /// Its digest, by its name.
    pub digest: Digest,
    /// Its size.
    pub size: u64,
    /// When it was written, in milliseconds since 1970.
    pub modified_at: i64,
}

/// Bytes by their digest.
#[derive(Clone, Debug)]
pub struct Blobs {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Box<dyn ObjectStore>,
    pub(crate) prefix: Key,
    /// The directory, where it is one.
    root: Option<std::path::PathBuf>,
    pub(crate) limits: BlobLimits,
    /// Parts of a bucket have a least size.
    pub(crate) part: usize,
    pub(crate) puts: Semaphore,
    cache: Mutex<BlobCache>,
    verified: Mutex<VerifiedOnce>,
    /// What was found damaged, until it is read and right, or looks different.
    damaged: Mutex<VerifiedOnce>,
}

/// The least size of a part of a bucket's blob.
const PART_IN_BUCKET: usize = 5 << 20;
const PART_IN_FILES: usize = 1 << 20;

impl Blobs {
    /// Opens a directory, which is made if it is absent, or a bucket.
    pub fn open(
        url: &BlobsUrl,
        credentials: Option<&S3Credentials>,
        limits: BlobLimits,
    ) -> Result<Self, BlobError> {
        let (store, prefix, root, part) = match url {
            BlobsUrl::Files(path) => {
                let unusable = |source: &dyn std::error::Error| BlobError::Unusable {
                    reason: format!("{}: {source}", path.display()),
                };
                std::fs::create_dir_all(path).map_err(|error| unusable(&error))?;
                let files =
                    LocalFileSystem::new_with_prefix(path).map_err(|error| unusable(&error))?;
                let store: Box<dyn ObjectStore> = Box::new(files.with_fsync(true));
                (store, Key::default(), Some(path.clone()), PART_IN_FILES)
            }
            BlobsUrl::S3 { prefix, .. } => {
                let prefix = Key::parse(prefix)
                    .map_err(|error| BlobError::Unusable { reason: error.to_string() })?;
                (bucket(url, credentials, limits)?, prefix, None, PART_IN_BUCKET)
            }
        };
        let shared = Shared {
            store,
            prefix,
            root,
            limits,
            part,
            puts: Semaphore::new(limits.puts_at_once.max(1)),
            cache: Mutex::new(BlobCache::new(limits.cache_bytes)),
            verified: Mutex::default(),
            damaged: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Whether the store answers.
    pub async fn ping(&self) -> Result<(), BlobError> {
        let absent = Digest::of(b"facets:blobs:ping");
        match self.appearance(&absent).await {
            Ok(_) | Err(BlobError::Absent { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether a blob can be read, as far as that is known without reading it: it is there, has this size, and was
    /// not found damaged.
    pub async fn require(&self, digest: &Digest, size: u64) -> Result<(), BlobError> {
        if self.cache(|cache| cache.get(digest)).is_some() {
            return Ok(());
        }
        let found = self.appearance(digest).await?;
        let reason = if found.size != size {
            format!("{} bytes instead of {size}", found.size)
        } else if self.damaged(|damaged| damaged.has(digest, &found)) {
            "other bytes when it was read last".to_owned()
        } else {
            return Ok(());
        };
        Err(BlobError::Unsound { digest: *digest, reason })
    }

    /// Hashes a whole blob.
    pub async fn verify(&self, digest: &Digest) -> Result<BlobVerdict, BlobError> {
        match self.hash_whole(digest).await {
            Ok(size) => Ok(BlobVerdict::Ok { size }),
            Err(BlobError::Absent { .. }) => Ok(BlobVerdict::Absent),
            Err(BlobError::Damaged { actual, .. }) => Ok(BlobVerdict::Damaged { actual }),
            Err(error) => Err(error),
        }
    }

    /// Removes a blob; one that is not there is gone already.
    pub async fn delete(&self, digest: &Digest) -> Result<(), BlobError> {
        self.cache(|cache| cache.forget(digest));
        let deleted = self.in_time(self.shared.store.delete(&self.key(digest))).await?;
        match deleted.map_err(|error| BlobError::of_store(digest, &error)) {
            Ok(()) | Err(BlobError::Absent { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Every blob, in no order. What has no name of a blob is left out.
    pub fn list(&self) -> impl Stream<Item = Result<BlobEntry, BlobError>> + Send + Unpin + use<> {
        let prefix = self.shared.prefix.clone();
        let listed = self.shared.store.list(Some(&prefix));
        let entries = listed.filter_map(move |found| {
            let entry = match found {
                Ok(meta) => entry_of(&meta, &prefix).map(Ok),
                // Of a list that is read while a blob is removed.
                Err(object_store::Error::NotFound { .. }) => None,
                Err(error) => Some(Err(BlobError::of_service(&error))),
            };
            std::future::ready(entry)
        });
        Box::pin(entries)
    }

    /// Removes what interrupted writes left in a directory and that is older than `before`, in milliseconds since
    /// 1970. Buckets keep such parts apart, and collect them by rules of their own.
    pub async fn remove_partial(&self, before: i64) -> Result<u64, BlobError> {
        let Some(root) = self.shared.root.clone() else { return Ok(0) };
        let swept = tokio::task::spawn_blocking(move || sweep(&root, before)).await;
        swept.map_err(|error| BlobError::Unavailable { reason: error.to_string() })?
    }

    pub(crate) fn key(&self, digest: &Digest) -> Key {
        key_below(&self.shared.prefix, digest)
    }

    pub(crate) fn cache<T>(&self, look: impl FnOnce(&mut BlobCache) -> T) -> T {
        look(&mut self.shared.cache.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn verified<T>(&self, look: impl FnOnce(&mut VerifiedOnce) -> T) -> T {
        look(&mut self.shared.verified.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn damaged<T>(&self, look: impl FnOnce(&mut VerifiedOnce) -> T) -> T {
        look(&mut self.shared.damaged.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// In a directory only regular files are blobs: opening a pipe would wait for its other end.
    pub(crate) async fn require_file(&self, digest: &Digest) -> Result<(), BlobError> {
        let Some(root) = &self.shared.root else { return Ok(()) };
        let path = root.join(self.key(digest).to_string());
        match self.in_time(tokio::fs::metadata(path)).await? {
            Ok(found) if !found.is_file() => Err(BlobError::Absent { digest: *digest }),
            // Other trouble comes again when it is opened.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// What the store says of a blob.
    pub(crate) async fn appearance(&self, digest: &Digest) -> Result<Appearance, BlobError> {
        self.require_file(digest).await?;
        let meta = self.in_time(self.shared.store.head(&self.key(digest))).await?;
        let meta = meta.map_err(|error| BlobError::of_store(digest, &error))?;
        Ok(appearance_of(&meta))
    }

    pub(crate) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, BlobError> {
        let deadline = self.shared.limits.deadline;
        let late =
            |_| BlobError::Unavailable { reason: format!("no answer in {} s", deadline.as_secs()) };
        tokio::time::timeout(deadline, work).await.map_err(late)
    }
}

pub(crate) fn appearance_of(meta: &ObjectMeta) -> Appearance {
    Appearance {
        size: meta.size,
        modified: meta.last_modified.timestamp_millis(),
        tag: meta.e_tag.clone(),
    }
}

/// Where a blob is.
fn key_below(prefix: &Key, digest: &Digest) -> Key {
    let hex = digest.hex();
    prefix.clone().join(digest.algorithm().name()).join(&hex[..2]).join(hex)
}

/// What is a blob of this store: another store below the same prefix has names like it, at other places.
fn entry_of(meta: &ObjectMeta, prefix: &Key) -> Option<BlobEntry> {
    let name = meta.location.filename()?;
    let digest = format!("sha256:{name}").parse().ok()?;
    if meta.location != key_below(prefix, &digest) {
        return None;
    }
    Some(BlobEntry { digest, size: meta.size, modified_at: meta.last_modified.timestamp_millis() })
}

fn bucket(
    url: &BlobsUrl,
    credentials: Option<&S3Credentials>,
    limits: BlobLimits,
) -> Result<Box<dyn ObjectStore>, BlobError> {
    let BlobsUrl::S3 { bucket, endpoint, region, .. } = url else {
        return Err(BlobError::Unusable { reason: format!("{url} is no bucket") });
    };
    let Some(credentials) = credentials else {
        return Err(BlobError::Unusable { reason: format!("no credentials for {url}") });
    };
    // The same for the whole process; where one is chosen already, that one stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let retry = RetryConfig {
        backoff: BackoffConfig { max_backoff: Duration::from_secs(2), ..BackoffConfig::default() },
        max_retries: 4,
        retry_timeout: limits.deadline / 2,
    };
    let options = ClientOptions::new()
        .with_allow_http(true)
        .with_connect_timeout(Duration::from_secs(5))
        .with_timeout(limits.deadline)
        .with_http1_only();
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(bucket)
        .with_region(region)
        .with_access_key_id(&credentials.access_key)
        .with_secret_access_key(&credentials.secret_key)
        .with_client_options(options)
        .with_retry(retry);
    if let Some(endpoint) = endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    if let Some(session) = &credentials.session {
        builder = builder.with_token(session);
    }
    let unusable = |error: object_store::Error| BlobError::Unusable { reason: error.to_string() };
    Ok(Box::new(builder.build().map_err(unusable)?))
}

/// Names of files that were not finished end in `#` and a number.
fn sweep(folder: &std::path::Path, before: i64) -> Result<u64, BlobError> {
    let mut removed = 0;
    for entry in std::fs::read_dir(folder).map_err(BlobError::File)? {
        let entry = entry.map_err(BlobError::File)?;
        let Ok(found) = entry.metadata() else { continue };
        if found.is_dir() {
            removed += sweep(&entry.path(), before)?;
            continue;
        }
        let name = entry.file_name();
        let is_partial =
            name.to_str().and_then(|name| name.split_once('#')).is_some_and(|(_, number)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            });
        let since =
            found.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified = since.and_then(|since| i64::try_from(since.as_millis()).ok());
        if is_partial
            && modified.is_some_and(|modified| modified < before)
            && std::fs::remove_file(entry.path()).is_ok()
        {
            removed += 1;
        }
    }
    Ok(removed)
}
