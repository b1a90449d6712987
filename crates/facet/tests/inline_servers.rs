//! Commands of facets that change with another version: nothing starts that nobody has looked at.

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

use facets_testkit::{component, repository_root};
use installing::{Market, User, text};
use serde_json::{Value, json};
use sourced::{code_of, error_in};

/// Publishes a facet with a command, what it is given, and more arguments.
fn publish(market: &Market, version: &str, colour: &str, more: &[&str]) {
    let script = repository_root().join("crates/facet/tests/data/environment.sh");
    let mut args = vec![script.to_str().unwrap()];
    args.extend(more);
    let manifest = json!({
        "name": "eyes", "version": version,
        "commands": { "look": { "description": "Looks" } },
        "servers": { "seer": {
            "type": "stdio", "command": "sh", "args": args,
            "env": { "STARTS": "/dev/null", "COLOUR": colour },
        } },
    });
    market.facet(&manifest, &[("commands/look.md", b"Look.\n")]);
}

fn installed(market: &Market) -> User {
    let user = User::new(&market.registry.url);
    let words = ["install", "eyes@1.0.0", "--client", "claude-code", "--accept-mcp", "--yes"];
    assert_eq!(status(&user.json(&words, 0)), "added");
    user
}

fn status(report: &Value) -> String {
    text(&report["servers"][0]["status"]).to_owned()
}

/// Why a server does not run.
fn refusal(user: &User) -> String {
    code_of(&error_in(&user.facet(&["--json", "run", "seer"]).exits(2))).to_owned()
}

fn is_uncaptured(user: &User) -> bool {
    user.lock()["servers"]["seer"]["uncaptured"] == true
}

#[test]
fn another_value_of_a_variable_starts_nothing_until_somebody_looks_at_it() {
    let Some(market) = Market::open() else { return };
    publish(&market, "1.0.0", "blue", &[]);
    publish(&market, "2.0.0", "red", &[]);
    let user = installed(&market);
    let done = user.json(&["upgrade", "eyes", "--latest", "--yes"], 0);
    assert_eq!(status(&done), "uncaptured");
    assert!(is_uncaptured(&user), "the old entry stayed");
    assert_eq!(refusal(&user), "server-uncaptured");
    assert!(!user.file(".facets/surfaces/seer.json").exists(), "its surface file stayed");
    user.facet(&["install", "--frozen"]).exits(0);
    user.facet(&["verify"]).exits(0);
    assert_eq!(status(&user.json(&["install", "--accept-mcp", "--yes"], 0)), "added");
    user.facet(&["check", "seer"]).exits(0);
}

#[test]
fn another_value_that_a_repository_brings_along_is_not_approved() {
    let Some(market) = Market::open() else { return };
    publish(&market, "1.0.0", "blue", &[]);
    publish(&market, "2.0.0", "red", &[]);
    let (user, colleague) = (installed(&market), installed(&market));
    let words = ["upgrade", "eyes", "--latest", "--accept-mcp", "--yes"];
    assert_eq!(status(&colleague.json(&words, 0)), "approved");
    let before: Vec<String> = ["facets.json", "facets.lock"].map(|name| user.read(name)).into();
    for name in ["facets.json", "facets.lock"] {
        user.write(name, &colleague.read(name));
    }
    assert_eq!(refusal(&user), "not-approved", "before the install");
    assert_eq!(status(&user.json(&["install"], 0)), "not_approved");
    assert_eq!(refusal(&user), "not-approved");
    let listed = user.json(&["list"], 0);
    assert_eq!(listed["servers"][0]["approved"], false, "{listed:#}");
    assert_eq!(status(&user.json(&["install", "--accept-mcp", "--yes"], 0)), "approved");
    user.facet(&["check", "seer"]).exits(0);
    // What was approved before stays approved.
    for (name, text) in ["facets.json", "facets.lock"].into_iter().zip(before) {
        user.write(name, &text);
    }
    assert_eq!(status(&user.json(&["install", "--yes"], 0)), "kept");
}

#[test]
fn another_command_is_uncaptured_until_somebody_looks_at_it() {
    let Some(market) = Market::open() else { return };
    publish(&market, "1.0.0", "blue", &[]);
    publish(&market, "2.0.0", "blue", &["--more"]);
    publish(&market, "3.0.0", "blue", &["--most"]);
    let user = installed(&market);
    for (version, word) in [("2.0.0", "--more"), ("3.0.0", "--most")] {
        let range = format!("eyes@{version}");
        let done = user.json(&["install", &range, "--yes"], 0);
        assert_eq!(status(&done), "uncaptured");
        let declared = user.lock()["servers"]["seer"]["declared"]["args"][1].clone();
        assert_eq!((declared, refusal(&user)), (json!(word), "server-uncaptured".to_owned()));
        user.facet(&["install", "--frozen"]).exits(0);
    }
    let ledger = fs::read_dir(user.home().join(".facet/ledger")).unwrap().count();
    assert_eq!(ledger, 1);
}

