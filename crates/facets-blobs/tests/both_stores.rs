//! One suite over both kinds of stores: a directory, and a bucket of a real object store.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use facets_blobs::{BlobError, BlobLimits, BlobVerdict, Blobs, BlobsUrl, S3Credentials};
use facets_digest::Digest;
use facets_testkit::{ObjectStorage, Random};
use futures_util::StreamExt as _;

/// One object store for all tests of this file.
fn object_storage() -> Option<&'static Mutex<ObjectStorage>> {
    static STORAGE: OnceLock<Option<(tempfile::TempDir, Mutex<ObjectStorage>)>> = OnceLock::new();
    let storage = STORAGE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let storage = ObjectStorage::start(folder.path())?;
        Some((folder, Mutex::new(storage)))
    });
    storage.as_ref().map(|(_, storage)| storage)
}

fn credentials() -> S3Credentials {
    S3Credentials {
        access_key: ObjectStorage::ACCESS_KEY.to_owned(),
        secret_key: ObjectStorage::SECRET_KEY.to_owned(),
        session: None,
    }
}

/// Small enough that large blobs stay small, too.
fn limits() -> BlobLimits {
    BlobLimits {
        cache_bytes: 256 << 10,
        small: 64 << 10,
        deadline: Duration::from_secs(10),
        puts_at_once: 4,
    }
}

fn files(folder: &Path) -> Blobs {
    Blobs::open(&BlobsUrl::Files(folder.to_owned()), None, limits()).unwrap()
}

fn bucket(prefix: &str) -> Option<Blobs> {
    let url: BlobsUrl = object_storage()?.lock().unwrap().url(prefix).parse().unwrap();
    Some(Blobs::open(&url, Some(&credentials()), limits()).unwrap())
}

/// Runs a test on both; a bucket's share has a prefix of its own.
fn on_both(name: &str, test: impl AsyncFn(Blobs)) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime.block_on(test(files(folder.path())));
    if let Some(blobs) = bucket(name) {
        runtime.block_on(test(blobs));
    }
}

fn random_bytes(seed: u64, length: usize) -> Bytes {
    let mut random = Random::seeded(seed);
    (0..length).map(|_| random.bits().to_le_bytes()[0]).collect()
}

async fn read(blobs: &Blobs, digest: &Digest) -> Result<Vec<u8>, BlobError> {
    let mut stream = blobs.open_whole(digest).await?;
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.chunks.next().await {
        bytes.extend_from_slice(&chunk?);
    }
    assert_eq!(bytes.len() as u64, stream.size);
    Ok(bytes)
}

async fn put_from_file(blobs: &Blobs, bytes: &[u8]) -> Digest {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let digest = Digest::of(bytes);
    assert_eq!(blobs.put_file(&digest, file.path()).await.unwrap(), bytes.len() as u64);
    digest
}

#[test]
fn what_was_put_is_read_whole_in_parts_and_into_a_file() {
    on_both("whole", async |blobs| {
        for length in [0, 1, 65_536, 65_537, 1 << 20, (5 << 20) + 1, 11 << 20] {
            let bytes = random_bytes(length as u64, length);
            let digest = put_from_file(&blobs, &bytes).await;
            assert_eq!(read(&blobs, &digest).await.unwrap(), bytes, "{length}");
            let small = blobs.read_small(&digest).await.unwrap();
            assert_eq!(small, bytes);
            let (start, end) = (length as u64 / 3, length as u64 / 2 + 1);
            let mut part = blobs.open_range(&digest, start..end.min(length as u64)).await.unwrap();
            let mut read = Vec::new();
            while let Some(chunk) = part.chunks.next().await {
                read.extend_from_slice(&chunk.unwrap());
            }
            assert_eq!(read, bytes[length / 3..(length / 2 + 1).min(length)], "{length}");
            let folder = tempfile::tempdir().unwrap();
            let copy = folder.path().join("copy");
            blobs.copy_to_file(&digest, &copy).await.unwrap();
            assert_eq!(std::fs::read(&copy).unwrap(), bytes);
            let size = length as u64;
            assert_eq!(blobs.verify(&digest).await.unwrap(), BlobVerdict::Ok { size });
        }
    });
}

