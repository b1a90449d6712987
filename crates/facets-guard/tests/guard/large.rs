//! Decisions about very large messages: they take a second, so they are tested apart.

use crate::support::{Session, TOOL, rules};

#[track_caller]
fn refused(answer: &(String, String), reason: &str) {
    assert!(answer.0.is_empty(), "it reached the server: {}", answer.0);
    assert!(answer.1.contains(&format!("\"code\":\"{reason}\"")), "{}", answer.1);
}

#[test]
fn many_strange_resources_do_not_hide_a_changed_tool() {
    let mut session = Session::new(rules());
    assert!(session.list(TOOL).contains("echo"));
    for page in 0..6 {
        session.client(r#"{"id":"r","method":"resources/list"}"#);
        let items: Vec<String> =
            (0..9_000).map(|n| format!(r#"{{"uri":"x://{page}/{n}","name":"n"}}"#)).collect();
        session.server(&format!(r#"{{"id":"r","result":{{"resources":[{}]}}}}"#, items.join(",")));
    }
    session.list(&TOOL.replace("again", "never"));
    let call = r#"{"id":1,"method":"tools/call","params":{"name":"echo"}}"#;
    refused(&session.client(call), "changed");
}

#[test]
fn an_endless_answer_whose_id_stands_behind_it_arrives() {
    let mut session = Session::new(rules());
    session.client(r#"{"id":1,"method":"vendor/x"}"#);
    // While a list is awaited, it may be that one.
    session.client(r#"{"id":2,"method":"tools/list"}"#);
    let answer = format!(r#"{{"result":{{"text":"{}"}},"id":1}}"#, "y".repeat(17 << 20));
    assert!(session.server(&answer).1.trim() == answer, "it does not arrive as it was sent");
}

#[test]
fn a_list_that_is_too_large_is_answered_with_an_error() {
    let mut session = Session::new(rules());
    session.client(r#"{"id":1,"method":"tools/list"}"#);
    let page = format!(r#"{{"result":{{"pad":"{}","tools":[]}},"id":1}}"#, "y".repeat(17 << 20));
    let (begin, end) = page.split_at(100_000);
    let now = session.now;
    session.guard.from_server(begin.as_bytes(), now, &mut session.out);
    let said = session.server(end).1;
    let last = said.lines().last().unwrap();
    assert!(last.contains("\"id\":1") && last.contains("too_large"), "{said:.300}");
}

#[test]
fn a_call_that_is_too_large_to_wait_for_a_list_is_refused() {
    let mut session = Session::new(rules());
    let begin = r#"{"id":1,"method":"tools/call","params":{"name":"echo","text":""#;
    let line = format!("{begin}{}", "y".repeat(17 << 20));
    let now = session.now;
    session.guard.from_client(line.as_bytes(), now, &mut session.out);
    refused(&session.client(r#""}}"#), "too_large");
}

#[test]
fn calls_that_wait_for_a_list_have_16_mib_together() {
    let mut session = Session::new(rules());
    let long = "y".repeat(60_000);
    let call = |id: usize| {
        format!(r#"{{"id":{id},"method":"tools/call","params":{{"name":"echo","text":"{long}"}}}}"#)
    };
    // Each of them has about 60,000 bytes: 279 fit.
    for id in 100..379 {
        assert_eq!(session.client(&call(id)).1, "", "{id}");
    }
    refused(&session.client(&call(379)), "too_many");
    assert_eq!(session.guard.waiting(), 279);
}

#[test]
fn nothing_of_a_list_that_is_too_large_arrives_if_it_says_at_once_what_it_is() {
    let mut session = Session::new(rules());
    session.client(r#"{"id":1,"method":"tools/list"}"#);
    let line = format!(r#"{{"id":1,"result":{{"pad":"{}","#, "y".repeat(17 << 20));
    let now = session.now;
    session.guard.from_server(line.as_bytes(), now, &mut session.out);
    let said = session.server(r#""tools":[]}}"#).1;
    assert!(said.contains("too_large") && said.len() < 1000, "{said:.300}");
}
