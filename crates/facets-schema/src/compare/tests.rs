use facets_digest::json::{self, Limits, Provenance};

use super::*;

/// Nobody else's opinion: examples are taken as they are.
struct Trusting;

impl Validator for Trusting {
    fn accepts(&self, _: &str, _: &str) -> Option<bool> {
        None
    }

    fn matches(&self, _: &str, _: &str) -> Option<bool> {
        None
    }
}

fn verdict(before: &str, after: &str) -> Verdict {
    let before =
        json::parse(before.as_bytes(), Provenance::Captured, Limits::DEFINITION).expect("JSON");
    let after =
        json::parse(after.as_bytes(), Provenance::Captured, Limits::DEFINITION).expect("JSON");
    compare_schemas(&before, &after, Domain::Anything, &Trusting).verdict
}

#[test]
fn an_example_that_nobody_confirms_is_no_verdict() {
    assert_eq!(verdict(r#"{"type":"string"}"#, "true"), Verdict::CannotTell);
    assert_eq!(verdict(r#"{"type":"string"}"#, r#"{"type":["string"]}"#), Verdict::Equivalent);
}
