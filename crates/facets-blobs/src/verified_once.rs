//! Which blobs were verified whole, as they lay there at that time.

use std::collections::{HashMap, VecDeque};

use facets_digest::Digest;

/// More than a registry serves in parts at the same time.
const MOST: usize = 4096;

/// What the store says of a blob: if it says something else later, the blob is verified again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Appearance {
    pub(crate) size: u64,
    pub(crate) modified: i64,
    pub(crate) tag: Option<String>,
}

/// Blobs that were verified by this process, the latest ones.
#[derive(Debug, Default)]
pub(crate) struct VerifiedOnce {
    seen: HashMap<Digest, Appearance>,
    order: VecDeque<Digest>,
}

impl VerifiedOnce {
    pub(crate) fn has(&self, digest: &Digest, now: &Appearance) -> bool {
        self.seen.get(digest) == Some(now)
    }

    pub(crate) fn note(&mut self, digest: Digest, appearance: Appearance) {
        if self.seen.insert(digest, appearance).is_none() {
            self.order.push_back(digest);
        }
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
    }

    /// The next reader verifies it again.
    pub(crate) fn forget(&mut self, digest: &Digest) {
        if self.seen.remove(digest).is_some() {
            self.order.retain(|one| one != digest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_that_looks_different_counts_as_not_verified() {
        let digest = Digest::of(b"one");
        let seen = Appearance { size: 3, modified: 7, tag: Some("a".to_owned()) };
        let mut verified = VerifiedOnce::default();
        assert!(!verified.has(&digest, &seen));
        verified.note(digest, seen.clone());
        assert!(verified.has(&digest, &seen));
        assert!(!verified.has(&digest, &Appearance { modified: 8, ..seen.clone() }));
        verified.forget(&digest);
        assert!(!verified.has(&digest, &seen) && verified.order.is_empty());
    }

    #[test]
    fn the_number_of_remembered_blobs_is_bounded() {
        let mut verified = VerifiedOnce::default();
        let seen = Appearance { size: 1, modified: 0, tag: None };
        for number in 0..MOST + 10 {
            verified.note(Digest::of(&number.to_le_bytes()), seen.clone());
        }
        assert_eq!((verified.seen.len(), verified.order.len()), (MOST, MOST));
        assert!(!verified.has(&Digest::of(&0_usize.to_le_bytes()), &seen));
    }
}
