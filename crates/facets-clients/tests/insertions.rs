//! Entries that were not there.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod shared;

use facets_clients::{Client, ClientError, Undo, insert, parse, undo};
use shared::{file_of, run};

/// Inserts one entry, expects a text, and takes it back.
fn inserts(client: Client, before: Option<&str>, name: &str, after: &str) -> Undo {
    let file = file_of(client, 0);
    let (text, record) = insert(&file, before, name, &run("memory")).unwrap();
    assert_eq!(text, after);
    let record = Undo::from_text(&record.to_text()).unwrap();
    assert_eq!(undo(&text, &record).as_deref(), Ok(before.unwrap_or_default()));
    assert_eq!(record.file_was_absent(), before.is_none());
    assert!(parse(&file, &text).unwrap().iter().any(|entry| entry.name == name));
    record
}

#[test]
fn makes_the_whole_file() {
    let json = "{\n  \"mcpServers\": {\n    \"memory\": {\n      \"command\": \"facet\",\n      \"args\": [\"run\", \"memory\"]\n    }\n  }\n}\n";
    for client in [Client::ClaudeCode, Client::ClaudeDesktop, Client::Cursor, Client::Gemini] {
        inserts(client, None, "memory", json);
        inserts(client, Some(""), "memory", json);
    }
    inserts(
        Client::VsCode,
        None,
        "memory",
        "{\n  \"servers\": {\n    \"memory\": {\n      \"type\": \"stdio\",\n      \"command\": \"facet\",\n      \"args\": [\"run\", \"memory\"]\n    }\n  }\n}\n",
    );
    inserts(
        Client::OpenCode,
        None,
        "memory",
        "{\n  \"mcp\": {\n    \"memory\": {\n      \"type\": \"local\",\n      \"command\": [\"facet\", \"run\", \"memory\"]\n    }\n  }\n}\n",
    );
    let toml = "[mcp_servers.memory]\ncommand = \"facet\"\nargs = [\"run\", \"memory\"]\n";
    inserts(Client::Codex, None, "memory", toml);
    inserts(Client::Codex, Some(""), "memory", toml);
    inserts(Client::Codex, Some("\u{feff}"), "memory", &format!("\u{feff}{toml}"));
}

#[test]
fn finds_its_place_in_json() {
    let entry = "\"memory\": {\n      \"command\": \"facet\",\n      \"args\": [\"run\", \"memory\"]\n    }";
    let cases = [
        ("{}".to_owned(), format!("{{\n  \"mcpServers\": {{\n    {entry}\n  }}\n}}")),
        (
            "{\n  \"theme\": 1\n}\n".to_owned(),
            format!("{{\n  \"theme\": 1,\n  \"mcpServers\": {{\n    {entry}\n  }}\n}}\n"),
        ),
        (
            "{\n  \"mcpServers\": {},\n  \"b\": 1\n}\n".to_owned(),
            format!("{{\n  \"mcpServers\": {{\n    {entry}\n  }},\n  \"b\": 1\n}}\n"),
        ),
        (
            "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"a\"\n    } // a\n  }\n}\n"
                .to_owned(),
            format!(
                "{{\n  \"mcpServers\": {{\n    \"a\": {{\n      \"command\": \"a\"\n    }}, // a\n    {entry}\n  }}\n}}\n"
            ),
        ),
        (
            "{\n  \"mcpServers\": {\n    // none yet\n  },\n}\n".to_owned(),
            format!("{{\n  \"mcpServers\": {{\n    // none yet\n    {entry}\n  }},\n}}\n"),
        ),
    ];
    for (before, after) in cases {
        inserts(Client::Cursor, Some(&before), "memory", &after);
        // Only a text with lines says how they end.
        if !before.contains('\n') {
            continue;
        }
        let windows = |text: &str| text.replace('\n', "\r\n");
        inserts(Client::Cursor, Some(&windows(&before)), "memory", &windows(&after));
    }
    let flat = [
        (
            "{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}",
            "{\"mcpServers\":{\"a\":{\"command\":\"a\"},\"memory\":{\"command\":\"facet\",\"args\":[\"run\",\"memory\"]}}}",
        ),
        (
            "{\"x\": 1, \"mcpServers\": {}}",
            "{\"x\": 1, \"mcpServers\": {\"memory\": {\"command\": \"facet\", \"args\": [\"run\", \"memory\"]}}}",
        ),
        (
            "{\n\t\"mcpServers\": {\n\t\t\"a\": { \"command\": \"a\" },\n\t}\n}",
            "{\n\t\"mcpServers\": {\n\t\t\"a\": { \"command\": \"a\" },\n\t\t\"memory\": {\"command\": \"facet\", \"args\": [\"run\", \"memory\"]},\n\t}\n}",
        ),
    ];
    for (before, after) in flat {
        inserts(Client::Cursor, Some(before), "memory", after);
    }
}

