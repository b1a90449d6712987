#![doc = include_str!("../README.md")]

mod arguments;
mod patterns;

use std::cell::RefCell;

pub use arguments::ArgumentSchemas;

use facets_schema::Validator;
use jsonschema::{Draft, PatternOptions};
use serde_json::Value;

/// Steps that a pattern may cost that is not regular.
const BACKTRACKING: usize = 100_000;
/// Bytes that one pattern may take, and all of a schema together.
const PATTERN_BYTES: usize = 16 << 20;
const ALL_PATTERN_BYTES: usize = 32 << 20;

/// The `jsonschema` crate. It fetches nothing.
#[derive(Debug, Default)]
pub struct JsonSchema {
    /// The schema of the last question: two questions follow each other for most.
    last: RefCell<Vec<Built>>,
}

#[derive(Debug)]
struct Built {
    schema: String,
    validator: Option<jsonschema::Validator>,
}

impl JsonSchema {
    /// Builds the validator of a schema, or takes the one at hand.
    fn ask(&self, schema: &str, question: impl Fn(&jsonschema::Validator) -> bool) -> Option<bool> {
        const AT_HAND: usize = 2;
        let mut last = self.last.borrow_mut();
        if !last.iter().any(|built| built.schema == schema) {
            if last.len() == AT_HAND {
                last.remove(0);
            }
            last.push(Built { schema: schema.to_owned(), validator: build(schema) });
        }
        let built = last.iter().find(|built| built.schema == schema)?;
        built.validator.as_ref().map(question)
    }
}

fn build(schema: &str) -> Option<jsonschema::Validator> {
    let mut schema: Value = serde_json::from_str(schema).ok()?;
    let count = patterns::prepare(&mut schema);
    let bytes = PATTERN_BYTES.min(ALL_PATTERN_BYTES / count.max(1));
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(BACKTRACKING)
        .size_limit(bytes)
        .dfa_size_limit(bytes);
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(false)
        .with_pattern_options(patterns)
        .build(&schema)
        .ok()
}

impl Validator for JsonSchema {
    fn accepts(&self, schema: &str, instance: &str) -> Option<bool> {
        let instance: Value = serde_json::from_str(instance).ok()?;
        self.ask(schema, |validator| validator.is_valid(&instance))
    }

    fn matches(&self, pattern: &str, text: &str) -> Option<bool> {
        let schema = serde_json::json!({ "pattern": pattern }).to_string();
        let instance = Value::String(text.to_owned());
        self.ask(&schema, |validator| validator.is_valid(&instance))
    }
}
