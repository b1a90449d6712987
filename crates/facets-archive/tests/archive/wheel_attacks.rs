//! Hostile and damaged wheels: each is refused for the right reason.

use std::io::Cursor;

use facets_archive::{ArchiveLimits, WheelIndex, read_wheel};

use crate::support::code;
use crate::support::zip::{DESCRIPTOR, UTF8, ZipEntry, ZipFile, extra_field};

fn read(bytes: &[u8]) -> &'static str {
    code(&read_wheel(&mut Cursor::new(bytes), &ArchiveLimits::SPEC))
}

fn read_entries(entries: &[ZipEntry]) -> &'static str {
    read(&ZipFile::of(entries).bytes())
}

fn plain() -> ZipEntry {
    ZipEntry::file("a/b.py", b"content content content")
}

fn honest() -> ZipFile {
    ZipFile::of(&[plain(), ZipEntry::directory("d/"), ZipEntry::stored("c", b"stored")])
}

/// What a wheel is refused with after a change.
fn changed(change: impl FnOnce(&mut ZipFile)) -> &'static str {
    let mut wheel = honest();
    assert_eq!(read(&wheel.bytes()), "accepted");
    change(&mut wheel);
    read(&wheel.bytes())
}

/// What an entry is refused with after a change.
fn changed_entry(change: impl FnOnce(&mut ZipEntry)) -> &'static str {
    changed(|wheel| change(&mut wheel.entries[0]))
}

#[test]
fn the_end_record_is_the_end() {
    let end = "archive-zip-end";
    assert_eq!(read(b""), end);
    assert_eq!(read(&[0; 21]), end);
    assert_eq!(read(&[0; 22]), end);
    assert_eq!(changed(|wheel| wheel.behind = b"x".to_vec()), end);
    assert_eq!(changed(|wheel| wheel.behind = vec![0; 22]), end);
    assert_eq!(changed(|wheel| wheel.before_end = b"x".to_vec()), end);
    let patched =
        |at: usize, bytes: &[u8]| changed(|wheel| wheel.end_patches.push((at, bytes.to_vec())));
    for at in [4, 6] {
        assert_eq!(patched(at, &[1]), end, "another disk at {at}");
    }
    assert_eq!(patched(8, &[2]), end, "some entries are on another disk");
    assert_eq!(patched(12, &[0]), end, "another length of the directory");
    assert_eq!(patched(16, &[0]), end, "another offset of the directory");
    let commented = changed(|wheel| {
        wheel.end_patches.push((20, vec![4, 0]));
        wheel.behind = b"text".to_vec();
    });
    assert_eq!(commented, end);
    assert_eq!(patched(20, &[4]), end, "a comment that is not there");
}

/// A comment that is a second end record: some readers find the one, some the other.
#[test]
fn a_wheel_with_two_ends_is_refused() {
    let two = changed(|wheel| {
        wheel.end_patches.push((20, vec![22, 0]));
        wheel.behind = ZipFile::default().bytes();
    });
    assert_eq!(two, "archive-zip-end");
    let mut wheel = honest();
    wheel.start = ZipFile::of(&[ZipEntry::file("hidden", b"")]).bytes();
    assert_eq!(read(&wheel.bytes()), "archive-zip-gap", "one wheel before the other");
}

#[test]
fn a_directory_has_the_entries_that_are_counted() {
    let directory = "archive-zip-directory";
    let counted =
        |count: u8| changed(|wheel| wheel.end_patches.push((8, vec![count, 0, count, 0])));
    assert_eq!(counted(2), directory);
    assert_eq!(counted(4), directory);
    assert_eq!(changed(|wheel| wheel.in_directory = b"x".to_vec()), directory);
    assert_eq!(changed_entry(|entry| entry.directory_patches.push((0, vec![0]))), directory);
    let commented = changed(|wheel| {
        let last = wheel.entries.last_mut().unwrap();
        last.directory_patches.push((32, vec![4, 0]));
        wheel.in_directory = b"text".to_vec();
    });
    assert_eq!(commented, directory);
    let long_name = changed_entry(|entry| entry.directory_patches.push((28, vec![0xff, 0xff])));
    assert_eq!(long_name, directory);
    let last_name = changed(|wheel| {
        wheel.entries.last_mut().unwrap().directory_patches.push((28, vec![2]));
    });
    assert_eq!(last_name, directory);
}

