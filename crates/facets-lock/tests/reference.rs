//! Locks that the reference CLI wrote, from the shared vectors.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::Digest;
use facets_lock::{Lock, LockedEntry, LockedFacet, LockedFacetEntry, LockedFacetSource};
use facets_testkit::shared_vectors;

/// Each lock with the names of its facets.
const LOCKS: &[(&str, &[&str])] = &[
    ("alias-local/facets.lock", &["local-tools", "team-tools"]),
    ("basic/facets.lock", &["@acme/demo", "server-only", "team-tools"]),
    ("lock-extras/facets.lock", &["commands-only", "sizes"]),
    ("lock-extras/facets.lock.before", &["commands-only", "crlf-text"]),
];

fn lock(file: &str) -> Option<Lock> {
    let folder = shared_vectors("facets/projects")?;
    let bytes = std::fs::read(folder.join(file)).unwrap();
    Some(Lock::parse(&bytes).unwrap())
}

#[test]
fn every_lock_of_the_reference_is_read_and_stays_as_it_is() {
    for (file, names) in LOCKS {
        let Some(lock) = lock(file) else { return };
        assert_eq!(lock.facets().keys().collect::<Vec<_>>(), *names, "{file}");
        for (name, entry) in lock.facets() {
            let LockedFacetEntry::Facet(facet) = entry else { panic!("{file} {name}: {entry:?}") };
            assert_eq!(lock.with_facet(name, facet).unwrap().text(), lock.text(), "{file} {name}");
        }
    }
}

/// What we write without an older entry, and with one of another version, are the bytes of the reference.
#[test]
fn what_is_written_anew_is_what_the_reference_writes() {
    for (file, names) in &LOCKS[..2] {
        let Some(lock) = lock(file) else { return };
        let mut anew = Lock::empty();
        for name in names.iter().rev() {
            anew = anew.with_facet(name, lock.facet(name).unwrap()).unwrap();
        }
        assert_eq!(anew.text(), lock.text(), "{file}");
        for name in *names {
            let facet = lock.facet(name).unwrap();
            let newer = LockedFacet { version: "9.0.0".parse().unwrap(), ..facet.clone() };
            let changed = lock.with_facet(name, &newer).unwrap();
            assert_ne!(changed.text(), lock.text());
            assert_eq!(changed.with_facet(name, facet).unwrap().text(), lock.text(), "{file}");
        }
    }
}

#[test]
fn removing_and_adding_gives_what_the_reference_gives() {
    let Some(before) = lock("lock-extras/facets.lock.before") else { return };
    let after = lock("lock-extras/facets.lock").unwrap();
    let sizes = after.facet("sizes").unwrap();
    let ours = before.with_facet("sizes", sizes).unwrap().without_facet("crlf-text").unwrap();
    assert_eq!(ours.text(), after.text());
    assert_eq!(after.servers()["jira"], LockedEntry::Other);
}

#[test]
fn members_of_others_survive_another_version() {
    let Some(lock) = lock("lock-extras/facets.lock.before") else { return };
    let old = lock.facet("commands-only").unwrap();
    assert_eq!(
        old.servers["jira"].to_json().as_deref(),
        Some("\"1.0.0\""),
        "it may be one of ours"
    );
    let mut newer = LockedFacet { content_hash: Some(Digest::of(b"x")), ..old.clone() };
    newer.assets[0].files[0].integrity = Digest::of(b"y");
    let changed = lock.with_facet("commands-only", &newer).unwrap();
    for member in ["\"x-note\": \"kept\"", "\"x-a\": 1", "\"x-size\": 1", "\"x-entry\": true"] {
        assert!(changed.text().contains(member), "{member}");
    }
    let back = changed.with_facet("commands-only", old).unwrap();
    assert_eq!(back.text(), lock.text());
}

#[test]
fn sources_and_aliases_mean_what_they_say() {
    let Some(lock) = lock("alias-local/facets.lock") else { return };
    let local = lock.facet("local-tools").unwrap();
    let path = "./facets/local-tools".to_owned();
    assert_eq!(local.source, LockedFacetSource::Local { path });
    let team = lock.facet("team-tools").unwrap();
    let url = "http://127.0.0.1:18799".parse().unwrap();
    assert_eq!(team.source, LockedFacetSource::Registry { url });
    assert_eq!(team.content_hash, None);
    assert_eq!(team.assets[0].name.as_str(), "planning");
    assert_eq!(team.assets[0].effective_name().unwrap().as_str(), "team-planning");
    assert_eq!(team.assets[0].files.len(), 3);
}
