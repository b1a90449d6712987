//! The decisions of the envelope that the guard relies on (spec 11.3), at their limits.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_wire::{Envelope, EnvelopeError, MessageFacts};

/// Containers inside each other.
const DEEPEST: usize = 200;
/// Bytes of an id or a method.
const LONGEST: usize = 8 << 10;
/// Bytes of an outermost name, in quotes.
const LONGEST_NAME: usize = 256;

/// What is known of a message, however it is cut.
fn facts(text: &str) -> Result<MessageFacts, EnvelopeError> {
    let read = |piece: usize| {
        let mut envelope = Envelope::default();
        text.as_bytes().chunks(piece).try_for_each(|bytes| envelope.push(bytes))?;
        envelope.finish().cloned()
    };
    let whole = read(usize::MAX);
    for piece in [1, 2, 3, 7] {
        assert_eq!(read(piece), whole, "{text} in pieces of {piece}");
    }
    whole
}

#[test]
fn what_is_known_so_far_is_told_before_the_end() {
    let mut envelope = Envelope::default();
    envelope.push(br#"{"id":7,"method":"x","params":{"name":"n""#).unwrap();
    let facts = envelope.facts();
    assert_eq!((facts.id.as_deref(), facts.method.as_deref()), (Some("7"), Some("x")));
    assert_eq!((facts.name.as_deref(), facts.is_complete), (Some("n"), false));
    let begun = |text: &str| {
        let mut envelope = Envelope::default();
        envelope.push(text.as_bytes()).unwrap();
        (envelope.is_reply(), envelope.is_result())
    };
    assert_eq!(begun(r#"{"id":7"#), (false, false));
    assert_eq!(begun(r#"{"id":7,"result":["#), (true, true));
    assert_eq!(begun(r#"{"id":7,"error":{"#), (true, false));
    assert_eq!(begun(r#"{"id":7,"error":{},"result":{"#), (true, false));
    assert_eq!(begun(r#"{"id":7,"error":null,"result":{"#), (true, true));
}

#[test]
fn an_id_or_a_method_over_8_kib_is_refused() {
    // Integers of an id have a limit of their own.
    let number = |length: usize| format!("1.{}", "1".repeat(length - 2));
    let (full, over) = (number(LONGEST), number(LONGEST + 1));
    let id = |text: &str| facts(&format!(r#"{{"id":{text},"result":{{}}}}"#));
    assert_eq!(id(&full).unwrap().id.as_deref(), Some(&*full));
    assert_eq!(id(&over), Err(EnvelopeError::TooLong));
    // Texts are counted with their quotes.
    let (fits, long) = ("m".repeat(LONGEST - 2), "m".repeat(LONGEST - 1));
    for place in ["id", "method"] {
        let text = |value: &str| facts(&format!(r#"{{"{place}":"{value}"}}"#));
        assert!(text(&fits).is_ok(), "{place}");
        assert_eq!(text(&long), Err(EnvelopeError::TooLong), "{place}");
    }
}

#[test]
fn a_number_that_decides_nothing_is_no_longer_either() {
    let inner = |text: &str| facts(&format!(r#"{{"id":1,"result":[{text}]}}"#));
    assert!(inner(&"1".repeat(LONGEST)).is_ok());
    assert_eq!(inner(&"1".repeat(LONGEST + 1)), Err(EnvelopeError::TooLong));
}

#[test]
fn a_name_or_address_over_8_kib_is_none() {
    let named = |length: usize| {
        let value = "n".repeat(length - 2);
        let text = format!(r#"{{"method":"x","params":{{"name":"{value}","uri":"{value}"}}}}"#);
        let found = facts(&text).unwrap();
        (found.name.is_some_and(|name| name == value), found.uri.is_some_and(|uri| uri == value))
    };
    assert_eq!(named(LONGEST), (true, true));
    assert_eq!(named(LONGEST + 1), (false, false));
}

#[test]
fn an_outermost_name_over_256_bytes_is_refused_and_one_in_params_may_be_a_twin() {
    let (fits, long) = ("n".repeat(LONGEST_NAME - 2), "n".repeat(LONGEST_NAME - 1));
    let outermost = |name: &str| facts(&format!(r#"{{"{name}":1,"id":1,"result":{{}}}}"#));
    assert!(outermost(&fits).is_ok());
    assert_eq!(outermost(&long), Err(EnvelopeError::TooLong));
    let has_twin = |name: &str| {
        let text = format!(r#"{{"method":"x","params":{{"{name}":1}}}}"#);
        facts(&text).unwrap().has_duplicate_params
    };
    assert!(!has_twin(&fits) && has_twin(&long));
}

#[test]
fn a_number_in_two_pieces_is_one_number() {
    let mut envelope = Envelope::default();
    let half = "1".repeat(100);
    for piece in [r#"{"result":{},"id":"#, &half, &half, "}"] {
        envelope.push(piece.as_bytes()).unwrap();
    }
    assert_eq!(envelope.finish().unwrap().id, Some(format!("{half}{half}")));
}

#[test]
fn the_deepest_message_passes_and_a_deeper_one_does_not() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(facts(&nested(DEEPEST)).is_ok());
    assert_eq!(facts(&nested(DEEPEST + 1)), Err(EnvelopeError::TooDeep));
}

#[test]
fn members_decide_at_their_place_and_nowhere_else() {
    let text = r#"{"params":{"id":1,"method":"m","result":1,"error":1,"x":{"name":"n","uri":"u"}},
        "name":"n","uri":"u","other":{"name":"n"}}"#;
    let found = facts(text).unwrap();
    assert_eq!((found.id, found.method, found.name, found.uri), (None, None, None, None));
    assert!(!found.has_result && !found.has_error && !found.has_duplicate_params);
    let batch = facts(r#"[{"id":1,"method":"m","params":{"name":"n"}}]"#).unwrap();
    assert_eq!((batch.id, batch.method, batch.name), (None, None, None));
    // What stands in an id is part of it.
    let id = r#"{"method":"m","params":{"name":"n"},"x":[{"y":"z"}]}"#;
    let found = facts(&format!(r#"{{"id":{id},"result":{{}}}}"#)).unwrap();
    assert_eq!((found.id.as_deref(), found.method, found.name), (Some(id), None, None));
}

#[test]
fn words_and_numbers_are_those_of_json_and_no_others() {
    for word in
        ["true", "false", "null", "0", "-0", "10", "1.5", "-1.50", "1e5", "1E+5", "1e-05", "0.0e0"]
    {
        assert!(facts(&format!("[{word}]")).is_ok(), "{word}");
    }
    for word in [
        "True", "nulls", "-", "+1", ".5", "00", "-01", "1.", "1.e5", "1e", "1e+", "1e5.0", "1e5e5",
        "0x1", "1a", "e5", "--1", "1-", "NaN", "Infinity",
    ] {
        assert_eq!(facts(&format!("[{word}]")), Err(EnvelopeError::Syntax), "{word}");
    }
}
