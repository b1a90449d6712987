//! Documents of registries that are none, and hashes that are wrong.

use std::time::Duration;

use facets_fetch::Reach;
use serde_json::{Value, json};

use crate::support::fetching::{Fetching, impatient};
use crate::support::packages::{
    PAD, SIMPLE_JSON, TARBALL, WHEEL, WHEEL_NAME, content, dist, index_file, index_page,
    index_server, npm_server, packument, send_json,
};
use crate::support::server::{Server, announce, answer, chunk, head, send};

const PORTAL: &[u8] = b"<!DOCTYPE html><title>Sign in</title><a href=\"/login\">Sign in</a>";

#[test]
fn a_page_for_people_is_no_document_of_npm() {
    for kind in ["text/html", "application/json"] {
        let server =
            Server::start(move |_, to| answer(to, "200 OK", &[("Content-Type", kind)], PORTAL));
        assert_eq!(Fetching::npm(&server).code(PAD), "fetch-document", "{kind}");
        assert_eq!(server.requests().len(), 1, "{kind}");
    }
}

#[test]
fn a_page_for_people_lists_no_file_of_pypi() {
    for (kind, code) in [
        ("text/html", "fetch-not-found"),
        (SIMPLE_JSON, "fetch-document"),
        ("application/json", "fetch-document"),
        ("text/plain", "fetch-document"),
    ] {
        let server =
            Server::start(move |_, to| answer(to, "200 OK", &[("Content-Type", kind)], PORTAL));
        assert_eq!(Fetching::pip(&server).code(WHEEL), code, "{kind}");
        assert_eq!(server.requests().len(), 1, "{kind}");
    }
}

#[test]
fn a_page_of_two_content_types_is_refused() {
    // pip reads both as one, and so takes the charset of the second.
    let kinds = [("Content-Type", "text/html"), ("Content-Type", "text/html; charset=utf-7")];
    let server = Server::start(move |_, to| answer(to, "200 OK", &kinds, PORTAL));
    assert_eq!(Fetching::pip(&server).code(WHEEL), "fetch-document");
}

#[test]
fn a_version_that_is_missing_is_not_found() {
    let packument = json!({ "name": "pad", "versions": {} });
    let server = Server::start(move |request, to| match request.path.as_str() {
        "/pad" => send_json(to, "application/json", &packument),
        _ => answer(to, "404 Not Found", &[], b"{}"),
    });
    assert_eq!(Fetching::npm(&server).code(PAD), "fetch-not-found");
    assert_eq!(server.requests().len(), 1);

    let server = index_server(&[index_file("pad-2.0.tar.gz", b"x")], |_, _| {});
    assert_eq!(Fetching::pip(&server).code(WHEEL), "fetch-not-found");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_file_that_the_release_does_not_have_is_not_found() {
    let server = index_server(&[index_file(WHEEL_NAME, b"x")], |_, _| {});
    let fetching = Fetching::pip(&server);
    assert_eq!(fetching.code("pypi:pad==1.0/pad-1.0.tar.gz"), "fetch-not-found");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_document_of_another_package_is_refused() {
    let mut other = packument(&dist(b"x"));
    other["name"] = json!("dap");
    let server = Server::start(move |_, to| send_json(to, "application/json", &other));
    assert_eq!(Fetching::npm(&server).code(PAD), "fetch-document");
    assert_eq!(server.requests().len(), 1);
}

/// What comes of a tarball about which this is stated.
fn stated(name: &str, value: &Value) -> &'static str {
    let mut dist = dist(&content());
    dist[name] = value.clone();
    let server = npm_server(dist, |_, to| answer(to, "200 OK", &[], &content()));
    let code = Fetching::npm(&server).code(PAD);
    let asked = server.paths().into_iter().filter(|path| path == TARBALL).count();
    assert!(asked <= 1, "{asked}");
    code
}

#[test]
fn a_tarball_that_is_not_what_npm_states_is_a_mismatch() {
    let other = dist(b"other");
    for name in ["integrity", "shasum"] {
        assert_eq!(stated(name, &other[name]), "fetch-upstream-mismatch", "{name}");
        assert_eq!(stated(name, &json!("sha512-AAAA")), "fetch-document", "{name}");
    }
}

#[test]
fn a_wheel_that_is_not_what_the_index_states_is_a_mismatch() {
    let file = index_file(WHEEL_NAME, &[7; 40]);
    let server = index_server(&[file], |_, to| answer(to, "200 OK", &[], &[8; 40]));
    assert_eq!(Fetching::pip(&server).code(WHEEL), "fetch-upstream-mismatch");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_document_larger_than_its_limit_is_not_read() {
    let server = Server::start(|_, to| {
        answer(
            to,
            "200 OK",
            &[("Content-Type", SIMPLE_JSON)],
            " ".repeat((64 << 10) + 1).as_bytes(),
        );
    });
    assert_eq!(Fetching::npm(&server).code(PAD), "fetch-too-large");
    assert_eq!(Fetching::pip(&server).code(WHEEL), "fetch-too-large");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn an_endless_document_ends_at_the_limit() {
    let server = Server::start(|_, to| {
        send(to, head("200 OK", &[("Transfer-Encoding", "chunked")]));
        while send(to, chunk(&[b' '; 10_000])) {}
    });
    assert_eq!(Fetching::npm(&server).code(PAD), "fetch-too-large");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_document_that_drips_is_too_slow() {
    let server = Server::start(|_, to| {
        announce(to, "200 OK", &[], (50_000, b" "));
        while send(to, b" ") {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let url = server.url();
    let variables = [("npm_config_registry", url.as_str())];
    let fetching = Fetching::with(&variables, Reach::AsUser, impatient());
    assert_eq!(fetching.code(PAD), "fetch-too-slow");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_cut_document_is_asked_for_again_a_few_times() {
    let page = index_page(&[]).to_string();
    let server = Server::start(move |_, to| {
        announce(to, "200 OK", &[("Content-Type", SIMPLE_JSON)], (page.len() + 1, page.as_bytes()));
    });
    assert_eq!(Fetching::pip(&server).code(WHEEL), "fetch-unreachable");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_part_of_a_document_does_not_pass_for_all_of_it() {
    let page = index_page(&[]).to_string();
    let server = Server::start(move |_, to| {
        let headers = [("Content-Type", SIMPLE_JSON), ("Content-Range", "bytes 0-9/100")];
        answer(to, "206 Partial Content", &headers, page.as_bytes());
    });
    assert_eq!(Fetching::pip(&server).code(WHEEL), "fetch-status");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_document_that_comes_compressed_unasked_is_refused() {
    let server = Server::start(|_, to| {
        answer(to, "200 OK", &[("Content-Encoding", "gzip")], b"\x1f\x8b");
    });
    assert_eq!(Fetching::npm(&server).code(PAD), "fetch-encoded");
    assert_eq!(server.requests().len(), 1);
    assert_eq!(server.requests()[0].header("accept-encoding"), Some("identity"));
}
