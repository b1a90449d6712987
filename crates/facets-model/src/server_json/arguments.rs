//! Arguments and variables: what a client asks its user for.

use super::values::{check_choice, list};
use crate::manifest::check::{Checker, Members, Place, shorten};

/// Members of every input.
const INPUT: &[&str] = &[
    "description",
    "isRequired",
    "format",
    "value",
    "isSecret",
    "default",
    "placeholder",
    "choices",
];

const ARGUMENT: &[&str] = &["variables", "type", "name", "valueHint", "isRepeated"];
const VARIABLE: &[&str] = &["variables", "name"];
const FORMATS: &[&str] = &["string", "number", "boolean", "filepath"];

/// Checks an argument, and gives the names by which an address may mean it.
pub(super) fn check_argument<'a>(check: &mut Checker<'_>, place: &Place<'a>) -> Vec<&'a str> {
    let Some(members) = check.members(place) else { return Vec::new() };
    check.closed(&members, &[INPUT, ARGUMENT].concat());
    check_input(check, &members);
    check_variables(check, &members);
    if let Some(repeated) = members.optional("isRepeated") {
        check.boolean(&repeated);
    }
    let hint = members.optional("valueHint").and_then(|place| check.string(&place));
    let kind = members.required(check, "type", "\"positional\"");
    let kind = kind.and_then(|place| {
        check_choice(check, &place, &["positional", "named"]);
        check.string(&place)
    });
    let name = match kind {
        Some("named") => check_named(check, &members),
        Some("positional") => {
            check_positional(check, place, &members);
            None
        }
        _ => None,
    };
    name.into_iter().chain(hint).collect()
}

/// Checks an environment variable or a header, and gives its name.
pub(super) fn check_variable<'a>(check: &mut Checker<'_>, place: &Place<'a>) -> Option<&'a str> {
    let members = check.members(place)?;
    check.closed(&members, &[INPUT, VARIABLE].concat());
    check_input(check, &members);
    check_variables(check, &members);
    let name = members.required(check, "name", "\"API_KEY\"")?;
    check.string(&name)
}

/// Checks `variables`, and gives their names.
pub(super) fn check_variables(check: &mut Checker<'_>, members: &Members<'_>) -> Vec<String> {
    let Some(place) = members.optional("variables") else { return Vec::new() };
    let Some(variables) = check.members(&place) else { return Vec::new() };
    let mut names = Vec::new();
    for (member, place) in variables.entries() {
        names.push(member.name.clone());
        if let Some(input) = check.members(&place) {
            check.closed(&input, INPUT);
            check_input(check, &input);
        }
    }
    names
}

fn check_input(check: &mut Checker<'_>, members: &Members<'_>) {
    for name in ["description", "value", "default", "placeholder"] {
        if let Some(place) = members.optional(name) {
            check.string(&place);
        }
    }
    for name in ["isRequired", "isSecret"] {
        if let Some(place) = members.optional(name) {
            check.boolean(&place);
        }
    }
    if let Some(place) = members.optional("format") {
        check_choice(check, &place, FORMATS);
    }
    for choice in list(check, members, "choices") {
        check.string(&choice);
    }
}

/// spec of the registry: a positional argument without value is published, and fails `/validate`.
fn check_positional(check: &mut Checker<'_>, place: &Place<'_>, members: &Members<'_>) {
    if members.optional("value").is_none() && members.optional("valueHint").is_none() {
        check.problem(
            "server-json-argument",
            place,
            "a positional argument without \"value\" and \"valueHint\"",
            "one of the two",
            "add \"value\", or \"valueHint\" with a name for what the user gives",
        );
    }
}

fn check_named<'a>(check: &mut Checker<'_>, members: &Members<'a>) -> Option<&'a str> {
    let place = members.required(check, "name", "\"--port\"")?;
    let name = check.string(&place)?;
    if name.is_empty() || name.contains(['<', '>', ' ', '$']) {
        check.problem(
            "invalid-named-argument-name",
            &place,
            &shorten(name),
            "the flag alone, without '<', '>', '$' and spaces",
            "move what follows the flag into \"value\" or \"valueHint\"",
        );
        return Some(name);
    }
    for (member, code) in [
        ("value", "argument-value-starts-with-name"),
        ("default", "argument-default-starts-with-name"),
    ] {
        let Some(place) = members.optional(member) else { continue };
        let Some(text) = check.string(&place) else { continue };
        if text.starts_with(name) {
            let found = format!("{}, which begins with the name of the argument", shorten(text));
            let fix = "remove the name: a client writes it before the value";
            check.problem(code, &place, &found, "the value alone", fix);
        }
    }
    Some(name)
}
