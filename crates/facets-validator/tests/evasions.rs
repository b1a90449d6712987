//! Ways to make a wider schema look like the old one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::json::{self, Limits, Provenance};
use facets_schema::{Domain, SchemaChange, Verdict, compare_schemas};
use facets_validator::JsonSchema;
use serde_json::{Map, Value, json};

fn compare(before: &Value, after: &Value) -> SchemaChange {
    let (before, after) = (before.to_string(), after.to_string());
    let before = json::parse(before.as_bytes(), Provenance::Captured, Limits::DEFINITION).unwrap();
    let after = json::parse(after.as_bytes(), Provenance::Captured, Limits::DEFINITION).unwrap();
    compare_schemas(&before, &after, Domain::Arguments, &JsonSchema::default())
}

/// Neither the same nor less, unless the new argument is told.
fn is_noticed(before: &Value, after: &Value) {
    let change = compare(before, after);
    let harmless = matches!(change.verdict, Verdict::Equivalent | Verdict::Narrower);
    assert!(!harmless || !change.new_arguments.is_empty(), "{change:?}\n{before}\n{after}");
}

type Document = fn(&Value) -> Value;

#[test]
fn what_a_reference_leads_to_counts() {
    let narrow = json!({ "enum": ["ls"] });
    let wide = json!({ "type": "string" });
    let documents: &[Document] = &[
        |v| {
            json!({ "type": "object", "properties": { "a": { "$ref": "#q" } },
            "$defs": { "n": { "$anchor": "q", "allOf": [v] } } })
        },
        |v| {
            json!({ "type": "object", "properties": { "a": { "$dynamicRef": "#q" } },
            "$defs": { "n": { "$dynamicAnchor": "q", "allOf": [v] } } })
        },
        |v| {
            json!({ "type": "object", "properties": { "a": { "$ref": "other" } },
            "$defs": { "n": { "$id": "other", "allOf": [v] } } })
        },
        |v| {
            json!({ "$id": "https://e.com/s", "type": "object",
            "properties": { "a": { "$ref": "https://e.com/s#/$defs/n" } }, "$defs": { "n": v } })
        },
        |v| {
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": { "a": { "$ref": "#foo" } },
            "definitions": { "n": { "$id": "#foo", "allOf": [v] } } })
        },
        |v| {
            json!({ "type": "object", "dependencies": { "a": ["b"] }, "dependentRequired": {},
            "properties": { "x": { "$ref": "#/$defs/n" } }, "$defs": { "n": v } })
        },
        |v| {
            json!({ "type": "object", "items": [], "prefixItems": [],
            "properties": { "x": { "$ref": "#/$defs/n" } }, "$defs": { "n": v } })
        },
        |v| {
            json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
            "properties": { "x": { "$ref": "#/$defs/99" } }, "$defs": { "99": v } })
        },
    ];
    for document in documents {
        is_noticed(&document(&narrow), &document(&wide));
    }
    let wrapped = json!({ "type": "object", "properties": { "a": { "allOf": [{ "$dynamicRef": "#q" }] } },
        "$defs": { "n": { "$dynamicAnchor": "q", "allOf": [wide] } } });
    is_noticed(&documents[1](&narrow), &wrapped);
}

#[test]
fn another_dialect_is_another_meaning() {
    let with = |schema: &Value, dialect: &str| {
        let mut schema = schema.clone();
        schema["$schema"] = json!(dialect);
        schema
    };
    let items = json!({ "type": "object", "properties": { "a": { "type": "array", "minItems": 1,
        "maxItems": 1, "prefixItems": [{ "enum": ["ls"] }] } } });
    is_noticed(&items, &with(&items, "https://json-schema.org/draft/2019-09/schema"));
    is_noticed(&items, &with(&items, "http://json-schema.org/draft-07/schema#"));
    let then = json!({ "type": "object", "properties": { "a": {} },
        "if": { "required": ["a"] }, "then": { "properties": { "a": { "const": 1 } } } });
    is_noticed(
        &with(&then, "http://json-schema.org/draft-07/schema#"),
        &with(&then, "http://json-schema.org/draft-06/schema#"),
    );
    let needs = json!({ "type": "object", "properties": { "a": {}, "b": {} },
        "dependencies": { "a": ["b"] } });
    is_noticed(&with(&needs, "http://json-schema.org/draft-07/schema#"), &needs);
}

