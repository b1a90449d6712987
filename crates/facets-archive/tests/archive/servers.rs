//! Servers packed, read and unpacked.

use std::fs::{self, File, Permissions};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::os::fd::AsFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveLimits, EntryMode, ExpectedArtifact, PackRequest, PackedServer,
    ServerTarHasher, SourceTree, pack_server, read_server_archive, unpack_server,
};
use facets_digest::Digest;
use facets_testkit::component;

use crate::support::{SERVER_YAML, code, listing, write_tree};

fn pack(root: &Path, request: &PackRequest) -> Result<(PackedServer, Vec<u8>), ArchiveError> {
    let tree = SourceTree::open(root)?;
    let mut bytes = Vec::new();
    let packed = pack_server(&tree, request, &ArchiveLimits::SPEC, &mut bytes)?;
    Ok((packed, bytes))
}

fn example() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let long = format!("deep/{}/{}.ts", "a".repeat(90), "é".repeat(40));
    write_tree(
        place.path(),
        &[
            ("server.yaml", SERVER_YAML),
            ("index.ts", "export {}\n"),
            ("src.ts", "x"),
            ("src/a.ts", ""),
            ("src-b/c", "y"),
            (&*long, "long"),
        ],
    );
    fs::set_permissions(place.path().join("src.ts"), Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(place.path().join("index.ts"), Permissions::from_mode(0o611)).unwrap();
    place
}

#[test]
fn a_server_is_unpacked_as_it_was_packed() {
    let place = example();
    let (packed, bytes) = pack(place.path(), &PackRequest::default()).unwrap();
    assert_eq!(packed.index.content_hash, Digest::of(&bytes));
    let read = read_server_archive(bytes.as_slice(), &ArchiveLimits::SPEC).unwrap();
    assert_eq!(read.index, packed.index);
    let target = tempfile::tempdir().unwrap();
    let directory = File::open(target.path()).unwrap();
    let (expected, limits) = (ExpectedArtifact::default(), ArchiveLimits::SPEC);
    unpack_server(&mut Cursor::new(&bytes), &expected, directory.as_fd(), &limits).unwrap();
    assert_eq!(listing(target.path()), listing(place.path()));
    for file in &read.index.files {
        let path = target.path().join(file.path.as_str());
        assert_eq!(Digest::of(&fs::read(&path).unwrap()), file.digest);
        let bits = fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(bits, file.mode.read_only_bits(), "{}", file.path);
    }
    assert_eq!(read.index.file("src.ts").unwrap().mode, EntryMode::Executable);
    assert_eq!(
        read.index.file("index.ts").unwrap().mode,
        EntryMode::Plain,
        "only the owner counts"
    );
}

/// The `integrity` of files below a directory.
fn hashed(root: &Path, packed: &PackedServer, other: Option<&str>) -> Digest {
    let mut hasher = ServerTarHasher::new();
    for file in &packed.index.files {
        let bytes = fs::read(root.join(file.path.as_str())).unwrap();
        let mode = match (file.mode, other == Some(file.path.as_str())) {
            (EntryMode::Plain, true) => EntryMode::Executable,
            (mode, _) => mode,
        };
        hasher.begin_file(file.path.as_str(), file.size, mode).unwrap();
        for part in bytes.chunks(7) {
            hasher.content(part).unwrap();
        }
    }
    let (integrity, manifest) = hasher.finish().unwrap();
    assert_eq!(manifest.name, packed.manifest.name);
    integrity
}

#[test]
fn unpacked_files_hash_to_the_integrity_of_their_archive() {
    let place = example();
    let (packed, _) = pack(place.path(), &PackRequest::default()).unwrap();
    assert_eq!(hashed(place.path(), &packed, None), packed.index.integrity);
    assert_ne!(hashed(place.path(), &packed, Some("index.ts")), packed.index.integrity, "a mode");
    fs::write(place.path().join("index.ts"), "export {}!").unwrap();
    assert_ne!(hashed(place.path(), &packed, None), packed.index.integrity, "a byte");
}

#[test]
fn files_without_a_manifest_are_no_server() {
    assert_eq!(code(&ServerTarHasher::new().finish()), "archive-no-manifest");
    let mut hasher = ServerTarHasher::new();
    hasher.begin_file("server.yaml", 1, EntryMode::Plain).unwrap();
    hasher.content(b":").unwrap();
    assert_eq!(code(&hasher.finish()), "archive-manifest");
}

