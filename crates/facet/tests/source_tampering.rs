//! One byte of a server from source, wherever it lies: each command refuses it, and nothing is started.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::path::Path;

use facets_testkit::{Random, long_count};
use serde_json::json;
use sourced::{OwnPlace, Place, code_of, flip, flip_at};
use trusted::findings;

const VERBS: [&str; 3] = ["run", "verify", "check"];

/// Changes a byte before each command, which refuses the server without a start; then the server is stored anew.
fn refused_by_all(place: &Place, file: &Path, code: &str) {
    for verb in VERBS {
        flip(file);
        assert_eq!(place.refusal(verb), code, "{verb} {}", file.display());
        assert!(!place.take_mark(), "{verb} has started it");
        place.approve();
        place.take_mark();
    }
}

#[test]
fn one_byte_of_the_store_starts_nothing() {
    let Some(place) = Place::new() else { return };
    place.add_marking("guarded");
    let entry = place.entry("mine");
    let archive = place.stored("files", &entry["content_hash"]).join("content");
    let tree = place.stored("servers", &entry["integrity"]);
    refused_by_all(&place, &archive, "store-tampered");
    refused_by_all(&place, &tree.join("tree/index.ts"), "store-tampered");
    refused_by_all(&place, &tree.join("tree/server.yaml"), "store-tampered");
    // A manifest that states other files is another tree.
    refused_by_all(&place, &tree.join("manifest"), "store-mismatch");
    assert_eq!(place.greeting().as_deref(), Some("Hello, Ada!"));
}

#[test]
fn an_archive_that_was_modified_is_evicted_and_run_builds_none() {
    let Some(place) = Place::new() else { return };
    place.add_marking("evicted");
    flip(&place.stored("files", &place.entry("mine")["content_hash"]).join("content"));
    assert_eq!(place.refusal("run"), "store-tampered");
    assert_eq!(place.refusal("run"), "artifact-not-stored");
    assert!(!place.take_mark());
    // A look builds the directory again, which has the same bytes.
    place.facet(&["check"]).exits(0);
    assert_eq!(place.greeting().as_deref(), Some("Hello, Ada!"));
}

#[test]
fn one_byte_of_the_runtime_starts_nothing() {
    for verb in VERBS {
        let Some(place) = OwnPlace::new() else { return };
        place.add_marking("unlucky");
        flip(&place.runtime_program());
        assert_eq!(place.refusal(verb), "store-tampered", "{verb}");
        // It was evicted, and `run` fetches nothing.
        assert_eq!(place.refusal("run"), "artifact-runtime-absent", "{verb}");
        assert!(!place.take_mark(), "{verb} has started it");
    }
}

/// Changes one byte of a file in the project at a time, and judges with which code each command refuses it.
fn with_other_bytes(
    place: &Place,
    file: &str,
    places: std::ops::Range<usize>,
    judge: impl Fn(&str, &str),
) {
    let (path, text) = (place.trusted.file(file), place.trusted.read(file));
    let mut random = Random::seeded(20);
    for _ in 0..long_count(300) {
        let at = places.start + random.below(places.len());
        flip_at(&path, at);
        for verb in VERBS {
            let code = place.refusal(verb);
            judge(verb, &code);
            // If the lock names another source for the same bytes, `check` looks at these bytes all the same.
            let may_start = (verb, code.as_str()) == ("check", "drift");
            assert!(
                !place.take_mark() || may_start,
                "{verb} has started it with another byte {at}"
            );
        }
        place.trusted.write(file, &text);
    }
    place.facet(&["verify"]).exits(0);
    assert_eq!(place.greeting().as_deref(), Some("Hello, Ada!"));
}

#[test]
fn one_byte_of_the_lock_starts_nothing() {
    let Some(place) = Place::new() else { return };
    place.add_marking("locked");
    let lock = place.trusted.read("facets.lock");
    // All that the entry has but its grants, which are limited to the latest decision of the user.
    let entry = lock.find("\"mine\": {").unwrap()..lock.find("\"grants\": {").unwrap();
    with_other_bytes(&place, "facets.lock", entry, |verb, code| {
        let is_known = match code {
            "lock-edited" | "launch-differs" | "server-unknown" => verb == "run",
            "edited" | "drift" => verb != "run",
            other => other.starts_with("json-"),
        };
        assert!(is_known, "{verb}: {code}");
    });
}

#[test]
fn one_byte_of_the_surface_file_starts_nothing() {
    let Some(place) = Place::new() else { return };
    place.add_marking("described");
    let file = ".facets/surfaces/mine.json";
    let all = 0..place.trusted.read(file).len();
    with_other_bytes(&place, file, all, |verb, code| {
        assert_eq!(code, if verb == "run" { "lock-edited" } else { "edited" }, "{verb}");
    });
}

/// A project with an archive that nothing has pinned yet.
fn with_archive(name: &str) -> Option<(Place, Vec<u8>)> {
    let place = Place::new()?;
    place.init(name);
    let words = ["build", name, "--output", "mine.server.tar.gz"];
    place.facet(&words).exits(0);
    let bytes = fs::read(place.trusted.file("mine.server.tar.gz")).unwrap();
    Some((place, bytes))
}

#[test]
fn one_byte_of_an_archive_is_refused_by_add_and_nothing_is_pinned() {
    let Some((place, archive)) = with_archive("damaged") else { return };
    let path = place.trusted.file("mine.server.tar.gz");
    let add = ["add", "mine", "--yes", "./mine.server.tar.gz"];
    let mut random = Random::seeded(20);
    let anywhere: Vec<usize> =
        (0..long_count(300)).map(|_| 10 + random.below(archive.len() - 10)).collect();
    let magic_and_checksum =
        [(0, "archive-gzip-header"), (archive.len() - 6, "archive-gzip-checksum")];
    let cases = anywhere.into_iter().map(|at| (at, "archive-")).chain(magic_and_checksum);
    for (at, code) in cases {
        flip_at(&path, at);
        let error = place.json(&add).exits(2).json();
        assert!(code_of(&error).starts_with(code), "{at}: {error}");
        fs::write(&path, &archive).unwrap();
    }
    for file in ["facets.json", "facets.lock", ".facets"] {
        assert!(!place.trusted.file(file).exists(), "{file}");
    }
    place.facet(&add).exits(0);
}

#[test]
fn an_archive_that_changed_since_is_reported_and_the_pinned_bytes_run() {
    let Some((place, archive)) = with_archive("replaced") else { return };
    let path = place.trusted.file("mine.server.tar.gz");
    place.facet(&["add", "mine", "--yes", "./mine.server.tar.gz"]).exits(0);
    let before = place.entry("mine");
    // The time of gzip says nothing, so that the archive is a valid one with another hash.
    flip_at(&path, 4);
    let checked = place.json(&["check"]).exits(1).json();
    let kinds: Vec<_> = findings(&checked).iter().map(|one| one["type"].clone()).collect();
    assert_eq!(kinds, [json!("content_changed")], "{checked:#}");
    assert_eq!(place.greeting().as_deref(), Some("Hello, Ada!"));
    fs::write(&path, &archive).unwrap();
    flip_at(&path, archive.len() - 6);
    assert_eq!(place.refusal("check"), "archive-gzip-checksum");
    let approve = place.json(&["approve", "mine", "--yes", "--accept", "critical"]);
    assert_eq!(code_of(&approve.exits(2).json()), "archive-gzip-checksum");
    place.facet(&["verify"]).exits(0);
    assert_eq!(place.greeting().as_deref(), Some("Hello, Ada!"));
    assert_eq!(place.entry("mine"), before);
}
