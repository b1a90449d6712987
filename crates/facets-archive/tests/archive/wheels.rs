//! Wheels of PyPI, which others write.

use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::process::Command;

use facets_archive::{
    ArchiveError, ArchiveLimits, EntryMode, WheelIndex, copy_wheel_file, read_wheel, visit_wheel,
};
use facets_digest::Digest;
use facets_testkit::component;

use crate::support::code;
use crate::support::streams::{Hesitant, Replaced, Unreadable};
use crate::support::zip::{UTF8, ZipEntry, ZipFile, extra_field};

const LIMITS: ArchiveLimits = ArchiveLimits::SPEC;

/// Path, whether it is a program, and content.
type Visited = (String, EntryMode, Vec<u8>);

fn read(bytes: &[u8]) -> Result<WheelIndex, ArchiveError> {
    read_wheel(&mut Cursor::new(bytes), &LIMITS)
}

fn visit(bytes: &[u8]) -> Vec<Visited> {
    let mut visited = Vec::new();
    let index =
        visit_wheel::<ArchiveError>(&mut Cursor::new(bytes), &LIMITS, &mut |file, bytes| {
            assert_eq!((file.size, file.digest), (bytes.len() as u64, Digest::of(bytes)));
            visited.push((file.path.to_string(), file.mode, bytes.to_vec()));
            Ok(())
        });
    assert_eq!(index.unwrap(), read(bytes).unwrap());
    visited
}

/// More than the window of the compression, and not all of it the same.
fn long_text() -> Vec<u8> {
    (0..60_000_u32).flat_map(|number| format!("line {number}\n").into_bytes()).collect()
}

/// With everything that was seen in wheels.
fn honest() -> ZipFile {
    let mut program = ZipEntry::file("demo-1.0.data/scripts/run", b"#!python\n");
    program.mode = 0o100_755;
    let mut on_windows = ZipEntry::file("demo/windows.py", b"pass\n");
    (on_windows.made_by, on_windows.mode) = (0x0014, 0o100_777);
    let mut untyped = ZipEntry::file("demo/untyped.py", b"pass\n");
    untyped.mode = 0o644;
    let mut accented = ZipEntry::file("demo/é.txt", b"");
    accented.flags = UTF8;
    let mut timed = ZipEntry::stored("demo/timed.py", b"stored");
    timed.extra = extra_field(0x5455, b"\x03\0\0\0\0\0\0\0\0");
    timed.directory_extra = extra_field(0x5455, b"\x01\0\0\0\0");
    ZipFile::of(&[
        ZipEntry::directory("demo/"),
        ZipEntry::file("demo/__init__.py", b""),
        ZipEntry::file("demo/long.txt", &long_text()),
        program,
        on_windows,
        untyped,
        accented,
        timed,
        ZipEntry::file("demo/streamed.py", b"import demo\n").with_descriptor(),
        ZipEntry::stored("demo-1.0.dist-info/RECORD", b"demo/__init__.py,,\n"),
    ])
}

#[test]
fn wheels_of_every_tool_are_read() {
    let bytes = honest().bytes();
    let index = read(&bytes).unwrap();
    assert_eq!(index.content_hash, Digest::of(&bytes));
    assert_eq!(index.size, bytes.len() as u64);
    let visited = visit(&bytes);
    assert_eq!(visited.len(), 9, "the directory is no file");
    assert_eq!(visited[1].2, long_text());
    let programs: Vec<&String> = visited
        .iter()
        .filter_map(|(path, mode, _)| (*mode == EntryMode::Executable).then_some(path))
        .collect();
    assert_eq!(programs, ["demo-1.0.data/scripts/run"]);
    assert_eq!(index.file("demo/é.txt").unwrap().size, 0);
    assert_eq!(index.file("demo"), None);
}

#[test]
fn a_wheel_without_files_is_read() {
    let bytes = ZipFile::default().bytes();
    assert_eq!(bytes.len(), 22);
    assert_eq!(read(&bytes).unwrap().files, []);
    assert_eq!(visit(&bytes), []);
}

/// Writes one wheel for each way that `zipfile` has, and prints its files as it reads them.
const PYTHON: &str = r#"
import hashlib, io, os, sys, zipfile

class Pipe(io.RawIOBase):
    """Cannot be rewound, so sizes follow the content."""
    def __init__(self, file): self.file = file
    def writable(self): return True
    def write(self, data): return self.file.write(data)

