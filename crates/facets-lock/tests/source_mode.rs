//! Source-mode servers in a lock: written as read, hashed as specified, refused in their place.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::Digest;
use facets_failure::LineColumn;
use facets_lock::{ArtifactPin, Lock, LockError, LockedEntry, LockedServer, Pin};
use facets_model::{
    ArtifactSource, CommandOrigin, Origin, PlatformName, RuntimeName, SourceModeOrigin,
};
use facets_testkit::repository_root;

/// A lock with `greeter`, a command; `jira`, of a registry; and `notes`, built here.
fn text() -> String {
    std::fs::read_to_string(repository_root().join("testdata/source-mode/facets.lock")).unwrap()
}

fn parse(text: &str) -> Lock {
    Lock::parse(text.as_bytes()).unwrap()
}

fn server(name: &str) -> LockedServer {
    parse(&text()).server(name).unwrap_or_else(|| panic!("{name}")).clone()
}

fn artifact(server: &LockedServer) -> ArtifactPin {
    server.pin.artifact().unwrap().clone()
}

/// The lock with a text of the entry of `notes` replaced by another.
fn with_notes(from: &str, to: &str) -> String {
    let text = text();
    let (before, notes) = text.split_at(text.find("\"notes\": {").unwrap());
    let edited = notes.replacen(from, to, 1);
    assert_ne!(edited, notes, "{from}");
    format!("{before}{edited}")
}

