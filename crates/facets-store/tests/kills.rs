//! Processes that store, read and collect, killed at any moment: no entry is torn, none is lost.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use facets_digest::{Digest, NoProgress};
use facets_store::{EntryKey, Store, StoreError, TreePin, TreeWriter};
use facets_testkit::{Random, long_count};
use support::{Scratch, again, bytes, fill, read, tree_key};

/// Files and trees, each with a number of its own.
const NUMBERS: usize = 24;
/// Those below are never collected.
const PINNED: usize = 8;
/// Less than all entries have, so that there is always something to collect.
const BOUND: u64 = 400_000;

fn size(number: usize) -> usize {
    number * 7919 % 70_000
}

fn file_key(number: usize) -> EntryKey {
    EntryKey::File(Digest::of(&bytes(number, size(number))))
}

fn keep() -> BTreeSet<EntryKey> {
    let trees = (0..PINNED).map(|number| EntryKey::Tree(tree_key(number)));
    (0..PINNED).map(file_key).chain(trees).collect()
}

/// Not a test of its own: the process that is killed.
#[test]
#[ignore = "started by another test, which kills it"]
fn store_read_and_collect() {
    let Some(cache) = std::env::var_os("STORE_CACHE") else { return };
    let seed = std::env::var("STORE_SEED").unwrap().parse().unwrap();
    let mut said = File::options().append(true).open(Path::new(&cache).join("said")).unwrap();
    let store = Store::open(Path::new(&cache)).unwrap();
    let mut random = Random::seeded(seed);
    loop {
        let line = match step(&store, &mut random) {
            Ok(None) => continue,
            Ok(Some(line)) => line,
            Err(error) => format!("FAILED {error:?}"),
        };
        // One call, so that no line is torn.
        said.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

/// One operation. The line that it returns reports an entry that must not get lost.
fn step(store: &Store, random: &mut Random) -> Result<Option<String>, StoreError> {
    let number = random.below(NUMBERS);
    let content = bytes(number, size(number));
    let key = tree_key(number);
    Ok(match random.below(8) {
        0..=2 => {
            let stored = store.put_file(&Digest::of(&content), &content[..])?;
            assert_same(number, &read(&stored), &content);
            Some(format!("file {number}"))
        }
        3 | 4 => {
            let filled = |tree: &mut TreeWriter<'_>| fill(tree, number, size(number));
            store.put_tree(&key, TreePin::AsStored, filled)?.path_for_start()?;
            Some(format!("tree {number}"))
        }
        5 => {
            if let Some(found) = store.get_file(&Digest::of(&content))? {
                assert_same(number, &read(&found), &content);
            }
            None
        }
        6 => {
            if let Some(found) = store.get_tree(&key, TreePin::AsStored)? {
                found.path_for_start()?;
            }
            None
        }
        _ => {
            store.prune(BOUND, &keep())?;
            None
        }
    })
}

fn assert_same(number: usize, found: &[u8], expected: &[u8]) {
    assert!(found == expected, "{number} differs");
}

fn start(cache: &Path, seed: u64) -> Child {
    again("store_read_and_collect")
        .env("STORE_CACHE", cache)
        .env("STORE_SEED", seed.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Entries whose storing was reported and that are never collected must be there; all entries must be intact.
fn check(store: &Store, said: &str) {
    let verdicts = store.verify(&NoProgress).unwrap();
    let problems: Vec<_> = verdicts.iter().filter(|verdict| verdict.problem.is_some()).collect();
    assert!(problems.is_empty(), "{problems:?}");
    let here: BTreeSet<EntryKey> = verdicts.iter().map(|verdict| verdict.key).collect();
    for number in 0..PINNED {
        for (word, key) in [("file", file_key(number)), ("tree", EntryKey::Tree(tree_key(number)))]
        {
            let is_said = said.lines().any(|line| line == format!("{word} {number}"));
            assert!(!is_said || here.contains(&key), "{word} {number} is lost");
        }
    }
}

#[test]
fn a_kill_at_any_moment_leaves_whole_entries_and_loses_none() {
    let scratch = Scratch::new();
    let cache = scratch.make("cache");
    fs::write(cache.join("said"), "").unwrap();
    let store = scratch.store();
    let mut random = Random::seeded(11);
    let said = || fs::read_to_string(cache.join("said")).unwrap();
    let rounds = long_count(300);
    for round in 0..rounds {
        let mut children = [start(&cache, random.bits()), start(&cache, random.bits())];
        for child in &mut children {
            std::thread::sleep(Duration::from_micros(random.bits() % 60_000));
            assert!(child.try_wait().unwrap().is_none(), "round {round}: {}", said());
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let said = said();
        assert!(!said.contains("FAILED"), "round {round}: {said}");
        check(&store, &said);
    }
    // Everything that was left behind goes with the next process that stores or collects.
    store.prune(u64::MAX, &BTreeSet::new()).unwrap();
    assert!(scratch.temporary().is_empty(), "{:?}", scratch.temporary());
    let count = said().lines().count();
    assert!(count * 2 > rounds, "only {count} were stored: the kills come too early");
}
