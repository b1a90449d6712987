//! Entries that something else has modified: each is refused by its own facts, evicted, and can be stored anew.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs::{self, File, Permissions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use facets_digest::{Digest, NoProgress};
use facets_failure::Describe;
use facets_store::{
    CheckedBy, EntryKey, FileMode, Store, StoreError, TreePart, TreePin, TreeWriter,
};
use support::{Scratch, bytes, put_file, put_tree, read, tree_key};

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Does something to a sealed file or directory, and seals it again.
fn unsealed(path: &Path, act: impl FnOnce(&Path)) {
    let before = fs::symlink_metadata(path).unwrap().permissions();
    mode(path, 0o700);
    act(path);
    fs::set_permissions(path, before).unwrap();
}

/// Changes one byte in the middle, and nothing else that a program can keep as it was.
fn flip(path: &Path) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    unsealed(path, |path| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        let mut file = File::options().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(middle as u64)).unwrap();
        file.write_all(&bytes[middle..=middle]).unwrap();
        file.set_modified(modified).unwrap();
    });
}

type Tampering = (&'static str, fn(&Path));

const FILE: [Tampering; 11] = [
    ("a byte", |entry| flip(&entry.join("content"))),
    ("shorter", |entry| {
        unsealed(&entry.join("content"), |path| {
            File::options().write(true).open(path).unwrap().set_len(9).unwrap();
        });
    }),
    ("longer", |entry| {
        unsealed(&entry.join("content"), |path| {
            File::options().append(true).open(path).unwrap().write_all(b"x").unwrap();
        });
    }),
    ("writable", |entry| mode(&entry.join("content"), 0o644)),
    ("as another user", |entry| mode(&entry.join("content"), 0o4444)),
    ("unreadable", |entry| mode(&entry.join("content"), 0)),
    ("gone", |entry| fs::remove_file(entry.join("content")).unwrap()),
    ("a link", |entry| {
        fs::rename(entry.join("content"), entry.join("aside")).unwrap();
        symlink("aside", entry.join("content")).unwrap();
    }),
    ("a directory", |entry| {
        fs::remove_file(entry.join("content")).unwrap();
        fs::create_dir(entry.join("content")).unwrap();
    }),
    ("a second name", |entry| {
        fs::hard_link(entry.join("content"), entry.join("twin")).unwrap();
    }),
    ("no lock", |entry| fs::remove_file(entry.join("used")).unwrap()),
];

const PLACES: [Tampering; 3] = [
    ("a file in its place", |entry| {
        fs::remove_dir_all(entry).unwrap();
        fs::write(entry, "").unwrap();
    }),
    ("a link in its place", |entry| {
        let aside = entry.with_extension("aside");
        if aside.exists() {
            unlocked_removal(&aside);
        }
        fs::rename(entry, &aside).unwrap();
        symlink(aside, entry).unwrap();
    }),
    ("nothing in its place", |entry| {
        unlocked_removal(entry);
        fs::create_dir(entry).unwrap();
    }),
];

/// Sealed directories have to be opened first.
fn unlocked_removal(entry: &Path) {
    fn unlock(path: &Path) {
        mode(path, 0o700);
        for inner in fs::read_dir(path).unwrap().flatten() {
            if inner.file_type().unwrap().is_dir() {
                unlock(&inner.path());
            }
        }
    }
    unlock(entry);
    fs::remove_dir_all(entry).unwrap();
}

const TREE: [Tampering; 14] = [
    ("a byte", |entry| flip(&entry.join("tree/index.js"))),
    ("a byte of a file in a directory", |entry| flip(&entry.join("tree/lib/inner/data"))),
    ("executable", |entry| mode(&entry.join("tree/index.js"), 0o555)),
    ("not executable", |entry| mode(&entry.join("tree/bin/run"), 0o444)),
    ("a writable directory", |entry| mode(&entry.join("tree/lib"), 0o755)),
    ("a writable tree", |entry| mode(&entry.join("tree"), 0o755)),
    ("a file more", |entry| {
        unsealed(&entry.join("tree/lib/empty"), |path| fs::write(path.join("x"), "").unwrap());
    }),
    ("a file more at the top", |entry| {
        unsealed(&entry.join("tree"), |path| fs::write(path.join(".env"), "").unwrap());
    }),
    ("a file less", |entry| {
        unsealed(&entry.join("tree/bin"), |path| fs::remove_file(path.join("run")).unwrap());
    }),
    ("a directory less", |entry| {
        unsealed(&entry.join("tree/lib"), |path| fs::remove_dir(path.join("empty")).unwrap());
    }),
    ("a link to the same bytes", |entry| {
        unsealed(&entry.join("tree"), |path| {
            fs::rename(path.join("index.js"), path.join("../aside")).unwrap();
            symlink("../aside", path.join("index.js")).unwrap();
        });
    }),
    ("a link to the same directory", |entry| {
        mode(&entry.join("tree/bin"), 0o755);
        unsealed(&entry.join("tree"), |path| {
            fs::rename(path.join("bin"), path.join("../aside")).unwrap();
            symlink("../aside", path.join("bin")).unwrap();
        });
        mode(&entry.join("aside"), 0o555);
    }),
    ("a byte of the manifest", |entry| flip(&entry.join("manifest"))),
    ("no tree", |entry| {
        mode(&entry.join("tree"), 0o755);
        fs::rename(entry.join("tree"), entry.join("aside")).unwrap();
    }),
];

/// The entry is refused once, then it is not there, then it can be stored anew.
fn refused_then_absent<T: std::fmt::Debug>(
    case: &str,
    get: impl Fn() -> Result<Option<T>, StoreError>,
) {
    let failed = get().unwrap_err();
    assert_eq!(failed.code(), "store-tampered", "{case}: {failed:?}");
    let failure = failed.describe();
    assert!(failure.file.is_some() && failure.expected != failure.actual, "{case}: {failure:?}");
    assert!(get().unwrap().is_none(), "{case}");
}

#[test]
fn a_file_that_was_modified_is_evicted_and_can_be_stored_again() {
    let content = bytes(1, 1000);
    let digest = Digest::of(&content);
    for (case, tamper) in FILE.into_iter().chain(PLACES) {
        let scratch = Scratch::new();
        let store = scratch.store();
        drop(put_file(&store, &content));
        tamper(&scratch.entry(&EntryKey::File(digest)));
        refused_then_absent(case, || store.get_file(&digest));
        assert!(scratch.temporary().is_empty(), "{case}: {:?}", scratch.temporary());
        assert_eq!(read(&put_file(&store, &content)), content, "{case}");
        // Storing it finds the same.
        drop(store.get_file(&digest).unwrap());
        tamper(&scratch.entry(&EntryKey::File(digest)));
        assert_eq!(read(&put_file(&store, &content)), content, "{case}");
        assert!(store.verify(&NoProgress).unwrap().iter().all(|one| one.problem.is_none()));
    }
}

#[test]
fn a_tree_that_was_modified_is_evicted_and_can_be_stored_again() {
    // A lock that is gone is the same for both kinds.
    for (case, tamper) in TREE.into_iter().chain(PLACES.into_iter().skip(1)) {
        let scratch = Scratch::new();
        let store = scratch.store();
        drop(put_tree(&store, 1, 1000));
        let entry = scratch.entry(&EntryKey::Tree(tree_key(1)));
        tamper(&entry);
        refused_then_absent(case, || store.get_tree(&tree_key(1), TreePin::AsStored));
        assert!(scratch.temporary().is_empty(), "{case}: {:?}", scratch.temporary());
        drop(put_tree(&store, 1, 1000));
        tamper(&entry);
        drop(put_tree(&store, 1, 1000));
        assert!(store.verify(&NoProgress).unwrap().iter().all(|one| one.problem.is_none()));
    }
}

/// A program that can write to the store can replace a tree together with its manifest: only a pin tells.
#[test]
fn a_tree_that_was_replaced_with_its_manifest_is_found_by_its_pin() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let pinned = *put_tree(&store, 1, 10).digest();
    let forged = |tree: &mut TreeWriter<'_>| tree.file("x", FileMode::Plain, &b""[..]).map(drop);
    drop(store.put_tree(&tree_key(1), TreePin::AsStored, forged).unwrap());
    assert!(store.get_tree(&tree_key(1), TreePin::AsStored).unwrap().is_some());
    let refused = store.get_tree(&tree_key(1), TreePin::Digest(pinned)).unwrap_err();
    assert_eq!(refused.code(), "store-mismatch");
    assert_eq!(*put_tree(&store, 1, 10).digest(), pinned);
    assert!(store.get_tree(&tree_key(1), TreePin::Digest(pinned)).unwrap().is_some());
}

