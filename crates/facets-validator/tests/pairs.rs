//! Pairs of schemas with the verdict that is right.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::json::{self, Limits, Provenance, Value};
use facets_schema::{Domain, SchemaChange, Verdict, compare_schemas};
use facets_validator::JsonSchema;

fn parse(text: &str) -> Value<'_> {
    json::parse(text.as_bytes(), Provenance::Captured, Limits::DEFINITION)
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn compare(before: &str, after: &str) -> SchemaChange {
    compare_schemas(&parse(before), &parse(after), Domain::Anything, &JsonSchema::default())
}

/// What is right, the schema before, the schema after.
fn pairs() -> Vec<(&'static str, &'static str, &'static str)> {
    let lines = include_str!("../testdata/pairs.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut columns = line.splitn(3, " | ").map(str::trim);
            let mut next = || columns.next().expect(line);
            (next(), next(), next())
        })
        .collect()
}

#[test]
fn every_pair_has_the_verdict_that_is_right() {
    let pairs = pairs();
    assert!(pairs.len() >= 120, "{}", pairs.len());
    let mut wrong = Vec::new();
    for (right, before, after) in &pairs {
        let change = compare(before, after);
        if change.verdict.name() != *right {
            wrong.push(format!("{right}, not {change:?}:\n  {before}\n  {after}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), pairs.len(), wrong.join("\n"));
    let untold = pairs.iter().filter(|(right, ..)| *right == "cannot_tell").count();
    assert!(untold <= 10, "{untold} cannot be told");
}

#[test]
fn the_other_way_round_the_verdict_is_the_other() {
    for (right, before, after) in pairs() {
        let other = match right {
            "narrower" => "wider",
            "wider" => "narrower",
            same => same,
        };
        assert_eq!(compare(after, before).verdict.name(), other, "{after} | {before}");
    }
}

#[test]
fn nothing_changes_against_itself() {
    for (_, before, after) in pairs() {
        for schema in [before, after] {
            assert_eq!(compare(schema, schema).verdict, Verdict::Equivalent, "{schema}");
        }
    }
}
