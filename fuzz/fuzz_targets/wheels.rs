//! Wheels of PyPI; the first byte says how the rest is given.
//!
//! What is accepted has harmless paths and stays within the limits, and its hash is that of the bytes. Whoever reads
//! it by its directory, and whoever goes through it from the beginning, sees the files that are handed on and no
//! other.

#![no_main]

mod zipped;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

use facets_archive::{
    ArchiveError, ArchiveLimits, WheelIndex, copy_wheel_file, read_wheel, visit_wheel,
};
use facets_digest::Digest;
use facets_model::collision_key;
use libfuzzer_sys::fuzz_target;
use zipped::{content, data_start, directory_start, entries, repair, with_directory};

/// So small that inputs of a few kilobytes reach them.
const LIMITS: ArchiveLimits = ArchiveLimits {
    entries: 16,
    path: 200,
    path_bytes: 1024,
    file: 64 << 10,
    total: 256 << 10,
    compressed: 256 << 10,
    ratio: 200,
    ratio_from: 32 << 10,
    kept: 0,
};

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    match first.wrapping_sub(b'0') % 3 {
        // As it is stored.
        0 => check_wheel(rest),
        // The same with the right checksums and sizes: hardly any mutation hits them.
        1 => check_wheel(&repair(rest)),
        // Headers and contents, to which a directory is written.
        _ => check_wheel(&with_directory(rest)),
    }
});

fn check_wheel(wheel: &[u8]) {
    let Some(index) = accepted(wheel) else { return };
    check_index(&index, wheel);
    let visited = visit(&index, wheel);
    check_files_of_directory(&visited, wheel);
    check_order_of_files(&index, wheel);
    for file in index.files.iter().take(2) {
        let (path, mut copy) = (file.path.as_str(), Vec::new());
        let copied = copy_wheel_file(&mut Cursor::new(wheel), path, &mut copy, &LIMITS);
        assert_eq!(copied.expect("what is accepted is copied"), index);
        assert_eq!(visited.get(path), Some(&copy));
    }
}

/// Reads twice; nothing if it is refused.
fn accepted(wheel: &[u8]) -> Option<WheelIndex> {
    let read = || read_wheel(&mut Cursor::new(wheel), &LIMITS).map_err(|error| error.to_string());
    let outcome = read();
    assert_eq!(outcome, read(), "the same bytes are read the same way");
    outcome.ok()
}

/// What holds for everything that is accepted (spec 4.5).
fn check_index(index: &WheelIndex, wheel: &[u8]) {
    assert_eq!(index.content_hash, Digest::of(wheel));
    assert_eq!(index.size, wheel.len() as u64);
    assert!(index.size <= LIMITS.compressed, "{index:?}");
    assert!(index.files.len() <= LIMITS.entries, "{index:?}");
    assert!(index.files.iter().all(|file| file.size <= LIMITS.file), "{index:?}");
    assert!(index.files.iter().map(|file| file.size).sum::<u64>() <= LIMITS.total, "{index:?}");
    let mut files = BTreeSet::new();
    for file in &index.files {
        check_path(file.path.as_str());
        assert!(files.insert(collision_key(file.path.as_str())), "{} collides", file.path);
    }
    let is_below =
        |key: &String| key.match_indices('/').any(|(end, _)| files.contains(&key[..end]));
    assert!(!files.iter().any(is_below), "a file lies in a file: {files:?}");
}

/// spec 2.6, written once more.
fn check_path(path: &str) {
    assert!(!path.is_empty() && path.len() <= LIMITS.path, "{path:?}");
    assert!(!path.starts_with('/') && path.as_bytes().get(1) != Some(&b':'), "{path:?}");
    let is_refused = |c: char| c.is_control() || "\\<>:\"|?*".contains(c);
    assert!(!path.contains(is_refused), "{path:?}");
    for segment in path.split('/') {
        assert!(!matches!(segment, "" | "." | ".."), "{path:?}");
        assert!(!segment.ends_with(['.', ' ']), "{path:?}");
    }
}

/// The files that are handed on: those of the index, in its order.
fn visit(index: &WheelIndex, wheel: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let (mut visited, mut order) = (BTreeMap::new(), Vec::new());
    let visit =
        visit_wheel::<ArchiveError>(&mut Cursor::new(wheel), &LIMITS, &mut |file, bytes| {
            assert_eq!((file.size, file.digest), (bytes.len() as u64, Digest::of(bytes)));
            visited.insert(file.path.to_string(), bytes.to_vec());
            order.push(file.clone());
            Ok(())
        });
    assert_eq!(visit.expect("what is accepted is visited"), *index);
    assert_eq!(order, index.files);
    visited
}

/// What a reader of the directory sees.
fn check_files_of_directory(visited: &BTreeMap<String, Vec<u8>>, wheel: &[u8]) {
    let files = entries(wheel).into_iter().filter(|entry| !entry.is_directory());
    let files: BTreeMap<String, Vec<u8>> = files
        .map(|entry| {
            let content = content(wheel, &entry).expect("what was accepted can be decompressed");
            (String::from_utf8(entry.name).expect("names are text"), content)
        })
        .collect();
    assert_eq!(files, *visited);
}

/// What a reader sees that goes from header to header: the same files, without anything between them.
fn check_order_of_files(index: &WheelIndex, wheel: &[u8]) {
    let mut listed = entries(wheel);
    listed.sort_by_key(|entry| entry.offset);
    let mut position = 0;
    let mut names = Vec::new();
    for entry in &listed {
        assert!(entry.offset == position || entry.offset == position + 4, "a gap at {position}");
        let start = data_start(wheel, entry.offset).expect("a header");
        let name = &wheel[entry.offset + 30..entry.offset + 30 + entry.name.len()];
        assert_eq!(name, entry.name);
        if !entry.is_directory() {
            names.push(String::from_utf8_lossy(name).into_owned());
        }
        // A descriptor has 12 bytes, or 16 with its signature.
        position = start + entry.compressed + if entry.flags & 8 == 0 { 0 } else { 12 };
    }
    let end = directory_start(wheel).expect("a directory");
    assert!(end == position || end == position + 4, "a gap at {position}");
    let files: Vec<String> = index.files.iter().map(|file| file.path.to_string()).collect();
    assert_eq!(names, files);
}
