//! Files of all seven clients as people write them, with real servers: adopted, checked, run as the client
//! would, and given back byte for byte.

use std::path::{Path, PathBuf};

use facets_testkit::{repository_root, skip};
use serde_json::Value;

use crate::{Sample, User, remotes};

const SECRET: &str = "ghp_SevenClients0123456789abcdefghijkl";

/// `NODE` is where packages of npm lie, `VENV` programs of Python, `PORT` a server at an address.
const FILES_OF_PROJECT: &[(&str, &str)] = &[
    (
        ".mcp.json",
        r#"{
  "mcpServers": {
    "everything": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-everything@latest"],
      "env": { "API_TOKEN": "SECRET" }
    },
    "issues": {
      "type": "http",
      "url": "http://127.0.0.1:PORT/mcp",
      "headers": { "Authorization": "Bearer SECRET" }
    }
  }
}
"#,
    ),
    (
        ".cursor/mcp.json",
        "{\r\n\t// times for the whole team\r\n\t\"mcpServers\": {\r\n\t\t\"time\": { \"command\": \"uvx\", \"args\": [\"mcp-server-time@2026.10.19\", \"--local-timezone\", \"UTC\",], },\r\n\t},\r\n}\r\n",
    ),
    (
        ".vscode/mcp.json",
        r#"{
  "inputs": [{ "id": "key", "type": "promptString", "password": true }],
  "servers": {
    // kept beside the sources
    "memory": {
      "type": "stdio",
      "command": "node",
      "args": ["NODE/server-memory/dist/index.js"],
      "env": { "MEMORY_FILE_PATH": "${workspaceFolder}/memory.jsonl" }
    },
    "asked": {
      "type": "http",
      "url": "https://mcp.example.com/",
      "headers": { "Authorization": "Bearer ${input:key}" }
    }
  }
}
"#,
    ),
    (
        ".gemini/settings.json",
        r#"{
  "theme": "Default",
  "mcpServers": {
    "clock": { "command": "VENV/python", "args": ["-m", "mcp_server_time"], "timeout": 30000 },
    /* needs an engine */
    "boxed": { "command": "docker", "args": ["run", "-i", "--rm", "-e", "TOKEN", "mcp/time"], "env": { "TOKEN": "SECRET" } }
  }
}
"#,
    ),
    (
        "opencode.json",
        r#"{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "thinking": {
      "type": "local",
      "command": ["node", "NODE/server-sequential-thinking/dist/index.js"],
      "environment": { "THINKING_KEY": "SECRET" },
      "enabled": true
    }
  }
}
"#,
    ),
    (
        ".codex/config.toml",
        r#"model = "o"

[mcp_servers.files] # what we work on
command = "node"
args = ["NODE/server-filesystem/dist/index.js", "."]

[mcp_servers.files.env]
FILES_KEY = "SECRET"

[mcp_servers.far]
url = "http://127.0.0.1:PORT/mcp"
bearer_token_env_var = "FAR_TOKEN"
"#,
    ),
];

const FILES_OF_USER: &[(&str, &str)] = &[
    (
        ".claude.json",
        "{\"numStartups\":7,\"mcpServers\":{\"everything\":{\"type\":\"stdio\",\"command\":\"npx\",\"args\":[\"-y\",\"@modelcontextprotocol/server-everything@latest\"],\"env\":{\"API_TOKEN\":\"SECRET\"}}},\"tips\":{}}",
    ),
    (
        ".config/Claude/claude_desktop_config.json",
        r#"{
  "mcpServers": {
    "memory": {
      "command": "node",
      "args": ["NODE/server-memory/dist/index.js"],
      "env": { "MEMORY_FILE_PATH": "HOME/memory.jsonl", "MEMORY_KEY": "SECRET" }
    },
    "boxed": { "command": "docker", "args": ["run", "-i", "--rm", "mcp/time"] }
  }
}
"#,
    ),
    (
        ".codex/config.toml",
        "[mcp_servers.clock]\ncommand = \"VENV/python\"\nargs = [\"-m\", \"mcp_server_time\"]\nenv = { CLOCK_KEY = \"SECRET\" }\n",
    ),
    (
        ".config/opencode/opencode.jsonc",
        "{\n  // thinks\n  \"mcp\": { \"thinking\": { \"type\": \"local\", \"command\": [\"node\", \"NODE/server-sequential-thinking/dist/index.js\"] } },\n}\n",
    ),
    (
        ".cursor/mcp.json",
        "{\n  \"mcpServers\": {\n    \"issues\": { \"url\": \"http://127.0.0.1:PORT/mcp\", \"headers\": { \"Authorization\": \"Bearer SECRET\" } }\n  }\n}\n",
    ),
    (
        ".config/Code/User/mcp.json",
        "{\n\t\"servers\": {\n\t\t\"time\": { \"type\": \"stdio\", \"command\": \"uvx\", \"args\": [\"mcp-server-time@2026.10.19\"] }\n\t}\n}\n",
    ),
    (
        ".gemini/settings.json",
        "{ \"mcpServers\": { \"files\": { \"command\": \"node\", \"args\": [\"NODE/server-filesystem/dist/index.js\", \"HOME\"], \"trust\": false } } }\n",
    ),
];

