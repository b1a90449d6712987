//! Servers of facets that nobody has looked at: known, kept, and never taken for one that was approved.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_lock::{Lock, LockError, LockedEntry, LockedServer, Signer, UncapturedServer};
use facets_model::manifest::{DeclaredServer, parse_declared_server};
use facets_model::{ArtifactSource, Origin, SourceModeOrigin};
use facets_testkit::repository_root;

/// A lock with `greeter`, a command; `jira`, of a registry; and `notes`, built here.
fn text() -> String {
    std::fs::read_to_string(repository_root().join("testdata/source-mode/facets.lock")).unwrap()
}

fn parse(text: &str) -> Lock {
    Lock::parse(text.as_bytes()).unwrap()
}

fn declared(name: &str, text: &str) -> UncapturedServer {
    let declared = parse_declared_server(name, text.as_bytes()).manifest.unwrap();
    UncapturedServer { declared, facet: "team-tools".to_owned() }
}

fn docs() -> UncapturedServer {
    declared("docs", r#"{"type":"http","url":"https://mcp.example.com/docs"}"#)
}

const DOCS: &str = r#"{
  "lockfileVersion": 0.3,
  "facets": {},
  "servers": {
    "docs": {
      "uncaptured": true,
      "declared": {
        "type": "http",
        "url": "https://mcp.example.com/docs"
      },
      "facet": "team-tools"
    }
  },
  "serversVersion": 2
}
"#;