#[test]
fn zip64_is_refused_by_name() {
    let zip64 = "archive-zip64";
    for (at, length) in [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4)] {
        let refused = changed(|wheel| wheel.end_patches.push((at, vec![0xff; length])));
        assert_eq!(refused, zip64, "{at}");
    }
    for (at, length) in [(20, 4), (24, 4), (34, 2), (42, 4)] {
        let refused = changed_entry(|entry| entry.directory_patches.push((at, vec![0xff; length])));
        assert_eq!(refused, zip64, "{at}");
    }
    let other_disk = changed_entry(|entry| entry.directory_patches.push((34, vec![1])));
    assert_eq!(other_disk, "archive-zip-end");
    let sizes = extra_field(1, &[0; 16]);
    assert_eq!(changed_entry(|entry| entry.directory_extra = sizes), zip64);
    assert_eq!(changed_entry(|entry| entry.extra = extra_field(1, &[0; 8])), zip64);
    // Readers look for a locator right before the end record, also inside of the directory.
    let mut locator = b"PK\x06\x07".to_vec();
    locator.resize(20, 0);
    let hidden = extra_field(0xcafe, &locator);
    assert_eq!(changed(|wheel| wheel.entries[2].directory_extra = hidden), zip64);
    assert_eq!(changed(|wheel| wheel.in_directory = locator), zip64);
}

#[test]
fn sizes_of_zip64_in_a_header_agree_with_the_directory() {
    let with = |size: u64, compressed: u64, number: u32| {
        let mut entry = plain();
        let sizes = [size.to_le_bytes(), compressed.to_le_bytes()].concat();
        entry.extra = extra_field(1, &sizes);
        let numbers = [number.to_le_bytes(), number.to_le_bytes()].concat();
        entry.patches.push((18, numbers));
        entry
    };
    let (size, compressed) = (plain().content.len() as u64, plain().data().len() as u64);
    let mismatch = "archive-zip-mismatch";
    assert_eq!(read_entries(&[with(size, compressed, u32::MAX)]), "accepted");
    assert_eq!(read_entries(&[with(size + 1, compressed, u32::MAX)]), mismatch);
    assert_eq!(read_entries(&[with(size, compressed + 1, u32::MAX)]), mismatch);
    assert_eq!(read_entries(&[with(size, compressed, 0)]), mismatch);
    assert_eq!(read_entries(&[with(size, compressed, 99)]), mismatch);
    let mut streamed = with(size, compressed, 0);
    (streamed.flags, streamed.behind) = (DESCRIPTOR, plain().descriptor());
    assert_eq!(read_entries(&[streamed]), "archive-zip64");
    let only_marked = changed_entry(|entry| entry.patches.push((18, vec![0xff; 8])));
    assert_eq!(only_marked, mismatch);
}

#[test]
fn encrypted_files_and_unknown_flags_are_refused() {
    for flags in [0x0001, 0x0040, 0x2000, 0x0809] {
        let encrypted = changed_entry(|entry| entry.flags = flags);
        assert_eq!(encrypted, "archive-zip-encrypted", "{flags:#06x}");
    }
    for flags in [0x0010, 0x0020, 0x0080, 0x0100, 0x0200, 0x0400, 0x1000, 0x4000, 0x8000] {
        assert_eq!(changed_entry(|entry| entry.flags = flags), "archive-zip-flags", "{flags:#06x}");
    }
    for flags in [0x0002, 0x0004, 0x0006, UTF8] {
        assert_eq!(changed_entry(|entry| entry.flags = flags), "accepted", "{flags:#06x}");
    }
}

#[test]
fn other_methods_than_deflate_are_refused() {
    for method in [1, 6, 9, 12, 14, 93, 99, 0x0800] {
        assert_eq!(changed_entry(|entry| entry.method = method), "archive-zip-method", "{method}");
    }
}

#[test]
fn extra_fields_that_could_change_an_entry_are_refused() {
    let extra = "archive-zip-extra";
    let name = extra_field(0x7075, b"\x01\0\0\0\0evil.py");
    assert_eq!(changed_entry(|entry| entry.extra = name.clone()), extra);
    assert_eq!(changed_entry(|entry| entry.directory_extra = name), extra);
    assert_eq!(changed_entry(|entry| entry.extra = b"xyz".to_vec()), extra);
    assert_eq!(changed_entry(|entry| entry.directory_extra = b"UT\xff\0".to_vec()), extra);
}

