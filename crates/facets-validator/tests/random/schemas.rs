//! Schemas at random, and small changes to them.

use facets_testkit::Random;
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["a", "b", "c", "x-1"];
const PATTERNS: [&str; 9] =
    ["^a", "b$", "^[ab]*$", "^.$", "^x-", "a|b", "^(ab|ba)+$", "^\\d{1,2}$", "^(?!a)"];

/// A schema with two definitions that it may refer to.
pub(crate) fn document(random: &mut Random) -> Value {
    let mut schema = object(random, 3);
    let definitions = json!({ "A": schema_at(random, 2), "B": schema_at(random, 2) });
    schema.insert("$defs".to_owned(), definitions);
    if random.one_in(6) {
        schema.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    }
    Value::Object(schema)
}

pub(crate) fn schema_at(random: &mut Random, depth: usize) -> Value {
    match random.below(14) {
        0 => json!(random.one_in(2)),
        1 => json!({ "$ref": random.pick(&["#/$defs/A", "#/$defs/B", "#"]) }),
        _ => Value::Object(object(random, depth)),
    }
}

fn object(random: &mut Random, depth: usize) -> Map<String, Value> {
    let mut schema = Map::new();
    if !random.one_in(4) {
        schema.insert("type".to_owned(), types(random));
    }
    for _ in 0..random.below(4) {
        let (name, value) = keyword(random, depth);
        schema.insert(name.to_owned(), value);
    }
    schema
}

fn types(random: &mut Random) -> Value {
    const ALL: [&str; 7] = ["object", "string", "integer", "number", "array", "boolean", "null"];
    if random.one_in(3) {
        let (first, second) = (random.pick(&ALL), random.pick(&ALL));
        if first != second {
            return json!([first, second]);
        }
    }
    // Objects are what arguments are made of.
    if random.one_in(3) { json!("object") } else { json!(random.pick(&ALL)) }
}

/// A value that schemas of this test can tell from others.
pub(crate) fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 8 } else { 12 }) {
        0 => Value::Null,
        1 => json!(random.one_in(2)),
        2 | 3 => json!(i64::try_from(random.below(9)).unwrap() - 3),
        4 => json!(random.pick(&[0.5, 1.5, -0.5, 2.25, 0.1, 0.3])),
        5..=7 => json!(random.pick(&[
            "", "a", "b", "ab", "ba", "aa", "abab", "x", "x-1", "c", "0", "12", "123", "xyz", "é",
        ])),
        8 | 9 => {
            let items = (0..random.below(4)).map(|_| value(random, depth - 1));
            Value::Array(items.collect())
        }
        _ => {
            let members = (0..random.below(4)).map(|_| {
                let name = random.pick(&["a", "b", "c", "x-1", "d", "ab"]);
                (name.to_owned(), value(random, depth - 1))
            });
            Value::Object(members.collect())
        }
    }
}

fn keyword(random: &mut Random, depth: usize) -> (&'static str, Value) {
    if depth == 0 || random.one_in(2) {
        return plain_keyword(random);
    }
    let below = depth - 1;
    let some = |random: &mut Random| {
        let count = 1 + random.below(3);
        Value::Array((0..count).map(|_| schema_at(random, below)).collect())
    };
    match random.below(19) {
        0..=4 => ("properties", by_name(random, &NAMES, below)),
        5 => ("additionalProperties", schema_at(random, below)),
        6 => ("patternProperties", by_name(random, &PATTERNS[..7], below)),
        7 => ("propertyNames", schema_at(random, 0)),
        8 => ("items", schema_at(random, below)),
        9 => ("prefixItems", some(random)),
        10 => ("contains", schema_at(random, below)),
        11 | 12 => ("anyOf", some(random)),
        13 => ("oneOf", some(random)),
        14 => ("allOf", some(random)),
        15 => ("not", schema_at(random, below)),
        16 => ("if", schema_at(random, below)),
        17 => (random.pick(&["then", "else"]), schema_at(random, below)),
        _ => ("dependentSchemas", by_name(random, &NAMES, below)),
    }
}

fn by_name(random: &mut Random, names: &[&str], depth: usize) -> Value {
    let count = random.below(4);
    let members = (0..count).map(|_| (random.pick(names).to_owned(), schema_at(random, depth)));
    Value::Object(members.collect())
}

fn plain_keyword(random: &mut Random) -> (&'static str, Value) {
    let count = json!(random.below(4));
    let number = json!(i64::try_from(random.below(7)).unwrap() - 2);
    match random.below(18) {
        0 => ("minimum", number),
        1 => ("maximum", number),
        2 => ("exclusiveMinimum", number),
        3 => ("exclusiveMaximum", number),
        4 => ("multipleOf", random.pick(&[1.0, 2.0, 3.0, 0.5, 1.5]).into()),
        5 => ("minLength", count),
        6 => ("maxLength", count),
        7 => ("pattern", json!(random.pick(&PATTERNS))),
        8 => ("minItems", count),
        9 => ("maxItems", count),
        10 => ("uniqueItems", json!(random.one_in(2))),
        11 => ("minProperties", count),
        12 => ("maxProperties", count),
        13 => ("required", json!(names(random))),
        14 => ("dependentRequired", json!({ random.pick(&NAMES): names(random) })),
        15 => ("const", value(random, 1)),
        16 => (random.pick(&["minContains", "maxContains"]), count),
        _ => ("enum", Value::Array((0..=random.below(4)).map(|_| value(random, 1)).collect())),
    }
}

