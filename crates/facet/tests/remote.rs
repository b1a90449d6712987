//! Remote servers that misbehave: each has its own error, and nobody waits for ever.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod remotes;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use remotes::{Asked, honest, respond, serve};
use serde_json::Value;

fn inspect(url: &str, extra: &[&str]) -> Value {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_facet"))
        .args(["inspect", "--format", "json", "--timeout", "2", url])
        .args(extra)
        .env("FACET_TEST_TOKEN", "Bearer secret-value")
        .output()
        .unwrap();
    assert!(start.elapsed() < Duration::from_secs(20), "{url} took {:?}", start.elapsed());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("secret-value"), "{text}");
    let report: Value = serde_json::from_str(&text).unwrap();
    let exit = if report["error"].is_null() { 0 } else { 2 };
    assert_eq!(output.status.code(), Some(exit), "{text}");
    report
}

fn code(report: &Value) -> &str {
    report["error"]["code"].as_str().unwrap_or("ok")
}

fn code_of(answer: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static) -> String {
    let port = serve(answer);
    code(&inspect(&format!("http://127.0.0.1:{port}/mcp"), &[])).to_owned()
}

#[test]
fn each_failure_has_its_own_error() {
    assert_eq!(code_of(honest), "ok");
    assert_eq!(
        code_of(|_, stream| respond(stream, "401 Unauthorized", "token missing")),
        "server-unauthorized"
    );
    assert_eq!(code_of(|_, stream| respond(stream, "403 Forbidden", "")), "server-unauthorized");
    assert_eq!(
        code_of(|_, stream| respond(stream, "404 Not Found", "nothing here")),
        "server-http-status"
    );
    assert_eq!(code_of(|_, stream| respond(stream, "500 Oops", "broken")), "server-http-status");
    let html = |_: &Asked, stream: &mut TcpStream| {
        respond(stream, "200 OK\r\nContent-Type: text/html", "<html>")
    };
    assert_eq!(code_of(html), "server-content-type");
    let gzip = |_: &Asked, stream: &mut TcpStream| {
        respond(stream, "200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip", "{}");
    };
    assert_eq!(code_of(gzip), "server-content-type");
    let elsewhere = |_: &Asked, stream: &mut TcpStream| {
        respond(stream, "307 Temporary Redirect\r\nLocation: http://localhost:1/mcp", "");
    };
    assert_eq!(code_of(elsewhere), "server-redirect");
    let around = |_: &Asked, stream: &mut TcpStream| {
        respond(stream, "308 Permanent Redirect\r\nLocation: /again", "")
    };
    assert_eq!(code_of(around), "server-redirect");
    let other_method =
        |_: &Asked, stream: &mut TcpStream| respond(stream, "302 Found\r\nLocation: /other", "");
    assert_eq!(code_of(other_method), "server-redirect");
    let garbage = |_: &Asked, stream: &mut TcpStream| {
        respond(stream, "200 OK\r\nContent-Type: application/json", "{")
    };
    assert_eq!(code_of(garbage), "server-invalid-message");
    let not_http =
        |_: &Asked, stream: &mut TcpStream| drop(stream.write_all(b"SSH-2.0-OpenSSH\r\n"));
    assert_eq!(code_of(not_http), "server-unreachable");
    let hangs_up = |_: &Asked, _: &mut TcpStream| {};
    assert_eq!(code_of(hangs_up), "server-unreachable");
    assert_eq!(code(&inspect("http://127.0.0.1:9/mcp", &[])), "server-unreachable");
    assert_eq!(code(&inspect("http://no-such-host.invalid/mcp", &[])), "server-unreachable");
    let plain = serve(honest);
    assert_eq!(
        code(&inspect(&format!("https://127.0.0.1:{plain}/mcp"), &[])),
        "server-unreachable"
    );
}

