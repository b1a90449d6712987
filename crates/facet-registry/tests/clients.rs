//! Clients that are slow, silent, gone, or send anything at all; and the end of the process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use facets_testkit::{Random, long_count, repository_root};
use rustix::process::{Resource, Signal, getrlimit, setrlimit};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, Stream};
use support::{RegistryProcess, Reply, bearer, facet, read_reply, request, wait_until};

#[test]
fn a_client_whose_body_does_not_come_is_refused() {
    let registry = RegistryProcess::start(&["--body-timeout", "1s"]);
    let token = registry.token(&["publish:*"], "acme");
    let mut stream = registry.connect();
    let head = format!(
        "POST /v0/facets/demo/versions HTTP/1.1\r\nHost: r\r\nAuthorization: Bearer {token}\r\nContent-Length: 1000\r\n\r\nx"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let reply = read_reply(&mut stream).unwrap();
    assert_eq!((reply.status, &*reply.code()), (408, "E_TIMEOUT"));
    assert_eq!(registry.get("/health").status, 200);
}

#[test]
fn a_client_whose_head_does_not_come_is_refused() {
    let registry = RegistryProcess::start(&["--header-timeout", "1s"]);
    let mut stream = registry.connect();
    stream.write_all(b"GET /health HTTP/1.1\r\nHos").unwrap();
    let started = Instant::now();
    let reply = read_reply(&mut stream).unwrap();
    assert_eq!((reply.status, &*reply.code()), (408, "E_TIMEOUT"));
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn an_idle_connection_is_closed_after_a_while() {
    let registry = RegistryProcess::start(&["--idle-timeout", "1s"]);
    let mut silent = registry.connect();
    let mut used = registry.connect();
    used.write_all(b"GET /health/live HTTP/1.1\r\nHost: r\r\n\r\n").unwrap();
    assert_eq!(read_reply(&mut used).unwrap().status, 200);
    assert_eq!(silent.read(&mut [0]).unwrap(), 0);
}

#[test]
fn a_half_closed_connection_gets_its_answer_and_ends() {
    let registry = RegistryProcess::start(&[]);
    let mut stream = registry.connect();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: r\r\n\r\n").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(read_reply(&mut stream).unwrap().status, 200);
    let token = registry.token(&["publish:*"], "acme");
    let mut stream = registry.connect();
    let head = format!(
        "POST /v0/facets/demo/versions HTTP/1.1\r\nHost: r\r\nAuthorization: Bearer {token}\r\nContent-Length: 1000\r\n\r\nx"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    // The connection ends, with or without a word about the body that is incomplete.
    if let Some(reply) = read_reply(&mut stream) {
        assert_eq!(reply.status, 400, "{reply:?}");
    }
    let nothing = registry.connect();
    nothing.shutdown(Shutdown::Write).unwrap();
    assert_eq!((&nothing).read(&mut [0]).unwrap(), 0);
}

#[test]
fn one_connection_serves_many_requests() {
    let registry = RegistryProcess::start(&[]);
    let mut stream = registry.connect();
    // Sent together, answered in order.
    for path in ["/health/live", "/nothing", "/health/live"] {
        stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: r\r\n\r\n").as_bytes()).unwrap();
    }
    stream.shutdown(Shutdown::Write).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let statuses: Vec<&str> = text.matches("HTTP/1.1 ").collect();
    assert_eq!(statuses.len(), 3, "{text}");
    assert!(text.contains("HTTP/1.1 404"), "{text}");
}

#[test]
fn idle_connections_keep_no_reader_waiting() {
    const IDLE: usize = 2000;
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    let registry = RegistryProcess::start(&[]);
    let idle: Vec<TcpStream> = (0..IDLE).map(|_| registry.connect()).collect();
    wait_until("all connections are accepted", || {
        let page = String::from_utf8(registry.get("/metrics").body).unwrap();
        let line = page.lines().find_map(|line| line.strip_prefix("facet_registry_connections "));
        line.is_some_and(|count| count.parse::<usize>().unwrap() >= IDLE)
    });
    for _ in 0..50 {
        let started = Instant::now();
        assert_eq!(registry.get("/v0/facets").status, 200);
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
    drop(idle);
}

#[test]
fn more_connections_than_allowed_are_told_so() {
    let registry = RegistryProcess::start(&["--connections", "8"]);
    let taken: Vec<TcpStream> = (0..8).map(|_| registry.connect()).collect();
    wait_until("the ninth is refused", || {
        let mut stream = registry.connect();
        let _ = stream.write_all(&request("GET", "/health/live", &[], b""));
        read_reply(&mut stream).is_some_and(|reply| reply.status == 503)
    });
    drop(taken);
    wait_until("connections are free again", || {
        let mut stream = registry.connect();
        let _ = stream.write_all(&request("GET", "/health/live", &[], b""));
        read_reply(&mut stream).is_some_and(|reply| reply.status == 200)
    });
}

/// A publish whose head and first bytes are sent.
fn begin_publish(registry: &RegistryProcess, token: &str, archive: &[u8]) -> TcpStream {
    let mut stream = registry.connect();
    let message = request("POST", "/v0/facets/demo/versions", &[bearer(token).as_pair()], archive);
    let sent = message.len() - archive.len() / 2;
    stream.write_all(&message[..sent]).unwrap();
    wait_until("the publish is in flight", || {
        let page = String::from_utf8(registry.get("/metrics").body).unwrap();
        // The request for this page is in flight, too.
        page.lines().any(|line| line == "facet_registry_requests_in_flight 2")
    });
    stream
}

#[test]
fn a_signal_lets_requests_in_flight_finish() {
    let mut registry = RegistryProcess::start(&[]);
    let token = registry.token(&["publish:*"], "acme");
    let archive = facet("demo", "1.0.0", "text");
    let mut idle = registry.connect();
    let mut stream = begin_publish(&registry, &token, &archive);
    registry.signal(Signal::TERM);
    assert_eq!(idle.read(&mut [0]).unwrap(), 0, "idle connections end");
    wait_until("new connections are refused", || TcpStream::connect(&registry.address).is_err());
    stream.write_all(&archive[archive.len() - archive.len() / 2..]).unwrap();
    let reply = read_reply(&mut stream).unwrap();
    assert_eq!(reply.status, 201, "{reply:?}");
    assert_eq!(registry.wait().code(), Some(0));
}

#[test]
fn a_second_signal_ends_at_once() {
    let mut registry = RegistryProcess::start(&[]);
    let token = registry.token(&["publish:*"], "acme");
    let _stream = begin_publish(&registry, &token, &facet("demo", "1.0.0", "text"));
    registry.signal(Signal::TERM);
    wait_until("the first is noticed", || TcpStream::connect(&registry.address).is_err());
    let started = Instant::now();
    registry.signal(Signal::TERM);
    assert_eq!(registry.wait().code(), Some(130));
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}

#[test]
fn no_path_query_or_body_makes_the_registry_fail() {
    let registry = RegistryProcess::start(&[]);
    let token = registry.token(&["publish:*"], "acme");
    assert_eq!(registry.publish("demo", &facet("demo", "1.0.0", "text"), &token).status, 201);
    let bearer = bearer(&token);
    let mut random = Random::seeded(2021);
    let pieces = [
        "demo",
        "@acme",
        "%40acme",
        "/",
        "/",
        "1.0.0",
        "latest",
        "*",
        "1.*",
        "versions",
        "yank",
        "archive",
        "contents",
        "surface",
        "contract",
        "diff",
        "latest-version",
        "..",
        "%2e%2e",
        "%00",
        "%ff",
        "%",
        "%F0%9F%92%A1",
        "?",
        "&",
        "=",
        "q",
        "limit",
        "cursor",
        "floor",
        "from",
        "scope",
        "-1",
        "YQ",
        "99999999999999999999",
        "'",
        "%27%20OR%201=1",
        "AAAA",
        "~",
        "+",
    ];
    let bases = ["/v0/facets", "/v0/source-servers", "/v0/publishes", "/v0/auth", "/health", ""];
    let methods = ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"];
    let bodies: [&[u8]; 6] =
        [b"", b"{}", br#"{"reason":"x"}"#, b"\x1f\x8b\x08\x00\x00", &[0; 2048], b"[[[[[[[[[["];
    for _ in 0..long_count(10_000) {
        let tail: String = (0..random.below(8)).map(|_| random.pick(&pieces)).collect();
        let path = format!("{}/{tail}", random.pick(&bases));
        let (method, body) = (random.pick(&methods), random.pick(&bodies));
        let reply = registry.ask(method, &path, &[bearer.as_pair()], body);
        assert_ne!(reply.status, 500, "{method} {path}: {reply:?}");
        // What is no HTTP at all is refused by the parser, without a body.
        if reply.status >= 400 && method != "HEAD" && !reply.body.is_empty() {
            reply.code();
        }
    }
    assert_eq!(registry.get("/health").status, 200);
}

#[test]
fn damaged_archives_are_refused_and_leave_nothing() {
    let registry = RegistryProcess::start(&[]);
    let token = registry.token(&["publish:*"], "acme");
    let archive = facet("demo", "1.0.0", "text");
    let mut random = Random::seeded(7);
    for _ in 0..long_count(1000) {
        let mut damaged = archive.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(damaged.len());
            damaged[at] ^= 1 << random.below(8);
        }
        damaged.truncate(damaged.len() - random.below(2) * random.below(damaged.len()));
        let reply = registry.publish("demo", &damaged, &token);
        assert_ne!(reply.status, 500, "{reply:?}");
        if reply.status >= 400 {
            reply.code();
        }
    }
}

/// A registry that speaks TLS, and a client's configuration that trusts it.
fn start_with_tls(flags: &[&str]) -> (RegistryProcess, ClientConfig) {
    let folder = repository_root().join("testdata/registry-tls");
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let [cert, key] = [&certificate, &key].map(|path| path.to_str().unwrap());
    let registry =
        RegistryProcess::start(&[&["--tls-cert", cert, "--tls-key", key], flags].concat());
    assert_eq!(registry.scheme, "https");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&certificate).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    (registry, config)
}

#[test]
fn tls_is_spoken_with_a_certificate_and_its_key() {
    let (registry, config) = start_with_tls(&[]);
    let name = ServerName::try_from("localhost").unwrap();
    let mut session = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = registry.connect();
    let mut stream = Stream::new(&mut session, &mut socket);
    stream.write_all(&request("GET", "/health", &[], b"")).unwrap();
    assert_eq!(read_reply(&mut stream).unwrap().status, 200);
}

#[test]
fn one_address_does_not_take_all_connections() {
    let registry = RegistryProcess::start_with_rates(&["--connections", "40"]);
    let taken: Vec<TcpStream> = (0..10).map(|_| registry.connect()).collect();
    wait_until("the eleventh is refused", || {
        let mut stream = registry.connect();
        let _ = stream.write_all(&request("GET", "/health/live", &[], b""));
        read_reply(&mut stream).is_some_and(|reply| reply.status == 503)
    });
    drop(taken);
}

#[test]
fn a_refused_upload_is_not_asked_to_continue() {
    let registry = RegistryProcess::start(&[]);
    let mut stream = registry.connect();
    let head = b"POST /v0/facets/demo/versions HTTP/1.1\r\nHost: r\r\nExpect: 100-continue\r\n\
        Content-Length: 9\r\nConnection: close\r\n\r\n";
    stream.write_all(head).unwrap();
    assert_eq!(read_reply(&mut stream).unwrap().status, 401);
}

#[test]
fn requests_that_a_proxy_could_understand_differently_are_refused() {
    let registry = RegistryProcess::start(&[]);
    for lines in ["", "Host: r\r\nHost: r\r\n", "Host: r\r\nTransfer-Encoding: gzip, chunked\r\n"] {
        let mut stream = registry.connect();
        let head =
            format!("POST /v0/facets/demo/versions HTTP/1.1\r\n{lines}Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let reply = read_reply(&mut stream).unwrap();
        assert_eq!((reply.status, &*reply.code()), (400, "E_BAD_REQUEST"), "{lines:?}");
    }
}

/// Sends a request with a body that the registry has no use for: all of it is taken, and then the answer is there.
fn send_large(stream: &mut (impl std::io::Read + std::io::Write), head: &str) -> Reply {
    // More than the registry reads before it refuses, and than sockets hold.
    const BODY: usize = 48 << 20;
    let head = format!("{head}Host: r\r\nContent-Length: {BODY}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&vec![0; BODY]).unwrap();
    let mut answer = Vec::new();
    // To its end: no reset.
    stream.read_to_end(&mut answer).unwrap();
    read_reply(&mut answer.as_slice()).unwrap()
}

#[test]
fn a_client_that_sends_a_large_body_in_vain_gets_its_refusal() {
    let flags = ["--read-rate", "0", "--write-rate", "1", "--write-burst", "2"];
    let registry = RegistryProcess::start_with_rates(&flags);
    let owner = registry.token(&["publish:*"], "acme");
    assert_eq!(registry.publish("demo", &facet("demo", "1.0.0", "text"), &owner).status, 201);
    let wrong = registry.token(&["publish:@acme/*"], "other");
    let stranger = registry.token(&["publish:*"], "stranger");
    let bearer = |token: &str| format!("Authorization: Bearer {token}\r\n");
    let publish = "POST /v0/facets/demo/versions HTTP/1.1\r\n";
    let nowhere = "POST /v0/nowhere HTTP/1.1\r\n";
    for (head, status, code) in [
        (publish.to_owned(), 401, "E_UNAUTHORIZED"),
        (format!("{publish}{}", bearer("fct_pub_wrong")), 401, "E_UNAUTHORIZED"),
        (format!("{publish}{}", bearer(&wrong)), 403, "E_FORBIDDEN"),
        (format!("{publish}{}", bearer(&stranger)), 413, "E_TOO_LARGE"),
        (format!("{publish}{}", bearer(&owner)), 413, "E_TOO_LARGE"),
        (format!("{publish}{}", bearer(&owner)), 429, "E_RATE_LIMITED"),
        (format!("{publish}{}Content-Encoding: gzip\r\n", bearer(&stranger)), 400, "E_BAD_REQUEST"),
        (
            format!("POST /v0/source-servers/demo/versions HTTP/1.1\r\n{}", bearer("x")),
            401,
            "E_UNAUTHORIZED",
        ),
        (
            format!("DELETE /v0/facets/demo/1.0.0/yank HTTP/1.1\r\n{}", bearer(&wrong)),
            413,
            "E_TOO_LARGE",
        ),
        (nowhere.to_owned(), 404, "E_NOT_FOUND"),
        ("PUT /v0/facets HTTP/1.1\r\n".to_owned(), 405, "E_METHOD"),
        (format!("{nowhere}Host: r\r\n"), 400, "E_BAD_REQUEST"),
    ] {
        let reply = send_large(&mut registry.connect(), &head);
        assert_eq!((reply.status, &*reply.code()), (status, code), "{head}");
        assert_eq!(reply.header("connection"), Some("close"), "{head}");
    }
    // The same while it waits for `100 Continue`, and no longer.
    let reply = send_large(&mut registry.connect(), &format!("{publish}Expect: 100-continue\r\n"));
    assert_eq!(reply.code(), "E_UNAUTHORIZED");
}

#[test]
fn a_refusal_reaches_a_client_that_is_still_sending_over_tls() {
    let (registry, config) = start_with_tls(&[]);
    let name = ServerName::try_from("localhost").unwrap();
    let mut session = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = registry.connect();
    let mut stream = Stream::new(&mut session, &mut socket);
    let reply = send_large(&mut stream, "POST /v0/facets/demo/versions HTTP/1.1\r\n");
    assert_eq!((reply.status, &*reply.code()), (401, "E_UNAUTHORIZED"));
}

/// An upload that has begun and does not go on.
fn stall_upload(registry: &RegistryProcess, name: &str, token: &str) -> TcpStream {
    let mut stream = registry.connect();
    let path = format!("/v0/facets/{name}/versions");
    let message = request("POST", &path, &[bearer(token).as_pair()], &[0; 4096]);
    stream.write_all(&message[..message.len() - 4095]).unwrap();
    stream
}

#[test]
fn slow_publishers_keep_neither_readers_nor_another_publisher_waiting() {
    let registry = RegistryProcess::start(&["--uploads-at-once", "8"]);
    let reader = registry.token(&["publish:*"], "reader");
    assert_eq!(registry.publish("demo", &facet("demo", "1.0.0", "text"), &reader).status, 201);
    let owners = ["one", "two", "three", "four"];
    // Two are a quarter of eight.
    let mut slow: Vec<TcpStream> = Vec::new();
    for owner in owners {
        let token = registry.token(&["publish:*"], owner);
        for nth in 0..2 {
            slow.push(stall_upload(&registry, &format!("{owner}-{nth}"), &token));
            // The request for the page is in flight, too.
            let expected = format!("facet_registry_requests_in_flight {}", slow.len() + 1);
            wait_until("the upload is in flight", || {
                let page = String::from_utf8(registry.get("/metrics").body).unwrap();
                page.lines().any(|line| line == expected)
            });
        }
    }
    for path in ["1.0.0", "latest?floor=1.0.0", "1.0.0/archive", "1.0.0/contents", "versions"] {
        assert_eq!(registry.get(&format!("/v0/facets/demo/{path}")).status, 200, "{path}");
    }
    let token = registry.token(&["publish:*"], "five");
    let fifth = registry.publish("fifth", &facet("fifth", "1.0.0", "text"), &token);
    assert_eq!(fifth.status, 201, "{fifth:?}");
    // One upload made room for it, of an owner that has another one.
    let mut made_room = slow.split_off(7);
    let reply = read_reply(&mut made_room[0]).unwrap();
    assert_eq!((reply.status, &*reply.code()), (429, "E_QUEUE_FULL"));
    assert!(reply.header("retry-after").is_some(), "{reply:?}");
    assert!(reply.json()["error"].as_str().unwrap().contains("another owner"), "{reply:?}");
    let next = registry.publish("fifth", &facet("fifth", "1.1.0", "text"), &token);
    assert_eq!(next.status, 201, "the slot is free again");
}

#[test]
fn slow_uploads_of_many_owners_make_room_for_another_owner() {
    // One of four is all that an owner gets.
    let registry = RegistryProcess::start(&["--uploads-at-once", "4", "--upload-window", "1s"]);
    let mut slow: Vec<TcpStream> = Vec::new();
    for owner in ["one", "two", "three", "four"] {
        let token = registry.token(&["publish:*"], owner);
        slow.push(stall_upload(&registry, owner, &token));
        let expected = format!("facet_registry_requests_in_flight {}", slow.len() + 1);
        wait_until("the upload is in flight", || {
            let page = String::from_utf8(registry.get("/metrics").body).unwrap();
            page.lines().any(|line| line == expected)
        });
    }
    let token = registry.token(&["publish:*"], "five");
    let fifth = registry.publish("fifth", &facet("fifth", "1.0.0", "text"), &token);
    assert_eq!(fifth.status, 201, "{fifth:?}");
    let mut replies = slow.iter_mut().map(|stream| {
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        read_reply(stream)
    });
    let refused = replies.find_map(|reply| reply).unwrap();
    assert_eq!((refused.status, &*refused.code()), (408, "E_TIMEOUT"));
    assert_eq!(refused.header("connection"), Some("close"));
    assert_eq!(refused.json()["details"]["bytes_per_second"], 128 << 10);
    assert!(refused.json()["error"].as_str().unwrap().contains("another owner"), "{refused:?}");
}

#[test]
fn without_a_rate_slow_uploads_keep_their_slots() {
    let flags = ["--uploads-at-once", "1", "--upload-window", "1s", "--upload-rate", "0"];
    let registry = RegistryProcess::start(&flags);
    let slow = registry.token(&["publish:*"], "slow");
    let archive = facet("demo", "1.0.0", "text");
    let mut stream = begin_publish(&registry, &slow, &archive);
    let other = registry.token(&["publish:*"], "other");
    let refused = registry.publish("other", &facet("other", "1.0.0", "text"), &other);
    assert_eq!((refused.status, &*refused.code()), (503, "E_UNAVAILABLE"));
    stream.write_all(&archive[archive.len() - archive.len() / 2..]).unwrap();
    assert_eq!(read_reply(&mut stream).unwrap().status, 201);
}