fn names(random: &mut Random) -> Vec<&'static str> {
    let mut names: Vec<&str> = (0..random.below(3)).map(|_| random.pick(&NAMES)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The same schema with one thing changed somewhere.
pub(crate) fn changed(random: &mut Random, schema: &Value, depth: usize) -> Value {
    let Value::Object(members) = schema else { return schema_at(random, depth.min(2)) };
    let mut members = members.clone();
    let inner: Vec<String> = members
        .iter()
        .filter(|(_, value)| value.is_object() || value.is_array())
        .map(|(name, _)| name.clone())
        .collect();
    if !inner.is_empty() && !random.one_in(3) {
        let name = &inner[random.below(inner.len())];
        let value = changed_inside(random, name, &members[name], depth);
        members.insert(name.clone(), value);
        return Value::Object(members);
    }
    let own: Vec<String> = members.keys().filter(|name| !name.starts_with('$')).cloned().collect();
    match random.below(5) {
        0 if !own.is_empty() => {
            members.remove(&own[random.below(own.len())]);
        }
        1 => {
            return json!({ "allOf": [schema_without_frame(schema)], "$defs": schema.get("$defs").cloned().unwrap_or(json!({})) });
        }
        2 if members.contains_key("anyOf") => {
            let value = members.remove("anyOf").unwrap();
            members.insert("oneOf".to_owned(), value);
        }
        _ => {
            let (name, value) = keyword(random, depth.min(1));
            members.insert(name.to_owned(), value);
        }
    }
    Value::Object(members)
}

fn schema_without_frame(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(members) = &mut schema {
        members.remove("$defs");
        members.remove("$schema");
    }
    schema
}

fn changed_inside(random: &mut Random, name: &str, value: &Value, depth: usize) -> Value {
    const MAPS: [&str; 4] = ["properties", "patternProperties", "$defs", "dependentSchemas"];
    let below = depth.saturating_sub(1);
    match value {
        Value::Object(members) if MAPS.contains(&name) => {
            let mut members = members.clone();
            let keys: Vec<String> = members.keys().cloned().collect();
            if keys.is_empty() || (name == "properties" && random.one_in(4)) {
                let value = schema_at(random, below);
                members.insert(random.pick(&NAMES).to_owned(), value);
            } else {
                let key = &keys[random.below(keys.len())];
                let value = changed(random, &members[key], below);
                members.insert(key.clone(), value);
            }
            Value::Object(members)
        }
        Value::Array(items) if ["allOf", "anyOf", "oneOf", "prefixItems"].contains(&name) => {
            let mut items = items.clone();
            let index = random.below(items.len());
            if random.one_in(4) {
                items.push(schema_at(random, below));
            } else {
                items[index] = changed(random, &items[index], below);
            }
            Value::Array(items)
        }
        Value::Object(_) if name == "dependentRequired" || name == "const" => value.clone(),
        Value::Array(items) => {
            let mut items = items.clone();
            items.reverse();
            items.dedup();
            Value::Array(items)
        }
        schema => changed(random, schema, below),
    }
}

/// A value that a schema is likely to accept, or just not to.
pub(crate) fn guided(random: &mut Random, schema: &Value, root: &Value, depth: usize) -> Value {
    if depth == 0 || random.one_in(8) {
        return value(random, depth.min(2));
    }
    if let Some(target) = schema["$ref"].as_str() {
        let found = root.pointer(target.trim_start_matches('#')).unwrap_or(root);
        return guided(random, found, root, depth - 1);
    }
    for keyword in ["const", "enum", "anyOf", "oneOf", "allOf", "then", "else"] {
        let part = &schema[keyword];
        if part.is_null() || random.one_in(2) {
            continue;
        }
        let part = match part {
            Value::Array(parts) if parts.is_empty() => continue,
            Value::Array(parts) => &parts[random.below(parts.len())],
            one => one,
        };
        return match keyword {
            "const" | "enum" => part.clone(),
            _ => guided(random, part, root, depth - 1),
        };
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[random.below(kinds.len())].as_str().unwrap_or_default(),
        Value::String(kind) => kind,
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() || schema.get("prefixItems").is_some() => "array",
        _ => return value(random, 2),
    };
    match kind {
        "object" => guided_object(random, schema, root, depth),
        "array" => {
            let places = schema["prefixItems"].as_array().map_or(0, Vec::len);
            let count = random.below(4).max(places * random.below(2));
            let item = |index: usize| match schema["prefixItems"].get(index) {
                Some(item) => item,
                None => &schema["items"],
            };
            (0..count).map(|index| guided(random, item(index), root, depth - 1)).collect()
        }
        "string" => json!(random.pick(&["", "a", "b", "ab", "ba", "abab", "x-1", "12", "xyz"])),
        "integer" => json!(i64::try_from(random.below(9)).unwrap() - 3),
        "number" => json!(random.pick(&[0.5, 1.5, 3.0, -1.0, 4.5, 2.25])),
        "boolean" => json!(random.one_in(2)),
        _ => Value::Null,
    }
}

fn guided_object(random: &mut Random, schema: &Value, root: &Value, depth: usize) -> Value {
    let mut members = Map::new();
    for name in NAMES.iter().chain(&["d", "ab"]) {
        let required = schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
        let declared = schema["properties"].get(*name);
        let chance = if required {
            10
        } else if declared.is_some() {
            2
        } else {
            1
        };
        if random.below(11) < chance * 2 - 1 {
            let part = declared.unwrap_or(&schema["additionalProperties"]);
            members.insert((*name).to_owned(), guided(random, part, root, depth - 1));
        }
    }
    Value::Object(members)
}
