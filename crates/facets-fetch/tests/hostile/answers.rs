//! Statuses, and servers that cannot be reached.

use std::time::{Duration, SystemTime};

use facets_failure::Describe as _;
use facets_fetch::{FetchLimits, NoFetchProgress};

use crate::support::fetching::{Fetching, limits};
use crate::support::packages::{ASSET, PAD, content, dist, npm_server};
use crate::support::server::{Server, answer, send};

/// Busy at first, with this header; what came of it, and after how many requests.
fn after_busy(status: &'static str, retry_after: Option<String>) -> (Result<(), String>, usize) {
    let server = Server::start(move |request, to| {
        let value = retry_after.as_deref();
        let headers: Vec<(&str, &str)> =
            value.map(|value| ("Retry-After", value)).into_iter().collect();
        match request.nth {
            0 => answer(to, status, &headers, b"busy"),
            _ => answer(to, "200 OK", &[], b"done"),
        }
    });
    let fetched = Fetching::github(&server, limits()).one(ASSET);
    let fetched = fetched.map(|bytes| assert_eq!(bytes, b"done"));
    (fetched.map_err(|error| error.code().to_owned()), server.requests().len())
}

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    let past = httpdate::fmt_http_date(SystemTime::now() - Duration::from_mins(1));
    for status in
        ["429 Too Many Requests", "503 Service Unavailable", "500 Oops", "502 Bad Gateway"]
    {
        for retry_after in [None, Some("0".to_owned()), Some(past.clone()), Some("soon".to_owned())]
        {
            let result = after_busy(status, retry_after.clone());
            assert_eq!(result, (Ok(()), 2), "{status} {retry_after:?}");
        }
    }
}

#[test]
fn a_server_that_is_busy_for_long_is_given_up_at_once() {
    let hour = httpdate::fmt_http_date(SystemTime::now() + Duration::from_hours(1));
    for status in ["429 Too Many Requests", "503 Service Unavailable"] {
        for retry_after in ["3600".to_owned(), hour.clone(), u64::MAX.to_string()] {
            let result = after_busy(status, Some(retry_after.clone()));
            let expected = (Err("fetch-unreachable".to_owned()), 1);
            assert_eq!(result, expected, "{status} {retry_after}");
        }
    }
}

#[test]
fn a_server_that_is_always_busy_is_asked_a_few_times() {
    for status in ["429 Too Many Requests", "500 Oops", "503 Service Unavailable", "504 Timeout"] {
        let server = Server::start(move |_, to| answer(to, status, &[("Retry-After", "0")], b""));
        let fetching = Fetching::github(&server, limits());
        assert_eq!(fetching.code(ASSET), "fetch-unreachable", "{status}");
        assert_eq!(server.requests().len(), 3, "{status}");
    }
}

