//! Files that arrive in parts.

use std::io::Write;

use facets_fetch::FetchLimits;

use crate::support::fetching::{Fetching, limits};
use crate::support::packages::{ASSET, PAD, TARBALL, content, dist, npm_server};
use crate::support::server::{Request, Server, announce, answer};

const ETAG: (&str, &str) = ("ETag", "\"v1\"");

/// Headers that do not prove that a part is of the same file.
const NOT_STRONG: [&[(&str, &str)]; 3] =
    [&[], &[("ETag", "W/\"v1\"")], &[ETAG, ("Accept-Ranges", "none")]];

/// The first byte that is asked for.
fn start(request: &Request) -> usize {
    let range = request.header("range").unwrap();
    range.strip_prefix("bytes=").unwrap().strip_suffix('-').unwrap().parse().unwrap()
}

/// The rest of some bytes, at most so many of it, though all of it is announced.
fn send_rest(to: &mut dyn Write, bytes: &[u8], first: usize, most: usize) {
    let range = format!("bytes {first}-{}/{}", bytes.len() - 1, bytes.len());
    let part = &bytes[first..bytes.len().min(first + most)];
    let headers = [ETAG, ("Content-Range", range.as_str())];
    announce(to, "206 Partial Content", &headers, (bytes.len() - first, part));
}

/// The first half of some bytes, though all of them are announced.
fn send_half(to: &mut dyn Write, bytes: &[u8], headers: &[(&str, &str)]) {
    announce(to, "200 OK", headers, (bytes.len(), &bytes[..bytes.len() / 2]));
}

#[test]
fn a_cut_file_is_resumed_where_it_ended() {
    let server = Server::start(|request, to| match request.nth {
        0 => send_half(to, &content(), &[ETAG]),
        _ => send_rest(to, &content(), start(request), usize::MAX >> 1),
    });
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.one(ASSET).unwrap(), content());
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!((requests[0].header("range"), requests[0].header("if-range")), (None, None));
    let half = format!("bytes={}-", content().len() / 2);
    assert_eq!(requests[1].header("range"), Some(half.as_str()));
    assert_eq!(requests[1].header("if-range"), Some("\"v1\""));
}

#[test]
fn a_file_may_be_resumed_many_times() {
    let server = npm_server(dist(&content()), |request, to| match request.nth {
        0 => announce(to, "200 OK", &[ETAG], (content().len(), &content()[..5000])),
        _ => send_rest(to, &content(), start(request), 10_000),
    });
    let url = server.url();
    let fetching = Fetching::with(
        &[("npm_config_registry", url.as_str())],
        facets_fetch::Reach::AsUser,
        FetchLimits { retries: 12, backoff: std::time::Duration::ZERO, ..limits() },
    );
    assert_eq!(fetching.one(PAD).unwrap(), content());
    assert_eq!(server.requests().len(), 1 + 11);
}

#[test]
fn a_cut_file_without_a_strong_validator_begins_anew() {
    for headers in NOT_STRONG {
        let server = Server::start(move |request, to| match request.nth {
            0 => send_half(to, &content(), headers),
            _ => answer(to, "200 OK", headers, &content()),
        });
        let fetching = Fetching::github(&server, limits());
        assert_eq!(fetching.one(ASSET).unwrap(), content());
        let requests = server.requests();
        assert_eq!(requests.len(), 2);
        assert_eq!(requests[1].header("range"), None);
    }
}

#[test]
fn a_part_of_other_bytes_is_found_out_and_the_file_begins_anew() {
    let server = npm_server(dist(&content()), |request, to| match request.nth {
        0 => send_half(to, &content(), &[ETAG]),
        1 => send_rest(to, &vec![0_u8; content().len()], start(request), usize::MAX >> 1),
        _ => answer(to, "200 OK", &[ETAG], &content()),
    });
    assert_eq!(Fetching::npm(&server).one(PAD).unwrap(), content());
    let requests = server.requests();
    assert_eq!(requests.len(), 1 + 3);
    assert_eq!(requests[3].header("range"), None);
}

#[test]
fn parts_of_other_bytes_again_and_again_are_a_mismatch() {
    let server = npm_server(dist(&content()), |request, to| match request.header("range") {
        None => send_half(to, &content(), &[ETAG]),
        Some(_) => send_rest(to, &vec![0_u8; content().len()], start(request), usize::MAX >> 1),
    });
    let url = server.url();
    let fetching = Fetching::with(
        &[("npm_config_registry", url.as_str())],
        facets_fetch::Reach::AsUser,
        FetchLimits { retries: 3, ..limits() },
    );
    assert_eq!(fetching.code(PAD), "fetch-upstream-mismatch");
    let asked = server.paths().into_iter().filter(|path| path == TARBALL).count();
    assert_eq!(asked, 4);
}

#[test]
fn a_part_that_nobody_asked_for_is_refused() {
    let server = Server::start(|_, to| send_rest(to, &content(), 0, usize::MAX >> 1));
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.code(ASSET), "fetch-status");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_part_of_another_place_is_not_appended() {
    let ranges = [
        "bytes 0-99999/100000",
        "bytes 49999-99999/100000",
        "bytes 50001-99999/100000",
        "bytes 50000-99998/100000",
        "bytes 50000-99999/*",
        "bytes 50000-100000/100001",
        "bytes */100000",
        "lines 50000-99999/100000",
        "",
    ];
    for range in ranges {
        let server = Server::start(move |request, to| match request.nth {
            0 => send_half(to, &content(), &[ETAG]),
            1 => {
                let headers = [ETAG, ("Content-Range", range)];
                answer(to, "206 Partial Content", &headers, &content()[50_000..]);
            }
            _ => answer(to, "200 OK", &[ETAG], &content()),
        });
        let fetching = Fetching::github(&server, limits());
        assert_eq!(fetching.one(ASSET).unwrap(), content(), "{range}");
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "{range}");
        assert_eq!(requests[2].header("range"), None, "{range}");
    }
}

#[test]
fn a_file_that_is_replaced_meanwhile_is_the_new_one() {
    let new = || vec![9_u8; 70_000];
    let server = Server::start(move |request, to| match request.nth {
        0 => send_half(to, &content(), &[ETAG]),
        _ => answer(to, "200 OK", &[("ETag", "\"v2\"")], &new()),
    });
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.one(ASSET).unwrap(), new());
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_rest_of_a_replaced_file_is_not_appended() {
    let new = || vec![9_u8; content().len()];
    for etag in [Some("\"v2\""), Some("W/\"v1\""), None] {
        let server = Server::start(move |request, to| match request.nth {
            0 => send_half(to, &content(), &[ETAG]),
            1 => {
                let mut headers = vec![("Content-Range", "bytes 50000-99999/100000")];
                headers.extend(etag.map(|etag| ("ETag", etag)));
                answer(to, "206 Partial Content", &headers, &new()[50_000..]);
            }
            _ => answer(to, "200 OK", &[("ETag", "\"v2\"")], &new()),
        });
        let fetching = Fetching::github(&server, limits());
        assert_eq!(fetching.one(ASSET).unwrap(), new(), "{etag:?}");
        assert_eq!(server.requests().len(), 3, "{etag:?}");
    }
}

#[test]
fn a_range_behind_the_end_begins_anew() {
    let server = Server::start(|request, to| match request.nth {
        0 => send_half(to, &content(), &[ETAG]),
        1 => answer(to, "416 Range Not Satisfiable", &[], b""),
        _ => answer(to, "200 OK", &[], b"short"),
    });
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.one(ASSET).unwrap(), b"short");
    assert_eq!(server.requests().len(), 3);
}
