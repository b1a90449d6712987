//! Small blobs that were verified, in memory: those that were used last.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use facets_digest::Digest;

/// Verified bytes, up to a number of bytes in all.
#[derive(Debug)]
pub(crate) struct BlobCache {
    most: usize,
    held: usize,
    clock: u64,
    blobs: HashMap<Digest, (Bytes, u64)>,
    by_use: BTreeMap<u64, Digest>,
}

impl BlobCache {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, held: 0, clock: 0, blobs: HashMap::new(), by_use: BTreeMap::new() }
    }

    pub(crate) fn get(&mut self, digest: &Digest) -> Option<Bytes> {
        let (bytes, used) = self.blobs.get_mut(digest)?;
        self.by_use.remove(used);
        self.clock += 1;
        *used = self.clock;
        self.by_use.insert(self.clock, *digest);
        Some(bytes.clone())
    }

    pub(crate) fn put(&mut self, digest: Digest, bytes: Bytes) {
        if bytes.len() > self.most || self.blobs.contains_key(&digest) {
            return;
        }
        self.held += bytes.len();
        self.clock += 1;
        self.blobs.insert(digest, (bytes, self.clock));
        self.by_use.insert(self.clock, digest);
        while self.held > self.most {
            let Some((_, oldest)) = self.by_use.pop_first() else { break };
            self.forget(&oldest);
        }
    }

    pub(crate) fn forget(&mut self, digest: &Digest) {
        if let Some((bytes, used)) = self.blobs.remove(digest) {
            self.held -= bytes.len();
            self.by_use.remove(&used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_stays_and_the_sum_is_bounded() {
        let blob = |byte: u8| (Digest::of(&[byte]), Bytes::from(vec![byte; 40]));
        let mut cache = BlobCache::new(100);
        let [(one, a), (two, b), (three, c)] = [blob(1), blob(2), blob(3)];
        cache.put(one, a);
        cache.put(two, b);
        assert!(cache.get(&one).is_some());
        cache.put(three, c);
        assert!(cache.get(&two).is_none(), "it was used longest ago");
        assert!(cache.get(&one).is_some() && cache.get(&three).is_some());
        assert_eq!(cache.held, 80);
        cache.put(Digest::of(b"large"), Bytes::from(vec![0; 101]));
        assert_eq!((cache.held, cache.by_use.len()), (80, 2));
        cache.forget(&one);
        assert_eq!((cache.held, cache.by_use.len(), cache.blobs.len()), (40, 1, 1));
    }
}
