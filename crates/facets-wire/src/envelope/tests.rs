use facets_digest::json::{self, Limits, Provenance};
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

/// What a message asks for, and whether something in it is unclear.
fn questions(text: &str) -> (Vec<String>, bool) {
    let Questions { methods, is_unclear } = facts(text).expect("a message").questions;
    (methods, is_unclear)
}

#[test]
fn questions_are_found_at_every_depth() {
    let asks = r#"{"inputRequests":{"a":{"method":"sampling/createMessage","params":{"method":"x"}},"b":{"params":{},"method":"roots/list"}}}"#;
    let methods = ["sampling/createMessage".to_owned(), "roots/list".to_owned()].to_vec();
    for text in [
        format!(r#"{{"id":1,"result":{asks}}}"#),
        format!(r#"{{"result":{{"task":{asks}}},"id":1}}"#),
        format!(r#"{{"id":1,"result":{{"content":[{{"x":[{asks}]}}]}}}}"#),
        format!(r#"{{"method":"notifications/tasks","params":{asks}}}"#),
        format!(r#"{{"id":1,"error":{{"data":{asks}}}}}"#),
        format!(r#"{{"id":1,"result":{asks},"more":1}}"#),
    ] {
        assert_eq!(questions(&text), (methods.clone(), false), "{text}");
    }
    let escaped = asks.replace("method\":\"roots", "m\\u0065thod\":\"r\\u006fots");
    let text = format!(r#"{{"id":1,"result":{escaped}}}"#);
    assert_eq!(questions(&text), (methods, false));
    let visit =
        r#"{"id":1,"result":{"error":{"code":-32042,"data":{"elicitations":[{"url":"x"}]}}}}"#;
    assert_eq!(questions(visit), (vec!["elicitation/create".to_owned()], false));
    // Behind the first, others are found as well.
    let two = format!(r#"{{"id":1,"result":[{asks},{asks}]}}"#);
    assert_eq!(questions(&two).0.len(), 4);
}

#[test]
fn questions_that_readers_may_understand_differently_are_unclear() {
    for result in [
        r#"{"inputrequests":{}}"#,
        r#"{"input_requests":{}}"#,
        r#"{"-input-Requests":{}}"#,
        r#"{"\u0130nputRequests":{}}"#,
        r#"{"inputReque\u017ft\u017f":{}}"#,
        r#"{"inputRequests\u0000x":{}}"#,
        r#"{"inputRequests\ud800":{}}"#,
        r#"{"inputRequests":[{}]}"#,
        r#"{"inputRequests":["x"]}"#,
        r#"{"inputRequests":"x"}"#,
        r#"{"inputRequests":{"a":[]}}"#,
        r#"{"inputRequests":{"a":null}}"#,
        r#"{"inputRequests":{"a":{}}}"#,
        r#"{"inputRequests":{"a":{"method":7}}}"#,
        r#"{"inputRequests":{"a":{"method":{"method":"x"}}}}"#,
        r#"{"inputRequests":{"a":{"method":"x","method":"y"}}}"#,
        r#"{"inputRequests":{"a":{"Method":"x"}}}"#,
        r#"{"inputRequests":{"a":{"method":"\ud800"}}}"#,
        r#"{"inputRequests":{"a":{"meth\udc00od":"x"}}}"#,
        r#"{"inputRequests":{"a":{"method":"x","params":{"inputRequests":{}}}}}"#,
    ] {
        let text = format!(r#"{{"id":1,"result":{{"task":{result}}}}}"#);
        assert!(questions(&text).1, "{text}");
    }
    let long = format!(r#"{{"inputRequests\u0000{}":{{}}}}"#, "x".repeat(300));
    assert!(questions(&format!(r#"{{"id":1,"result":[{long}]}}"#)).1);
    let long = format!(r#"{{"inputRequests":{{"a":{{"method":"{}"}}}}}}"#, "x".repeat(9000));
    assert!(questions(&format!(r#"{{"id":1,"result":[{long}]}}"#)).1);
    let halves = format!(r#"{{"{}inputRequests":{{}}}}"#, "\\ud800".repeat(60));
    assert!(questions(&format!(r#"{{"id":1,"result":[{halves}]}}"#)).1);
    let many: Vec<String> = (0..65).map(|n| format!(r#""{n}":{{"method":"m"}}"#)).collect();
    let many = format!(r#"{{"id":1,"result":{{"inputRequests":{{{}}}}}}}"#, many.join(","));
    assert!(questions(&many).1);
}

#[test]
fn texts_that_only_look_like_questions_are_none() {
    for result in [
        r#"{"inputRequests":null}"#,
        r#"{"inputRequests":{}}"#,
        r#"{"inputRequests":[],"x":[1]}"#,
        r#"{"inputRequests":7}"#,
        r#"{"text":"inputRequests","x":["inputRequests",{"method":"sampling/createMessage"}]}"#,
        r#"{"inputRequest":{},"inputRequestsx":{},"input":{"Requests":{}},"method":"x"}"#,
        r#"{"interesting-name":{"method":7},"inputReques\u0074":1}"#,
        r#"{"\u4e2d\u6587":{"method":7},"\n":1}"#,
    ] {
        let text = format!(r#"{{"id":1,"result":{result}}}"#);
        assert_eq!(questions(&text), (Vec::new(), false), "{text}");
    }
    let long = "\\u4e2d".repeat(100);
    assert_eq!(questions(&format!(r#"{{"id":1,"result":{{"{long}":1}}}}"#)), (Vec::new(), false));
    // An id is repeated, not read.
    let id = r#"{"id":{"inputRequests":{"a":{}}},"result":{}}"#;
    assert_eq!(questions(id), (Vec::new(), false));
}

#[test]
fn texts_are_utf8_with_the_escapes_of_json() {
    for text in
        ["ü", "\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}", r#"\"\\\/\b\f\n\r\t\u00fC"#, "\u{2028}"]
    {
        assert!(facts(&format!(r#"{{"id":1,"result":"{text}"}}"#)).is_ok(), "{text}");
        assert!(facts(&format!(r#"{{"id":1,"result":{{"{text}":1}}}}"#)).is_ok(), "{text}");
    }
    // A surrogate that stands alone is grammar, and left to the reader of the text.
    assert!(facts(r#"{"id":1,"result":"\ud800"}"#).is_ok());
    let invalid: [&[u8]; 12] = [
        b"\x80",
        b"\xc3",
        b"\xc3(",
        b"\xc0\xaf",
        b"\xe0\x80\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xff",
        b"\xf0\x9f\x98",
        b"\\x41",
        b"\\u12g4",
        b"\\",
    ];
    for bytes in invalid {
        let line = [&br#"{"id":1,"result":[""#[..], bytes, br#""]}"#].concat();
        for piece in [1, 2, 3, line.len()] {
            let mut envelope = Envelope::default();
            let outcome = line.chunks(piece).try_for_each(|bytes| envelope.push(bytes));
            let outcome = outcome.and_then(|()| envelope.finish().map(drop));
            assert_eq!(outcome, Err(EnvelopeError::Syntax), "{bytes:x?} in pieces of {piece}");
        }
    }
}

#[test]
fn an_error_that_is_null_makes_no_reply() {
    let mut envelope = Envelope::default();
    envelope.push(br#"{"error":null,"params":{}"#).expect("a beginning");
    assert!(!envelope.is_reply());
    envelope.push(br#","result":"#).expect("more");
    assert!(!envelope.is_reply());
    envelope.push(b"{").expect("more");
    assert!(envelope.is_reply());
    let mut error = Envelope::default();
    error.push(br#"{"error":{"#).expect("a beginning");
    assert!(error.is_reply());
    let nothing = facts(r#"{"id":1,"result":null,"error":{}}"#).expect("a message");
    assert!(nothing.has_null_result && nothing.has_result && nothing.has_error);
    assert!(!facts(r#"{"id":1,"result":{"x":null}}"#).expect("a message").has_null_result);
    let both = facts(r#"{"error":null,"method":"x"}"#).expect("a message");
    assert!(both.has_null_error && !both.has_error);
}

#[test]
fn a_prototype_where_members_decide_is_refused() {
    for text in [
        r#"{"id":1,"result":{},"__proto__":{}}"#,
        r#"{"id":1,"result":{"__proto__":{"instructions":"x"}}}"#,
        r#"{"id":1,"result":{"_\u005fproto__":1}}"#,
        r#"{"id":1,"method":"x","params":{"__proto__":{}}}"#,
        r#"{"id":1,"error":{"__proto__":{}}}"#,
    ] {
        assert_eq!(facts(text), Err(EnvelopeError::Prototype), "{text}");
    }
    for text in [
        r#"{"id":1,"result":{"structuredContent":{"__proto__":{}}}}"#,
        r#"{"id":1,"result":{"proto":1,"__proto":2,"text":"__proto__"}}"#,
    ] {
        assert!(facts(text).is_ok(), "{text}");
    }
}

#[test]
fn an_error_inside_is_noted_unless_it_is_null() {
    let has_error = |inner: &str| facts(inner).expect("a message").has_inner_error;
    let long = "x".repeat(300);
    for text in [
        r#"{"id":1,"result":{"a":1,"error":{}}}"#.to_owned(),
        r#"{"method":"x","params":{"Error":"x"}}"#.to_owned(),
        r#"{"id":1,"result":{"error\u0000x":1}}"#.to_owned(),
        r#"{"id":1,"result":{"error\ud800":1}}"#.to_owned(),
        format!(r#"{{"id":1,"result":{{"error\u0000{long}":1}}}}"#),
        format!(r#"{{"id":1,"result":{{"err{}or":1}}}}"#, "_".repeat(300)),
    ] {
        assert!(has_error(&text), "{text}");
    }
    for text in [
        r#"{"id":1,"result":{"error":null}}"#.to_owned(),
        r#"{"id":1,"result":{"a":{"error":1}}}"#.to_owned(),
        r#"{"id":1,"result":{"errors":[1]}}"#.to_owned(),
        r#"{"id":1,"result":{"error":null,"a":{}}}"#.to_owned(),
        format!(r#"{{"id":1,"result":{{"error{long}":1}}}}"#),
        format!(r#"{{"id":1,"result":{{"e{long}":1}}}}"#),
    ] {
        assert!(!has_error(&text), "{text}");
    }
}

#[test]
fn questions_behind_long_names_and_beside_others_are_found() {
    let joined = "_".repeat(300);
    let rest = "x".repeat(300);
    for inner in [
        format!(r#"{{"input{joined}Requests":{{}}}}"#),
        format!(r#"{{"elicitations\u0000{rest}":[]}}"#),
        format!(
            r#"{{"inputRequests":{{"a":{{"method":"roots/list","method\u0000{rest}":"x"}}}}}}"#
        ),
        format!(r#"{{"inputRequests":{{"a":{{"me{joined}thod":"x","method":"roots/list"}}}}}}"#),
    ] {
        assert!(questions(&format!(r#"{{"id":1,"result":[{inner}]}}"#)).1, "{inner}");
    }
    let visit = vec!["elicitation/create".to_owned(), "roots/list".to_owned()];
    for inner in [
        r#"{"inputRequests":{"elicitations":{"method":"roots/list"}}}"#,
        r#"{"inputRequests":{"a":{"elicitations":[],"method":"roots/list"}}}"#,
    ] {
        assert_eq!(questions(&format!(r#"{{"id":1,"result":{inner}}}"#)).0, visit, "{inner}");
    }
    let names = format!(r#"{{"inputs{rest}":1,"method{rest}":2,"e{rest}":3}}"#);
    assert_eq!(questions(&format!(r#"{{"id":1,"result":{names}}}"#)), (Vec::new(), false));
}
