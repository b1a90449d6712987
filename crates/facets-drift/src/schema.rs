//! Whether two schemas accept the same arguments (spec 7.3).

use facets_digest::json::{Object, Value, compare_utf16, write_list, write_string};

/// What the comparison of two schemas shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaVerdict {
    /// Both accept the same: equal but for order and words.
    Equivalent,
    /// Nobody can tell.
    CannotTell,
}

/// Compares two schemas by their normal forms.
#[must_use]
pub fn compare_schemas(before: &Value<'_>, after: &Value<'_>) -> SchemaVerdict {
    if normal_form(before) == normal_form(after) && !leads_astray(before) {
        SchemaVerdict::Equivalent
    } else {
        SchemaVerdict::CannotTell
    }
}

/// Whether a reference leads to what the normal form leaves out or sorts.
fn leads_astray(value: &Value<'_>) -> bool {
    let known = |target: &str| {
        let Some(path) = target.strip_prefix('#') else { return false };
        let mut parts = path.split('/').skip(1);
        loop {
            match (parts.next(), parts.next()) {
                (None, _) => return true,
                (Some("$defs" | "definitions" | "properties"), Some(_)) => {}
                _ => return false,
            }
        }
    };
    match value {
        Value::Array(items) => items.iter().any(leads_astray),
        Value::Object(object) => object.members().iter().any(|member| match &member.value {
            Value::String(target) if ["$ref", "$dynamicRef"].contains(&&*member.name) => {
                !known(target)
            }
            value => leads_astray(value),
        }),
        _ => false,
    }
}

/// Keywords that say something to readers and nothing to validators.
pub(crate) const WORDS: &[&str] = &["$comment", "deprecated", "description", "examples", "title"];

/// Keywords that hold schemas by name, in a list, or one.
const MAPS: &[&str] = &[
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];
const LISTS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];
const ONES: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose lists are sets.
const SETS: &[&str] = &["enum", "required", "type"];

fn normal_form(schema: &Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    write_normal(schema, &mut out);
    out
}

fn write_normal(schema: &Value<'_>, out: &mut Vec<u8>) {
    let Value::Object(object) = schema else { return schema.write_canonical(out) };
    let members: Vec<(&str, Vec<u8>)> = object
        .members()
        .iter()
        .filter(|member| !WORDS.contains(&&*member.name))
        .filter_map(|member| Some((&*member.name, normal_member(&member.name, &member.value)?)))
        .collect();
    write_list(['{', '}'], &members, out, |(name, form), out| {
        write_string(name, out);
        out.push(b':');
        out.extend_from_slice(form);
    });
}

/// A member in its normal form; nothing if it says nothing.
fn normal_member(keyword: &str, value: &Value<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    match value {
        Value::Object(schemas) if MAPS.contains(&keyword) => write_map(schemas, &mut out),
        Value::Array(schemas) if LISTS.contains(&keyword) => {
            write_list(['[', ']'], schemas, &mut out, write_normal);
        }
        Value::Array(schemas) if keyword == "items" => {
            write_list(['[', ']'], schemas, &mut out, write_normal);
        }
        Value::Array(items) if SETS.contains(&keyword) => {
            if items.is_empty() && keyword == "required" {
                return None;
            }
            write_set(items, keyword == "type", &mut out);
        }
        schema if ONES.contains(&keyword) => write_normal(schema, &mut out),
        other => other.write_canonical(&mut out),
    }
    Some(out)
}

fn write_map(schemas: &Object<'_>, out: &mut Vec<u8>) {
    write_list(['{', '}'], schemas.members(), out, |member, out| {
        write_string(&member.name, out);
        out.push(b':');
        write_normal(&member.value, out);
    });
}

