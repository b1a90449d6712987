//! Commands that run a package, in `facet add` and in files of clients: what is locked, what stays, and why.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod packaged;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;

use packaged::{Place, npm_server, npm_word, wheel_server, wheel_word};
use serde_json::{Value, json};

fn published() -> Option<Place> {
    let place = Place::new()?;
    place.host.publish_npm(&npm_word("1.0.0", "blue"));
    place.host.publish_npm(&npm_server("my-server", "1.0.0", "Shows variables.", ""));
    place.host.publish_wheel(&wheel_word("1.0"));
    place.host.publish_wheel(&wheel_server("1.0", "Shows variables.", ""));
    Some(place)
}

#[test]
fn a_command_that_runs_a_package_is_locked_as_that_package() {
    let Some(place) = published() else { return };
    let words = ["add", "mine", "--yes", "--", "npx", "-y", "my-server@1.0.0", "--flag"];
    place.facet(&words).exits(0);
    let entry = place.entry("mine");
    assert_eq!(entry["package"], "npm:my-server@1.0.0", "{entry:#}");
    assert_eq!(entry["args"], json!(["--flag"]));
    place.facet(&["add", "snake", "--yes", "--", "uvx", "my-server"]).exits(0);
    assert_eq!(place.entry("snake")["package"], "pypi:my-server");
    let manifest: Value = serde_json::from_str(&place.trusted.read("facets.json")).unwrap();
    assert_eq!(manifest["servers"]["snake"], json!({ "package": "pypi:my-server" }));
    place.facet(&["remove", "mine", "--yes"]).exits(0);
    assert!(!place.trusted.file(".facets/closures/mine.json").exists());
    assert!(place.trusted.file(".facets/closures/snake.json").exists());
}

/// Every form that people write, with what becomes of it: a locked package, or why it stays a command.
const FORMS: &[(&str, &[&str], &str)] = &[
    ("npx", &["-y", "my-server"], "npm:my-server"),
    ("npx", &["--yes", "my-server@1.0.0", "."], "npm:my-server@1.0.0"),
    ("/usr/bin/npx", &["my-server@latest"], "npm:my-server@latest"),
    ("npx.cmd", &["-y", "my-server"], "npm:my-server"),
    ("npm", &["exec", "-y", "--", "my-server"], "npm:my-server"),
    ("npx", &["-y", "-p", "my-server", "--", "my-server"], "npm:my-server"),
    ("npx", &["-y", "--package=my-server", "my-server"], "npm:my-server"),
    ("cmd", &["/c", "npx", "-y", "my-server"], "npm:my-server"),
    ("npx -y my-server", &[], "npm:my-server"),
    ("bunx", &["my-server"], "npm:my-server"),
    ("bun", &["x", "my-server"], "npm:my-server"),
    ("pnpm", &["dlx", "my-server"], "npm:my-server"),
    ("pnpx", &["my-server"], "npm:my-server"),
    ("yarn", &["dlx", "my-server"], "npm:my-server"),
    ("uvx", &["my-server"], "pypi:my-server"),
    ("uvx", &["my-server==1.0"], "pypi:my-server==1.0"),
    ("uvx", &["my-server@1.0"], "pypi:my-server==1.0"),
    ("uvx", &["--from", "my-server", "my-server"], "pypi:my-server"),
    ("uv", &["tool", "run", "my-server"], "pypi:my-server"),
    ("pipx", &["run", "my-server"], "pypi:my-server"),
    ("npx", &["-c", "my-server | tee log"], "stays"),
    ("sh", &["-c", "npx -y my-server && true"], "stays"),
    ("npx", &["--registry", "http://127.0.0.1:9/", "my-server"], "stays"),
    ("npx", &["-y", "github:someone/server"], "stays"),
    ("uvx", &["--from", "git+https://127.0.0.1/x", "my-server"], "stays"),
    ("uvx", &["--index-url", "http://127.0.0.1:9/", "my-server"], "stays"),
];

