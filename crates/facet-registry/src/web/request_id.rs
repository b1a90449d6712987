//! Ids of requests: given by a proxy or client, or made here.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Longer ones are not taken over.
const LONGEST: usize = 64;

/// Makes ids that no other process makes.
#[derive(Debug)]
pub(crate) struct RequestIds {
    seed: u64,
    next: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new() -> Self {
        // Random per process: the keys of this hasher are.
        Self { seed: RandomState::new().build_hasher().finish(), next: AtomicU64::new(0) }
    }

    /// The given id, if it is a harmless word, else a new one.
    pub(crate) fn choose(&self, given: Option<&[u8]>) -> String {
        match given.and_then(|given| std::str::from_utf8(given).ok()) {
            Some(given) if is_harmless(given) => given.to_owned(),
            _ => self.make(),
        }
    }

    /// 16 hex digits.
    fn make(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mixed = mix(self.seed.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        let mut id = String::with_capacity(16);
        let _ = write!(id, "{mixed:016x}");
        id
    }
}

fn is_harmless(id: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(is_allowed)
}

/// Numbers in a row get ids that have nothing in common; no two get the same.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn made_ids_differ_and_are_harmless() {
        let ids = RequestIds::new();
        let made: BTreeSet<String> = (0..1000).map(|_| ids.choose(None)).collect();
        assert_eq!(made.len(), 1000);
        assert!(made.iter().all(|id| id.len() == 16 && is_harmless(id)));
    }

    #[test]
    fn given_ids_are_taken_unless_they_could_do_harm() {
        let ids = RequestIds::new();
        assert_eq!(ids.choose(Some(b"a.B-9_")), "a.B-9_");
        for given in [&b""[..], b"a b", b"a\"b", b"\xff", &[b'a'; 65]] {
            assert_eq!(ids.choose(Some(given)).len(), 16, "{given:?}");
        }
    }
}
