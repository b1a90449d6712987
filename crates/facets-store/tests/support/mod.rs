//! A store in a directory of its own, and things to put into it.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of this")]

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use facets_digest::Digest;
use facets_store::{
    EntryKey, FileMode, Store, StoreError, StoredFile, StoredTree, TreeKey, TreePin, TreeWriter,
    Verified,
};

/// A cache directory that goes with everything in it, sealed trees included.
pub struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// On the disk of the source tree: `/tmp` may have a file system in memory.
    pub fn on_disk() -> Self {
        Self { folder: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn cache(&self) -> PathBuf {
        self.path().join("cache")
    }

    /// Makes a directory for this user alone, whatever the umask is.
    pub fn make(&self, name: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::DirBuilder::new().mode(0o700).create(&path).unwrap();
        path
    }

    pub fn store(&self) -> Store {
        Store::open(&self.cache()).unwrap()
    }

    /// The names in the temporary directory.
    pub fn temporary(&self) -> Vec<String> {
        let names = fs::read_dir(self.cache().join("store/v1/tmp")).into_iter().flatten().flatten();
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Where an entry lies.
    pub fn entry(&self, key: &EntryKey) -> PathBuf {
        let hex = key.digest().hex();
        let kind = format!("store/v1/{}s/sha256", key.kind());
        self.cache().join(kind).join(&hex[..2]).join(&hex[2..])
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        unlock(self.folder.path());
    }
}

/// Lets `tempdir` remove sealed directories.
fn unlock(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            unlock(&entry.path());
        }
    }
}

/// Bytes of any size, of which no two numbers have the same.
pub fn bytes(number: usize, size: usize) -> Vec<u8> {
    let mut bytes = number.to_le_bytes().to_vec();
    let low = bytes[0];
    let pattern: Vec<u8> = (0..=255).map(|byte: u8| byte ^ low).collect();
    bytes.extend(pattern.repeat(size / pattern.len() + 1));
    bytes.truncate(8 + size);
    bytes
}

pub fn put_file(store: &Store, bytes: &[u8]) -> Verified<StoredFile> {
    store.put_file(&Digest::of(bytes), bytes).unwrap()
}

pub fn read(file: &Verified<StoredFile>) -> Vec<u8> {
    let mut bytes = Vec::new();
    (&**file).read_to_end(&mut bytes).unwrap();
    bytes
}

/// The key of the tree of a number.
pub fn tree_key(number: usize) -> TreeKey {
    TreeKey::Server(Digest::of(format!("tree {number}").as_bytes()))
}

/// Fills the tree of a number: a file, a program, a directory in a directory, an empty one.
pub fn fill(tree: &mut TreeWriter<'_>, number: usize, size: usize) -> Result<(), StoreError> {
    tree.file("index.js", FileMode::Plain, &bytes(number, size)[..])?;
    tree.file("bin/run", FileMode::Executable, &b"#!/bin/sh\n"[..])?;
    tree.file("lib/inner/data", FileMode::Plain, &bytes(number + 1, size / 2)[..])?;
    tree.directory("lib/empty")
}

pub fn put_tree(store: &Store, number: usize, size: usize) -> Verified<StoredTree> {
    let filled = |tree: &mut TreeWriter<'_>| fill(tree, number, size);
    store.put_tree(&tree_key(number), TreePin::AsStored, filled).unwrap()
}

/// This test program again, with one of its tests that waits for that.
pub fn again(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(words(test));
    command
}

/// How this program is told to run that test.
pub fn words(test: &str) -> [String; 4] {
    ["--exact", test, "--ignored", "--nocapture"].map(str::to_owned)
}
