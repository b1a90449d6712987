//! Commands that are proposed for what is installed: each of them works.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod installing;
#[allow(dead_code, reason = "each test uses a part of it")]
mod registry;
#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use installing::{Market, User, text};
use serde_json::{Value, json};

/// A facet with a server of a registry and an image.
fn publish(market: &Market) {
    market.servers("@acme/jira", &["1.0.0"]);
    let manifest = json!({
        "name": "team", "version": "1.0.0",
        "commands": { "look": { "description": "Looks" } },
        "servers": { "@acme/jira": "1.0.0", "boxed": { "image": "ghcr.io/acme/boxed:1" } },
    });
    market.facet(&manifest, &[("commands/look.md", b"Look.\n")]);
}

fn installed(market: &Market) -> User {
    let user = User::new(&market.registry.url);
    user.json(&["install", "team", "--client", "claude-code", "--yes"], 0);
    user
}

/// Gives the server and the command of the facet names of the project.
fn alias(user: &User) {
    let mut manifest: Value = serde_json::from_str(&user.read("facets.json")).unwrap();
    manifest["facets"]["team"] = json!({ "source": "1.0.0", "materialization": {
        "servers": { "@acme/jira": { "kind": "aliased", "as": "tickets" } },
        "commands": { "look": { "kind": "aliased", "as": "gaze" } },
    } });
    user.write("facets.json", &manifest.to_string());
    user.facet(&["install", "--yes"]).exits(0);
}

#[test]
fn the_server_of_a_facet_is_omitted_by_the_name_that_the_facet_has_for_it() {
    let Some(market) = Market::open() else { return };
    publish(&market);
    let user = installed(&market);
    alias(&user);
    let refused = user.json(&["remove", "tickets"], 2);
    let expected = text(&refused["error"]["expected"]);
    assert!(expected.contains(r#"{"servers": {"@acme/jira": {"kind": "omitted"}}}"#), "{expected}");
}

#[test]
fn an_image_is_not_shown_by_the_command_that_just_failed() {
    let Some(market) = Market::open() else { return };
    publish(&market);
    let user = installed(&market);
    let refused = user.json(&["show", "boxed"], 2);
    assert_eq!(refused["error"]["next"], "facet list", "{refused:#}");
}

#[test]
fn an_entry_of_a_registry_whose_version_was_edited_is_not_approved_but_restored() {
    let Some(market) = Market::open() else { return };
    publish(&market);
    let user = installed(&market);
    let lock = user.read("facets.lock");
    let mut edited: Value = serde_json::from_str(&lock).unwrap();
    edited["servers"]["jira"]["version"] = json!("1.0.1");
    user.write("facets.lock", &edited.to_string());
    let ran = user.facet(&["verify"]).exits(1);
    assert!(!ran.out.contains("facet approve"), "{}", ran.out);
    assert!(ran.out.contains("git checkout facets.lock"), "{}", ran.out);
    user.write("facets.lock", &lock);
    user.facet(&["verify"]).exits(0);
}

#[test]
fn a_lock_that_a_colleague_changed_is_installed_by_what_verify_says() {
    let Some(market) = Market::open() else { return };
    publish(&market);
    let (user, colleague) = (installed(&market), installed(&market));
    alias(&colleague);
    for file in ["facets.json", "facets.lock", ".facets/surfaces/tickets.json"] {
        user.write(file, &colleague.read(file));
    }
    let ran = user.facet(&["verify"]).exits(1);
    assert!(ran.out.contains("`facet install`"), "{}", ran.out);
    user.facet(&["install", "--yes"]).exits(0);
    user.facet(&["verify"]).exits(0);
}

#[test]
fn a_list_has_the_versions_of_servers() {
    let Some(market) = Market::open() else { return };
    publish(&market);
    let user = installed(&market);
    let listed = user.json(&["list"], 0);
    let versions: Vec<&Value> =
        listed["servers"].as_array().unwrap().iter().map(|one| &one["version"]).collect();
    assert_eq!(versions, [&Value::Null, &json!("1.0.0")], "{listed:#}");
    let shown = user.facet(&["list"]).exits(0).out;
    let line = shown.lines().find(|line| line.starts_with("jira")).unwrap();
    assert!(line.contains("1.0.0"), "{shown}");
}

#[test]
fn an_upgrade_of_an_exact_version_says_how_to_get_a_newer_one() {
    let Some(market) = Market::open() else { return };
    publish(&market);
    let user = installed(&market);
    let done = user.json(&["upgrade", "team", "--yes"], 0);
    assert!(text(&done["notes"][0]).contains("facet upgrade team --latest"), "{done:#}");
    let done = user.json(&["upgrade", "team", "--latest", "--yes"], 0);
    assert_eq!(done["notes"], json!([]), "{done:#}");
}
