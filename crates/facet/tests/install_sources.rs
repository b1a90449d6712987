//! Facets that bring commands and images along, and facets from directories and git repositories.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod installing;
#[allow(dead_code, reason = "each test uses a part of it")]
mod registry;
#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use facets_testkit::{Client, repository_root};
use installing::{Market, User, git_daemon, text, write_facet};
use serde_json::{Value, json};
use sourced::{code_of, error_in};
use tempfile::TempDir;

/// A facet with a command that tells what it sees, and an image.
fn with_servers(market: &Market, starts: &str) {
    let script = repository_root().join("crates/facet/tests/data/environment.sh");
    let manifest = json!({
        "name": "eyes", "version": "1.0.0",
        "commands": { "look": { "description": "Looks" } },
        "servers": {
            "seer": {
                "type": "stdio", "command": "sh", "args": [script.to_str().unwrap()],
                "env": { "STARTS": starts, "COLOUR": "blue as the sea" },
            },
            "boxed": { "image": "ghcr.io/acme/boxed:1" },
        },
    });
    market.facet(&manifest, &[("commands/look.md", b"Look.\n")]);
}

/// What a command of a facet sees in a session.
fn seen(user: &User, name: &str) -> String {
    let mut client = Client::start(&mut user.command(&["run", name]), Stdio::inherit());
    let opening = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } });
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening }));
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let call = json!({ "name": "see", "arguments": {} });
    client.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }));
    let said = loop {
        let line = client.line(Duration::from_mins(1)).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == 2 {
            break text(&message["result"]["content"][0]["text"]).to_owned();
        }
    };
    client.finish();
    said
}

fn run_refused(user: &User, name: &str) -> String {
    code_of(&error_in(&user.facet(&["--json", "run", name]).exits(2))).to_owned()
}

#[test]
fn a_command_of_a_facet_is_started_only_if_that_was_accepted_and_gets_its_values() {
    let Some(market) = Market::open() else { return };
    let user = User::new(&market.registry.url);
    let starts = user.home().join("starts");
    with_servers(&market, starts.to_str().unwrap());
    let done = user.json(&["install", "eyes", "--client", "claude-code", "--yes"], 0);
    let status = |report: &Value, name: &str| {
        let servers = report["servers"].as_array().unwrap().iter();
        servers
            .filter(|one| one["name"] == name)
            .map(|one| text(&one["status"]).to_owned())
            .collect::<String>()
    };
    assert_eq!(
        (status(&done, "seer"), status(&done, "boxed")),
        ("uncaptured".into(), "uncaptured".into())
    );
    assert!(!starts.exists(), "it was started");
    let entry = user.lock()["servers"]["seer"].clone();
    assert_eq!((&entry["uncaptured"], &entry["facet"]), (&json!(true), &json!("eyes")));
    for name in ["seer", "boxed"] {
        assert_eq!(run_refused(&user, name), "server-uncaptured");
    }
    assert!(!starts.exists(), "it was started");
    user.facet(&["verify"]).exits(0);
    user.facet(&["install", "--frozen"]).exits(0);
    let done = user.json(&["install", "--accept-mcp", "--yes"], 0);
    assert_eq!(
        (status(&done, "seer"), status(&done, "boxed")),
        ("added".into(), "uncaptured".into())
    );
    assert!(starts.exists(), "it was not started");
    let said = seen(&user, "seer");
    assert!(said.contains("COLOUR=blue as the sea;"), "{said}");
    assert_eq!(run_refused(&user, "boxed"), "server-uncaptured");
    user.facet(&["verify"]).exits(0);
    user.facet(&["check", "seer"]).exits(0);
    assert_eq!(user.json(&["install"], 0)["outcome"], "unchanged");
    // A value that somebody writes into the lock reaches nothing.
    let lock = user.read("facets.lock").replace("blue as the sea", "red as a rose");
    user.write("facets.lock", &lock);
    let ran = user.facet(&["--json", "run", "seer"]);
    assert!(!ran.out.contains("red") && !seen(&user, "seer").contains("red"), "{ran:?}");
}

