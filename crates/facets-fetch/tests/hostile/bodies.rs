//! Bodies that are shorter, longer, slower or otherwise than they should be.

use std::io::Write;
use std::time::Duration;

use facets_fetch::FetchLimits;

use crate::support::fetching::{Fetching, impatient, limits};
use crate::support::packages::{
    ASSET, PAD, WHEEL, WHEEL_NAME, content, dist, index_file, index_server, npm_server,
};
use crate::support::server::{Server, announce, answer, chunk, head, send};

/// One byte after the other, as long as the client reads.
fn drip(to: &mut dyn Write) {
    while send(to, b"x") {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_cut_body_is_asked_for_again_a_few_times() {
    let server = Server::start(|_, to| announce(to, "200 OK", &[], (100, &[7; 40])));
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.code(ASSET), "fetch-length");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn an_empty_answer_is_asked_for_again_a_few_times() {
    let server = Server::start(|_, _| {});
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.code(ASSET), "fetch-unreachable");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_cut_body_of_unknown_length_does_not_pass_for_the_file() {
    let server = Server::start(|_, to| {
        send(to, head("200 OK", &[("Transfer-Encoding", "chunked")]));
        send(to, chunk(&[7; 40]));
    });
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.code(ASSET), "fetch-unreachable");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_file_that_ends_with_its_connection_needs_a_stated_hash() {
    let server = Server::start(|_, to| {
        send(to, head("200 OK", &[]));
        send(to, content());
    });
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.code(ASSET), "fetch-unreachable");
    assert_eq!(server.requests().len(), 1);

    let server = npm_server(dist(&content()), |_, to| {
        send(to, head("200 OK", &[]));
        send(to, content());
    });
    assert_eq!(Fetching::npm(&server).one(PAD).unwrap(), content());
}

#[test]
fn more_bytes_than_the_index_states_are_an_error() {
    let file = index_file(WHEEL_NAME, &[7; 40]);
    let server = index_server(&[file], |_, to| {
        send(to, head("200 OK", &[("Transfer-Encoding", "chunked")]));
        send(to, chunk(&[7; 41]));
        send(to, chunk(&[]));
    });
    assert_eq!(Fetching::pip(&server).code(WHEEL), "fetch-length");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn an_announced_length_that_the_index_contradicts_is_an_error() {
    for length in [39, 41] {
        let file = index_file(WHEEL_NAME, &[7; 40]);
        let server = index_server(&[file], move |_, to| {
            announce(to, "200 OK", &[], (length, &[7; 40]));
        });
        assert_eq!(Fetching::pip(&server).code(WHEEL), "fetch-length", "{length}");
        assert_eq!(server.requests().len(), 2, "{length}");
    }
}

#[test]
fn bytes_behind_the_announced_length_are_no_answer_to_the_next_request() {
    let server = Server::start(|_, to| {
        let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
        send(to, format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood{evil}"));
    });
    let fetching = Fetching::github(&server, limits());
    for _ in 0..3 {
        assert_eq!(fetching.one(ASSET).unwrap(), b"good");
    }
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn an_endless_body_ends_at_the_limit() {
    let server = Server::start(|_, to| {
        send(to, head("200 OK", &[("Transfer-Encoding", "chunked")]));
        while send(to, chunk(&[0; 10_000])) {}
    });
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.code(ASSET), "fetch-too-large");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_body_that_announces_too_much_is_not_read() {
    let server = Server::start(|_, to| {
        announce(to, "200 OK", &[], (2 << 20, b"x"));
        drip(to);
    });
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.code(ASSET), "fetch-too-large");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_file_that_drips_is_too_slow() {
    let server = Server::start(|_, to| {
        announce(to, "200 OK", &[], (100_000, b"x"));
        drip(to);
    });
    let late = FetchLimits { time: Duration::from_millis(1500), ..limits() };
    let over = FetchLimits { total_time: Duration::from_millis(1500), ..limits() };
    for limits in [impatient(), late, over] {
        let before = server.requests().len();
        assert_eq!(Fetching::github(&server, limits).code(ASSET), "fetch-too-slow");
        assert_eq!(server.requests().len(), before + 1);
    }
}

#[test]
fn a_server_that_falls_silent_is_unreachable() {
    for begun in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"] {
        let server = Server::start(move |_, to| {
            send(to, begun);
            std::thread::sleep(Duration::from_millis(900));
        });
        assert_eq!(Fetching::github(&server, impatient()).code(ASSET), "fetch-unreachable");
        assert_eq!(server.requests().len(), 3, "{begun}");
    }
}

#[test]
fn a_body_that_comes_compressed_unasked_is_refused() {
    for encoding in ["gzip", "br", "x-unknown", "identity, gzip"] {
        let server = Server::start(move |_, to| {
            answer(to, "200 OK", &[("Content-Encoding", encoding)], b"\x1f\x8b");
        });
        let fetching = Fetching::github(&server, limits());
        assert_eq!(fetching.code(ASSET), "fetch-encoded", "{encoding}");
        let requests = server.requests();
        assert_eq!(requests.len(), 1, "{encoding}");
        assert_eq!(requests[0].header("accept-encoding"), Some("identity"));
    }
}

#[test]
fn every_header_about_encodings_is_looked_at() {
    let (content, transfer) = ("Content-Encoding", "Transfer-Encoding");
    for headers in [
        vec![(content, "identity"), (content, "gzip")],
        vec![(content, ""), (content, "br")],
        vec![(content, "\u{e9}")],
        vec![(transfer, "gzip, chunked")],
        vec![(transfer, "gzip"), (transfer, "chunked")],
        vec![(transfer, "chunked"), (transfer, "chunked")],
        vec![(transfer, "identity")],
    ] {
        let sent = headers.clone();
        let server = Server::start(move |_, to| {
            send(to, head("200 OK", &sent));
            send(to, chunk(b"\x1f\x8b"));
            send(to, chunk(&[]));
        });
        let fetching = Fetching::github(&server, limits());
        assert_eq!(fetching.code(ASSET), "fetch-encoded", "{headers:?}");
        assert_eq!(server.requests().len(), 1, "{headers:?}");
    }
}

#[test]
fn identity_and_chunked_are_accepted_in_any_case() {
    let server = Server::start(|_, to| {
        let headers = [("Content-Encoding", "Identity"), ("Transfer-Encoding", "CHUNKED")];
        send(to, head("200 OK", &headers));
        send(to, chunk(b"done"));
        send(to, chunk(&[]));
    });
    assert_eq!(Fetching::github(&server, limits()).one(ASSET).unwrap(), b"done");
}
