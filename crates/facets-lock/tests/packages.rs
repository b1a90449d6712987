//! Entries of servers from npm and PyPI.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_digest::Digest;
use facets_lock::{Lock, LockedEntry, LockedServer, PackagePin, Pin, RuntimePin, launch_digest};
use facets_model::{Origin, PackageOrigin, PackageTreeUse, RuntimeChoice, RuntimeName};

/// A lock with a server, whose surface is as good as any.
fn lock() -> Lock {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/source-mode/facets.lock");
    Lock::parse(&std::fs::read(path).unwrap()).unwrap()
}

fn origin() -> PackageOrigin {
    let origin = PackageOrigin {
        with: vec!["npm:b@1".parse().unwrap()],
        program: Some("run".to_owned()),
        runtime: Some(RuntimeChoice::Node),
        files: PackageTreeUse::Copied,
        args: vec!["--x".to_owned()],
        ..PackageOrigin::of("npm:@s/a@^1".parse().unwrap())
    };
    origin.with_variables(vec!["B".to_owned(), "A".to_owned()])
}

fn pin() -> PackagePin {
    PackagePin {
        resolved: "npm:@s/a@1.2.3".to_owned(),
        bin: "run".to_owned(),
        entry: "node_modules/@s/a/run.js".to_owned(),
        closure: Digest::of(b"closure"),
        runtime: RuntimePin {
            name: RuntimeName::Python,
            version: "3.11.7".parse().unwrap(),
            binaries: [("linux-x64-gnu".parse().unwrap(), Digest::of(b"python"))].into(),
            abi: Some("cp311".to_owned()),
        },
        trees: [("linux-x64-gnu".parse().unwrap(), Digest::of(b"tree"))].into(),
    }
}

/// The entry of another server, as a package.
fn server() -> LockedServer {
    let mut server = lock().server("notes").unwrap().clone();
    (server.origin, server.pin) = (origin().into(), Pin::Package(Box::new(pin())));
    server
}

fn text() -> String {
    Lock::empty().with_server("a", &server()).unwrap().text().to_owned()
}

/// Where an edited lock is wrong.
fn place_of(text: &str) -> Option<String> {
    match Lock::parse(text.as_bytes()).unwrap().servers().get("a")? {
        LockedEntry::Broken(problem) => Some(problem.to_string()),
        _ => None,
    }
}

#[test]
fn a_package_is_read_as_it_was_written() {
    let read = Lock::parse(text().as_bytes()).unwrap();
    let read = read.server("a").unwrap();
    assert_eq!((&read.origin, &read.pin), (&Origin::from(origin()), &server().pin));
    assert_eq!(read.pin.bytes(), Some(Digest::of(b"closure")));
    assert_eq!(read.pin.package(), Some(&pin()));
    assert_eq!(read.pin.artifact(), None);
}

#[test]
fn what_was_not_asked_for_is_not_written() {
    let mut plain = server();
    plain.origin = PackageOrigin::of("pypi:a".parse().unwrap()).into();
    let text = Lock::empty().with_server("a", &plain).unwrap().text().to_owned();
    for member in ["\"with\"", "wanted_bin", "wanted_runtime", "\"copy\""] {
        assert!(!text.contains(member), "{member}: {text}");
    }
    assert_eq!(Lock::parse(text.as_bytes()).unwrap().server("a").unwrap().origin, plain.origin);
}

#[test]
fn malformed_members_are_refused() {
    let text = text();
    for (old, new) in [
        ("\"npm:@s/a@^1\"", "\"left-pad\""),
        ("\"npm:b@1\"", "\"b\""),
        ("\"node\"", "\"deno\""),
        ("\"copy\": true", "\"copy\": false"),
        ("\"python\"", "\"uv\""),
        ("\"cp311\"", "7"),
        ("\"linux-x64-gnu\"", "\"Linux\""),
        ("\"bin\": \"run\"", "\"bin\": 1"),
    ] {
        assert!(text.contains(old), "{old}: {text}");
        assert!(place_of(&text.replacen(old, new, 1)).is_some(), "{old}");
    }
    assert_eq!(place_of(&text), None);
}

#[test]
fn variables_are_sorted_and_each_stands_once() {
    let text = text();
    for wrong in ["[\"B\",\"A\"]", "[\"A\",\"A\"]", "[\"a b\"]"] {
        let raw = with_variables(&text, wrong);
        let problem = place_of(&raw).unwrap_or_else(|| panic!("{wrong}"));
        assert!(problem.contains("env"), "{wrong}: {problem}");
    }
}

/// The text with another list of variables, however that is spread over lines.
fn with_variables(text: &str, list: &str) -> String {
    let start = text.find("\"env\": [").unwrap() + "\"env\": ".len();
    let end = start + text[start..].find(']').unwrap() + 1;
    format!("{}{list}{}", &text[..start], &text[end..])
}

#[test]
fn trees_are_no_part_of_the_launch_and_everything_else_is() {
    let server = server();
    let launch = |pin: PackagePin| {
        launch_digest(&server.origin, &Pin::Package(Box::new(pin)), &server.settings)
    };
    let other = PackagePin { trees: [].into(), ..pin() };
    assert_eq!(launch(pin()), launch(other.clone()));
    assert!(pin().is_same_start(&other), "another platform starts the same");
    for changed in [
        PackagePin { resolved: "npm:@s/a@1.2.4".to_owned(), ..pin() },
        PackagePin { bin: "x".to_owned(), ..pin() },
        PackagePin { entry: "x".to_owned(), ..pin() },
        PackagePin { closure: Digest::of(b"x"), ..pin() },
    ] {
        assert_ne!(launch(pin()), launch(changed.clone()));
        assert!(!pin().is_same_start(&changed), "{changed:?}");
    }
}
