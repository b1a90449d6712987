//! Facets packed, read and unpacked.

use std::fs::{self, File};
use std::io::Cursor;
use std::os::fd::AsFd as _;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveLimits, ExpectedArtifact, PackedFacet, SourceTree, pack_facet, read_facet,
    read_facet_files, read_facet_texts, unpack_facet,
};
use facets_digest::Digest;
use facets_model::tree::ManifestFormat;

use crate::support::{code, listing, write_tree};

const MANIFEST: &str =
    r#"{"name":"demo","version":"1.0.0","skills":{"s":{"description":"d"}},"files":["z"]}"#;

fn pack(root: &Path, format: ManifestFormat) -> Result<(PackedFacet, Vec<u8>), ArchiveError> {
    let tree = SourceTree::open(root)?;
    let mut bytes = Vec::new();
    let packed = pack_facet(&tree, format, &ArchiveLimits::SPEC, &mut bytes)?;
    Ok((packed, bytes))
}

#[test]
fn a_facet_is_unpacked_as_it_was_packed() {
    let place = tempfile::tempdir().unwrap();
    let files = [("facet.json", MANIFEST), ("skills/s/SKILL.md", "# hi\n"), ("z", "last")];
    write_tree(place.path(), &files);
    let (packed, bytes) = pack(place.path(), ManifestFormat::Json).unwrap();
    assert_eq!(packed.index.content_hash, Digest::of(&bytes));
    let target = tempfile::tempdir().unwrap();
    let directory = File::open(target.path()).unwrap();
    let (expected, limits) = (ExpectedArtifact::default(), ArchiveLimits::SPEC);
    let mut archive = Cursor::new(&bytes);
    let unpacked = unpack_facet(&mut archive, &expected, directory.as_fd(), &limits).unwrap();
    assert_eq!(unpacked.index, packed.index);
    assert_eq!(
        listing(target.path()),
        ["facet.json", "skills/", "skills/s/", "skills/s/SKILL.md", "z"]
    );
    assert_eq!(fs::read_to_string(target.path().join("z")).unwrap(), "last");
}

#[test]
fn the_texts_of_a_facet_are_read_and_other_files_are_left_out() {
    let place = tempfile::tempdir().unwrap();
    write_tree(place.path(), &[("facet.json", MANIFEST), ("skills/s/SKILL.md", "# hi\n")]);
    fs::write(place.path().join("z"), b"\xff").unwrap();
    let (_, bytes) = pack(place.path(), ManifestFormat::Json).unwrap();
    let read = |most| read_facet_texts(&mut Cursor::new(&bytes), &ArchiveLimits::SPEC, most);
    let size = MANIFEST.len() as u64 + 6;
    let texts: Vec<(String, String)> =
        read(size).unwrap().into_iter().map(|(path, text)| (path.to_string(), text)).collect();
    let expected = [("facet.json", MANIFEST), ("skills/s/SKILL.md", "# hi\n")];
    assert_eq!(texts, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    assert_eq!(code(&read(size - 1)), "archive-too-large");
    let facet = read_facet(Cursor::new(&bytes), &ArchiveLimits::SPEC).unwrap();
    assert_eq!(facet.manifest_text, MANIFEST);
}

#[test]
fn the_bytes_of_all_files_are_read_within_the_limits_and_after_every_rule() {
    let place = tempfile::tempdir().unwrap();
    write_tree(place.path(), &[("facet.json", MANIFEST), ("skills/s/SKILL.md", "# hi\n")]);
    fs::write(place.path().join("z"), b"\xff\x00").unwrap();
    let (packed, bytes) = pack(place.path(), ManifestFormat::Json).unwrap();
    let read = |bytes: &[u8], total| {
        let limits = ArchiveLimits { total, ..ArchiveLimits::SPEC };
        read_facet_files(&mut Cursor::new(bytes), &limits)
    };
    let (facet, files) = read(&bytes, ArchiveLimits::SPEC.total).unwrap();
    assert_eq!(facet.index, packed.index);
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let text: &[u8] = b"# hi\n";
    let expected: [(&str, &[u8]); 3] =
        [("facet.json", MANIFEST.as_bytes()), ("skills/s/SKILL.md", text), ("z", b"\xff\x00")];
    assert_eq!(files, expected);
    assert_eq!(code(&read(&bytes, 1024)), "archive-too-large");
    let wrong = String::from_utf8_lossy(&bytes).find("\"z\": \"sha256:").unwrap();
    let mut bytes = bytes;
    bytes[wrong + 15] = if bytes[wrong + 15] == b'0' { b'1' } else { b'0' };
    assert!(read(&bytes, ArchiveLimits::SPEC.total).is_err());
}

#[test]
fn a_yaml_manifest_is_archived_as_json() {
    let place = tempfile::tempdir().unwrap();
    let manifest = "name: demo\nversion: 1.0.0\nskills:\n  s:\n    description: d\n";
    write_tree(place.path(), &[("facet.yaml", manifest), ("skills/s/SKILL.md", "# hi\n")]);
    let (packed, bytes) = pack(place.path(), ManifestFormat::Yaml).unwrap();
    let json = r#"{
  "name": "demo",
  "version": "1.0.0",
  "skills": {
    "s": {
      "description": "d"
    }
  }
}
"#;
    let file = packed.index.file("facet.json").unwrap();
    assert_eq!(file.digest, Digest::of(json.as_bytes()));
    assert!(packed.index.file("facet.yaml").is_none());
    assert_eq!(code(&read_facet(Cursor::new(&bytes), &ArchiveLimits::SPEC)), "accepted");
}

