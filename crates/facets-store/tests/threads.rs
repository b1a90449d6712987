//! Many threads of one process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::collections::BTreeSet;

use facets_digest::Digest;
use facets_store::TreePin;
use support::{Scratch, bytes, fill, put_file, read, tree_key};

/// Locks of files belong to handles, not to processes.
#[test]
fn threads_that_store_read_and_collect_do_not_disturb_each_other() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let work = |thread: usize| {
        for round in 0..6 {
            let number = (thread + round) % 4;
            let content = bytes(number, 20_000);
            assert_eq!(read(&put_file(&store, &content)), content);
            let key = tree_key(number);
            let filled = store.put_tree(&key, TreePin::AsStored, |tree| fill(tree, number, 9000));
            let tree = filled.unwrap();
            store.prune(0, &BTreeSet::new()).unwrap();
            tree.path_for_start().unwrap();
            if let Some(found) = store.get_file(&Digest::of(&content)).unwrap() {
                assert_eq!(read(&found), content);
            }
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || work(thread));
        }
    });
    store.prune(0, &BTreeSet::new()).unwrap();
    assert!(store.entries().unwrap().is_empty());
}
