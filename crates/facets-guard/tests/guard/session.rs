//! A session from its opening to its end: what is counted, said, recorded and forgotten.

use core::time::Duration;

use crate::support::{Session, TOOL, rules};
use facets_guard::{Decision, OnDrift, Reason, Rules};

const OPEN: &str = r#"{"id":0,"method":"initialize","params":{"x":1}}"#;
const OPENED: &str = r#"{"id":0,"result":{"capabilities":{"tools":{},"prompts":{},"resources":{}},"instructions":"Be kind."}}"#;
const CALL: &str = r#"{"id":1,"method":"tools/call","params":{"name":"echo"}}"#;
const OTHER: &str = r#"{"id":1,"method":"vendor/x"}"#;

fn opened() -> Session {
    let mut session = Session::new(rules());
    session.client(OPEN);
    session.server(OPENED);
    session.client(r#"{"method":"notifications/initialized"}"#);
    session
}

fn with_id(line: &str, id: &str) -> String {
    line.replacen("\"id\":1", &format!("\"id\":{id}"), 1)
}

/// The id of the guard's own request.
fn own_id(line: &str) -> String {
    line.split("\"id\":").nth(1).unwrap().split(',').next().unwrap().to_owned()
}

fn reasons(session: &Session) -> Vec<(Decision, &'static str)> {
    let word = |reason: &Option<Reason>| reason.as_ref().map_or("", Reason::word);
    session.out.events.iter().map(|event| (event.decision, word(&event.reason))).collect()
}

#[test]
fn a_server_is_asked_once_at_a_time_whether_it_is_there() {
    let mut session = Session::new(rules());
    let ping = |session: &mut Session| {
        session.guard.ping(session.now, &mut session.out);
        session.taken().0
    };
    assert_eq!(ping(&mut session), "", "not before it is open");
    assert!(!session.guard.is_silent());
    let mut session = opened();
    let asked = ping(&mut session);
    assert!(asked.contains("\"method\":\"ping\""), "{asked}");
    assert!(session.guard.is_silent());
    assert_eq!(ping(&mut session), "");
    let said = session.server(&format!(r#"{{"id":{},"result":{{}}}}"#, own_id(&asked)));
    assert_eq!(said, (String::new(), String::new()));
    assert!(!session.guard.is_silent());
    // An answer that cannot be read is one.
    let asked = ping(&mut session);
    session.server(&format!(r#"{{"id":{},"result":{{}},"error":{{}}}}"#, own_id(&asked)));
    assert!(!session.guard.is_silent());
}

#[test]
fn requests_that_wait_are_counted_and_answered_once() {
    let mut session = opened();
    assert_eq!(session.guard.waiting(), 0);
    session.client(OTHER);
    session.client(&with_id(CALL, "2"));
    assert_eq!(session.guard.waiting(), 2, "one of them for a list");
    // Neither id can be reused while it waits, and ids of the guard are refused.
    for line in [OTHER.to_owned(), with_id(CALL, "2"), with_id(OTHER, "\"facet-test-1\"")] {
        let (sent, said) = session.client(&line);
        assert!(sent.is_empty() && said.contains("id_in_use"), "{line}: {said}");
    }
    session.server(r#"{"id":1,"result":{}}"#);
    assert_eq!(session.guard.waiting(), 1);
    assert_eq!(session.client(OTHER).0.trim(), OTHER, "its id is free");
}

#[test]
fn hundreds_may_wait_for_answers_while_hundreds_wait_for_a_list() {
    let mut session = opened();
    for id in 0..320 {
        assert_eq!(session.client(&with_id(OTHER, &format!("\"a{id}\""))).1, "");
        assert_eq!(session.client(&with_id(CALL, &format!("\"b{id}\""))).1, "");
    }
    assert_eq!(session.client(OTHER).1, "");
    assert_eq!(session.guard.waiting(), 641);
}

#[test]
fn a_request_that_is_cancelled_is_not_waited_for_unless_it_is_a_list() {
    let mut session = opened();
    let cancel = |id: &str| {
        format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
    };
    session.client(OTHER);
    session.client(&with_id(CALL, "2"));
    session.client(r#"{"id":3,"method":"tools/list"}"#);
    for (id, left) in [("1", 2), ("2", 1), ("3", 1)] {
        assert_eq!(session.client(&cancel(id)).0.trim(), cancel(id));
        assert_eq!(session.guard.waiting(), left, "{id}");
    }
    let listed = session.server(&format!(r#"{{"id":3,"result":{{"tools":[{TOOL}]}}}}"#)).1;
    assert!(listed.contains("echo"), "{listed}");
}

#[test]
fn the_last_line_of_a_client_may_lack_its_end() {
    let mut session = opened();
    session.guard.from_client(OTHER.as_bytes(), session.now, &mut session.out);
    assert_eq!(session.taken().0, "");
    session.guard.client_ended(session.now, &mut session.out);
    assert_eq!(session.taken().0.trim(), OTHER);
    session.guard.client_ended(session.now, &mut session.out);
    assert_eq!(session.taken(), (String::new(), String::new()));
}

#[test]
fn what_is_approved_and_withheld_is_told() {
    let mut session = opened();
    assert_eq!((session.guard.approved(), session.guard.withheld()), (0, Vec::new()));
    session.list(TOOL);
    assert_eq!(session.guard.approved(), 1);
    session.list(&TOOL.replace("again", "never"));
    assert_eq!(session.guard.approved(), 0);
    let withheld = session.guard.withheld();
    assert!(withheld.len() == 1 && withheld[0].contains("tool \"echo\": changed"), "{withheld:?}");
}

#[test]
fn what_the_guard_says_waits_for_the_end_of_a_line() {
    let mut session = opened();
    session.client(OTHER);
    let long = format!(r#"{{"id":1,"result":{{"text":"{}"#, "y".repeat(200_000));
    session.guard.from_server(long.as_bytes(), session.now, &mut session.out);
    session.taken();
    session.now = Duration::from_secs(10);
    session.client(r#"{"id":2,"method":"tools/call","params":{"name":"evil"}}"#);
    let (for_client, for_server) = session.guard.queued_bytes();
    assert!(for_client > 100 && for_server == 0);
    assert_eq!(session.guard.deadline(), Some(Duration::from_secs(40)), "since it waits");
    let said = session.server(r#""}}"#).1;
    assert!(said.contains("not_approved"), "{said}");
    assert_eq!((session.guard.queued_bytes(), session.guard.deadline()), ((0, 0), None));
}

#[test]
fn a_server_that_ends_owes_nothing_and_is_not_known_any_more() {
    let mut session = opened();
    session.list(TOOL);
    session.client(OTHER);
    session.client(r#"{"id":2,"method":"prompts/get","params":{"name":"greet"}}"#);
    session.guard.server_ended(&mut session.out);
    let said = session.taken().1;
    for id in ["\"id\":1,", "\"id\":2,"] {
        let line = said.lines().find(|line| line.contains(id)).unwrap();
        assert!(line.contains("server_ended"), "{line}");
    }
    assert_eq!((session.guard.waiting(), session.guard.approved()), (0, 0));
    assert_eq!(session.guard.deadline(), None);
}

#[test]
fn a_server_that_is_started_again_hears_the_opening_and_the_client_asks_anew() {
    let mut session = opened();
    session.guard.server_ended(&mut session.out);
    let now = Duration::from_secs(7);
    session.guard.server_restarted(now, &mut session.out);
    let (sent, said) = session.taken();
    assert!(sent.contains("initialize") && sent.contains(r#""params":{"x":1}"#), "{sent}");
    assert_eq!(said, "");
    assert!(session.guard.is_reopening());
    assert!(reasons(&session).contains(&(Decision::Restarted, "server_ended")));
    let reply = OPENED.replacen("\"id\":0", &format!("\"id\":{}", own_id(&sent)), 1);
    let (sent, said) = session.server(&reply);
    assert!(sent.contains("notifications/initialized"), "{sent}");
    for list in ["tools", "prompts", "resources"] {
        assert!(said.contains(&format!("notifications/{list}/list_changed")), "{said}");
    }
    assert!(!session.guard.is_reopening());
}

#[test]
fn a_first_answer_that_does_not_come_is_recorded_and_waited_for() {
    let waited = Duration::from_secs(4);
    let mut session = Session::new(rules());
    session.guard.record_waiting(waited, &mut session.out);
    assert_eq!((session.out.events.len(), session.guard.no_answer_yet(waited)), (0, None));
    session.now = Duration::from_secs(3);
    session.client(OPEN);
    session.now = Duration::from_secs(5);
    session.client(&with_id(OTHER, "7"));
    assert_eq!(session.guard.first_awaited(), Some(("initialize", Duration::from_secs(3))));
    session.guard.record_waiting(waited, &mut session.out);
    let sentence = "the server has not answered initialize for 4 s";
    assert_eq!(session.guard.no_answer_yet(waited).as_deref(), Some(sentence));
    let event = session.out.events.pop().unwrap();
    assert_eq!((event.decision, event.decision.word()), (Decision::Waiting, "waiting"));
    assert_eq!((event.reason, &*event.method), (None, "initialize"));
    assert_eq!(event.sentence, format!("{sentence}; facet goes on waiting"));
    assert_eq!(event.next, "facet check s");
    // The client hears nothing of it, and the answer passes when it comes.
    assert_eq!(session.taken().1, "");
    assert!(session.server(OPENED).1.contains("Be kind."));
    assert_eq!(session.guard.first_awaited(), None);
}

#[test]
fn a_request_that_nobody_waits_for_is_not_missed() {
    let mut session = Session::new(rules());
    session.client(OTHER);
    assert!(session.guard.first_awaited().is_some());
    session.client(r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert_eq!(session.guard.first_awaited(), None);
    // A method is shown on one line, and not at any length.
    let mut session = Session::new(rules());
    session.client(&format!(r#"{{"id":1,"method":"a\n{}"}}"#, "b".repeat(300)));
    let shown = session.guard.no_answer_yet(Duration::from_secs(1)).unwrap();
    assert_eq!(shown, format!("the server has not answered a\\n{} for 1 s", "b".repeat(198)));
}

#[test]
fn a_server_that_is_started_again_before_it_was_open_is_left_to_the_client() {
    let mut session = Session::new(rules());
    session.client(OPEN);
    session.server(r#"{"id":0,"result":{"capabilities":{"tools":{}}}}"#);
    session.guard.server_ended(&mut session.out);
    session.guard.server_restarted(session.now, &mut session.out);
    let (sent, said) = session.taken();
    assert_eq!(sent, "");
    assert!(said.contains("tools/list_changed") && !said.contains("prompts"), "{said}");
}

#[test]
fn a_session_that_stops_at_drift_says_why() {
    let stopping = || Session::new(Rules { on_drift: OnDrift::Stop, ..rules() });
    let mut session = stopping();
    session.list(TOOL);
    assert_eq!(session.out.stop, None);
    session.list(&TOOL.replace("again", "never"));
    let why = session.out.stop.clone().unwrap();
    assert!(why.contains("echo") && why.contains("changed since it was approved"), "{why}");
    // A request that is refused is no drift.
    let mut session = stopping();
    session.client(r#"{"id":2,"method":"tools/call","params":{"name":"evil"}}"#);
    assert_eq!(session.out.stop, None);
}

#[test]
fn a_session_that_stops_at_drift_stops_if_the_restarted_server_differs() {
    let stop_after = |opening: &str| {
        let mut session = Session::new(Rules { on_drift: OnDrift::Stop, ..rules() });
        session.client(OPEN);
        session.server(OPENED);
        session.client(r#"{"method":"notifications/initialized"}"#);
        session.guard.server_ended(&mut session.out);
        session.guard.server_restarted(session.now, &mut session.out);
        let id = own_id(&session.taken().0);
        session.server(&format!(r#"{{"id":{id},{opening}}}"#));
        session.out.stop
    };
    let same = r#""result":{"capabilities":{"tools":{}},"instructions":"Be kind."}"#;
    assert_eq!(stop_after(same), None);
    for other in [
        r#""error":{"code":1}"#,
        r#""result":{"instructions":"Be evil."}"#,
        r#""result":{"instructions":"a","instructions":"b"}"#,
    ] {
        assert!(stop_after(other).is_some(), "{other}");
    }
}

#[test]
fn a_session_that_warns_delivers_what_differs_and_says_so() {
    let mut session = Session::new(Rules { on_drift: OnDrift::Warn, ..rules() });
    let changed = TOOL.replace("again", "never");
    let said = session.list(&changed);
    assert!(said.contains(&changed) && said.contains("tolerated"), "{said}");
    for line in [
        r#"{"id":2,"method":"tools/call","params":{"name":"never heard of"}}"#,
        r#"{"id":3,"method":"resources/read","params":{"uri":"x:y"}}"#,
        r#"{"id":4,"method":"completion/complete","params":{"ref":{"name":"never heard of"}}}"#,
    ] {
        assert_eq!(session.client(line).0.trim(), line);
    }
    for line in [
        r#"{"id":5,"method":"tools/call","params":{"name":"a","Name":"b"}}"#,
        r#"{"id":5,"method":"resources/read","params":{}}"#,
        r#"{"id":5,"method":"Tools/Call","params":{"name":"a"}}"#,
    ] {
        let (sent, said) = session.client(line);
        assert!(sent.is_empty() && said.contains("ambiguous"), "{line}: {said}");
    }
    // It is still what was approved if it is that again; what cannot be read never passes.
    assert!(session.list(TOOL).contains("Says it again."));
    let twins = TOOL.replace("{\"name\"", "{\"description\":\"x\",\"name\"");
    assert!(session.list(&twins).contains("\"tools\":[]"));
    assert!(session.list(TOOL).contains("Says it again."));
}

#[test]
fn batches_pass_whole_or_without_what_does_not_go_on() {
    let mut session = opened();
    let whole = format!("[{OTHER}, {}]", with_id(OTHER, "2"));
    assert_eq!(session.client(&whole).0.trim(), whole);
    let evil = r#"{"id":8,"method":"tools/call","params":{"name":"evil"}}"#;
    let (third, fourth) = (with_id(OTHER, "3"), with_id(OTHER, "4"));
    let (sent, said) = session.client(&format!("[{third}, {evil}, 7, {fourth}]"));
    assert_eq!(sent.trim(), format!("[{third},{fourth}]"));
    assert!(said.contains("\"id\":8") && said.contains("\"id\":null"), "{said}");
    let (sent, said) = session.client(&format!("[{evil}]"));
    assert!(sent.is_empty() && said.contains("not_approved"));
    assert!(session.client("[1").1.contains("malformed"));
    let whole = r#"[{"id":1,"result":{}}, {"id":2,"result":{}}]"#;
    assert_eq!(session.server(whole).1.trim(), whole);
    let said = session.server(r#"[{"id":9,"result":{}}, {"id":3,"result":{}}, 7]"#).1;
    assert_eq!(said.trim(), r#"[{"id":3,"result":{}}]"#);
    assert_eq!(session.server(r#"[{"id":9,"result":{}}]"#).1, "");
    // Which requests an unreadable batch answered is unknown.
    let said = session.server("[1").1;
    assert!(said.contains("\"id\":4") && said.contains("malformed"), "{said}");
    assert_eq!(session.guard.waiting(), 0);
}

#[test]
fn what_is_no_message_is_dropped_and_recorded_up_to_a_limit() {
    let mut session = opened();
    session.out.events.clear();
    for line in ["Listening on stdio", "17", "{}", r#"{"jsonrpc":"2.0"}"#, ""] {
        assert_eq!(session.server(line).1, "", "{line}");
    }
    assert_eq!(reasons(&session), [(Decision::Dropped, "noise"); 4]);
    for _ in 0..2000 {
        session.server("noise");
    }
    assert_eq!(session.out.events.len(), 1000);
}

#[test]
fn only_so_much_is_said_but_everything_recorded() {
    let mut session = opened();
    session.out.events.clear();
    let tools: Vec<String> =
        (0..300).map(|n| TOOL.replace("\"echo\"", &format!("\"other{n}\""))).collect();
    let said = session.list(&tools.join(","));
    assert_eq!(said.matches("notifications/message").count(), 200);
    let withheld =
        reasons(&session).into_iter().filter(|(decision, _)| *decision == Decision::Withheld);
    assert_eq!(withheld.count(), 300);
    // The same is said once.
    let mut session = opened();
    assert!(session.list(&tools[0]).contains("notifications/message"));
    assert!(!session.list(&tools[0]).contains("notifications/message"));
}

#[test]
fn only_who_wants_it_has_what_went_its_way_recorded() {
    for records_all in [true, false] {
        let mut session = Session::new(Rules { records_all, ..rules() });
        session.list(TOOL);
        session.client(CALL);
        let allowed = reasons(&session).contains(&(Decision::Allowed, ""));
        let listed = reasons(&session).contains(&(Decision::Listed, ""));
        assert_eq!((allowed, listed), (records_all, records_all));
    }
}

#[test]
fn an_answer_to_nobody_may_be_that_of_somebody_who_waits() {
    let mut session = opened();
    session.now = Duration::from_secs(100);
    session.client(OTHER);
    assert_eq!(session.server(r#"{"id":77,"result":{}}"#).1, "");
    assert_eq!(session.guard.deadline(), Some(Duration::from_secs(160)));
    session.guard.tick(Duration::from_secs(159), &mut session.out);
    assert_eq!(session.taken().1, "");
    session.guard.tick(Duration::from_secs(160), &mut session.out);
    let said = session.taken().1;
    assert!(said.contains("\"id\":1") && said.contains("stray"), "{said}");
    assert_eq!((session.guard.waiting(), session.guard.deadline()), (0, None));
}

#[test]
fn an_answer_that_comes_twice_or_too_late_is_nobody_elses() {
    let mut session = opened();
    session.client(OTHER);
    session.server(r#"{"id":1,"result":{}}"#);
    session.client(&with_id(OTHER, "2"));
    for late in [r#"{"id":1,"result":{}}"#, r#"{"id":"facet-test-9","result":{}}"#] {
        assert_eq!(session.server(late).1, "");
        assert_eq!(session.guard.deadline(), None, "{late}");
    }
    let waits = r#"{"id":2,"result":{}}"#;
    assert_eq!(session.server(waits).1.trim(), waits);
}

#[test]
fn an_error_that_could_not_be_attributed_passes_and_a_result_does_not() {
    let mut session = opened();
    let error = r#"{"id":null,"error":{"code":-32700,"message":"parse error"}}"#;
    assert_eq!(session.server(error).1.trim(), error);
    assert_eq!(session.server(r#"{"id":null,"result":{}}"#).1, "");
}

#[test]
fn messages_that_contradict_themselves_are_dropped_and_whoever_waits_is_told() {
    for line in [
        r#"{"id":1,"result":{},"error":{"code":1}}"#,
        r#"{"id":1,"result":{},"result":{}}"#,
        r#"{"id":1}"#,
    ] {
        let mut session = opened();
        session.client(OTHER);
        let said = session.server(line).1;
        assert!(said.contains("\"id\":1") && said.contains("malformed"), "{line}: {said}");
        assert_eq!(session.guard.waiting(), 0);
    }
    for line in [
        r#"{"id":1,"method":"x","result":{}}"#,
        r#"{"method":"x","error":{}}"#,
        r#"{"method":"x","error":null}"#,
    ] {
        let mut session = opened();
        session.client(OTHER);
        assert_eq!(session.server(line).1, "", "{line}");
        let (sent, said) = session.client(line);
        assert!(sent.is_empty() && said.contains("malformed"), "{line}: {said}");
    }
}

#[test]
fn whoever_began_to_wait_later_has_as_much_time() {
    let mut session = opened();
    let stray = r#"{"id":77,"result":{}}"#;
    session.client(OTHER);
    session.server(stray);
    session.now = Duration::from_secs(30);
    session.client(&with_id(OTHER, "2"));
    session.server(stray);
    session.guard.tick(Duration::from_mins(1), &mut session.out);
    let said = session.taken().1;
    assert!(said.contains("\"id\":1,") && !said.contains("\"id\":2,"), "{said}");
    assert_eq!(session.guard.deadline(), Some(Duration::from_secs(90)));
}

#[test]
fn a_question_that_says_not_what_it_asks_passes_only_where_everything_is_granted() {
    let unclear = r#"{"id":1,"result":{"inputRequests":{"a":{"method":7}}}}"#;
    for (sampling, elicitation) in [(true, true), (true, false), (false, true)] {
        let mut session = Session::new(Rules { sampling, elicitation, ..rules() });
        session.client(OTHER);
        let said = session.server(unclear).1;
        let passes = sampling && elicitation;
        assert_eq!(said.trim() == unclear, passes, "{said}");
        assert_eq!(said.contains("malformed"), !passes, "{said}");
        let is_recorded = session.out.events.iter().any(|event| event.decision == Decision::Asked);
        assert_eq!(is_recorded, passes);
    }
}
