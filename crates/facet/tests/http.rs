//! A guarded server over streamable HTTP, and a remote server through the guard.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod listening;
#[allow(dead_code, reason = "each test uses a part of it")]
mod remotes;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::process::Stdio;

use facets_testkit::Client;
use listening::{Answer, BOTH, Listening, initialize};
use serde_json::json;
use trusted::Trusted;

fn acting() -> Trusted {
    Trusted::with_acting("plain")
}

#[test]
fn each_client_has_a_session_of_its_own() {
    let trusted = acting();
    let listening = Listening::start(&trusted);
    let opened: Vec<Answer> = (0..3).map(|_| listening.post(BOTH, &initialize())).collect();
    let mut sessions: Vec<String> = opened.iter().map(|a| a.session.clone().unwrap()).collect();
    for answer in &opened {
        assert_eq!(answer.messages()[0]["result"]["serverInfo"]["name"], "acting");
    }
    sessions.sort();
    sessions.dedup();
    assert_eq!(sessions.len(), 3);
    let headers = format!("{BOTH}Mcp-Session-Id: {}\r\n", sessions[0]);
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(listening.post(&headers, &told).status, 202);
    let list = json!({ "jsonrpc": "2.0", "id": "l", "method": "tools/list" });
    let listed = listening.post(&headers, &list);
    assert_eq!(listed.messages().last().unwrap()["result"]["tools"].as_array().unwrap().len(), 3);
    let call =
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "evil" } });
    let refused = listening.post(&headers, &call);
    assert_eq!(
        refused.messages().last().unwrap()["error"]["data"]["facet"]["code"],
        "not_approved"
    );
    // Without events, the answer alone.
    let plain = format!("Accept: application/json\r\nMcp-Session-Id: {}\r\n", sessions[1]);
    let listed = listening.post(&plain, &list);
    assert_eq!(listed.messages().len(), 1);
    let delete = format!(
        "DELETE /mcp HTTP/1.1\r\nHost: localhost:{}\r\nMcp-Session-Id: {}\r\n\r\n",
        listening.port, sessions[0]
    );
    // Whoever listens is let go with the session.
    let get = delete.replacen("DELETE", "GET", 1);
    std::thread::scope(|scope| {
        let listener = scope.spawn(|| listening.exchange(&get));
        // Not before it listens.
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert_eq!(listening.exchange(&delete).status, 200);
        assert_eq!(listener.join().unwrap().status, 200);
    });
    assert_eq!(listening.post(&headers, &list).status, 404);
    trusted.facet(&["stop", "s"]).exits(0);
}

#[test]
fn the_newer_era_has_no_sessions_and_ids_do_not_meet() {
    let trusted = acting();
    let listening = Listening::start(&trusted);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (listening, meta) = (&listening, &meta);
            scope.spawn(move || {
                let text = format!("from {number}");
                let mut params =
                    json!({ "_meta": meta, "name": "echo", "arguments": { "text": text } });
                params["_meta"]["progressToken"] = json!(1);
                // All of them use the same id, and the same token.
                let call =
                    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
                let answer = listening.post(BOTH, &call);
                let mut messages = answer.messages();
                let message = messages.pop().unwrap();
                assert_eq!(message["id"], 7, "{message}");
                assert_eq!(messages.len(), 1, "{messages:?}");
                assert_eq!(messages[0]["params"]["progressToken"], 1, "{messages:?}");
                assert_eq!(messages[0]["params"]["message"], text, "{messages:?}");
                assert_eq!(message["result"]["content"][0]["text"], text, "{message}");
            });
        }
    });
}

/// A long answer is on its way before its end says that it may not arrive.
#[test]
fn an_answer_that_is_broken_off_is_an_error_and_no_half_of_one() {
    let trusted = acting();
    trusted.facet(&["grant", "s", "sampling=no", "elicitation=no"]).exits(0);
    let asks = r#""inputRequests":{"a":{"method":"sampling/createMessage","params":{}}}"#;
    let line = format!(r#"{{"id":$id,"result":{{"x":"{}",{asks}}}}}"#, "y".repeat(200_000));
    trusted.declare(&json!({ "mode": "says", "says": [line] }));
    let listening = Listening::start(&trusted);
    let session = listening.post(BOTH, &initialize()).session.unwrap();
    let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "echo", "arguments": { "text": "x" } } });
    for accepted in [BOTH, "Accept: application/json\r\n"] {
        let headers = format!("{accepted}Mcp-Session-Id: {session}\r\n");
        let answer = listening.post(&headers, &call);
        let messages = answer.messages();
        let last = messages.last().unwrap();
        assert_eq!(last["error"]["data"]["facet"]["code"], "not_granted", "{last}");
        assert!(!answer.body.contains("yyyy"), "{}", answer.body.len());
    }
}

#[test]
fn an_answer_in_a_batch_of_the_server_arrives() {
    let trusted = acting();
    let line = r#"[{"id":$id,"result":{"content":[]}},{"method":"notifications/x"}]"#;
    trusted.declare(&json!({ "mode": "says", "says": [line] }));
    let listening = Listening::start(&trusted);
    let session = listening.post(BOTH, &initialize()).session.unwrap();
    let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "echo", "arguments": { "text": "x" } } });
    let answer = listening.post(&format!("{BOTH}Mcp-Session-Id: {session}\r\n"), &call);
    assert_eq!(answer.messages().last().unwrap()["result"]["content"], json!([]));
}

