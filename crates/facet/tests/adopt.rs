//! From a configuration that people have to a guarded session and back, byte for byte.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod adoption;
#[allow(dead_code, reason = "each test uses a part of it")]
mod remotes;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use facets_testkit::{Client, workspace_binary};
use serde_json::{Value, json};
use trusted::{Ran, Trusted};

/// What stands in the sample files.
const SECRET: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

/// A sample of a client's file, with `SERVER` and `FILE` where the tests' own server stands.
struct Sample {
    client: &'static str,
    /// From the project, or from the home of the user.
    path: &'static str,
    is_user: bool,
    text: &'static str,
    /// Where the entry stands, for whoever starts it.
    entry: &'static [&'static str],
}

const CLAUDE: &str = r#"{
  "mcpServers": {
    "files": {
      "command": "SERVER",
      "args": ["FILE"],
      "env": { "API_TOKEN": "SECRET" }
    },
    "remote-login": { "type": "sse", "url": "https://mcp.example.com/sse" },
    "off": { "command": "nothing", "disabled": true }
  }
}
"#;

const JSONC: &str = "{\r\n\t// what our assistant may use\r\n\t\"mcpServers\": {\r\n\t\t\"files\": { \"env\": {\"API_TOKEN\": \"SECRET\",}, /* ours */ \"command\": \"SERVER\", \"args\": [\"FILE\",], },\r\n\t\t\"old\": { \"url\": \"https://mcp.example.com/sse\", \"type\": \"sse\" }, // not yet\r\n\t},\r\n\t\"theme\": \"dark\",\r\n}\r\n";

const VS_CODE: &str = r#"{
  // asked for once
  "inputs": [{ "id": "key", "type": "promptString" }],
  "servers": {
    "docs": { "type": "http", "url": "https://mcp.example.com/${input:key}" },
    "files": {
      "type": "stdio",
      "command": "SERVER",
      "args": [
        "FILE"
      ],
      "env": { "API_TOKEN": "SECRET" }
    }
  }
}
"#;

const OPEN_CODE: &str = r#"{
  "$schema": "https://opencode.ai/config.json",
  /* both of them
     are ours */
  "mcp": {
    "files": {
      "type": "local",
      "command": ["SERVER", "FILE"], // reads
      "environment": { "API_TOKEN": "SECRET" },
      "enabled": true
    },
    "off": { "type": "remote", "url": "https://mcp.example.com/", "enabled": false }
  }
}
"#;

const CODEX: &str = r#"# how it thinks
model = "o"

[mcp_servers."off"]
enabled = false
command = 'nothing'

[mcp_servers.files] # ours
command = "SERVER"
args = ["FILE"]
startup_timeout_sec = 20

[mcp_servers.files.env]
API_TOKEN = "SECRET"

[history]
persistence = "none"
"#;

const SAMPLES: &[Sample] = &[
    Sample {
        client: "claude-code",
        path: ".mcp.json",
        is_user: false,
        text: CLAUDE,
        entry: &["mcpServers", "files"],
    },
    Sample {
        client: "claude-code",
        path: ".claude.json",
        is_user: true,
        text: "{\"numStartups\":12,\"mcpServers\":{\"files\":{\"type\":\"stdio\",\"command\":\"SERVER\",\"args\":[\"FILE\"],\"env\":{\"API_TOKEN\":\"SECRET\"}},\"far\":{\"type\":\"sse\",\"url\":\"https://mcp.example.com/sse\"}},\"tips\":{\"a\":1}}",
        entry: &["mcpServers", "files"],
    },
    Sample {
        client: "claude-desktop",
        path: ".config/Claude/claude_desktop_config.json",
        is_user: true,
        text: CLAUDE,
        entry: &["mcpServers", "files"],
    },
    Sample {
        client: "cursor",
        path: ".cursor/mcp.json",
        is_user: false,
        text: JSONC,
        entry: &["mcpServers", "files"],
    },
    Sample {
        client: "gemini",
        path: ".gemini/settings.json",
        is_user: false,
        text: JSONC,
        entry: &["mcpServers", "files"],
    },
    Sample {
        client: "vscode",
        path: ".vscode/mcp.json",
        is_user: false,
        text: VS_CODE,
        entry: &["servers", "files"],
    },
    Sample {
        client: "opencode",
        path: "opencode.json",
        is_user: false,
        text: OPEN_CODE,
        entry: &["mcp", "files"],
    },
    Sample {
        client: "codex",
        path: ".codex/config.toml",
        is_user: true,
        text: CODEX,
        entry: &["mcp_servers", "files"],
    },
    Sample {
        client: "cursor",
        path: ".cursor/mcp.json",
        is_user: true,
        text: CLAUDE,
        entry: &["mcpServers", "files"],
    },
    Sample {
        client: "gemini",
        path: ".gemini/settings.json",
        is_user: true,
        text: JSONC,
        entry: &["mcpServers", "files"],
    },
    Sample {
        client: "vscode",
        path: ".config/Code/User/mcp.json",
        is_user: true,
        text: VS_CODE,
        entry: &["servers", "files"],
    },
    Sample {
        client: "opencode",
        path: ".config/opencode/opencode.jsonc",
        is_user: true,
        text: OPEN_CODE,
        entry: &["mcp", "files"],
    },
    Sample {
        client: "codex",
        path: ".codex/config.toml",
        is_user: false,
        text: CODEX,
        entry: &["mcp_servers", "files"],
    },
];

