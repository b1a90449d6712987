//! Packages of npm, which others write.

use std::fs::{self, File};
use std::io::Cursor;
use std::os::fd::AsFd as _;
use std::os::unix::fs::PermissionsExt as _;

use facets_archive::{
    ArchiveLimits, EntryMode, ExpectedArtifact, copy_npm_file, read_npm_package, unpack_npm_package,
};
use facets_digest::Digest;

use crate::support::tar::{Entry, gzip, pax_records};
use crate::support::{code, listing};

fn package(entries: &[Entry]) -> Vec<u8> {
    let mut tar: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
    tar.resize(tar.len() + 1024, 0);
    gzip(&tar)
}

fn directory(name: &str) -> Entry {
    let mode = b"0000755\0".to_vec();
    Entry { flag: b'5', mode, ..Entry::file(name.as_bytes(), b"") }
}

/// As npm, yarn and pnpm write them, with everything that was seen in packages.
#[test]
fn packages_of_every_client_are_read() {
    let long = format!("package/{}/{}.js", "d".repeat(80), "f".repeat(80));
    let mut program = Entry::file(b"package/bin/run", b"#!/bin/sh\n");
    program.mode = b"000755 \0".to_vec();
    program.time = 499_162_500;
    let mut owned = Entry::file(b"package/package.json", b"{}");
    owned.patches.push((265, b"builder".to_vec()));
    owned.patches.push((116, b"0000024\0".to_vec()));
    let mut split = Entry::file(b"c.js", b"split");
    split.patches.push((345, b"package/a/b".to_vec()));
    split.patches.push((476, b"14601126412 14601126412 ".to_vec()));
    let mut gnu = Entry::file(b"package/gnu.js", b"");
    gnu.patches.push((257, b"ustar  \0".to_vec()));
    let mut records = Entry::file(b"PaxHeader", &pax_records(&[("path", &long), ("mtime", "1.5")]));
    records.flag = b'x';
    let mut comment = Entry::file(b"pax_global_header", &pax_records(&[("comment", "abc")]));
    comment.flag = b'g';
    let entries = [
        comment,
        directory("package/"),
        directory("package/empty"),
        owned,
        program,
        split,
        gnu,
        records,
        Entry::file(b"PaxHeader", b"long"),
        Entry::file(b"other-name/README", b"whatever the directory is called"),
    ];
    let bytes = package(&entries);
    let index = read_npm_package(bytes.as_slice(), &ArchiveLimits::SPEC).unwrap();
    assert_eq!(index.file("bin/run").unwrap().mode, EntryMode::Executable);
    assert_eq!(index.file("a/b/c.js").unwrap().digest, Digest::of(b"split"));
    assert_eq!(index.file(long.split_once('/').unwrap().1).unwrap().size, 4);
    assert_eq!(index.directories.len(), 1);
    let target = tempfile::tempdir().unwrap();
    let handle = File::open(target.path()).unwrap();
    let (expected, limits) = (ExpectedArtifact::default(), ArchiveLimits::SPEC);
    let mut archive = Cursor::new(&bytes);
    unpack_npm_package(&mut archive, &expected, handle.as_fd(), &limits).unwrap();
    let found = listing(target.path());
    assert!(found.contains(&"empty/".to_owned()) && found.contains(&"README".to_owned()));
    let program = fs::metadata(target.path().join("bin/run")).unwrap();
    assert_eq!(program.permissions().mode() & 0o7777, 0o555);
}

#[test]
fn a_header_with_the_name_of_a_file_is_read_and_one_that_does_not_end_is_not() {
    let plain = package(&[Entry::file(b"package/a", b"x")]);
    let with = |flags: u8, text: &[u8]| {
        let mut bytes = plain[..3].to_vec();
        bytes.push(flags);
        bytes.extend_from_slice(&plain[4..10]);
        bytes.extend_from_slice(text);
        bytes.extend_from_slice(&plain[10..]);
        code(&read_npm_package(bytes.as_slice(), &ArchiveLimits::SPEC))
    };
    assert_eq!(with(8, b"a.tar\0"), "accepted");
    assert_eq!(with(4 | 8 | 16, b"\x02\0xxname\0comment\0"), "accepted");
    assert_eq!(with(8, &[b'a'; 5000]), "archive-gzip-header");
    assert_eq!(with(2, b"\0\0"), "archive-gzip-header");
}

#[test]
fn a_file_as_large_as_a_runtime_is_within_the_limits() {
    // A hundred megabytes that hardly compress would be slow here; a tenth shows that the ratio counts bytes.
    let mut state = 1_u32;
    let content: Vec<u8> = (0..10 << 20)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_le_bytes()[3]
        })
        .collect();
    let bytes = package(&[Entry::file(b"package/bin/bun", &content)]);
    let limits = ArchiveLimits { ratio_from: 1 << 20, ..ArchiveLimits::SPEC };
    let index = read_npm_package(bytes.as_slice(), &limits).unwrap();
    assert_eq!(index.file("bin/bun").unwrap().digest, Digest::of(&content));
    let small = ArchiveLimits { file: 1 << 20, ..limits };
    assert_eq!(code(&read_npm_package(bytes.as_slice(), &small)), "archive-file-too-large");
    let small = ArchiveLimits { total: 1 << 20, ..limits };
    assert_eq!(code(&read_npm_package(bytes.as_slice(), &small)), "archive-too-large");
    let small = ArchiveLimits { compressed: 1 << 20, ..limits };
    assert_eq!(code(&read_npm_package(bytes.as_slice(), &small)), "archive-too-large");
}

#[test]
fn one_file_is_copied_while_the_whole_package_is_checked() {
    let bytes = package(&[
        Entry::file(b"package/bin/run", b"run"),
        Entry::file(b"package/lib/bin/run", b"other"),
    ]);
    let copied = |path: &str, expected: &ExpectedArtifact| {
        let mut copy = Vec::new();
        let limits = ArchiveLimits::SPEC;
        let index = copy_npm_file(bytes.as_slice(), path, &mut copy, expected, &limits);
        index.map(|index| (index.file(path).map(|file| file.size), copy))
    };
    let any = ExpectedArtifact::default();
    assert_eq!(copied("bin/run", &any).unwrap(), (Some(3), b"run".to_vec()));
    assert_eq!(copied("run", &any).unwrap(), (None, Vec::new()));
    let other = ExpectedArtifact { content_hash: Some(Digest::of(b"")), ..any };
    assert_eq!(code(&copied("bin/run", &other)), "archive-content-hash-mismatch");
}