#[test]
fn a_directory_of_the_project_is_installed_and_pinned() {
    let Some(market) = Market::open() else { return };
    let user = User::new(&market.registry.url);
    let manifest = json!({ "name": "local", "version": "1.0.0", "skills": { "plan": { "description": "Plans" } } });
    write_facet(&user.file("own/local"), &manifest, &[("skills/plan/SKILL.md", b"# Plan\n")]);
    user.write("facets.json", "{\n  // mine\n  \"facets\": { \"local\": \"./own/local\" },\n  \"clients\": [\"codex\"]\n}\n");
    user.changes_nothing(|user| {
        assert_eq!(user.refusal(&["install", "--frozen"], 1), "lock-out-of-date")
    });
    user.facet(&["install", "--yes"]).exits(0);
    assert!(user.read("facets.json").contains("// mine"));
    let entry = user.lock()["facets"]["local"].clone();
    assert_eq!(entry["source"], json!({ "kind": "local", "path": "./own/local" }));
    user.facet(&["install", "--frozen", "--offline"]).exits(0);
    user.facet(&["verify"]).exits(0);
    user.write("own/local/skills/plan/SKILL.md", "# Another plan\n");
    user.changes_nothing(|user| {
        let refused = user.json(&["install", "--frozen"], 1);
        assert_eq!(refused["error"]["code"], "lock-out-of-date");
        assert!(text(&refused["error"]["actual"]).contains("local"), "{refused:#}");
        assert_eq!(user.refusal(&["install"], 2), "not-approved");
    });
    user.facet(&["install", "--yes"]).exits(0);
    assert!(user.read(".agents/skills/plan/SKILL.md").ends_with("# Another plan\n"));
    // A facet that is composed of others is refused, not taken for less than it is.
    let composed = json!({ "name": "local", "version": "1.0.0", "facets": ["@acme/base@1.0.0"],
        "skills": { "plan": { "description": "Plans" } } });
    write_facet(&user.file("own/local"), &composed, &[]);
    user.changes_nothing(|user| {
        let refused = user.json(&["upgrade", "local", "--yes"], 1);
        assert_eq!(refused["error"]["code"], "archive-composition", "{refused:#}");
        assert!(text(&refused["error"]["message"]).contains("facet local"), "{refused:#}");
    });
}

/// A daemon with one repository.
struct GitDaemon {
    folder: TempDir,
    port: u16,
    child: Child,
}

impl GitDaemon {
    fn start() -> Option<Self> {
        let program = git_daemon()?;
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(&program);
        command.args(["--export-all", "--listen=127.0.0.1", "--reuseaddr"]);
        command.arg(format!("--port={port}"));
        command.arg(format!("--base-path={}", folder.path().display())).arg(folder.path());
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let mut child = command.env("GIT_EXEC_PATH", program.parent().unwrap()).spawn().unwrap();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(child.try_wait().unwrap().is_none(), "the daemon ended");
            std::thread::yield_now();
        }
        let daemon = Self { folder, port, child };
        fs::create_dir(daemon.root()).unwrap();
        daemon.git(&["init", "--quiet", "--initial-branch=main", "."]);
        Some(daemon)
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("viper.git")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]);
        command.args(arguments).current_dir(self.root()).env("HOME", self.folder.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits a version of the facet.
    fn commit(&self, version: &str, body: &str) -> String {
        let manifest = json!({ "name": "viper", "version": version, "skills": { "plan": { "description": "Plans" } } });
        write_facet(&self.root(), &manifest, &[("skills/plan/SKILL.md", body.as_bytes())]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "change"]);
        self.git(&["rev-parse", "HEAD"])
    }
}

impl Drop for GitDaemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_facet_is_typed_with_a_git_repository() {
    let Some(daemon) = GitDaemon::start() else { return };
    let Some(market) = Market::open() else { return };
    let commit = daemon.commit("1.0.0", "# One\n");
    let url = format!("git://127.0.0.1:{}/viper.git", daemon.port);
    for reference in ["", "#main", &format!("#{commit}")] {
        let user = User::new(&market.registry.url);
        let typed = format!("viper={url}{reference}");
        user.facet(&["install", &typed, "--client", "claude-code", "--yes"]).exits(0);
        let manifest: Value = serde_json::from_str(&user.read("facets.json")).unwrap();
        assert_eq!(manifest["facets"], json!({ "viper": format!("{url}{reference}") }));
        let source = user.lock()["facets"]["viper"]["source"].clone();
        assert_eq!(source, json!({ "kind": "git", "url": url, "commit": commit }));
        assert!(user.read(".claude/skills/plan/SKILL.md").ends_with("# One\n"));
        user.facet(&["install", "--frozen", "--offline"]).exits(0);
    }
    // GitHub is a repository by its short name; without a network nothing is asked or written.
    let user = User::new(&market.registry.url);
    user.changes_nothing(|user| {
        let words =
            ["install", "viper=github:acme/viper#v1", "--client", "claude-code", "--offline"];
        let refused = user.json(&words, 2);
        assert_eq!(refused["error"]["code"], "offline", "{refused:#}");
        assert!(refused.to_string().contains("viper"), "{refused:#}");
    });
}