/// Entries that are started as their client does, by file.
const STARTED_OF_PROJECT: &[(&str, &[&str])] = &[
    (".mcp.json", &["mcpServers", "everything"]),
    (".mcp.json", &["mcpServers", "issues"]),
    (".cursor/mcp.json", &["mcpServers", "time"]),
    (".vscode/mcp.json", &["servers", "memory"]),
    (".gemini/settings.json", &["mcpServers", "clock"]),
    ("opencode.json", &["mcp", "thinking"]),
    (".codex/config.toml", &["mcp_servers", "files"]),
    (".codex/config.toml", &["mcp_servers", "far"]),
];

const STARTED_OF_USER: &[(&str, &[&str])] = &[
    (".claude.json", &["mcpServers", "everything"]),
    (".config/Claude/claude_desktop_config.json", &["mcpServers", "memory"]),
    (".codex/config.toml", &["mcp_servers", "clock"]),
    (".config/opencode/opencode.jsonc", &["mcp", "thinking"]),
    (".cursor/mcp.json", &["mcpServers", "issues"]),
    (".config/Code/User/mcp.json", &["servers", "time"]),
    (".gemini/settings.json", &["mcpServers", "files"]),
];

/// Where packages lie that `cargo xtask setup` installs.
fn installed() -> Option<(PathBuf, PathBuf)> {
    let servers = repository_root().join("target/tools/servers");
    let (node, venv) =
        (servers.join("npm/node_modules/@modelcontextprotocol"), servers.join("venv/bin"));
    if node.join("server-memory").is_dir() && venv.join("uvx").is_file() {
        return Some((node, venv));
    }
    skip("the servers are not installed; `cargo xtask setup` installs them");
    None
}

/// A user with the caches of whoever runs the test, so that nothing is fetched twice.
fn user(venv: &Path) -> User {
    let mut user = User::new();
    let (home, real) = (user.home(), std::env::home_dir().unwrap());
    let settings = std::fs::read_to_string(real.join(".npmrc")).unwrap_or_default();
    let cache = real.join(".npm").display().to_string();
    std::fs::write(home.join(".npmrc"), format!("{settings}\ncache={cache}\n")).unwrap();
    std::fs::create_dir_all(real.join(".cache")).unwrap();
    std::os::unix::fs::symlink(real.join(".cache"), home.join(".cache")).unwrap();
    // Not the whole of it: files of clients lie there.
    std::fs::create_dir_all(home.join(".config")).unwrap();
    for name in ["uv", "pip"] {
        if real.join(".config").join(name).exists() {
            let (from, to) = (real.join(".config").join(name), home.join(".config").join(name));
            std::os::unix::fs::symlink(from, to).unwrap();
        }
    }
    let path = format!("{}:{}", venv.display(), std::env::var("PATH").unwrap());
    user.more = vec![("PATH", path), ("FAR_TOKEN", SECRET.to_owned())];
    user
}

struct Round {
    user: User,
    is_user: bool,
    /// Each file and what it said.
    before: Vec<(PathBuf, String)>,
    /// Everything that facet said.
    said: String,
}

impl Round {
    fn new(is_user: bool, (node, venv): &(PathBuf, PathBuf), port: u16) -> Self {
        let user = user(venv);
        let root = if is_user { user.home() } else { user.trusted.project() };
        let mut before = Vec::new();
        for (file, text) in if is_user { FILES_OF_USER } else { FILES_OF_PROJECT } {
            let text = text
                .replace("NODE", node.to_str().unwrap())
                .replace("VENV", venv.to_str().unwrap())
                .replace("HOME", user.home().to_str().unwrap())
                .replace("PORT", &port.to_string())
                .replace("SECRET", SECRET);
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
            before.push((path, text));
        }
        Self { user, is_user, before, said: String::new() }
    }

