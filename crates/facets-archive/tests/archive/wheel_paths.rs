//! Entries of wheels that are no plain files, and paths that lead out or mean two things.

use std::io::Cursor;
use std::slice;

use facets_archive::{ArchiveLimits, read_wheel};

use crate::support::code;
use crate::support::zip::{UTF8, ZipEntry, ZipFile};

fn read_entries(entries: &[ZipEntry]) -> &'static str {
    let bytes = ZipFile::of(entries).bytes();
    code(&read_wheel(&mut Cursor::new(bytes), &ArchiveLimits::SPEC))
}

#[test]
fn links_devices_and_programs_of_others_are_refused() {
    for (mode, expected) in [
        (0o120_777, "archive-entry-type"),
        (0o020_644, "archive-entry-type"),
        (0o010_644, "archive-entry-type"),
        (0o040_755, "archive-entry-type"),
        (0o104_755, "archive-mode"),
        (0o102_755, "archive-mode"),
    ] {
        assert_eq!(
            read_entries(&[ZipEntry { mode, ..ZipEntry::file("a", b"") }]),
            expected,
            "{mode:o}"
        );
    }
    let full = ZipEntry { content: b"x".to_vec(), ..ZipEntry::directory("a/") };
    assert_eq!(read_entries(&[full]), "archive-entry-type");
    let file = ZipEntry { mode: 0o100_644, ..ZipEntry::directory("a/") };
    assert_eq!(read_entries(&[file]), "archive-entry-type");
    let deflated = ZipEntry { method: 8, ..ZipEntry::directory("a/") };
    assert_eq!(read_entries(&[deflated]), "accepted", "nothing, compressed");
}

#[test]
fn paths_that_lead_out_or_mean_two_things_are_refused() {
    for (name, expected) in [
        ("../a", "archive-path-segment"),
        ("a/../../b", "archive-path-segment"),
        ("a//b", "archive-path-segment"),
        ("./a", "archive-path-segment"),
        ("/etc/passwd", "archive-path-absolute"),
        ("C:/a", "archive-path-absolute"),
        ("a\\b", "archive-path-backslash"),
        ("a\0.py", "archive-path-control"),
        ("NUL", "archive-path-device"),
        ("a.", "archive-path-trailing"),
        ("", "archive-path-empty"),
        ("/", "archive-path-empty"),
        ("../", "archive-path-segment"),
        ("a//", "archive-path-segment"),
    ] {
        let entry = match name.strip_suffix('/') {
            Some(_) => ZipEntry::directory(name),
            None => ZipEntry::file(name, b"x"),
        };
        assert_eq!(read_entries(&[entry]), expected, "{name:?}");
    }
    let long = "d/".repeat(600) + "f";
    assert_eq!(read_entries(&[ZipEntry::file(&long, b"")]), "archive-path-too-long");
}

#[test]
fn names_beyond_ascii_are_marked_as_utf8() {
    let accented = ZipEntry::file("é", b"");
    assert_eq!(read_entries(slice::from_ref(&accented)), "archive-path-not-utf8");
    assert_eq!(read_entries(&[ZipEntry { flags: UTF8, ..accented }]), "accepted");
    let latin = ZipEntry { name: vec![0xe9], flags: UTF8, ..ZipEntry::file("", b"") };
    assert_eq!(read_entries(&[latin]), "archive-path-not-utf8");
}

#[test]
fn paths_that_stand_twice_or_collide_are_refused() {
    for (one, other, expected) in [
        ("a", "a", "archive-duplicate"),
        ("a/b", "A/B", "archive-collision"),
        ("a/B", "a/b", "archive-collision"),
        ("a", "a/b", "archive-file-as-directory"),
        ("a/b", "a", "archive-file-as-directory"),
    ] {
        let files = [one, other].map(|name| ZipEntry::file(name, name.as_bytes()));
        assert_eq!(read_entries(&files), expected, "{one} {other}");
    }
    let both = [ZipEntry::directory("a/"), ZipEntry::file("a", b"")];
    assert_eq!(read_entries(&both), "archive-file-as-directory");
    let again = [ZipEntry::directory("a/"), ZipEntry::directory("a/"), ZipEntry::file("a/b", b"")];
    assert_eq!(read_entries(&again), "accepted");
}
