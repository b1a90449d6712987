//! Values as a reader of a report sees them.

use facets_digest::json::Value;
use facets_surface::{Definition, SystemRules};

/// Longer values are shown in part.
const MAX_SHOWN: usize = 4000;

/// A value as a reader of a report sees it: a text as it is, anything else as JSON.
pub(crate) fn shown(value: &Value<'_>) -> String {
    match value {
        Value::String(text) => text.to_string(),
        other => {
            let form = String::from_utf8_lossy(&other.to_canonical()).into_owned();
            match form.char_indices().nth(MAX_SHOWN) {
                Some((end, _)) => format!("{}…", &form[..end]),
                None => form,
            }
        }
    }
}

/// What a definition says of itself.
pub(crate) fn summary(item: &Definition) -> String {
    let value = item.value();
    value.member("description").map(shown).unwrap_or_default()
}

/// The rules as a reader would write them down.
pub(crate) fn shown_rules(rules: &SystemRules) -> Option<String> {
    let mut lines: Vec<String> = rules.fixed.clone();
    lines.extend(rules.dynamic.iter().map(|source| format!("(dynamic) {source}")));
    lines.extend(rules.unverifiable.iter().map(|form| format!("(unverifiable) {form}")));
    (!lines.is_empty()).then(|| lines.join("\n"))
}
