//! Archives that are not what the registry states.

use facets_registry_client::{RegistryClientError, VersionDocument};

use crate::support::asking::{ARCHIVE, ask_version, client, code, document};
use crate::support::server::{Server, announce, answer, json, redirect};

/// A registry with one version, and these bytes for its archive.
fn registry(bytes: &'static [u8], announced: usize) -> Server {
    Server::start(move |request, to| {
        if request.path.ends_with("/archive") {
            announce(to, "200 OK", &[], (announced, bytes));
        } else {
            json(to, "200 OK", &document());
        }
    })
}

fn fetch(server: &Server, limit: u64) -> (Result<u64, RegistryClientError>, Vec<u8>) {
    let client = client(server);
    let document: VersionDocument = ask_version(&client).unwrap();
    let mut bytes = Vec::new();
    (client.archive(&document, limit, &mut bytes), bytes)
}

#[test]
fn an_archive_is_what_its_content_hash_says() {
    let (size, bytes) = fetch(&registry(ARCHIVE, ARCHIVE.len()), 1000);
    assert_eq!((size.unwrap(), bytes.as_slice()), (ARCHIVE.len() as u64, ARCHIVE));
    let (other, _) = fetch(&registry(b"other bytes", 11), 1000);
    assert_eq!(code(other), "registry-mismatch");
    let (empty, _) = fetch(&registry(b"", 0), 1000);
    assert_eq!(code(empty), "registry-mismatch");
}

#[test]
fn an_archive_that_is_too_large_or_cut_off_is_refused() {
    let (large, bytes) = fetch(&registry(ARCHIVE, ARCHIVE.len()), 5);
    assert_eq!(code(large), "registry-too-large");
    assert!(bytes.is_empty(), "a stated size is enough: {}", bytes.len());
    let server = registry(&[b'x'; 1000], 1000);
    let (larger, bytes) = fetch(&server, 500);
    assert_eq!(code(larger), "registry-too-large", "it stated less");
    assert!(bytes.len() <= 500, "{}", bytes.len());
    let (cut, _) = fetch(&registry(ARCHIVE, ARCHIVE.len() + 10), 1000);
    assert_eq!(code(cut), "registry-unreachable");
}

#[test]
fn an_archive_is_not_fetched_from_another_host() {
    let elsewhere = Server::start(|_, to| answer(to, "200 OK", &[], ARCHIVE));
    let there = elsewhere.url();
    let server = Server::start(move |request, to| {
        if request.path.ends_with("/archive") {
            redirect(to, &there);
        } else {
            json(to, "200 OK", &document());
        }
    });
    assert_eq!(code(fetch(&server, 1000).0), "registry-redirect");
    assert!(elsewhere.requests().is_empty());
}