#[test]
fn adopt_says_of_every_form_what_is_locked_and_what_stays_and_why() {
    let Some(place) = published() else { return };
    let mut servers = serde_json::Map::new();
    for (number, (command, args, _)) in FORMS.iter().enumerate() {
        servers.insert(format!("s{number}"), json!({ "command": command, "args": args }));
    }
    servers.insert("plain".to_owned(), json!({ "command": "node", "args": ["server.js"] }));
    place.trusted.write(".mcp.json", &json!({ "mcpServers": servers }).to_string());
    let report = place.json(&["adopt", "claude-code", "--dry-run"]).exits(0).json();
    let found = report["found"].as_array().unwrap();
    for (number, (command, args, expected)) in FORMS.iter().enumerate() {
        let entry = found.iter().find(|one| one["server"] == format!("s{number}")).unwrap();
        let (plan, packages) = (&entry["plan"], &entry["plan"]["packages"]);
        let shown = format!("{command} {args:?}: {entry:#}");
        if *expected == "stays" {
            assert_eq!(packages["state"], "not_lockable", "{shown}");
            assert!(!packages["reason"].as_str().unwrap().is_empty(), "{shown}");
        } else {
            assert_eq!(packages["state"], "locked", "{shown}");
            assert!(plan["launch"].as_str().unwrap().starts_with(expected), "{shown}");
        }
    }
    let plain = found.iter().find(|one| one["server"] == "plain").unwrap();
    assert_eq!(plain["plan"]["packages"], Value::Null);
    let kept = place.json(&["adopt", "claude-code", "--dry-run", "--as-command"]).exits(0).json();
    assert!(kept.to_string().contains("as_command"), "{kept:#}");
}

#[test]
fn an_adopted_entry_is_locked_and_rewritten() {
    let Some(place) = published() else { return };
    let entry = json!({ "command": "npx", "args": ["-y", "my-server"] });
    place.trusted.write(".mcp.json", &json!({ "mcpServers": { "mine": entry } }).to_string());
    place.facet(&["adopt", "claude-code", "--yes"]).exits(0);
    assert_eq!(place.entry("mine")["package"], "npm:my-server");
    let file = fs::read_to_string(place.trusted.file(".mcp.json")).unwrap();
    assert!(file.contains("run"), "{file}");
    place.host.clear_requests();
    let mut client = place.session("mine");
    assert_eq!(client.tools(), ["env", "echo"]);
    client.close();
    assert_eq!(place.host.requests(), [""; 0]);
    // Adopting again finds it pinned.
    place.facet(&["adopt", "claude-code", "--yes"]).exits(0);
}

#[test]
fn the_same_name_in_the_other_ecosystem_is_said() {
    let Some(place) = published() else { return };
    let added = place.json(&["add", "mine", "npm:my-server", "--yes"]).exits(0).json();
    let notes = added["package"]["notes"].to_string();
    assert!(notes.contains("pypi:my-server"), "{added:#}");
}

#[test]
fn what_names_no_package_is_refused_with_the_form() {
    let Some(place) = published() else { return };
    for bad in ["npm:", "npm:a b", "npm:a@file:../x", "pypi:a @ https://x", "npm:@scope"] {
        assert_eq!(place.refused(&["add", "mine", bad, "--yes"]), "package-bad-name", "{bad}");
    }
    assert_eq!(
        place.refused(&["add", "mine", "npm:no-such-package", "--yes"]),
        "package-unresolved"
    );
}

#[test]
fn packages_that_are_too_young_are_left_out() {
    let Some(place) = published() else { return };
    place.host.publish_npm(
        &npm_server("my-server", "1.1.0", "Newer.", "").published("2099-01-01T00:00:00.000Z"),
    );
    place.facet(&["add", "mine", "npm:my-server", "--yes", "--min-age", "3"]).exits(0);
    assert_eq!(place.entry("mine")["resolved"], "npm:my-server@1.0.0");
}
