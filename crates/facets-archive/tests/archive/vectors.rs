//! Archives that the reference built, and archives that it was asked to install.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveLimits, ExpectedArtifact, FacetArchive, SourceTree, pack_facet, read_facet,
};
use facets_model::tree::ManifestFormat;
use facets_testkit::shared_vectors;
use serde_json::Value;

use crate::support::code;

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

#[test]
fn damaged_and_unusual_archives_are_judged_as_they_must_be() {
    let Some(folder) = shared_vectors("facets/negative") else { return };
    let rows = rows(&folder.join("cases.json"));
    assert_eq!(rows.len(), 50);
    let mut wrong = Vec::new();
    for row in rows {
        // The decompression bomb is not stored; an attack of our own has one.
        let Some(file) = row["file"].as_str() else { continue };
        let claims = &row["registry_claims"];
        let text = |name: &str| claims[name].as_str().map(str::to_owned);
        let expected = ExpectedArtifact {
            name: text("name"),
            version: text("version"),
            content_hash: text("content_hash").map(|hash| hash.parse().unwrap()),
            integrity: text("content_integrity").map(|hash| hash.parse().unwrap()),
        };
        let bytes = fs::read(folder.join(file)).unwrap();
        let verified = read(&bytes).and_then(|facet| facet.verify(&expected));
        let found = code(&verified);
        if (found == "accepted") != (row["facet_must"] == "ACCEPT") {
            wrong.push(format!("{file}: {found}, {}", row["desc"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_archive_of_the_withdrawn_format_is_refused_as_such() {
    let Some(folder) = shared_vectors("facets/old-format") else { return };
    let bytes = fs::read(folder.join("acme-dev/dist/acme-dev-1.0.0.facet")).unwrap();
    assert_eq!(code(&read(&bytes)), "archive-facet-container");
}