/// A user with a home, a project, and a server that turns.
struct User {
    trusted: Trusted,
    /// Variables of whoever starts something.
    more: Vec<(&'static str, String)>,
}

impl User {
    fn new() -> Self {
        let trusted = Trusted::new();
        trusted.declare(&json!({ "mode": "plain" }));
        Self { trusted, more: Vec::new() }
    }

    fn home(&self) -> PathBuf {
        let home = self.trusted.folder.path().join("user");
        std::fs::create_dir_all(&home).unwrap();
        home
    }

    fn path(&self, sample: &Sample) -> PathBuf {
        let root = if sample.is_user { self.home() } else { self.trusted.project() };
        root.join(sample.path)
    }

    fn write(&self, sample: &Sample) -> String {
        let text = sample
            .text
            .replace("SERVER", workspace_binary("acting-server").to_str().unwrap())
            .replace("FILE", self.trusted.declarations().to_str().unwrap())
            .replace("SECRET", SECRET);
        let path = self.path(sample);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
        text
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.trusted.command(arguments);
        command.env("HOME", self.home()).env_remove("XDG_CONFIG_HOME").env_remove("CODEX_HOME");
        command.envs(self.more.iter().cloned());
        command
    }

    fn facet(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().unwrap())
    }

    /// Starts what the file of a client says, as that client would.
    fn start(&self, sample: &Sample) -> Client {
        let text = std::fs::read_to_string(self.path(sample)).unwrap();
        let entry = entry_of(&text, sample);
        let words = |value: &Value| -> Vec<String> {
            let list = value.as_array().cloned().unwrap_or_default();
            list.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
        };
        let mut line = match &entry["command"] {
            Value::String(command) => vec![command.clone()],
            list => words(list),
        };
        line.extend(words(&entry["args"]));
        let project = self.trusted.project();
        let workspace = project.to_str().unwrap();
        let line: Vec<String> =
            line.iter().map(|word| word.replace("${workspaceFolder}", workspace)).collect();
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).current_dir(&project).env("HOME", self.home());
        command.env("FACET_DIR", self.trusted.home());
        for key in ["env", "environment"] {
            for (name, value) in entry[key].as_object().into_iter().flatten() {
                let value = value.as_str().unwrap().replace("${workspaceFolder}", workspace);
                command.env(name, value);
            }
        }
        command.envs(self.more.iter().cloned());
        let mut client = Client::start(&mut command, Stdio::inherit());
        client.initialize("assistant", &json!({}));
        client
    }
}

/// The entry of the tests' server, in whatever notation.
fn entry_of(text: &str, sample: &Sample) -> Value {
    let value: Value = if sample.path.ends_with(".toml") {
        let document: toml_edit::DocumentMut = text.parse().unwrap();
        let entry = &document[sample.entry[0]][sample.entry[1]];
        let list = |item: &toml_edit::Item| -> Value {
            item.as_array().unwrap().iter().map(|word| json!(word.as_str().unwrap())).collect()
        };
        let env: serde_json::Map<String, Value> = entry
            .get("env")
            .and_then(|env| env.as_table_like())
            .into_iter()
            .flat_map(|env| env.iter())
            .map(|(name, value)| (name.to_owned(), json!(value.as_str().unwrap())))
            .collect();
        return json!({
            "command": entry["command"].as_str().unwrap(), "args": list(&entry["args"]), "env": env,
        });
    } else {
        serde_json::from_str(&plain_json(text)).unwrap()
    };
    sample.entry.iter().fold(value, |value, name| value[name].clone())
}

