//! Messages as they are cut, read and written.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_digest::json::Limits;
use facets_wire::{
    Envelope, EventParser, Line, LineFramer, Questions, error_reply, id_key, keep_on_one_line,
    member, member_at, notification, object_of, params_of, push_line, request, result_reply,
    with_member,
};

const LIMITS: Limits = Limits::DOCUMENT;

#[test]
fn messages_are_written_as_json_rpc() {
    assert_eq!(
        request("7", "ping", "{\"a\":1}"),
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1}}"#
    );
    assert_eq!(request("\"x\"", "ping", ""), r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#);
    assert_eq!(notification("n", "[]"), r#"{"jsonrpc":"2.0","method":"n","params":[]}"#);
    assert_eq!(notification("n", ""), r#"{"jsonrpc":"2.0","method":"n"}"#);
    assert_eq!(result_reply("7", "{}"), r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    assert_eq!(
        error_reply("7", -1, "a \"b\"", "{}"),
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"a \"b\"","data":{}}}"#
    );
    assert_eq!(
        error_reply("null", -1, "m", ""),
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}"#
    );
}

#[test]
fn members_are_found_as_they_are_written() {
    let text = r#"{"a":{"b": [1, 2] },"params":{ "x":1 }}"#;
    assert_eq!(member(text, "a", LIMITS), Some(r#"{"b": [1, 2] }"#));
    assert_eq!(member(text, "b", LIMITS), None);
    assert_eq!(member_at(text, &["a", "b"], LIMITS), Some("[1, 2]"));
    assert_eq!(member_at(text, &["a", "x"], LIMITS), None);
    assert_eq!(params_of(text.as_bytes(), LIMITS), Some(r#"{ "x":1 }"#));
    assert_eq!(params_of(b"\xff", LIMITS), None);
    assert_eq!(member("[]", "a", LIMITS), None);
}

#[test]
fn objects_are_written_with_other_members_and_the_rest_as_it_was() {
    let text = r#"{"a":1,"b\"":[ 2 ],"c":3}"#;
    assert_eq!(with_member(text, "c", "{}", LIMITS).unwrap(), r#"{"a":1,"b\"":[ 2 ],"c":{}}"#);
    assert_eq!(with_member(text, "d", "{}", LIMITS).unwrap(), text);
    assert_eq!(with_member("7", "d", "{}", LIMITS), None);
    let members = facets_digest::json::split_object(text.as_bytes(), LIMITS).unwrap().unwrap();
    assert_eq!(
        object_of(members.iter().filter(|member| member.name != "a")),
        r#"{"b\"":[ 2 ],"c":3}"#
    );
}

#[test]
fn a_line_may_be_as_long_as_the_limit_however_many_there_are() {
    let mut framer = LineFramer::new(5);
    let lines = framer.push(b"{123}\n{456}\n{7").unwrap();
    assert_eq!(lines, [Line::Message(b"{123}".to_vec()), Line::Message(b"{456}".to_vec())]);
    assert_eq!(framer.push(b"89}\n").unwrap(), [Line::Message(b"{789}".to_vec())]);
    assert!(framer.push(b"{1234}\n").is_err());
    assert!(LineFramer::new(5).push(b"{12345").is_err());
    assert!(LineFramer::new(5).push(b"{1}\n{1234}\n").is_err());
}

#[test]
fn a_message_stays_on_one_line() {
    let mut bytes = *b"\r{\n\"a\":\r\n1}\n";
    keep_on_one_line(&mut bytes);
    assert_eq!(&bytes, b" { \"a\":  1} ");
    let mut out = b"before\n".to_vec();
    push_line(b"{\"a\":\r1}\r", &mut out);
    push_line(b"{}", &mut out);
    assert_eq!(out, b"before\n{\"a\": 1}\r\n{}\n");
}

#[test]
fn ids_that_are_one_value_have_one_key() {
    for (one, other) in
        [("1", "1.0"), ("0", "-0"), ("\"a\"", "\"\\u0061\""), ("\"\\\"\"", "\"\\u0022\"")]
    {
        assert_eq!(id_key(one), id_key(other), "{one} {other}");
    }
    for (one, other) in [("1", "\"1\""), ("0", "1"), ("10", "1"), ("\"a\"", "\"b\""), ("null", "0")]
    {
        assert_ne!(id_key(one), id_key(other), "{one} {other}");
    }
    // What is no JSON is only itself.
    assert_eq!(id_key("01"), "01");
}

#[test]
fn events_end_with_lines_of_every_kind_in_any_pieces() {
    for stream in
        ["data: a\n\ndata: b\n\n", "data: a\r\n\r\ndata: b\r\n\r\n", "data: a\r\rdata: b\r\r"]
    {
        for piece in [1, 2, 3, stream.len()] {
            let mut parser = EventParser::new(100);
            let pieces = stream.as_bytes().chunks(piece);
            let events: Vec<_> = pieces.flat_map(|bytes| parser.push(bytes).unwrap()).collect();
            let data: Vec<&[u8]> = events.iter().map(|event| &*event.data).collect();
            assert_eq!(data, [b"a", b"b"], "{stream:?} in pieces of {piece}");
        }
    }
}

#[test]
fn nothing_is_asked_without_a_question() {
    let is_empty = |questions: Questions| questions.is_empty();
    assert!(is_empty(Questions::default()));
    assert!(!is_empty(Questions { methods: vec!["m".to_owned()], ..Questions::default() }));
    assert!(!is_empty(Questions { is_unclear: true, ..Questions::default() }));
}

#[test]
fn a_name_that_stands_once_is_no_twin() {
    let facts = Envelope::read(br#"{"method":"m","params":{"name":"n","uri":"u"}}"#).unwrap();
    assert_eq!((facts.name.as_deref(), facts.uri.as_deref()), (Some("n"), Some("u")));
    assert!(!facts.has_duplicate_params);
}

#[test]
fn ids_with_escapes_and_signs_are_kept_as_they_are_written() {
    for id in [r#""a\\b""#, r#""\u00e9""#, "\"é\"", "-7", "123456789012345678", "\"~ \""] {
        let text = format!(r#"{{"id":{id},"result":{{}}}}"#);
        let facts = Envelope::read(text.as_bytes()).unwrap();
        assert_eq!(facts.id.as_deref(), Some(id));
    }
    for id in [r#""\ud800""#, "{\"a\":1,\"a\":2}"] {
        let text = format!(r#"{{"id":{id},"result":{{}}}}"#);
        assert!(Envelope::read(text.as_bytes()).is_err(), "{id}");
    }
}
