//! Canonical forms that another project recorded for RFC 8785.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_digest::json::{self, Limits, Provenance, Value};
use facets_testkit::shared_vectors;

fn text<'v>(value: &'v Value<'_>, name: &str) -> &'v str {
    let Value::Object(object) = value else { panic!("not an object") };
    let Some(Value::String(text)) = object.get(name) else { panic!("no text {name}") };
    text
}

#[test]
fn recorded_forms_are_ours_or_refused_by_name() {
    let Some(folder) = shared_vectors("mcptrust") else { return };
    let bytes = std::fs::read(folder.join("canonical-json.json")).unwrap();
    let Ok(Value::Array(rows)) = json::parse(&bytes, Provenance::Captured, Limits::DOCUMENT) else {
        panic!("the vectors are no list")
    };
    let mut equal = 0;
    let mut refused = Vec::new();
    for row in &rows {
        let input = text(row, "input_json");
        match json::parse(input.as_bytes(), Provenance::Authored, Limits::DOCUMENT) {
            Ok(value) => {
                let form = String::from_utf8(value.to_canonical()).unwrap();
                assert_eq!(form, text(row, "rfc8785_reference"), "{input}");
                equal += 1;
            }
            Err(error) => refused.push(error.kind.code()),
        }
    }
    // Where RFC 8785 alone merges two documents, we refuse.
    refused.sort_unstable();
    let expected = [
        "json-duplicate-member",
        "json-integer-out-of-range",
        "json-integer-out-of-range",
        "json-lone-surrogate",
    ];
    assert_eq!(refused, expected);
    assert_eq!(equal + refused.len(), rows.len());
}