/// The paths and all bytes of a tree, if there is a note about it and an archive.
fn read_noted(store: &Store, archive: &Digest) -> Option<(Vec<String>, Vec<u8>)> {
    let (mut paths, mut content) = (Vec::new(), Vec::new());
    let is_read = store.read_noted_tree(&tree_key(1), archive, |part| match part {
        TreePart::File { path, size, mode } => paths.push(format!("{path} {size} {mode:?}")),
        TreePart::Content(bytes) => content.extend_from_slice(bytes),
    });
    is_read.then_some((paths, content))
}

#[test]
fn a_tree_is_read_in_order_only_if_it_is_noted_of_which_archive_it_is() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let (archive, other) = (Digest::of(b"archive"), Digest::of(b"another"));
    assert_eq!(read_noted(&store, &archive), None, "there is no tree");
    let tree = put_tree(&store, 1, 1000);
    assert_eq!(read_noted(&store, &archive), None, "there is no note");
    store.note_origin(&tree, &archive);
    let (paths, content) = read_noted(&store, &archive).unwrap();
    let known = ["bin/run 10 Executable", "index.js 1008 Plain", "lib/inner/data 508 Plain"];
    assert_eq!(paths, known);
    assert_eq!(content, [&b"#!/bin/sh\n"[..], &bytes(1, 1000), &bytes(2, 500)].concat());
    assert_eq!(read_noted(&store, &other), None, "the note is about another archive");
}

