//! How long a validator may take over a value: it does not count its own steps.

use facets_digest::json::{Object, Value};

use crate::budget::Budget;
use crate::instance::Instance;

/// Steps that a validator may take for one example.
const STEPS: usize = 50_000;
const DEEPEST: usize = 300;

/// Whether a validator that looks at every part of a closed copy, as often as it is referred to,
/// comes to an end with this value.
pub(crate) fn is_cheap(closed: &Value<'_>, instance: &Instance) -> bool {
    let visitor = Visitor { root: closed, budget: Budget::new(STEPS) };
    visitor.schema(closed, instance, 0).is_some()
}

struct Visitor<'v> {
    root: &'v Value<'v>,
    budget: Budget,
}

impl Visitor<'_> {
    fn schema(&self, schema: &Value<'_>, instance: &Instance, depth: usize) -> Option<()> {
        self.budget.spend(1)?;
        let Value::Object(object) = schema else { return Some(()) };
        if depth > DEEPEST {
            return None;
        }
        // What was looked at is found out by looking again.
        let times = if object.get("unevaluatedProperties").is_some() { 2 } else { 1 };
        for _ in 0..times {
            self.in_place(object, instance, depth)?;
        }
        self.below(object, instance, depth)
    }

    fn in_place(&self, object: &Object<'_>, instance: &Instance, depth: usize) -> Option<()> {
        for member in object.members() {
            match (&*member.name, &member.value) {
                ("$ref", Value::String(target)) => {
                    let number = target.strip_prefix("#/$defs/");
                    let all = self.root.member("$defs");
                    if let (Some(number), Some(all)) = (number, all)
                        && let Some(found) = all.member(number)
                    {
                        self.schema(found, instance, depth + 1)?;
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                    for part in parts {
                        self.schema(part, instance, depth + 1)?;
                    }
                }
                ("not" | "if" | "then" | "else", part) => {
                    self.schema(part, instance, depth + 1)?;
                }
                ("dependentSchemas", Value::Object(parts)) => {
                    for part in parts.members() {
                        self.schema(&part.value, instance, depth + 1)?;
                    }
                }
                ("enum", Value::Array(values)) => self.budget.spend(values.len() / 10)?,
                _ => {}
            }
        }
        Some(())
    }

    fn below(&self, object: &Object<'_>, instance: &Instance, depth: usize) -> Option<()> {
        match instance {
            Instance::Object(members) => {
                let properties = object.get("properties");
                for (name, value) in members {
                    if let Some(schema) = properties.and_then(|all| all.member(name)) {
                        self.schema(schema, value, depth + 1)?;
                    }
                    for keyword in ["additionalProperties", "unevaluatedProperties"] {
                        if let Some(schema) = object.get(keyword) {
                            self.schema(schema, value, depth + 1)?;
                        }
                    }
                    if let Some(Value::Object(patterns)) = object.get("patternProperties") {
                        for pattern in patterns.members() {
                            self.schema(&pattern.value, value, depth + 1)?;
                        }
                    }
                }
            }
            Instance::Array(items) => {
                for item in items {
                    for keyword in ["items", "contains", "unevaluatedItems"] {
                        if let Some(schema) = object.get(keyword) {
                            self.schema(schema, item, depth + 1)?;
                        }
                    }
                    if let Some(Value::Array(prefix)) = object.get("prefixItems") {
                        for schema in prefix {
                            self.schema(schema, item, depth + 1)?;
                        }
                    }
                }
            }
            _ => {}
        }
        Some(())
    }
}
