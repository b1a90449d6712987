//! Documents that are none, statuses, and registries that cannot be reached.

use std::io::Write;
use std::time::{Duration, Instant};

use facets_digest::Digest;
use facets_failure::Describe as _;
use facets_registry_client::{
    ListPosition, PublishedKind, RegistryClient, RegistryClientLimits, WantedVersion,
};

use crate::support::asking::{
    ARCHIVE, TOKEN, ask_version, client, client_with, code, document, limits, name, version,
};
use crate::support::server::{Server, answer, head, json, send};

const VERSION: &str = "GET /v0/source-servers/%40acme/demo/1.0.0";

#[test]
fn every_call_asks_for_the_path_of_the_api() {
    let server = Server::start(|request, to| match request.path.split('?').next().unwrap() {
        "/v0/auth/me" => json(to, "200 OK", r#"{"username":"acme","scopes":["publish:*"]}"#),
        "/v0/source-servers" => json(
            to,
            "200 OK",
            r#"{"servers":[{"name":"@acme/demo","latest_version":"1.0.0"}],"next_cursor":"c"}"#,
        ),
        "/v0/source-servers/%40acme/demo/versions" => json(to, "200 OK", r#"{"versions":[]}"#),
        "/v0/source-servers/%40acme/demo/1.0.0/diff" => json(
            to,
            "200 OK",
            r#"{"from":"0.9.0","to":"1.0.0","content_changed":true,"findings":[{"b":1,"a":2}]}"#,
        ),
        "/v0/source-servers/%40acme/demo/1.0.0/surface" => answer(to, "200 OK", &[], b"surface"),
        _ => json(to, "200 OK", &document()),
    });
    let client = client(&server);
    let (name, version, kind) = (name(), version(), PublishedKind::Server);
    let identity = client.whoami().unwrap();
    assert_eq!((identity.username.as_str(), identity.scopes.len()), ("acme", 1));
    let position = ListPosition { cursor: Some("a b".to_owned()), limit: Some(1000) };
    let found = client.search(kind, "red & green", &position).unwrap();
    assert_eq!((found.items.len(), found.next.as_deref()), (1, Some("c")));
    assert!(client.versions(kind, &name, &ListPosition::default()).unwrap().items.is_empty());
    let before = "0.9.0".parse().unwrap();
    let changed = client.diff(kind, &name, (&before, &version)).unwrap();
    assert_eq!(changed.findings, [r#"{"a":2,"b":1}"#]);
    assert_eq!(client.surface(&name, &version).unwrap(), b"surface");
    let floor = WantedVersion::AtLeast("0.5.0".parse().unwrap());
    client.version(kind, &name, &floor).unwrap();
    client.version(kind, &name, &WantedVersion::Latest).unwrap();
    client.yank(kind, &name, &version, "it is \"broken\"\n").unwrap();
    client.unyank(kind, &name, &version).unwrap();
    let base = "/v0/source-servers/%40acme/demo";
    let expected = [
        "GET /v0/auth/me".to_owned(),
        "GET /v0/source-servers?q=red+%26+green&cursor=a+b&limit=100".to_owned(),
        format!("GET {base}/versions"),
        format!("GET {base}/1.0.0/diff?from=0.9.0"),
        format!("GET {base}/1.0.0/surface"),
        format!("GET {base}/latest?floor=0.5.0"),
        format!("GET {base}/latest"),
        format!("POST {base}/1.0.0/yank"),
        format!("DELETE {base}/1.0.0/yank"),
    ];
    assert_eq!(server.lines(), expected);
    assert_eq!(server.requests()[7].body, br#"{"reason":"it is \"broken\"\n"}"#);
    let bearer = format!("Bearer {TOKEN}");
    assert!(server.authorizations().iter().all(|said| said.as_deref() == Some(&*bearer)));
}

#[test]
fn a_range_of_releases_a_contract_and_all_versions_are_asked_for() {
    let hash = Digest::of(ARCHIVE);
    let server = Server::start(move |request, to| match request.path.as_str() {
        "/v0/source-servers/%40acme/demo/1.0.0/contract" => json(to, "200 OK", "{}"),
        path if path.contains("/versions") => {
            let next = if path.contains("cursor") { "" } else { r#","next_cursor":"c""# };
            let item = format!(
                r#"{{"version":"1.0.0","content_hash":"{hash}","integrity":"{hash}","yanked":{{"reason":"x"}}}}"#
            );
            json(to, "200 OK", &format!(r#"{{"versions":[{item}]{next}}}"#));
        }
        _ => json(to, "200 OK", &document()),
    });
    let (client, name, kind) = (client(&server), name(), PublishedKind::Server);
    let range = WantedVersion::Within("1.*".parse().unwrap());
    assert!(client.version(kind, &name, &range).is_ok());
    let other = WantedVersion::Within("2.*".parse().unwrap());
    assert_eq!(code(client.version(kind, &name, &other)), "registry-answer");
    assert_eq!(client.contract(&name, &version()).unwrap(), b"{}");
    let versions = client.all_versions(kind, &name, 10).unwrap();
    assert_eq!(versions.len(), 2);
    assert!(versions.iter().all(|one| one.yanked.is_some()));
    assert_eq!(code(client.all_versions(kind, &name, 1)), "registry-answer");
    let base = "GET /v0/source-servers/%40acme/demo";
    let lines = server.lines();
    assert_eq!(lines[0], format!("{base}/1.*"));
    assert_eq!(lines[3], format!("{base}/versions?limit=100"));
    assert_eq!(lines[4], format!("{base}/versions?cursor=c&limit=100"));
}

#[test]
fn a_list_without_an_end_is_left() {
    let empty = Server::start(|_, to| json(to, "200 OK", r#"{"versions":[],"next_cursor":"c"}"#));
    assert!(client(&empty).all_versions(PublishedKind::Server, &name(), 10).unwrap().is_empty());
    assert_eq!(empty.requests().len(), 1);
}

#[test]
fn a_surface_file_is_what_the_document_states() {
    let stated = format!(r#"{{"surface_file":"{}","kind""#, Digest::of(b"surface"));
    for (document, bytes, expected) in [
        (document().replacen("{\"kind\"", &stated, 1), &b"surface"[..], None),
        (document().replacen("{\"kind\"", &stated, 1), b"other", Some("registry-mismatch")),
        (document(), b"surface", Some("registry-answer")),
    ] {
        let server = Server::start(move |request, to| {
            if request.path.ends_with("/surface") {
                answer(to, "200 OK", &[], bytes);
            } else {
                json(to, "200 OK", &document);
            }
        });
        let client = client(&server);
        let surface = client.verified_surface(&ask_version(&client).unwrap());
        match expected {
            None => assert_eq!(surface.unwrap(), bytes),
            Some(expected) => assert_eq!(code(surface), expected),
        }
    }
}

#[test]
fn a_document_that_is_none_is_refused() {
    for (old, new) in [
        ("{", "[{"),
        (r#""name""#, r#""name":"@acme/demo","name""#),
        ("@acme/demo", "@acme/other"),
        ("1.0.0", "1.0.1"),
        (r#""server""#, r#""facet""#),
        ("sha256:", "md5:"),
        (r#""size_bytes":"#, r#""size_bytes":-"#),
        (r#""api_surface""#, r#""api""#),
        (r#""owner":"acme""#, r#""owner":7"#),
    ] {
        let text = document().replacen(old, new, 1);
        let server = Server::start(move |_, to| json(to, "200 OK", &text));
        assert_eq!(code(ask_version(&client(&server))), "registry-answer", "{old}");
        assert_eq!(server.lines(), [VERSION], "{old}");
    }
}

/// An answer without an end.
fn flood(to: &mut dyn Write, status: &str) {
    send(to, head(status, &[("Transfer-Encoding", "chunked")]));
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    while send(to, &chunk) {}
}

#[test]
fn a_flood_is_cut_off() {
    let server = Server::start(|_, to| flood(to, "200 OK"));
    assert_eq!(code(ask_version(&client(&server))), "registry-too-large");
    assert_eq!(code(client(&server).surface(&name(), &version())), "registry-too-large");
    let refusal = Server::start(|_, to| flood(to, "404 Not Found"));
    assert_eq!(code(ask_version(&client(&refusal))), "registry-not-found");
}

#[test]
fn an_encoded_answer_is_not_decoded() {
    for header in [("Content-Encoding", "gzip"), ("Content-Encoding", "identity, br")] {
        let server =
            Server::start(move |_, to| answer(to, "200 OK", &[header], document().as_bytes()));
        assert_eq!(code(ask_version(&client(&server))), "registry-answer", "{header:?}");
    }
}

#[test]
fn a_busy_registry_is_asked_again_when_it_says() {
    for status in ["429 Slow", "500 Oops", "503 Busy"] {
        let server = Server::start(move |request, to| match request.nth {
            0 => answer(to, status, &[("Retry-After", "0")], b"busy"),
            _ => json(to, "200 OK", &document()),
        });
        assert!(ask_version(&client(&server)).is_ok(), "{status}");
        assert_eq!(server.lines(), [VERSION, VERSION], "{status}");
    }
    let always = Server::start(|_, to| answer(to, "503 Busy", &[("Retry-After", "0")], b""));
    assert_eq!(code(ask_version(&client(&always))), "registry-busy");
    assert_eq!(always.requests().len(), 3);
    let later = Server::start(|_, to| answer(to, "503 Busy", &[("Retry-After", "3600")], b""));
    let error = ask_version(&client(&later)).unwrap_err();
    assert_eq!(error.notes()[0].text, "3600 s, then try again");
    assert_eq!(later.requests().len(), 1);
}

#[test]
fn a_change_is_never_sent_twice() {
    let server = Server::start(|_, to| answer(to, "503 Busy", &[("Retry-After", "0")], b""));
    let (client, name, version) = (client(&server), name(), version());
    assert_eq!(code(client.yank(PublishedKind::Server, &name, &version, "x")), "registry-busy");
    assert_eq!(code(client.unyank(PublishedKind::Server, &name, &version)), "registry-busy");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_refusal_has_the_words_of_the_registry() {
    let problem = r#"{"code":"E_NOT_OWNER","error":"\u001b[2Jdemo belongs to zoe","fix":"choose another name"}"#;
    for (status, code) in [
        ("401 Unauthorized", "registry-unauthorized"),
        ("403 Forbidden", "registry-forbidden"),
        ("404 Not Found", "registry-not-found"),
        ("409 Conflict", "registry-version-exists"),
        ("422 Unprocessable", "registry-refused"),
        ("418 Teapot", "registry-refused"),
    ] {
        let server = Server::start(move |_, to| json(to, status, problem));
        let error = ask_version(&client(&server)).unwrap_err();
        assert_eq!(error.code(), code, "{status}");
        let words = "refused the request: \u{1b}[2Jdemo belongs to zoe (E_NOT_OWNER)";
        assert!(error.to_string().ends_with(words), "{error}");
        assert_eq!(error.notes()[0].text, "choose another name");
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[test]
fn no_http_at_all_and_no_registry_at_all_are_told_apart() {
    let server = Server::start(|_, to| {
        send(to, "SSH-2.0-OpenSSH_9.9\r\n\r\n");
    });
    assert_eq!(code(ask_version(&client(&server))), "registry-answer");
    // No port that another test could just get.
    let address = "http://127.0.0.1:1".parse().unwrap();
    let nowhere = RegistryClient::new(address, None, limits()).unwrap();
    assert_eq!(code(nowhere.whoami()), "registry-unreachable");
}

#[test]
fn a_silent_registry_is_given_up() {
    let server = Server::start(|_, _| std::thread::sleep(Duration::from_secs(3)));
    let limits = RegistryClientLimits { read: Duration::from_millis(200), ..limits() };
    let error = ask_version(&client_with(&server, limits)).unwrap_err();
    assert_eq!(error.code(), "registry-unreachable", "{error}");
    let host = server.url().replacen("http://", "", 1);
    let asked = format!("{}/v0/source-servers/%40acme/demo/1.0.0", server.url());
    assert_eq!(error.to_string(), format!("{host} sent nothing for 0.2 s, asked for {asked}"));
    assert_eq!(
        error.next(),
        "the same command after `export FACET_REGISTRY_TIMEOUT=60`, if the registry is only slow"
    );
    // Whoever waits is not kept waiting for the same again.
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_registry_that_does_not_even_shake_hands_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", silent.local_addr().unwrap()).parse().unwrap();
    let limits = RegistryClientLimits { connect: Duration::from_millis(200), ..limits() };
    let client = RegistryClient::new(address, None, limits).unwrap();
    let begun = Instant::now();
    let error = ask_version(&client).unwrap_err();
    assert_eq!(error.code(), "registry-unreachable", "{error}");
    assert!(error.to_string().contains("no connection within 0.2 s, to ask for "), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn a_registry_that_stops_in_the_middle_is_given_up() {
    let server = Server::start(|_, to| {
        send(to, head("200 OK", &[("Content-Length", "1000")]));
        send(to, " ");
        std::thread::sleep(Duration::from_secs(3));
    });
    let limits = RegistryClientLimits { read: Duration::from_millis(200), ..limits() };
    let error = ask_version(&client_with(&server, limits)).unwrap_err();
    assert!(error.to_string().contains("sent nothing for 0.2 s, asked for "), "{error}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_registry_that_answers_byte_by_byte_is_given_up() {
    for status in ["200 OK", "404 Not Found"] {
        let server = Server::start(move |_, to| {
            send(to, head(status, &[("Content-Length", "1000")]));
            while send(to, " ") {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let limits = RegistryClientLimits { answer: Duration::from_millis(200), ..limits() };
        let begun = Instant::now();
        let error = ask_version(&client_with(&server, limits)).unwrap_err();
        // A refusal has a status, whatever becomes of its words.
        let code = if status == "200 OK" { "registry-too-slow" } else { "registry-not-found" };
        assert_eq!(error.code(), code, "{error}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        assert_eq!(server.requests().len(), 1);
    }
}
