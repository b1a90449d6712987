//! Many processes at once.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::path::Path;
use std::process::Stdio;

use facets_digest::NoProgress;
use facets_store::Store;
use support::{Scratch, again, bytes, put_file, put_tree, read};

const SIZE: usize = 3 << 20;

/// Not a test of its own: one of the processes.
#[test]
#[ignore = "started by another test, ten times"]
fn store_the_same() {
    let Some(cache) = std::env::var_os("STORE_CACHE") else { return };
    let store = Store::open(Path::new(&cache)).unwrap();
    assert_eq!(read(&put_file(&store, &bytes(1, SIZE))), bytes(1, SIZE));
    put_tree(&store, 2, SIZE).path_for_start().unwrap();
}

#[test]
fn ten_processes_that_store_the_same_all_succeed_and_it_is_stored_once() {
    let scratch = Scratch::new();
    let start = |_: usize| {
        let mut command = again("store_the_same");
        command.env("STORE_CACHE", scratch.cache());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<_> = (0..10).map(start).collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let store = scratch.store();
    assert_eq!(store.entries().unwrap().len(), 2);
    assert!(store.verify(&NoProgress).unwrap().iter().all(|one| one.problem.is_none()));
    assert!(scratch.temporary().is_empty(), "{:?}", scratch.temporary());
}
