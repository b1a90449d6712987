//! Archives of facets, of servers and of npm; the first byte says which, and how the rest is given.
//!
//! What is accepted has harmless paths and stays within the limits, both hashes are those of the bytes, and
//! unpacking writes the listed files and no other. A server that was unpacked packs to the same bytes.

#![no_main]

mod wrapped;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Cursor};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveIndex, ArchiveLimits, ArchivedFile, ExpectedArtifact, PackRequest,
    SourceTree, is_build_output, pack_server, read_facet, read_npm_package, read_server_archive,
    unpack_facet, unpack_npm_package, unpack_server,
};
use facets_digest::Digest;
use facets_model::collision_key;
use libfuzzer_sys::fuzz_target;
use wrapped::{Checksum, entries, fill_record, gunzip, gzip, repair, wrap_facet};

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
    // Of what is unpacked, some is kept in memory and some is read twice.
    kept: 8 << 10,
};

/// More is read, but not unpacked: the disk is slower than the reader.
const UNPACKED: u64 = 64 << 10;

/// Names that packing leaves out, or that leave out others.
const NOT_PACKED: [&str; 4] = [".git", "node_modules", ".gitignore", ".facetignore"];

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    match first.wrapping_sub(b'0') % 9 {
        // As they are stored. A facet ends with thousands of zeros, which inputs leave out.
        0 => check_facet(&fill_record(rest)),
        1 => check_server(rest),
        2 => check_npm(rest),
        // The uncompressed archive.
        3 => check_server(&gzip(rest)),
        4 => check_npm(&gzip(rest)),
        5 => check_facet(&wrap_facet(rest)),
        // The same with the right checksum in each header: hardly any mutation hits it.
        6 => check_server(&gzip(&repair(rest, Checksum::Padded))),
        7 => check_npm(&gzip(&repair(rest, Checksum::Padded))),
        _ => check_facet(&wrap_facet(&repair(rest, Checksum::Short))),
    }
});

fn check_server(archive: &[u8]) {
    let read = || read_server_archive(archive, &LIMITS).map(|server| server.index);
    let Some(index) = accepted(read) else { return };
    check_index(&index, archive);
    assert!(index.directories.is_empty(), "a server names no directories");
    assert_eq!(index.integrity, Digest::of(&gunzip(archive)));
    check_unpacked(
        &index,
        |expected, directory| {
            let archive = &mut Cursor::new(archive);
            unpack_server(archive, expected, directory, &LIMITS).map(|server| server.index)
        },
        |root| check_packed_again(&index, root),
    );
}

fn check_npm(package: &[u8]) {
    let Some(index) = accepted(|| read_npm_package(package, &LIMITS)) else { return };
    check_index(&index, package);
    assert_eq!(index.integrity, Digest::of(&gunzip(package)));
    check_unpacked(
        &index,
        |expected, directory| {
            unpack_npm_package(&mut Cursor::new(package), expected, directory, &LIMITS)
        },
        |_| {},
    );
}

fn check_facet(archive: &[u8]) {
    let read = || read_facet(Cursor::new(archive), &LIMITS).map(|facet| facet.index);
    let Some(index) = accepted(read) else { return };
    check_index(&index, archive);
    assert!(index.directories.is_empty(), "a facet names no directories");
    let outer = entries(archive);
    let inner = outer.iter().find(|(name, _)| *name == b"archive.tar.gz");
    let inner = gunzip(inner.expect("the inner archive of an accepted facet").1);
    assert_eq!(index.integrity, Digest::of(&inner));
    let named: BTreeSet<&[u8]> = entries(&inner).into_iter().map(|(name, _)| name).collect();
    let listed: BTreeSet<&[u8]> =
        index.files.iter().map(|file| file.path.as_str().as_bytes()).collect();
    assert_eq!(named, listed);
    check_unpacked(
        &index,
        |expected, directory| {
            let archive = &mut Cursor::new(archive);
            unpack_facet(archive, expected, directory, &LIMITS).map(|facet| facet.index)
        },
        |_| {},
    );
}

/// Reads twice; nothing if it is refused.
fn accepted(read: impl Fn() -> Result<ArchiveIndex, ArchiveError>) -> Option<ArchiveIndex> {
    let read = || read().map_err(|error| error.to_string());
    let outcome = read();
    assert_eq!(outcome, read(), "the same bytes are read the same way");
    outcome.ok()
}

