//! Archives that are not what the registry states.

use std::time::Duration;

use facets_registry_client::{RegistryClientError, RegistryClientLimits, VersionDocument};

use crate::support::asking::{ARCHIVE, ask_version, client, client_with, code, document, limits};
use crate::support::server::{Server, announce, answer, head, json, redirect, send};

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

/// A registry that sends the archive byte by byte, with a pause before each.
fn dripping(pause: Duration) -> Server {
    Server::start(move |request, to| {
        if !request.path.ends_with("/archive") {
            return json(to, "200 OK", &document());
        }
        send(to, head("200 OK", &[("Content-Length", &ARCHIVE.len().to_string())]));
        for byte in ARCHIVE {
            std::thread::sleep(pause);
            if !send(to, [*byte]) {
                return;
            }
        }
    })
}

fn fetch_with(server: &Server, limits: RegistryClientLimits) -> Result<u64, RegistryClientError> {
    let client = client_with(server, limits);
    let document = ask_version(&client).unwrap();
    client.archive(&document, 1000, &mut Vec::new())
}

#[test]
fn an_archive_that_keeps_coming_is_waited_for_and_one_that_stops_or_drips_is_not() {
    // It takes several times as long as is waited for the next byte, or for a whole change.
    let (read, time) = (Duration::from_millis(600), Duration::from_millis(600));
    let patient = RegistryClientLimits { read, time, slowest_archive: 5, ..limits() };
    assert!(fetch_with(&dripping(Duration::from_millis(80)), patient.clone()).is_ok());
    let hurried = RegistryClientLimits { slowest_archive: 1000, ..patient.clone() };
    let slow = fetch_with(&dripping(Duration::from_millis(80)), hurried);
    assert_eq!(code(slow), "registry-too-slow");
    let stopped = fetch_with(&dripping(Duration::from_secs(3)), patient).unwrap_err();
    assert!(stopped.to_string().contains("sent nothing for 0.6 s"), "{stopped}");
    assert!(stopped.to_string().ends_with("/1.0.0/archive"), "{stopped}");
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