#[test]
fn a_question_shows_the_values_and_a_no_leaves_nothing_approved() {
    let Some(market) = Market::open() else { return };
    if component("python3").is_none() {
        return;
    }
    publish(&market, "1.0.0", "blue", &[]);
    publish(&market, "2.0.0", "red\u{1b}[2K", &[]);
    let user = installed(&market);
    let ran = user.at_terminal(&["upgrade", "eyes", "--latest"], "yn").exits(0);
    assert!(ran.out.contains(r#"COLOUR="red\u{1b}[2K""#), "{}", ran.out);
    assert_eq!((is_uncaptured(&user), refusal(&user)), (true, "server-uncaptured".to_owned()));
    let ran = user.at_terminal(&["approve", "seer"], "y").exits(0);
    assert!(ran.out.contains("COLOUR="), "{}", ran.out);
    user.facet(&["check", "seer"]).exits(0);
}

#[test]
fn approve_gives_a_command_of_a_facet_its_values() {
    let Some(market) = Market::open() else { return };
    publish(&market, "1.0.0", "blue", &[]);
    let user = User::new(&market.registry.url);
    user.json(&["install", "eyes", "--client", "claude-code", "--yes"], 0);
    user.facet(&["approve", "seer", "--yes"]).exits(0);
    user.facet(&["check", "seer"]).exits(0);
    assert_eq!(user.json(&["install"], 0)["outcome"], "unchanged");
}

#[test]
fn accepted_commands_are_started_where_nobody_can_answer() {
    let Some(market) = Market::open() else { return };
    publish(&market, "1.0.0", "blue", &[]);
    let user = User::new(&market.registry.url);
    let installed = user.json(&["install", "eyes", "--client", "claude-code", "--yes"], 0);
    assert_eq!(installed["next"], json!(["facet install --accept-mcp"]));
    assert_eq!(status(&user.json(&["install", "eyes", "--accept-mcp"], 0)), "added");
    user.facet(&["check", "seer"]).exits(0);
}

#[test]
fn a_server_that_does_not_answer_is_named_and_keeps_nothing_else_back() {
    let Some(market) = Market::open() else { return };
    let manifest = json!({
        "name": "far", "version": "1.0.0",
        "commands": { "gaze": { "description": "Looks" } },
        "servers": {
            "away": { "type": "http", "url": "http://127.0.0.1:9/mcp" },
            "broken": { "type": "stdio", "command": "false", "args": [] },
        },
    });
    market.facet(&manifest, &[("commands/gaze.md", b"Look.\n")]);
    publish(&market, "1.0.0", "blue", &[]);
    let user = User::new(&market.registry.url);
    let words = ["install", "far", "eyes", "--client", "claude-code", "--accept-mcp", "--yes"];
    let done = user.json(&words, 0);
    let statuses: Vec<&str> =
        done["servers"].as_array().unwrap().iter().map(|one| text(&one["status"])).collect();
    assert_eq!(statuses, ["uncaptured", "uncaptured", "added"], "{done:#}");
    let notes: Vec<&str> = done["notes"].as_array().unwrap().iter().map(text).collect();
    let start = |name: &str| format!("server \"{name}\" could not be inspected: ");
    assert!(notes[0].starts_with(&start("away")), "{notes:?}");
    assert!(notes[1].starts_with(&start("broken")), "{notes:?}");
    assert!(user.file(".claude/commands/gaze.md").exists());
}

#[test]
fn a_declined_server_of_a_registry_is_looked_at_by_the_command_that_is_proposed() {
    let Some(market) = Market::open() else { return };
    if component("python3").is_none() {
        return;
    }
    market.servers("@acme/jira", &["1.0.0"]);
    let manifest = json!({
        "name": "team", "version": "1.0.0",
        "commands": { "look": { "description": "Looks" } },
        "servers": { "@acme/jira": "1.0.0" },
    });
    market.facet(&manifest, &[("commands/look.md", b"Look.\n")]);
    let user = User::new(&market.registry.url);
    let words = ["install", "team", "--client", "claude-code", "--no-connect"];
    user.at_terminal(&words, "yn").exits(0);
    assert_eq!(user.lock()["servers"]["jira"]["uncaptured"], true);
    let again = user.json(&["install"], 0);
    assert_eq!(again["next"], json!(["facet upgrade jira"]), "{again:#}");
    user.at_terminal(&["upgrade", "jira"], "y").exits(0);
    assert_eq!(user.lock()["servers"]["jira"]["uncaptured"], Value::Null);
    user.facet(&["check", "jira"]).exits(0);
}
