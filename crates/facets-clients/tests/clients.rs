//! Files as each client has them: what is read, what is written, and what comes back.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod shared;

use facets_clients::{
    Client, ClientError, EntryTransport, EnvValue, Guarded, HeaderValue, Undo, UrlKind, guard,
    insert, parse, undo,
};
use shared::{file_of, run};

fn place(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Guards one entry, expects a text, and takes it back.
fn guards(client: Client, before: &str, at: &[&str], wanted: &Guarded, after: &str) -> Undo {
    let (text, record) = guard(client, before, &place(at), wanted).unwrap();
    assert_eq!(text, after);
    let record = Undo::from_text(&record.to_text()).unwrap();
    assert_eq!(undo(&text, &record).as_deref(), Ok(before));
    record
}

fn with_headers(mut guarded: Guarded, headers: &[(&str, &str)]) -> Guarded {
    let owned = |(name, variable): &(&str, &str)| ((*name).to_owned(), (*variable).to_owned());
    guarded.headers = headers.iter().map(owned).collect();
    guarded
}

const CLAUDE_PROJECT: &str = r#"{
  "mcpServers": {
    "memory": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-memory"],
      "env": {
        "MEMORY_FILE_PATH": "/data/memory.json"
      }
    },
    "issues": {
      "type": "http",
      "url": "https://issues.example.com/mcp",
      "headers": {
        "Authorization": "Bearer issue-secret-1",
        "X-Team": "${TEAM:-core}"
      }
    }
  }
}
"#;

#[test]
fn claude_code_project() {
    let entries = parse(&file_of(Client::ClaudeCode, 0), CLAUDE_PROJECT).unwrap();
    assert_eq!(entries.len(), 2);
    let EntryTransport::Command { command, args, cwd } = &entries[0].transport else { panic!() };
    assert_eq!((command.as_str(), cwd), ("npx", &None));
    assert_eq!(args, &["-y", "@modelcontextprotocol/server-memory"]);
    let (name, EnvValue::Set(value)) = &entries[0].env[0] else { panic!() };
    assert_eq!((name.as_str(), value.expose()), ("MEMORY_FILE_PATH", "/data/memory.json"));
    let EntryTransport::Url { url, headers, kind } = &entries[1].transport else { panic!() };
    assert_eq!((url.as_str(), *kind), ("https://issues.example.com/mcp", UrlKind::Http));
    let HeaderValue::Literal(value) = &headers[0].1 else { panic!() };
    assert_eq!((headers[0].0.as_str(), value.expose()), ("Authorization", "Bearer issue-secret-1"));

    let after = CLAUDE_PROJECT.replace(
        "\"npx\",\n      \"args\": [\"-y\", \"@modelcontextprotocol/server-memory\"]",
        "\"facet\",\n      \"args\": [\"run\", \"memory\"]",
    );
    guards(Client::ClaudeCode, CLAUDE_PROJECT, &["mcpServers", "memory"], &run("memory"), &after);

    let wanted =
        with_headers(run("issues"), &[("authorization", "ISSUES_AUTH"), ("X-Team", "TEAM_ID")]);
    let after = CLAUDE_PROJECT
        .replace("\"http\"", "\"stdio\"")
        .replace(
            "\"url\": \"https://issues.example.com/mcp\",",
            "\"command\": \"facet\",\n      \"args\": [\"run\", \"issues\"],",
        )
        .replace("\"headers\"", "\"env\"")
        .replace("\"Authorization\"", "\"ISSUES_AUTH\"")
        .replace("\"X-Team\"", "\"TEAM_ID\"");
    let record =
        guards(Client::ClaudeCode, CLAUDE_PROJECT, &["mcpServers", "issues"], &wanted, &after);
    assert!(!record.to_text().contains("issue-secret"));
    assert!(record.to_text().contains("https://issues.example.com/mcp"));
}

