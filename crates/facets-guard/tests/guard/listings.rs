//! Lists: how far they are followed, what they may hold, and when they have to be read again.

use core::time::Duration;

use crate::support::{Session, TOOL, rules};
use facets_guard::{Decision, Reason, Rules};

const OPEN: &str = r#"{"id":0,"method":"initialize","params":{"x":1}}"#;
const OPENED: &str = r#"{"id":0,"result":{"capabilities":{"tools":{},"prompts":{},"resources":{}},"instructions":"Be kind."}}"#;
const CALL: &str = r#"{"id":1,"method":"tools/call","params":{"name":"echo"}}"#;

fn opened() -> Session {
    let mut session = Session::new(rules());
    session.client(OPEN);
    session.server(OPENED);
    session.client(r#"{"method":"notifications/initialized"}"#);
    session
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
fn pages_are_asked_for_until_the_end_and_no_further_than_a_thousand() {
    let mut session = opened();
    let (mut asked, _) = session.client(CALL);
    for page in 0..1000 {
        let line = format!(
            r#"{{"id":{},"result":{{"tools":[],"nextCursor":"c{page}"}}}}"#,
            own_id(&asked)
        );
        asked = session.server(&line).0;
        assert!(asked.contains(&format!("\"cursor\":\"c{page}\"")), "{page}: {asked}");
    }
    let last = format!(r#"{{"id":{},"result":{{"tools":[],"nextCursor":"c"}}}}"#, own_id(&asked));
    let (sent, said) = session.server(&last);
    assert!(sent.is_empty() && said.contains("unverified"), "{sent} {said}");
}

#[test]
fn a_cursor_may_have_16_kib_and_no_more() {
    for (length, is_followed) in [(16 << 10, true), ((16 << 10) + 1, false)] {
        let mut session = opened();
        let id = own_id(&session.client(CALL).0);
        let cursor = "c".repeat(length);
        let (sent, said) = session
            .server(&format!(r#"{{"id":{id},"result":{{"tools":[],"nextCursor":"{cursor}"}}}}"#));
        assert_eq!(
            (sent.contains(&cursor), said.contains("unverified")),
            (is_followed, !is_followed)
        );
    }
}

#[test]
fn a_client_follows_the_cursors_of_the_server_itself() {
    let mut session = opened();
    session.client(r#"{"id":1,"method":"tools/list"}"#);
    let said = session
        .server(r#"{"id":1,"result":{"tools":[],"nextCursor":"x","Tools":[1],"more":[2]}}"#)
        .1;
    assert!(said.contains(r#""nextCursor":"x""#) && said.contains(r#""more":[2]"#), "{said}");
    assert!(!said.contains("Tools"), "{said}");
}

#[test]
fn a_page_may_have_ten_thousand_items_and_no_more() {
    for (count, is_read) in [(10_000, true), (10_001, false)] {
        let mut session = opened();
        session.client(r#"{"id":1,"method":"tools/list"}"#);
        let items = vec!["1"; count].join(",");
        let said = session.server(&format!(r#"{{"id":1,"result":{{"tools":[{items}]}}}}"#)).1;
        assert_eq!(
            (said.contains("\"tools\":[]"), said.contains("too_large")),
            (is_read, !is_read)
        );
    }
}

#[test]
fn many_short_requests_may_wait_for_a_list() {
    let mut session = opened();
    let filler = "x".repeat(5000);
    for id in 1..=4 {
        let line = format!(
            r#"{{"id":{id},"method":"tools/call","params":{{"name":"echo","x":"{filler}"}}}}"#
        );
        assert_eq!(session.client(&line).1, "", "{id}");
    }
    assert_eq!(session.guard.waiting(), 4);
}

#[test]
fn each_kind_is_listed_for_itself() {
    let mut session = opened();
    let (tools, _) = session.client(CALL);
    let get = r#"{"id":2,"method":"prompts/get","params":{"name":"greet"}}"#;
    let (prompts, _) = session.client(get);
    assert!(tools.contains("tools/list") && prompts.contains("prompts/list"));
    let page =
        format!(r#"{{"id":{},"result":{{"prompts":[{{"name":"greet"}}]}}}}"#, own_id(&prompts));
    assert_eq!(session.server(&page).0.trim(), get);
    assert_eq!(session.guard.waiting(), 2, "the tool still waits");
    // Only what changed has to be listed again.
    session.server(r#"{"id":2,"result":{}}"#);
    session.server(r#"{"method":"notifications/tools/list_changed"}"#);
    assert_eq!(session.client(get).0.trim(), get);
}

#[test]
fn resources_that_changed_are_templates_that_changed() {
    let mut session = opened();
    session.client(r#"{"id":"t","method":"resources/templates/list"}"#);
    let page =
        format!(r#"{{"id":"t","result":{{"resourceTemplates":[{}]}}}}"#, crate::support::TEMPLATE);
    session.server(&page);
    session.list(TOOL);
    assert_eq!(session.guard.approved(), 2);
    session.server(r#"{"method":"notifications/resources/list_changed"}"#);
    assert_eq!(session.guard.approved(), 1);
}

#[test]
fn a_storm_of_changes_is_held_back_and_its_last_one_arrives() {
    let mut session = opened();
    session.now = Duration::from_secs(50);
    let told = |n: usize| format!(r#"{{"method":"notifications/tools/list_changed","n":{n}}}"#);
    let passed = (0..30).filter(|n| !session.server(&told(*n)).1.is_empty()).count();
    assert_eq!(passed, 20);
    assert!(reasons(&session).contains(&(Decision::Dropped, "too_many")));
    let deadline = session.guard.deadline().unwrap();
    assert_eq!(deadline, Duration::from_millis(50_500));
    session.guard.tick(deadline, &mut session.out);
    let said = session.taken().1;
    assert!(said.lines().count() == 1 && said.contains("tools/list_changed"), "{said}");
    assert_eq!(session.guard.deadline(), None);
    session.now = deadline;
    assert_eq!(session.server(&told(30)).1, "", "one in its time, and no more");
    // Another list has a measure of its own.
    let other = r#"{"method":"notifications/prompts/list_changed"}"#;
    assert_eq!(session.server(other).1.trim(), other);
}

#[test]
fn a_completion_for_a_template_hears_why_it_is_withheld() {
    let mut session = opened();
    session.client(r#"{"id":"t","method":"resources/templates/list"}"#);
    let changed = crate::support::TEMPLATE.replace("files", "keys");
    session.server(&format!(r#"{{"id":"t","result":{{"resourceTemplates":[{changed}]}}}}"#));
    let uri = "file:///project/{+path}";
    let line = format!(
        r#"{{"id":1,"method":"completion/complete","params":{{"ref":{{"uri":"{uri}"}}}}}}"#
    );
    let (sent, said) = session.client(&line);
    assert!(sent.is_empty() && said.contains(r#""code":"changed""#), "{said}");
}

#[test]
fn half_an_escape_is_a_plain_name() {
    let mut session = opened();
    for (uri, is_covered) in [("file:///project/%u00e", true), ("file:///project/%u002e", false)] {
        let line = format!(r#"{{"id":1,"method":"resources/read","params":{{"uri":"{uri}"}}}}"#);
        assert_eq!(session.client(&line).0.is_empty(), !is_covered, "{uri}");
    }
}

#[test]
fn an_item_that_cannot_be_read_is_known_by_its_name_behind_other_members() {
    let mut session = opened();
    let twins = r#"{"inputSchema":{"properties":{"name":"x"}},"x":[[]],"title":"a","title":"b","name":"echo"}"#;
    session.list(twins);
    let (sent, said) = session.client(CALL);
    assert!(sent.is_empty() && said.contains("malformed"), "{said}");
}

#[test]
fn a_line_for_the_log_passes_byte_for_byte() {
    let mut session = opened();
    let line = r#"  { "method":"notifications/message", "params":{"logger":"x","data":1} }"#;
    assert_eq!(session.server(line).1, format!("{line}\n"));
}

#[test]
fn data_that_could_not_be_read_once_stays_withheld() {
    let mut surface = crate::support::surface();
    surface.resources_volatile = true;
    let guard = facets_guard::Guard::new(facets_guard::Pins::of([&surface]), rules());
    let mut session = Session { guard, ..Session::new(rules()) };
    let mut list = |items: &str| {
        session.client(r#"{"id":"r","method":"resources/list"}"#);
        session.server(&format!(r#"{{"id":"r","result":{{"resources":[{items}]}}}}"#)).1
    };
    let plain = r#"{"uri":"file:///b","name":"b"}"#;
    assert!(list(plain).contains(r#"{"name":"file:///b","uri":"file:///b"}"#));
    list(r#"{"uri":"file:///b","name":"b","name":"c"}"#);
    assert!(list(plain).contains("\"resources\":[]"));
}

/// A client of the newer era calls without a handshake, and the server is still starting.
#[test]
fn a_server_that_is_still_starting_has_its_own_time_for_the_first_answer() {
    let second = Duration::from_secs(1);
    let slow = || Session::new(Rules { first_answer: second * 60, ..rules() });
    let mut session = slow();
    let id = own_id(&session.client(CALL).0);
    session.guard.tick(second * 40, &mut session.out);
    assert_eq!(session.taken().1, "", "it is waited for");
    session.now = second * 50;
    let (sent, _) = session.server(&format!(r#"{{"id":{id},"result":{{"tools":[{TOOL}]}}}}"#));
    assert_eq!(sent.trim(), CALL);
    // One that never answers is given up in the end.
    let mut session = slow();
    session.client(CALL);
    assert_eq!(session.guard.deadline(), Some(second * 60));
    session.guard.tick(second * 60, &mut session.out);
    assert!(session.taken().1.contains("unverified"));
}

#[test]
fn pages_have_twenty_seconds_from_the_first_answer_on() {
    let second = Duration::from_secs(1);
    let mut session = Session::new(Rules { first_answer: second * 60, ..rules() });
    let id = own_id(&session.client(CALL).0);
    session.now = second * 50;
    session.server(&format!(r#"{{"id":{id},"result":{{"tools":[],"nextCursor":"c"}}}}"#));
    assert_eq!(session.guard.deadline(), Some(second * 70));
}
