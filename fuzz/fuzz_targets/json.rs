//! The reader never accepts what `serde_json` refuses, and the canonical form is stable.

#![no_main]

use facets_digest::json::{self, Limits, Provenance, Value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for origin in [Provenance::Authored, Provenance::Captured] {
        let Ok(value) = json::parse(data, origin, Limits::DOCUMENT) else { continue };
        let mut reader = serde_json::Deserializer::from_slice(data);
        reader.disable_recursion_limit();
        let theirs: Result<serde_json::Value, _> = serde::Deserialize::deserialize(&mut reader);
        let theirs = theirs.and_then(|theirs| reader.end().map(|()| theirs));
        let ours = value.to_canonical();
        match theirs {
            Ok(theirs) => same_shape(&value, &theirs),
            // fuzz/README.md: the one exception
            Err(error) => assert!(
                origin == Provenance::Captured && error.to_string().contains("number out of range"),
                "accepted what serde_json refuses: {error}"
            ),
        }
        let again = json::parse(&ours, Provenance::Captured, Limits::DOCUMENT).expect("readable");
        assert_eq!(again.to_canonical(), ours, "the canonical form is not a fixed point");
    }
});

/// Both read the same document, apart from the digits of numbers.
fn same_shape(ours: &Value<'_>, theirs: &serde_json::Value) {
    match (ours, theirs) {
        (Value::Null, serde_json::Value::Null) => {}
        (Value::Bool(a), serde_json::Value::Bool(b)) => assert_eq!(a, b),
        (Value::String(a), serde_json::Value::String(b)) => assert_eq!(a, b),
        (Value::Number(_), serde_json::Value::Number(_)) => {}
        (Value::Array(a), serde_json::Value::Array(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| same_shape(a, b));
        }
        (Value::Object(a), serde_json::Value::Object(b)) => {
            assert_eq!(a.members().len(), b.len());
            a.members().iter().for_each(|member| same_shape(&member.value, &b[&*member.name]));
        }
        _ => panic!("{ours:?} is not {theirs:?}"),
    }
}
