//! Each refusal of spec 1.3 has its own error, at the right place.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::json::{self, JsonErrorKind, Limits, Provenance};

fn refusal(bytes: &[u8], provenance: Provenance) -> (&'static str, usize, usize) {
    let error = json::parse(bytes, provenance, Limits::DOCUMENT)
        .expect_err(&format!("{} is accepted", String::from_utf8_lossy(bytes)));
    assert!(JsonErrorKind::CODES.contains(&error.kind.code()));
    (error.kind.code(), error.position.line, error.position.column)
}

fn canonical(text: &str, provenance: Provenance) -> String {
    let value = json::parse(text.as_bytes(), provenance, Limits::DOCUMENT)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    String::from_utf8(value.to_canonical()).unwrap()
}

#[test]
fn refuses_what_the_specification_names() {
    let cases: &[(&[u8], &str, usize, usize)] = &[
        (b"{\"a\":1,\n \"a\":2}", "json-duplicate-member", 2, 2),
        (b"{\"b\":{\"a\":1},\"a\":[],\"\\u0061\":2}", "json-duplicate-member", 1, 21),
        (b"{\"a\":1,\"x\":{\"a\":1,\"a\":2}}", "json-duplicate-member", 1, 19),
        (b"[\"\xff\"]", "json-invalid-utf8", 1, 3),
        (b"[\"\xed\xa0\x80\"]", "json-invalid-utf8", 1, 3),
        (b"[\"\xc0\xaf\"]", "json-invalid-utf8", 1, 3),
        (b"[\"x\\ud800\"]", "json-lone-surrogate", 1, 4),
        (b"[\"\\udc00\\ud800\"]", "json-lone-surrogate", 1, 3),
        (b"[\"\\ud800\\u0041\"]", "json-lone-surrogate", 1, 3),
        (b"[\"\\ud800\\ud800\"]", "json-lone-surrogate", 1, 3),
        (b"{\"\\ud800\":1}", "json-lone-surrogate", 1, 3),
        (b"\xef\xbb\xbf{}", "json-byte-order-mark", 1, 1),
        (b"[\n1e400]", "json-number-overflow", 2, 1),
        (b"[-1e309]", "json-number-overflow", 1, 2),
        (b"[9007199254740992]", "json-integer-out-of-range", 1, 2),
        (b"[0, -9007199254740992]", "json-integer-out-of-range", 1, 5),
        (b"{} {}", "json-trailing-bytes", 1, 4),
        (b"{}\0", "json-trailing-bytes", 1, 3),
        (b"1 \xc3\xa9", "json-trailing-bytes", 1, 3),
    ];
    for (bytes, code, line, column) in cases {
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(refusal(bytes, Provenance::Authored), (*code, *line, *column), "{text}");
    }
}

#[test]
fn refuses_what_is_not_json() {
    let cases: &[(&str, &str, usize)] = &[
        ("", "json-unexpected-end", 1),
        (" ", "json-unexpected-end", 2),
        ("{", "json-unexpected-end", 2),
        ("[1", "json-unexpected-end", 3),
        ("{\"a\"", "json-unexpected-end", 5),
        ("\"abc", "json-unexpected-end", 5),
        ("\"\\", "json-invalid-escape", 2),
        ("\"\\u12", "json-invalid-escape", 2),
        ("[\"\\ud83d\\u12\"]", "json-invalid-escape", 9),
        ("\"\\u+12f\"", "json-invalid-escape", 2),
        ("\"\\x41\"", "json-invalid-escape", 2),
        ("\"a\tb\"", "json-control-character", 3),
        ("\"a\nb\"", "json-control-character", 3),
        ("[1,]", "json-unexpected-character", 4),
        ("[,1]", "json-unexpected-character", 2),
        ("{\"a\":1,}", "json-unexpected-character", 8),
        ("{a:1}", "json-unexpected-character", 2),
        ("{'a':1}", "json-unexpected-character", 2),
        ("{\"a\" 1}", "json-unexpected-character", 6),
        ("[1 2]", "json-unexpected-character", 4),
        ("[1}", "json-unexpected-character", 3),
        ("{\"a\":1]", "json-unexpected-character", 7),
        ("]", "json-unexpected-character", 1),
        ("nul", "json-unexpected-character", 1),
        ("True", "json-unexpected-character", 1),
        ("NaN", "json-unexpected-character", 1),
        ("+1", "json-unexpected-character", 1),
        (".5", "json-unexpected-character", 1),
        ("-Infinity", "json-malformed-number", 1),
        ("-", "json-malformed-number", 1),
        ("01", "json-malformed-number", 1),
        ("-01", "json-malformed-number", 1),
        ("1.", "json-malformed-number", 1),
        ("1.e5", "json-malformed-number", 1),
        ("1e", "json-malformed-number", 1),
        ("1e+", "json-malformed-number", 1),
        ("0x10", "json-trailing-bytes", 2),
        ("1_000", "json-trailing-bytes", 2),
        ("[1]//x", "json-trailing-bytes", 4),
        ("\u{a0}1", "json-unexpected-character", 1),
        ("\u{b}1", "json-unexpected-character", 1),
    ];
    for (text, code, column) in cases {
        assert_eq!(refusal(text.as_bytes(), Provenance::Authored), (*code, 1, *column), "{text:?}");
    }
}