fn source_mode(server: &LockedServer) -> &SourceModeOrigin {
    match &server.origin {
        Origin::SourceMode(artifact) => artifact,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_entry_is_read_and_written_again_byte_for_byte() {
    let lock = parse(&text());
    assert_eq!(lock.servers().keys().collect::<Vec<_>>(), ["greeter", "jira", "notes"]);
    for name in ["greeter", "jira", "notes"] {
        let server = lock.server(name).unwrap_or_else(|| panic!("{:?}", lock.servers()[name]));
        assert_eq!(lock.with_server(name, server).unwrap().text(), text(), "{name}");
        assert_eq!(lock.without_server(name).unwrap().server(name), None);
    }
}

#[test]
fn an_artifact_has_its_hashes_its_runtime_and_a_place() {
    let notes = server("notes");
    let pin = artifact(&notes);
    assert_eq!((pin.name.as_str(), pin.version.to_string()), ("notes-server", "1.0.0".to_owned()));
    assert_eq!(pin.integrity, Digest::of(b"notes-server1.0.0.tar"));
    assert_eq!(pin.content_hash, Digest::of(b"notes-server1.0.0.tar.gz"));
    assert_eq!(notes.pin.bytes(), Some(pin.content_hash));
    assert_eq!(pin.runtime.name, RuntimeName::Bun);
    assert_eq!(pin.runtime.version.to_string(), "1.4.4");
    let platforms: Vec<&str> = pin.runtime.binaries.keys().map(PlatformName::as_str).collect();
    assert_eq!(platforms, ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"]);
    assert_eq!(pin.runtime.binaries.values().next(), Some(&Digest::of(b"bun darwin-arm64")));
    let local = ArtifactSource::Local { path: "./server".parse().unwrap() };
    assert_eq!(source_mode(&notes).source, local);
    assert_eq!(notes.origin.variables(), ["HOST", "NOTES_TOKEN"]);
    let url = "https://registry.example/".parse().unwrap();
    assert_eq!(source_mode(&server("jira")).source, ArtifactSource::Registry { url });
    assert_eq!(server("greeter").pin, Pin::AsWritten);
    assert_eq!(Pin::AsWritten.bytes(), None);
}

/// spec 8.2: exactly how it starts
#[test]
fn the_launch_covers_everything_but_the_place_where_it_was_built() {
    let same = server("notes").launch_digest();
    let mut moved = server("notes");
    let source = ArtifactSource::Local { path: "/elsewhere".parse().unwrap() };
    moved.origin = SourceModeOrigin::new(source, vec!["HOST".into(), "NOTES_TOKEN".into()]).into();
    assert_eq!(moved.launch_digest(), same, "the same bytes start");
    let lock = parse(&text()).with_server("notes", &moved).unwrap();
    assert_eq!(lock.server("notes"), Some(&moved));

    let other = Digest::of(b"other");
    let edits: [fn(&mut ArtifactPin, Digest); 7] = [
        |pin, _| pin.name = "other".parse().unwrap(),
        |pin, _| pin.version = "1.0.1".parse().unwrap(),
        |pin, other| pin.integrity = other,
        |pin, other| pin.content_hash = other,
        |pin, _| pin.runtime.version = "1.4.5".parse().unwrap(),
        |pin, other| {
            pin.runtime.binaries.insert("linux-x64".parse().unwrap(), other);
        },
        |pin, other| {
            pin.runtime.binaries.insert("windows-x64".parse().unwrap(), other);
        },
    ];
    let mut digests = vec![same];
    for edit in edits {
        let mut server = server("notes");
        let mut pin = artifact(&server);
        edit(&mut pin, other);
        server.pin = Pin::Artifact(Box::new(pin));
        digests.push(server.launch_digest());
    }
    let mut fewer = server("notes");
    fewer.origin = SourceModeOrigin { env: Vec::new(), ..source_mode(&fewer).clone() }.into();
    digests.push(fewer.launch_digest());
    let mut fetched = server("notes");
    let source = source_mode(&server("jira")).source.clone();
    fetched.origin = SourceModeOrigin { source, ..source_mode(&fetched).clone() }.into();
    digests.push(fetched.launch_digest());
    let mut patient = server("notes");
    patient.settings.timeout = Some(60);
    digests.push(patient.launch_digest());
    let count = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), count);
}

#[test]
fn members_that_are_malformed_are_refused_in_their_place() {
    let cases = [
        ("\"name\": \"notes-server\"", "\"name\": \"Notes\"", "name"),
        ("\"version\": \"1.0.0\"", "\"version\": \"1.0\"", "version"),
        ("\"version\": \"1.0.0\"", "\"version\": \"1.0.0+b\"", "version"),
        ("\"integrity\": \"sha256:", "\"integrity\": \"sha512:", "integrity"),
        ("\"content_hash\": \"sha256:", "\"content_hash\": \"SHA256:", "content_hash"),
        ("\"integrity\": ", "\"later\": ", "integrity"),
        ("\"content_hash\": ", "\"later\": ", "content_hash"),
        ("\"runtime\": ", "\"later\": ", "runtime"),
        ("\"runtime\": {", "\"runtime\": { \"more\": 1,", "runtime.more"),
        ("\"name\": \"bun\"", "\"name\": \"node\"", "runtime.name"),
        ("\"version\": \"1.4.4\"", "\"version\": 1.4", "runtime.version"),
        ("\"binaries\": {", "\"other\": {", "runtime.other"),
        ("\"linux-x64\": \"sha256:", "\"linux-x64\": \"", "runtime.binaries.linux-x64"),
        ("\"linux-x64\": ", "\"Linux/x64\": ", "runtime.binaries.Linux/x64"),
        ("\"path\": \"./server\"", "\"path\": \"server\"", "path"),
        ("\"path\": \"./server\"", "\"path\": null", "path"),
        ("\"path\": \"./server\"", "\"later\": 1", "registry"),
        ("\"path\": \"./server\"", "\"registry\": null", "registry"),
        ("\"path\": \"./server\"", "\"registry\": \"registry.example\"", "registry"),
        ("\"path\": ", "\"registry\": \"https://e.example/\",\n      \"path\": ", "registry"),
        ("\"HOST\"", "\"Z\"", "env"),
        ("\"HOST\"", "\"NOTES_TOKEN\"", "env"),
        ("\"HOST\"", "\"A-B\"", "env"),
        ("\"HOST\"", "7", "env"),
        ("\"version\": \"1.0.0\"", "\"version\": \"1.0.1\"", "launch"),
    ];
    let first = text().lines().position(|line| line == "    \"notes\": {").unwrap() + 1;
    for (from, to, member) in cases {
        let lock = parse(&with_notes(from, to));
        let entry = &lock.servers()["notes"];
        let LockedEntry::Broken(LockError::Member { place, .. }) = entry else {
            panic!("{from} {to}: {entry:?}")
        };
        assert_eq!(*place, format!("servers.notes.{member}"), "{to}");
        let place = lock.place("notes").unwrap();
        assert!(place.line >= first && place.column >= 14, "{to}: {place}");
        assert!(lock.server("jira").is_some(), "that concerns this entry and no other");
    }
    let edited = with_notes("\"integrity\": \"sha256:", "\"integrity\": \"sha1:");
    let lock = parse(&edited);
    let line = edited.lines().position(|line| line.contains("\"sha1:")).unwrap() + 1;
    assert_eq!(lock.place("notes"), Some(LineColumn { line, column: 20 }));
}

#[test]
fn an_entry_without_a_problem_has_the_place_where_it_begins() {
    let lock = parse(&text());
    assert_eq!(lock.place("greeter"), Some(LineColumn { line: 5, column: 16 }));
    assert_eq!(lock.place("other"), None);
}

#[test]
fn a_runtime_without_platforms_is_refused() {
    let mut server = server("notes");
    let mut pin = artifact(&server);
    pin.runtime.binaries.clear();
    server.pin = Pin::Artifact(Box::new(pin));
    let lock = parse(&text()).with_server("notes", &server).unwrap();
    let entry = &lock.servers()["notes"];
    let LockedEntry::Broken(LockError::Member { place, .. }) = entry else { panic!("{entry:?}") };
    assert_eq!(place, "servers.notes.runtime.binaries");
}

#[test]
fn members_that_are_not_known_survive_in_every_kind_of_entry() {
    let with = text().replace("\"era\":", "\"later\": {\"a\": [1]},\n      \"era\":");
    let lock = parse(&with);
    for name in ["greeter", "jira", "notes"] {
        let server = lock.server(name).unwrap();
        assert_eq!(server.unknown, [("later".to_owned(), "{\"a\": [1]}".to_owned())], "{name}");
        let pinned = LockedServer { unknown: Vec::new(), ..server.clone() };
        let again = lock.with_server(name, &pinned).unwrap();
        assert_eq!(again.server(name).unwrap().unknown.len(), 1, "{name}");
    }
}

/// What is a member of one kind of server is only a name in another.
#[test]
fn members_of_artifacts_are_unknown_to_a_command_and_end_when_it_becomes_one() {
    let with = text().replacen("\"command\":", "\"version\": 3,\n      \"command\":", 1);
    let lock = parse(&with);
    let greeter = lock.server("greeter").unwrap();
    assert_eq!(greeter.unknown, [("version".to_owned(), "3".to_owned())]);
    let again = lock.with_server("greeter", greeter).unwrap();
    assert_eq!(again.server("greeter").unwrap().unknown, greeter.unknown);
    let replaced = lock.with_server("greeter", &server("notes")).unwrap();
    assert_eq!(replaced.server("greeter"), Some(&server("notes")), "{}", replaced.text());

    let command = CommandOrigin::new("sh".to_owned(), Vec::new(), Vec::new()).into();
    let back = LockedServer { origin: command, pin: Pin::AsWritten, ..server("notes") };
    let back = replaced.with_server("greeter", &back).unwrap();
    assert!(back.server("greeter").unwrap().unknown.is_empty());
    let text = back.text();
    let greeter = &text[text.find("\"greeter\"").unwrap()..text.find("\"jira\"").unwrap()];
    for member in ["\"integrity\"", "\"path\"", "\"runtime\""] {
        assert!(!greeter.contains(member), "{greeter}");
    }
}