    fn facet(&mut self, arguments: &[&str]) -> (i32, Value) {
        let ran = self.user.facet(&[&["--format", "json"], arguments].concat());
        self.said.extend([&*ran.out, "\n", &ran.talk, "\n"]);
        (ran.exit, ran.json())
    }

    /// Every server is adopted, or the reason says why not.
    fn adopt(&mut self) {
        let scope: &[&str] = if self.is_user { &["--user"] } else { &[] };
        let (_, dry) = self.facet(&[&["adopt", "--dry-run"], scope].concat());
        for (path, text) in &self.before {
            assert_eq!(&std::fs::read_to_string(path).unwrap(), text);
        }
        let (exit, report) = self.facet(&[&["adopt", "--yes", "--timeout", "300"], scope].concat());
        let found = report["found"].as_array().unwrap();
        assert_eq!(found.len(), dry["found"].as_array().unwrap().len());
        let mut failed = 0;
        for one in found {
            let (server, outcome) = (one["server"].as_str().unwrap(), &one["outcome"]);
            let reason = one["reason"].as_str().unwrap_or_default();
            match server {
                "asked" => assert!(reason.contains("FACET_ASKED_AUTHORIZATION=… facet adopt")),
                // Without an engine the reason says so, and the others go on.
                "boxed" if outcome == "failed" => {
                    failed += 1;
                    let error = one["error"].to_string();
                    assert!(error.to_lowercase().contains("docker"), "{error}");
                }
                _ => assert_eq!(outcome, "adopted", "{server}: {reason}"),
            }
        }
        assert_eq!(exit, if failed == 0 { 0 } else { 2 });
    }

    /// Values are in files of clients only, and each server is judged.
    fn check(&mut self) {
        let directory = self.user.trusted.home().join("user");
        let directory = directory.to_str().unwrap();
        let place: &[&str] = if self.is_user { &["--directory", directory] } else { &[] };
        let (exit, report) = self.facet(&[&["check"], place].concat());
        assert_eq!(exit, 0, "{report:#}");
        let servers = report["servers"].as_array().unwrap();
        assert!(servers.len() >= 7, "{report:#}");
        assert!(servers.iter().all(|server| server["outcome"] == "same"), "{report:#}");
    }

    fn run(&self) {
        for (path, entry) in if self.is_user { STARTED_OF_USER } else { STARTED_OF_PROJECT } {
            let sample = Sample { client: "", path, is_user: self.is_user, text: "", entry };
            let mut client = self.user.start(&sample);
            assert!(!client.tools().is_empty(), "{path}: {entry:?}");
        }
    }

    fn disconnect(&mut self) {
        let (exit, report) = self.facet(&["disconnect", "--yes"]);
        assert_eq!(exit, 0, "{report:#}");
        for (path, text) in &self.before {
            assert_eq!(&std::fs::read_to_string(path).unwrap(), text, "{}", path.display());
        }
    }

    /// No secret is anywhere but in files of clients.
    fn hides_secrets(&self) {
        assert!(!self.said.contains(SECRET), "{}", self.said);
        let folders = [self.user.trusted.folder.path().to_owned(), self.user.trusted.home()];
        let own: Vec<&PathBuf> = self.before.iter().map(|(path, _)| path).collect();
        for file in folders.iter().flat_map(|folder| crate::walk(folder)) {
            let text = std::fs::read(&file).unwrap_or_default();
            let is_clean = !String::from_utf8_lossy(&text).contains(SECRET);
            assert!(is_clean || own.contains(&&file), "{}", file.display());
        }
    }
}

fn goes_all_the_way(is_user: bool) {
    let Some(installed) = installed() else { return };
    let port = remotes::serve(|asked, stream| {
        let expected = format!("authorization: bearer {}", SECRET.to_ascii_lowercase());
        if asked.headers.lines().any(|line| line.trim() == expected) {
            remotes::honest(asked, stream);
        } else {
            remotes::respond(stream, "401 Unauthorized", "");
        }
    });
    let mut round = Round::new(is_user, &installed, port);
    round.adopt();
    round.check();
    round.run();
    round.hides_secrets();
    round.disconnect();
    round.hides_secrets();
}

#[test]
fn files_of_a_project_are_adopted_checked_run_and_given_back() {
    goes_all_the_way(false);
}

#[test]
fn files_of_a_user_are_adopted_checked_run_and_given_back() {
    goes_all_the_way(true);
}