const CLAUDE_USER: &str = r#"{
  "numStartups": 41,
  "tipsHistory": {"shift-enter": 12},
  "oauthAccount": {"accountUuid": "5f0c8c1e", "emailAddress": "ada@example.com"},
  "projects": {
    "/src/other": {"mcpServers": {"broken": 7}, "history": []},
    "/src/engine": {
      "allowedTools": [],
      "history": [{"display": "cut in half \ud83d", "pastedContents": {}}],
      "mcpServers": {
        "memory": {"type": "stdio", "command": "uvx", "args": ["memory"], "env": {"KEY": "local-secret"}}
      },
      "lastCost": 0.123456789012345678901
    }
  },
  "mcpServers": {
    "memory": {"type": "stdio", "command": "npx", "args": [], "env": {}},
    "live": {"type": "sse", "url": "https://live.example.com/sse"}
  },
  "bypass": null
}"#;

#[test]
fn claude_code_user_and_local() {
    let file = file_of(Client::ClaudeCode, 1);
    let entries = parse(&file, CLAUDE_USER).unwrap();
    let places: Vec<String> = entries.iter().map(|entry| entry.place.join("|")).collect();
    assert_eq!(
        places,
        ["mcpServers|memory", "mcpServers|live", "projects|/src/engine|mcpServers|memory"]
    );
    assert!(matches!(entries[1].transport, EntryTransport::Url { kind: UrlKind::Sse, .. }));

    let local = ["projects", "/src/engine", "mcpServers", "memory"];
    let after =
        CLAUDE_USER.replace(r#""uvx", "args": ["memory"]"#, r#""facet", "args": ["run", "mine"]"#);
    let record = guards(Client::ClaudeCode, CLAUDE_USER, &local, &run("mine"), &after);
    assert_eq!(record.place(), place(&local));
    let after =
        CLAUDE_USER.replace(r#""npx", "args": []"#, r#""facet", "args": ["run", "memory"]"#);
    guards(Client::ClaudeCode, CLAUDE_USER, &["mcpServers", "memory"], &run("memory"), &after);
    let after = CLAUDE_USER.replace(
        r#""sse", "url": "https://live.example.com/sse""#,
        r#""stdio", "command": "facet", "args": ["run", "live"]"#,
    );
    guards(Client::ClaudeCode, CLAUDE_USER, &["mcpServers", "live"], &run("live"), &after);
}

#[test]
fn claude_desktop_with_windows_line_ends_and_a_mark() {
    let before = "\u{feff}{\r\n\t\"mcpServers\": {\r\n\t\t\"files\": {\r\n\t\t\t\"command\": \"npx\",\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"-y\",\r\n\t\t\t\t\"files\",\r\n\t\t\t\t\"C:\\\\Users\\\\ada\"\r\n\t\t\t]\r\n\t\t},\r\n\t\t\"bare\": {\r\n\t\t\t\"command\": \"bare.exe\"\r\n\t\t}\r\n\t}\r\n}\r\n";
    let after = before.replace("npx", "facet").replace(
        "\"-y\",\r\n\t\t\t\t\"files\",\r\n\t\t\t\t\"C:\\\\Users\\\\ada\"",
        "\"run\",\r\n\t\t\t\t\"files\"",
    );
    guards(Client::ClaudeDesktop, before, &["mcpServers", "files"], &run("files"), &after);
    let after = before.replace("\"bare.exe\"", "\"facet\",\r\n\t\t\t\"args\": [\"run\", \"bare\"]");
    guards(Client::ClaudeDesktop, before, &["mcpServers", "bare"], &run("bare"), &after);
}

const CODEX: &str = r#"# my Codex
model = "o3"

[mcp_servers.memory] # keeps notes
command = "npx"
args = [
    "-y",
    "@modelcontextprotocol/server-memory", # pinned by hand
]
env_vars = ["HOME", { name = "LANG", source = "local" }]
startup_timeout_sec = 20

[mcp_servers.memory.env]
MEMORY_KEY = 'memory-secret' # rotate me

[mcp_servers."issue tracker"]
url = "https://issues.example.com/mcp" # EU
bearer_token_env_var = "ISSUES_TOKEN"
http_headers = { "X-Team" = "team-secret" }
enabled = false

[tui]
notifications = true

[mcp_servers.search]
url = 'https://search.example.com/mcp'

[mcp_servers.search.http_headers]
# the old one
X-Api-Key = """search-secret"""

[mcp_servers.search.env_http_headers]
X-Region = "REGION"
"#;

#[test]
fn codex_tables() {
    let entries = parse(&file_of(Client::Codex, 0), CODEX).unwrap();
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0].env_names, ["HOME", "LANG"]);
    assert_eq!(entries[0].extras, ["startup_timeout_sec"]);
    assert_eq!(entries[0].env[0].0, "MEMORY_KEY");
    assert_eq!((entries[1].name.as_str(), entries[1].enabled), ("issue tracker", false));
    let EntryTransport::Url { headers, .. } = &entries[1].transport else { panic!() };
    assert_eq!(headers[0].0, "X-Team");
    assert_eq!(
        headers[1],
        ("Authorization".to_owned(), HeaderValue::Bearer("ISSUES_TOKEN".to_owned()))
    );
    let EntryTransport::Url { headers, .. } = &entries[2].transport else { panic!() };
    assert_eq!(headers[1], ("X-Region".to_owned(), HeaderValue::Variable("REGION".to_owned())));

    let after = CODEX.replace("\"npx\"", "\"facet\"").replace(
        "    \"-y\",\n    \"@modelcontextprotocol/server-memory\", # pinned by hand\n",
        "    \"run\",\n    \"memory\"\n",
    );
    guards(Client::Codex, CODEX, &["mcp_servers", "memory"], &run("memory"), &after);

    let wanted = with_headers(
        run("issues"),
        &[("X-Team", "ISSUES_TEAM"), ("Authorization", "ISSUES_TOKEN")],
    );
    let after = CODEX.replace(
        "url = \"https://issues.example.com/mcp\" # EU\nbearer_token_env_var = \"ISSUES_TOKEN\"\nhttp_headers = { \"X-Team\" =",
        "command = \"facet\" # EU\nargs = [\"run\", \"issues\"]\nenv_vars = [\"ISSUES_TOKEN\"]\nenv = { ISSUES_TEAM =",
    );
    guards(Client::Codex, CODEX, &["mcp_servers", "issue tracker"], &wanted, &after);

    let wanted =
        with_headers(run("search"), &[("X-Api-Key", "SEARCH_KEY"), ("X-Region", "REGION")]);
    let after = CODEX
        .replace(
            "url = 'https://search.example.com/mcp'",
            "command = \"facet\"\nargs = [\"run\", \"search\"]\nenv_vars = [\"REGION\"]",
        )
        .replace("search.http_headers]", "search.env]")
        .replace("X-Api-Key =", "SEARCH_KEY =")
        .replace("\n\n[mcp_servers.search.env_http_headers]\nX-Region = \"REGION\"", "");
    let record = guards(Client::Codex, CODEX, &["mcp_servers", "search"], &wanted, &after);
    for text in [record.to_text(), format!("{record:?}")] {
        assert!(!text.contains("secret") && !text.contains("the old one"), "{text}");
    }
}

