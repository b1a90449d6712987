//! How much a wheel may ask of its reader.

use std::io::Cursor;

use facets_archive::{ArchiveLimits, read_wheel};

use crate::support::code;
use crate::support::zip::{ZipEntry, ZipFile};

const LIMITS: ArchiveLimits = ArchiveLimits {
    entries: 4,
    path: 20,
    path_bytes: 40,
    file: 1000,
    total: 4000,
    compressed: 3000,
    ratio: 5,
    ratio_from: 2500,
    kept: 0,
};

fn read(entries: &[ZipEntry]) -> &'static str {
    let bytes = ZipFile::of(entries).bytes();
    code(&read_wheel(&mut Cursor::new(bytes), &LIMITS))
}

/// Does not compress.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}

fn names(names: &[&str]) -> Vec<ZipEntry> {
    names.iter().map(|name| ZipEntry::file(name, b"")).collect()
}

#[test]
fn entries_and_paths_are_limited() {
    assert_eq!(read(&names(&["1", "2", "3", "4"])), "accepted");
    assert_eq!(read(&names(&["1", "2", "3", "4", "5"])), "archive-too-many-entries");
    let directories = ["1/", "2/", "3/", "4/", "5/"].map(ZipEntry::directory);
    assert_eq!(read(&directories), "archive-too-many-entries");
    let longest = "p".repeat(20);
    assert_eq!(read(&names(&[&longest])), "accepted");
    assert_eq!(read(&names(&["p", &longest, &"q".repeat(19)])), "accepted");
    assert_eq!(read(&names(&["p", &longest, &"q".repeat(20)])), "archive-too-many-entries");
    assert_eq!(read(&names(&["pp", &longest, &"q".repeat(19)])), "archive-too-many-entries");
    assert_eq!(read(&names(&[&"p".repeat(21)])), "archive-path-too-long");
    assert_eq!(read(&[ZipEntry::directory(&format!("{longest}/"))]), "accepted");
}

#[test]
fn files_and_their_sum_are_limited() {
    let file = |name: &str, length: usize| ZipEntry::file(name, &noise(length));
    assert_eq!(read(&[file("a", 1000)]), "accepted");
    assert_eq!(read(&[file("a", 1001)]), "archive-file-too-large");
    // The size of the directory counts, whatever comes out.
    let mut lying = file("a", 10).patch_both(22, &1001_u32.to_le_bytes());
    assert_eq!(read(&[lying.clone()]), "archive-file-too-large");
    lying = file("a", 10).patch_both(22, &1000_u32.to_le_bytes());
    assert_eq!(read(&[lying]), "archive-zip-size");
    let stored = |name: &str, length: usize| ZipEntry::stored(name, &noise(length));
    // Each entry has 30 + 1 + 46 + 1 bytes around it, and the end 22.
    let around = 3 * 78 + 22;
    let fits = [stored("a", 1000), stored("b", 1000), stored("c", 1000 - around)];
    assert_eq!(read(&fits), "accepted");
    let larger = [stored("a", 1000), stored("b", 1000), stored("c", 1001 - around)];
    assert_eq!(read(&larger), "archive-too-large");
}

#[test]
fn the_sum_counts_what_comes_out_and_everything_around_it() {
    let around = 4 * 78 + 22;
    let with_last = |length: usize| {
        let file = |name: &str| ZipEntry::file(name, &noise(500).repeat(2));
        let limits = ArchiveLimits { ratio_from: u64::MAX, ..LIMITS };
        let last = ZipEntry::file("d", &noise(length));
        let bytes = ZipFile::of(&[file("a"), file("b"), file("c"), last]).bytes();
        code(&read_wheel(&mut Cursor::new(bytes), &limits))
    };
    assert_eq!(with_last(1000 - around), "accepted");
    assert_eq!(with_last(1001 - around), "archive-too-large");
}

#[test]
fn what_expands_too_much_is_refused_while_it_expands() {
    let zeros = |name: &str| ZipEntry::file(name, &[0; 1000]);
    assert_eq!(read(&[zeros("a"), zeros("b")]), "accepted");
    assert_eq!(read(&[zeros("a"), zeros("b"), zeros("c")]), "archive-ratio");
    let behind_noise = [ZipEntry::file("n", &noise(600)), zeros("a"), zeros("b"), zeros("c")];
    assert_eq!(read(&behind_noise), "accepted", "the ratio is that of all files so far");
}

#[test]
fn a_bomb_is_refused_by_the_limits_of_the_specification() {
    let zeros = ZipEntry::file("zeros", &vec![0; 65 << 20]);
    let bytes = ZipFile::of(&[zeros]).bytes();
    assert!(bytes.len() < 100_000);
    let read = read_wheel(&mut Cursor::new(bytes), &ArchiveLimits::SPEC);
    assert_eq!(code(&read), "archive-ratio");
}
