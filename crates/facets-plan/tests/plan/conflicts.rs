//! Names that two things want: every conflict comes with the alias to write.

use facets_plan::{PlanProblem, ResolvedFacet, Wanted, find_problems};

use super::support::{facet, fixed, only, resolved, wanted, with_servers};

const BOTH: &str = r#""aa": "1.*", "bb": {"source": "1.0.0", "materialization": {"agents": {"x": {"kind": "omitted"}}}}"#;

/// The sentence of the one problem, and the fixes; with these written there is no problem.
fn conflict(wanted: &Wanted, facets: &[ResolvedFacet]) -> (String, Vec<String>) {
    let facets = || resolved(facets.iter().cloned());
    let problems = find_problems(wanted, &facets());
    let problem = only(&problems);
    assert_eq!(find_problems(&fixed(wanted, problem), &facets()), [], "{:?}", problem.fixes());
    (problem.to_string(), problem.fixes().iter().map(|fix| fix.text.clone()).collect())
}

/// The same, of two facets that declare a server each.
fn server_conflict(first: &str, second: &str) -> (String, Vec<String>) {
    conflict(
        &wanted(r#""aa": "1.*", "bb": "1.0.*""#, ""),
        &[with_servers("aa", first), with_servers("bb", second)],
    )
}

const ALIAS: &str = r#""bb": {"source": "1.0.*", "materialization": {"servers": {"jira": {"kind": "aliased", "as": "bb-jira"}}}}"#;

#[test]
fn an_image_and_a_floor_conflict() {
    let (sentence, fixes) =
        server_conflict(r#""jira": "1.0.0""#, r#""jira": {"image": "ghcr.io/acme/jira:v2"}"#);
    assert_eq!(
        sentence,
        "server \"jira\" is declared differently: registry server jira@1.0.0 in facet \"aa\" \
         and image ghcr.io/acme/jira:v2 in facet \"bb\""
    );
    assert_eq!(fixes, [ALIAS]);
}

#[test]
fn two_images_conflict() {
    let image = |tag: &str| format!(r#""jira": {{"image": "ghcr.io/acme/jira:{tag}"}}"#);
    let (sentence, fixes) = server_conflict(&image("v1"), &image("v2"));
    assert_eq!(
        sentence,
        "server \"jira\" is declared differently: image ghcr.io/acme/jira:v1 in facet \"aa\" \
         and image ghcr.io/acme/jira:v2 in facet \"bb\""
    );
    assert_eq!(fixes, [ALIAS]);
}

#[test]
fn two_different_inline_declarations_conflict() {
    let docs = |value: &str| {
        format!(r#""jira": {{"type": "stdio", "command": "jira", "env": {{"URL": "{value}"}}}}"#)
    };
    let (sentence, fixes) = server_conflict(&docs("a"), &docs("b"));
    assert_eq!(
        sentence,
        "server \"jira\" is declared differently: `jira` in facet \"aa\" and `jira` in facet \"bb\""
    );
    assert_eq!(fixes, [ALIAS]);
}

#[test]
fn two_artifacts_with_one_last_segment_conflict() {
    let (sentence, fixes) = server_conflict(r#""@acme/jira": "1.0.0""#, r#""jira": "1.0.0""#);
    assert_eq!(
        sentence,
        "server \"jira\" is declared differently: registry server @acme/jira@1.0.0 in facet \"aa\" \
         and registry server jira@1.0.0 in facet \"bb\""
    );
    assert_eq!(fixes, [ALIAS]);
}

#[test]
fn two_artifacts_of_one_facet_conflict() {
    let (_, fixes) = conflict(
        &wanted(r#""aa": "*""#, ""),
        &[with_servers("aa", r#""@acme/jira": "1.0.0", "@other/jira": "1.0.0", "jira": "2.0.0""#)],
    );
    let expected = r#""aa": {"source": "*", "materialization": {"servers": {"@acme/jira": {"kind": "aliased", "as": "aa-jira"}, "@other/jira": {"kind": "aliased", "as": "aa-jira-2"}}}}"#;
    assert_eq!(fixes, [expected]);
}

#[test]
fn the_servers_of_the_project_keep_their_names() {
    let wanted = wanted(r#""aa": "latest""#, r#""jira": "./server""#);
    let (sentence, fixes) = conflict(&wanted, &[with_servers("aa", r#""jira": "1.0.0""#)]);
    assert_eq!(
        sentence,
        "server \"jira\" is declared differently: `./server` in facets.json \
         and registry server jira@1.0.0 in facet \"aa\""
    );
    let expected = r#""aa": {"source": "*", "materialization": {"servers": {"jira": {"kind": "aliased", "as": "aa-jira"}}}}"#;
    assert_eq!(fixes, [expected]);
}

#[test]
fn a_scoped_server_of_the_project_gets_a_name_of_its_own() {
    let declared =
        r#""@acme/jira": "1.0.0", "jira": {"type": "http", "url": "https://jira.example/"}"#;
    let (_, fixes) = conflict(&wanted("", declared), &[]);
    assert_eq!(fixes, [r#""acme-jira": "@acme/jira@1.0.0""#]);
}

#[test]
fn all_requirers_are_named_and_those_that_agree_keep_the_name() {
    let wanted = wanted(r#""aa": "1.*", "bb": "1.*", "cc": "1.*", "dd": "1.*""#, "");
    let image = r#""jira": {"image": "acme/jira:v2"}"#;
    let facets = [
        with_servers("aa", r#""jira": "1.0.0""#),
        with_servers("bb", image),
        with_servers("cc", r#""jira": "2.0.0""#),
        with_servers("dd", image),
    ];
    let (sentence, fixes) = conflict(&wanted, &facets);
    for name in ["aa", "bb", "cc", "dd"] {
        assert!(sentence.contains(&format!("facet \"{name}\"")), "{sentence}");
    }
    let names: Vec<&str> = fixes.iter().map(|fix| &fix[1..3]).collect();
    assert_eq!(names, ["bb", "dd"]);
}

#[test]
fn names_that_differ_in_case_alone_conflict() {
    let docs = r#"{"type": "http", "url": "https://docs.example/"}"#;
    let wanted = wanted(r#""aa": "1.*""#, &format!("\"Docs\": {docs}"));
    let (sentence, fixes) = conflict(&wanted, &[with_servers("aa", &format!("\"docs\": {docs}"))]);
    assert_eq!(
        sentence,
        "server \"Docs\" is declared differently: `https://docs.example/` in facets.json \
         and `https://docs.example/` as \"docs\" in facet \"aa\""
    );
    assert!(fixes[0].contains(r#""as": "aa-docs""#), "{fixes:?}");
}

#[test]
fn an_alias_that_is_taken_gets_a_number() {
    let servers = r#""bb-jira": {"type": "http", "url": "https://one.example/"},
        "BB-Jira-2": {"type": "http", "url": "https://two.example/"}"#;
    let wanted = wanted(r#""aa": "1.*", "bb": "1.0.*""#, servers);
    let facets = [
        with_servers("aa", r#""jira": "1.0.0""#),
        with_servers("bb", r#""jira": {"image": "acme/jira"}"#),
    ];
    let (_, fixes) = conflict(&wanted, &facets);
    assert_eq!(fixes, [ALIAS.replace("bb-jira", "bb-jira-3")]);
}

fn with_asset(name: &str, group: &str, asset: &str) -> ResolvedFacet {
    facet(name, "1.0.0", &format!(r#""{group}": {{"{asset}": {{"description": "Does it"}}}}"#))
}

#[test]
fn two_facets_with_one_skill_conflict() {
    let wanted = wanted(r#""aa": "1.*", "@acme/bb": "1.*""#, "");
    let facets = [with_asset("aa", "skills", "plan"), with_asset("@acme/bb", "skills", "plan")];
    let (sentence, fixes) = conflict(&wanted, &facets);
    assert_eq!(
        sentence,
        "the skill \"plan\" of facet \"@acme/bb\" and the skill \"plan\" of facet \"aa\" have the \
         same name \"plan\""
    );
    let expected = r#""aa": {"source": "1.*", "materialization": {"skills": {"plan": {"kind": "aliased", "as": "aa-plan"}}}}"#;
    assert_eq!(fixes, [expected]);
}

#[test]
fn skills_and_commands_share_a_namespace_and_agents_have_their_own() {
    let wanted = wanted(r#""aa": "1.*", "bb": "1.*""#, "");
    let of = |name, group| with_asset(name, group, "plan");
    for (first, second, is_shared) in [
        ("skills", "commands", true),
        ("commands", "skills", true),
        ("commands", "commands", true),
        ("agents", "agents", true),
        ("skills", "agents", false),
        ("agents", "commands", false),
    ] {
        let facets = [of("aa", first), of("bb", second)];
        let problems = find_problems(&wanted, &resolved(facets.clone()));
        assert_eq!(problems.len(), usize::from(is_shared), "{first} {second}");
        if is_shared {
            let (_, fixes) = conflict(&wanted, &facets);
            assert!(fixes[0].contains(&format!("{{\"{second}\": {{\"plan\"")), "{fixes:?}");
        }
    }
}

#[test]
fn an_alias_can_conflict_and_an_omitted_asset_cannot() {
    let entry = |what: &str| {
        format!(
            r#""aa": "1.*", "bb": {{"source": "1.*", "materialization": {{"skills": {{"notes": {what}}}}}}}"#
        )
    };
    let facets = [with_asset("aa", "commands", "plan"), with_asset("bb", "skills", "notes")];
    let aliased = wanted(&entry(r#"{"kind": "aliased", "as": "plan"}"#), "");
    let (sentence, fixes) = conflict(&aliased, &facets);
    assert_eq!(
        sentence,
        "the command \"plan\" of facet \"aa\" and the skill \"notes\" of facet \"bb\" have the \
         same name \"plan\""
    );
    assert_eq!(
        fixes,
        [
            r#""bb": {"source": "1.*", "materialization": {"skills": {"notes": {"kind": "aliased", "as": "bb-notes"}}}}"#
        ]
    );
    let omitted = wanted(&entry(r#"{"kind": "omitted"}"#), "");
    let same = [with_asset("aa", "skills", "notes"), with_asset("bb", "skills", "notes")];
    assert_eq!(find_problems(&omitted, &resolved(same)), []);
}

#[test]
fn an_alias_onto_another_asset_of_the_same_facet_conflicts() {
    let entry = r#""aa": {"source": "1.*", "materialization": {"commands": {"ship": {"kind": "aliased", "as": "plan"}}}}"#;
    let members = r#""skills": {"plan": {"description": "Plans"}}, "commands": {"ship": {"description": "Ships"}}"#;
    let (_, fixes) = conflict(&wanted(entry, ""), &[facet("aa", "1.0.0", members)]);
    assert_eq!(fixes, [entry.replace("\"plan\"}", "\"aa-ship\"}")]);
}

#[test]
fn overrides_that_are_already_there_stay_in_the_fix() {
    let members =
        r#""skills": {"plan": {"description": "Plans"}}, "agents": {"x": {"description": "X"}}"#;
    let facets = [with_asset("aa", "skills", "plan"), facet("bb", "1.0.0", members)];
    let (_, fixes) = conflict(&wanted(BOTH, ""), &facets);
    assert_eq!(
        fixes,
        [
            r#""bb": {"source": "1.0.0", "materialization": {"agents": {"x": {"kind": "omitted"}}, "skills": {"plan": {"kind": "aliased", "as": "bb-plan"}}}}"#
        ]
    );
}

#[test]
fn an_alias_is_never_longer_than_a_name_may_be() {
    let long = "a".repeat(63) + "b";
    let asset = "c".repeat(64);
    let wanted = wanted(&format!(r#""aa": "1.*", "{long}": "1.*""#), "");
    let facets = [with_asset("aa", "skills", &asset), with_asset(&long, "skills", &asset)];
    let (_, fixes) = conflict(&wanted, &facets);
    assert!(fixes[0].contains(&format!("\"as\": \"{long}\"")), "{fixes:?}");
}

#[test]
fn every_conflict_is_reported_at_once() {
    let members = |server: &str| {
        format!(
            r#""skills": {{"plan": {{"description": "Plans"}}}}, "agents": {{"rev": {{"description": "R"}}}},
               "servers": {{"jira": {server}, "wiki": {server}}}"#
        )
    };
    let facets = [
        facet("aa", "1.0.0", &members(r#""1.0.0""#)),
        facet("bb", "1.0.0", &members(r#"{"image": "acme/x"}"#)),
    ];
    let problems = find_problems(&wanted(BOTH, ""), &resolved(facets));
    let kinds: Vec<&str> = problems
        .iter()
        .map(|problem| match problem {
            PlanProblem::UnusedOverride { authored, .. } => authored.as_str(),
            PlanProblem::AssetConflict { name, .. } => name.as_str(),
            PlanProblem::ServerConflict { name, .. } => name.as_str(),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(kinds, ["x", "plan", "rev", "jira", "wiki"]);
}
