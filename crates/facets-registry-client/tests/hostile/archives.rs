//! Archives that are not what the registry states.

use std::sync::{Arc, Mutex};
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

/// A registry that leads elsewhere for archives, and answers everything else with the document.
fn leading_to(there: &str) -> Server {
    let there = there.to_owned();
    Server::start(move |request, to| {
        if request.path.ends_with("/archive") {
            redirect(to, &there);
        } else {
            json(to, "200 OK", &document());
        }
    })
}

#[test]
fn an_archive_comes_from_another_host_which_gets_no_token() {
    let elsewhere = Server::start(|_, to| answer(to, "200 OK", &[], ARCHIVE));
    let server = leading_to(&format!("{}/bucket/archive?signature=s", elsewhere.url()));
    let (size, bytes) = fetch(&server, 1000);
    assert_eq!((size.unwrap(), bytes.as_slice()), (ARCHIVE.len() as u64, ARCHIVE));
    assert_eq!(elsewhere.lines(), ["GET /bucket/archive?signature=s"]);
    assert_eq!(elsewhere.authorizations(), [None]);
    assert!(server.authorizations().iter().all(Option::is_some));
    let other = Server::start(|_, to| answer(to, "200 OK", &[], b"other bytes"));
    assert_eq!(code(fetch(&leading_to(&other.url()), 1000).0), "registry-mismatch");
    let endless = Server::start(|_, to| answer(to, "200 OK", &[], &vec![b'x'; 100_000]));
    assert_eq!(code(fetch(&leading_to(&endless.url()), 1000).0), "registry-too-large");
}

#[test]
fn a_registry_that_is_led_back_to_gets_no_token_either() {
    let home = Arc::new(Mutex::new(String::new()));
    let theirs = Arc::clone(&home);
    let elsewhere = Server::start(move |_, to| redirect(to, &theirs.lock().unwrap()));
    let server = leading_to(&elsewhere.url());
    *home.lock().unwrap() = format!("{}/v0/auth/me", server.url());
    assert_eq!(code(fetch(&server, 1000).0), "registry-mismatch");
    let said = server.authorizations();
    assert_eq!((said.len(), &said[2]), (3, &None), "{said:?}");
}

#[test]
fn what_another_host_refuses_says_nothing_about_the_version_or_the_token() {
    for status in ["401 x", "403 x", "404 x", "503 x"] {
        let elsewhere = Server::start(move |_, to| answer(to, status, &[], b"<Error/>"));
        let server = leading_to(&elsewhere.url());
        let error = fetch(&server, 1000).0.unwrap_err();
        assert!(!error.is_not_found(), "{error}");
        assert!(error.to_string().contains("HTTP status"), "{error}");
        assert!(error.to_string().contains("/1.0.0/archive"), "{error}");
        assert_eq!(code::<()>(Err(error)), "registry-answer", "{status}");
    }
}

#[test]
fn an_archive_is_not_fetched_in_the_clear_nor_in_a_circle() {
    for there in ["http://r.example/archive", "ftp://r.example/", "http://u:p@127.0.0.1/"] {
        assert_eq!(code(fetch(&leading_to(there), 1000).0), "registry-redirect", "{there}");
    }
    let circle = Server::start(|request, to| redirect(to, &request.path));
    assert_eq!(code(fetch(&leading_to(&circle.url()), 1000).0), "registry-redirect");
    assert_eq!(circle.requests().len(), limits().redirects);
}
