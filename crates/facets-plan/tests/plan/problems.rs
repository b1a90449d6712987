//! Every problem describes itself, and its code is explained.

use facets_failure::{Describe, explanations};
use facets_lock::{Lock, LockedFacetEntry};
use facets_model::AssetKind;
use facets_plan::{EXPLANATIONS, Fix, PlanProblem, Requirer};

fn fix() -> Fix {
    let text = r#""tools": "1.*""#.to_owned();
    Fix { section: "facets", replaces: "tools".to_owned(), text }
}

fn all() -> Vec<PlanProblem> {
    let facet = || "tools".parse().unwrap();
    vec![
        PlanProblem::AssetConflict {
            name: "plan".parse().unwrap(),
            claims: Vec::new(),
            fixes: vec![fix()],
        },
        PlanProblem::ServerConflict {
            name: "jira".to_owned(),
            claims: Vec::new(),
            fixes: vec![fix(), fix()],
        },
        PlanProblem::BadServerName { by: Requirer::Project { authored: "J".to_owned() } },
        PlanProblem::UnusedOverride {
            facet: facet(),
            group: "skills".to_owned(),
            authored: "plan".to_owned(),
            known: vec!["plans".to_owned(), "notes".to_owned()],
            fix: fix(),
        },
        PlanProblem::Composition { facet: facet(), of: vec!["other@1.0.0".to_owned()] },
        PlanProblem::UnwantedVersion {
            facet: facet(),
            asked: "1.*".to_owned(),
            found: "2.0.0".to_owned(),
        },
        PlanProblem::OtherFacet {
            facet: facet(),
            member: "name",
            expected: "tools".to_owned(),
            found: "tolls".to_owned(),
        },
        PlanProblem::MissingFile { facet: facet(), path: "agents/x.md".to_owned() },
        PlanProblem::InTheWay {
            facet: "tools".to_owned(),
            kind: AssetKind::Agent,
            name: "x".parse().unwrap(),
            paths: vec![".claude/agents/x.md".to_owned()],
            fixes: vec![fix()],
        },
    ]
}

#[test]
fn every_code_is_known_and_explained() {
    let codes: Vec<&str> = all().iter().map(Describe::code).collect();
    assert_eq!(codes, PlanProblem::CODES);
    let explained: Vec<&str> = explanations(EXPLANATIONS).map(|one| one.code).collect();
    assert_eq!(explained, PlanProblem::CODES);
}

#[test]
fn what_was_expected_and_found_is_said() {
    let said: Vec<(String, String)> = all()
        .iter()
        .map(|problem| (problem.expected().unwrap(), problem.actual().unwrap()))
        .collect();
    let pair = |expected: &str, actual: &str| (expected.to_owned(), actual.to_owned());
    assert_eq!(
        said,
        [
            pair("one asset for each name", ""),
            pair("one server for each name", ""),
            pair("the name of a registry server", "J"),
            pair("one of plans, notes", "plan"),
            pair("a facet with assets and servers of its own", "other@1.0.0"),
            pair("1.*", "2.0.0"),
            pair("tools", "tolls"),
            pair("every file that its manifest lists", "no agents/x.md"),
            pair("no file, or one that facet wrote", ".claude/agents/x.md"),
        ]
    );
}

#[test]
fn what_to_do_next_is_the_text_to_write_or_the_page_to_read() {
    let next: Vec<String> = all().iter().map(Describe::next).collect();
    let write = r#"write under "facets" in facets.json: "tools": "1.*""#;
    assert_eq!(next[0], write);
    assert_eq!(next[1], format!("{write}; {write}"));
    assert_eq!(next[3], write);
    assert_eq!(next[4], "facet explain composition-unsupported");
    assert_eq!(next[8], write);
}

#[test]
fn an_invalid_lock_entry_has_the_code_of_the_lock() {
    let text = r#"{"lockfileVersion": 0.3, "facets": {"tools": {"version": "1.2.0"}}}"#;
    let lock = Lock::parse(text.as_bytes()).unwrap();
    let LockedFacetEntry::Broken(error) = &lock.facets()["tools"] else { panic!() };
    let (what, name) = ("facet", "tools".to_owned());
    let problem = PlanProblem::BrokenEntry { what, name, error: error.clone() };
    assert_eq!(problem.code(), error.code());
    assert_eq!((problem.expected(), problem.actual()), (error.expected(), error.actual()));
    assert_eq!(problem.place(), error.place());
    let next = "restore facets.lock from version control, or run `facet remove tools`";
    assert_eq!(problem.next(), next);
    assert!(problem.fixes().is_empty());
}
