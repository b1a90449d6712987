//! Disks that are full or read-only, and users who are not root.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use facets_digest::{Digest, NoProgress};
use facets_failure::Describe as _;
use facets_store::{FileMode, Store, StoreError, TreePin, TreeWriter};
use facets_testkit::{put_program, skip};
use support::{Scratch, bytes, fill, put_file, put_tree, read, tree_key, words};

/// What starts a program with mounts of its own, or a visible skip.
fn with_mounts() -> Option<Command> {
    let is_root = rustix::process::geteuid().is_root();
    let namespace: &[&str] =
        if is_root { &["--mount"] } else { &["--user", "--map-root-user", "--mount"] };
    let probe = "mount -t tmpfs none /mnt";
    let can = Command::new("unshare").args(namespace).args(["sh", "-c", probe]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        skip("a file system cannot be mounted here");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(namespace);
    Some(command)
}

/// Runs a script, whose words are the cache directory and how to run one of the tests below.
fn run(mut command: Command, script: &str, scratch: &Scratch, test: &str) {
    scratch.make("cache");
    command.args(["sh", "-c", script, "sh"]).arg(scratch.cache());
    command.arg(std::env::current_exe().unwrap()).args(words(test));
    let output = command.env("STORE_CACHE", scratch.cache()).output().unwrap();
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, talk) = (shown(&output.stdout), shown(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{talk}");
}

fn cache() -> Option<PathBuf> {
    std::env::var_os("STORE_CACHE").map(PathBuf::from)
}

fn temporary(cache: &Path) -> usize {
    fs::read_dir(cache.join("store/v1/tmp")).unwrap().count()
}

#[test]
#[ignore = "started by another test, on a small disk"]
fn store_more_than_fits() {
    let Some(cache) = cache() else { return };
    let store = Store::open(&cache).unwrap();
    let small = bytes(1, 1000);
    drop(put_file(&store, &small));
    let large = bytes(2, 8 << 20);
    for _ in 0..3 {
        let failed = store.put_file(&Digest::of(&large), &large[..]).unwrap_err();
        assert_eq!(failed.code(), "store-full", "{failed:?}");
        let many = |tree: &mut TreeWriter<'_>| -> Result<(), StoreError> {
            for number in 0..1000 {
                let path = format!("{}/{number}", number % 7);
                tree.file(&path, FileMode::Plain, &bytes(number, 9000)[..])?;
            }
            Ok(())
        };
        let failed = store.put_tree(&tree_key(3), TreePin::AsStored, many).unwrap_err();
        assert_eq!(failed.code(), "store-full", "{failed:?}");
        assert_eq!(temporary(&cache), 0, "nothing is left of what did not fit");
    }
    assert_eq!(read(&store.get_file(&Digest::of(&small)).unwrap().unwrap()), small);
    assert_eq!(store.entries().unwrap().len(), 1);
    drop(put_tree(&store, 4, 1000));
    assert!(store.verify(&NoProgress).unwrap().iter().all(|one| one.problem.is_none()));
}

#[test]
fn a_full_disk_keeps_what_is_stored_and_nothing_of_what_is_not() {
    let Some(command) = with_mounts() else { return };
    let script = "mount -t tmpfs -o size=2m,mode=700 none \"$1\" && shift && exec \"$@\"";
    run(command, script, &Scratch::new(), "store_more_than_fits");
}

#[test]
#[ignore = "started by another test, on a disk that becomes read-only"]
fn use_a_read_only_store() {
    let Some(cache) = cache() else { return };
    if std::env::var_os("STORE_FILL").is_some() {
        let store = Store::open(&cache).unwrap();
        drop(put_file(&store, b"text"));
        drop(put_tree(&store, 1, 1000));
        return;
    }
    let store = Store::open(&cache).unwrap();
    let digest = Digest::of(b"text");
    assert_eq!(read(&store.get_file(&digest).unwrap().unwrap()), b"text");
    let tree = store.get_tree(&tree_key(1), TreePin::AsStored).unwrap().unwrap();
    tree.path_for_start().unwrap();
    drop(tree);
    assert_eq!(store.entries().unwrap().len(), 2);
    let refused = [
        store.put_file(&digest, &b"text"[..]).map(drop),
        store.put_tree(&tree_key(2), TreePin::AsStored, |tree| fill(tree, 2, 10)).map(drop),
        store.prune(0, &BTreeSet::new()).map(drop),
        Store::open(&cache.join("another")).map(drop),
    ];
    for (number, result) in refused.into_iter().enumerate() {
        let failed = result.unwrap_err();
        assert_eq!(failed.code(), "store-unwritable", "{number}: {failed:?}");
    }
    assert!(store.verify(&NoProgress).unwrap().iter().all(|one| one.problem.is_none()));
}

#[test]
fn a_read_only_disk_can_be_read_and_not_written() {
    let Some(command) = with_mounts() else { return };
    let script = "mount -t tmpfs -o size=2m,mode=700 none \"$1\" && cache=\"$1\" && shift && \
                  STORE_FILL=1 \"$@\" && mount -o remount,ro \"$cache\" && exec \"$@\"";
    run(command, script, &Scratch::new(), "use_a_read_only_store");
}

#[test]
#[ignore = "started by another test, as a user who is not root"]
fn live_as_an_ordinary_user() {
    let Some(cache) = cache() else { return };
    let failed = Store::open(&cache.join("../foreign")).unwrap_err();
    assert_eq!(failed.code(), "store-untrusted", "{failed:?}");
    let store = Store::open(&cache).unwrap();
    let content = bytes(1, 1000);
    drop(put_file(&store, &content));
    let tree = put_tree(&store, 2, 1000);
    let file = tree.path_for_start().unwrap().join("index.js");
    let refused = fs::write(&file, "other").unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
    fs::remove_file(&file).unwrap_err();
    assert_eq!(store.prune(0, &BTreeSet::new()).unwrap().removed.len(), 1);
    drop(tree);
    // Evicted though it is sealed.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let refused = store.get_tree(&tree_key(2), TreePin::AsStored).unwrap_err();
    assert_eq!(refused.code(), "store-tampered");
    assert_eq!((store.entries().unwrap().len(), temporary(&cache)), (0, 0));
    drop(put_tree(&store, 2, 1000));
    assert_eq!(store.prune(0, &BTreeSet::new()).unwrap().removed.len(), 1);
    assert_eq!(temporary(&cache), 0);
}

/// Root may do everything, so that it would not notice what an ordinary user may not.
#[test]
fn an_ordinary_user_can_do_all_of_it_and_not_use_the_store_of_another() {
    if !rustix::process::geteuid().is_root() {
        skip("only root can switch to another user");
        return;
    }
    let scratch = Scratch::new();
    let (program, foreign) = (scratch.path().join("test"), scratch.path().join("foreign"));
    put_program(&std::env::current_exe().unwrap(), &program);
    scratch.make("cache");
    scratch.make("foreign");
    for path in [scratch.path(), &foreign] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let given = Command::new("chown").arg("nobody").arg(scratch.cache()).status();
    assert!(given.unwrap().success());
    let mut command = Command::new("runuser");
    command.args(["-u", "nobody", "--"]).arg(&program).args(words("live_as_an_ordinary_user"));
    let output = command.env("STORE_CACHE", scratch.cache()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
}
