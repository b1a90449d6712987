//! Verdicts on schemas at random: no value may contradict one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod jsoncompat;
mod schemas;

use std::collections::BTreeMap;

use facets_digest::json::{self, Limits, Provenance};
use facets_schema::{Domain, SchemaChange, Validator, Verdict, closed_copy, compare_schemas};
use facets_testkit::{Random, long_count};
use facets_validator::JsonSchema;
use serde_json::Value;

use schemas::{changed, document, guided, value};

/// What validators say about the same value.
struct Sides {
    old: String,
    new: String,
    validator: JsonSchema,
}

impl Sides {
    fn accept(&self, instance: &str) -> Option<(bool, bool)> {
        let old = self.validator.accepts(&self.old, instance)?;
        Some((old, self.validator.accepts(&self.new, instance)?))
    }
}

fn compare(before: &str, after: &str) -> (SchemaChange, Sides) {
    let before = json::parse(before.as_bytes(), Provenance::Captured, Limits::DEFINITION).unwrap();
    let after = json::parse(after.as_bytes(), Provenance::Captured, Limits::DEFINITION).unwrap();
    let validator = JsonSchema::default();
    let change = compare_schemas(&before, &after, Domain::Anything, &validator);
    (change, Sides { old: closed_copy(&before), new: closed_copy(&after), validator })
}

/// A schema, and one that is mostly the same.
fn pair(random: &mut Random) -> (Value, Value) {
    let old = document(random);
    let mut new = if random.one_in(6) { document(random) } else { old.clone() };
    for _ in 0..=random.below(4) {
        new = changed(random, &new, 3);
    }
    (old, new)
}

/// Whether a value contradicts a verdict.
fn contradicts(verdict: Verdict, (old, new): (bool, bool)) -> bool {
    match verdict {
        Verdict::Equivalent => old != new,
        Verdict::Narrower => new && !old,
        Verdict::Wider => old && !new,
        Verdict::Incomparable | Verdict::CannotTell => false,
    }
}

fn shown_examples_hold(change: &SchemaChange, sides: &Sides) -> bool {
    let holds = |example: &Option<facets_schema::Instance>, expected| {
        example.as_ref().is_none_or(|value| sides.accept(&value.to_json()) == Some(expected))
    };
    holds(&change.gained, (false, true)) && holds(&change.lost, (true, false))
}

#[test]
fn no_value_contradicts_a_verdict() {
    const VALUES: usize = 50;
    let mut random = Random::seeded(7);
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut checks = 0;
    let most = long_count(1_000_000);
    while checks < most {
        let (old, new) = pair(&mut random);
        let (before, after) = (old.to_string(), new.to_string());
        let (change, sides) = compare(&before, &after);
        *verdicts.entry(change.verdict.name()).or_default() += 1;
        if let Some(keyword) = &change.keyword {
            *reasons.entry(keyword.clone()).or_default() += 1;
        }
        assert!(shown_examples_hold(&change, &sides), "{change:?}\n{before}\n{after}");
        for _ in 0..VALUES {
            let instance: Value = match random.below(3) {
                0 => value(&mut random, 3),
                1 => guided(&mut random, &old, &old, 5),
                _ => guided(&mut random, &new, &new, 5),
            };
            let text = instance.to_string();
            checks += 1;
            let Some(answer) = sides.accept(&text) else { break };
            assert!(
                !contradicts(change.verdict, answer),
                "{text} is (before, after) {answer:?}, but {change:?}\n{before}\n{after}"
            );
        }
    }
    println!("{checks} values, {verdicts:?} {reasons:?}");
    let pairs: usize = verdicts.values().sum();
    let untold = verdicts.get("cannot_tell").copied().unwrap_or_default();
    assert!(untold * 4 < pairs, "{untold} of {pairs} cannot be told");
}
