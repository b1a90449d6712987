//! Files of packages, handed on with their content instead of being unpacked.

use std::fmt;
use std::io::Cursor;

use facets_archive::{
    ArchiveError, ArchiveIndex, ArchiveLimits, ArchivedFile, EntryMode, read_npm_package,
    visit_npm_package, visit_wheel,
};
use facets_digest::Digest;

use crate::support::code;
use crate::support::streams::Replaced;
use crate::support::tar::{Entry, gzip};
use crate::support::zip::{ZipEntry, ZipFile};

/// An error of a caller, who has others of its own.
enum CallerError {
    Archive(ArchiveError),
    Unwanted(String),
}

impl From<ArchiveError> for CallerError {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

impl fmt::Debug for CallerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(error) => write!(formatter, "archive: {error}"),
            Self::Unwanted(path) => write!(formatter, "unwanted: {path}"),
        }
    }
}

fn package(entries: &[Entry]) -> Vec<u8> {
    let mut tar: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
    tar.resize(tar.len() + 1024, 0);
    gzip(&tar)
}

fn example(second: &[u8]) -> Vec<u8> {
    let mode = b"0000755\0".to_vec();
    let program = Entry { mode: mode.clone(), ..Entry::file(b"package/bin/run", second) };
    package(&[
        Entry { flag: b'5', mode, ..Entry::file(b"package/", b"") },
        Entry::file(b"package/package.json", b"{}"),
        program,
        Entry::file(b"package/long", &b"long\n".repeat(100_000)),
        Entry::file(b"package/empty", b""),
    ])
}

fn keeping(kept: usize) -> ArchiveLimits {
    ArchiveLimits { kept, ..ArchiveLimits::SPEC }
}

type Visited = Vec<(ArchivedFile, Vec<u8>)>;

fn visit(bytes: &[u8], limits: &ArchiveLimits) -> (ArchiveIndex, Visited) {
    let mut visited = Vec::new();
    let mut archive = Cursor::new(bytes);
    // It is read from its beginning, wherever it stands.
    archive.set_position(7);
    let index = visit_npm_package::<ArchiveError>(&mut archive, limits, &mut |file, content| {
        assert_eq!(file.digest, Digest::of(content));
        visited.push((file.clone(), content.to_vec()));
        Ok(())
    });
    (index.unwrap(), visited)
}

#[test]
fn both_ways_to_visit_a_package_hand_on_the_same() {
    let bytes = example(b"run");
    let index = read_npm_package(bytes.as_slice(), &ArchiveLimits::SPEC).unwrap();
    let expected = visit(&bytes, &ArchiveLimits::SPEC);
    assert_eq!(expected.0, index);
    let files: Vec<ArchivedFile> = expected.1.iter().map(|(file, _)| file.clone()).collect();
    assert_eq!(files, index.files, "in the order of the archive");
    assert_eq!((expected.1[1].0.mode, &*expected.1[1].1), (EntryMode::Executable, &b"run"[..]));
    let size = usize::try_from(index.unpacked).unwrap();
    for kept in [0, size - 1, size] {
        assert!(visit(&bytes, &keeping(kept)) == expected, "{kept}");
    }
}

#[test]
fn nothing_is_handed_on_before_all_of_it_was_checked() {
    let link = Entry { flag: b'2', ..Entry::file(b"package/link", b"") };
    let hostile = package(&[Entry::file(b"package/a", b"content"), link]);
    let mut never = |file: &ArchivedFile, _: &[u8]| -> Result<(), ArchiveError> {
        panic!("{file:?} was handed on")
    };
    for kept in [0, 64 << 20] {
        let visited = visit_npm_package(&mut Cursor::new(&hostile), &keeping(kept), &mut never);
        assert_eq!(code(&visited), "archive-entry-type");
    }
    let mut link = ZipEntry::file("link", b"/etc/passwd");
    link.mode = 0o120_777;
    let hostile = ZipFile::of(&[ZipEntry::file("a", b"content"), link]).bytes();
    let visited = visit_wheel(&mut Cursor::new(&hostile), &ArchiveLimits::SPEC, &mut never);
    assert_eq!(code(&visited), "archive-entry-type");
}

#[test]
fn an_error_of_the_caller_ends_the_visit_and_is_returned() {
    let bytes = example(b"run");
    let wheel = ZipFile::of(&["a", "b", "c"].map(|name| ZipEntry::file(name, b""))).bytes();
    let mut taken = Vec::new();
    let mut take = |file: &ArchivedFile, _: &[u8]| {
        taken.push(file.path.to_string());
        match file.path.as_str() {
            path @ ("bin/run" | "b") => Err(CallerError::Unwanted(path.to_owned())),
            _ => Ok(()),
        }
    };
    for kept in [0, 64 << 20] {
        let visited = visit_npm_package(&mut Cursor::new(&bytes), &keeping(kept), &mut take);
        assert_eq!(format!("{visited:?}"), "Err(unwanted: bin/run)");
    }
    let visited = visit_wheel(&mut Cursor::new(&wheel), &ArchiveLimits::SPEC, &mut take);
    assert_eq!(format!("{visited:?}"), "Err(unwanted: b)");
    assert_eq!(taken, ["package.json", "bin/run", "package.json", "bin/run", "a", "b"]);
}

#[test]
fn a_package_that_changes_before_it_is_read_again_is_refused() {
    let bytes = example(b"run");
    let plain = Entry::file(b"package/bin/run", b"run");
    let first = Entry::file(b"package/package.json", b"{}");
    let cases = [
        (example(b"RUN"), 1),
        (example(b"other length"), 1),
        (package(&[first.clone(), plain]), 1),
        (package(&[Entry::file(b"package/other", b"{}")]), 0),
        (package(&[first]), 1),
        (package(&[]), 0),
    ];
    for (changed, expected) in cases {
        let mut taken = 0;
        let mut take = |_: &ArchivedFile, _: &[u8]| {
            taken += 1;
            Ok::<_, ArchiveError>(())
        };
        let mut replaced = Replaced::at_rewind(2, &bytes, &changed);
        let visited = visit_npm_package(&mut replaced, &keeping(0), &mut take);
        assert_eq!((code(&visited), taken), ("archive-changed", expected));
    }
    // What is kept cannot change.
    let mut replaced = Replaced::at_rewind(2, &bytes, b"");
    let mut take = |_: &ArchivedFile, _: &[u8]| Ok::<_, ArchiveError>(());
    assert!(visit_npm_package(&mut replaced, &ArchiveLimits::SPEC, &mut take).is_ok());
}

#[test]
fn a_package_that_gets_more_files_is_refused_before_they_are_handed_on() {
    let bytes = package(&[Entry::file(b"package/a", b"1")]);
    let more = package(&[Entry::file(b"package/a", b"1"), Entry::file(b"package/b", b"2")]);
    let mut taken = Vec::new();
    let mut take = |file: &ArchivedFile, _: &[u8]| {
        taken.push(file.path.to_string());
        Ok::<_, ArchiveError>(())
    };
    let mut replaced = Replaced::at_rewind(2, &bytes, &more);
    let visited = visit_npm_package(&mut replaced, &keeping(0), &mut take);
    assert_eq!((code(&visited), &*taken), ("archive-changed", &["a".to_owned()][..]));
}