#[test]
fn other_statuses_are_final() {
    for (status, code) in [
        ("401 Unauthorized", "fetch-unauthorized"),
        ("403 Forbidden", "fetch-unauthorized"),
        ("404 Not Found", "fetch-not-found"),
        ("410 Gone", "fetch-not-found"),
        ("201 Created", "fetch-status"),
        ("204 No Content", "fetch-status"),
        ("304 Not Modified", "fetch-status"),
        ("400 Bad Request", "fetch-status"),
        ("416 Range Not Satisfiable", "fetch-status"),
        ("418 Teapot", "fetch-status"),
        ("501 Not Implemented", "fetch-status"),
    ] {
        let server = Server::start(move |_, to| answer(to, status, &[("Retry-After", "0")], b""));
        let fetching = Fetching::github(&server, limits());
        assert_eq!(fetching.code(ASSET), code, "{status}");
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[test]
fn a_registry_without_the_package_is_asked_for_both_forms_of_it() {
    let server = Server::start(|_, to| answer(to, "404 Not Found", &[], b"{}"));
    let error = Fetching::npm(&server).one(PAD).unwrap_err();
    assert_eq!(error.code(), "fetch-not-found");
    assert!(error.to_string().starts_with("npm:pad@1.0.0 was not found"), "{error}");
    assert_eq!(server.paths(), ["/pad", "/pad"]);
}

#[test]
fn a_registry_that_wants_credentials_is_not_asked_further() {
    let server = Server::start(|_, to| answer(to, "401 Unauthorized", &[], b"{}"));
    assert_eq!(Fetching::npm(&server).code(PAD), "fetch-unauthorized");
    assert_eq!(server.paths(), ["/pad"]);
}

#[test]
fn a_tarball_that_is_gone_is_not_found() {
    let server = npm_server(dist(&content()), |_, to| answer(to, "404 Not Found", &[], b""));
    assert_eq!(Fetching::npm(&server).code(PAD), "fetch-not-found");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn nobody_at_the_address_is_unreachable() {
    // No port that another test could just get.
    let url = "http://127.0.0.1:1";
    let variables =
        [("FACET_GITHUB_URL", url), ("npm_config_registry", url), ("PIP_INDEX_URL", url)];
    let fetching = Fetching::new(&variables);
    for identifier in [ASSET, PAD, "pypi:pad==1.0"] {
        assert_eq!(fetching.code(identifier), "fetch-unreachable", "{identifier}");
    }
}

#[test]
fn a_name_that_does_not_resolve_is_unreachable() {
    // Longer than a label can be, so that no name server is asked.
    let url = format!("http://{}.example", "a".repeat(64));
    let fetching = Fetching::new(&[("FACET_GITHUB_URL", url.as_str())]);
    assert_eq!(fetching.code(ASSET), "fetch-unreachable");
}

#[test]
fn no_http_at_all_is_unreachable() {
    let server = Server::start(|_, to| {
        send(to, "SSH-2.0-OpenSSH_9.9\r\n\r\n");
    });
    let error = Fetching::github(&server, limits()).one(ASSET).unwrap_err();
    assert_eq!(error.code(), "fetch-unreachable");
    let host = format!("127.0.0.1:{} sends an invalid HTTP answer: ", server.port());
    assert!(error.to_string().starts_with(&host), "{error}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_busy_server_says_how_long_it_asks_to_wait() {
    for (retry_after, expected) in [("3600", ", and asks to wait 3600 s"), ("0", "")] {
        let server = Server::start(move |_, to| {
            answer(to, "503 Service Unavailable", &[("Retry-After", retry_after)], b"");
        });
        let error = Fetching::github(&server, limits()).one(ASSET).unwrap_err();
        let host = format!("127.0.0.1:{}", server.port());
        let expected = format!("{host} answers with HTTP status 503{expected}");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_folder_that_is_gone_is_named_with_the_reason() {
    let server = Server::start(|_, to| answer(to, "200 OK", &[], b"done"));
    let Fetching { fetcher, .. } = Fetching::github(&server, limits());
    let fetcher = fetcher.with_folder("/no-such-folder".into());
    let files = fetcher.files(&ASSET.parse().unwrap()).unwrap();
    let error = fetcher.download(&files, &NoFetchProgress).remove(0).unwrap_err();
    assert_eq!(error.code(), "file-unwritable");
    let start = "cannot write /no-such-folder: No such file or directory";
    assert!(error.to_string().starts_with(start), "{error}");
}

#[test]
fn everything_together_has_a_time() {
    let server = Server::start(|_, to| {
        std::thread::sleep(Duration::from_millis(100));
        answer(to, "200 OK", &[], b"done");
    });
    let limits = FetchLimits { total_time: Duration::from_secs(3), ..limits() };
    let fetching = Fetching::github(&server, limits);
    assert_eq!(fetching.one(ASSET).unwrap(), b"done");
    std::thread::sleep(Duration::from_secs(3));
    let before = server.requests().len();
    let error = fetching.one(ASSET).unwrap_err();
    assert_eq!(error.code(), "fetch-too-slow");
    let end = "did not arrive: the 3 s for all files together are over";
    assert!(error.to_string().ends_with(end), "{error}");
    assert_eq!(server.requests().len(), before);
}

#[test]
fn another_server_for_github_is_said() {
    let server = Server::start(|_, to| answer(to, "200 OK", &[], b"done"));
    let fetching = Fetching::github(&server, limits());
    assert!(fetching.fetcher.ignored().is_empty());
    assert_eq!(fetching.one(ASSET).unwrap(), b"done");
    let url = server.url();
    let note = format!("files of GitHub are fetched from {url}/, because FACET_GITHUB_URL is set");
    assert_eq!(fetching.fetcher.ignored(), [note]);
}

#[test]
fn a_token_that_cannot_be_sent_is_a_matter_of_configuration() {
    let server = Server::start(|_, to| answer(to, "200 OK", &[], b"done"));
    let url = server.url();
    let fetching =
        Fetching::new(&[("FACET_GITHUB_URL", url.as_str()), ("GH_TOKEN", "hunter2\r\nX: y")]);
    let error = fetching.one(ASSET).unwrap_err();
    assert_eq!(error.code(), "fetch-config");
    assert!(!error.to_string().contains("hunter2"), "{error}");
    assert_eq!(server.requests().len(), 0);
}
