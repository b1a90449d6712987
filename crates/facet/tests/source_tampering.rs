//! One byte of a server from source, wherever it lies: each command refuses it, and nothing is started.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use facets_digest::Digest;
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

/// Writes a sealed file.
fn write_sealed(path: &Path, bytes: &[u8]) {
    let sealed = fs::metadata(path).unwrap().permissions();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, sealed).unwrap();
}

/// All that a program can write that can write to the store, so that it fits together.
#[test]
fn files_that_were_replaced_with_their_manifest_and_note_are_refused() {
    let Some(place) = Place::new() else { return };
    place.add_marking("forged");
    let entry = place.entry("mine");
    let tree = place.stored("servers", &entry["integrity"]);
    for verb in VERBS {
        let (program, manifest) = (tree.join("tree/index.ts"), tree.join("manifest"));
        let digest = |path: &Path| Digest::of(&fs::read(path).unwrap()).to_string();
        let before = [digest(&program), digest(&manifest)];
        flip(&program);
        let text = fs::read_to_string(&manifest).unwrap();
        write_sealed(&manifest, text.replace(&before[0], &digest(&program)).as_bytes());
        let note = fs::read_to_string(tree.join("origin")).unwrap();
        assert!(note.contains(&before[1]), "{note}");
        write_sealed(&tree.join("origin"), note.replace(&before[1], &digest(&manifest)).as_bytes());
        assert_eq!(place.refusal(verb), "store-mismatch", "{verb}");
        assert!(!place.take_mark(), "{verb} has started it");
        place.approve();
        place.take_mark();
    }
}

#[test]
fn a_lock_that_combines_two_stored_archives_is_refused() {
    let Some(place) = Place::new() else { return };
    for name in ["one", "two"] {
        place.init(name);
        place.facet(&["add", name, "--yes", &format!("./{name}")]).exits(0);
    }
    let integrity = |name| place.entry(name)["integrity"].as_str().unwrap().to_owned();
    let lock = place.trusted.read("facets.lock");
    place.trusted.write("facets.lock", &lock.replace(&integrity("one"), &integrity("two")));
    let report = place.json(&["verify", "one"]);
    assert_ne!(report.exit, 0, "{report:?}");
    place.trusted.write("facets.lock", &lock);
    place.facet(&["verify"]).exits(0);
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

/// The codes with which a command refuses all servers, by their names.
fn codes(place: &Place, verb: &str) -> Vec<(String, String)> {
    let report = place.json(&[verb]).exits(1).json();
    let servers = report["servers"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    servers.map(|one| (text(&one["name"]), text(&one["error"]["code"]))).collect()
}

#[test]
fn two_servers_with_one_modified_entry_have_the_same_verdict() {
    for verb in ["verify", "check"] {
        for file in ["archive", "tree", "runtime"] {
            let Some(place) = OwnPlace::new() else { return };
            place.init("shared");
            for name in ["first", "second"] {
                place.facet(&["add", name, "--yes", "./shared"]).exits(0);
            }
            let entry = place.entry("first");
            flip(&match file {
                "archive" => place.stored("files", &entry["content_hash"]).join("content"),
                "tree" => place.stored("servers", &entry["integrity"]).join("tree/index.ts"),
                _ => place.runtime_program(),
            });
            let refused =
                ["first", "second"].map(|name| (name.to_owned(), "store-tampered".to_owned()));
            assert_eq!(codes(&place, verb), refused, "{verb} {file}");
        }
    }
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
