//! Arguments of calls, against approved schemas.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;

use facets_digest::json::{self, Limits, Provenance};
use facets_validator::ArgumentSchemas;

/// Why arguments are refused by schemas, of which one has to accept them.
fn refusal(schemas: &[&str], arguments: &str) -> Option<String> {
    let mut known = ArgumentSchemas::default();
    for schema in schemas {
        let schema = json::parse(schema.as_bytes(), Provenance::Captured, Limits::DEFINITION);
        known.add("t", Some(&schema.unwrap()));
    }
    known.refuse("t", arguments)
}

const FILES: &str = r#"{"type":"object","properties":{"path":{"type":"string","maxLength":9},"depth":{"type":"integer","minimum":0},"in":{"type":"object","properties":{"a":{}}}},"required":["path"]}"#;

#[test]
fn arguments_that_are_declared_are_accepted() {
    for arguments in [
        r#"{"path":"a"}"#,
        r#"{"path":"a","depth":1}"#,
        r#"{"path":"a","depth":1.0,"in":{"a":[1,{}]}}"#,
        r#"{"path":"\u00fc"}"#,
    ] {
        assert_eq!(refusal(&[FILES], arguments), None, "{arguments}");
    }
}

#[test]
fn a_refusal_names_the_place_and_the_demand() {
    for (arguments, words) in [
        ("{}", "path"),
        (r#"{"path":"a","follow":true}"#, "follow"),
        (r#"{"path":"a","depth":-1}"#, "/depth"),
        (r#"{"path":"a","depth":1.5}"#, "/depth"),
        (r#"{"path":"a","in":{"b":1}}"#, "'b'"),
        (r#"{"path":"0123456789"}"#, "/path"),
        (r#"{"Path":"a","path":"a"}"#, "Path"),
        ("[]", "object"),
        ("null", "object"),
        (r#"{"path":"a","path":"b"}"#, "invalid JSON"),
        (r#"{"path":"\ud800"}"#, "invalid JSON"),
        (r#"{"path":"#, "invalid JSON"),
    ] {
        let reason = refusal(&[FILES], arguments);
        let reason = reason.unwrap_or_else(|| format!("accepted: {arguments}"));
        assert!(reason.contains(words) && !reason.contains("accepted"), "{arguments}: {reason}");
        assert!(reason.chars().count() <= 300, "{reason}");
    }
}

#[test]
fn one_of_several_approved_schemas_is_enough() {
    let text = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;
    assert_eq!(refusal(&[FILES, text], r#"{"text":"x"}"#), None);
    assert_eq!(refusal(&[FILES, text], r#"{"path":"x"}"#), None);
    assert!(refusal(&[FILES, text], r#"{"path":"x","text":"x"}"#).is_some());
}

#[test]
fn what_cannot_be_judged_is_refused() {
    assert!(refusal(&[], "{}").unwrap().contains("no approved schema"));
    let far = r#"{"$ref":"https://example.com/schema.json"}"#;
    assert!(refusal(&[far], "{}").unwrap().contains("cannot be used"));
    let dialect = r#"{"$schema":"https://example.com/dialect","type":"object"}"#;
    assert!(refusal(&[dialect], "{}").unwrap().contains("cannot be used"));
    // A schema that doubles what there is to do at every step.
    let mut definitions = r#""a0":{"type":"object"}"#.to_owned();
    for step in 1..40 {
        let before = step - 1;
        let _ = write!(
            definitions,
            r##","a{step}":{{"allOf":[{{"$ref":"#/$defs/a{before}"}},{{"$ref":"#/$defs/a{before}"}}]}}"##
        );
    }
    let doubling = format!(r##"{{"$defs":{{{definitions}}},"$ref":"#/$defs/a39"}}"##);
    assert!(refusal(&[&doubling], "{}").unwrap().contains("cannot be used"));
    let many = format!(r#"{{"path":"a","in":{{"a":[{}0]}}}}"#, "0,".repeat(1_100_000));
    assert!(refusal(&[FILES], &many).is_some());
}

#[test]
fn a_tool_without_a_schema_takes_any_arguments() {
    let mut known = ArgumentSchemas::default();
    known.add("t", None);
    assert_eq!(known.refuse("t", r#"{"x":1}"#), None);
    assert!(known.refuse("t", r#"{"x":1,"x":2}"#).is_some());
    assert!(refusal(&["false"], "{}").is_some());
}
