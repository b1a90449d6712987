//! Values that a schema accepts or refuses.

use std::borrow::Cow;
use std::collections::BTreeMap;

use facets_digest::json::{Member, Number, Object, Value};

/// A JSON value whose numbers are doubles, which is what every reader of arguments has.
#[derive(Clone, Debug, PartialEq)]
pub enum Instance {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number; never infinite.
    Number(f64),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Instance>),
    /// An object.
    Object(BTreeMap<String, Instance>),
}

impl Instance {
    /// Nothing if a number is none that a double holds exactly.
    pub(crate) fn of(value: &Value<'_>) -> Option<Self> {
        Some(match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => Self::Number(exact(number)?),
            Value::String(text) => Self::String(text.to_string()),
            Value::Array(items) => Self::Array(items.iter().map(Self::of).collect::<Option<_>>()?),
            Value::Object(object) => Self::Object(
                object
                    .members()
                    .iter()
                    .map(|member| Some((member.name.to_string(), Self::of(&member.value)?)))
                    .collect::<Option<_>>()?,
            ),
        })
    }

    /// The same value, with the nearest double for every number.
    pub(crate) fn nearest(value: &Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => Self::Number(number.as_f64()),
            Value::String(text) => Self::String(text.to_string()),
            Value::Array(items) => Self::Array(items.iter().map(Self::nearest).collect()),
            Value::Object(object) => {
                let members = object.members().iter();
                let members = members.map(|one| (one.name.to_string(), Self::nearest(&one.value)));
                Self::Object(members.collect())
            }
        }
    }

    /// The canonical text.
    #[must_use]
    pub fn to_json(&self) -> String {
        String::from_utf8_lossy(&self.to_value().to_canonical()).into_owned()
    }

    fn to_value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Number(number) => Value::Number(Number::Double(*number)),
            Self::String(text) => Value::String(Cow::Borrowed(text)),
            Self::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Object(members) => {
                let members = members.iter().map(|(name, value)| Member {
                    name: Cow::Borrowed(name.as_str()),
                    value: value.to_value(),
                });
                // The names of a map are never twins.
                Value::Object(Object::new(members.collect()).unwrap_or_default())
            }
        }
    }
}

/// The double that a number is, if it is one exactly.
pub(crate) fn exact(number: &Number<'_>) -> Option<f64> {
    let double = number.as_f64();
    let same = match number {
        Number::Double(_) => true,
        Number::Integer(digits) => format!("{double:.0}") == **digits,
    };
    (same && double.is_finite()).then_some(double)
}
