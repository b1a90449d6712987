//! Proving what became of a schema.

use std::fmt::Write as _;
use std::hint::black_box;

use facets_digest::json::{self, Limits, Provenance, Value};
use facets_schema::{Domain, Validator, closed_copy, compare_schemas};
use facets_validator::JsonSchema;

use crate::{Target, ratios, report};

pub(crate) fn measure(runs: usize) {
    changed(runs);
    growth(runs);
}

/// A schema of so many arguments, as servers have them; the last has a bound.
fn schema(arguments: usize, bound: usize) -> String {
    let mut properties = String::new();
    for n in 0..arguments {
        let _ = match n % 4 {
            0 => write!(properties, r#""a{n}":{{"type":"string","minLength":1}},"#),
            1 => write!(
                properties,
                r#""a{n}":{{"anyOf":[{{"type":"integer"}},{{"type":"null"}}]}},"#
            ),
            2 => write!(properties, r#""a{n}":{{"enum":["first","second","third"]}},"#),
            _ => write!(properties, r#""a{n}":{{"type":"array","items":{{"type":"string"}}}},"#),
        };
    }
    format!(
        r#"{{"type":"object","properties":{{{properties}"last":{{"type":"integer","minimum":1,"maximum":{bound}}}}},"required":["a0"]}}"#
    )
}

fn parse(text: &str) -> Value<'_> {
    json::parse(text.as_bytes(), Provenance::Captured, Limits::DEFINITION).unwrap_or(Value::Null)
}

fn compare(before: &str, after: &str) {
    let (before, after) = (parse(before), parse(after));
    black_box(compare_schemas(&before, &after, Domain::Arguments, &JsonSchema::default()));
}

/// The proof, both examples and their confirmation, beside the confirmation alone.
fn changed(runs: usize) {
    let (before, after) = (schema(10, 10), schema(10, 20));
    let (old, new) = (closed_copy(&parse(&before)), closed_copy(&parse(&after)));
    let validate = || {
        for _ in 0..100 {
            let validator = JsonSchema::default();
            black_box(validator.accepts(&old, r#"{"a0":"x","last":11}"#));
            black_box(validator.accepts(&new, r#"{"a0":"x","last":11}"#));
        }
    };
    let prove = || (0..100).for_each(|_| compare(&before, &after));
    let what = "time of proving what became of a schema of ten arguments, with an example";
    let all = ratios(runs, prove, validate);
    report(what, "the validator of the example alone", all, &Target::AtMost(3.0));
}

fn growth(runs: usize) {
    let sizes = [100, 1_000].map(|count| (schema(count, 10), schema(count, 20)));
    let [small, large] = &sizes;
    let few = || (0..10).for_each(|_| compare(&small.0, &small.1));
    let many = || compare(&large.0, &large.1);
    let what = "time of proving per argument, of 1,000 arguments";
    let all = ratios(runs, many, few);
    report(what, "per argument, of 100 arguments", all, &Target::AtMost(2.0));
}