#[test]
fn the_same_tree_gives_the_same_bytes() {
    let (one, other) = (example(), example());
    let path = other.path().join("index.ts");
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    let (first, bytes) = pack(one.path(), &PackRequest::default()).unwrap();
    assert!(pack(other.path(), &PackRequest::default()).unwrap().1 == bytes);
    let paths: Vec<&str> = first.index.files.iter().map(|file| file.path.as_str()).collect();
    let mut sorted = paths.clone();
    sorted.sort_unstable();
    assert_eq!(paths, sorted, "in the order of the bytes of paths");
}

/// Integrity is part of the format; the compressed bytes are part of this version of facet.
#[test]
fn the_hashes_of_a_known_tree_stay() {
    let place = tempfile::tempdir().unwrap();
    write_tree(place.path(), &[("server.yaml", SERVER_YAML), ("index.ts", "export {}\n")]);
    let (packed, bytes) = pack(place.path(), &PackRequest::default()).unwrap();
    let integrity = "sha256:dba181003299d5923c90a3a63ec5efe12ca6ddc082edf8dac0ca1b3f6e3e7309";
    assert_eq!(packed.index.integrity.to_string(), integrity);
    assert_eq!(packed.index.unpacked, 3072);
    assert_eq!(bytes[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
}

#[test]
fn tar_reads_what_we_write() {
    let Some(tar) = component("tar") else { return };
    let place = example();
    let (packed, bytes) = pack(place.path(), &PackRequest::default()).unwrap();
    let archive = place.path().join("archive.tgz");
    fs::write(&archive, &bytes).unwrap();
    let mut command = std::process::Command::new(tar);
    command.args(["--list", "--quoting-style=literal"]);
    let output = command.arg("--file").arg(&archive).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let paths = packed.index.files.iter().map(|file| file.path.as_str());
    assert_eq!(text.lines().collect::<Vec<_>>(), paths.collect::<Vec<_>>());
}

#[test]
fn generated_files_replace_those_of_the_tree_in_their_order() {
    let place = example();
    let mut request = PackRequest::default();
    let manifest = SERVER_YAML.replace("index.ts", "dist/bundle.js");
    request.generated.insert("dist/bundle.js".parse().unwrap(), b"bundle".to_vec());
    request.generated.insert("server.yaml".parse().unwrap(), manifest.into_bytes());
    request.generated.insert("zz".parse().unwrap(), b"last".to_vec());
    let (packed, bytes) = pack(place.path(), &request).unwrap();
    assert_eq!(packed.manifest.entry.as_str(), "dist/bundle.js");
    assert_eq!(packed.index.file("zz").unwrap().digest, Digest::of(b"last"));
    assert_eq!(code(&read_server_archive(bytes.as_slice(), &ArchiveLimits::SPEC)), "accepted");
}

#[test]
fn a_manifest_that_is_missing_wrong_or_names_nothing_is_refused() {
    for (manifest, expected) in [
        (None, "archive-no-manifest"),
        (Some("name: demo\n"), "archive-manifest"),
        (Some("name: demo\nversion: 1.0.0\nruntime: node\nentry: index.ts\n"), "archive-manifest"),
        (Some("name: demo\nversion: 1.0.0\nruntime: bun\nentry: other.ts\n"), "archive-no-entry"),
    ] {
        let place = tempfile::tempdir().unwrap();
        write_tree(place.path(), &[("index.ts", "")]);
        if let Some(manifest) = manifest {
            write_tree(place.path(), &[("server.yaml", manifest)]);
        }
        assert_eq!(code(&pack(place.path(), &PackRequest::default())), expected);
    }
}

#[test]
fn nothing_is_unpacked_into_a_directory_that_is_not_empty() {
    let (_, bytes) = pack(example().path(), &PackRequest::default()).unwrap();
    let target = tempfile::tempdir().unwrap();
    fs::write(target.path().join("index.ts"), "mine").unwrap();
    let directory = File::open(target.path()).unwrap();
    let (expected, limits) = (ExpectedArtifact::default(), ArchiveLimits::SPEC);
    let result = unpack_server(&mut Cursor::new(&bytes), &expected, directory.as_fd(), &limits);
    assert_eq!(code(&result), "archive-target-occupied");
    assert_eq!(fs::read_to_string(target.path().join("index.ts")).unwrap(), "mine");
    assert_eq!(listing(target.path()), ["index.ts"]);
}

/// Another archive, or the end of the disk, when it is read for the second time.
struct Fickle {
    first: Cursor<Vec<u8>>,
    second: Cursor<Vec<u8>>,
    rewinds: usize,
}

impl Read for Fickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rewinds < 2 { self.first.read(buffer) } else { self.second.read(buffer) }
    }
}