#[test]
fn other_bytes_than_announced_are_not_stored() {
    on_both("mismatch", async |blobs| {
        for length in [10, 7 << 20] {
            let bytes = random_bytes(1, length);
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            let announced = Digest::of(format!("something else, {length}").as_bytes());
            let refused = blobs.put_file(&announced, file.path()).await.unwrap_err();
            assert!(
                matches!(refused, BlobError::Mismatch { expected, .. } if expected == announced)
            );
            assert_eq!(blobs.verify(&announced).await.unwrap(), BlobVerdict::Absent);
        }
        let refused = blobs.put_bytes(&Digest::of(b"a"), Bytes::from_static(b"b")).await;
        assert!(matches!(refused, Err(BlobError::Mismatch { .. })));
    });
}

#[test]
fn what_is_absent_is_told_and_removing_it_twice_is_fine() {
    on_both("absent", async |blobs| {
        let digest = Digest::of(b"absent");
        assert!(matches!(blobs.read_small(&digest).await, Err(BlobError::Absent { .. })));
        assert!(matches!(blobs.open_whole(&digest).await, Err(BlobError::Absent { .. })));
        assert!(matches!(blobs.open_range(&digest, 0..1).await, Err(BlobError::Absent { .. })));
        let stored = put_from_file(&blobs, b"here").await;
        assert_eq!(read(&blobs, &stored).await.unwrap(), b"here");
        blobs.delete(&stored).await.unwrap();
        blobs.delete(&stored).await.unwrap();
        assert!(matches!(blobs.read_small(&stored).await, Err(BlobError::Absent { .. })));
    });
}

#[test]
fn a_list_has_every_blob_once() {
    on_both("list", async |blobs| {
        let mut expected = Vec::new();
        for number in 0..20_u8 {
            let bytes = vec![number; usize::from(number) + 1];
            expected.push((put_from_file(&blobs, &bytes).await, bytes.len() as u64));
            // A second time does no harm.
            put_from_file(&blobs, &bytes).await;
        }
        let mut listed: Vec<(Digest, u64)> = Vec::new();
        let mut entries = blobs.list();
        while let Some(entry) = entries.next().await {
            let entry = entry.unwrap();
            assert!(entry.modified_at > 1_700_000_000_000);
            listed.push((entry.digest, entry.size));
        }
        listed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(listed, expected);
    });
}

#[test]
fn blobs_of_another_store_in_the_same_place_are_not_listed() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (outer, inner) = (files(folder.path()), files(&folder.path().join("backup/blobs")));
    let listed = runtime.block_on(async {
        let own = put_from_file(&outer, b"own").await;
        let other = put_from_file(&inner, b"of the other one").await;
        assert_ne!(own, other);
        let listed: Vec<Digest> = outer.list().map(|entry| entry.unwrap().digest).collect().await;
        assert_eq!(listed, [own]);
        inner.list().map(|entry| entry.unwrap().digest).collect::<Vec<_>>().await
    });
    assert_eq!(listed, [Digest::of(b"of the other one")]);
}

#[test]
fn ten_writers_of_one_blob_all_succeed() {
    on_both("crowd", async |blobs| {
        let bytes = random_bytes(3, 6 << 20);
        let puts = (0..10).map(|_| put_from_file(&blobs, &bytes));
        let digests = futures_util::future::join_all(puts).await;
        assert!(digests.iter().all(|digest| *digest == digests[0]));
        assert_eq!(read(&blobs, &digests[0]).await.unwrap(), bytes);
    });
}

#[test]
fn nothing_of_a_damaged_blob_is_given() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for length in [100, 300 << 10] {
        let folder = tempfile::tempdir().unwrap();
        let blobs = files(folder.path());
        let bytes = random_bytes(5, length);
        let digest = runtime.block_on(put_from_file(&blobs, &bytes));
        let hex = digest.hex();
        let path = folder.path().join("sha256").join(&hex[..2]).join(&hex);
        for at in [0, length / 2, length - 1] {
            let mut other = bytes.to_vec();
            other[at] ^= 1;
            std::fs::write(&path, &other).unwrap();
            // Nothing of it is in memory.
            let blobs = files(folder.path());
            let damaged = |error: &BlobError| matches!(error, BlobError::Damaged { .. });
            assert!(damaged(&runtime.block_on(blobs.read_small(&digest)).unwrap_err()));
            assert!(damaged(&runtime.block_on(blobs.open_whole(&digest)).unwrap_err()));
            assert!(damaged(&runtime.block_on(blobs.open_range(&digest, 0..10)).unwrap_err()));
            let copy = folder.path().join("copy");
            assert!(damaged(&runtime.block_on(blobs.copy_to_file(&digest, &copy)).unwrap_err()));
            assert!(!copy.exists());
            let actual = Digest::of(&other);
            let verdict = runtime.block_on(blobs.verify(&digest)).unwrap();
            assert_eq!(verdict, BlobVerdict::Damaged { actual });
        }
        for other in [&bytes[..length - 1], &[&bytes[..], b"x"].concat()] {
            std::fs::write(&path, other).unwrap();
            let blobs = files(folder.path());
            assert!(runtime.block_on(read(&blobs, &digest)).is_err());
        }
        // Once it is right again, it is read again.
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(runtime.block_on(read(&files(folder.path()), &digest)).unwrap(), bytes);
    }
}

