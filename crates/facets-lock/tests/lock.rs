//! The lock as a whole: what is written is read, what others wrote stays, what does not fit is edited.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::Digest;
use facets_failure::{Describe as _, LineColumn};
use facets_lock::{Lock, LockError, LockedEntry, LockedServer, Profile, Signer, surface_path};
use facets_surface::{Era, ResourcesDigest, SurfaceHashes, parse_surface_file};
use facets_testkit::repository_root;

const PROJECT: &str = "testdata/written-by/2f02447/settled/project";

fn file(path: &str) -> String {
    std::fs::read_to_string(repository_root().join(PROJECT).join(path)).unwrap()
}

/// A lock of version 1.
fn text() -> String {
    file("facets.lock")
}

fn lock() -> Lock {
    Lock::parse(text().as_bytes()).unwrap()
}

fn greeter() -> LockedServer {
    lock().server("greeter").unwrap().clone()
}

/// Changes one hash of an entry to another.
type Edit = fn(&mut LockedServer, Digest);

/// What is wrong with an entry.
fn problem(lock: &Lock, name: &str) -> LockError {
    match &lock.servers()[name] {
        LockedEntry::Broken(error) => error.clone(),
        other => panic!("{other:?}"),
    }
}

fn place_of(error: &LockError) -> &str {
    match error {
        LockError::Member { place, .. } => place,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_that_is_written_again_is_the_same_byte_for_byte() {
    let lock = lock();
    let expected = text().replace("\"serversVersion\": 1", "\"serversVersion\": 2");
    for name in ["adopted", "far", "greeter"] {
        let server = lock.server(name).unwrap();
        assert_eq!(lock.with_server(name, server).unwrap().text(), expected, "{name}");
    }
    assert_eq!(greeter().surface.tools.keys().collect::<Vec<_>>(), ["greet"]);
    assert_eq!(greeter().surface.file, surface_path("greeter"));
    assert_eq!(surface_path("greeter"), ".facets/surfaces/greeter.json");
}

#[test]
fn the_last_server_takes_everything_of_ours_along() {
    let lock = lock().without_server("far").unwrap();
    assert_eq!(lock.servers().keys().collect::<Vec<_>>(), ["adopted", "greeter"]);
    let lock = lock.without_server("adopted").unwrap();
    assert!(lock.server("greeter").is_some() && lock.text().contains("\"serversVersion\": 2"));
    let lock = lock.without_server("greeter").unwrap();
    assert_eq!(lock, Lock::empty());
}

#[test]
fn servers_that_others_start_stay_without_our_version() {
    let with_other =
        text().replace("\"servers\": {", "\"servers\": {\n    \"other\": {\"image\": \"x\"},");
    let mut lock = Lock::parse(with_other.as_bytes()).unwrap();
    for name in ["adopted", "far", "greeter"] {
        lock = lock.without_server(name).unwrap();
    }
    assert!(matches!(lock.servers()["other"], LockedEntry::Other));
    assert!(!lock.text().contains("serversVersion"), "{}", lock.text());
}

/// spec 8.1: entries of another program or another kind
#[test]
fn an_entry_is_ours_by_launch_and_surface_file_unless_it_is_of_another_kind() {
    for (entry, is_ours) in [
        (r#"{"launch":"x"}"#, true),
        (r#"{"surface_file":"x"}"#, true),
        (r#"{"command":"x"}"#, false),
        (r#"{"launch":"x","image":"y"}"#, false),
        (r#"{"launch":"x","package":"y"}"#, true),
        (r#"{"surface_file":"x","integrity":"y"}"#, true),
        (r#"{"integrity":"y","content_hash":"z"}"#, false),
        (r#"{"launch":"x","integrity":"y","package":"z"}"#, true),
        (r#"{"launch":"x","image":"y","command":"z"}"#, true),
        (r#"{"launch":"x","integrity":"y","url":"z"}"#, true),
        (r#"{"image":"y","command":"z"}"#, false),
        ("7", false),
    ] {
        let text = format!(
            r#"{{"lockfileVersion":0.3,"facets":{{}},"serversVersion":2,"servers":{{"a":{entry}}}}}"#
        );
        let lock = Lock::parse(text.as_bytes()).unwrap();
        assert_eq!(matches!(lock.servers()["a"], LockedEntry::Broken(_)), is_ours, "{entry}");
        assert_eq!(matches!(lock.servers()["a"], LockedEntry::Other), !is_ours, "{entry}");
    }
}

#[test]
fn a_member_of_version_2_in_a_lock_of_version_1_is_an_edit() {
    let mut server = greeter();
    server.settings.timeout = Some(7);
    let newer = lock().with_server("greeter", &server).unwrap();
    assert_eq!(newer.server("greeter"), Some(&server));
    let older = newer.text().replace("\"serversVersion\": 2", "\"serversVersion\": 1");
    let older = Lock::parse(older.as_bytes()).unwrap();
    assert_eq!(place_of(&problem(&older, "greeter")), "servers.greeter.timeout");
    assert!(older.server("adopted").is_some(), "that concerns this entry and no other");
}

#[test]
fn entries_without_version_or_with_an_impossible_name_are_edits() {
    let text = text();
    let without =
        text.replace("  \"serversVersion\": 1,\n", "").replace(",\n  \"serversVersion\": 1", "");
    assert_ne!(without, text);
    let lock = Lock::parse(without.as_bytes()).unwrap();
    assert_eq!(problem(&lock, "greeter"), LockError::NoServersVersion);
    let lock = Lock::parse(text.replace("\"greeter\": {", "\"../x\": {").as_bytes()).unwrap();
    assert_eq!(problem(&lock, "../x"), LockError::BadServerName);
}

#[test]
fn members_that_are_not_known_survive_a_new_pin() {
    let with = text().replacen("\"era\":", "\"later\": {\"a\": [1]},\n      \"era\":", 3);
    let lock = Lock::parse(with.as_bytes()).unwrap();
    let server = lock.server("greeter").unwrap();
    let expected = [("later".to_owned(), "{\"a\": [1]}".to_owned())];
    assert_eq!(server.unknown, expected);
    let pinned = LockedServer { unknown: Vec::new(), ..server.clone() };
    let again = lock.with_server("greeter", &pinned).unwrap();
    let again = &again.server("greeter").unwrap().unknown;
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].1.split_whitespace().collect::<String>(), "{\"a\":[1]}");
}

#[test]
fn both_eras_are_read_and_no_other() {
    let era = |word: &str| {
        let text = text().replace("\"era\": \"initialize\"", &format!("\"era\": \"{word}\""));
        Lock::parse(text.as_bytes()).unwrap().server("greeter").map(|server| server.era)
    };
    assert_eq!(era("initialize"), Some(Era::Initialize));
    assert_eq!(era("discover"), Some(Era::Discover));
    assert_eq!(era("other"), None);
}

#[test]
fn a_directory_that_no_process_can_start_in_is_refused_even_with_its_digest() {
    for directory in ["", "a\0b"] {
        let mut server = greeter();
        server.settings.directory = Some(directory.to_owned());
        let lock = lock().with_server("greeter", &server).unwrap();
        assert_eq!(place_of(&problem(&lock, "greeter")), "servers.greeter.directory");
    }
}

#[test]
fn a_profile_that_does_not_follow_from_the_files_granted_is_refused_even_with_its_digest() {
    let mut server = greeter();
    for (profile, is_right) in [(Profile::Native, true), (Profile::Private, false)] {
        server.settings.profile = profile;
        let lock = lock().with_server("greeter", &server).unwrap();
        assert_eq!(lock.server("greeter").is_some(), is_right, "{profile:?}");
    }
}

#[test]
fn hashes_of_tools_are_read_strictly() {
    let text = text();
    for (from, to) in [
        ("\"tools\": {", "\"tools\": { \"more\": 7,"),
        ("\"greet\": {", "\"greet\": { \"more\": 7,"),
        ("\"behavior\": {", "\"behavior\": { \"more\": 7,"),
        ("\"tokenEconomics\":", "\"tokens\":"),
        ("\"schema\": \"sha256:", "\"schema\": \"sha512:"),
    ] {
        let edited = text.replace(from, to);
        assert_ne!(edited, text);
        let lock = Lock::parse(edited.as_bytes()).unwrap();
        assert!(place_of(&problem(&lock, "greeter")).contains("tools"), "{to}");
    }
}

#[test]
fn headers_of_an_address_name_variables() {
    let edited = text().replace("\"X-Key\": \"KEY\"", "\"X-Key\": 7");
    assert_ne!(edited, text());
    let lock = Lock::parse(edited.as_bytes()).unwrap();
    assert_eq!(place_of(&problem(&lock, "far")), "servers.far.headers");
}

/// spec 8.3: edited, if any hash of the entry is not that of the file
#[test]
fn the_first_hash_that_differs_is_named() {
    let bytes = file(".facets/surfaces/greeter.json");
    let surface = parse_surface_file(bytes.as_bytes()).unwrap();
    let (hashes, digest) = (surface.hashes(), Digest::of(bytes.as_bytes()));
    let difference = |server: &LockedServer| server.first_difference(surface.era, &hashes, digest);
    assert_eq!(difference(&greeter()), None);
    let other = Digest::of(b"another");
    let edits: [(&str, Edit); 8] = [
        ("era", |server, _| server.era = Era::Discover),
        ("api_surface", |server, other| server.surface.api_surface = other),
        ("surface", |server, other| server.surface.digest = other),
        ("resources", |server, _| server.surface.resources = ResourcesDigest::Volatile),
        ("behavior", |server, other| server.surface.behavior = other),
        ("surface_file_digest", |server, other| server.surface.file_digest = other),
        ("tools.greet", |server, _| server.surface.tools.clear()),
        ("tools.greet", |server, other| {
            server.surface.tools.get_mut("greet").unwrap().identity.digest = other;
        }),
    ];
    for (name, edit) in edits {
        let mut server = greeter();
        edit(&mut server, other);
        assert_eq!(difference(&server).as_deref(), Some(name));
    }
}

#[test]
fn resources_are_absent_volatile_or_a_digest() {
    for resources in [
        ResourcesDigest::Absent,
        ResourcesDigest::Volatile,
        ResourcesDigest::Stable(Digest::of(b"x")),
    ] {
        let mut server = greeter();
        server.surface.resources = resources;
        let lock = lock().with_server("greeter", &server).unwrap();
        assert_eq!(lock.server("greeter").unwrap().surface.resources, resources);
    }
}

#[test]
fn what_is_pinned_of_a_server_is_what_its_hashes_say() {
    let bytes = file(".facets/surfaces/greeter.json");
    let surface = parse_surface_file(bytes.as_bytes()).unwrap();
    let hashes: SurfaceHashes = surface.hashes();
    let old = greeter();
    let pinned = LockedServer::new(
        "greeter",
        (old.origin.clone(), old.pin.clone()),
        old.settings.clone(),
        surface.era,
        &hashes,
        Digest::of(bytes.as_bytes()),
    );
    assert_eq!(pinned.surface, old.surface);
}

#[test]
fn a_signer_is_shown_as_it_is_written() {
    assert_eq!(Signer::Identity("acme".to_owned()).to_string(), "acme");
    assert_eq!(Signer::Unreadable("{\"key\":1}".to_owned()).to_string(), "{\"key\":1}");
}

#[test]
fn a_lock_that_cannot_be_used_says_why() {
    let failure = |text: &str| Lock::parse(text.as_bytes()).unwrap_err().describe();
    let json = failure("{\n x}");
    assert_eq!(
        (json.code, json.place),
        ("json-unexpected-character", Some(LineColumn { line: 2, column: 2 }))
    );
    assert_eq!(json.expected.as_deref(), Some("a member name or '}'"));
    assert_eq!(json.actual.as_deref(), Some("'x'"));
    let none = failure("{}");
    assert_eq!((none.code, none.place), ("lock-not-a-lock", None));
    assert_eq!(none.expected.as_deref(), Some("a lock as facet writes it"));
    assert_eq!(none.actual.as_deref(), Some("`lockfileVersion` is missing"));
    for (text, message, known) in [
        ("{\"lockfileVersion\": 9}", "lockfileVersion is 9", "version 0.2 and 0.3"),
        (
            "{\"lockfileVersion\": 0.2, \"serversVersion\": 3}",
            "serversVersion is 3",
            "version 1 and 2",
        ),
    ] {
        let version = failure(text);
        assert_eq!((version.code, &*version.message), ("lock-unknown-version", message));
        assert_eq!(version.expected.as_deref(), Some(known));
        let actual = format!("{message}, which this facet does not support");
        assert_eq!(version.actual, Some(actual));
    }
    let member = failure("{\"lockfileVersion\": 0.3, \"servers\": []}");
    assert_eq!((member.code, &*member.message), ("lock-bad-member", "servers is not an object"));
}

#[test]
fn a_lock_that_cannot_be_edited_says_where() {
    let source = facets_jsonc::set_member("{\n x", &["a"], "1", facets_jsonc::Order::AtEnd);
    let failure = LockError::from(source.unwrap_err()).describe();
    assert_eq!(failure.code, "lock-cannot-be-edited");
    assert_eq!(failure.place.map(|place| place.line), Some(2));
}
