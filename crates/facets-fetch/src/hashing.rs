//! Every hash of a file that is arriving, computed on a thread of its own.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use facets_digest::{Digest, Hasher, ReadBuffer};
use sha1::Sha1;
use sha2::{Digest as _, Sha384, Sha512};

use crate::stated_hash::{StatedAlgorithm, StatedHash};

/// Buffers on their way to the hashes and back: enough that neither side waits for the other.
const BUFFERS: usize = 4;

/// What all bytes of a file hash to.
#[derive(Clone, Debug)]
pub(crate) struct Hashes {
    pub(crate) sha256: Digest,
    others: Vec<(StatedAlgorithm, Vec<u8>)>,
}

impl Hashes {
    /// What a stated hash should have been; nothing if it is right.
    pub(crate) fn mismatch(&self, stated: &StatedHash) -> Option<String> {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        if stated.algorithm == StatedAlgorithm::Sha256 {
            let actual = self.sha256.to_string();
            return (actual != format!("sha256:{}", stated.hex())).then_some(actual);
        }
        let name = stated.algorithm.name();
        match self.others.iter().find(|(algorithm, _)| *algorithm == stated.algorithm) {
            Some((_, bytes)) if *bytes == stated.bytes => None,
            Some((_, bytes)) => Some(format!("{name}:{}", hex(bytes))),
            None => Some(format!("no {name}")),
        }
    }
}

/// Whether all bytes of a stream match every one of these hashes, one of which must be strong.
pub fn matches_all(mut bytes: impl Read, stated: &[StatedHash]) -> bool {
    let is_strong = stated.iter().any(|hash| hash.algorithm != StatedAlgorithm::Sha1);
    let hashing = Hashing::begin(stated);
    while let Some(mut buffer) = hashing.buffer() {
        match bytes.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hashing.add(buffer, count),
            Err(_) => return false,
        }
    }
    let hashes = hashing.finish();
    is_strong
        && hashes.is_some_and(|hashes| stated.iter().all(|hash| hashes.mismatch(hash).is_none()))
}

/// Bytes go in, hashes come out.
pub(crate) struct Hashing {
    filled: SyncSender<(ReadBuffer, usize)>,
    empty: Receiver<ReadBuffer>,
    worker: JoinHandle<Hashes>,
}

impl Hashing {
    /// SHA-256, and whatever is stated beside it.
    pub(crate) fn begin(stated: &[StatedHash]) -> Self {
        let mut others: Vec<Other> = Vec::new();
        for hash in stated {
            let other = match hash.algorithm {
                StatedAlgorithm::Sha256 => continue,
                StatedAlgorithm::Sha1 => Other::Sha1(Sha1::new()),
                StatedAlgorithm::Sha384 => Other::Sha384(Sha384::new()),
                StatedAlgorithm::Sha512 => Other::Sha512(Sha512::new()),
            };
            if others.iter().all(|known| known.algorithm() != hash.algorithm) {
                others.push(other);
            }
        }
        let (filled, to_hash) = sync_channel::<(ReadBuffer, usize)>(BUFFERS);
        let (give_back, empty) = sync_channel::<ReadBuffer>(BUFFERS);
        for _ in 0..BUFFERS {
            let _ = give_back.send(ReadBuffer::new());
        }
        let worker = std::thread::spawn(move || hash_all(&to_hash, &give_back, others));
        Self { filled, empty, worker }
    }

    /// A buffer to read into.
    pub(crate) fn buffer(&self) -> Option<ReadBuffer> {
        self.empty.recv().ok()
    }

    /// The first `count` bytes of a buffer are the next of the file.
    pub(crate) fn add(&self, buffer: ReadBuffer, count: usize) {
        let _ = self.filled.send((buffer, count));
    }

    /// All bytes are there.
    pub(crate) fn finish(self) -> Option<Hashes> {
        drop(self.filled);
        self.worker.join().ok()
    }
}

fn hash_all(
    filled: &Receiver<(ReadBuffer, usize)>,
    give_back: &SyncSender<ReadBuffer>,
    mut others: Vec<Other>,
) -> Hashes {
    let mut sha256 = Hasher::new();
    while let Ok((buffer, count)) = filled.recv() {
        sha256.update(&buffer[..count]);
        for other in &mut others {
            other.update(&buffer[..count]);
        }
        // The reader is gone once all bytes have arrived.
        let _ = give_back.try_send(buffer);
    }
    let others = others.into_iter().map(|other| (other.algorithm(), other.finish())).collect();
    Hashes { sha256: sha256.finish(), others }
}

/// A hash that upstream may state.
enum Other {
    Sha1(Sha1),
    Sha384(Sha384),
    Sha512(Sha512),
}

impl Other {
    fn algorithm(&self) -> StatedAlgorithm {
        match self {
            Self::Sha1(_) => StatedAlgorithm::Sha1,
            Self::Sha384(_) => StatedAlgorithm::Sha384,
            Self::Sha512(_) => StatedAlgorithm::Sha512,
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1(hash) => hash.update(bytes),
            Self::Sha384(hash) => hash.update(bytes),
            Self::Sha512(hash) => hash.update(bytes),
        }
    }

    fn finish(self) -> Vec<u8> {
        match self {
            Self::Sha1(hash) => hash.finalize().to_vec(),
            Self::Sha384(hash) => hash.finalize().to_vec(),
            Self::Sha512(hash) => hash.finalize().to_vec(),
        }
    }
}