#[test]
fn a_blob_that_is_damaged_after_it_was_verified_is_verified_again_for_parts() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let blobs = files(folder.path());
    let bytes = random_bytes(6, 300 << 10);
    let digest = runtime.block_on(put_from_file(&blobs, &bytes));
    assert!(runtime.block_on(blobs.open_range(&digest, 0..10)).is_ok());
    let hex = digest.hex();
    let path = folder.path().join("sha256").join(&hex[..2]).join(&hex);
    let mut other = bytes.to_vec();
    other[5] ^= 1;
    std::fs::write(&path, &other).unwrap();
    let refused = runtime.block_on(blobs.open_range(&digest, 0..10)).unwrap_err();
    assert!(matches!(refused, BlobError::Damaged { .. }));
}

#[test]
fn damage_that_the_store_does_not_show_ends_one_answer_and_is_found_before_the_next() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let blobs = files(folder.path());
    let bytes = random_bytes(7, 600 << 10);
    let digest = runtime.block_on(put_from_file(&blobs, &bytes));
    assert_eq!(runtime.block_on(read(&blobs, &digest)).unwrap(), bytes);
    let hex = digest.hex();
    let path = folder.path().join("sha256").join(&hex[..2]).join(&hex);
    let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
    let mut other = bytes.to_vec();
    other[5] ^= 1;
    std::fs::write(&path, &other).unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    let damaged = |error: &BlobError| matches!(error, BlobError::Damaged { .. });
    assert!(runtime.block_on(blobs.require(&digest, bytes.len() as u64)).is_ok());
    // All of it in the words of a part is still all of it.
    let whole = runtime.block_on(blobs.open_range(&digest, 0..bytes.len() as u64));
    let mut chunks = whole.unwrap().chunks;
    let mut last = None;
    while let Some(chunk) = runtime.block_on(chunks.next()) {
        last = Some(chunk);
    }
    assert!(damaged(&last.unwrap().unwrap_err()));
    assert!(damaged(&runtime.block_on(blobs.open_whole(&digest)).unwrap_err()));
    let known = runtime.block_on(blobs.require(&digest, bytes.len() as u64));
    assert!(matches!(known, Err(BlobError::Unsound { .. })), "{known:?}");
    runtime.block_on(put_from_file(&blobs, &bytes));
    assert!(runtime.block_on(blobs.require(&digest, bytes.len() as u64)).is_ok());
    assert_eq!(runtime.block_on(read(&blobs, &digest)).unwrap(), bytes);
}

#[test]
fn a_blob_is_required_to_be_there_with_its_size() {
    on_both("required", async |blobs| {
        for length in [10, 100 << 10] {
            let bytes = random_bytes(8, length);
            let (digest, size) = (put_from_file(&blobs, &bytes).await, length as u64);
            assert!(blobs.require(&digest, size).await.is_ok());
            let other = blobs.require(&digest, size + 1).await.unwrap_err();
            assert!(matches!(other, BlobError::Unsound { .. }), "{other:?}");
            blobs.delete(&digest).await.unwrap();
            let gone = blobs.require(&digest, size).await.unwrap_err();
            assert!(matches!(gone, BlobError::Absent { .. }), "{gone:?}");
        }
    });
}

