//! How long a validator may take over a value: it does not count its own steps.

use facets_digest::json::{Object, Value};

use crate::budget::Budget;
use crate::instance::Instance;

/// Steps that a validator may take for one example.
const STEPS: usize = 50_000;
const DEEPEST: usize = 300;
/// Texts that may be tried against patterns that are not regular.
const MOST_IRREGULAR: usize = 100;
/// Bytes of a text that are read in one step.
const BYTES_A_STEP: usize = 64;
/// States of a pattern, for each byte of a text, that are looked at in one step.
const STATES_A_STEP: usize = 400;
/// Parts that a validator may have to put together when it is built.
const PARTS: usize = 50_000;

/// Whether a validator that looks at every part of a closed copy, as often as it is referred to,
/// comes to an end with this value.
pub(crate) fn is_cheap(closed: &Value<'_>, instance: &Instance) -> bool {
    comes_to_an_end(closed, instance, STEPS)
}

/// The same, with so many steps.
pub(crate) fn comes_to_an_end(closed: &Value<'_>, instance: &Instance, steps: usize) -> bool {
    let visitor = Visitor { root: closed, steps, budget: Budget::new(steps) };
    visitor.schema(closed, instance, 0).is_some()
}

struct Visitor<'v> {
    root: &'v Value<'v>,
    steps: usize,
    budget: Budget,
}

/// Whether a validator of a closed copy is soon built: for every schema with `unevaluated…` it
/// copies all parts for the same value, as often as they are referred to.
pub(crate) fn is_soon_built(closed: &Value<'_>) -> bool {
    let visitor = Visitor { root: closed, steps: PARTS, budget: Budget::new(PARTS) };
    visitor.build(closed).is_some()
}

/// How often a pattern repeats a part of it, at the most, by the numbers that it names.
fn repetitions(pattern: &str) -> usize {
    let bound = |braces: &str| {
        let numbers = braces.split_once('}')?.0.split(',');
        numbers.filter_map(|number| number.trim().parse::<usize>().ok()).max()
    };
    let bounds = pattern.split('{').skip(1).filter_map(bound).filter(|bound| *bound > 1);
    bounds.fold(1, |product: usize, bound| product.saturating_mul(bound).min(1 << 20))
}

fn has_unevaluated(object: &Object<'_>) -> bool {
    ["unevaluatedProperties", "unevaluatedItems"].iter().any(|name| object.get(name).is_some())
}

/// Whether a pattern needs no trying: it looks around nowhere, refers to nothing before it, and
/// takes nothing for good.
fn is_regular(pattern: &str) -> bool {
    if ["++", "*+", "?+", "}+"].iter().any(|greedy| pattern.contains(greedy)) {
        return false;
    }
    let refers_back = |pair: &[u8]| pair[0] == b'\\' && matches!(pair[1], b'1'..=b'9' | b'k');
    let looks_around = ["(?=", "(?!", "(?<", "(?>"].iter().any(|group| pattern.contains(group));
    !looks_around && !pattern.as_bytes().windows(2).any(refers_back)
}

impl Visitor<'_> {
    /// Counts what is put together for every schema anywhere in a value.
    fn build(&self, value: &Value<'_>) -> Option<()> {
        match value {
            Value::Object(object) => {
                if has_unevaluated(object) {
                    self.parts(value, 0)?;
                }
                object.members().iter().try_for_each(|member| self.build(&member.value))
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.build(item)),
            _ => Some(()),
        }
    }

    /// Counts a schema and its parts for the same value. No value is looked at.
    fn parts(&self, schema: &Value<'_>, depth: usize) -> Option<()> {
        self.budget.spend(1)?;
        let Value::Object(object) = schema else { return Some(()) };
        if depth > DEEPEST {
            return None;
        }
        self.each_part(object, &|part| self.parts(part, depth + 1))
    }

    fn schema(&self, schema: &Value<'_>, instance: &Instance, depth: usize) -> Option<()> {
        self.budget.spend(1)?;
        let Value::Object(object) = schema else { return Some(()) };
        if depth > DEEPEST {
            return None;
        }
        self.texts(object, instance)?;
        // What was looked at is found out by looking again, twice where several are inside each other.
        let times = if has_unevaluated(object) { 3 } else { 1 };
        for _ in 0..times {
            self.in_place(object, instance, depth)?;
        }
        self.below(object, instance, depth)
    }

    fn in_place(&self, object: &Object<'_>, instance: &Instance, depth: usize) -> Option<()> {
        if let Some(Value::Array(values)) = object.get("enum") {
            self.budget.spend(values.len() / 10)?;
        }
        self.each_part(object, &|part| self.schema(part, instance, depth + 1))
    }

    /// The parts of a schema for the same value.
    fn each_part(
        &self,
        object: &Object<'_>,
        visit: &dyn Fn(&Value<'_>) -> Option<()>,
    ) -> Option<()> {
        for member in object.members() {
            match (&*member.name, &member.value) {
                ("$ref", Value::String(target)) => {
                    let number = target.strip_prefix("#/$defs/");
                    let all = self.root.member("$defs");
                    if let (Some(number), Some(all)) = (number, all)
                        && let Some(found) = all.member(number)
                    {
                        visit(found)?;
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                    parts.iter().try_for_each(visit)?;
                }
                ("not" | "if" | "then" | "else", part) => visit(part)?,
                ("dependentSchemas", Value::Object(parts)) => {
                    parts.members().iter().try_for_each(|part| visit(&part.value))?;
                }
                _ => {}
            }
        }
        Some(())
    }

    /// What a text, or the items of a list that are compared, cost.
    fn texts(&self, object: &Object<'_>, instance: &Instance) -> Option<()> {
        match instance {
            Instance::String(text) => {
                let counted =
                    ["minLength", "maxLength"].iter().any(|name| object.get(name).is_some());
                self.budget.spend(if counted { text.len() / BYTES_A_STEP } else { 0 })?;
                match object.get("pattern") {
                    Some(Value::String(pattern)) => self.pattern(pattern, text),
                    _ => Some(()),
                }
            }
            Instance::Array(items) if object.get("uniqueItems").is_some() => {
                self.budget.spend(items.len())
            }
            _ => Some(()),
        }
    }

    /// One that is not regular is tried again and again, up to a limit of the validator.
    fn pattern(&self, pattern: &str, text: &str) -> Option<()> {
        let tries = if is_regular(pattern) { 0 } else { self.steps / MOST_IRREGULAR };
        let states = text.len().saturating_mul(repetitions(pattern)) / STATES_A_STEP;
        self.budget.spend(tries + text.len() / BYTES_A_STEP + states)
    }

    fn below(&self, object: &Object<'_>, instance: &Instance, depth: usize) -> Option<()> {
        match instance {
            Instance::Object(members) => {
                let properties = object.get("properties");
                for (name, value) in members {
                    if let Some(names) = object.get("propertyNames") {
                        self.schema(names, &Instance::String(name.clone()), depth + 1)?;
                    }
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
                            self.pattern(&pattern.name, name)?;
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