#[test]
fn codex_in_other_words() {
    let before = "mcp_servers.a.command = 'x' # x\nmcp_servers.a.env.K = \"s1\"\n[mcp_servers]\nb = {command=\"y\", env={K=\"s2\"}}\n[mcp_servers.c.env]\nK = \"s3\"\n[mcp_servers.c]\ncommand = \"z\"\nargs = []\n";
    // A table cannot be opened again once dotted keys have made it.
    assert!(parse(&file_of(Client::Codex, 0), before).is_err());
    let before = before.replace("[mcp_servers]\nb =", "mcp_servers.b =");
    let entries = parse(&file_of(Client::Codex, 0), &before).unwrap();
    assert_eq!(entries.iter().map(|entry| entry.env.len()).collect::<Vec<_>>(), [1, 1, 1]);
    let after = before.replace("'x' # x", "\"facet\" # x\nmcp_servers.a.args = [\"run\", \"a\"]");
    guards(Client::Codex, &before, &["mcp_servers", "a"], &run("a"), &after);
    let after = before.replace("\"y\"", "\"facet\", args=[\"run\", \"b\"]");
    guards(Client::Codex, &before, &["mcp_servers", "b"], &run("b"), &after);
    let after = before.replace("\"z\"\nargs = []", "\"facet\"\nargs = [\"run\", \"c\"]");
    guards(Client::Codex, &before, &["mcp_servers", "c"], &run("c"), &after);
}