#[test]
fn a_noted_tree_that_was_modified_is_not_read_or_gives_other_bytes() {
    let archive = Digest::of(b"archive");
    for (case, tamper) in TREE.into_iter().chain(PLACES.into_iter().skip(1)) {
        let scratch = Scratch::new();
        let store = scratch.store();
        store.note_origin(&put_tree(&store, 1, 1000), &archive);
        let intact = read_noted(&store, &archive).unwrap();
        tamper(&scratch.entry(&EntryKey::Tree(tree_key(1))));
        match read_noted(&store, &archive) {
            Some(found) => assert!(case.starts_with("a byte") && found != intact, "{case}"),
            None => assert!(!case.starts_with("a byte of a file"), "{case}"),
        }
    }
}

#[test]
fn verifying_reports_each_entry_and_evicts_what_was_modified() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = EntryKey::File(*put_file(&store, &bytes(1, 100)).digest());
    let intact = EntryKey::File(*put_file(&store, &bytes(2, 100)).digest());
    let tree = EntryKey::Tree(tree_key(3));
    drop(put_tree(&store, 3, 100));
    flip(&scratch.entry(&file).join("content"));
    flip(&scratch.entry(&tree).join("tree/index.js"));
    let verdicts = store.verify(&NoProgress).unwrap();
    let code = |key: &EntryKey| {
        let verdict = verdicts.iter().find(|verdict| verdict.key == *key).unwrap();
        verdict.problem.as_ref().map(Describe::code)
    };
    assert_eq!(verdicts.len(), 3);
    assert_eq!(
        [&file, &tree, &intact].map(code),
        [Some("store-tampered"), Some("store-tampered"), None]
    );
    let left = store.verify(&NoProgress).unwrap();
    assert!(left.len() == 1 && left[0].problem.is_none(), "{left:?}");
}