#[test]
fn a_header_states_what_the_directory_does() {
    let mismatch = "archive-zip-mismatch";
    let fields = [0, 6, 8, 14, 17, 18, 22, 25, 26, 27, 30, 33, 35];
    for at in fields {
        let mut wheel = honest();
        let start = wheel.entries[0].bytes();
        wheel.entries[0].patches.push((at, vec![start[at] ^ 2]));
        assert_eq!(read(&wheel.bytes()), mismatch, "{at}");
    }
    // Versions and times say nothing.
    for at in [4, 5, 10, 11, 12, 13] {
        assert_eq!(changed_entry(|entry| entry.patches.push((at, vec![7]))), "accepted", "{at}");
    }
    let slash = changed(|wheel| wheel.entries[1].patches.push((31, b"x".to_vec())));
    assert_eq!(slash, mismatch, "a directory that is a file for others");
    let longer = changed_entry(|entry| entry.patches.push((28, vec![1])));
    assert_eq!(longer, "archive-zip-extra", "the compressed bytes are no extra field");
    assert_eq!(changed_entry(|entry| entry.patches.push((14, vec![0; 12]))), mismatch);
}

#[test]
fn a_data_descriptor_states_what_the_directory_does() {
    let mismatch = "archive-zip-mismatch";
    let streamed = plain().with_descriptor();
    let next = ZipEntry::file("c", b"");
    let with = |behind: Vec<u8>| {
        let first = ZipEntry { behind, ..streamed.clone() };
        (read_entries(&[first.clone(), next.clone()]), read_entries(&[first]))
    };
    let descriptor = streamed.behind.clone();
    assert_eq!(with(descriptor.clone()), ("accepted", "accepted"));
    assert_eq!(with(descriptor[4..].to_vec()), ("accepted", "accepted"));
    for at in 0..16 {
        let mut other = descriptor.clone();
        other[at] ^= 1;
        assert_eq!(with(other.clone()), (mismatch, mismatch), "{at}");
        if at >= 4 {
            assert_eq!(with(other[4..].to_vec()), (mismatch, mismatch), "{at}");
        }
    }
    for length in [0, 4, 11, 13, 15, 17, 20, 24] {
        let mut other = descriptor.clone();
        other.resize(length, 0);
        assert_eq!(with(other), (mismatch, mismatch), "{length}");
    }
    let unannounced = changed_entry(|entry| entry.behind = descriptor);
    assert_eq!(unannounced, "archive-zip-gap");
    let wrong = streamed.patch_both(14, &[1]);
    assert_eq!(read_entries(&[wrong]), mismatch, "also where the header has its own numbers");
}

#[test]
fn every_byte_belongs_to_something() {
    let gap = "archive-zip-gap";
    assert_eq!(changed(|wheel| wheel.start = b"#!/bin/sh\n".to_vec()), gap);
    assert_eq!(changed(|wheel| wheel.before_directory = b"x".to_vec()), gap);
    assert_eq!(changed_entry(|entry| entry.behind = b"x".to_vec()), gap);
    let hidden = ZipEntry::file("hidden.py", b"evil").bytes();
    assert_eq!(changed_entry(|entry| entry.behind = hidden), gap, "seen by those that go forward");
    let mut empty = ZipFile { start: b"x".to_vec(), ..ZipFile::default() };
    assert_eq!(read(&empty.bytes()), gap);
    empty.start = plain().bytes();
    assert_eq!(read(&empty.bytes()), gap);
}