const OPENCODE: &str = r#"{
  "$schema": "https://opencode.ai/config.json",
  // servers
  "mcp": {
    "memory": {
      "type": "local",
      "command": ["npx", "-y", "memory"], // pinned
      "environment": { "KEY": "open-secret" },
      "enabled": true,
    },
    "docs": { "type": "remote", "url": "https://docs.example.com/mcp", "headers": { "X-Key": "docs-secret" } },
    "off": { "enabled": false },
  },
}
"#;

#[test]
fn opencode() {
    let entries = parse(&file_of(Client::OpenCode, 1), OPENCODE).unwrap();
    let EntryTransport::Command { command, args, .. } = &entries[0].transport else { panic!() };
    assert_eq!((command.as_str(), args.len()), ("npx", 2));
    assert_eq!(entries[0].env[0].0, "KEY");
    assert!(matches!(entries[2].transport, EntryTransport::Unclear { .. }) && !entries[2].enabled);
    let after = OPENCODE.replace(r#"["npx", "-y", "memory"]"#, r#"["facet", "run", "memory"]"#);
    guards(Client::OpenCode, OPENCODE, &["mcp", "memory"], &run("memory"), &after);
    let wanted = with_headers(run("docs"), &[("X-Key", "DOCS_KEY")]);
    let after = OPENCODE.replace(
        r#""remote", "url": "https://docs.example.com/mcp", "headers": { "X-Key":"#,
        r#""local", "command": ["facet", "run", "docs"], "environment": { "DOCS_KEY":"#,
    );
    guards(Client::OpenCode, OPENCODE, &["mcp", "docs"], &wanted, &after);
    let error =
        guard(Client::OpenCode, OPENCODE, &place(&["mcp", "off"]), &run("off")).unwrap_err();
    assert_eq!(error.to_string(), "mcp.off has neither a command nor an address");
}

#[test]
fn opencode_second_version() {
    let text = r#"{"mcp": {"timeout": 5, "servers": {"a": {"type": "local", "command": ["a"], "disabled": true}}}}"#;
    let file = file_of(Client::OpenCode, 0);
    let entries = parse(&file, text).unwrap();
    assert_eq!(entries[0].place, ["mcp", "servers", "a"]);
    assert!(!entries[0].enabled);
    let (with, record) = insert(&file, Some(text), "b", &run("b")).unwrap();
    assert_eq!(record.place(), ["mcp", "servers", "b"]);
    assert_eq!(undo(&with, &record).as_deref(), Ok(text));
    // A server may have that name, too.
    let text = r#"{"mcp": {"servers": {"type": "local", "command": ["a"]}}}"#;
    assert_eq!(parse(&file, text).unwrap()[0].place, ["mcp", "servers"]);
}

#[test]
fn cursor() {
    let before = "{\n  \"mcpServers\": {\n    // by hand\n    \"search\": {\n      \"url\": \"https://search.example.com\", // SSE or HTTP\n      /* sent along */ \"headers\": { \"Authorization\": \"Bearer ${env:SEARCH}\" },\n    },\n    \"old\": { \"command\": \"npx\", \"args\": [\"-y\",\"old\"], \"envFile\": \"${workspaceFolder}/.env\" },\n  },\n}\n";
    let entries = parse(&file_of(Client::Cursor, 0), before).unwrap();
    assert_eq!(entries[1].extras, ["envFile"]);
    let wanted = with_headers(run("search"), &[("Authorization", "SEARCH_AUTH")]);
    let after = before
        .replace(
            "\"url\": \"https://search.example.com\", // SSE or HTTP\n",
            "\"command\": \"facet\", // SSE or HTTP\n      \"args\": [\"run\", \"search\"],\n",
        )
        .replace("\"headers\": { \"Authorization\"", "\"env\": { \"SEARCH_AUTH\"");
    guards(Client::Cursor, before, &["mcpServers", "search"], &wanted, &after);
    let after = before
        .replace("\"npx\", \"args\": [\"-y\",\"old\"]", "\"facet\", \"args\": [\"run\",\"old\"]");
    guards(Client::Cursor, before, &["mcpServers", "old"], &run("old"), &after);
}

#[test]
fn vscode() {
    let before = "{\n    \"inputs\": [{ \"type\": \"promptString\", \"id\": \"key\", \"password\": true }],\n    \"servers\": {\n        \"db\": {\n            \"type\": \"stdio\",\n            \"command\": \"${workspaceFolder}/db\",\n            \"cwd\": \"${workspaceFolder}\",\n            \"env\": { \"KEY\": \"${input:key}\", \"PORT\": 5432, \"PATH\": null }\n        },\n        \"web\": {\n            \"type\": \"http\",\n            \"url\": \"https://web.example.com/mcp\",\n            \"headers\": { \"X-Key\": \"${input:key}\" }\n        }\n    }\n}\n";
    let entries = parse(&file_of(Client::VsCode, 0), before).unwrap();
    let EntryTransport::Command { cwd, .. } = &entries[0].transport else { panic!() };
    assert_eq!(cwd.as_deref(), Some("${workspaceFolder}"));
    assert_eq!(entries[0].env[2], ("PATH".to_owned(), EnvValue::Unset));
    let EnvValue::Set(port) = &entries[0].env[1].1 else { panic!() };
    assert_eq!(port.expose(), "5432");
    let after = before.replace(
        "\"${workspaceFolder}/db\",",
        "\"facet\",\n            \"args\": [\"run\", \"db\"],",
    );
    guards(Client::VsCode, before, &["servers", "db"], &run("db"), &after);
    let wanted = with_headers(run("web"), &[("X-Key", "WEB_KEY")]);
    let after = before
        .replace("\"http\"", "\"stdio\"")
        .replace(
            "\"url\": \"https://web.example.com/mcp\",",
            "\"command\": \"facet\",\n            \"args\": [\"run\", \"web\"],",
        )
        .replace("\"headers\": { \"X-Key\"", "\"env\": { \"WEB_KEY\"");
    guards(Client::VsCode, before, &["servers", "web"], &wanted, &after);
}

#[test]
fn gemini() {
    let before = "{\n  \"theme\": \"Dracula\",\n  \"mcpServers\": {\n    \"py\": { \"command\": \"python\", \"args\": [\"-m\", \"srv\"], \"cwd\": \"./s\", \"timeout\": 15000, \"trust\": true },\n    \"sse\": { \"url\": \"https://a.example.com/sse\" },\n    \"both\": {\n      \"httpUrl\": \"https://b.example.com/mcp\",\n      \"url\": \"https://b.example.com/sse\",\n      \"headers\": { \"K\": \"gemini-secret\" },\n      \"env\": { \"OLD\": \"gemini-old\" }\n    }\n  }\n}\n";
    let entries = parse(&file_of(Client::Gemini, 0), before).unwrap();
    assert_eq!(entries[0].extras, ["timeout", "trust"]);
    assert!(matches!(entries[1].transport, EntryTransport::Url { kind: UrlKind::Sse, .. }));
    assert!(matches!(entries[2].transport, EntryTransport::Url { kind: UrlKind::Http, .. }));
    let after = before.replace(
        "\"python\", \"args\": [\"-m\", \"srv\"]",
        "\"facet\", \"args\": [\"run\", \"py\"]",
    );
    guards(Client::Gemini, before, &["mcpServers", "py"], &run("py"), &after);
    let wanted = with_headers(run("both"), &[("K", "BOTH_K")]);
    let after = before.replace(
        "\"httpUrl\": \"https://b.example.com/mcp\",\n      \"url\": \"https://b.example.com/sse\",\n      \"headers\": { \"K\": \"gemini-secret\" },\n      \"env\": { \"OLD\": \"gemini-old\" }",
        "\"command\": \"facet\",\n      \"args\": [\"run\", \"both\"],\n      \"env\": { \"OLD\": \"gemini-old\", \"BOTH_K\": \"gemini-secret\" }",
    );
    guards(Client::Gemini, before, &["mcpServers", "both"], &wanted, &after);
}

#[test]
fn knows_its_own_entries() {
    let text = r#"{"mcpServers": {
        "a": {"command": "facet", "args": ["run", "memory"]},
        "b": {"command": "C:\\bin\\facet.exe", "args": ["--quiet", "run", "b", "--x"]},
        "c": {"command": "/opt/guard", "args": ["run", "c"]},
        "d": {"command": "facet", "args": ["verify"]},
        "e": {"command": "facets", "args": ["run", "e"]}
    }}"#;
    let entries = parse(&file_of(Client::Cursor, 0), text).unwrap();
    let names = |program| -> Vec<Option<String>> {
        entries.iter().map(|entry| entry.guarded_name(program).map(str::to_owned)).collect()
    };
    let some = |name: &str| Some(name.to_owned());
    assert_eq!(names(None), [some("memory"), some("b"), None, None, None]);
    assert_eq!(names(Some("/opt/guard"))[2], some("c"));
    assert!(entries[0].is_facet(None) && !entries[2].is_facet(None));
}

