//! The cost of a lookup does not depend on the number of entries.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::time::{Duration, Instant};

use facets_digest::Digest;
use facets_store::{EntryKey, Store};
use facets_testkit::long_count;
use support::{Scratch, bytes, put_file};

/// Puts so many entries into a store as the store itself would, without waiting for the disk.
fn fill(scratch: &Scratch, count: usize) -> Store {
    let store = scratch.store();
    for number in 0..count {
        let content = bytes(number, 100);
        let entry = scratch.entry(&EntryKey::File(Digest::of(&content)));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&entry).unwrap();
        fs::write(entry.join("used"), "").unwrap();
        fs::write(entry.join("content"), content).unwrap();
        let sealed = fs::Permissions::from_mode(0o444);
        fs::set_permissions(entry.join("content"), sealed).unwrap();
    }
    store
}

/// The quickest of some rounds of lookups, of present and of absent entries.
fn quickest(store: &Store, count: usize) -> Duration {
    let digests: Vec<Digest> =
        (0..100).map(|number| Digest::of(&bytes(number * 37 % count, 100))).collect();
    let absent = Digest::of(b"absent");
    let round = |_: u32| {
        let start = Instant::now();
        for digest in &digests {
            assert!(store.get_file(digest).unwrap().is_some());
            assert!(store.get_file(&absent).unwrap().is_none());
        }
        start.elapsed()
    };
    (0..20).map(round).min().unwrap()
}

#[test]
fn a_lookup_among_many_costs_no_more_than_among_few() {
    let (few, many) = (Scratch::new(), Scratch::new());
    let count = long_count(10_000).max(2000);
    let (small, large) = (fill(&few, 100), fill(&many, count));
    let (few, many) = (quickest(&small, 100), quickest(&large, count));
    assert!(many < few * 2, "{few:?} for 100 lookups among 100, {many:?} among {count}");
    // The entries that the test made are like those that the store makes.
    assert_eq!(large.entries().unwrap().len(), count);
    put_file(&large, &bytes(0, 100));
    assert_eq!(large.entries().unwrap().len(), count);
}
