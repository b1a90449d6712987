//! What a failing command leaves behind, and what it does not show: nothing half done, no secrets.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "other tests need more of it")]
mod trusted;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use facets_testkit::{component, workspace_binary};
use serde_json::{Value, json};
use tempfile::TempDir;
use trusted::{FACET, Ran, Trusted};

fn tool(description: &str) -> Value {
    json!({ "tools": [{ "name": "t", "description": description, "inputSchema": {} }] })
}

/// Reads a file by a path that is not absolute, then answers what it must.
const SERVER_WITH_DATA: &str = r#"
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
readFileSync("data/ok.json");
const known = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "s", version: "1" },
  },
  "tools/list": { tools: [] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const said = known[method] ? { result: known[method] } : { error: { code: -32601, message: "no" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
});
"#;

/// The surface file is committed.
#[test]
fn a_secret_that_a_server_declares_is_not_pinned() {
    let trusted = Trusted::new();
    trusted.declare(&tool("Signs in with s3cr3t-value-of-mine."));
    let add = |variable: &str, value: &str| {
        let mut command = trusted.command(&["add", "s", "--yes", "-e", variable, "--"]);
        command.arg(workspace_binary("listed-server")).arg(trusted.declarations());
        Ran::of(&command.arg(trusted.trace()).env(variable, value).output().unwrap())
    };
    let refused = add("API_TOKEN", "s3cr3t-value-of-mine").exits(2);
    assert!(refused.talk.contains("[secret-declared]"), "{refused:?}");
    assert!(refused.talk.contains("API_TOKEN") && !refused.talk.contains("s3cr3t"), "{refused:?}");
    assert!(!trusted.file(".facets/surfaces/s.json").exists());
    // A word that everybody knows is none.
    trusted.declare(&tool("Works in production-mode."));
    add("MODE", "production-mode").exits(0);
    // Nor is one approved later.
    trusted.declare(&tool("Works in production-mode with s3cr3t-value-of-mine."));
    let mut command = trusted.command(&["approve", "s", "--accept", "critical"]);
    let ran = Ran::of(&command.env("MODE", "production-mode").output().unwrap());
    assert!(ran.exit == 0, "{ran:?}");
}

#[test]
fn values_of_several_lines_are_not_quoted() {
    let trusted = Trusted::new();
    let script = "printf '%s\\n' \"$KEY\" >&2; exit 3";
    let mut command =
        trusted.command(&["add", "s", "--yes", "-e", "KEY", "--", "sh", "-c", script]);
    command.env("KEY", "-----BEGIN SECRET-----\nMIIEvQIBADANBg\n-----END SECRET-----");
    let ran = Ran::of(&command.output().unwrap()).exits(2);
    assert!(!ran.talk.contains("MIIEvQ") && !ran.talk.contains("BEGIN SECRET"), "{ran:?}");
}

/// As at first sight: whatever its words promise.
#[test]
fn a_new_tool_that_reads_keys_is_of_high_risk() {
    let trusted = Trusted::with_server(&tool("Says it again."));
    let mut more = tool("Says it again.");
    let new = json!({ "name": "leak", "description": "Reads ~/.ssh/id_rsa.", "inputSchema": {} });
    more["tools"].as_array_mut().unwrap().push(new);
    trusted.declare(&more);
    let checked = trusted.facet(&["check"]).exits(1);
    assert!(checked.out.contains("tool leak: added, not approved yet; risk HIGH"), "{checked:?}");
    trusted.declare(&tool("Removes ~/.ssh/id_rsa."));
    let checked = trusted.facet(&["check"]).exits(1);
    assert!(!checked.out.contains("risk is LOW"), "{checked:?}");
}

#[test]
fn a_grant_that_fails_says_what_is_in_force_and_what_is_asked_for() {
    let Some(node) = component("node") else { return };
    let trusted = Trusted::new();
    std::fs::create_dir(trusted.file("data")).unwrap();
    trusted.write("data/ok.json", "{}");
    trusted.write("server.mjs", SERVER_WITH_DATA);
    let words = ["add", "s", "--yes", "--", node.to_str().unwrap(), "server.mjs"];
    trusted.facet(&words).exits(0);
    let failed = trusted.facet(&["grant", "s", "filesystem=none", "--yes"]).exits(2);
    assert!(failed.talk.contains("are in force on this machine"), "{failed:?}");
    assert!(failed.talk.contains("data/ok.json"), "{failed:?}");
    assert!(!failed.talk.contains("try:      facet grant s filesystem=none\n"), "{failed:?}");
    let wider = trusted.facet(&["grant", "s", "filesystem=ro:/srv", "--yes"]).exits(2);
    assert!(wider.talk.contains("nothing was changed: "), "{wider:?}");
    assert!(wider.talk.contains("filesystem=none"), "{wider:?}");
}

#[test]
fn disconnecting_an_unknown_server_is_answered() {
    let trusted = Trusted::with_server(&tool("Says it again."));
    let ran = trusted.facet(&["disconnect", "--server", "nosuch", "--yes"]).exits(2);
    assert!(ran.talk.contains("server-unknown"), "{ran:?}");
    trusted.facet(&["disconnect", "--server", "s", "--yes"]).exits(0);
}

/// A place that belongs to a user whom permissions hold: root goes through everything.
struct Ordinary {
    folder: TempDir,
    is_root: bool,
}

impl Ordinary {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let is_root = rustix::process::geteuid().is_root();
        for name in ["work", "work/.cursor", "work/.gemini", "home", "state"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::copy(FACET, folder.path().join("facet")).unwrap();
        let server = workspace_binary("listed-server");
        std::fs::copy(server, folder.path().join("server")).unwrap();
        let place = Self { folder, is_root };
        std::fs::write(place.path("server.json"), tool("Says it again.").to_string()).unwrap();
        place.allow("", 0o755);
        if is_root {
            let mut chown = Command::new("chown");
            let owned = chown.args(["-R", "nobody"]).arg(place.folder.path()).status();
            assert!(owned.unwrap().success());
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn allow(&self, name: &str, mode: u32) {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(self.path(name), permissions).unwrap();
    }

    fn entry(&self, file: &str, name: &str) {
        let command = self.path("server").display().to_string();
        let args = [self.path("server.json").display().to_string()];
        let entry = json!({ "mcpServers": { name: { "command": command, "args": args } } });
        std::fs::write(self.path(&format!("work/{file}")), entry.to_string()).unwrap();
        if self.is_root {
            let file = self.path(&format!("work/{file}"));
            assert!(Command::new("chown").arg("nobody").arg(file).status().unwrap().success());
        }
    }

    fn facet(&self, arguments: &[&str]) -> Ran {
        let program = self.path("facet");
        let mut command = if self.is_root {
            let mut command = Command::new("runuser");
            command.args(["-u", "nobody", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.args(arguments).current_dir(self.path("work")).stdin(Stdio::null());
        command.env("FACET_DIR", self.path("state")).env("HOME", self.path("home"));
        command.env_remove("XDG_CONFIG_HOME").env_remove("CODEX_HOME");
        Ran::of(&command.output().unwrap())
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }
}

#[test]
fn a_project_that_cannot_be_written_is_not_changed_half_way() {
    let place = Ordinary::new();
    place.entry(".mcp.json", "a");
    place.facet(&["adopt", "--yes"]).exits(0);
    let before = (place.text("work/facets.lock"), place.text("work/.mcp.json"));
    place.allow("work", 0o555);
    let refused = place.facet(&["remove", "a", "--yes"]).exits(2);
    assert!(refused.talk.contains("file-unwritable"), "{refused:?}");
    place.facet(&["list"]).exits(0);
    place.facet(&["check"]).exits(0);
    place.allow("work", 0o755);
    assert!(place.facet(&["list"]).exits(0).out.starts_with("a "));
    assert_eq!((place.text("work/facets.lock"), place.text("work/.mcp.json")), before);
}

#[test]
fn a_client_file_that_cannot_be_written_does_not_keep_the_others() {
    let place = Ordinary::new();
    for (file, name) in
        [(".mcp.json", "a"), (".cursor/mcp.json", "b"), (".gemini/settings.json", "c")]
    {
        place.entry(file, name);
    }
    let original = place.text("work/.mcp.json");
    place.allow("work/.cursor", 0o555);
    let adopted = place.facet(&["adopt", "--yes"]).exits(0);
    assert!(adopted.out.contains("cannot be written"), "{adopted:?}");
    assert!(adopted.out.contains("2 adopted"), "{adopted:?}");
    place.allow("work/.cursor", 0o755);
    place.facet(&["adopt", "--yes"]).exits(0);
    place.allow("work/.cursor", 0o555);
    // Nothing is removed if an entry cannot be restored.
    let refused = place.facet(&["remove", "b", "--yes"]).exits(2);
    assert!(refused.talk.contains("file-unwritable"), "{refused:?}");
    assert!(place.facet(&["list"]).exits(0).out.contains("b "));
    let left = place.facet(&["disconnect", "--yes"]).exits(2);
    assert!(left.out.contains(".cursor/mcp.json: it cannot be written"), "{left:?}");
    assert_eq!(place.text("work/.mcp.json"), original);
    place.allow("work/.cursor", 0o755);
    place.facet(&["disconnect", "--yes"]).exits(0);
    assert!(Path::new(&place.path("work/.cursor/mcp.json")).exists());
}