#[test]
fn refuses_what_would_lose_something() {
    let refused = |client: Client, text: &str, at: &[&str], wanted: &Guarded| {
        guard(client, text, &place(at), wanted).unwrap_err().to_string()
    };
    let entry = ["mcpServers", "a"];
    let file = |members: &str| format!("{{\"mcpServers\": {{\"a\": {{{members}}}}}}}");
    let cases = [
        (
            r#""url": "u", "headers": {"K": "v"}"#,
            "mcpServers.a sends the header \"K\", and no variable is named for it",
        ),
        (
            r#""url": "u", "oauth": {"clientId": "x"}"#,
            "mcpServers.a has `oauth`: the client signs in by itself",
        ),
        (r#""url": "u", "command": "c""#, "mcpServers.a has both a command and an address"),
        (r#""type": "ws", "url": "u""#, "mcpServers.a has a type that facet does not know"),
        (r#""type": "http", "command": "c""#, "mcpServers.a has no address"),
        (r#""type": "stdio", "url": "u""#, "mcpServers.a has no command"),
        (r#""command": 1"#, "mcpServers.a.command is not a text: line 1, column 34"),
        (
            r#""command": "c", "args": "x""#,
            "mcpServers.a.args is not a list of texts: line 1, column 47",
        ),
        (r#""command": "c", "env": ["x"]"#, "mcpServers.a.env is not an object: line 1, column 46"),
        (
            r#""command": "c", "enabled": 1"#,
            "mcpServers.a.enabled is not true or false: line 1, column 50",
        ),
        (r#""command": "c", "command": "d""#, "\"command\" stands twice: at line 1, column 39"),
    ];
    for (members, message) in cases {
        assert_eq!(refused(Client::Cursor, &file(members), &entry, &run("a")), message);
    }
    let taken = with_headers(run("a"), &[("K", "OLD")]);
    let text = file(r#""url": "u", "headers": {"K": "v"}, "env": {"OLD": "1"}"#);
    assert_eq!(
        refused(Client::Cursor, &text, &entry, &taken),
        "mcpServers.a cannot take the variable \"OLD\" for a header"
    );
    let other = with_headers(run("a"), &[("Authorization", "OTHER")]);
    let text = "[mcp_servers.a]\nurl = 'u'\nbearer_token_env_var = 'T'\n";
    assert!(refused(Client::Codex, text, &["mcp_servers", "a"], &other).contains("OTHER"));
    let text = file(r#""command": "c""#);
    assert_eq!(
        refused(Client::Cursor, &text, &["mcpServers", "b"], &run("b")),
        "mcpServers.b is not there"
    );
}

#[test]
fn comments_stay_in_the_file_and_nowhere_else() {
    let before = "{\"mcpServers\": {\"a\": {\n  // \"TOKEN\": \"commented-out\"\n  \"command\": \"c\",\n  \"args\": [\"x\" /* fine */]\n}}}";
    let (after, record) =
        guard(Client::Cursor, before, &place(&["mcpServers", "a"]), &run("a")).unwrap();
    assert!(after.contains("commented-out") && !record.to_text().contains("commented-out"));
    // What goes must be kept elsewhere, so it must be harmless.
    let before = before.replace("fine", "--token ghp_abcdefghijkl0123456789ABCD");
    let error =
        guard(Client::Cursor, &before, &place(&["mcpServers", "a"]), &run("a")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a comment in mcpServers.a seems to hold a secret: line 4, column 16"
    );
}

#[test]
fn whatever_else_changes_an_entry_comes_back() {
    let at = place(&["mcpServers", "issues"]);
    let wanted = with_headers(run("issues"), &[("Authorization", "AUTH"), ("X-Team", "TEAM")]);
    let (after, record) = guard(Client::ClaudeCode, CLAUDE_PROJECT, &at, &wanted).unwrap();
    // A new secret, another server, another indentation elsewhere.
    let change = |text: &str| {
        text.replace("issue-secret-1", "issue-secret-2")
            .replace("\"npx\"", "\"bunx\"")
            .replace("{\n  \"mcpServers\"", "{ \"x\": [1,\n2],\n\n\"mcpServers\"")
    };
    assert_eq!(undo(&change(&after), &record), Ok(change(CLAUDE_PROJECT)));
    let edited = Err(ClientError::Edited { place: "mcpServers.issues".to_owned() });
    for text in [
        after.replace("\"issues\"]", "\"issues\", \"--verbose\"]"),
        after.replace("\"facet\"", "\"facette\""),
        after.replace("\"AUTH\"", "\"AUTH2\""),
        after.replace("\"stdio\"", "\"stdio\", \"timeout\": 3"),
        CLAUDE_PROJECT.to_owned(),
    ] {
        assert_eq!(undo(&text, &record), edited, "{text}");
    }
    // Clients write white space as they like.
    let spaced =
        after.replace("\"stdio\"", "\n\t\"stdio\"").replace("\"issues\"]", "\"issues\"\n]");
    assert_eq!(undo(&spaced, &record).as_deref(), Ok(CLAUDE_PROJECT));
    let gone = Err(ClientError::Gone { place: "mcpServers.issues".to_owned() });
    assert_eq!(undo(&after.replace("\"issues\": {", "\"bugs\": {"), &record), gone);
    assert_eq!(undo("{}", &record), gone);
    assert!(matches!(undo("{", &record), Err(ClientError::Syntax { .. })));
}

#[test]
fn codex_entries_come_back_whatever_else_changes() {
    let at = place(&["mcp_servers", "memory"]);
    let (after, record) = guard(Client::Codex, CODEX, &at, &run("memory")).unwrap();
    let change = |text: &str| {
        text.replace("memory-secret", "memory-secret-2")
            .replace("startup_timeout_sec = 20", "startup_timeout_sec = 30")
            .replace("[tui]", "[tui] # terminal\nx = 1")
    };
    assert_eq!(undo(&change(&after), &record), Ok(change(CODEX)));
    for text in [
        after.replace("command = \"facet\"", "command = \"facets\""),
        after.replace("startup_timeout_sec = 20\n", ""),
        after.replace("[mcp_servers.memory.env]", "[between]\n[mcp_servers.memory.env]"),
    ] {
        assert!(matches!(undo(&text, &record), Err(ClientError::Edited { .. })), "{text}");
    }
    let gone = undo("model = 'o3'", &record);
    assert_eq!(gone, Err(ClientError::Gone { place: "mcp_servers.memory".to_owned() }));
}