#[test]
fn giving_up_on_a_pattern_proves_nothing() {
    for (text, pattern) in [
        ("aaaaaaaaaaaaaaaaa", "^(?!((?=a)a+)+b)"),
        ("aaaaaaaaaaaaaaaaaaaaaaaa", "^(?!(?:(a+)\\1?)+b)"),
    ] {
        let old = json!({ "type": "object", "properties": { "a": { "enum": ["x"] } } });
        let new = json!({ "type": "object", "properties": { "a": { "anyOf": [
            { "enum": ["x"] }, { "enum": [text], "pattern": pattern }] } } });
        is_noticed(&old, &new);
    }
}

#[test]
fn an_argument_that_is_named_anywhere_is_new() {
    let open = json!({ "type": "object" });
    let namings = [
        json!({ "patternProperties": { "^ssh_private_key$": {} } }),
        json!({ "anyOf": [{ "required": ["ssh_private_key"] }, {}] }),
        json!({ "anyOf": [{ "propertyNames": { "enum": ["ssh_private_key", "a"] } }, {}] }),
        json!({ "not": { "not": { "properties": { "ssh_private_key": {} } } } }),
        json!({ "required": ["ssh_private_key"] }),
        json!({ "dependentRequired": { "a": ["ssh_private_key"] } }),
    ];
    for naming in namings {
        let mut named = naming.clone();
        named["type"] = json!("object");
        let change = compare(&open, &named);
        assert!(!change.new_arguments.is_empty(), "{change:?}\n{naming}");
    }
}

#[test]
fn nothing_is_lost_in_a_large_schema() {
    let mut definitions = Map::new();
    for level in 0..16 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        definitions.insert(
            format!("d{level}"),
            json!({ "type": "object",
            "additionalProperties": true, "properties": { "a": next, "b": next } }),
        );
    }
    definitions.insert("d16".to_owned(), json!({ "type": "string" }));
    let document = |properties: &Value| {
        json!({ "type": "object", "additionalProperties": true, "properties": {
            "a": { "$ref": "#/$defs/d0" },
            "z": { "type": "object", "additionalProperties": true, "properties": properties } },
            "$defs": definitions })
    };
    is_noticed(&document(&json!({})), &document(&json!({ "exec": {} })));
}

#[test]
fn what_nothing_refers_to_is_read_too() {
    let plain = json!({ "type": "object", "propertyNames": { "pattern": "^a" } });
    let mut noted = plain.clone();
    noted["propertyNames"]["x-instructions"] = json!("Do this first");
    assert!(!compare(&plain, &noted).other_notes.is_empty());
    let mut unused = plain.clone();
    unused["$defs"] = json!({ "Q": { "default": "everything" } });
    assert!(!compare(&plain, &unused).other_notes.is_empty());
}

#[test]
fn a_schema_that_asks_about_itself_ends() {
    let old = json!({ "type": "object", "properties": { "b": { "$ref": "#/$defs/m" } }, "$defs": { "m": {} } });
    let mut new = old.clone();
    new["$defs"]["m"] =
        json!({ "anyOf": [{ "$ref": "#/$defs/m", "unevaluatedProperties": false }] });
    is_noticed(&old, &new);
    let mut nested = json!({ "properties": { "a": { "type": "string" } } });
    for level in 0..30 {
        nested = json!({ "properties": { format!("p{level}"): {} }, "anyOf": [nested],
            "unevaluatedProperties": false });
    }
    let _ = compare(&json!({ "type": "object" }), &nested);
}
