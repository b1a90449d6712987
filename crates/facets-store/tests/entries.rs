//! Files and trees that go in and come out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use facets_digest::{Digest, NoProgress};
use facets_failure::Describe as _;
use facets_store::{
    EntryKey, FileMode, RemovalOutcome, Store, StoreEntry, StoreError, StoreLimits, TreeKey,
    TreePin, TreeWriter,
};
use support::{Scratch, bytes, fill, put_file, put_tree, read, tree_key};

#[test]
fn a_file_comes_out_as_it_went_in() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let content = bytes(1, 300_000);
    let digest = Digest::of(&content);
    assert!(store.get_file(&digest).unwrap().is_none());
    let stored = put_file(&store, &content);
    assert_eq!(read(&stored), content);
    assert_eq!((stored.digest(), stored.size()), (&digest, content.len() as u64));
    assert_eq!(fs::read(stored.path()).unwrap(), content);
    stored.require_unmodified().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(stored.path()), 0o444);
    assert_eq!((mode(&scratch.cache()), mode(store.path())), (0o700, 0o700));
    drop(stored);
    assert_eq!(read(&store.get_file(&digest).unwrap().unwrap()), content);
    assert_eq!(read(&put_file(&store, &content)), content, "stored again");
    assert_eq!(store.entries().unwrap().len(), 1);
    assert!(scratch.temporary().is_empty());
    // Another process, another handle: nothing is remembered.
    let found = Store::find(&scratch.cache()).unwrap().unwrap();
    assert!(found.get_file(&digest).unwrap().is_some());
}

#[test]
fn a_tree_comes_out_as_it_went_in() {
    let scratch = Scratch::new();
    let store = scratch.store();
    assert!(store.get_tree(&tree_key(1), TreePin::AsStored).unwrap().is_none());
    let stored = put_tree(&store, 1, 100_000);
    let paths: Vec<&str> = stored.manifest().items().map(|(path, _)| path).collect();
    assert_eq!(
        paths,
        ["bin", "bin/run", "index.js", "lib", "lib/empty", "lib/inner", "lib/inner/data"]
    );
    assert_eq!(stored.manifest().digest(), *stored.digest());
    let path = stored.path_for_start().unwrap();
    assert_eq!(fs::read(path.join("index.js")).unwrap(), bytes(1, 100_000));
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o7777;
    assert_eq!(["", "bin/run", "index.js", "lib/empty"].map(mode), [0o555, 0o555, 0o444, 0o555]);
    let pin = TreePin::Digest(*stored.digest());
    assert!(store.get_tree(&tree_key(1), pin).unwrap().is_some());
    assert!(store.get_tree_hashed(&tree_key(1), pin, &NoProgress).unwrap().is_some());
    put_tree(&store, 1, 100_000);
    assert_eq!(store.entries().unwrap().len(), 1);
    assert!(scratch.temporary().is_empty());
}

#[test]
fn kinds_with_the_same_digest_do_not_meet() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let digest = *put_file(&store, b"package").digest();
    let keys = [TreeKey::Server(digest), TreeKey::Runtime(digest), TreeKey::Closure(digest)];
    for (number, key) in keys.iter().enumerate() {
        assert!(store.get_tree(key, TreePin::AsStored).unwrap().is_none());
        store.put_tree(key, TreePin::AsStored, |tree| fill(tree, number, 10)).unwrap();
    }
    let digests: BTreeSet<Digest> = keys
        .iter()
        .map(|key| *store.get_tree(key, TreePin::AsStored).unwrap().unwrap().digest())
        .collect();
    assert_eq!(digests.len(), 3);
    assert_eq!(store.entries().unwrap().len(), 4);
}

#[test]
fn other_bytes_than_expected_are_not_stored() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let failed = store.put_file(&Digest::of(b"expected"), &b"actual"[..]).unwrap_err();
    assert_eq!(failed.code(), "store-mismatch");
    let pin = TreePin::Digest(Digest::of(b"another tree"));
    let failed = store.put_tree(&tree_key(1), pin, |tree| fill(tree, 1, 10)).unwrap_err();
    assert_eq!(failed.code(), "store-mismatch");
    assert!(store.entries().unwrap().is_empty());
    assert!(scratch.temporary().is_empty());
}