#[test]
fn what_the_reference_would_change_or_lose_is_not_built() {
    for (path, content, expected) in [
        ("skills/s/SKILL.md", "\u{feff}# hi\n", "archive-text"),
        ("skills/s/SKILL.md", " \n", "archive-text"),
        ("facet.json", "\u{feff}{}", "archive-manifest"),
        (
            "facet.json",
            r#"{"name":"demo","version":"1.0.0","facets":["a-b@1.0.0"]}"#,
            "archive-composition",
        ),
    ] {
        let place = tempfile::tempdir().unwrap();
        let files = [("facet.json", MANIFEST), ("skills/s/SKILL.md", "# hi\n"), ("z", "")];
        write_tree(place.path(), &files);
        write_tree(place.path(), &[(path, content)]);
        assert_eq!(code(&pack(place.path(), ManifestFormat::Json)), expected, "{path}");
    }
    let place = tempfile::tempdir().unwrap();
    write_tree(place.path(), &[("facet.json", MANIFEST), ("skills/s/SKILL.md", "# hi\n")]);
    assert_eq!(code(&pack(place.path(), ManifestFormat::Json)), "archive-missing-file");
    fs::write(place.path().join("skills/s/SKILL.md"), b"\xff").unwrap();
    fs::write(place.path().join("z"), b"").unwrap();
    assert_eq!(code(&pack(place.path(), ManifestFormat::Json)), "archive-text");
}

/// A header that ends on 10240 bytes with nothing behind it is the end to the reference.
#[test]
fn an_empty_last_file_on_the_boundary_is_not_built() {
    let place = tempfile::tempdir().unwrap();
    // facet.json and SKILL.md take 1024 bytes each, the header of `z` 512: the rest is for `a`.
    let manifest = MANIFEST.replace(r#"["z"]"#, r#"["a","z"]"#);
    let filler = "x".repeat(10_240 - 2 * 1024 - 2 * 512);
    let files =
        [("facet.json", &*manifest), ("skills/s/SKILL.md", "# hi\n"), ("a", &*filler), ("z", "")];
    write_tree(place.path(), &files);
    assert_eq!(code(&pack(place.path(), ManifestFormat::Json)), "archive-empty-last-entry");
    fs::write(place.path().join("a"), "shorter").unwrap();
    let (_, bytes) = pack(place.path(), ManifestFormat::Json).unwrap();
    assert_eq!(code(&read_facet(Cursor::new(&bytes), &ArchiveLimits::SPEC)), "accepted");
}

#[test]
fn another_artifact_than_the_requested_one_is_not_unpacked() {
    let place = tempfile::tempdir().unwrap();
    let files = [("facet.json", MANIFEST), ("skills/s/SKILL.md", "# hi\n"), ("z", "last")];
    write_tree(place.path(), &files);
    let (packed, bytes) = pack(place.path(), ManifestFormat::Json).unwrap();
    let right = ExpectedArtifact {
        name: Some("demo".to_owned()),
        version: Some("1.0.0".to_owned()),
        content_hash: Some(packed.index.content_hash),
        integrity: Some(packed.index.integrity),
    };
    let other = Some(Digest::of(b"other"));
    let cases = [
        (right.clone(), "accepted"),
        (
            ExpectedArtifact { name: Some("other".to_owned()), ..right.clone() },
            "archive-identity-mismatch",
        ),
        (
            ExpectedArtifact { version: Some("2.0.0".to_owned()), ..right.clone() },
            "archive-identity-mismatch",
        ),
        (
            ExpectedArtifact { content_hash: other, ..right.clone() },
            "archive-content-hash-mismatch",
        ),
        (ExpectedArtifact { integrity: other, ..right }, "archive-integrity-mismatch"),
    ];
    for (expected, outcome) in cases {
        let target = tempfile::tempdir().unwrap();
        let directory = File::open(target.path()).unwrap();
        let mut archive = Cursor::new(&bytes);
        let result = unpack_facet(&mut archive, &expected, directory.as_fd(), &ArchiveLimits::SPEC);
        assert_eq!(code(&result), outcome);
        assert_eq!(listing(target.path()).is_empty(), outcome != "accepted");
    }
}
