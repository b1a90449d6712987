//! Arguments of calls, against the schemas that were approved.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use facets_digest::json::{self, Limits, Provenance, Value};
use facets_schema::ClosedSchema;

use crate::build;

/// Bytes of a reason; the rest of it is the caller's own text.
const LONGEST_REASON: usize = 300;
/// What is read of arguments: a call of 16 MiB is the largest that is held.
const ARGUMENTS: Limits = Limits { bytes: 16 << 20, depth: 128, values: 1_000_000 };

/// The approved input schemas of a server, ready to judge the arguments of calls.
#[derive(Debug, Default)]
pub struct ArgumentSchemas {
    tools: BTreeMap<String, Vec<ArgumentSchema>>,
}

/// One approved input schema; a tool may have several, for different clients.
#[derive(Debug)]
struct ArgumentSchema {
    /// Its closed copy (spec 7.3); none if it cannot be read alone.
    closed: Option<ClosedSchema>,
    /// Made when the tool is called for the first time.
    validator: OnceLock<Option<jsonschema::Validator>>,
}

impl ArgumentSchemas {
    /// Adds an approved schema of a tool. Without one, any arguments are accepted.
    pub fn add(&mut self, tool: &str, schema: Option<&Value<'_>>) {
        let closed = ClosedSchema::of(schema.unwrap_or(&Value::Bool(true)));
        let schema = ArgumentSchema { closed, validator: OnceLock::new() };
        self.tools.entry(tool.to_owned()).or_default().push(schema);
    }

    /// Why no approved schema of the tool accepts the arguments; nothing if one does. What cannot
    /// be judged is not accepted.
    pub fn refuse(&self, tool: &str, arguments: &str) -> Option<String> {
        let strict = match json::parse(arguments.as_bytes(), Provenance::Captured, ARGUMENTS) {
            Ok(value) => value,
            Err(error) => return Some(format!("invalid JSON: {error}")),
        };
        let Ok(instance) = serde_json::from_str(arguments) else {
            return Some("invalid JSON".to_owned());
        };
        let schemas = self.tools.get(tool).map(Vec::as_slice).unwrap_or_default();
        let mut reason = Some("the tool has no approved schema".to_owned());
        for schema in schemas {
            reason = schema.refuse(&strict, &instance);
            if reason.is_none() {
                break;
            }
        }
        reason
    }
}

impl ArgumentSchema {
    fn refuse(&self, strict: &Value<'_>, instance: &serde_json::Value) -> Option<String> {
        let unreadable =
            || Some("the approved schema cannot be used to check arguments".to_owned());
        let Some(closed) = &self.closed else { return unreadable() };
        if !closed.is_soon_validated(strict) {
            return Some("the arguments are too large to be checked".to_owned());
        }
        let Some(validator) = self.validator.get_or_init(|| build(closed.as_json())) else {
            return unreadable();
        };
        let error = validator.validate(instance).err()?;
        let place = error.instance_path().to_string();
        let what = error.masked_with("it").to_string();
        let place = if place.is_empty() { "the arguments".to_owned() } else { place };
        Some(format!("{place}: {what}").chars().take(LONGEST_REASON).collect())
    }
}