/// `inspect` looks for the token in everything that it prints.
#[test]
fn a_token_that_a_server_sends_back_is_not_shown() {
    let token = ["--header", "Authorization=FACET_TEST_TOKEN"];
    let sent = |asked: &Asked| {
        let line = asked.headers.lines().find_map(|line| line.strip_prefix("authorization: "));
        line.unwrap_or("no token").to_owned()
    };
    let refused = move |asked: &Asked, stream: &mut TcpStream| {
        let body = format!("not a valid token: {}", sent(asked));
        respond(stream, "401 Unauthorized\r\nContent-Type: text/plain", &body);
    };
    let port = serve(refused);
    let report = inspect(&format!("http://127.0.0.1:{port}/mcp"), &token);
    assert_eq!(code(&report), "server-unauthorized");
    let said = report["error"]["actual"].as_str().unwrap();
    assert!(said.contains("not a valid token: ") && said.contains('…'), "{said}");
    let in_json = move |asked: &Asked, stream: &mut TcpStream| {
        let id = asked.body.split("\"id\":").nth(1).and_then(|rest| rest.split(',').next());
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32000,"message":"who is {}?"}}}}"#,
            id.unwrap_or("null"),
            sent(asked)
        );
        respond(stream, "200 OK\r\nContent-Type: application/json", &body);
    };
    let port = serve(in_json);
    let report = inspect(&format!("http://127.0.0.1:{port}/mcp"), &token);
    assert_eq!(code(&report), "server-refused");
    let said = report["error"]["message"].as_str().unwrap();
    assert!(said.contains("who is ") && said.contains('…'), "{said}");
}

#[test]
fn endless_answers_end() {
    let stream_head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let silent = |_: &Asked, stream: &mut TcpStream| {
        let _ = stream.read(&mut [0]);
        std::thread::sleep(Duration::from_secs(30));
    };
    assert_eq!(code_of(silent), "server-no-answer");
    let drip = move |_: &Asked, stream: &mut TcpStream| {
        let _ = stream.write_all(stream_head);
        while stream.write_all(b":").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    assert_eq!(code_of(drip), "server-no-answer");
    let endless_event = move |_: &Asked, stream: &mut TcpStream| {
        let _ = stream.write_all(stream_head);
        let _ = stream.write_all(b"data: ");
        while stream.write_all(&[b'x'; 8192]).is_ok() {}
    };
    assert_eq!(code_of(endless_event), "server-message-too-large");
    let endless_events = move |_: &Asked, stream: &mut TcpStream| {
        let _ = stream.write_all(stream_head);
        let event = b"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n".repeat(1000);
        while stream.write_all(&event).is_ok() {}
    };
    let code = code_of(endless_events);
    assert!(["server-too-much", "server-no-answer"].contains(&&*code), "{code}");
    let endless_body = |_: &Asked, stream: &mut TcpStream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
        while stream.write_all(&[b' '; 8192]).is_ok() {}
    };
    assert_eq!(code_of(endless_body), "server-message-too-large");
}

#[test]
fn headers_go_where_they_should() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let port = serve(move |asked, stream| {
        sender
            .lock()
            .unwrap()
            .send(format!("{} {}\n{}", asked.method, asked.body, asked.headers))
            .unwrap();
        honest(asked, stream);
    });
    let url = format!("http://127.0.0.1:{port}/mcp");
    let report = inspect(&url, &["--header", "Authorization=FACET_TEST_TOKEN"]);
    assert_eq!(code(&report), "ok");
    let requests: Vec<String> = receiver.try_iter().collect();
    assert!(requests.iter().all(|request| request.contains("authorization: bearer secret-value")));
    assert!(
        requests.iter().all(|request| request.contains("accept-encoding: identity")
            || request.starts_with("DELETE"))
    );
    let of = |word: &str| requests.iter().find(|request| request.contains(word)).unwrap();
    assert!(of("server/discover").contains("mcp-protocol-version: 2026-07-28"));
    assert!(of("server/discover").contains("mcp-method: server/discover"));
    assert!(!of("\"initialize\"").contains("mcp-protocol-version"));
    assert!(of("tools/list").contains("mcp-protocol-version: 2025-11-25"));
    assert!(of("tools/list").contains("mcp-session-id: s-1"));
    assert!(requests.last().unwrap().starts_with("DELETE"), "the session is ended");
}
