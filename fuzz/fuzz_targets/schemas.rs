//! Two schemas: the comparison comes to an end, the other way round it says the other, and no
//! example is wrong.

#![no_main]

use facets_digest::json::{self, Limits, Provenance};
use facets_schema::{Domain, Validator, Verdict, closed_copy, compare_schemas};
use facets_validator::JsonSchema;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some((one, other)) = text.split_once('\n') else { return };
    let limits = Limits { bytes: 4096, ..Limits::DEFINITION };
    let (Ok(before), Ok(after)) = (
        json::parse(one.as_bytes(), Provenance::Captured, limits),
        json::parse(other.as_bytes(), Provenance::Captured, limits),
    ) else {
        return;
    };
    let validator = JsonSchema::default();
    let change = compare_schemas(&before, &after, Domain::Anything, &validator);
    let back = compare_schemas(&after, &before, Domain::Anything, &validator).verdict;
    let expected = match change.verdict {
        Verdict::Wider => Verdict::Narrower,
        Verdict::Narrower => Verdict::Wider,
        same => same,
    };
    // Which step is one too many depends on where one begins.
    let untold = [change.verdict, back].contains(&Verdict::CannotTell);
    assert!(untold || back == expected, "{:?} {back:?}", change.verdict);
    let (old, new) = (closed_copy(&before), closed_copy(&after));
    let accepts = |schema: &str, value: &str| validator.accepts(schema, value);
    if let Some(gained) = &change.gained {
        let text = gained.to_json();
        assert_eq!((accepts(&old, &text), accepts(&new, &text)), (Some(false), Some(true)));
    }
    if change.verdict == Verdict::Equivalent {
        for value in ["null", "true", "0", "1.5", "\"\"", "\"a\"", "[]", "[1]", "{}", "{\"a\":1}"] {
            if let (Some(old), Some(new)) = (accepts(&old, value), accepts(&new, value)) {
                assert_eq!(old, new, "{value}");
            }
        }
    }
});