/// Without comments and without commas before a bracket.
fn plain_json(text: &str) -> String {
    let text = facets_model::tree::blank_comments(text);
    let mut out = String::new();
    for (at, letter) in text.char_indices() {
        let next = text[at + letter.len_utf8()..].trim_start().chars().next();
        if !(letter == ',' && matches!(next, Some('}' | ']'))) {
            out.push(letter);
        }
    }
    out
}

#[test]
fn every_client_is_guarded_and_restored() {
    for sample in SAMPLES {
        let what = sample.client;
        let user = User::new();
        let before = user.write(sample);
        let scope: &[&str] = if sample.is_user { &["--user"] } else { &[] };
        let dry = user.facet(&[&["adopt", "--dry-run"], scope].concat()).exits(0);
        assert!(dry.out.contains("files: ") && !dry.out.contains(SECRET), "{what}: {}", dry.out);
        assert_eq!(std::fs::read_to_string(user.path(sample)).unwrap(), before, "{what}");
        // Without a yes nothing is started and nothing is written.
        let asked = user.facet(&[&["adopt"], scope].concat()).exits(2);
        let advice = if sample.is_user { "facet adopt --user --yes" } else { "facet adopt --yes" };
        assert!(asked.talk.contains(advice), "{what}: {}", asked.talk);
        assert_eq!(std::fs::read_to_string(user.path(sample)).unwrap(), before, "{what}");
        let adopted = user.facet(&[&["adopt", "--yes"], scope].concat()).exits(0);
        assert!(adopted.out.contains("1 adopted"), "{what}: {}", adopted.out);
        assert!(!adopted.out.contains(SECRET), "{what}: {}", adopted.out);
        let after = std::fs::read_to_string(user.path(sample)).unwrap();
        assert!(after.contains("run") && after.contains(SECRET), "{what}: {after}");
        // Nothing but the client's own file knows the secret.
        let everywhere = [user.trusted.folder.path().to_owned(), user.trusted.home()];
        for entry in everywhere.iter().flat_map(|folder| walk(folder)) {
            let is_own = entry == user.path(sample);
            let text = std::fs::read(&entry).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            assert!(is_own || !text.contains(SECRET), "{what}: {}", entry.display());
        }
        let mut client = user.start(sample);
        assert_eq!(client.tools().len(), 3, "{what}");
        assert!(client.call("echo", &json!({ "text": "x" })).get("result").is_some(), "{what}");
        drop(client);
        // The rug is pulled.
        user.trusted.declare(&json!({ "mode": "at-once" }));
        let mut client = user.start(sample);
        assert_eq!(client.tools().len(), 2, "{what}");
        let refused = client.call("read_file", &json!({}));
        assert!(refused["error"]["message"].as_str().unwrap().contains("until a person decides"));
        drop(client);
        let directory = user.trusted.home().join("user");
        let directory = directory.to_str().unwrap();
        let place: &[&str] = if sample.is_user { &["--directory", directory] } else { &[] };
        // The token that it needs is in the client's file.
        let words = ["approve", "files", "--accept", "critical"];
        let approved = user.facet(&[&words, place].concat()).exits(0);
        assert!(!format!("{approved:?}").contains(SECRET), "{what}: {approved:?}");
        let mut client = user.start(sample);
        assert_eq!(client.tools().len(), 3, "{what}");
        assert!(client.call("read_file", &json!({})).get("result").is_some(), "{what}");
        drop(client);
        // Adopting again finds nothing to do.
        let again = user.facet(&[&["adopt", "--yes"], scope].concat()).exits(0);
        assert!(again.out.contains("1 already guarded"), "{what}: {}", again.out);
        user.facet(&["disconnect", what]).exits(2);
        user.facet(&["disconnect", what, "--yes"]).exits(0);
        assert_eq!(std::fs::read_to_string(user.path(sample)).unwrap(), before, "{what}");
        assert!(user.facet(&["disconnect", "--yes"]).exits(0).out.contains("nothing to change"));
    }
}

fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        // Not where links lead.
        if entry.file_type().unwrap().is_dir() {
            files.extend(walk(&entry.path()));
        } else if !entry.file_type().unwrap().is_symlink() {
            files.push(entry.path());
        }
    }
    files
}

#[test]
fn what_cannot_be_adopted_is_left_alone_and_said() {
    let user = User::new();
    let text = r#"{ "mcpServers": {
      "tokenful": { "command": "x", "args": ["--api-key", "sk-proj-0123456789abcdefghijklmnop"] },
      "elsewhere": { "command": "x", "cwd": "/somewhere" },
      "placeholder": { "command": "${HOME}/x" },
      "not a name!": { "command": "x" },
      "--trust-lock": { "command": "x" },
      "loader": { "command": "x", "env": { "LD_PRELOAD": "/x.so" } },
      "ledger": { "command": "x", "env": { "FACET_DIR": "/x" } },
      "gone": { "command": "no-such-program-anywhere" }
    } }"#;
    user.trusted.write(".mcp.json", text);
    let ran = user.facet(&["--format", "json", "adopt", "claude-code", "--yes"]).exits(2);
    let found = ran.json()["found"].as_array().unwrap().clone();
    let outcome =
        |name: &str| found.iter().find(|one| one["server"] == name).unwrap()["outcome"].clone();
    let skipped = ["tokenful", "placeholder", "not a name!", "--trust-lock", "loader", "ledger"];
    for name in skipped {
        assert_eq!(outcome(name), "skipped", "{name}");
    }
    let reason =
        |name: &str| found.iter().find(|one| one["server"] == name).unwrap()["reason"].to_string();
    assert!(reason("loader").contains("LD_PRELOAD") && reason("ledger").contains("FACET_DIR"));
    assert_eq!(outcome("gone"), "failed");
    assert_eq!(outcome("elsewhere"), "failed", "its directory is not there");
    let said = user.facet(&["adopt", "claude-code", "--yes"]).exits(2);
    assert!(said.out.contains("gone was not adopted:"), "{}", said.out);
    assert!(!ran.out.contains("sk-proj"), "{}", ran.out);
    assert_eq!(user.trusted.read(".mcp.json"), text);
}

#[test]
fn what_is_pinned_is_connected_and_disconnected() {
    let user = User::new();
    let mut add = user.command(&["add", "files", "--yes", "--"]);
    add.arg(workspace_binary("acting-server")).arg(user.trusted.declarations());
    Ran::of(&add.output().unwrap()).exits(0);
    let clients = ["claude-code", "cursor", "vscode", "gemini", "opencode", "codex"];
    user.facet(&[&["connect", "--yes"], &clients[..]].concat()).exits(0);
    for sample in SAMPLES.iter().filter(|sample| !sample.is_user) {
        let mut client = user.start(sample);
        assert_eq!(client.tools().len(), 3, "{}", sample.client);
    }
    user.facet(&["connect", "--yes", "cursor"]).exits(0);
    user.facet(&["disconnect", "--yes"]).exits(0);
    let left = [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", "opencode.json"];
    for path in left {
        assert!(!user.trusted.file(path).exists(), "{path}");
    }
    user.facet(&["connect", "--yes", "notepad"]).exits(2);
}

#[test]
fn a_remote_server_keeps_its_header() {
    let user = User::new();
    let port = remotes::serve(|asked, stream| {
        let expected = format!("authorization: bearer {}", SECRET.to_ascii_lowercase());
        if asked.headers.lines().any(|line| line.trim() == expected) {
            remotes::honest(asked, stream);
        } else {
            remotes::respond(stream, "401 Unauthorized", "");
        }
    });
    let text = format!(
        "{{ \"mcpServers\": {{ \"far\": {{ \"type\": \"http\", \"url\": \"http://127.0.0.1:{port}/mcp\",\n  \
         \"headers\": {{ \"Authorization\": \"Bearer {SECRET}\" }} }} }} }}\n"
    );
    user.trusted.write(".mcp.json", &text);
    let adopted = user.facet(&["adopt", "--yes"]).exits(0);
    assert!(adopted.out.contains("1 adopted") && !adopted.out.contains(SECRET), "{}", adopted.out);
    let own = user.trusted.file(".mcp.json");
    for entry in walk(user.trusted.folder.path()).iter().filter(|entry| **entry != own) {
        let text = std::fs::read(entry).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&text).contains(SECRET), "{}", entry.display());
    }
    let entry = &["mcpServers", "far"];
    let mut client = user.start(&Sample { entry, ..SAMPLES[0] });
    assert_eq!(client.tools(), ["a"]);
    drop(client);
    user.facet(&["disconnect", "--yes"]).exits(0);
    assert_eq!(user.trusted.read(".mcp.json"), text);
}