#[test]
fn a_server_is_written_as_it_is_read() {
    let lock = Lock::empty().with_uncaptured("docs", &docs()).unwrap();
    assert_eq!(lock.text(), DOCS);
    assert_eq!(lock.servers()["docs"], LockedEntry::Uncaptured(Box::new(docs())));
    assert_eq!(lock.server("docs"), None, "nothing that could be started");
    assert_eq!(lock.without_server("docs").unwrap(), Lock::empty());
    let odd = DOCS.replace("\"uncaptured\": true,", "\"x\": 1, \"uncaptured\":true,");
    assert_eq!(parse(&odd).with_uncaptured("docs", &docs()).unwrap().text(), odd);
    for (name, text) in [
        ("jira", r#""1.0.0""#),
        ("Jira.prod", r#""@acme/jira@1.0.0""#),
        ("bot", r#"{"image":"bot"}"#),
        ("x", r#"{"type":"stdio","command":"npx","args":["-y","x"],"env":{"A":"b"}}"#),
    ] {
        let server = declared(name, text);
        let lock = lock.with_uncaptured(name, &server).unwrap();
        assert_eq!(lock.servers()[name], LockedEntry::Uncaptured(Box::new(server)), "{text}");
        assert_eq!(lock.servers().len(), 2);
    }
}

#[test]
fn members_that_are_not_known_and_the_signer_survive() {
    let text =
        DOCS.replace("\"facet\":", "\"later\": 1,\n      \"signer\": \"acme\",\n      \"facet\":");
    let lock = parse(&text);
    let other = declared("docs", r#"{"type":"http","url":"https://other.example/"}"#);
    let changed = lock.with_uncaptured("docs", &other).unwrap();
    assert!(
        changed.text().contains("\"signer\": \"acme\"") && changed.text().contains("\"later\"")
    );

    let greeter = parse(&self::text()).server("greeter").unwrap().clone();
    let captured = changed.with_server("docs", &greeter).unwrap();
    let server = captured.server("docs").unwrap();
    assert_eq!(server.signer, Some(Signer::Identity("acme".to_owned())));
    assert_eq!(server.unknown, [("later".to_owned(), "1".to_owned())]);
    assert!(!captured.text().contains("uncaptured"));

    let again = captured.with_uncaptured("docs", &docs()).unwrap();
    assert_eq!(again.servers()["docs"], LockedEntry::Uncaptured(Box::new(docs())));
    assert!(again.text().contains("\"signer\": \"acme\"") && again.text().contains("\"later\""));
    assert!(!again.text().contains("launch"), "{}", again.text());
}

#[test]
fn entries_of_others_and_of_approved_servers_keep_their_bytes() {
    let lock = parse(&text()).with_uncaptured("docs", &docs()).unwrap();
    for name in ["greeter", "jira", "notes"] {
        assert_eq!(lock.server(name), parse(&text()).server(name), "{name}");
    }
    assert_eq!(lock.without_server("docs").unwrap().text(), text());
    let without = lock.without_server("greeter").unwrap();
    assert!(matches!(without.servers()["docs"], LockedEntry::Uncaptured(_)));
}

#[test]
fn malformed_entries_are_refused_in_their_place() {
    let launch = r#""launch": "sha256:00", "facet":"#;
    for (from, to, member) in [
        ("\"uncaptured\": true", "\"uncaptured\": false", "uncaptured"),
        ("\"uncaptured\": true", "\"uncaptured\": \"true\"", "uncaptured"),
        ("\"facet\":", launch, "uncaptured"),
        ("\"facet\":", "\"surface_file\": \"x\", \"facet\":", "uncaptured"),
        ("\"declared\":", "\"was\":", "declared"),
        ("\"type\": \"http\"", "\"type\": \"sse\"", "declared"),
        ("https://mcp", "https://me:pw@mcp", "declared"),
        ("\"facet\": \"team-tools\"", "\"facet\": \"Team\"", "facet"),
        ("\"facet\": \"team-tools\"", "\"facet\": 7", "facet"),
        ("\"facet\": \"team-tools\"", "\"was\": \"team-tools\"", "facet"),
    ] {
        let edited = DOCS.replacen(from, to, 1);
        assert_ne!(edited, DOCS, "{from}");
        let lock = parse(&edited).with_server("greeter", &greeter()).unwrap();
        let entry = &lock.servers()["docs"];
        let LockedEntry::Broken(LockError::Member { place, .. }) = entry else {
            panic!("{from} {to}: {entry:?}")
        };
        assert_eq!(*place, format!("servers.docs.{member}"), "{to}");
        assert!(lock.server("greeter").is_some(), "that concerns this entry and no other");
        assert!(lock.place("docs").is_some());
    }
}

fn greeter() -> LockedServer {
    parse(&text()).server("greeter").unwrap().clone()
}

#[test]
fn an_entry_needs_the_version_of_our_part() {
    let entry = |from: &str, to: &str| parse(&DOCS.replace(from, to)).servers().clone();
    let none = entry(",\n  \"serversVersion\": 2", "");
    assert_eq!(none["docs"], LockedEntry::Broken(LockError::NoServersVersion));
    let first = entry("\"serversVersion\": 2", "\"serversVersion\": 1");
    assert!(matches!(&first["docs"], LockedEntry::Broken(LockError::Member { place, .. })
        if place == "servers.docs.uncaptured"));
    let name = entry("\"docs\": {", "\"@acme/docs\": {");
    assert_eq!(name["@acme/docs"], LockedEntry::Broken(LockError::BadServerName));
}

#[test]
fn what_cannot_be_read_again_is_not_written() {
    let error = |name: &str, server: &UncapturedServer| {
        Lock::empty().with_uncaptured(name, server).unwrap_err().to_string()
    };
    let floor = declared("jira", r#""1.0.0""#);
    let expected = "servers.Jira.declared is not a server as a facet declares it";
    assert_eq!(error("Jira", &floor), expected, "a floor needs the name of its artifact");
    assert_eq!(error("@acme/jira", &floor), LockError::BadServerName.to_string());
    let facet = UncapturedServer { facet: "Team".to_owned(), ..docs() };
    assert_eq!(error("docs", &facet), "servers.docs.facet is not the name of a facet");
    let source = ArtifactSource::Registry { url: "https://e.example/".parse().unwrap() };
    let origin: Origin = SourceModeOrigin::new(source, Vec::new()).into();
    let declared = DeclaredServer::Origin { origin, values: [].into() };
    let server = UncapturedServer { declared, ..docs() };
    assert_eq!(error("docs", &server), "the declaration of `docs` cannot be written");
}
