//! Lock entries: signers are read in one way, kinds that are not known stay as they are, settings and
//! grants are read strictly.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_lock::{Extent, Grants, Lock, LockedEntry, Profile, Signer, StartSettings};
use facets_testkit::repository_root;

/// A lock that an earlier facet wrote.
fn text() -> String {
    let path = repository_root().join("testdata/written-by/2f02447/settled/project/facets.lock");
    std::fs::read_to_string(path).unwrap()
}

fn with_signer(value: &str) -> Lock {
    let signer = format!("\"signer\": {value},\n      \"grants\":");
    let text = text();
    let at = text.rfind("\"grants\":").unwrap();
    let text = format!("{}{signer}{}", &text[..at], &text[at + "\"grants\":".len()..]);
    Lock::parse(text.as_bytes()).unwrap()
}

#[test]
fn a_text_is_a_signer_null_is_none_and_anything_else_cannot_be_verified() {
    let signer = |lock: &Lock| lock.server("greeter").unwrap().signer.clone();
    assert_eq!(signer(&Lock::parse(text().as_bytes()).unwrap()), None);
    assert_eq!(signer(&with_signer("null")), None);
    assert_eq!(signer(&with_signer("\"acme\"")), Some(Signer::Identity("acme".to_owned())));
    for unknown in ["\"\"", "7", "[]", "{\"key\":1}", "true"] {
        let lock = with_signer(unknown);
        assert_eq!(signer(&lock), Some(Signer::Unreadable(unknown.to_owned())));
        let server = lock.server("greeter").unwrap();
        let again = lock.with_server("greeter", server).unwrap();
        assert_eq!(again.server("greeter"), Some(server), "{unknown} stays");
    }
}

#[test]
fn pinning_a_server_anew_keeps_its_signer() {
    let lock = with_signer("\"acme\"");
    let mut server = lock.server("greeter").unwrap().clone();
    server.signer = None;
    let again = lock.with_server("greeter", &server).unwrap();
    let signer = Some(Signer::Identity("acme".to_owned()));
    assert_eq!(again.server("greeter").unwrap().signer, signer);
}

#[test]
fn entries_of_other_kinds_stay_byte_for_byte_and_are_no_servers() {
    let other =
        "    \"imaged\": { \"image\": \"ghcr.io/acme/x:1\",   \"digest\": \"sha256:00\" },\n";
    let text = text().replace("    \"adopted\": {", &format!("{other}    \"adopted\": {{"));
    let lock = Lock::parse(text.as_bytes()).unwrap();
    assert!(matches!(lock.servers()["imaged"], LockedEntry::Other));
    assert!(lock.server("imaged").is_none());
    let greeter = lock.server("greeter").unwrap().clone();
    for changed in [
        lock.with_server("greeter", &greeter).unwrap(),
        lock.without_server("greeter").unwrap(),
        lock.without_server("far").unwrap(),
    ] {
        assert!(changed.text().contains(other), "{}", changed.text());
    }
}

#[test]
fn an_entry_of_version_1_has_no_profile_and_keeps_its_digest() {
    let lock = Lock::parse(text().as_bytes()).unwrap();
    let greeter = lock.server("greeter").unwrap();
    assert_eq!(greeter.settings, StartSettings::default());
    let again = lock.with_server("greeter", greeter).unwrap();
    assert!(again.text().contains("\"serversVersion\": 2"), "{}", again.text());
    assert_eq!(again.server("greeter"), Some(greeter));
    assert_eq!(again.server("adopted"), lock.server("adopted"));
}

#[test]
fn profile_directory_and_timeout_are_part_of_the_launch() {
    let lock = Lock::parse(text().as_bytes()).unwrap();
    let mut server = lock.server("greeter").unwrap().clone();
    let before = server.launch_digest();
    let mut digests = vec![before];
    for (directory, timeout) in [(None, None), (Some("sub"), None), (None, Some(60))] {
        let directory = directory.map(str::to_owned);
        server.settings = StartSettings { profile: Profile::Native, directory, timeout };
        digests.push(server.launch_digest());
        let again = lock.with_server("greeter", &server).unwrap();
        assert_eq!(again.server("greeter").unwrap().settings, server.settings);
    }
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 4);
}

#[test]
fn settings_that_facet_does_not_write_are_edits() {
    let lock = Lock::parse(text().as_bytes()).unwrap();
    let mut server = lock.server("greeter").unwrap().clone();
    let directory = Some("sub".to_owned());
    server.settings = StartSettings { profile: Profile::Native, directory, timeout: Some(60) };
    let written = lock.with_server("greeter", &server).unwrap().text().to_owned();
    for (from, to) in [
        ("\"native\"", "\"private\""),
        ("\"native\"", "\"other\""),
        ("\"native\"", "null"),
        ("\"sub\"", "\"\""),
        ("\"sub\"", "7"),
        (": 60", ": 6e1"),
        (": 60", ": 0"),
        (": 60", ": 601"),
        (": 60", ": \"60\""),
    ] {
        let edited = written.replacen(from, to, 1);
        assert_ne!(edited, written);
        let lock = Lock::parse(edited.as_bytes()).unwrap();
        assert!(matches!(lock.servers()["greeter"], LockedEntry::Broken(_)), "{from} {to}");
    }
}

#[test]
fn what_two_grants_allow_is_what_both_allow() {
    let listed = |items: &[&str]| Extent::Listed(items.iter().map(|i| (*i).to_owned()).collect());
    let all =
        [Extent::None, Extent::All, listed(&["a", "b"]), listed(&["b", "c"]), listed(&["ro:a"])];
    for one in &all {
        for other in &all {
            let both = one.capped_at(other);
            assert_eq!(both, other.capped_at(one), "{one:?} {other:?}");
            assert_eq!(both.capped_at(one), both);
            assert_eq!(one.capped_at(one), *one);
        }
        assert_eq!(one.capped_at(&Extent::All), *one);
        assert_eq!(one.capped_at(&Extent::None), Extent::None);
    }
    assert_eq!(listed(&["a", "b"]).capped_at(&listed(&["b", "c"])), listed(&["b"]));
    // What may be written may be read; what may only be read may not be written.
    assert_eq!(listed(&["a", "b"]).capped_at(&listed(&["ro:a"])), listed(&["ro:a"]));
    assert!(Grants::ALL.capped_at(&Grants { sampling: false, ..Grants::ALL }) != Grants::ALL);
}