/// Entries that share one header, or one stream of zeros: a thousand files for the bytes of one.
#[test]
fn overlapping_entries_are_refused() {
    let overlap = "archive-zip-overlap";
    let same = changed(|wheel| {
        let name = plain();
        wheel.entries = vec![name.clone(), ZipEntry::file("a/c.py", b""), name];
        wheel.entries[1].directory_patches.push((42, vec![0; 4]));
        wheel.entries[2].name = b"a/d.py".to_vec();
    });
    assert_eq!(same, overlap);
    // The header of the second is in the content of the first.
    let inner = ZipEntry::stored("inner", &[0; 100]).bytes();
    let outer = ZipEntry::stored("outer", &[inner.clone(), b"end".to_vec()].concat());
    let mut listed = ZipEntry::stored("inner", &[0; 100]);
    let offset = u32::try_from(outer.bytes().len() - outer.content.len()).unwrap();
    listed.directory_patches.push((42, offset.to_le_bytes().to_vec()));
    assert_eq!(read_entries(&[outer, listed]), overlap);
    let beyond = ZipEntry::stored("a", b"content").patch_both(18, &[8, 0, 0, 0, 8]);
    assert_eq!(read_entries(&[beyond]), overlap, "into the directory");
    let mut far = ZipEntry::stored("a", b"content");
    far.directory_patches.push((42, vec![0xfe; 4]));
    assert_eq!(read_entries(&[far]), "archive-zip-gap", "an offset behind the end");
    let header_only = ZipEntry { extra: extra_field(0xcafe, b""), ..plain() };
    let mut wheel = ZipFile::of(&[header_only, ZipEntry::file("b", b"")]);
    wheel.entries[1].directory_patches.push((42, vec![33, 0, 0, 0]));
    assert_eq!(read(&wheel.bytes()), overlap, "inside of a header");
}

#[test]
fn damaged_content_is_refused() {
    let crc = changed_entry(|entry| *entry = entry.clone().patch_both(14, &[1, 2, 3, 4]));
    assert_eq!(crc, "archive-zip-checksum");
    let size = "archive-zip-size";
    for length in [0_u32, 22, 24, 0x7fff_ffff >> 3] {
        let with = |entry: ZipEntry| read_entries(&[entry.patch_both(22, &length.to_le_bytes())]);
        assert_eq!(with(plain()), size, "{length}");
        assert_eq!(with(ZipEntry { method: 0, ..plain() }), size, "{length}");
    }
    let data = "archive-zip-data";
    let with_data = |stored: Vec<u8>| read_entries(&[ZipEntry { stored: Some(stored), ..plain() }]);
    let deflated = plain().data();
    assert_eq!(with_data(deflated.clone()), "accepted");
    assert_eq!(with_data([&deflated[..], b"x"].concat()), data, "bytes behind the stream");
    assert_eq!(with_data([&deflated[..], &deflated].concat()), data, "a second stream");
    assert_eq!(with_data(deflated[..deflated.len() - 1].to_vec()), data);
    assert_eq!(with_data(Vec::new()), data);
    assert_eq!(with_data(vec![0xff; 20]), data);
    let empty = ZipEntry { stored: Some(Vec::new()), ..ZipEntry::file("a", b"") };
    assert_eq!(read_entries(&[empty]), data);
}

#[test]
fn a_wheel_that_is_cut_anywhere_is_refused() {
    let mut wheel = honest();
    wheel.entries.push(ZipEntry::file("streamed", b"content").with_descriptor());
    let bytes = wheel.bytes();
    assert_eq!(read(&bytes), "accepted");
    for length in 0..bytes.len() {
        assert_eq!(read(&bytes[..length]), "archive-zip-end", "{length}");
        assert_ne!(read(&bytes[bytes.len() - length..]), "accepted", "{length} at the end");
    }
}

#[test]
fn no_other_byte_changes_what_a_wheel_holds() {
    let mut wheel = honest();
    wheel.entries.push(ZipEntry::file("streamed", b"content").with_descriptor());
    let bytes = wheel.bytes();
    let facts = |index: &WheelIndex| {
        index
            .files
            .iter()
            .map(|file| (file.path.clone(), file.size, file.digest))
            .collect::<Vec<_>>()
    };
    let read = |bytes: &[u8]| read_wheel(&mut Cursor::new(bytes), &ArchiveLimits::SPEC);
    let expected = read(&bytes).unwrap();
    let mut accepted = 0;
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            let Ok(index) = read(&other) else { continue };
            accepted += 1;
            assert_eq!(facts(&index), facts(&expected), "bit {bit} of byte {at}");
            assert_ne!(index.content_hash, expected.content_hash);
        }
    }
    // In each entry: 6 + 8 bytes of versions and times, 2 of internal attributes, and most of the other attributes.
    assert!(accepted < 4 * 8 * 20, "{accepted}");
}
