//! A closed copy that is kept, to judge the arguments of many calls.

use std::borrow::Cow;

use facets_digest::json::{Member, Number, Object, Value};

use crate::close::close;
use crate::instance::Instance;
use crate::patience::{comes_to_an_end, is_soon_built};

/// Steps that a validator may take for the arguments of a call.
const STEPS: usize = 1_000_000;

/// The closed copy of a schema (spec 7.3) in which everything can be read alone.
#[derive(Debug)]
pub struct ClosedSchema {
    text: String,
    /// The same, in which numbers are not exact: nothing that is counted depends on them.
    parts: Value<'static>,
}

impl ClosedSchema {
    /// Closes a schema; nothing if its words may mean something else in another document, or if a
    /// validator of it would take too long to build.
    #[must_use]
    pub fn of(schema: &Value<'_>) -> Option<Self> {
        let closed = close(schema);
        let text = || String::from_utf8_lossy(&closed.schema.to_canonical()).into_owned();
        let is_usable = closed.is_whole && is_soon_built(&closed.schema);
        is_usable.then(|| Self { text: text(), parts: owned(&closed.schema) })
    }

    /// The copy as JSON.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.text
    }

    /// Whether a validator, which does not count its own steps, comes to an end with these
    /// arguments soon enough for a call.
    #[must_use]
    pub fn is_soon_validated(&self, arguments: &Value<'_>) -> bool {
        comes_to_an_end(&self.parts, &Instance::nearest(arguments), STEPS)
    }
}

/// The same value, with texts of its own.
fn owned(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Null => Value::Null,
        Value::Bool(flag) => Value::Bool(*flag),
        Value::Number(number) => Value::Number(Number::Double(number.as_f64())),
        Value::String(text) => Value::String(Cow::Owned(text.to_string())),
        Value::Array(items) => Value::Array(items.iter().map(owned).collect()),
        Value::Object(object) => {
            let members = object.members().iter().map(|member| Member {
                name: Cow::Owned(member.name.to_string()),
                value: owned(&member.value),
            });
            // Names of an object are never twins.
            Value::Object(Object::new(members.collect()).unwrap_or_default())
        }
    }
}
