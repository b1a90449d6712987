//! Reading: bytes are verified before the first of them is given.

use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use facets_digest::{Digest, Hasher};
use futures_util::{Stream, StreamExt as _};
use object_store::{GetOptions, GetRange, GetResult, GetResultPayload};
use tokio::io::AsyncWriteExt as _;

use crate::blobs::{Blobs, appearance_of};
use crate::error::BlobError;
use crate::put::interrupted;
use crate::verified_once::Appearance;

/// How much of a file is read at once.
const CHUNK: usize = 256 << 10;

/// More than this is never read into memory.
const MOST_WHOLE: u64 = 64 << 20;

type Chunks = Pin<Box<dyn Stream<Item = Result<Bytes, BlobError>> + Send>>;

/// Bytes that are read as they are wanted.
pub struct BlobStream {
    /// How many bytes there are in all.
    pub size: u64,
    /// The bytes. If they were damaged after they were verified, an error comes in the place of the last of them.
    pub chunks: Chunks,
}

impl std::fmt::Debug for BlobStream {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("BlobStream").field("size", &self.size).finish_non_exhaustive()
    }
}

impl BlobStream {
    fn of_bytes(bytes: Bytes) -> Self {
        let size = bytes.len() as u64;
        Self { size, chunks: Box::pin(futures_util::stream::iter([Ok(bytes)])) }
    }
}

impl Blobs {
    /// A whole blob in memory, verified. Small ones are kept.
    pub async fn read_small(&self, digest: &Digest) -> Result<Bytes, BlobError> {
        if let Some(bytes) = self.cache(|cache| cache.get(digest)) {
            return Ok(bytes);
        }
        let found = self.get(digest, None).await?;
        self.read_found(digest, found).await
    }

    /// A whole blob, verified before the first byte is given. One that is not small is hashed once more while it is
    /// read, and its last part is given only if the hash is right.
    pub async fn open_whole(&self, digest: &Digest) -> Result<BlobStream, BlobError> {
        if let Some(bytes) = self.cache(|cache| cache.get(digest)) {
            return Ok(BlobStream::of_bytes(bytes));
        }
        let found = self.get(digest, None).await?;
        let is_small = found.meta.size <= self.shared.limits.small;
        if is_small || self.is_verified(digest, &appearance_of(&found.meta)) {
            return self.stream_found(digest, found).await;
        }
        // Ended first: a store does not wait for a reader that hashes another answer.
        drop(found);
        self.hash_whole(digest).await?;
        let found = self.get(digest, None).await?;
        self.stream_found(digest, found).await
    }

    /// A blob that was found: a small one is verified now, another one when its last part is read.
    async fn stream_found(
        &self,
        digest: &Digest,
        found: GetResult,
    ) -> Result<BlobStream, BlobError> {
        let size = found.meta.size;
        if size <= self.shared.limits.small {
            return Ok(BlobStream::of_bytes(self.read_found(digest, found).await?));
        }
        let chunks = Verifying {
            blobs: self.clone(),
            digest: *digest,
            appearance: appearance_of(&found.meta),
            chunks: chunks_of(found),
            hasher: Some(Hasher::new()),
            held: None,
        };
        Ok(BlobStream { size, chunks: chunks.into_stream() })
    }

    /// A part of a blob, which was verified whole before.
    pub async fn open_range(
        &self,
        digest: &Digest,
        range: Range<u64>,
    ) -> Result<BlobStream, BlobError> {
        let appearance = self.appearance(digest).await?;
        if appearance.size <= self.shared.limits.small {
            let whole = self.read_small(digest).await?;
            return Ok(BlobStream::of_bytes(slice(&whole, &range)));
        }
        // All of it can be hashed on its way, a part cannot.
        if range == (0..appearance.size) {
            return self.open_whole(digest).await;
        }
        if !self.is_verified(digest, &appearance) {
            self.hash_whole(digest).await?;
        }
        let found = self.get(digest, Some(GetRange::Bounded(range))).await?;
        let size = found.range.end - found.range.start;
        Ok(BlobStream { size, chunks: chunks_of(found) })
    }

    /// Writes a blob into a new file. Nothing of one that is damaged is kept.
    pub async fn copy_to_file(&self, digest: &Digest, path: &Path) -> Result<u64, BlobError> {
        // Read once: a file with other bytes is removed again, and none has read it.
        let found = self.get(digest, None).await?;
        let stream = self.stream_found(digest, found).await?;
        let file = tokio::fs::File::create_new(path).await.map_err(BlobError::of_file)?;
        let written = write_all(file, stream.chunks).await;
        if written.is_err() {
            let _ = tokio::fs::remove_file(path).await;
        }
        written
    }

    /// Hashes a whole blob without keeping it, and remembers that it was right.
    pub(crate) async fn hash_whole(&self, digest: &Digest) -> Result<u64, BlobError> {
        let found = self.get(digest, None).await?;
        let appearance = appearance_of(&found.meta);
        let mut chunks = chunks_of(found);
        let mut hasher = Hasher::new();
        let mut size = 0;
        while let Some(chunk) = self.in_time(chunks.next()).await? {
            let chunk = chunk?;
            size += chunk.len() as u64;
            hasher.update(&chunk);
        }
        self.compare(digest, &appearance, hasher)?;
        self.verified(|verified| verified.note(*digest, appearance));
        Ok(size)
    }

