//! Writing: hashed on the way, and complete only if the hash is right.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use bytes::Bytes;
use facets_digest::{Digest, Hasher};
use object_store::{MultipartUpload, ObjectStoreExt as _, PutPayload};

use crate::blobs::Blobs;
use crate::error::BlobError;

/// A file that is read part by part, and hashed.
struct Source {
    file: File,
    hasher: Hasher,
    read: u64,
}

impl Blobs {
    /// Stores a file. When this returns, the blob outlives the end of this process and of the machine.
    pub async fn put_file(&self, digest: &Digest, path: &Path) -> Result<u64, BlobError> {
        let _permit = self.shared.puts.acquire().await;
        let path = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || File::open(path)).await;
        let file = opened.map_err(interrupted)?.map_err(BlobError::of_file)?;
        let source = Source { file, hasher: Hasher::new(), read: 0 };
        let (first, source) = source.part(self.shared.part).await?;
        if first.len() < self.shared.part {
            return self.put_only(digest, first, source).await;
        }
        let started = self.in_time(self.shared.store.put_multipart(&self.key(digest))).await?;
        let mut upload = started.map_err(|error| BlobError::of_service(&error))?;
        match self.send_parts(&mut *upload, digest, first, source).await {
            Ok(size) => Ok(size),
            Err(error) => {
                // What was sent is no blob yet; the error that is told is the first one.
                let _ = self.in_time(upload.abort()).await;
                Err(error)
            }
        }
    }

    /// Stores bytes, as [`Self::put_file`] does.
    pub async fn put_bytes(&self, digest: &Digest, bytes: Bytes) -> Result<(), BlobError> {
        compare(digest, Digest::of(&bytes))?;
        let _permit = self.shared.puts.acquire().await;
        self.put_whole(digest, bytes).await
    }

    async fn put_only(
        &self,
        digest: &Digest,
        bytes: Vec<u8>,
        source: Source,
    ) -> Result<u64, BlobError> {
        compare(digest, source.hasher.finish())?;
        self.put_whole(digest, bytes.into()).await?;
        Ok(source.read)
    }

    async fn put_whole(&self, digest: &Digest, bytes: Bytes) -> Result<(), BlobError> {
        let payload = PutPayload::from_bytes(bytes);
        let put = self.in_time(self.shared.store.put(&self.key(digest), payload)).await?;
        put.map(drop).map_err(|error| BlobError::of_service(&error))
    }

    async fn send_parts(
        &self,
        upload: &mut dyn MultipartUpload,
        digest: &Digest,
        first: Vec<u8>,
        source: Source,
    ) -> Result<u64, BlobError> {
        let (mut part, mut source) = (first, source);
        while !part.is_empty() {
            let sent = self.in_time(upload.put_part(Bytes::from(part).into())).await?;
            sent.map_err(|error| BlobError::of_service(&error))?;
            (part, source) = source.part(self.shared.part).await?;
        }
        compare(digest, source.hasher.finish())?;
        let completed = self.in_time(upload.complete()).await?;
        completed.map_err(|error| BlobError::of_service(&error))?;
        Ok(source.read)
    }
}

impl Source {
    /// The next bytes, as many as there are up to a number; none at the end.
    async fn part(mut self, most: usize) -> Result<(Vec<u8>, Self), BlobError> {
        let work = move || {
            let mut bytes = Vec::with_capacity(most);
            (&mut self.file).take(most as u64).read_to_end(&mut bytes)?;
            self.hasher.update(&bytes);
            self.read += bytes.len() as u64;
            Ok((bytes, self))
        };
        tokio::task::spawn_blocking(work).await.map_err(interrupted)?.map_err(BlobError::of_file)
    }
}

fn compare(expected: &Digest, actual: Digest) -> Result<(), BlobError> {
    if *expected == actual {
        return Ok(());
    }
    Err(BlobError::Mismatch { expected: *expected, actual })
}

/// Work on a thread of its own that did not come to its end.
#[expect(clippy::needless_pass_by_value, reason = "it is the last that is done with it")]
pub(crate) fn interrupted(error: tokio::task::JoinError) -> BlobError {
    BlobError::Unavailable { reason: error.to_string() }
}
