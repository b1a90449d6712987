//! Lines that are longer than most: they pass as they come, or are seen whole, or go nowhere.

use crate::support::{Session, TOOL, rules};
use facets_guard::{Decision, Event, Reason, Rules};

const OTHER: &str = r#"{"id":1,"method":"vendor/x"}"#;

fn opened() -> Session {
    let mut session = Session::new(rules());
    session.client(r#"{"method":"notifications/initialized"}"#);
    session
}

/// Whether bytes of a long line arrive before its end, and the whole line after it.
fn streams(session: &mut Session, line: &str) -> (bool, bool) {
    let (begin, end) = line.split_at(line.len() - 50);
    let now = session.now;
    session.guard.from_server(begin.as_bytes(), now, &mut session.out);
    let mut said = session.taken().1;
    let early = said.len() > 100_000;
    said.push_str(&session.server(end).1);
    (early, said.trim_end() == line)
}

#[test]
fn long_lines_of_the_server_pass_as_they_come_unless_they_have_to_be_seen_whole() {
    let long = "y".repeat(200_000);
    for line in [
        format!(r#"{{"method":"notifications/x","params":{{"text":"{long}"}}}}"#),
        format!(r#"{{"id":7,"method":"roots/list","params":{{"text":"{long}"}}}}"#),
        format!(r#"{{"id":1,"result":{{"text":"{long}"}}}}"#),
        format!(r#"{{"result":{{"text":"{long}"}},"id":1}}"#),
    ] {
        let mut session = opened();
        session.client(OTHER);
        assert_eq!(streams(&mut session, &line), (true, true), "{line:.60}");
    }
    // It may be the answer to a list until its id is known.
    let mut session = opened();
    session.client(OTHER);
    session.client(r#"{"id":2,"method":"tools/list"}"#);
    let line = format!(r#"{{"result":{{"text":"{long}"}},"id":1}}"#);
    assert_eq!(streams(&mut session, &line), (false, true));
    // A line for the log may claim to be ours; it is seen whole.
    let for_log = format!(r#"{{"method":"notifications/message","params":{{"data":"{long}"}}}}"#);
    assert_eq!(streams(&mut session, &for_log), (false, true));
    // What is not granted goes nowhere.
    let mut session = Session::new(Rules { sampling: false, ..rules() });
    let line = format!(r#"{{"id":7,"method":"sampling/createMessage","params":"{long}"}}"#);
    assert_eq!(streams(&mut session, &line), (false, false));
}

#[test]
fn a_long_list_for_the_guard_itself_is_seen_whole() {
    let mut session = opened();
    let call = r#"{"id":1,"method":"tools/call","params":{"name":"echo"}}"#;
    session.client(call);
    let long = "y".repeat(200_000);
    let page = format!(r#"{{"id":"facet-test-1","result":{{"x":"{long}","tools":[{TOOL}]}}}}"#);
    assert_eq!(session.server(&page).0.trim(), call);
}

#[test]
fn a_long_request_of_the_server_that_is_not_granted_is_answered() {
    let mut session = Session::new(Rules { sampling: false, ..rules() });
    let long = "y".repeat(200_000);
    let line = format!(r#"{{"id":7,"method":"sampling/createMessage","params":{{"x":"{long}"}}}}"#);
    let (answer, said) = session.server(&line);
    assert!(answer.contains("\"id\":7") && answer.contains("not_granted"), "{answer}");
    assert_eq!(said, "");
}

#[test]
fn a_long_request_of_the_server_that_asks_nothing_is_recorded_as_too_large() {
    let mut session = opened();
    let long = "y".repeat(200_000);
    let method = "notifications/tools/list_changed";
    let line = format!(r#"{{"id":7,"method":"{method}","params":{{"x":"{long}"}}}}"#);
    assert_eq!(session.server(&line), (String::new(), String::new()));
    let is_dropped = |event: &Event| {
        event.decision == Decision::Dropped && event.reason == Some(Reason::TooLarge)
    };
    assert!(session.out.events.iter().any(is_dropped));
}

#[test]
fn a_long_call_that_may_go_on_goes_on_before_it_has_ended() {
    let mut session = Session::new(rules());
    session.list(TOOL);
    let begin = r#"{"id":1,"method":"tools/call","params":{"name":"echo","text":""#;
    let long = format!("{begin}{}", "y".repeat(200_000));
    session.guard.from_client(long.as_bytes(), session.now, &mut session.out);
    assert!(session.taken().0.len() > 100_000);
    let read = r#"{"id":2,"method":"resources/read","params":{"uri":"file:///a","x":""#;
    let mut session = Session::new(rules());
    let long = format!("{read}{}", "y".repeat(200_000));
    session.guard.from_client(long.as_bytes(), session.now, &mut session.out);
    assert!(session.taken().0.len() > 100_000);
}

/// spec 11.3: white space at the end of a line is no more than 192 KiB
#[test]
fn a_long_line_may_end_in_white_space_but_not_for_ever() {
    for (blanks, passes) in [(100 << 10, true), (128 << 10, true), (400 << 10, false)] {
        let mut session = Session::new(rules());
        session.client(r#"{"id":1,"method":"vendor/x"}"#);
        let line = format!(r#"{{"id":1,"result":"{}"}}"#, "y".repeat(200_000));
        let blank = vec![b' '; 16 << 10];
        let now = session.now;
        session.guard.from_server(line.as_bytes(), now, &mut session.out);
        for _ in 0..blanks / blank.len() {
            session.guard.from_server(&blank, now, &mut session.out);
        }
        let mut said = session.taken().1;
        said.push_str(&session.server("").1);
        let first = said.lines().next().unwrap().trim_end();
        assert_eq!(first == line, passes, "{blanks}");
        assert_eq!(said.contains("malformed"), !passes, "{blanks}");
    }
}

#[test]
fn a_long_message_that_contradicts_itself_never_ends() {
    let long = "y".repeat(200_000);
    for answer in [r#""result":{}"#, r#""error":{"code":1}"#, r#""error":null"#] {
        let line = format!(r#"{{"id":1,"method":"vendor/x","text":"{long}",{answer}}}"#);
        let mut session = opened();
        let (sent, said) = session.client(&line);
        assert!(!sent.contains(answer) || !sent.trim_end().ends_with('}'), "{answer}");
        assert!(said.contains("malformed"), "{answer}: {said}");
        assert_eq!(session.guard.waiting(), 0);
    }
}

#[test]
fn a_long_cancellation_frees_the_id_as_well() {
    let mut session = opened();
    session.client(OTHER);
    let long = "y".repeat(100_000);
    let line = format!(
        r#"{{"method":"notifications/cancelled","params":{{"requestId":1,"reason":"{long}"}}}}"#
    );
    let (begin, end) = line.split_at(80_000);
    let now = session.now;
    session.guard.from_client(begin.as_bytes(), now, &mut session.out);
    session.client(end);
    assert_eq!(session.guard.waiting(), 0);
}

#[test]
fn a_long_answer_that_asks_for_what_is_not_granted_never_ends() {
    let mut session = Session::new(Rules { elicitation: false, ..rules() });
    session.client(OTHER);
    let asks = r#""inputRequests":{"a":{"method":"elicitation/create"}}"#;
    let line = format!(r#"{{"id":1,"result":{{"text":"{}",{asks}}}}}"#, "y".repeat(200_000));
    let said = session.server(&line).1;
    let last = said.lines().last().unwrap();
    assert!(last.contains("\"id\":1") && last.contains("not_granted"), "{last}");
    assert!(!said.contains(&line));
    assert_eq!(session.guard.waiting(), 0);
    assert!(session.out.events.iter().any(|event| event.decision == Decision::Denied));
}

/// What becomes of a line of the client that comes in two pieces, so that it is judged before its end.
fn sent_in_pieces(session: &mut Session, line: &str) -> (String, String) {
    let (begin, end) = line.split_at(line.len() - 50);
    let now = session.now;
    session.guard.from_client(begin.as_bytes(), now, &mut session.out);
    let (mut sent, mut said) = session.taken();
    let (more, answer) = session.client(end);
    sent.push_str(&more);
    said.push_str(&answer);
    (sent, said)
}

#[test]
fn the_end_of_a_long_line_of_the_client_may_refuse_it() {
    let long = "y".repeat(200_000);
    let call = |members: &str| {
        format!(
            r#"{{"id":1,"method":"tools/call","params":{{"name":"echo","x":"{long}"{members}}}"#
        )
    };
    for (line, reason) in [
        (format!(r#"{},"result":{{"z":"0123456789"}}}}"#, call("")), "malformed"),
        (format!(r#"{},"error":{{"z":"0123456789"}}}}"#, call("")), "malformed"),
        (format!(r#"{},"z":"01234567890123456789","error":null}}"#, call("")), "malformed"),
        (format!("{}}}", call(r#","z":"012345678901234567890","name":"evil""#)), "ambiguous"),
        (format!(r#"{{"x":"{long}","result":1,"error":{{"code":1,"message":"m"}}}}"#), "malformed"),
    ] {
        let mut session = opened();
        session.list(TOOL);
        let (sent, said) = sent_in_pieces(&mut session, &line);
        assert!(!sent.contains(&line), "{reason}");
        assert!(said.contains(&format!("\"code\":\"{reason}\"")), "{reason}: {said}");
        assert_eq!(session.guard.waiting(), 0, "{reason}");
    }
}

#[test]
fn a_long_line_of_the_client_passes_wherever_its_name_stands() {
    let long = "y".repeat(200_000);
    for line in [
        format!(
            r#"{{"id":1,"method":"tools/call","params":{{"name":"echo","x":"{long}","z":"0123456789"}}}}"#
        ),
        format!(
            r#"{{"id":1,"method":"tools/call","params":{{"x":"{long}","z":"01234567","name":"echo"}}}}"#
        ),
        format!(
            r#"{{"id":1,"method":"resources/read","params":{{"x":"{long}","z":"0","uri":"file:///a"}}}}"#
        ),
        format!(
            r#"{{"id":1,"params":{{"x":"{long}","z":"012345678901234567"}},"method":"vendor/x"}}"#
        ),
    ] {
        let mut session = opened();
        session.list(TOOL);
        let (sent, said) = sent_in_pieces(&mut session, &line);
        assert_eq!(sent.trim_end(), line, "{said}");
        assert_eq!(session.guard.waiting(), 1);
        // Its id is in use until it is answered.
        let (sent, said) = sent_in_pieces(&mut session, &line);
        assert!(!sent.contains(&line) && said.contains("id_in_use"), "{said}");
    }
    let reply =
        format!(r#"{{"id":7,"result":{{"x":"{long}","z":"012345678901234567890123456"}}}}"#);
    assert_eq!(sent_in_pieces(&mut opened(), &reply).0.trim_end(), reply);
}