#[test]
fn a_tree_that_cannot_be_filled_leaves_nothing() {
    let scratch = Scratch::new();
    let store = scratch.store().with_limits(StoreLimits { total: 1000, ..StoreLimits::default() });
    let big = store.put_tree(&tree_key(1), TreePin::AsStored, |tree| fill(tree, 1, 1000));
    assert_eq!(big.unwrap_err().code(), "store-too-large");
    let big = store.put_file(&Digest::of(&bytes(1, 1000)), &bytes(1, 1000)[..]);
    assert_eq!(big.unwrap_err().code(), "store-too-large");
    let out = store.put_tree(&tree_key(1), TreePin::AsStored, |tree| {
        tree.file("a", FileMode::Plain, &b""[..])?;
        tree.file("../b", FileMode::Plain, &b""[..]).map(drop)
    });
    let failed: StoreError = out.unwrap_err();
    assert_eq!(failed.code(), "store-bad-path");
    assert!(!scratch.cache().join("store/v1/tmp/b").exists());
    assert!(scratch.temporary().is_empty());
    assert!(store.entries().unwrap().is_empty());
}

/// The error of the caller comes back as it is.
#[test]
fn the_caller_keeps_its_own_error() {
    #[derive(Debug)]
    enum Unpacking {
        Broken,
        Store(StoreError),
    }
    impl From<StoreError> for Unpacking {
        fn from(error: StoreError) -> Self {
            Self::Store(error)
        }
    }
    let scratch = Scratch::new();
    let store = scratch.store();
    let broken = store.put_tree(&tree_key(1), TreePin::AsStored, |tree| {
        tree.directory("a")?;
        Err(Unpacking::Broken)
    });
    assert!(matches!(broken, Err(Unpacking::Broken)), "{broken:?}");
    let refused = store.put_tree(&tree_key(1), TreePin::AsStored, |tree| {
        tree.directory("/").map_err(Unpacking::from)
    });
    assert!(matches!(refused, Err(Unpacking::Store(StoreError::BadPath { .. }))), "{refused:?}");
    assert!(scratch.temporary().is_empty());
}

#[test]
fn another_tree_under_a_key_is_refused_when_pinned_and_replaced_when_stored_anew() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let old = *put_tree(&store, 1, 10).digest();
    let anew = |tree: &mut TreeWriter<'_>| tree.file("other", FileMode::Plain, &b""[..]).map(drop);
    let new = *store.put_tree(&tree_key(1), TreePin::AsStored, anew).unwrap().digest();
    assert_ne!(old, new);
    let refused = store.get_tree(&tree_key(1), TreePin::Digest(old)).unwrap_err();
    let StoreError::Mismatch { expected, actual, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!((*expected, *actual), (old, new));
    assert!(store.get_tree(&tree_key(1), TreePin::Digest(new)).unwrap().is_some(), "it is kept");
}

/// The entries that were last used at these hours of the past.
fn used(scratch: &Scratch, entries: &[(EntryKey, u32)]) {
    for (key, hours) in entries {
        let file = File::options().write(true).open(scratch.entry(key).join("used")).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_hours(1) * *hours).unwrap();
    }
}

fn keys(entries: &[StoreEntry]) -> Vec<EntryKey> {
    entries.iter().map(|entry| entry.key).collect()
}

#[test]
fn collection_begins_with_what_was_not_used_for_longest() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let files = [1, 2, 3].map(|n| EntryKey::File(*put_file(&store, &bytes(n, 40_000)).digest()));
    put_tree(&store, 4, 40_000);
    let tree = EntryKey::Tree(tree_key(4));
    used(&scratch, &[(files[0], 5), (files[1], 9), (files[2], 2), (tree, 7)]);
    let listed = store.entries().unwrap();
    assert_eq!(keys(&listed), [files[1], tree, files[0], files[2]]);
    assert!(listed.iter().all(|entry| entry.size >= 40_000 && !entry.is_in_use), "{listed:?}");
    let total: u64 = listed.iter().map(|entry| entry.size).sum();
    let none = store.prune(total, &BTreeSet::new()).unwrap();
    assert_eq!((none.removed.len(), none.kept), (0, total));
    // Verifying is no use, and using is.
    assert!(store.verify(&NoProgress).unwrap().iter().all(|verdict| verdict.problem.is_none()));
    assert_eq!(keys(&store.entries().unwrap()), [files[1], tree, files[0], files[2]]);
    store.get_tree(&tree_key(4), TreePin::AsStored).unwrap().unwrap();
    let report = store.prune(total - 1, &BTreeSet::new()).unwrap();
    assert_eq!(keys(&report.removed), [files[1]]);
    let report = store.prune(listed[3].size, &BTreeSet::from([files[2]])).unwrap();
    assert_eq!(keys(&report.removed), [files[0], tree]);
    assert_eq!(keys(&store.entries().unwrap()), [files[2]]);
    assert_eq!(store.prune(0, &BTreeSet::from([files[2]])).unwrap().removed.len(), 0);
    assert_eq!(store.prune(0, &BTreeSet::new()).unwrap().kept, 0);
    assert!(store.entries().unwrap().is_empty());
    assert!(scratch.temporary().is_empty());
}

