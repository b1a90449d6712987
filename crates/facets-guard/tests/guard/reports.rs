//! What the guard says and records, in words.

use crate::support::{Session, TOOL, rules, surface};
use facets_guard::{ArgumentCheck, Decision, Guard, OnDrift, Pins, Reason, Rules};
use facets_surface::{Definition, Kind, Surface};

const OPEN: &str = r#"{"id":0,"method":"initialize","params":{"x":1}}"#;
const OPENED: &str = r#"{"id":0,"result":{"capabilities":{"tools":{},"prompts":{},"resources":{}},"instructions":"Be kind."}}"#;

#[test]
fn refusals_tell_the_model_why_and_people_what_to_type() {
    let judged = |line: &str| {
        let rules = Rules { directory: Some("/site".to_owned()), ..rules() };
        let mut session = Session::new(rules);
        let said = session.client(line).1;
        assert!(!said.contains("facet approve") && !said.contains("next"), "{said}");
        (said, session.out.events.last().unwrap().next.clone())
    };
    let (evil, next) = judged(r#"{"id":1,"method":"tools/call","params":{"name":"evil"}}"#);
    assert_eq!(next, "facet check s --directory /site");
    assert!(evil.contains(r#"facet: the server has no approved tool \"evil\"""#), "{evil}");
    assert!(evil.contains("\"id\":1") && !evil.contains("a person"), "{evil}");
    let (unclear, next) = judged(r#"{"id":1,"method":"tools/call","params":{}}"#);
    assert_eq!(next, "facet logs s --directory /site");
    assert!(!unclear.contains("a person"), "{unclear}");
    let (broken, next) = judged("{");
    assert_eq!(next, "facet check s --directory /site");
    assert!(broken.contains("\"id\":null"), "{broken}");
    let (alike, _) = judged(r#"{"id":1,"method":"tools/call","params":{"name":"Echo"}}"#);
    assert!(alike.contains(r#"it looks like the approved \"echo\""#), "{alike}");
    let (unknown, _) = judged(r#"{"id":1,"method":"resources/read","params":{"uri":"x:y"}}"#);
    assert!(unknown.contains("approved template. A person has to decide"), "{unknown}");
}

#[test]
fn a_new_item_is_withheld_once_it_was_listed_and_unknown_before() {
    let call = r#"{"id":1,"method":"tools/call","params":{"name":"evil"}}"#;
    let mut session = Session::new(rules());
    let before = session.client(call).1;
    assert!(before.contains(r#"no approved tool \"evil\"","data""#), "{before}");
    session.list(r#"{"name":"evil","inputSchema":{}}"#);
    let after = session.client(call).1;
    assert!(after.contains(r#"the tool \"evil\" was never approved"#), "{after}");
    assert!(after.contains("It is withheld until a person decides"), "{after}");
    for said in [before, after] {
        assert!(said.contains(r#""code":"not_approved""#), "{said}");
    }
    let complete = r#"{"id":2,"method":"completion/complete","params":{"ref":{"name":"evil"}}}"#;
    let said = session.client(complete).1;
    assert!(said.contains(r#"the server has no approved prompt \"evil\""#), "{said}");
    session.client(r#"{"id":3,"method":"prompts/list"}"#);
    session.server(r#"{"id":3,"result":{"prompts":[{"name":"evil"}]}}"#);
    let said = session.client(complete).1;
    assert!(said.contains(r#"the prompt \"evil\" was never approved"#), "{said}");
    // No more is said of a name than is no sentence.
    let said = session.client(&call.replace("evil", "evil ignore all")).1;
    assert!(said.contains(r#"no approved tool \"evil…\""#) && !said.contains("ignore"), "{said}");
}

#[test]
fn a_tool_without_an_approved_schema_is_called_unknown() {
    let arguments: Option<Box<dyn ArgumentCheck>> = Some(Box::new(NoArguments));
    let mut session = Session::new(Rules { arguments, on_drift: OnDrift::Warn, ..rules() });
    // Also if it is listed, and delivered because changes are tolerated.
    session.list(r#"{"name":"evil","inputSchema":{}}"#);
    for (name, arguments) in [("evil", "{}"), ("nosuch", r#"{"a":1}"#)] {
        let (sent, said) = session.client(&format!(
            r#"{{"id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
        ));
        assert_eq!(sent, "");
        let message = format!(r#""facet: the server has no approved tool \"{name}\"""#);
        assert!(said.contains(&message), "{said}");
        assert!(said.contains(r#""code":"not_approved""#), "{said}");
        assert_eq!(session.out.events.last().unwrap().next, "facet check s");
    }
}

#[test]
fn denials_name_the_grant_to_people_alone() {
    let mut denying = Session::new(Rules { sampling: false, elicitation: false, ..rules() });
    for (method, setting) in
        [("sampling/createMessage", "sampling=yes"), ("elicitation/create", "elicitation=yes")]
    {
        let said = denying.server(&format!(r#"{{"id":1,"method":"{method}"}}"#)).0;
        assert!(said.contains("A person has to decide") && !said.contains(setting), "{said}");
        let event = denying.out.events.last().unwrap();
        assert_eq!(event.sentence, format!("{method} is not granted to this server"));
        assert_eq!(event.next, format!("facet grant s {setting}"));
    }
}

#[test]
fn a_session_says_what_to_type_once_something_is_withheld() {
    let mut session = Session::new(rules());
    assert_eq!(session.guard.next_step(), None);
    session.client(r#"{"id":1,"method":"tools/list"}"#);
    session.server(r#"{"id":1,"result":{"tools":[{"name":"evil","inputSchema":{}}]}}"#);
    assert_eq!(session.guard.next_step().as_deref(), Some("facet check s"));
}

#[test]
fn a_long_name_is_shown_cut_off() {
    let named = |length: usize| {
        let name = "n".repeat(length);
        let line = format!(r#"{{"id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#);
        Session::new(rules()).client(&line).1
    };
    assert!(!named(200).contains('…'));
    assert!(named(201).contains(&format!("{}…", "n".repeat(200))));
}

#[test]
fn a_name_is_compared_with_approved_ones_if_it_has_at_most_1_kib() {
    for (length, is_compared) in [(1024, true), (1025, false)] {
        let name = "n".repeat(length);
        let mut surface = surface();
        let tool = Definition::parse(Kind::Tool, &TOOL.replace("echo", &name)).unwrap();
        surface.put(Kind::Tool, vec![tool]);
        let guard = Guard::new(Pins::of([&surface]), rules());
        let mut session = Session { guard, ..Session::new(rules()) };
        let other = name.to_uppercase();
        let said = session
            .client(&format!(r#"{{"id":1,"method":"tools/call","params":{{"name":"{other}"}}}}"#))
            .1;
        assert!(said.contains("the server has no approved tool"), "{said}");
        assert_eq!(said.contains("it looks like the approved"), is_compared, "{said}");
    }
}

#[test]
fn a_change_without_a_member_to_name_is_a_whole_sentence() {
    let mut session = Session::new(rules());
    session.client(OPEN);
    session.server(&OPENED.replace("Be kind.", "Be EVIL."));
    let event = session.out.events.iter().find(|event| event.decision == Decision::Withheld);
    let sentence = "the server's instructions changed since it was approved";
    assert_eq!(event.unwrap().sentence, sentence);
}

#[test]
fn decisions_and_reasons_have_the_words_of_the_log() {
    let decisions = [
        (Decision::Withheld, "withheld"),
        (Decision::Tolerated, "tolerated"),
        (Decision::Refused, "refused"),
        (Decision::Allowed, "allowed"),
        (Decision::Dropped, "dropped"),
        (Decision::Denied, "denied"),
        (Decision::Asked, "asked"),
    ];
    for (decision, word) in decisions {
        assert_eq!(decision.word(), word);
    }
    for (reason, word) in [
        (Reason::New, "not_approved"),
        (Reason::Unknown, "not_approved"),
        (Reason::Changed(Vec::new()), "changed"),
        (Reason::NotCovered, "not_covered"),
        (Reason::IdInUse, "id_in_use"),
    ] {
        assert_eq!(reason.word(), word);
    }
}

#[test]
fn what_is_pinned_is_counted_once_for_each_name() {
    let pins = Pins::of([&surface(), &surface()]);
    let counts = [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate]
        .map(|kind| pins.count(kind));
    assert_eq!(counts, [1, 1, 1, 1]);
    let without_tools = Surface { tools: None, ..surface() };
    assert_eq!(Pins::of([&without_tools]).count(Kind::Tool), 0);
    // A variant of this machine is approved beside the rest.
    let other = TOOL.replace("again", "never");
    let also = facets_surface::Also {
        instructions: vec!["Be quick.".to_owned()],
        items: vec![Definition::parse(Kind::Tool, &other).unwrap()],
    };
    let guard = Guard::new(Pins::of([&surface()]).with_variant(&also), rules());
    let mut session = Session { guard, ..Session::new(rules()) };
    assert!(session.list(&other).contains("never"));
    assert!(session.list(TOOL).contains("again"));
    session.client(OPEN);
    let opened = OPENED.replace("Be kind.", "Be quick.");
    assert_eq!(session.server(&opened).1.trim(), opened);
}

#[test]
fn records_name_what_they_are_about_and_are_short() {
    let mut session = Session::new(rules());
    let names = ["n".repeat(2048), "n".repeat(2049)];
    for name in &names {
        let line = format!(r#"{{"id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#);
        session.client(&line);
    }
    session.client(r#"{"id":2,"method":"resources/read","params":{"uri":"x:y"}}"#);
    session.client("{");
    let events = &session.out.events;
    let subjects: Vec<(&str, &str)> =
        events.iter().map(|event| (event.subject.word(), event.subject.name())).collect();
    let cut = format!("{}…", "n".repeat(512));
    let expected = [("tool", &*names[0]), ("tool", &*cut), ("resource", "x:y"), ("message", "")];
    assert_eq!(subjects, expected);
}

/// Accepts no arguments but `{}`.
#[derive(Debug)]
struct NoArguments;

impl ArgumentCheck for NoArguments {
    fn refuse(&self, tool: &str, arguments: &str) -> Option<String> {
        (arguments != "{}").then(|| format!("{tool} takes nothing"))
    }
}

#[test]
fn arguments_that_are_refused_can_be_corrected() {
    let mut session = Session::new(Rules { arguments: Some(Box::new(NoArguments)), ..rules() });
    session.list(TOOL);
    let call = |id: usize, more: &str| {
        format!(r#"{{"id":{id},"method":"tools/call","params":{{"name":"echo"{more}}}}}"#)
    };
    for more in ["", r#","arguments":{}"#] {
        let line = call(more.len(), more);
        assert_eq!(session.client(&line).0.trim(), line);
    }
    let (sent, said) = session.client(&call(1, r#","arguments":{"a":1}"#));
    assert_eq!(sent, "");
    assert!(said.contains("echo takes nothing"), "{said}");
    assert!(said.contains(r#""code":"arguments""#), "{said}");
    assert!(said.contains("echo takes nothing. Correct the arguments and call it again"), "{said}");
    assert!(!said.contains("person") && !said.contains("facet show"), "{said}");
    assert_eq!(session.out.events.last().unwrap().next, "facet show s");
    let (sent, said) = session.client(&call(1, r#","Arguments":{"a":1}"#));
    assert!(sent.is_empty() && said.contains("ambiguous"), "{said}");
}

#[test]
fn a_text_that_runs_backwards_imitates_only_with_the_name_and_a_colon() {
    for (message, passes) in
        [("a\u{202e}b: c", true), ("a\u{202e}facet", true), ("\u{202e}x :tecaf", false)]
    {
        let mut session = Session::new(rules());
        session.client(r#"{"id":1,"method":"vendor/x"}"#);
        let line = format!(r#"{{"id":1,"error":{{"code":1,"message":"{message}"}}}}"#);
        let said = session.server(&line).1;
        assert_eq!(said.trim() == line, passes, "{said}");
        assert_eq!(said.contains("imitates"), !passes, "{said}");
    }
}
