//! Archives that the reference built, and archives that it was asked to install.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::os::fd::AsFd as _;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveLimits, ExpectedArtifact, FacetArchive, SourceTree, pack_facet,
    read_facet, unpack_facet,
};
use facets_failure::Describe as _;
use facets_model::tree::ManifestFormat;
use facets_testkit::shared_vectors;
use serde_json::{Value, json};

use crate::support::bomb::facet_bomb;
use crate::support::{code, listing};

fn rows(path: &Path) -> Vec<Value> {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn read(bytes: &[u8]) -> Result<FacetArchive, ArchiveError> {
    read_facet(Cursor::new(bytes), &ArchiveLimits::SPEC)
}

#[test]
fn archives_of_the_reference_have_their_recorded_hashes() {
    let Some(folder) = shared_vectors("facets/archives") else { return };
    let rows = rows(&folder.join("index.json"));
    assert_eq!(rows.len(), 10);
    for row in rows {
        let file = row["file"].as_str().unwrap();
        let found = read(&fs::read(folder.join(file)).unwrap());
        if row["reference_install"]["exit"] != 0 {
            assert_eq!(code(&found), "archive-manifest", "{file}");
            continue;
        }
        let facet = found.unwrap_or_else(|error| panic!("{file}: {error}"));
        let index = facet.index;
        assert_eq!(row["content_hash"], index.content_hash.to_string(), "{file}");
        assert_eq!(row["content_integrity"], index.integrity.to_string(), "{file}");
        assert_eq!(row["inner_tar_size"], index.unpacked, "{file}");
        assert_eq!(row["size"], index.size, "{file}");
        assert_eq!(row["name"], facet.manifest.name.to_string(), "{file}");
        assert_eq!(row["version"], facet.manifest.version.to_string(), "{file}");
    }
}

#[test]
fn what_we_build_from_the_sources_is_what_the_reference_built() {
    let Some(folder) = shared_vectors("facets/archives") else { return };
    for row in rows(&folder.join("index.json")) {
        let source = folder.join(row["source"].as_str().unwrap());
        let tree = SourceTree::open(&source).unwrap();
        let mut bytes = Vec::new();
        let packed = pack_facet(&tree, ManifestFormat::Json, &ArchiveLimits::SPEC, &mut bytes);
        if row["reference_install"]["exit"] != 0 {
            // A path over 100 bytes: the reference cuts it, and cannot read the result.
            assert_eq!(code(&packed), "archive-manifest");
            continue;
        }
        let packed = packed.unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        assert_eq!(row["content_integrity"], packed.index.integrity.to_string());
        let read = read(&bytes).unwrap();
        assert_eq!(read.index, packed.index, "{}", source.display());
        check_container(&folder.join(row["file"].as_str().unwrap()), &bytes);
    }
}

/// All but the compressed bytes are those of the reference: the build manifest, and every header.
fn check_container(reference: &Path, ours: &[u8]) {
    let reference = fs::read(reference).unwrap();
    let manifest_end = 512 + size_at(&reference, 124).next_multiple_of(512);
    assert_eq!(reference[..manifest_end], ours[..manifest_end]);
    let name = |bytes: &[u8]| bytes[manifest_end..manifest_end + 100].to_vec();
    assert_eq!(name(&reference), name(ours));
    let data = manifest_end + 512;
    assert_eq!(reference[data..data + 10], ours[data..data + 10], "the header of gzip");
    assert!(ours.len().is_multiple_of(10_240));
}

fn size_at(bytes: &[u8], at: usize) -> usize {
    let digits = std::str::from_utf8(&bytes[at..at + 11]).unwrap();
    usize::from_str_radix(digits, 8).unwrap()
}

/// Why each archive that must be refused is refused. A manifest with problems has a code for each of them.
const REASONS: [(&str, &str); 41] = [
    ("neg-outer-extra", "archive-facet-container"),
    ("neg-outer-gz", "archive-facet-container"),
    ("neg-undeclared", "archive-undeclared-file"),
    ("neg-nomanifest", "archive-no-manifest"),
    ("neg-files-extra", "archive-missing-file"),
    ("neg-files-wrong", "archive-file-hash-mismatch"),
    ("neg-files-upper", "archive-build-manifest"),
    ("neg-integ-lie", "archive-integrity-mismatch"),
    ("neg-reg-mismatch", "archive-integrity-mismatch"),
    ("neg-transport", "archive-content-hash-mismatch"),
    ("neg-order", "archive-order"),
    ("neg-dup", "archive-duplicate"),
    ("neg-case", "archive-collision"),
    ("neg-filedir", "archive-file-as-directory"),
    ("neg-symlink", "archive-entry-type"),
    ("neg-dir", "archive-entry-type"),
    ("neg-paxhdr", "archive-entry-type"),
    ("neg-prefix", "archive-header-not-canonical"),
    ("neg-trail", "archive-trailing-bytes"),
    ("neg-nopad", "archive-end"),
    ("neg-pad1024", "archive-end"),
    ("neg-mtime", "archive-header-not-canonical"),
    ("neg-gnuchk", "archive-header-not-canonical"),
    ("neg-dotdot", "archive-path-segment"),
    ("neg-backslash", "archive-path-backslash"),
    ("neg-traildot", "archive-path-trailing"),
    ("neg-underskills", "archive-manifest: manifest-bad-value"),
    ("neg-dupjson", "archive-manifest: manifest-duplicate-member"),
    ("neg-namemis", "archive-identity-mismatch"),
    ("neg-vermis", "archive-identity-mismatch"),
    ("neg-empty", "archive-text"),
    ("neg-badutf8", "archive-text"),
    ("neg-compose", "archive-composition"),
    ("neg-floor-range", "archive-manifest: manifest-bad-version"),
    ("neg-srvextra", "archive-manifest: manifest-unknown-member"),
    ("neg-srvurlcred", "archive-manifest: manifest-bad-url"),
    ("neg-srvftp", "archive-manifest: manifest-bad-url"),
    ("neg-srvcmd", "archive-manifest: manifest-bad-value"),
    ("neg-samename", "archive-manifest: manifest-name-collision"),
    ("neg-privatestr", "archive-manifest: manifest-wrong-type"),
    ("neg-v3", "archive-facet-version"),
];

/// The code of an error with those of its problems, or that there was none.
fn reason<T>(result: &Result<T, ArchiveError>) -> String {
    let code = code(result);
    let problems = result.as_ref().err().map(ArchiveError::problems).unwrap_or_default();
    match problems.iter().map(|problem| problem.code).collect::<Vec<_>>().as_slice() {
        [] => code.to_owned(),
        codes => format!("{code}: {}", codes.join(", ")),
    }
}

/// What the registry states of an archive.
fn claims(row: &Value) -> ExpectedArtifact {
    let text = |name: &str| row["registry_claims"][name].as_str().map(str::to_owned);
    ExpectedArtifact {
        name: text("name"),
        version: text("version"),
        content_hash: text("content_hash").map(|hash| hash.parse().unwrap()),
        integrity: text("content_integrity").map(|hash| hash.parse().unwrap()),
    }
}

/// Unpacks an archive: the reason why it is refused, and what is in the directory afterwards.
fn unpack(archive: &mut (impl Read + Seek), expected: &ExpectedArtifact) -> (String, Vec<String>) {
    let place = tempfile::tempdir().unwrap();
    let directory = File::open(place.path()).unwrap();
    let unpacked = unpack_facet(archive, expected, directory.as_fd(), &ArchiveLimits::SPEC);
    (reason(&unpacked), listing(place.path()))
}

#[test]
fn damaged_and_unusual_archives_are_judged_as_they_must_be() {
    let Some(folder) = shared_vectors("facets/negative") else { return };
    let rows = rows(&folder.join("cases.json"));
    assert_eq!(rows.len(), 50);
    let mut refused = BTreeMap::from(REASONS);
    let mut wrong = Vec::new();
    for row in rows {
        // The bomb is not stored; the next test makes it.
        let Some(file) = row["file"].as_str() else { continue };
        let expected = if row["facet_must"] == "ACCEPT" {
            "accepted"
        } else {
            refused.remove(row["case"].as_str().unwrap()).unwrap_or("a known reason")
        };
        let mut archive = Cursor::new(fs::read(folder.join(file)).unwrap());
        let (found, written) = unpack(&mut archive, &claims(&row));
        if found != expected || written.is_empty() == (found == "accepted") {
            wrong.push(format!("{file}: {found}, not {expected}, {written:?}: {}", row["desc"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused.is_empty(), "no longer in the vectors: {refused:?}");
}

/// Counts what is read of an archive.
struct CountedArchive {
    bytes: Cursor<Vec<u8>>,
    read: usize,
}

impl Read for CountedArchive {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.read += read;
        Ok(read)
    }
}

impl Seek for CountedArchive {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(position)
    }
}

#[test]
fn the_bomb_of_the_vectors_is_refused_before_it_has_expanded() {
    let Some(folder) = shared_vectors("facets/negative") else { return };
    let rows = rows(&folder.join("cases.json"));
    let unstored: Vec<&Value> = rows.iter().filter(|row| row["file"].is_null()).collect();
    let [row] = unstored.as_slice() else { panic!("{unstored:?}") };
    assert_eq!((&row["case"], &row["facet_must"]), (&json!("neg-bomb"), &json!("REJECT")));
    let bytes = facet_bomb(row["inner_tar_sha256"].as_str().unwrap());
    let size = bytes.len();
    // The bytes of gzip, and so the hash of the archive, depend on the compressor.
    let expected = ExpectedArtifact { content_hash: None, ..claims(row) };
    let mut archive = CountedArchive { bytes: Cursor::new(bytes), read: 0 };
    let (found, written) = unpack(&mut archive, &expected);
    assert_eq!((found.as_str(), written.as_slice()), ("archive-ratio", &[] as &[String]));
    // Once from the outside; of the archive inside not even half.
    assert!(archive.read < size + size * 3 / 4, "{} of {size} were read", archive.read);
    if std::env::var_os("FACET_SOAK").is_some() {
        // Nothing else is wrong with it.
        let patient = ArchiveLimits { ratio: u64::MAX, ..ArchiveLimits::SPEC };
        let facet = read_facet(archive.bytes, &patient).unwrap();
        assert_eq!(code(&facet.verify(&expected)), "accepted");
    }
}

#[test]
fn an_archive_of_the_withdrawn_format_is_refused_as_such() {
    let Some(folder) = shared_vectors("facets/old-format") else { return };
    let bytes = fs::read(folder.join("acme-dev/dist/acme-dev-1.0.0.facet")).unwrap();
    assert_eq!(code(&read(&bytes)), "archive-facet-container");
}
