//! Certificates that are trusted, and those that are not: to whom a request is sent.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;

use facets_failure::Describe as _;
use rustls::ServerConfig;
use support::certificates::Authority;
use support::fetching::Fetching;
use support::packages::{
    PAD, SIMPLE_JSON, WHEEL, WHEEL_NAME, content, dist, index_file, index_page, packument,
    send_json,
};
use support::server::{Server, answer};

/// A registry of both kinds with one package.
fn registry(config: Arc<ServerConfig>) -> Server {
    Server::start_tls(config, |request, to| match request.path.as_str() {
        "/pad" => send_json(to, "application/json", &packument(&dist(&content()))),
        "/simple/pad/" => {
            let files = [index_file(WHEEL_NAME, &content())];
            send_json(to, SIMPLE_JSON, &index_page(&files));
        }
        _ => answer(to, "200 OK", &[], &content()),
    })
}

/// A fetcher that has secrets for it, and these other variables.
fn fetching(server: &Server, host: &str, more: &[(&str, &str)]) -> Fetching {
    let url = server.url_of(host);
    let token = format!("npm_config_//{host}:{}/:_authToken", server.port());
    let index = format!("{}/simple/", url.replace("://", "://u:hunter2@"));
    let mut variables = vec![
        ("npm_config_registry", url.as_str()),
        (token.as_str(), "hunter2"),
        ("PIP_INDEX_URL", index.as_str()),
    ];
    variables.extend_from_slice(more);
    Fetching::new(&variables)
}

/// Neither npm nor PyPI is reached, and nothing is said to the server.
fn require_untrusted(server: &Server, host: &str, more: &[(&str, &str)]) {
    let fetching = fetching(server, host, more);
    for identifier in [PAD, WHEEL] {
        let error = fetching.one(identifier).unwrap_err();
        assert_eq!(error.code(), "fetch-certificate", "{identifier}: {error}");
        assert!(error.to_string().contains(host), "{error}");
    }
    assert_eq!(server.connections(), 2);
    assert!(server.requests().is_empty(), "{:?}", server.requests());
}

#[test]
fn an_authority_of_the_configuration_is_trusted() {
    let Some(authority) = Authority::new() else { return };
    let file = authority.file();
    let file = file.to_str().unwrap();
    for host in ["localhost", "127.0.0.1"] {
        let server = registry(authority.good());
        let fetching = fetching(&server, host, &[("npm_config_cafile", file), ("PIP_CERT", file)]);
        for identifier in [PAD, WHEEL] {
            assert_eq!(fetching.one(identifier).unwrap(), content(), "{identifier} on {host}");
        }
        assert_eq!(server.requests().len(), 4);
    }
}

#[test]
fn the_authority_of_one_client_is_not_that_of_the_other() {
    let Some(authority) = Authority::new() else { return };
    let (file, server) = (authority.file(), registry(authority.good()));
    let npm_alone =
        fetching(&server, "localhost", &[("npm_config_cafile", file.to_str().unwrap())]);
    assert_eq!(npm_alone.one(PAD).unwrap(), content());
    assert_eq!(npm_alone.code(WHEEL), "fetch-certificate");
}

#[test]
fn an_unknown_authority_is_not_trusted() {
    let Some(authority) = Authority::new() else { return };
    require_untrusted(&registry(authority.good()), "localhost", &[]);
}

#[test]
fn another_authority_is_not_trusted() {
    let (Some(authority), Some(other)) = (Authority::new(), Authority::new()) else { return };
    let file = other.file();
    let file = file.to_str().unwrap();
    let settings = [("npm_config_cafile", file), ("PIP_CERT", file)];
    require_untrusted(&registry(authority.good()), "localhost", &settings);
}

#[test]
fn checks_cannot_be_switched_off() {
    let Some(authority) = Authority::new() else { return };
    let settings = [("npm_config_strict_ssl", "false"), ("PIP_TRUSTED_HOST", "localhost")];
    let server = registry(authority.good());
    require_untrusted(&server, "localhost", &settings);
    let fetching = fetching(&server, "localhost", &settings);
    assert_eq!(fetching.code(PAD), "fetch-certificate");
    assert_eq!(fetching.code(WHEEL), "fetch-certificate");
    assert_eq!(fetching.fetcher.ignored().len(), 2, "{:?}", fetching.fetcher.ignored());
}

#[test]
fn certificates_for_other_names_of_the_past_and_of_nobody_are_not_trusted() {
    let Some(authority) = Authority::new() else { return };
    let file = authority.file();
    let file = file.to_str().unwrap();
    let settings = [("npm_config_cafile", file), ("PIP_CERT", file)];
    for config in [authority.other_name(), authority.expired(), authority.self_signed()] {
        let server = registry(config);
        require_untrusted(&server, "localhost", &settings);
    }
    require_untrusted(&registry(authority.other_name()), "127.0.0.1", &settings);
}