/// Sorted, without twins; a type alone is not in a list.
fn write_set(items: &[Value<'_>], unwrap_one: bool, out: &mut Vec<u8>) {
    let mut forms: Vec<Vec<u8>> = items.iter().map(Value::to_canonical).collect();
    forms.sort_unstable();
    forms.dedup();
    match forms.as_slice() {
        [one] if unwrap_one => out.extend_from_slice(one),
        all => write_list(['[', ']'], all, out, |form, out| out.extend_from_slice(form)),
    }
}

/// What became of the arguments at the top of a schema, in words.
pub(crate) fn describe(before: Option<&Value<'_>>, after: Option<&Value<'_>>) -> String {
    let (Some(before), Some(after)) = (before, after) else {
        let gone = "has no schema any more: it takes anything";
        return if before.is_some() { gone } else { "has a schema now" }.to_owned();
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
                other == name && compare_schemas(value, now) != SchemaVerdict::Equivalent
            })
        })
        .map(|(name, _)| *name)
        .collect();
    let (was, is) = (required(before), required(after));
    let needed: Vec<&str> = is.iter().copied().filter(|name| !was.contains(name)).collect();
    let optional: Vec<&str> =
        was.iter().copied().filter(|name| !is.contains(name) && has(&new, name)).collect();
    let parts: Vec<String> = [
        named("takes the new argument", added),
        named("takes no more the argument", removed),
        named("takes something else as", changed),
        named("now needs", needed),
        named("no longer needs", optional),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() { "may accept other arguments".to_owned() } else { parts.join("; ") }
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
    match member(schema, "properties") {
        Some(Value::Object(all)) => {
            all.members().iter().map(|member| (&*member.name, &member.value)).collect()
        }
        _ => Vec::new(),
    }
}

fn required<'v>(schema: &'v Value<'_>) -> Vec<&'v str> {
    let Some(Value::Array(items)) = member(schema, "required") else { return Vec::new() };
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

pub(crate) fn member<'v>(value: &'v Value<'_>, name: &str) -> Option<&'v Value<'v>> {
    match value {
        Value::Object(object) => object.get(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use facets_digest::json::{self, Limits, Origin};

    use super::*;

    fn verdict(before: &str, after: &str) -> SchemaVerdict {
        let parse = |text| json::parse(text, Origin::Captured, Limits::DEFINITION).expect("JSON");
        compare_schemas(&parse(before.as_bytes()), &parse(after.as_bytes()))
    }

    #[test]
    fn words_and_order_change_nothing() {
        let same = [
            (
                r#"{"type":"object","required":["b","a"]}"#,
                r#"{"required":["a","b"],"type":"object"}"#,
            ),
            (r#"{"type":["string"]}"#, r#"{"type":"string"}"#),
            (r#"{"enum":["a","b"]}"#, r#"{"enum":["b","a"]}"#),
            (r#"{"required":[]}"#, "{}"),
            (r#"{"maximum":5}"#, r#"{"maximum":5.0}"#),
            (
                r#"{"properties":{"a":{"type":"string","description":"x"}}}"#,
                r#"{"properties":{"a":{"description":"y","type":"string","title":"t"}}}"#,
            ),
        ];
        for (before, after) in same {
            assert_eq!(verdict(before, after), SchemaVerdict::Equivalent, "{before} {after}");
        }
    }

    #[test]
    fn a_property_that_is_called_like_a_word_counts() {
        let different = [
            (r#"{"properties":{"description":{"type":"string"}}}"#, r#"{"properties":{}}"#),
            (r#"{"properties":{"a":{}}}"#, r#"{"properties":{"a":{},"b":{}}}"#),
            (
                r##"{"$ref":"#/examples/0","examples":[{"maxLength":5}]}"##,
                r##"{"$ref":"#/examples/0","examples":[{"maxLength":50}]}"##,
            ),
            (r#"{"const":{"title":"a"}}"#, r#"{"const":{"title":"b"}}"#),
            (r#"{"default":"a"}"#, r#"{"default":"b"}"#),
            (
                r#"{"prefixItems":[{},{"type":"string"}]}"#,
                r#"{"prefixItems":[{"type":"string"},{}]}"#,
            ),
            ("true", "{}"),
        ];
        for (before, after) in different {
            assert_eq!(verdict(before, after), SchemaVerdict::CannotTell, "{before} {after}");
        }
    }
}