impl Seek for Fickle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.rewinds += 1;
        self.first.seek(to)?;
        self.second.seek(to)
    }
}

#[test]
fn an_archive_that_changes_between_the_passes_leaves_nothing() {
    let (_, first) = pack(example().path(), &PackRequest::default()).unwrap();
    let place = example();
    fs::write(place.path().join("src-b/c"), "other").unwrap();
    let (_, second) = pack(place.path(), &PackRequest::default()).unwrap();
    let cut = second[..second.len() / 2].to_vec();
    for (second, expected) in [(second, "archive-changed"), (cut, "archive-truncated")] {
        let target = tempfile::tempdir().unwrap();
        let directory = File::open(target.path()).unwrap();
        let (first, second) = (Cursor::new(first.clone()), Cursor::new(second));
        let mut archive = Fickle { first, second, rewinds: 0 };
        let expectation = ExpectedArtifact::default();
        let limits = ArchiveLimits { kept: 0, ..ArchiveLimits::SPEC };
        let result = unpack_server(&mut archive, &expectation, directory.as_fd(), &limits);
        assert_eq!(code(&result), expected);
        assert!(listing(target.path()).is_empty());
    }
}

#[test]
fn an_archive_that_is_kept_in_memory_is_not_read_again() {
    let (packed, first) = pack(example().path(), &PackRequest::default()).unwrap();
    let kept = usize::try_from(packed.index.unpacked).unwrap();
    for (kept, expected) in [(kept, "accepted"), (kept - 1, "archive-truncated")] {
        let target = tempfile::tempdir().unwrap();
        let directory = File::open(target.path()).unwrap();
        let (first, second) = (Cursor::new(first.clone()), Cursor::new(Vec::new()));
        let mut archive = Fickle { first, second, rewinds: 0 };
        let limits = ArchiveLimits { kept, ..ArchiveLimits::SPEC };
        let expectation = ExpectedArtifact::default();
        let result = unpack_server(&mut archive, &expectation, directory.as_fd(), &limits);
        assert_eq!(code(&result), expected);
        assert_eq!(listing(target.path()).is_empty(), expected != "accepted");
    }
}

/// So many that they are written on several threads.
fn many() -> tempfile::TempDir {
    let place = example();
    for number in 0..300 {
        let folder = place.path().join(format!("many/{}/{}", number / 60, number % 2));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{number}.ts")), number.to_string()).unwrap();
    }
    place
}

#[test]
fn many_files_are_unpacked_as_they_were_packed() {
    let place = many();
    let (_, bytes) = pack(place.path(), &PackRequest::default()).unwrap();
    let target = tempfile::tempdir().unwrap();
    let directory = File::open(target.path()).unwrap();
    let (expected, limits) = (ExpectedArtifact::default(), ArchiveLimits::SPEC);
    unpack_server(&mut Cursor::new(&bytes), &expected, directory.as_fd(), &limits).unwrap();
    assert_eq!(listing(target.path()), listing(place.path()));
}

#[test]
fn a_file_among_many_that_cannot_be_written_leaves_nothing() {
    let place = many();
    // Longer than a name may be on any file system.
    for path in [format!("many/{}", "x".repeat(300)), format!("z/{}", "x".repeat(300))] {
        let path: facets_model::ArtifactPath = path.parse().unwrap();
        let generated = std::collections::BTreeMap::from([(path.clone(), Vec::new())]);
        let request = PackRequest { generated, ..PackRequest::default() };
        let (_, bytes) = pack(place.path(), &request).unwrap();
        let target = tempfile::tempdir().unwrap();
        let directory = File::open(target.path()).unwrap();
        let (expected, limits) = (ExpectedArtifact::default(), ArchiveLimits::SPEC);
        let result = unpack_server(&mut Cursor::new(&bytes), &expected, directory.as_fd(), &limits);
        assert_eq!(code(&result), "archive-unpack-failed", "{path}");
        assert!(fs::read_dir(target.path()).unwrap().next().is_none(), "{path}");
    }
}