CONTENTS = {
    "demo/__init__.py": b"",
    "demo/text.py": b"import demo\n" * 9999,
    "demo/é.txt": "é".encode(),
    "demo/noise": hashlib.shake_128(b"").digest(300_000),
}
for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
    for zip64 in False, True:
        for piped in False, True:
            if zip64 and piped: continue
            path = os.path.join(sys.argv[1], f"{method}-{zip64}-{piped}.whl")
            with open(path, "wb") as file:
                with zipfile.ZipFile(Pipe(file) if piped else file, "w", method) as wheel:
                    for name, content in CONTENTS.items():
                        info = zipfile.ZipInfo(name)
                        info.compress_type = method
                        with wheel.open(info, "w", force_zip64=zip64) as output:
                            output.write(content)
            with zipfile.ZipFile(path) as wheel:
                for info in wheel.infolist():
                    digest = hashlib.sha256(wheel.read(info)).hexdigest()
                    print(path, f"sha256:{digest}", info.filename)
"#;

#[test]
fn wheels_that_python_writes_are_read_as_python_reads_them() {
    let Some(python) = component("python3") else { return };
    let place = tempfile::tempdir().unwrap();
    let output =
        Command::new(python).args(["-X", "utf8", "-c", PYTHON]).arg(place.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = String::from_utf8(output.stdout).unwrap();
    let paths: BTreeSet<&str> =
        expected.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(paths.len(), 6);
    for path in paths {
        let bytes = fs::read(path).unwrap();
        let lines = visit(&bytes)
            .into_iter()
            .map(|(name, _, content)| format!("{path} {} {name}", Digest::of(&content)));
        let expected = expected.lines().filter(|line| line.starts_with(path));
        assert!(expected.eq(lines), "{path}");
    }
}

/// As `zipfile` of Python writes an entry whose size it did not know, to a file and to a pipe, and others.
#[test]
fn numbers_may_stand_in_any_place_if_all_places_agree() {
    let plain = ZipEntry::file("a", b"content");
    let sizes = [7_u64.to_le_bytes(), (plain.data().len() as u64).to_le_bytes()].concat();
    let mut twice = plain.clone();
    twice.extra = extra_field(1, &sizes);
    let mut only_in_zip64 = twice.clone();
    only_in_zip64.patches = vec![(4, vec![45, 0]), (18, vec![0xff; 8])];
    let streamed = plain.clone().with_descriptor();
    let mut no_signature = streamed.clone();
    no_signature.behind.drain(..4);
    let mut all_known = streamed.clone();
    all_known.patches.clear();
    let stored = ZipEntry::stored("a", b"content").with_descriptor();
    for entry in [plain, twice, only_in_zip64, streamed, no_signature, all_known, stored] {
        let bytes = ZipFile::of(&[entry.clone(), ZipEntry::file("b", b"next")]).bytes();
        let visited = visit(&bytes);
        assert_eq!((&*visited[0].2, &*visited[1].2), (&b"content"[..], &b"next"[..]), "{entry:?}");
    }
}

#[test]
fn files_come_in_the_order_in_which_they_are_stored() {
    let files = ["c", "a", "b"].map(|name| ZipEntry::file(name, name.as_bytes()));
    let bytes = ZipFile::of(&files).bytes();
    let names = |bytes: &[u8]| visit(bytes).into_iter().map(|file| file.0).collect::<Vec<_>>();
    assert_eq!(names(&bytes), ["c", "a", "b"]);
    // The directory may have another order.
    let end = bytes.len() - 22;
    let (entry, start) = (47, end - 3 * 47);
    let mut sorted = bytes.clone();
    sorted[start..end].rotate_left(entry);
    assert_ne!(sorted, bytes);
    assert_eq!(names(&sorted), ["c", "a", "b"]);
}

#[test]
fn one_file_is_copied_after_the_whole_wheel_was_checked() {
    let bytes = honest().bytes();
    let copied = |bytes: &[u8], path: &str| {
        let mut copy = Vec::new();
        let index = copy_wheel_file(&mut Cursor::new(bytes), path, &mut copy, &LIMITS);
        (index, copy)
    };
    let (index, copy) = copied(&bytes, "demo/long.txt");
    assert!(copy == long_text());
    assert_eq!(index.unwrap(), read(&bytes).unwrap());
    for absent in ["long.txt", "demo", "demo/"] {
        let (index, copy) = copied(&bytes, absent);
        assert!(index.is_ok() && copy.is_empty(), "{absent}");
    }
    let mut damaged = honest();
    damaged.entries.last_mut().unwrap().stored = Some(b"demo/__init__.py,,!".to_vec());
    let (index, copy) = copied(&damaged.bytes(), "demo/long.txt");
    assert_eq!((code(&index), copy.len()), ("archive-zip-checksum", 0), "nothing was copied");
}

#[test]
fn a_copy_that_cannot_be_written_is_an_error() {
    let bytes = honest().bytes();
    let mut room = [0; 100];
    let mut output = &mut room[..];
    let index = copy_wheel_file(&mut Cursor::new(&bytes), "demo/long.txt", &mut output, &LIMITS);
    assert_eq!(code(&index), "archive-unpack-failed");
}

#[test]
fn files_that_give_their_bytes_slowly_are_read_as_others() {
    let bytes = honest().bytes();
    assert_eq!(read_wheel(&mut Hesitant::new(&bytes), &LIMITS).unwrap(), read(&bytes).unwrap());
    let mut files = 0;
    let mut take = |_: &_, _: &[u8]| {
        files += 1;
        Ok::<_, ArchiveError>(())
    };
    visit_wheel(&mut Hesitant::new(&bytes), &LIMITS, &mut take).unwrap();
    assert_eq!(files, 9);
}

#[test]
fn what_the_system_says_is_passed_on() {
    let bytes = honest().bytes();
    for from in [0, 10, 100, bytes.len() - 500, bytes.len() - 30, bytes.len() - 1] {
        let read = read_wheel(&mut Unreadable::from_offset(from as u64, &bytes), &LIMITS);
        assert_eq!(code(&read), "archive-unreadable", "{from}");
    }
}

#[test]
fn a_wheel_that_changes_while_it_is_read_is_refused() {
    let bytes = honest().bytes();
    // Times say nothing, so the directory is as valid as before.
    let time_of_last_entry = bytes.len() - 22 - 46 - "demo-1.0.dist-info/RECORD".len() + 12;
    let mut other_time = bytes.clone();
    other_time[time_of_last_entry] ^= 1;
    assert!(read(&other_time).is_ok());
    let longer = [&bytes[..], b"x"].concat();
    let mut other_end = bytes.clone();
    other_end[bytes.len() - 1] ^= 1;
    for changed in [other_time, longer, other_end] {
        let read = read_wheel(&mut Replaced::at_rewind(1, &bytes, &changed), &LIMITS);
        assert_eq!(code(&read), "archive-changed");
    }
    let shorter = &bytes[..bytes.len() - 1];
    let read = read_wheel(&mut Replaced::at_rewind(1, &bytes, shorter), &LIMITS);
    assert_eq!(code(&read), "archive-truncated");
}

#[test]
fn content_that_changes_after_it_was_checked_is_not_handed_on() {
    let wheel = |second: ZipEntry| {
        ZipFile::of(&[ZipEntry::file("a", b"first"), second, ZipEntry::file("c", b"third")]).bytes()
    };
    let content = b"content content content";
    for stored in [true, false] {
        let method = if stored { ZipEntry::stored } else { ZipEntry::file };
        let entry = |content: &[u8]| method("b", content);
        let bytes = wheel(entry(content));
        let other = wheel(entry(b"CONTENT CONTENT CONTENT"));
        let mut damaged = entry(content);
        damaged.stored = Some(vec![0xff; damaged.data().len()]);
        let rest = ZipEntry::file("c", b"third").bytes().len() + 3 * 47 + 22;
        let cut = &bytes[..bytes.len() - rest - 1];
        for changed in [&*other, &wheel(damaged), cut] {
            let mut taken = Vec::new();
            let mut take = |file: &facets_archive::ArchivedFile, _: &[u8]| {
                taken.push(file.path.to_string());
                Ok::<_, ArchiveError>(())
            };
            let visited =
                visit_wheel(&mut Replaced::at_rewind(2, &bytes, changed), &LIMITS, &mut take);
            assert_eq!((code(&visited), &*taken), ("archive-changed", &["a".to_owned()][..]));
            let mut replaced = Replaced::at_rewind(2, &bytes, changed);
            let copied = copy_wheel_file(&mut replaced, "b", &mut Vec::new(), &LIMITS);
            assert_eq!(code(&copied), "archive-changed");
        }
    }
}