/// RFC 8259, 7: each escape stands for one character, however it is spelled.
#[test]
fn reads_every_escape() {
    let text = r#""\"\\\/\b\f\n\r\t\u0041\u00E9\u00e9\uD83D\uDCA1""#;
    let value = json::parse(text.as_bytes(), Provenance::Authored, Limits::DOCUMENT).unwrap();
    let expected = "\"\\/\u{8}\u{c}\n\r\tAéé💡";
    assert_eq!(value, json::Value::String(expected.into()));
}

#[test]
fn measures_nesting_from_the_outermost_container() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(canonical(&nested(128), Provenance::Authored), nested(128));
    assert_eq!(refusal(nested(129).as_bytes(), Provenance::Authored), ("json-too-deep", 1, 129));
    let objects = "{\"a\":".repeat(129) + "1" + &"}".repeat(129);
    assert_eq!(refusal(objects.as_bytes(), Provenance::Captured).0, "json-too-deep");
    let bomb = "[".repeat(10_000_000);
    assert_eq!(refusal(bomb.as_bytes(), Provenance::Authored).0, "json-too-deep");
}

#[test]
fn keeps_its_limits() {
    let limits = Limits { bytes: 10, depth: 2, values: 3 };
    let code = |text: &str| match json::parse(text.as_bytes(), Provenance::Authored, limits) {
        Ok(_) => "fine",
        Err(error) => error.kind.code(),
    };
    assert_eq!(code("[1,2]"), "fine");
    assert_eq!(code("[1,2,3]"), "json-too-many-values");
    assert_eq!(code("\"345678901\""), "json-too-large");
    assert_eq!(code("[[]]"), "fine");
    assert_eq!(code("[[[]]]"), "json-too-deep");
}

/// spec 5: no message of a server is larger.
#[test]
fn a_definition_may_have_sixteen_mebibytes() {
    let read = |length: usize| {
        let text = format!("\"{}\"", "a".repeat(length - 2));
        json::parse(text.as_bytes(), Provenance::Captured, Limits::DEFINITION).map(drop)
    };
    assert_eq!(read(16 * 1024 * 1024), Ok(()));
    assert_eq!(read(16 * 1024 * 1024 + 1).unwrap_err().kind.code(), "json-too-large");
}

#[test]
fn a_captured_integer_keeps_its_digits() {
    let long = "1".repeat(1024);
    let same = ["9007199254740992", "9007199254740993", "-18446744073709551617", &long];
    for literal in same {
        assert_eq!(canonical(literal, Provenance::Captured), literal);
        assert_eq!(
            refusal(literal.as_bytes(), Provenance::Authored).0,
            "json-integer-out-of-range"
        );
    }
    let too_long = format!("-{long}1");
    assert_eq!(refusal(too_long.as_bytes(), Provenance::Captured).0, "json-integer-too-long");
    // Only literals are exact: what has a point or an exponent is a double, as in RFC 8785.
    for (literal, written) in [
        ("9007199254740993.0", "9007199254740992"),
        ("1e20", "100000000000000000000"),
        ("1E21", "1e+21"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e-400", "0"),
    ] {
        assert_eq!(canonical(literal, Provenance::Captured), written);
        assert_eq!(canonical(literal, Provenance::Authored), written);
    }
    assert_eq!(refusal(b"1e400", Provenance::Captured).0, "json-number-overflow");
    assert_eq!(canonical("9007199254740991", Provenance::Authored), "9007199254740991");
}

#[test]
fn members_that_differ_in_case_or_normal_form_are_different() {
    let text = "{\"e\u{301}\":1,\"\u{e9}\":2,\"A\":3,\"a\":4}";
    assert_eq!(
        canonical(text, Provenance::Authored),
        "{\"A\":3,\"a\":4,\"e\u{301}\":1,\"\u{e9}\":2}"
    );
}

#[test]
fn looks_members_up_in_any_order() {
    let text = "{\"\u{ff5e}\":1,\"\u{1f4a1}\":2,\"a\":3,\"\":4}";
    let json::Value::Object(object) =
        json::parse(text.as_bytes(), Provenance::Authored, Limits::DOCUMENT).unwrap()
    else {
        panic!("not an object")
    };
    let names: Vec<_> = object.members().iter().map(|member| member.name.as_ref()).collect();
    assert_eq!(names, ["", "a", "\u{1f4a1}", "\u{ff5e}"]);
    for name in names {
        assert!(object.get(name).is_some(), "{name}");
    }
    assert_eq!(object.get("b"), None);
    let value = json::Value::Object(object.clone());
    assert_eq!(value.member("a"), object.get("a"));
    assert_eq!(value.member("b"), None);
    assert_eq!(json::Value::Null.member("a"), None);
}