#[test]
fn a_tree_that_is_swapped_after_the_check_does_not_start() {
    let swaps: [fn(&Path); 4] = [
        // The tree itself, by one with the same bytes.
        |entry| {
            mode(&entry.join("tree"), 0o755);
            fs::rename(entry.join("tree"), entry.join("aside")).unwrap();
            fs::create_dir(entry.join("tree")).unwrap();
            fs::copy(entry.join("aside/index.js"), entry.join("tree/index.js")).unwrap();
            mode(&entry.join("tree"), 0o555);
        },
        // The entry around it.
        |entry| {
            fs::rename(entry, entry.with_extension("aside")).unwrap();
            fs::create_dir_all(entry.join("tree")).unwrap();
        },
        // A byte in it.
        |entry| flip(&entry.join("tree/index.js")),
        // A name in it.
        |entry| {
            unsealed(&entry.join("tree/lib/empty"), |path| fs::write(path.join("x"), "").unwrap());
        },
    ];
    for (number, swap) in swaps.into_iter().enumerate() {
        let scratch = Scratch::new();
        let store = scratch.store();
        drop(put_tree(&store, 1, 1000));
        let tree = store.get_tree(&tree_key(1), TreePin::AsStored).unwrap().unwrap();
        tree.path_for_start().unwrap();
        swap(&scratch.entry(&EntryKey::Tree(tree_key(1))));
        let refused = tree.path_for_start().unwrap_err();
        assert_eq!(refused.code(), "store-swapped", "{number}");
        // The handle still leads to the verified files, unless they were modified themselves.
        let opened = tree.open("index.js");
        if number == 2 {
            assert_eq!(opened.unwrap_err().code(), "store-swapped");
        } else {
            let mut content = Vec::new();
            opened.unwrap().read_to_end(&mut content).unwrap();
            assert_eq!(content, bytes(1, 1000), "{number}");
        }
        assert!(tree.open("../manifest").is_err() && tree.open("lib").is_err());
    }
}

#[test]
fn a_swapped_parent_of_the_store_is_noticed() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let tree = put_tree(&store, 1, 10);
    fs::rename(scratch.cache(), scratch.path().join("aside")).unwrap();
    drop(put_tree(&scratch.store(), 1, 10));
    assert_eq!(tree.path_for_start().unwrap_err().code(), "store-swapped");
}

#[test]
fn a_file_that_is_written_to_after_the_check_is_noticed() {
    let scratch = Scratch::new();
    let file = put_file(&scratch.store(), &bytes(1, 1000));
    flip(file.path());
    assert_eq!(file.require_unmodified().unwrap_err().code(), "store-swapped");
}

/// Whether large trees are recorded where the tests run.
fn records(store: &Store) -> bool {
    store.get_tree(&tree_key(1), TreePin::AsStored).unwrap().unwrap().checked_by()
        == CheckedBy::StatRecord
}

#[test]
fn a_large_tree_is_hashed_once_and_again_after_every_change() {
    const SIZE: usize = 17 << 20;
    let scratch = Scratch::on_disk();
    let store = scratch.store();
    drop(put_tree(&store, 1, SIZE));
    let by = || {
        let tree = store.get_tree(&tree_key(1), TreePin::AsStored).unwrap().unwrap();
        tree.path_for_start().unwrap();
        tree.checked_by()
    };
    assert_eq!(
        by(),
        CheckedBy::Hash,
        "a file that was just written could be modified with the same time"
    );
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(by(), CheckedBy::Hash);
    if !records(&store) {
        // A file system whose times are not trusted: everything is hashed every time.
        return;
    }
    let hashed = store.get_tree_hashed(&tree_key(1), TreePin::AsStored, &NoProgress);
    assert_eq!(hashed.unwrap().unwrap().checked_by(), CheckedBy::Hash);
    assert_eq!(by(), CheckedBy::StatRecord);
    let entry = scratch.entry(&EntryKey::Tree(tree_key(1)));
    // Nothing is different, but the kernel saw a change.
    mode(&entry.join("tree/index.js"), 0o644);
    mode(&entry.join("tree/index.js"), 0o444);
    assert_eq!(by(), CheckedBy::Hash);
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(by(), CheckedBy::Hash);
    assert_eq!(by(), CheckedBy::StatRecord);
    // One byte, with the old time of modification.
    flip(&entry.join("tree/index.js"));
    let refused = store.get_tree(&tree_key(1), TreePin::AsStored).unwrap_err();
    assert_eq!(refused.code(), "store-tampered");
    assert!(!entry.exists());
}

#[test]
fn a_record_that_another_program_wrote_is_not_believed() {
    const SIZE: usize = 17 << 20;
    let scratch = Scratch::on_disk();
    let store = scratch.store();
    drop(put_tree(&store, 1, SIZE));
    let entry = scratch.entry(&EntryKey::Tree(tree_key(1)));
    flip(&entry.join("tree/lib/inner/data"));
    fs::write(entry.join("record"), format!("{}\n", Digest::of(b""))).unwrap();
    mode(&entry.join("record"), 0o600);
    let refused = store.get_tree(&tree_key(1), TreePin::AsStored).unwrap_err();
    assert_eq!(refused.code(), "store-tampered");
}
