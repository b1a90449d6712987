//! Fingerprints that the reference takes of what a tool's presenters say.

use facets_digest::json::compare_utf16;

use super::sha256;

/// Of all rules of a tool: those that are fixed, and whether some are computed.
#[must_use]
pub fn rules_fingerprint(fixed: &[&str], computed: bool) -> String {
    let hash = (!fixed.is_empty()).then(|| sha256(&joined(fixed)));
    match (hash, computed) {
        (None, false) => "none".to_owned(),
        (Some(hash), false) => format!("static:{hash}"),
        (None, true) => "dynamic".to_owned(),
        (Some(hash), true) => format!("dynamic:{hash}"),
    }
}

/// Of the top-level keys of the output of a tool; types do not count.
#[must_use]
pub fn egress_digest(keys: &[&str]) -> Option<String> {
    (!keys.is_empty()).then(|| sha256(&joined(keys)))
}

/// Sorted, unique, and joined by a bare comma: two rules can be one.
fn joined(texts: &[&str]) -> String {
    let mut texts = texts.to_vec();
    texts.sort_unstable_by(|a, b| compare_utf16(a, b));
    texts.dedup();
    texts.join(",")
}