#[test]
fn finds_its_place_in_toml() {
    let entry = "command = \"facet\"\nargs = [\"run\", \"memory\"]\n";
    let cases = [
        ("model = 'o3'\n", "memory", format!("model = 'o3'\n\n[mcp_servers.memory]\n{entry}")),
        (
            "model = 'o3'",
            "my memory",
            format!("model = 'o3'\n\n[mcp_servers.\"my memory\"]\n{entry}"),
        ),
    ];
    for (before, name, after) in &cases {
        inserts(Client::Codex, Some(before), name, after);
    }
    let entry = "memory = { command = \"facet\", args = [\"run\", \"memory\"] }";
    inserts(
        Client::Codex,
        Some("mcp_servers = {}"),
        "memory",
        &format!("mcp_servers = {{ {entry} }}"),
    );
    inserts(
        Client::Codex,
        Some("mcp_servers = { a = {command=\"x\"} }\n[tui]\n"),
        "memory",
        &format!("mcp_servers = {{ a = {{command=\"x\"}}, {entry} }}\n[tui]\n"),
    );
    let (windows, _) =
        insert(&file_of(Client::Codex, 0), Some("a = 1\r\n"), "b", &run("b")).unwrap();
    assert_eq!(
        windows,
        "a = 1\r\n\r\n[mcp_servers.b]\r\ncommand = \"facet\"\r\nargs = [\"run\", \"b\"]\r\n"
    );
}

#[test]
fn only_what_was_inserted_goes() {
    let file = file_of(Client::Cursor, 0);
    let (text, record) = insert(&file, None, "memory", &run("memory")).unwrap();
    // Someone else moved in.
    let (both, other) = insert(&file, Some(&text), "docs", &run("docs")).unwrap();
    let left = undo(&both, &record).unwrap();
    assert_eq!(
        left,
        "{\n  \"mcpServers\": {\n    \"docs\": {\n      \"command\": \"facet\",\n      \"args\": [\"run\", \"docs\"]\n    }\n  }\n}\n"
    );
    assert_eq!(undo(&undo(&both, &other).unwrap(), &record).as_deref(), Ok(""));
    let commented = format!("// mine\n{text}");
    assert_eq!(undo(&commented, &record).as_deref(), Ok("// mine\n{\n}\n"));
    let edited = text.replace("\"run\"", "\"verify\"");
    assert!(matches!(undo(&edited, &record), Err(ClientError::Edited { .. })));
    assert!(matches!(undo("{}", &record), Err(ClientError::Gone { .. })));
    assert!(matches!(undo("{\"mcpServers\": {}}", &record), Err(ClientError::Gone { .. })));
    assert!(matches!(undo("{\"mcpServers\": 1}", &record), Err(ClientError::Gone { .. })));

    let file = file_of(Client::Codex, 0);
    let (text, record) = insert(&file, Some("a = 1\n"), "memory", &run("memory")).unwrap();
    let more = format!("# hello\n{text}[tui]\n");
    assert_eq!(undo(&more, &record).as_deref(), Ok("# hello\na = 1\n[tui]\n"));
    let edited = format!("{text}enabled = false\n");
    assert!(matches!(undo(&edited, &record), Err(ClientError::Edited { .. })));
    assert!(matches!(undo("a = 1", &record), Err(ClientError::Gone { .. })));
}

#[test]
fn refuses_what_is_there_or_cannot_be() {
    let file = file_of(Client::Cursor, 0);
    let refused = |text: &str| insert(&file, Some(text), "a", &run("a")).unwrap_err().to_string();
    assert_eq!(
        refused("{\"mcpServers\": {\"a\": 1}}"),
        "mcpServers.a already exists with something else: rename that entry"
    );
    assert_eq!(refused("{\"mcpServers\": 1}"), "mcpServers is not an object: line 1, column 16");
    assert_eq!(refused("[]"), "the document is not an object: line 1, column 1");
    let file = file_of(Client::Codex, 0);
    let refused = |text: &str| insert(&file, Some(text), "a", &run("a")).unwrap_err().to_string();
    assert_eq!(
        refused("[mcp_servers.a.env]\n"),
        "mcp_servers.a already exists with something else: rename that entry"
    );
    assert_eq!(refused("mcp_servers = 1"), "mcp_servers is not a table: line 1, column 1");
    assert_eq!(refused("[[mcp_servers]]"), "mcp_servers is not a table: line 1, column 1");
}
