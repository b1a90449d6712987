//! `facet cache`: the store as people see it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_store::{Store, StoreError, TreeKey, TreePin, TreeWriter};
use trusted::{Ran, Trusted};

struct Cached {
    trusted: Trusted,
}

impl Cached {
    fn new() -> Self {
        Self { trusted: Trusted::new() }
    }

    fn caches(&self) -> PathBuf {
        self.trusted.folder.path().join("caches")
    }

    fn store(&self) -> Store {
        Store::open(&self.caches().join("facet")).unwrap()
    }

    fn facet(&self, words: &[&str]) -> Ran {
        let mut command = self.trusted.command(words);
        Ran::of(&command.env("XDG_CACHE_HOME", self.caches()).output().unwrap())
    }
}

impl Drop for Cached {
    /// Sealed directories are more than `tempdir` removes.
    fn drop(&mut self) {
        if let Ok(Some(store)) = Store::find(&self.caches().join("facet")) {
            let _ = store.prune(0, &std::collections::BTreeSet::new());
        }
    }
}

fn put(store: &Store, bytes: &[u8]) -> PathBuf {
    store.put_file(&Digest::of(bytes), bytes).unwrap().path().to_owned()
}

fn put_tree(store: &Store) {
    let filled = |tree: &mut TreeWriter<'_>| -> Result<(), StoreError> {
        tree.file("index.js", facets_store::FileMode::Plain, &b"text"[..]).map(drop)
    };
    let key = TreeKey::Server(Digest::of(b"archive"));
    drop(store.put_tree(&key, TreePin::AsStored, filled).unwrap());
}

#[test]
fn a_store_that_is_not_there_is_empty_and_not_made() {
    let cached = Cached::new();
    let list = cached.facet(&["cache"]).exits(0);
    assert_eq!((list.out.as_str(), list.talk.as_str()), ("", "the store is empty\n"));
    assert_eq!(cached.facet(&["cache", "verify"]).exits(0).out, "0 entries are intact\n");
    assert_eq!(cached.facet(&["cache", "prune"]).exits(0).out, "");
    assert!(!cached.caches().exists());
}

#[test]
fn entries_are_listed_verified_and_pruned() {
    let cached = Cached::new();
    let store = cached.store();
    let path = put(&store, b"text");
    put_tree(&store);
    let list = cached.facet(&["cache", "list"]).exits(0);
    let digest = Digest::of(b"text").to_string();
    let line = list.out.lines().find(|line| line.contains(&digest)).unwrap();
    assert!(line.starts_with("file ") && line.contains("used 2"), "{list:?}");
    assert!(list.talk.starts_with("2 entries, "), "{list:?}");
    assert_eq!(cached.facet(&["cache", "list", "--quiet"]).exits(0).talk, "");
    assert_eq!(cached.facet(&["cache", "verify"]).exits(0).out, "2 entries are intact\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&path, "test").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let verified = cached.facet(&["cache", "verify"]).exits(1);
    assert!(verified.out.contains("[store-tampered]"), "{verified:?}");
    assert!(verified.out.contains(&digest), "{verified:?}");
    assert!(verified.out.ends_with("1 entry is intact\n"), "{verified:?}");
    assert!(!path.exists());
    let pruned = cached.facet(&["cache", "prune", "--max-size", "1M"]).exits(0);
    assert!(pruned.talk.starts_with("nothing to remove: "), "{pruned:?}");
    let pruned = cached.facet(&["cache", "prune", "--max-size", "0"]).exits(0);
    assert!(pruned.out.starts_with("removed server sha256:"), "{pruned:?}");
    assert_eq!(pruned.talk, "kept 0 bytes\n");
    assert_eq!(cached.facet(&["cache"]).exits(0).talk, "the store is empty\n");
}

#[test]
fn an_entry_in_use_is_shown_and_kept() {
    let cached = Cached::new();
    let store = cached.store();
    let used = store.put_file(&Digest::of(b"text"), &b"text"[..]).unwrap();
    assert!(cached.facet(&["cache"]).exits(0).out.contains(", in use"));
    let pruned = cached.facet(&["cache", "prune", "--max-size", "0"]).exits(0);
    assert!(pruned.talk.ends_with("these entries are in use or approved\n"), "{pruned:?}");
    drop(used);
    let pruned = cached.facet(&["cache", "prune", "--max-size", "0"]).exits(0);
    assert_eq!(pruned.out.lines().count(), 1, "{pruned:?}");
}

#[test]
fn a_store_that_a_project_brings_along_is_refused_also_without_a_repository() {
    let cached = Cached::new();
    let project = cached.trusted.project();
    let inside = project.join("sub");
    fs::create_dir(&inside).unwrap();
    let run = |folder: &Path| {
        let mut command = cached.trusted.command(&["cache", "list"]);
        command.current_dir(folder).env("XDG_CACHE_HOME", project.join("caches"));
        Ran::of(&command.output().unwrap())
    };
    run(&project).exits(0);
    fs::write(project.join("facets.lock"), "{}").unwrap();
    for folder in [&project, &inside] {
        let refused = run(folder).exits(2);
        assert!(refused.talk.contains("[store-untrusted]"), "{refused:?}");
    }
}

#[test]
fn a_store_that_a_repository_brings_along_is_refused() {
    let cached = Cached::new();
    let project = cached.trusted.project();
    fs::create_dir(project.join(".git")).unwrap();
    let run = |caches: PathBuf| {
        let mut command = cached.trusted.command(&["cache", "list"]);
        Ran::of(&command.env("XDG_CACHE_HOME", caches).output().unwrap())
    };
    let refused = run(project.join("caches")).exits(2);
    assert!(refused.talk.contains("[store-untrusted]"), "{refused:?}");
    run(cached.caches()).exits(0);
}
