//! What became of a schema, in words.

use facets_digest::json::{Value, compare_utf16};

use crate::close::close;

/// What became of the arguments at the top of a schema, in words.
#[must_use]
pub fn describe(before: Option<&Value<'_>>, after: Option<&Value<'_>>) -> String {
    let (Some(before), Some(after)) = (before, after) else {
        let gone = "input schema removed: accepts anything";
        return if before.is_some() { gone } else { "input schema added" }.to_owned();
    };
    let (old, new) = (properties(before), properties(after));
    let named = |what: &str, names: Vec<&str>| match names.as_slice() {
        [] => None,
        [one] => Some(format!("{what} `{one}`")),
        many => Some(format!("{what} {}", list(many))),
    };
    let has = |all: &[(&str, &Value<'_>)], name: &str| all.iter().any(|(other, _)| *other == name);
    let added: Vec<&str> =
        new.iter().map(|(name, _)| *name).filter(|name| !has(&old, name)).collect();
    let removed: Vec<&str> =
        old.iter().map(|(name, _)| *name).filter(|name| !has(&new, name)).collect();
    let changed: Vec<&str> = old
        .iter()
        .filter(|(name, value)| {
            new.iter().any(|(other, now)| {
                other == name
                    && close(value).schema.to_canonical() != close(now).schema.to_canonical()
            })
        })
        .map(|(name, _)| *name)
        .collect();
    let (was, is) = (required(before), required(after));
    let needed: Vec<&str> = is.iter().copied().filter(|name| !was.contains(name)).collect();
    let optional: Vec<&str> =
        was.iter().copied().filter(|name| !is.contains(name) && has(&new, name)).collect();
    let parts: Vec<String> = [
        named("new argument", added),
        named("argument removed:", removed),
        named("argument changed:", changed),
        named("now requires", needed),
        named("no longer requires", optional),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() { "arguments changed".to_owned() } else { parts.join("; ") }
}

fn list(names: &[&str]) -> String {
    const MOST: usize = 5;
    let mut text: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST {
        text.push(format!("{} more", names.len() - MOST));
    }
    text.join(", ")
}

fn properties<'v>(schema: &'v Value<'_>) -> Vec<(&'v str, &'v Value<'v>)> {
    match schema.member("properties") {
        Some(Value::Object(all)) => {
            all.members().iter().map(|member| (&*member.name, &member.value)).collect()
        }
        _ => Vec::new(),
    }
}

fn required<'v>(schema: &'v Value<'_>) -> Vec<&'v str> {
    let Some(Value::Array(items)) = schema.member("required") else { return Vec::new() };
    let mut names: Vec<&str> = items
        .iter()
        .filter_map(|item| match item {
            Value::String(text) => Some(&**text),
            _ => None,
        })
        .collect();
    names.sort_unstable_by(|a, b| compare_utf16(a, b));
    names
}
