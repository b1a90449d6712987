use facets_testkit::{Random, random_json};

use super::*;

/// Reads a message in pieces of this size.
fn read(text: &str, piece: usize) -> Result<MessageFacts, EnvelopeError> {
    let mut envelope = Envelope::default();
    for bytes in text.as_bytes().chunks(piece) {
        envelope.push(bytes)?;
    }
    envelope.finish().cloned()
}

/// The same, however it is cut.
fn facts(text: &str) -> Result<MessageFacts, EnvelopeError> {
    let whole = read(text, usize::MAX);
    for piece in [1, 2, 3, 7] {
        assert_eq!(read(text, piece), whole, "{text} in pieces of {piece}");
    }
    whole
}

#[test]
fn what_a_message_is_stands_in_its_outermost_members() {
    let request = facts(
        r#" {"method":"tools/call","params":{"arguments":{"name":"no","id":1},"name":"read\u005ffile"},"jsonrpc":"2.0","id":"a\"7"} "#,
    )
    .expect("a message");
    assert_eq!(request.method.as_deref(), Some("tools/call"));
    assert_eq!(request.name.as_deref(), Some("read_file"));
    assert_eq!(request.id.as_deref(), Some(r#""a\"7""#));
    let reply = facts(r#"{"result":{"id":3,"content":[{"id":4}]},"id":-1.5e2}"#).expect("a reply");
    assert!(reply.has_result && !reply.has_error && reply.method.is_none());
    assert_eq!(reply.id.as_deref(), Some("-1.5e2"));
    let nothing = facts(r#"{"id":1,"error":null,"result":{}}"#).expect("a reply");
    assert!(nothing.has_result && !nothing.has_error);
    let error = facts(r#"{"id":null,"error":{"code":1}}"#).expect("an error");
    assert!(error.has_error);
    assert_eq!(error.id.as_deref(), Some("null"));
    let read = facts(r#"{"method":"resources/read","params":{"uri":"file:///a"}}"#).expect("one");
    assert_eq!(read.uri.as_deref(), Some("file:///a"));
    assert_eq!(facts("[{\"id\":1}]").expect("a batch").shape, MessageShape::Batch);
    assert_eq!(facts("\"text\"").expect("a text").shape, MessageShape::Other);
    assert_eq!(facts("17").expect("a number").shape, MessageShape::Other);
}

#[test]
fn what_readers_would_read_differently_is_refused() {
    let twins = [
        r#"{"id":1,"result":{},"id":2}"#,
        r#"{"id":1,"\u0069d":2}"#,
        r#"{"id":1,"result":{},"Result":{}}"#,
        r#"{"id":1,"re\u017fult":{}}"#,
        r#"{"ID":1,"result":{}}"#,
        r#"{"params":{},"params":{"name":"y"}}"#,
    ];
    for text in twins {
        assert_eq!(facts(text), Err(EnvelopeError::Duplicate), "{text}");
    }
    let wrong = [
        "",
        " ",
        "{",
        r#"{"id":1"#,
        r#"{"id":1}}"#,
        r#"{"id":1} {"id":2}"#,
        r#"{"id" 1}"#,
        r#"{"id":1,}"#,
        r#"{,"id":1}"#,
        "[1}",
        "[1,]",
        "[1 2]",
        "[tru]",
        "[01]",
        "[1.]",
        "[--1]",
        r#"{"id":1,"result":[1,nonsense]}"#,
        "{\"id\":1,\"result\":[1,\u{2028}{}]}",
        "{\"id\":1,\"result\":[\"a\u{b}b\"]}",
        r#"{"id":1,"result":{"a" "b"}}"#,
        r#"{"id":1,"result":{"a":1,,"b":2}}"#,
        r#"{"method":1}"#,
        r#"{"id":[1}}"#,
        r#"{"id":01}"#,
        r#"{"id":nul}"#,
        "{'id':1}",
        "{id:1}",
    ];
    for text in wrong {
        assert_eq!(facts(text), Err(EnvelopeError::Syntax), "{text}");
    }
    let deep = format!("{}{}", "[".repeat(DEEPEST + 1), "]".repeat(DEEPEST + 1));
    assert_eq!(facts(&deep), Err(EnvelopeError::TooDeep));
    let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(LONGEST));
    assert_eq!(facts(&long), Err(EnvelopeError::TooLong));
}

#[test]
fn an_id_may_be_any_json() {
    for id in ["true", "[1,\"]\",{\"id\":2}]", "{\"id\":{}}", "\"\"", "0.1"] {
        let text = format!(r#"{{"id":{id},"method":"x"}}"#);
        assert_eq!(facts(&text).expect("a request").id.as_deref(), Some(id), "{text}");
    }
}

#[test]
fn names_in_parameters_decide_only_for_those_who_ask() {
    let twins = facts(r#"{"method":"a","params":{"name":"x","name":"y"}}"#).expect("a message");
    assert!(twins.has_duplicate_params);
    let capital = facts(r#"{"method":"a","params":{"Name":"x"}}"#).expect("a message");
    assert!(capital.has_duplicate_params);
    for params in [r#"{"name":null}"#, r#"{"name":{"name":"x"}}"#, r#"["name","x"]"#] {
        let text = format!(r#"{{"params":{params},"method":"x"}}"#);
        assert_eq!(facts(&text).expect("a message").name, None, "{text}");
    }
    let long = format!(r#"{{"params":{{"{}":1,"name":"x"}}}}"#, "name".repeat(LONGEST));
    let found = facts(&long).expect("a message");
    assert_eq!((found.name.as_deref(), found.has_duplicate_params), (Some("x"), true));
    let cut = format!(r#"{{"method\u0000{}":"tools/call","method":"ping"}}"#, "x".repeat(300));
    assert_eq!(facts(&cut), Err(EnvelopeError::TooLong));
}

#[test]
fn twins_where_nothing_is_decided_pass() {
    let reply = facts(r#"{"id":1,"result":{"name":1,"name":2,"id":1,"id":2}}"#).expect("a reply");
    assert!(reply.has_result);
}

/// A document whose texts are counted instead.
fn without_texts(text: &str) -> String {
    let (mut out, mut count, mut rest) = (String::new(), 0, text);
    while let Some((before, after)) = rest.split_once('"') {
        let mut is_escaped = false;
        let end = after.find(|letter| {
            let ends = letter == '"' && !is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            ends
        });
        let Some(end) = end else { break };
        count += 1;
        out = format!("{out}{before}\"{count}\"");
        rest = &after[end + 1..];
    }
    out + rest
}

/// What a strict reader accepts is followed, and its members are found.
#[test]
fn random_messages_are_followed() {
    let mut random = Random::seeded(3);
    for _ in 0..2000 {
        let (mut params, mut result) = (String::new(), String::new());
        random_json(&mut random, 4, &mut params);
        random_json(&mut random, 4, &mut result);
        let id = random.pick(&["1", "\"x\"", "-3.25", "null", "1e5"]);
        let text = format!(r#"{{"other":{params},"id":{id},"result":{result}}}"#);
        let limits = Limits { bytes: 1 << 20, depth: 128, values: 1 << 16 };
        let strict = json::parse(text.as_bytes(), Provenance::Captured, limits).is_ok();
        let found = facts(&text);
        // One sign less or another: whoever follows it has found the same texts.
        let mut other = text.clone().into_bytes();
        let at = random.below(other.len());
        match random.pick(&["other", "less"]) {
            "less" => drop(other.remove(at)),
            _ => other[at] = random.pick(b"\"\\{}[]:,0 "),
        }
        let is_followed = Envelope::read(&other).is_ok();
        let other = without_texts(&String::from_utf8_lossy(&other));
        let is_json = json::parse(other.as_bytes(), Provenance::Authored, limits).is_ok();
        assert!(!is_followed || is_json, "{other}");
        if strict {
            let found = found.unwrap_or_else(|broken| panic!("{broken:?}: {text}"));
            assert_eq!(found.id.as_deref(), Some(id));
            assert!(found.has_result && found.is_complete);
        }
    }
}
