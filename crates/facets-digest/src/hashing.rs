use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::Digest as _;
use sha2::Sha256;

use crate::digest::Digest;
use crate::read_buffer::ReadBuffer;

/// A running SHA-256.
#[derive(Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// An empty hash, for bytes whose format somebody else fixed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A hash of our own making: the preimage begins with `facets:<what>:v1\n`.
    ///
    /// spec 1.5: so that no two kinds of our hashes can ever be taken for each other
    #[must_use]
    pub fn with_domain(what: &str) -> Self {
        let mut hasher = Self::new();
        for part in ["facets:", what, ":v1\n"] {
            hasher.update(part.as_bytes());
        }
        hasher
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds what a buffer holds, and empties it: a preimage need never be in memory whole.
    pub fn drain(&mut self, buffer: &mut Vec<u8>) {
        self.update(buffer);
        buffer.clear();
    }

    /// The digest of everything added.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest::from_sha256(self.0.finalize().into())
    }
}

impl Digest {
    /// Hashes bytes that are already in memory.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(bytes);
        hasher.finish()
    }
}

/// Hears how long work gets on. Called from several threads.
pub trait Progress: Sync {
    /// `bytes` more are done.
    fn advance(&self, bytes: u64);
}

/// Nobody listens.
pub struct NoProgress;

impl Progress for NoProgress {
    fn advance(&self, _bytes: u64) {}
}

/// What hashing one stream gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// SHA-256 of the raw bytes.
    pub digest: Digest,
    /// How many there were.
    pub size: u64,
}

/// Hashes a stream to its end in constant memory (spec 1.2).
pub fn digest_reader(reader: impl Read, progress: &dyn Progress) -> io::Result<FileDigest> {
    digest_with_buffer(reader, &mut ReadBuffer::new(), progress)
}

fn digest_with_buffer(
    mut reader: impl Read,
    buffer: &mut [u8],
    progress: &dyn Progress,
) -> io::Result<FileDigest> {
    let mut hasher = Hasher::new();
    let mut size = 0;
    loop {
        let read = match reader.read(buffer) {
            Ok(0) => {
                return Ok(FileDigest { digest: hasher.finish(), size });
            }
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..read]);
        size += read as u64;
        progress.advance(read as u64);
    }
}

/// Hashes many streams, as many at a time as `threads` says, and keeps their order.
///
/// `open` is called on the thread that then reads, one stream at a time per thread, so
/// no more than `threads` are ever open.
pub fn digest_many<Source: Sync, Stream: Read>(
    sources: &[Source],
    threads: NonZeroUsize,
    open: impl Fn(&Source) -> io::Result<Stream> + Sync,
    progress: &dyn Progress,
) -> Vec<io::Result<FileDigest>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(sources.len()));
    let work = || {
        let mut buffer = ReadBuffer::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(index) else {
                return;
            };
            let result =
                open(source).and_then(|stream| digest_with_buffer(stream, &mut buffer, progress));
            lock(&done).push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.get().min(sources.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut results = std::mem::take(&mut *lock(&done));
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A poisoned lock means that another worker panicked; the scope passes that panic on.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// FIPS 180-2, appendix B.1.
    const ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    /// Fails in the middle, as a disk may.
    struct Broken(bool);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            buffer[0] = b'x';
            Ok(1)
        }
    }

    #[derive(Default)]
    struct Sum(AtomicU64);

    impl Progress for Sum {
        fn advance(&self, bytes: u64) {
            self.0.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    #[test]
    fn hashes_as_the_standard_does_however_the_bytes_come() {
        assert_eq!(Digest::of(b"abc").to_string(), ABC);
        let mut hasher = Hasher::new();
        hasher.update(b"a");
        let mut rest = b"bc".to_vec();
        hasher.drain(&mut rest);
        assert_eq!(hasher.finish().to_string(), ABC);
        assert!(rest.is_empty());
        let read = digest_reader(&b"abc"[..], &NoProgress).unwrap();
        assert_eq!((read.digest.to_string(), read.size), (ABC.to_owned(), 3));
    }

    #[test]
    fn a_stream_that_fails_has_no_digest() {
        let error = digest_reader(Broken(false), &NoProgress).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn progress_adds_up_to_the_size() {
        let (bytes, progress) = (vec![7; (256 << 10) + 1], Sum::default());
        digest_reader(Stuttering(&bytes, 0), &progress).unwrap();
        assert_eq!(progress.0.into_inner(), bytes.len() as u64);
    }

    /// Gives one byte, then an interruption, then the rest, as a pipe may.
    struct Stuttering<'a>(&'a [u8], u8);

    impl Read for Stuttering<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            match self.1 {
                1 => self.0.read(&mut buffer[..1]),
                2 => Err(io::ErrorKind::Interrupted.into()),
                _ => self.0.read(buffer),
            }
        }
    }

    #[test]
    fn hashes_a_stream_whatever_the_size_of_its_reads() {
        let bytes = vec![7; (512 << 10) + 1];
        let found = digest_reader(Stuttering(&bytes, 0), &NoProgress).unwrap();
        assert_eq!(found, FileDigest { digest: Digest::of(&bytes), size: bytes.len() as u64 });
    }

    #[test]
    fn keeps_the_order_and_isolates_the_failure_of_one_stream() {
        let sources: Vec<Vec<u8>> =
            (0..100u8).map(|n| vec![n; 5000 * usize::from(100 - n)]).collect();
        let open = |bytes: &Vec<u8>| match bytes.first() {
            Some(42) => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(io::Cursor::new(bytes.clone())),
        };
        for threads in [1, 3, 200] {
            let found = digest_many(&sources, threads.try_into().unwrap(), open, &NoProgress);
            assert_eq!(found.len(), 100);
            for (n, result) in found.iter().enumerate() {
                match result {
                    Ok(file) => assert_eq!(file.digest, Digest::of(&sources[n]), "{n}"),
                    Err(error) => assert_eq!((n, error.kind()), (42, io::ErrorKind::NotFound)),
                }
            }
        }
        assert!(digest_many(&[] as &[Vec<u8>], NonZeroUsize::MIN, open, &NoProgress).is_empty());
    }

    #[test]
    fn a_domain_line_separates_equal_content() {
        let mut ours = Hasher::with_domain("surface");
        ours.update(b"{}");
        assert_eq!(ours.finish(), Digest::of(b"facets:surface:v1\n{}"));
    }
}
