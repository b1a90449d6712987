//! Critical findings that were accepted: written into an entry, read strictly, and no part of how a server starts.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_lock::{
    AcceptedFinding, AcceptedFindings, Lock, LockedEntry, LockedFacet, LockedFacetEntry,
    LockedServer,
};
use facets_testkit::repository_root;

const PROJECT: &str = "testdata/written-by/ff83894/settled/project/facets.lock";
const FACET: &str = r#"{
  "lockfileVersion": 0.3,
  "facets": {
    "tools": {
      "source": {"kind": "registry", "registry": "https://registry.example"},
      "version": "1.0.0",
      "integrity": "sha256:0000000000000000000000000000000000000000000000000000000000000000",
      "assets": []
    }
  }
}
"#;

fn lock() -> Lock {
    Lock::parse(&std::fs::read(repository_root().join(PROJECT)).unwrap()).unwrap()
}

fn accepted(all: &[(&str, &str)]) -> AcceptedFindings {
    let one = |(code, subject): &(&str, &str)| AcceptedFinding {
        code: (*code).to_owned(),
        subject: (*subject).to_owned(),
    };
    all.iter().map(one).collect()
}

fn two() -> AcceptedFindings {
    let [tool, same] = [("marker-secret-path", "tool greet"); 2];
    accepted(&[tool, ("entitlement_gained", "server"), same])
}

const WRITTEN: &str = r#""accepted": [
        {
          "code": "entitlement_gained",
          "severity": "critical",
          "subject": "server"
        },
        {
          "code": "marker-secret-path",
          "severity": "critical",
          "subject": "tool greet"
        }
      ]"#;

#[test]
fn what_was_accepted_is_sorted_each_once_and_goes_with_the_next_pin_without_it() {
    let before = lock();
    let server = before.server("greeter").unwrap().clone();
    let with = LockedServer { accepted: two(), ..server.clone() };
    let marked = before.with_server("greeter", &with).unwrap();
    assert!(marked.text().contains(WRITTEN), "{}", marked.text());
    assert_eq!(marked.server("greeter"), Some(&with));
    assert_eq!(with.launch_digest(), server.launch_digest());
    assert_eq!(marked.with_server("greeter", &with).unwrap().text(), marked.text());
    assert_eq!(marked.with_server("greeter", &server).unwrap().text(), before.text());
    let plain = Lock::parse(FACET.as_bytes()).unwrap();
    let facet = plain.facet("tools").unwrap().clone();
    let marked = LockedFacet { accepted: two(), ..facet.clone() };
    let lock = plain.with_facet("tools", &marked).unwrap();
    assert!(lock.text().contains(WRITTEN), "{}", lock.text());
    assert_eq!(lock.facet("tools"), Some(&marked));
    assert!(!lock.with_facet("tools", &facet).unwrap().text().contains("accepted"));
}

#[test]
fn a_record_that_facet_does_not_write_makes_its_entry_edited() {
    let server = lock().server("greeter").unwrap().clone();
    let text = lock().with_server("greeter", &LockedServer { accepted: two(), ..server }).unwrap();
    let facet = Lock::parse(FACET.as_bytes()).unwrap();
    let marked = LockedFacet { accepted: two(), ..facet.facet("tools").unwrap().clone() };
    let facet = facet.with_facet("tools", &marked).unwrap();
    for (from, to) in [
        ("\"severity\": \"critical\"", "\"severity\": \"info\""),
        ("\"code\": \"entitlement_gained\"", "\"code\": \"Entitlement\""),
        ("\"subject\": \"server\"", "\"subject\": \"tool z\""),
        ("\"subject\": \"server\"", "\"subject\": 1"),
        ("\"subject\": \"server\"", "\"subject\": \"server\", \"by\": \"ada\""),
        (WRITTEN, "\"accepted\": []"),
        (WRITTEN, "\"accepted\": true"),
    ] {
        let edited = text.text().replacen(from, to, 1);
        let edited = Lock::parse(edited.as_bytes()).unwrap();
        assert!(matches!(edited.servers()["greeter"], LockedEntry::Broken(_)), "{to}");
        assert!(edited.server("far").is_some(), "{to}");
        let edited = Lock::parse(facet.text().replacen(from, to, 1).as_bytes()).unwrap();
        assert!(matches!(edited.facets()["tools"], LockedFacetEntry::Broken(_)), "{to}");
    }
}

#[test]
fn two_records_are_put_together_and_told_apart() {
    let (one, other) =
        (accepted(&[("a", "tool x")]), accepted(&[("b", "tool x"), ("a", "tool x")]));
    assert_eq!(one.with(&other), other);
    assert_eq!(other.without(&one), accepted(&[("b", "tool x")]));
    assert!(one.without(&other).is_empty());
}
