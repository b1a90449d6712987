//! Values that many rules are about.

use crate::manifest::check::{Checker, Members, Place, shorten};
use crate::tree::NodeValue;

/// The items of a list that may be missing.
pub(super) fn list<'a>(
    check: &mut Checker<'_>,
    members: &Members<'a>,
    name: &str,
) -> Vec<Place<'a>> {
    members.optional(name).and_then(|place| check.items(&place)).unwrap_or_default()
}

/// A string of 1 to so many characters.
pub(super) fn check_length(check: &mut Checker<'_>, place: &Place<'_>, most: usize) {
    let Some(text) = check.string(place) else { return };
    let length = text.chars().count();
    if (1..=most).contains(&length) {
        return;
    }
    let found = if length == 0 { "nothing".to_owned() } else { format!("{length} characters") };
    let allowed = format!("1 to {most} characters");
    let fix = match length {
        0 => "write something, or remove it if it is optional".to_owned(),
        _ => format!("shorten it by {} characters", length - most),
    };
    check.problem("server-json-bad-length", place, &found, &allowed, &fix);
}

/// A string that must be one of a few.
pub(super) fn check_choice(check: &mut Checker<'_>, place: &Place<'_>, allowed: &[&str]) {
    let Some(text) = check.string(place) else { return };
    if !allowed.contains(&text) {
        let fix = format!("write one of {}", allowed.join(", "));
        let code = "server-json-bad-value";
        check.problem(code, place, &shorten(text), &allowed.join(", "), &fix);
    }
}

/// The text of a string, without a word if it is none.
pub(super) fn text(place: &Place<'_>) -> Option<String> {
    match &place.node.value {
        NodeValue::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// A member of what may be an object, without a word if it is none.
pub(super) fn member<'a>(place: &Place<'a>, name: &str) -> Option<Place<'a>> {
    let NodeValue::Object(members) = &place.node.value else { return None };
    let found = members.iter().find(|member| member.name == name)?;
    Some(place.child(name, &found.node))
}
