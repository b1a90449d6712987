//! What `facet init server` writes is a server: bun starts it, and it speaks MCP.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use facets_testkit::component;

#[test]
fn the_server_template_answers_under_bun() {
    let Some(bun) = component("bun") else { return };
    let folder = tempfile::tempdir().unwrap();
    let init = Command::new(env!("CARGO_BIN_EXE_facet"))
        .args(["init", "server", "my-server"])
        .current_dir(folder.path())
        .output();
    assert!(init.unwrap().status.success());
    let mut server = Command::new(bun)
        .arg("my-server/index.ts")
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let requests = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nonsense"}}"#,
    ];
    let mut stdin = server.stdin.take().unwrap();
    stdin.write_all((requests.join("\n") + "\n").as_bytes()).unwrap();
    drop(stdin);
    let replies: Vec<serde_json::Value> = BufReader::new(server.stdout.take().unwrap())
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    assert!(server.wait().unwrap().success(), "it ends when its input ends");
    let result = |id: usize| &replies.iter().find(|reply| reply["id"] == id).unwrap()["result"];
    assert_eq!(replies.len(), 4, "a notification is not answered");
    assert_eq!(result(1)["serverInfo"]["name"], "my-server");
    assert_eq!(result(2)["tools"][0]["name"], "greet");
    assert_eq!(result(3)["content"][0]["text"], "Hello, Ada!");
    assert_eq!(replies[3]["error"]["code"], -32602);
}