/// What holds for everything that is accepted (spec 4.5).
fn check_index(index: &ArchiveIndex, archive: &[u8]) {
    assert_eq!(index.content_hash, Digest::of(archive));
    assert_eq!(index.size, archive.len() as u64);
    assert!(index.size <= LIMITS.compressed && index.unpacked <= LIMITS.total, "{index:?}");
    assert!(index.files.len() + index.directories.len() <= LIMITS.entries, "{index:?}");
    assert!(index.files.iter().all(|file| file.size <= LIMITS.file), "{index:?}");
    let all = index.files.iter().map(|file| file.size).sum::<u64>();
    assert!(all <= index.unpacked, "{index:?}");
    let mut files = BTreeSet::new();
    for file in &index.files {
        check_path(file.path.as_str());
        assert!(files.insert(collision_key(file.path.as_str())), "{} collides", file.path);
    }
    for directory in &index.directories {
        check_path(directory.as_str());
        let is_file = files.contains(&collision_key(directory.as_str()));
        assert!(!is_file, "{directory} is a file and a directory");
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

/// Unpacks into a new directory, compares it with the index, and looks at it.
fn check_unpacked(
    index: &ArchiveIndex,
    unpack: impl FnOnce(&ExpectedArtifact, BorrowedFd<'_>) -> Result<ArchiveIndex, ArchiveError>,
    look: impl FnOnce(&Path),
) {
    if index.unpacked >= UNPACKED {
        return;
    }
    let place = tempfile::tempdir().expect("a new directory");
    let directory = File::open(place.path()).expect("it can be opened");
    let expected = ExpectedArtifact {
        content_hash: Some(index.content_hash),
        integrity: Some(index.integrity),
        ..ExpectedArtifact::default()
    };
    let unpacked = unpack(&expected, directory.as_fd()).expect("what is accepted is unpacked");
    assert_eq!(unpacked, *index);
    let mut written = BTreeMap::new();
    collect_files(place.path(), "", &mut written);
    let facts = |file: &ArchivedFile| (file.digest, file.size, file.mode.read_only_bits());
    let listed: BTreeMap<String, FileFacts> =
        index.files.iter().map(|file| (file.path.to_string(), facts(file))).collect();
    assert_eq!(written, listed);
    look(place.path());
}

/// Digest, size and permissions of a file.
type FileFacts = (Digest, u64, u32);

/// Every file below a directory. Anything else than files and directories is an error.
fn collect_files(folder: &Path, prefix: &str, files: &mut BTreeMap<String, FileFacts>) {
    for entry in fs::read_dir(folder).expect("a directory") {
        let entry = entry.expect("a name");
        let name = entry.file_name().into_string().expect("names are text");
        let (path, full) = (format!("{prefix}{name}"), entry.path());
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() {
            collect_files(&full, &format!("{path}/"), files);
            continue;
        }
        assert!(kind.is_file(), "{path:?} is neither a file nor a directory");
        let bytes = fs::read(&full).expect("a file");
        let bits = fs::metadata(&full).expect("its permissions").permissions().mode() & 0o7777;
        files.insert(path, (Digest::of(&bytes), bytes.len() as u64, bits));
    }
}

/// The tree of an archive packs to the same archive, unless packing leaves something out.
fn check_packed_again(index: &ArchiveIndex, root: &Path) {
    let is_left_out = |path: &str| {
        is_build_output(path) || path.split('/').any(|name| NOT_PACKED.contains(&name))
    };
    if index.files.iter().any(|file| is_left_out(file.path.as_str())) {
        return;
    }
    let allowed_secrets = index.files.iter().map(|file| file.path.to_string()).collect();
    let request = PackRequest { allowed_secrets, ..PackRequest::default() };
    let tree = SourceTree::open(root).expect("the tree");
    let packed = pack_server(&tree, &request, &LIMITS, io::sink()).expect("it packs again");
    assert!(packed.left_out.is_empty(), "{:?}", packed.left_out);
    assert_eq!(packed.index.files, index.files);
    assert_eq!(packed.index.integrity, index.integrity);
}
