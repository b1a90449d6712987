//! Both ways to unpack: from the bytes of the first pass, and from a second one.

use std::fs::{self, File};
use std::io::Cursor;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveIndex, ArchiveLimits, ExpectedArtifact, PackRequest, SourceTree,
    pack_facet, pack_server, unpack_facet, unpack_npm_package, unpack_server,
};
use facets_model::tree::ManifestFormat;

use crate::support::tar::{Entry, gzip};
use crate::support::{SERVER_YAML, listing, write_tree};

type Archive<'a> = Cursor<&'a [u8]>;
type Unpack =
    fn(&mut Archive<'_>, BorrowedFd<'_>, &ArchiveLimits) -> Result<ArchiveIndex, ArchiveError>;

/// A path, its bits, and, if it is a file, its bytes.
type Written = (String, u32, Option<Vec<u8>>);

/// Unpacks an archive: its index, and everything that was written.
fn unpack(bytes: &[u8], kept: usize, unpack: Unpack) -> (ArchiveIndex, Vec<Written>) {
    let target = tempfile::tempdir().unwrap();
    let directory = File::open(target.path()).unwrap();
    let limits = ArchiveLimits { kept, ..ArchiveLimits::SPEC };
    let index = unpack(&mut Cursor::new(bytes), directory.as_fd(), &limits).unwrap();
    let written = listing(target.path()).into_iter().map(|name| {
        let path = target.path().join(&name);
        let bits = fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        let content = path.is_file().then(|| fs::read(&path).unwrap());
        (name, bits, content)
    });
    (index, written.collect())
}

/// Content that fills no block, exactly one, and more than a buffer.
fn write_example(root: &Path) {
    let (block, long) = ("b".repeat(512), "long\n".repeat(100_000));
    write_tree(
        root,
        &[
            ("block", &*block),
            ("deep/er/empty", ""),
            ("deep/er/program", "#!/bin/sh\n"),
            ("deep/long", &*long),
            ("index.ts", "export {}\n"),
        ],
    );
    let program = root.join("deep/er/program");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
}

fn server() -> Vec<u8> {
    let place = tempfile::tempdir().unwrap();
    write_example(place.path());
    write_tree(place.path(), &[("server.yaml", SERVER_YAML)]);
    let tree = SourceTree::open(place.path()).unwrap();
    let mut bytes = Vec::new();
    pack_server(&tree, &PackRequest::default(), &ArchiveLimits::SPEC, &mut bytes).unwrap();
    bytes
}

fn facet() -> Vec<u8> {
    let place = tempfile::tempdir().unwrap();
    write_example(place.path());
    let manifest = r#"{"name":"demo","version":"1.0.0","skills":{"s":{"description":"d"}},
        "files":["block","deep/er/empty","deep/er/program","deep/long","index.ts"]}"#;
    write_tree(place.path(), &[("facet.json", manifest), ("skills/s/SKILL.md", "# hi\n")]);
    let tree = SourceTree::open(place.path()).unwrap();
    let mut bytes = Vec::new();
    pack_facet(&tree, ManifestFormat::Json, &ArchiveLimits::SPEC, &mut bytes).unwrap();
    bytes
}

/// Directories stand before, between and behind files.
fn package() -> Vec<u8> {
    let directory = |name: &[u8]| {
        let mode = b"0000755\0".to_vec();
        Entry { flag: b'5', mode, ..Entry::file(name, b"") }
    };
    let entries = [
        directory(b"package/"),
        Entry::file(b"package/a/b", b"content"),
        directory(b"package/a/"),
        Entry::file(b"package/a/empty", b""),
        directory(b"package/last/one"),
    ];
    let mut tar: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
    tar.resize(tar.len() + 1024, 0);
    gzip(&tar)
}

#[test]
fn both_ways_to_unpack_write_the_same() {
    let cases: [(Vec<u8>, usize, Unpack); 3] = [
        (server(), 8, |archive, directory, limits| {
            let expected = ExpectedArtifact::default();
            unpack_server(archive, &expected, directory, limits).map(|server| server.index)
        }),
        (facet(), 11, |archive, directory, limits| {
            let expected = ExpectedArtifact::default();
            unpack_facet(archive, &expected, directory, limits).map(|facet| facet.index)
        }),
        (package(), 5, |archive, directory, limits| {
            unpack_npm_package(archive, &ExpectedArtifact::default(), directory, limits)
        }),
    ];
    for (bytes, count, way) in cases {
        let (index, written) = unpack(&bytes, 0, way);
        assert_eq!(written.len(), count, "{written:?}");
        let size = usize::try_from(index.unpacked).unwrap();
        for kept in [size - 1, size, ArchiveLimits::SPEC.kept] {
            assert!(unpack(&bytes, kept, way) == (index.clone(), written.clone()), "{kept}");
        }
    }
}