#[test]
fn a_pipe_in_the_place_of_a_blob_is_no_blob_and_is_replaced() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let blobs = files(folder.path());
    let digest = Digest::of(b"bytes");
    let hex = digest.hex();
    let path = folder.path().join("sha256").join(&hex[..2]).join(&hex);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let absent = |error: &BlobError| matches!(error, BlobError::Absent { .. });
    assert!(absent(&runtime.block_on(blobs.open_whole(&digest)).unwrap_err()));
    assert!(absent(&runtime.block_on(blobs.open_range(&digest, 0..1)).unwrap_err()));
    assert_eq!(runtime.block_on(blobs.verify(&digest)).unwrap(), BlobVerdict::Absent);
    runtime.block_on(put_from_file(&blobs, b"bytes"));
    assert_eq!(runtime.block_on(read(&blobs, &digest)).unwrap(), b"bytes");
}

#[test]
fn what_an_interrupted_write_left_is_removed_when_it_is_old() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let blobs = files(folder.path());
    let digest = runtime.block_on(put_from_file(&blobs, b"whole"));
    let hex = digest.hex();
    let path = folder.path().join("sha256").join(&hex[..2]).join(&hex);
    let partial = path.with_file_name(format!("{hex}#1"));
    std::fs::write(&partial, b"who").unwrap();
    assert_eq!(runtime.block_on(blobs.remove_partial(0)).unwrap(), 0);
    assert_eq!(runtime.block_on(blobs.remove_partial(i64::MAX)).unwrap(), 1);
    assert!(!partial.exists() && path.exists());
}

#[test]
fn a_bucket_that_goes_away_is_told_in_time_and_comes_back() {
    // One of its own: the others are not to notice.
    let folder = tempfile::tempdir().unwrap();
    let Some(mut storage) = ObjectStorage::start(folder.path()) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let url: BlobsUrl = storage.url("away").parse().unwrap();
    let short = BlobLimits { deadline: Duration::from_secs(4), ..limits() };
    // A busy machine may need longer than that for the first answer.
    let patient = Blobs::open(&url, Some(&credentials()), limits()).unwrap();
    let digest = runtime.block_on(put_from_file(&patient, b"kept"));
    runtime.block_on(patient.ping()).unwrap();
    let blobs = Blobs::open(&url, Some(&credentials()), short).unwrap();
    storage.kill();
    let refused = runtime.block_on(blobs.ping()).unwrap_err();
    assert!(refused.is_temporary(), "{refused:?}");
    let refused =
        runtime.block_on(blobs.put_bytes(&Digest::of(b"new"), Bytes::from_static(b"new")));
    assert!(refused.unwrap_err().is_temporary());
    storage.resume();
    // It answers before it has found its volumes; what it says until then is temporary, too.
    let begin = Instant::now();
    let mut found = runtime.block_on(read(&blobs, &digest));
    while begin.elapsed() < Duration::from_mins(1)
        && found.as_ref().is_err_and(BlobError::is_temporary)
    {
        found = runtime.block_on(read(&blobs, &digest));
    }
    assert_eq!(found.unwrap(), b"kept");
    let other = S3Credentials { secret_key: "wrong".to_owned(), ..credentials() };
    let blobs = Blobs::open(&url, Some(&other), short).unwrap();
    assert!(runtime.block_on(blobs.read_small(&digest)).is_err());
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_mounted) = SmallDisk::mount(folder.path()) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let blobs = files(folder.path());
    let kept = runtime.block_on(put_from_file(&blobs, b"kept"));
    for length in [900 << 10, 3 << 20] {
        let bytes = random_bytes(9, length);
        let first = runtime.block_on(blobs.put_bytes(&Digest::of(&bytes), bytes.clone()));
        if length > 1 << 20 {
            assert!(matches!(first, Err(BlobError::Full { .. })), "{first:?}");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        let _ = runtime.block_on(blobs.put_file(&Digest::of(&bytes), file.path()));
    }
    assert_eq!(runtime.block_on(read(&blobs, &kept)).unwrap(), b"kept");
    let partial = runtime.block_on(blobs.remove_partial(i64::MAX)).unwrap();
    assert_eq!(partial, 0, "nothing unfinished is left");
}

/// A disk of two megabytes.
struct SmallDisk<'d>(&'d Path);

impl<'d> SmallDisk<'d> {
    fn mount(folder: &'d Path) -> Option<Self> {
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(folder);
        if mount.output().is_ok_and(|done| done.status.success()) {
            return Some(Self(folder));
        }
        facets_testkit::skip("no small disk can be mounted without root");
        None
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("--lazy").arg(self.0).output();
    }
}
