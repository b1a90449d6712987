//! Lock entries: signers are read in one way, kinds that are not known stay as they are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_lock::{Lock, LockedEntry, Signer};
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
