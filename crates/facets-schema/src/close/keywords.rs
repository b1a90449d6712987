//! Drafts, and what their keywords are about.

use facets_digest::json::Value;

/// Whether objects are closed from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// At a place of its own: the whole, or the value of a member or an item.
    Close,
    /// A part of something that is closed as a whole, or not at all. What it alone declares is closed;
    /// the number is that of the names that other parts declare, too (`Closer::shared`).
    Part(usize),
    /// A condition, or something that several parts declare: nothing is closed here or below.
    Leave,
}

/// Which rules a schema was written by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Old,
    Between,
    New,
    Unknown,
}

impl Dialect {
    pub(super) fn of(schema: &Value<'_>) -> Self {
        match schema.member("$schema") {
            None => Self::New,
            Some(Value::String(name)) => match name.trim_end_matches('#') {
                "http://json-schema.org/draft-07/schema"
                | "https://json-schema.org/draft-07/schema" => Self::Old,
                "https://json-schema.org/draft/2019-09/schema" => Self::Between,
                "https://json-schema.org/draft/2020-12/schema" => Self::New,
                _ => Self::Unknown,
            },
            Some(_) => Self::Unknown,
        }
    }
}

/// Keywords that draft 7 does not know.
pub(super) const NEWER: &[&str] = &[
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is compared as it is.
pub(super) const PLAIN: &[&str] = &[
    "$dynamicRef",
    "$recursiveRef",
    "const",
    "dependentRequired",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];
/// Keywords whose lists are sets.
pub(super) const SETS: &[&str] = &["enum", "required", "type"];
/// Keywords with schemas for other values than the one looked at.
pub(super) const CHILDREN: &[&str] = &[
    "additionalProperties",
    "items",
    "patternProperties",
    "prefixItems",
    "properties",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords with schemas for the same value; and those whose schemas are conditions.
pub(super) const IN_PLACE: &[&str] =
    &["allOf", "anyOf", "dependentSchemas", "else", "oneOf", "then"];
pub(super) const CONDITIONS: &[&str] = &["contains", "if", "not", "propertyNames"];

/// Whether a keyword decides about values, in any draft.
pub(crate) fn has_meaning(keyword: &str) -> bool {
    let lists = [PLAIN, SETS, CHILDREN, IN_PLACE, CONDITIONS, &["dependencies"]];
    lists.iter().any(|list| list.contains(&keyword))
}