    /// Compares what was read with its digest, and remembers what is damaged.
    fn compare(
        &self,
        digest: &Digest,
        appearance: &Appearance,
        hasher: Hasher,
    ) -> Result<(), BlobError> {
        let actual = hasher.finish();
        if *digest == actual {
            self.damaged(|damaged| damaged.forget(digest));
            return Ok(());
        }
        self.verified(|verified| verified.forget(digest));
        self.damaged(|damaged| damaged.note(*digest, appearance.clone()));
        Err(BlobError::Damaged { digest: *digest, actual })
    }

    fn is_verified(&self, digest: &Digest, appearance: &Appearance) -> bool {
        self.verified(|verified| verified.has(digest, appearance))
    }

    async fn get(&self, digest: &Digest, range: Option<GetRange>) -> Result<GetResult, BlobError> {
        self.require_file(digest).await?;
        let options = GetOptions { range, ..GetOptions::default() };
        let found = self.in_time(self.shared.store.get_opts(&self.key(digest), options)).await?;
        found.map_err(|error| BlobError::of_store(digest, &error))
    }

    async fn read_found(&self, digest: &Digest, found: GetResult) -> Result<Bytes, BlobError> {
        let (size, appearance) = (found.meta.size, appearance_of(&found.meta));
        if size > MOST_WHOLE {
            return Err(BlobError::Unusable { reason: format!("{digest} has {size} bytes") });
        }
        let bytes = match found.payload {
            GetResultPayload::File(file, _) => read_file(file, size).await?,
            GetResultPayload::Stream(_) => {
                let read = self.in_time(found.bytes()).await?;
                read.map_err(|error| BlobError::of_store(digest, &error))?
            }
        };
        let mut hasher = Hasher::new();
        hasher.update(&bytes);
        self.compare(digest, &appearance, hasher)?;
        if size <= self.shared.limits.small {
            self.cache(|cache| cache.put(*digest, bytes.clone()));
        }
        Ok(bytes)
    }
}

/// A blob that is hashed while it is read.
struct Verifying {
    blobs: Blobs,
    digest: Digest,
    appearance: Appearance,
    chunks: Chunks,
    /// None after the end.
    hasher: Option<Hasher>,
    /// Read and hashed, and not yet given.
    held: Option<Bytes>,
}

impl Verifying {
    fn into_stream(self) -> Chunks {
        Box::pin(futures_util::stream::unfold(self, |mut state| async move {
            let next = state.next().await.transpose()?;
            Some((next, state))
        }))
    }

    async fn next(&mut self) -> Result<Option<Bytes>, BlobError> {
        let Some(mut hasher) = self.hasher.take() else { return Ok(None) };
        loop {
            let Some(chunk) = self.blobs.in_time(self.chunks.next()).await? else {
                self.blobs.compare(&self.digest, &self.appearance, hasher)?;
                return Ok(self.held.take());
            };
            let chunk = chunk?;
            hasher.update(&chunk);
            if let Some(held) = self.held.replace(chunk) {
                self.hasher = Some(hasher);
                return Ok(Some(held));
            }
        }
    }
}

fn slice(whole: &Bytes, range: &Range<u64>) -> Bytes {
    let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(whole.len());
    let (start, end) = (index(range.start), index(range.end));
    whole.slice(start.min(end)..end)
}

/// The bytes of an answer, in chunks of a size that suits both ends.
fn chunks_of(found: GetResult) -> Chunks {
    let left = found.range.end - found.range.start;
    match found.payload {
        GetResultPayload::File(file, _) => file_chunks(file, found.range.start, left),
        GetResultPayload::Stream(stream) => {
            Box::pin(stream.map(|chunk| chunk.map_err(|error| BlobError::of_service(&error))))
        }
    }
}

fn file_chunks(file: File, start: u64, left: u64) -> Chunks {
    let begin = (Arc::new(file), start, left);
    Box::pin(futures_util::stream::unfold(begin, |(file, at, left)| async move {
        let wanted = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
        if wanted == 0 {
            return None;
        }
        match read_at(Arc::clone(&file), at, wanted).await {
            // Shorter than it was: what is missing shows in the hash, or in the length.
            Ok(bytes) if bytes.is_empty() => None,
            Ok(bytes) => {
                let read = bytes.len() as u64;
                Some((Ok(bytes), (file, at + read, left - read)))
            }
            Err(error) => Some((Err(error), (file, at, 0))),
        }
    }))
}

async fn read_at(file: Arc<File>, at: u64, wanted: usize) -> Result<Bytes, BlobError> {
    let work = move || {
        let mut bytes = vec![0; wanted];
        let read = file.read_at(&mut bytes, at)?;
        bytes.truncate(read);
        Ok(Bytes::from(bytes))
    };
    tokio::task::spawn_blocking(work).await.map_err(interrupted)?.map_err(BlobError::of_file)
}

async fn read_file(file: File, size: u64) -> Result<Bytes, BlobError> {
    let work = move || {
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        // One more than there should be, so that a longer file shows.
        file.take(size + 1).read_to_end(&mut bytes)?;
        Ok(Bytes::from(bytes))
    };
    tokio::task::spawn_blocking(work).await.map_err(interrupted)?.map_err(BlobError::of_file)
}

async fn write_all(mut file: tokio::fs::File, mut chunks: Chunks) -> Result<u64, BlobError> {
    let mut written = 0;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        file.write_all(&chunk).await.map_err(BlobError::of_file)?;
        written += chunk.len() as u64;
    }
    file.flush().await.map_err(BlobError::of_file)?;
    Ok(written)
}
