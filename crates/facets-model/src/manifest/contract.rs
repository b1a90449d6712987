//! The contract that a server declares beyond its definitions (spec 6.4).

use facets_digest::json::{self, Limits, Provenance};

use super::check::{Checker, Place, shorten};
use crate::tree::NodeValue;

const MEMBERS: &[&str] = &[
    "actions",
    "systemRules",
    "guardrails",
    "middleware",
    "stateSync",
    "concurrency",
    "affordances",
    "presenters",
    "tags",
];

/// Checks a contract, and gives its canonical form.
pub(super) fn contract(check: &mut Checker<'_>, place: &Place<'_>) -> Option<String> {
    let members = check.members(place)?;
    let known: Vec<&str> = MEMBERS.iter().copied().chain(["tools"]).collect();
    check.closed(&members, &known);
    for (member, place) in members.entries() {
        declared(check, &member.name, &place);
    }
    if let Some(tools) = members.optional("tools").and_then(|tools| check.members(&tools)) {
        for (_, tool) in tools.entries() {
            let Some(members) = check.members(&tool) else { continue };
            check.closed(&members, MEMBERS);
            for (member, place) in members.entries() {
                declared(check, &member.name, &place);
            }
        }
    }
    let text = place.node.to_json();
    let value = json::parse(text.as_bytes(), Provenance::Authored, Limits::DEFINITION).ok()?;
    Some(String::from_utf8_lossy(&value.to_canonical()).into_owned())
}

fn declared(check: &mut Checker<'_>, name: &str, place: &Place<'_>) {
    match name {
        "tags" | "affordances" | "presenters" | "middleware" => texts(check, place),
        "actions" => actions(check, place),
        "systemRules" => {
            let Some(members) = check.members(place) else { return };
            check.closed(&members, &["static", "dynamic"]);
            if let Some(place) = members.optional("static") {
                texts(check, &place);
            }
            if let Some(place) = members.optional("dynamic") {
                check.string(&place);
            }
        }
        // Whatever the author means by them.
        _ => {}
    }
}

fn texts(check: &mut Checker<'_>, place: &Place<'_>) {
    for item in check.items(place).unwrap_or_default() {
        check.string(&item);
    }
}

/// Each has a `key` of its own, by which they are told apart.
fn actions(check: &mut Checker<'_>, place: &Place<'_>) {
    let mut keys: Vec<&str> = Vec::new();
    for item in check.items(place).unwrap_or_default() {
        let Some(members) = check.members(&item) else { continue };
        let Some(key) = members.required(check, "key", "list") else { continue };
        let NodeValue::String(text) = &key.node.value else {
            check.string(&key);
            continue;
        };
        if keys.contains(&text.as_str()) {
            let found = format!("duplicate {}", shorten(text));
            check.problem(
                "manifest-name-collision",
                &key,
                &found,
                "each key once",
                "rename one of the two",
            );
        }
        keys.push(text);
    }
}