#[test]
fn only_this_machine_is_served() {
    let trusted = acting();
    let listening = Listening::start(&trusted);
    let refused = |headers: &str| listening.post(headers, &initialize()).status;
    assert_eq!(refused("Origin: https://evil.example\r\n"), 403);
    assert_eq!(refused("Origin: null\r\n"), 403);
    assert_eq!(refused("Origin: http://localhost.evil.example\r\n"), 403);
    assert_eq!(refused("Origin: http://localhost:3000\r\nAccept: application/json\r\n"), 200);
    let rebound = "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(listening.exchange(rebound).status, 403);
    for odd in [
        "GET /mcp HTTP/1.1\r\n\r\n".to_owned(),
        "nonsense\r\n\r\n".to_owned(),
        format!(
            "POST / HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: 999999999999\r\n\r\n",
            listening.port
        ),
        format!(
            "POST / HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            listening.port
        ),
        format!(
            "POST / HTTP/1.1\r\nHost: localhost:{}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\nffffffffffffffff\r\nx",
            listening.port
        ),
        format!("PUT / HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", listening.port),
    ] {
        let status = listening.exchange(&odd).status;
        assert!((400..500).contains(&status), "{odd:?}: {status}");
    }
    let ran = trusted.facet(&["run", "s", "--http", "0.0.0.0:0"]).exits(2);
    assert!(ran.talk.contains("0.0.0.0"), "{}", ran.talk);
}

#[test]
fn what_is_not_served_is_refused() {
    let trusted = acting();
    let listening = Listening::start(&trusted);
    let batch = json!([{ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }]);
    assert_eq!(listening.post(BOTH, &batch).status, 400);
    let listen = json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen" });
    assert_eq!(listening.post(BOTH, &listen).status, 400);
}

/// Something that is no answer is answered with an error, and soon.
#[test]
fn a_remote_server_that_answers_nonsense_keeps_nobody_waiting() {
    let port = remotes::serve(|asked, stream| {
        let json = "200 OK\r\nContent-Type: application/json";
        match &asked.body {
            body if !body.contains("tools/call") => remotes::honest(asked, stream),
            body if body.contains("page") => remotes::respond(stream, json, "<html></html>"),
            body if body.contains("empty") => remotes::respond(stream, json, "{}"),
            _ => remotes::respond(stream, json, r#"{"jsonrpc":"2.0","id":99,"result":{}}"#),
        }
    });
    let near = Trusted::new();
    near.facet(&["add", "far", &format!("http://127.0.0.1:{port}/mcp"), "--yes"]).exits(0);
    // What runs there cannot be kept from anything here, and nobody is told that it is.
    let ran = near.json(&["grant", "far", "network=none"]).exits(2);
    assert_eq!(ran.json()["error"]["code"], "grant-elsewhere", "{}", ran.out);
    near.facet(&["grant", "far", "sampling=no"]).exits(0);
    let mut client = Client::start(&mut near.command(&["run", "far"]), Stdio::null());
    client.initialize("test", &json!({}));
    assert_eq!(client.tools(), ["a"]);
    for what in ["page", "empty", "other"] {
        let answer = client.call("a", &json!({ "what": what }));
        assert_eq!(answer["error"]["code"], -32000, "{what}: {answer}");
    }
}

/// The remote server is one that facet itself serves; the guard before it is another.
#[test]
fn a_remote_server_is_guarded_like_any_other() {
    let far = acting();
    let listening = Listening::start(&far);
    let near = Trusted::new();
    near.facet(&["add", "far", &listening.url(), "--yes"]).exits(0);
    let open = |near: &Trusted| {
        let mut client = Client::start(&mut near.command(&["run", "far"]), Stdio::null());
        client.initialize("test", &json!({}));
        client
    };
    let mut client = open(&near);
    assert_eq!(client.tools().len(), 3);
    assert!(client.call("echo", &json!({ "text": "x" })).get("result").is_some());
    assert!(client.call("echo", &json!({ "size": 5 << 20 })).to_string().len() > 5 << 20);
    let mut discovering = Client::start(&mut near.command(&["run", "far"]), Stdio::null());
    discovering.discover("test", &json!({}));
    assert_eq!(discovering.tools().len(), 3);
    drop(discovering);
    drop(client);
    // The far side is gone: whoever asks is told, and does not wait.
    drop(listening);
    let mut client = Client::start(&mut near.command(&["run", "far"]), Stdio::null());
    let answer = client.ask("initialize", &json!({}));
    assert!(answer.get("error").is_some(), "{answer}");
}

/// A remote server that turns is withheld here, whatever happens there.
#[test]
fn a_remote_server_that_turns_is_withheld() {
    let far = acting();
    let near = Trusted::new();
    let listening = Listening::start(&far);
    near.facet(&["add", "far", &listening.url(), "--yes"]).exits(0);
    // Each session has a server of its own, and the next one is another; there it is approved.
    far.declare(&json!({ "mode": "at-once" }));
    far.facet(&["approve", "s", "--accept", "critical"]).exits(0);
    let port = listening.port;
    drop(listening);
    let again = Listening::start_at(&far, port);
    let mut client = Client::start(&mut near.command(&["run", "far"]), Stdio::null());
    client.initialize("test", &json!({}));
    assert_eq!(client.tools(), ["list_directory", "echo"]);
    let refused = client.call("read_file", &json!({}));
    assert_eq!(refused["error"]["data"]["facet"]["code"], "changed", "{refused}");
    assert!(client.call("echo", &json!({ "text": "x" })).get("result").is_some());
    drop(again);
}