#[test]
fn the_doctor_sees_who_starts_without_facet() {
    let user = User::new();
    let clients = |code: i32| {
        let report = user.facet(&["--format", "json", "doctor"]).exits(code).json();
        let checks = report["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "clients").unwrap()
    };
    assert_eq!(clients(0)["health"], "none");
    let sample = &SAMPLES[0];
    let before = user.write(sample);
    let open = clients(0);
    let detail = "not guarded by facet: files (Claude Code), remote-login (Claude Code)";
    assert_eq!((&open["health"], &open["detail"]), (&json!("open"), &json!(detail)));
    assert_eq!(open["fix"], "facet adopt");
    user.facet(&["adopt", "--yes"]).exits(0);
    assert_eq!(
        clients(0)["detail"],
        "not guarded by facet, skipped by adopt: remote-login (Claude Code)"
    );
    // Somebody's installer writes the file as it was.
    std::fs::write(user.path(sample), &before).unwrap();
    let taken = clients(1);
    assert_eq!(taken["detail"], "no longer guarded by facet: files (Claude Code)");
    assert_eq!(taken["fix"], "facet adopt");
    // An unreadable file of another client does not hide that.
    user.trusted.write("opencode.json", "{");
    assert_eq!(clients(1)["fix"], "facet adopt");
    std::fs::remove_file(user.trusted.file("opencode.json")).unwrap();
    // What somebody else has undone needs no undoing.
    user.facet(&["disconnect", "--yes"]).exits(0);
    assert_eq!(clients(0)["health"], "open");
    user.facet(&["adopt", "--yes"]).exits(0);
    assert_eq!(clients(0)["health"], "open");
    user.facet(&["disconnect", "--yes"]).exits(0);
    assert_eq!(std::fs::read_to_string(user.path(sample)).unwrap(), before);
}

#[test]
fn a_broken_file_of_one_client_hides_nothing_of_the_others() {
    let user = User::new();
    user.write(&SAMPLES[0]);
    std::fs::create_dir_all(user.trusted.file(".gemini")).unwrap();
    user.trusted.write(".gemini/settings.json", "{\n");
    std::fs::create_dir(user.trusted.file(".git")).unwrap();
    let report = user.facet(&["--format", "json", "doctor"]).exits(0).json();
    let checks = report["checks"].as_array().unwrap().clone();
    let clients: Vec<&Value> = checks.iter().filter(|check| check["name"] == "clients").collect();
    let said = |at: usize| clients[at]["detail"].as_str().unwrap();
    assert!(said(0).starts_with("not guarded by facet: files (Claude Code)"), "{report:#}");
    assert!(said(1).contains(".gemini/settings.json cannot be used"), "{report:#}");
    assert_eq!(report["warnings"], 2);
    let dry = user.facet(&["--format", "json", "adopt", "--dry-run"]).exits(2).json();
    assert_eq!(dry["unreadable"][0]["client"], "gemini");
    assert_eq!(dry["unreadable"][0]["error"]["code"], "client-file-syntax");
    let ran = user.facet(&["adopt", "--yes"]).exits(2);
    assert!(ran.out.contains("Gemini CLI was skipped: cannot read "), "{}", ran.out);
    assert!(ran.out.contains("1 adopted") && ran.out.contains("1 client file could not be read"));
    assert!(ran.out.contains("    pinned as files, "), "{}", ran.out);
    assert!(ran.talk.contains("commit facets.json"), "{}", ran.talk);
    let alone = user.facet(&["--format", "json", "adopt", "gemini", "--yes"]).exits(2).json();
    assert_eq!(alone["error"]["code"], "client-file-syntax");
}

#[test]
fn a_slow_server_is_adopted_with_more_time() {
    let user = User::new();
    let entry = json!({ "command": "sleep", "args": ["60"] });
    user.trusted.write(".mcp.json", &json!({ "mcpServers": { "slow": entry } }).to_string());
    let ran = user.facet(&["adopt", "--timeout", "1", "--yes"]).exits(2);
    assert!(ran.out.contains("try:      facet adopt claude-code --timeout "), "{}", ran.out);
    assert!(ran.out.contains("not adopted: see below"), "{}", ran.out);
    assert!(!ran.out.contains("to be pinned as"), "{}", ran.out);
}

#[test]
fn the_difference_is_shown_beside_an_entry_with_a_secret() {
    let user = User::new();
    let key = "sk-proj-0123456789abcdefghijklmnop";
    let server = workspace_binary("acting-server");
    let text = json!({ "mcpServers": {
        "files": { "command": server, "args": [user.trusted.declarations()] },
        "tokenful": { "command": "x", "args": ["--api-key", key] },
    } });
    let text = format!("{}\n", serde_json::to_string_pretty(&text).unwrap());
    user.trusted.write(".mcp.json", &text);
    for (arguments, sign) in [(&["adopt", "--yes"][..], '-'), (&["disconnect", "--yes"][..], '+')] {
        let ran = user.facet(arguments).exits(0);
        let shown = |line: &str| line.starts_with(sign) && line.contains("acting-server");
        assert!(ran.out.lines().any(shown), "{arguments:?}: {}", ran.out);
        assert!(!ran.out.contains("sk-proj"), "{arguments:?}: {}", ran.out);
    }
    assert_eq!(user.trusted.read(".mcp.json"), text);
}

#[test]
fn a_file_that_somebody_else_writes_meanwhile_is_left() {
    let user = User::new();
    let server = workspace_binary("acting-server");
    let script = format!(
        "echo >> .mcp.json; exec {} {}",
        server.display(),
        user.trusted.declarations().display()
    );
    let entry = json!({ "command": "sh", "args": ["-c", script] });
    let text = json!({ "mcpServers": { "files": entry } }).to_string();
    user.trusted.write(".mcp.json", &text);
    let ran = user.facet(&["--format", "json", "adopt", "--yes"]).exits(2);
    assert_eq!(ran.json()["error"]["code"], "client-file-overtaken", "{}", ran.out);
    assert!(user.trusted.read(".mcp.json").starts_with(&text));
    assert!(user.trusted.read(".mcp.json").len() > text.len(), "nobody wrote");
    // What is pinned by now is not started again.
    user.facet(&["adopt", "--yes"]).exits(0);
    user.facet(&["disconnect", "--yes"]).exits(0);
    assert!(user.trusted.read(".mcp.json").starts_with(&text));
}

#[test]
fn what_is_away_is_undone_when_it_comes_back() {
    let user = User::new();
    let sample = &SAMPLES[0];
    let before = user.write(sample);
    user.facet(&["adopt", "--yes"]).exits(0);
    let (path, away) = (user.path(sample), user.trusted.file("away"));
    std::fs::rename(&path, &away).unwrap();
    assert!(user.facet(&["disconnect", "--yes"]).exits(0).out.contains("nothing to change"));
    std::fs::rename(&away, &path).unwrap();
    // Under another name it is not what facet wrote.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"files\": {", "\"other\": {")).unwrap();
    let ran = user.facet(&["--format", "json", "disconnect", "--yes"]).exits(2);
    assert_eq!(ran.json()["left"][0]["code"], "client-entry-unrecorded", "{}", ran.out);
    std::fs::write(&path, text).unwrap();
    user.facet(&["disconnect", "--yes"]).exits(0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
}

/// Claude Code writes its own file every few minutes.
#[test]
fn a_file_that_the_client_writes_anew_is_restored() {
    let user = User::new();
    let server = user.trusted.file("server.sh");
    let script = format!(
        "#!/bin/sh\nexec {} {}\n",
        workspace_binary("acting-server").display(),
        user.trusted.declarations().display()
    );
    user.trusted.write("server.sh", &script);
    std::fs::set_permissions(&server, std::fs::Permissions::from_mode(0o755)).unwrap();
    for args in [None, Some(json!([])), Some(json!(["x"]))] {
        let mut entry = json!({ "command": server, "env": { "K": SECRET } });
        if let Some(args) = args {
            entry["args"] = args;
        }
        let far = json!({ "type": "sse", "url": "https://mcp.example.com/sse" });
        let text = |count: u32| {
            let servers = json!({ "far": far, "files": entry });
            let document = json!({ "count": count, "mcpServers": servers });
            format!("{}\n", serde_json::to_string_pretty(&document).unwrap())
        };
        user.trusted.write(".mcp.json", &text(1));
        let _ = user.facet(&["remove", "files"]);
        user.facet(&["adopt", "--yes"]).exits(0);
        let now = user.trusted.read(".mcp.json");
        assert!(now.contains("\"run\""), "{now}");
        user.trusted.write(".mcp.json", &spread(&now).replace("\"count\": 1", "\"count\": 2"));
        user.facet(&["disconnect", "--yes"]).exits(0);
        // What facet wrote goes, and the rest is as the client wrote it.
        let undone = user.trusted.read(".mcp.json");
        assert_eq!(spread(&undone), spread(&text(2)), "{entry}");
    }
}

/// JSON as many clients write it: everything on a line of its own.
fn spread(text: &str) -> String {
    let (mut out, mut depth, mut is_inside, mut last) = (String::new(), 0_usize, false, ' ');
    for letter in text.chars() {
        let is_quote = letter == '"' && last != '\\';
        match letter {
            _ if is_inside || is_quote => out.push(letter),
            '{' | '[' | ',' => {
                depth += usize::from(letter != ',');
                out.extend([letter, '\n']);
                out.push_str(&"  ".repeat(depth));
            }
            '}' | ']' => {
                depth -= 1;
                out.push('\n');
                out.push_str(&"  ".repeat(depth));
                out.push(letter);
            }
            ':' => out.push_str(": "),
            letter if letter.is_whitespace() => {}
            letter => out.push(letter),
        }
        is_inside ^= is_quote;
        last = letter;
    }
    out
}

/// On one long line, with what comes before and behind the command.
#[test]
fn no_part_of_a_secret_is_shown() {
    let user = User::new();
    let key = "-----BEGIN KEY-----\nMIIBVgIBADANBgkqhkiG9w0B\n/slash\t\u{e9}";
    let entry = json!({
        "env": { "A": SECRET, "KEY": key }, "command": workspace_binary("acting-server"),
        "args": [user.trusted.declarations()], "headers": { "X": SECRET },
    });
    let text = format!(
        "{{\"pad\":\"{}\",\"apiKey\":\"qwertz-zuiop-7\",\"mcpServers\":{{\"files\":{entry}}}}}",
        "x".repeat(300)
    );
    let text = text.replace("/slash", "\\/slash").replace('\u{e9}', "\\u00e9");
    user.trusted.write(".mcp.json", &text);
    for arguments in [&["adopt", "--yes"][..], &["disconnect", "--yes"]] {
        let ran = user.facet(arguments).exits(0);
        let shown = format!("{}{}", ran.out, ran.talk);
        assert!(shown.contains("command"), "{shown}");
        for secret in [SECRET, "MIIBVgIBADANBgkqhkiG9w0B", "slash", "qwertz-zuiop-7"] {
            let pieces =
                secret.as_bytes().windows(5).map(|piece| std::str::from_utf8(piece).unwrap());
            for piece in pieces {
                assert!(!shown.contains(piece), "{piece} in {shown}");
            }
        }
    }
    assert_eq!(user.trusted.read(".mcp.json"), text);
}

/// Starts an entry of the user's Cursor as that would, and asks the server what it sees.
fn seen_by(user: &User, name: &str) -> std::collections::BTreeMap<String, String> {
    let path = user.home().join(".cursor/mcp.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let entry = &file["mcpServers"][name];
    let words = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let mut command = Command::new(entry["command"].as_str().unwrap());
    command.args(words).current_dir(user.trusted.project()).env("HOME", user.home());
    command.env("FACET_DIR", user.trusted.home());
    for (name, value) in entry["env"].as_object().into_iter().flatten() {
        command.env(name, value.as_str().unwrap());
    }
    let mut client = Client::start(&mut command, Stdio::inherit());
    client.initialize("assistant", &json!({}));
    let answer = client.call("see", &json!({}));
    let text =
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    let pairs = text.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A server of the user starts at home or where its entry says, never beside facet's own lock; and what
/// its entry sets is the server's alone.
#[test]
fn servers_of_the_user_start_where_they_did_with_what_they_had() {
    let user = User::new();
    let script = facets_testkit::repository_root().join("crates/facet/tests/data/environment.sh");
    let tools = user.trusted.folder.path().join("tools");
    std::fs::create_dir_all(&tools).unwrap();
    // Found only in the PATH of its entry.
    let program = tools.join("only-there");
    std::fs::write(&program, format!("#!/bin/sh\nexec /bin/sh {}\n", script.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", tools.display());
    let script = script.to_str().unwrap();
    std::fs::create_dir_all(user.home().join(".cursor")).unwrap();
    let before = json!({ "mcpServers": {
        "plain": { "command": "sh", "args": [script] },
        "placed": { "command": "sh", "args": [script], "cwd": tools },
        "set": { "command": "only-there", "args": [], "env": { "PATH": path, "HOME": "/elsewhere" } },
        "lost": { "command": "sh", "args": [script], "cwd": "relative" },
    } });
    let file = user.home().join(".cursor/mcp.json");
    std::fs::write(&file, before.to_string()).unwrap();
    let adopted = user.facet(&["adopt", "cursor", "--user", "--yes"]).exits(0).out;
    assert!(adopted.contains("3 adopted") && adopted.contains("1 skipped"), "{adopted}");
    let text = std::fs::read_to_string(&file).unwrap();
    let after: Value = serde_json::from_str(&text).unwrap();
    let facet = std::fs::canonicalize(trusted::FACET).unwrap();
    for name in ["plain", "placed", "set"] {
        assert_eq!(after["mcpServers"][name]["command"], facet.to_str().unwrap());
    }
    assert_eq!(after["mcpServers"]["lost"], before["mcpServers"]["lost"]);
    let set = &after["mcpServers"]["set"]["env"];
    assert_eq!(set, &json!({ "FACET_ENV_PATH": path, "FACET_ENV_HOME": "/elsewhere" }));
    let real = |path: &std::path::Path| std::fs::canonicalize(path).unwrap().display().to_string();
    assert_eq!(seen_by(&user, "plain")["PWD"], real(&user.home()));
    assert_eq!(seen_by(&user, "plain")["HOME"], user.home().display().to_string());
    assert_eq!(seen_by(&user, "placed")["PWD"], real(&tools));
    let seen = seen_by(&user, "set");
    assert_eq!((seen["HOME"].as_str(), seen["PATH"].as_str()), ("/elsewhere", path.as_str()));
    assert!(!seen.keys().any(|name| name.starts_with("FACET_")), "{seen:?}");
    // Adopting again finds nothing to do, and all of it is guarded.
    let again = user.facet(&["adopt", "cursor", "--user", "--yes"]).exits(0).out;
    assert!(again.contains("3 already guarded"), "{again}");
    user.facet(&["disconnect", "--yes"]).exits(0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before.to_string());
}

/// A server of a project that starts in a folder of it finds its lock from there.
#[test]
fn an_entry_with_a_directory_of_its_own_is_taken_over() {
    let user = User::new();
    let script = facets_testkit::repository_root().join("crates/facet/tests/data/environment.sh");
    std::fs::create_dir_all(user.trusted.file("a/b")).unwrap();
    std::fs::copy(script, user.trusted.file("a/b/server.sh")).unwrap();
    let entry = json!({ "command": "sh", "args": ["server.sh"], "cwd": "a/b" });
    user.trusted.write(".mcp.json", &json!({ "mcpServers": { "s": entry } }).to_string());
    user.facet(&["adopt", "claude-code", "--yes"]).exits(0);
    let after: Value = serde_json::from_str(&user.trusted.read(".mcp.json")).unwrap();
    let entry = &after["mcpServers"]["s"];
    assert_eq!(entry["args"], json!(["run", "s", "--directory", "../.."]));
    assert_eq!(entry["cwd"], "a/b");
    let words = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let mut command = user.command(&[]);
    command.args(words).current_dir(user.trusted.file("a/b"));
    let mut client = Client::start(&mut command, Stdio::inherit());
    client.initialize("assistant", &json!({}));
    let answer = client.call("see", &json!({}));
    let place = std::fs::canonicalize(user.trusted.file("a/b")).unwrap();
    assert!(answer.to_string().contains(&format!("PWD={}", place.display())), "{answer}");
    assert!(user.facet(&["doctor"]).out.contains("is guarded by facet"));
}
