//! What a tool costs in the context of a model (spec 6.1).

use facets_digest::json::{Object, Value, write_string};

use crate::part::{Part, write_object};
use crate::schema::walk;

/// Bytes of canonical JSON that count as one token.
const BYTES_PER_TOKEN: usize = 4;

/// How far an answer may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InflationRisk {
    /// There is no output schema to judge by.
    Unknown,
    /// Few fields, all bounded.
    Low,
    /// Many fields.
    Medium,
    /// A list without an end.
    High,
    /// A list without an end, of many fields.
    Critical,
}

impl InflationRisk {
    /// The word in contracts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// The risk of a word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Unknown, Self::Low, Self::Medium, Self::High, Self::Critical];
        all.into_iter().find(|risk| risk.name() == name)
    }
}

/// What a tool costs: its declaration in every session, its output in every answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Economics {
    /// What the declaration takes of the context, estimated.
    pub declaration_tokens: usize,
    /// What is known of the output; nothing without a schema.
    pub output: Option<Output>,
}

/// What an output schema says about the size of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Declared properties, at every depth.
    pub fields: usize,
    /// Whether some array has no `maxItems`.
    pub unbounded: bool,
}

impl Economics {
    /// From the size of the canonical definition, and the output schema.
    #[must_use]
    pub fn of(definition_size: usize, output_schema: Option<&Value<'_>>) -> Self {
        Self {
            declaration_tokens: definition_size.div_ceil(BYTES_PER_TOKEN),
            output: output_schema.filter(|schema| **schema != Value::Null).map(measure),
        }
    }

    /// How far an answer may grow.
    #[must_use]
    pub fn inflation_risk(&self) -> InflationRisk {
        match self.output {
            None => InflationRisk::Unknown,
            Some(Output { fields, unbounded: true }) if fields > 10 => InflationRisk::Critical,
            Some(Output { unbounded: true, .. }) => InflationRisk::High,
            Some(Output { fields, .. }) if fields > 20 => InflationRisk::Medium,
            Some(_) => InflationRisk::Low,
        }
    }

    pub(crate) fn to_canonical(self) -> Vec<u8> {
        let text = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
        write_object(Part::TokenEconomics, |name, out| match name {
            "declarationTokens" => {
                out.extend_from_slice(self.declaration_tokens.to_string().as_bytes())
            }
            "inflationRisk" => write_string(self.inflation_risk().name(), out),
            "outputFields" => {
                let fields = self.output.map(|output| output.fields.to_string());
                out.extend_from_slice(text(fields).as_bytes());
            }
            _ => {
                let unbounded = self.output.map(|output| output.unbounded.to_string());
                out.extend_from_slice(text(unbounded).as_bytes());
            }
        })
    }
}

fn measure(schema: &Value<'_>) -> Output {
    let mut output = Output { fields: 0, unbounded: false };
    walk(schema, &mut |schema| {
        if let Some(Value::Object(properties)) = schema.get("properties") {
            output.fields += properties.members().len();
        }
        output.unbounded |= is_array(schema) && !is_bounded(schema);
    });
    output
}

fn is_array(schema: &Object<'_>) -> bool {
    let is_array_word = |value: &Value<'_>| matches!(value, Value::String(word) if word == "array");
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(is_array_word),
        Some(kind) => is_array_word(kind),
        None => schema.get("items").is_some() || schema.get("prefixItems").is_some(),
    }
}

fn is_bounded(schema: &Object<'_>) -> bool {
    matches!(schema.get("maxItems"), Some(Value::Number(_)))
}