#[test]
fn another_branch_or_tag_that_is_typed_is_looked_up() {
    let Some(daemon) = GitDaemon::start() else { return };
    let Some(market) = Market::open() else { return };
    let first = daemon.commit("1.0.0", "# One\n");
    daemon.git(&["tag", "v1"]);
    let second = daemon.commit("1.1.0", "# Two\n");
    let url = format!("git://127.0.0.1:{}/viper.git", daemon.port);
    let user = User::new(&market.registry.url);
    for (reference, commit) in [("#main", &second), ("#v1", &first), ("", &second)] {
        let typed = format!("viper={url}{reference}");
        user.facet(&["install", &typed, "--client", "claude-code", "--yes"]).exits(0);
        assert_eq!(user.lock()["facets"]["viper"]["source"]["commit"], **commit, "{reference}");
    }
}

#[test]
fn a_facet_of_a_git_repository_is_pinned_to_a_commit_and_to_its_bytes() {
    let Some(daemon) = GitDaemon::start() else { return };
    let Some(market) = Market::open() else { return };
    let first = daemon.commit("1.0.0", "# One\n");
    let user = User::new(&market.registry.url);
    let url = format!("git://127.0.0.1:{}/viper.git", daemon.port);
    let manifest =
        json!({ "facets": { "viper": format!("{url}#main") }, "clients": ["claude-code"] });
    user.write("facets.json", &manifest.to_string());
    user.facet(&["install", "--yes"]).exits(0);
    let entry = user.lock()["facets"]["viper"].clone();
    assert_eq!((&entry["source"]["commit"], &entry["version"]), (&json!(first), &json!("1.0.0")));
    let second = daemon.commit("1.1.0", "# Two\n");
    user.facet(&["install"]).exits(0);
    assert!(user.read(".claude/skills/plan/SKILL.md").ends_with("# One\n"));
    let clone = User::with_own_store("");
    for file in ["facets.json", "facets.lock"] {
        clone.write(file, &user.read(file));
    }
    clone.facet(&["install", "--frozen"]).exits(0);
    let written = ".claude/skills/plan/SKILL.md";
    assert_eq!(clone.read(written), user.read(written));
    // A commit that gives other bytes than the locked ones is none of these.
    let fresh = User::with_own_store("");
    fresh.write("facets.json", &user.read("facets.json"));
    fresh.write("facets.lock", &user.read("facets.lock").replace(&first, &second));
    fresh.changes_nothing(|fresh| {
        assert_eq!(fresh.refusal(&["install", "--frozen"], 1), "install-mismatch git");
    });
    user.facet(&["upgrade", "--yes"]).exits(0);
    assert_eq!(user.lock()["facets"]["viper"]["source"]["commit"], second);
    assert!(user.read(written).ends_with("# Two\n"));
}

#[test]
fn outdated_finds_the_newest_commit_of_a_branch_and_a_tag_that_moved() {
    let Some(daemon) = GitDaemon::start() else { return };
    let first = daemon.commit("1.0.0", "# One\n");
    daemon.git(&["tag", "--annotate", "--message", "one", "v1"]);
    let url = format!("git://127.0.0.1:{}/viper.git", daemon.port);
    let cases = [("#main", "main"), ("#v1", "v1"), ("", ""), (first.as_str(), "")];
    let users: Vec<User> = cases
        .iter()
        .map(|(reference, _)| {
            let user = User::new("");
            let hash = if *reference == first { "#" } else { "" };
            let source = format!("{url}{hash}{reference}");
            let manifest = json!({ "facets": { "viper": source }, "clients": ["claude-code"] });
            user.write("facets.json", &manifest.to_string());
            user.facet(&["install", "--yes"]).exits(0);
            let git = user.json(&["outdated"], 0)["items"][0]["git"].clone();
            assert_eq!((&git["locked"], &git["newest"]), (&json!(first), &Value::Null));
            user
        })
        .collect();
    let second = daemon.commit("1.1.0", "# Two\n");
    daemon.git(&["tag", "--force", "v1"]);
    for ((reference, name), user) in cases.iter().zip(&users) {
        let item = user.json(&["outdated"], 0)["items"][0].clone();
        let is_pinned = *reference == first;
        let newest = if is_pinned { Value::Null } else { json!(second) };
        assert_eq!(item["git"]["newest"], newest, "{item:#}");
        let ran = user.facet(&["outdated"]).exits(0);
        assert_eq!(ran.talk.contains("facet upgrade"), !is_pinned, "{}", ran.talk);
        assert_eq!(ran.out.contains(&second[..12]), !is_pinned, "{}", ran.out);
        assert!(ran.out.contains(name), "{}", ran.out);
    }
    // A branch that is gone is an error of this facet, with the repository in it.
    users[0].write("facets.json", &users[0].read("facets.json").replace("#main", "#gone"));
    let error = users[0].json(&["outdated"], 2)["items"][0]["error"].clone();
    assert_eq!(error["code"], "git-fetch", "{error:#}");
    assert!(text(&error["actual"]).contains("no branch or tag \"gone\""), "{error:#}");
}