#[test]
fn what_is_in_use_is_not_collected() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let tree = put_tree(&store, 1, 10);
    let file = put_file(&store, b"text");
    assert!(store.entries().unwrap().iter().all(|entry| entry.is_in_use));
    assert_eq!(store.prune(0, &BTreeSet::new()).unwrap().removed.len(), 0);
    tree.path_for_start().unwrap();
    drop(file);
    assert_eq!(store.prune(0, &BTreeSet::new()).unwrap().removed.len(), 1);
    drop(tree);
    assert_eq!(store.prune(0, &BTreeSet::new()).unwrap().removed.len(), 1);
}

#[test]
fn looking_for_a_store_makes_none() {
    let scratch = Scratch::new();
    assert!(Store::find(&scratch.cache()).unwrap().is_none());
    assert!(!scratch.cache().exists());
    scratch.make("cache");
    assert!(Store::find(&scratch.cache()).unwrap().is_none());
    assert_eq!(fs::read_dir(scratch.cache()).unwrap().count(), 0);
}

#[test]
fn a_store_that_others_can_write_to_is_refused() {
    for place in ["", "store", "store/v1", "store/v1/files/sha256", "store/v1/tmp"] {
        let scratch = Scratch::new();
        put_file(&scratch.store(), b"text");
        let path = scratch.cache().join(place);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let failed = Store::open(&scratch.cache())
            .and_then(|store| store.put_file(&Digest::of(b"text"), &b"text"[..]))
            .unwrap_err();
        let StoreError::Untrusted { path: named, reason } = &failed else { panic!("{failed:?}") };
        assert_eq!(*named, fs::canonicalize(&path).unwrap());
        assert_eq!(*reason, "other users can write to it");
    }
}

#[test]
fn a_store_of_another_user_is_refused() {
    let scratch = Scratch::new();
    let own = scratch.make("cache");
    // Only root can give something away; for others everything of the system belongs to another.
    let foreign =
        if chown(&own, Some(65534), None).is_ok() { own.as_path() } else { Path::new("/usr") };
    for failed in [Store::open(foreign).err(), Store::find(foreign).err()] {
        let failed = failed.unwrap();
        assert_eq!(failed.code(), "store-untrusted");
        assert_eq!(failed.actual().unwrap(), "it belongs to another user");
    }
}

#[test]
fn a_link_in_the_place_of_a_directory_of_the_store_is_refused() {
    for place in ["store", "store/v1", "store/v1/files", "store/v1/files/sha256"] {
        let scratch = Scratch::new();
        put_file(&scratch.store(), b"text");
        let (path, aside) = (scratch.cache().join(place), scratch.path().join("aside"));
        fs::rename(&path, &aside).unwrap();
        symlink(&aside, &path).unwrap();
        let failed = Store::open(&scratch.cache())
            .and_then(|store| store.get_file(&Digest::of(b"text")))
            .unwrap_err();
        assert_eq!(failed.code(), "store-untrusted", "{place}: {failed:?}");
    }
    // The cache directory itself is where the user wants it.
    let scratch = Scratch::new();
    let elsewhere = scratch.make("elsewhere");
    symlink(&elsewhere, scratch.cache()).unwrap();
    let stored = put_file(&scratch.store(), b"text");
    let elsewhere = fs::canonicalize(elsewhere).unwrap();
    assert!(stored.path().starts_with(elsewhere), "{}", stored.path().display());
}

#[test]
fn one_entry_is_removed_unless_it_is_in_use() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let key = EntryKey::Tree(tree_key(1));
    assert_eq!(store.remove(&key).unwrap(), RemovalOutcome::Absent);
    let used = put_tree(&store, 1, 100);
    let other = EntryKey::File(*put_file(&store, b"other").digest());
    assert_eq!(store.remove(&key).unwrap(), RemovalOutcome::InUse);
    drop(used);
    assert_eq!(store.remove(&key).unwrap(), RemovalOutcome::Removed);
    assert_eq!(store.remove(&key).unwrap(), RemovalOutcome::Absent);
    let left: Vec<EntryKey> = store.entries().unwrap().iter().map(|entry| entry.key).collect();
    assert_eq!(left, [other]);
    // A directory that is no entry, in the place of one.
    fs::create_dir_all(scratch.entry(&key)).unwrap();
    assert_eq!(store.remove(&key).unwrap(), RemovalOutcome::Removed);
    assert!(!scratch.entry(&key).exists());
}
