//! The steps of a plan: what is added, changed, removed and kept.

use std::collections::BTreeMap;

use facets_lock::{Lock, UncapturedServer};
use facets_plan::{
    Move, Plan, ResolvedFacet, ResolvedServer, ServerState, ServerStep, Step, Wanted, plan_facets,
    plan_servers, server_queries,
};

use super::support::{
    REGISTRY, facet, integrity, lock_of, locked, resolved, servers_of, wanted, with_command,
    with_facets, with_others, with_registry, with_servers,
};

const SKILL: &str = r#""skills": {"planning": {"description": "Plans"}}"#;

fn word<T>(step: &Step<T>) -> &'static str {
    match step {
        Step::Add(_) => "add",
        Step::Change { .. } => "change",
        Step::Remove(_) => "remove",
        Step::Keep(_) => "keep",
    }
}

#[test]
fn facets_are_added_changed_removed_and_kept() {
    let before = wanted(r#""aa": "*", "bb": "*", "cc": "*""#, "");
    let of = |name, version| facet(name, version, SKILL);
    let entry = |name: &str| {
        format!(
            r#""{name}": {{"source": "*", "materialization": {{"skills": {{"planning": {{"kind": "omitted"}}}}}}}}"#
        )
    };
    let lock =
        lock_of(&before, &resolved([of("aa", "1.0.0"), of("bb", "1.0.0"), of("cc", "1.0.0")]));
    let after = wanted(r#""aa": "*", "bb": "*", "dd": "*""#, "");
    let facets = resolved([of("aa", "1.0.0"), of("bb", "1.1.0"), of("dd", "1.0.0")]);
    let steps = plan_facets(&lock, &locked(&after, &facets));
    let version = |facet: Option<&facets_lock::LockedFacet>| {
        facet.map(|facet| facet.version.to_string()).unwrap_or_default()
    };
    let shown: Vec<_> = steps
        .iter()
        .map(|one| (&*one.name, word(&one.step), version(one.step.from()), version(one.step.to())))
        .collect();
    let row = |name, word, from: &str, to: &str| (name, word, from.to_owned(), to.to_owned());
    assert_eq!(
        shown,
        [
            row("aa", "keep", "1.0.0", "1.0.0"),
            row("bb", "change", "1.0.0", "1.1.0"),
            row("cc", "remove", "1.0.0", ""),
            row("dd", "add", "", "1.0.0"),
        ]
    );
    let renamed = wanted(&entry("aa"), "");
    let steps = plan_facets(&lock, &locked(&renamed, &resolved([of("aa", "1.0.0")])));
    assert_eq!(word(&steps[0].step), "change", "an override changes the lock entry");
}

/// The steps of servers, with these versions resolved.
fn plan(
    wanted: &Wanted,
    facets: &[ResolvedFacet],
    lock: &Lock,
    (moves, versions): (&Move, &[(&str, &str, &str)]),
) -> Vec<ServerStep> {
    let servers = servers_of(wanted, facets.iter().cloned());
    let queries = server_queries(&servers, lock, moves).unwrap();
    let resolved: BTreeMap<String, ResolvedServer> = versions
        .iter()
        .map(|(name, artifact, version)| {
            let resolved = ResolvedServer {
                version: version.parse().unwrap(),
                integrity: integrity(artifact, version),
                registry: REGISTRY.parse().unwrap(),
            };
            ((*name).to_owned(), resolved)
        })
        .collect();
    plan_servers(lock, &servers, &queries, &resolved)
}

fn shown(steps: &[ServerStep]) -> Vec<String> {
    let state = |state: Option<&ServerState>| match state {
        None => "-".to_owned(),
        Some(ServerState { what, version, is_captured, .. }) => {
            let version = version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
            let captured = if *is_captured { "" } else { " uncaptured" };
            format!("{what}{version}{captured}")
        }
    };
    let line = |one: &ServerStep| {
        let (from, to) = (state(one.step.from()), state(one.step.to()));
        format!("{} {}: {from} -> {to}", word(&one.step), one.name)
    };
    steps.iter().map(line).collect()
}

#[test]
fn servers_are_added_changed_and_kept() {
    let wanted = wanted("", r#""jira": "1.0.0", "wiki": "@acme/wiki@1.0.0", "new": "neu@1.0.0""#);
    let lock = with_registry(&Lock::empty(), "jira", "jira", "1.2.0");
    let lock = with_registry(&lock, "wiki", "@acme/wiki", "1.0.0");
    let versions =
        [("jira", "jira", "1.3.0"), ("wiki", "@acme/wiki", "1.0.0"), ("new", "neu", "1.1.0")];
    let steps = plan(&wanted, &[], &lock, (&Move::All, &versions));
    assert_eq!(
        shown(&steps),
        [
            "change jira: jira@1.2.0 -> jira@1.3.0",
            "add new: - -> neu@1.1.0",
            "keep wiki: @acme/wiki@1.0.0 -> @acme/wiki@1.0.0",
        ]
    );
    let Step::Add(new) = &steps[1].step else { panic!() };
    assert_eq!(new.artifact.as_ref().unwrap().as_str(), "neu");
    assert_eq!(new.integrity, Some(integrity("neu", "1.1.0")));
    assert_eq!(new.registry.as_ref().unwrap().to_string(), REGISTRY);
    assert!(!Plan { servers: steps, ..Plan::default() }.is_empty());
    let steps = plan(&wanted, &[], &lock, (&Move::Keep, &versions));
    assert_eq!(word(&steps[0].step), "keep", "install does not move it");
}

#[test]
fn an_inline_server_that_changed_is_looked_at_again() {
    let wanted = wanted(r#""aa": "*""#, "");
    let docs = |value: &str| {
        with_servers(
            "aa",
            &format!(
                r#""docs": {{"type": "stdio", "command": "docs", "env": {{"A": "{value}"}}}}"#
            ),
        )
    };
    let lock = with_command(&Lock::empty(), "docs", &["docs"], &["A"]);
    let lock = with_facets(lock, &wanted, &resolved([docs("1")]));
    let keep = (&Move::Keep, &[][..]);
    assert_eq!(shown(&plan(&wanted, &[docs("1")], &lock, keep)), ["keep docs: docs -> docs"]);
    assert_eq!(shown(&plan(&wanted, &[docs("2")], &lock, keep)), ["change docs: docs -> docs"]);
}

#[test]
fn an_image_is_added_uncaptured_and_stays_so() {
    let wanted = wanted(r#""aa": "*""#, "");
    let facet = with_servers("aa", r#""slack": {"image": "ghcr.io/acme/slack:v2"}"#);
    let keep = (&Move::Keep, &[][..]);
    let steps = plan(&wanted, std::slice::from_ref(&facet), &Lock::empty(), keep);
    assert_eq!(shown(&steps), ["add slack: - -> ghcr.io/acme/slack:v2 uncaptured"]);
    let declared = facet.manifest.servers["slack"].clone();
    let uncaptured = UncapturedServer { declared, facet: "aa".to_owned() };
    let lock = Lock::empty().with_uncaptured("slack", &uncaptured).unwrap();
    let steps = plan(&wanted, &[facet], &lock, keep);
    let slack = "ghcr.io/acme/slack:v2 uncaptured";
    assert_eq!(shown(&steps), [format!("keep slack: {slack} -> {slack}")]);
}

/// A lock with two facets, their servers, two servers of the project, and one of another kind.
fn full_lock(wanted: &Wanted, facets: &[ResolvedFacet]) -> Lock {
    let lock = with_others(r#""other": {"image": "acme/other", "digest": "sha256:0"}"#);
    let lock = with_registry(&lock, "jira", "jira", "1.2.0");
    let lock = with_registry(&lock, "team-wiki", "@acme/wiki", "1.0.0");
    let lock = with_command(&lock, "docs", &["docs"], &[]);
    let lock = with_command(&lock, "greeter", &["sh", "server.sh"], &[]);
    let lock = with_facets(lock, wanted, &resolved(facets.iter().cloned()));
    let declared = facets[0].manifest.servers["slack"].clone();
    lock.with_uncaptured("slack", &UncapturedServer { declared, facet: "aa".to_owned() }).unwrap()
}

#[test]
fn a_facet_that_is_removed_takes_along_the_servers_that_nobody_else_wants() {
    let own = r#""greeter": {"type": "stdio", "command": "sh", "args": ["server.sh"]}"#;
    let aliased = r#""aa": {"source": "*", "materialization": {"servers": {"@acme/wiki": {"kind": "aliased", "as": "team-wiki"}}}}"#;
    let docs = r#""docs": {"type": "stdio", "command": "docs"}"#;
    let all = format!(
        r#""jira": "1.0.0", "@acme/wiki": "1.0.0", "slack": {{"image": "acme/slack"}}, {docs},
           "greeter": {{"type": "stdio", "command": "sh", "args": ["server.sh"]}}"#
    );
    let (first, second) = (with_servers("aa", &all), with_servers("bb", r#""jira": "1.1.0""#));
    let before = wanted(&format!(r#"{aliased}, "bb": "*""#), own);
    let lock = full_lock(&before, &[first.clone(), second.clone()]);
    let keep = (&Move::Keep, &[][..]);
    let unchanged = plan(&before, &[first, second.clone()], &lock, keep);
    assert!(unchanged.iter().all(|one| one.step.is_keep()), "{:?}", shown(&unchanged));
    let after = wanted(r#""bb": "*""#, own);
    let steps = plan(&after, std::slice::from_ref(&second), &lock, keep);
    assert_eq!(
        shown(&steps),
        [
            "remove docs: docs -> -",
            "keep greeter: sh server.sh -> sh server.sh",
            "keep jira: jira@1.2.0 -> jira@1.2.0",
            "remove slack: docker.io/acme/slack:latest uncaptured -> -",
            "remove team-wiki: @acme/wiki@1.0.0 -> -",
        ]
    );
    let facets = plan_facets(&lock, &locked(&after, &resolved([second])));
    assert_eq!(facets.iter().map(|one| word(&one.step)).collect::<Vec<_>>(), ["remove", "keep"]);
    let plan = Plan { facets, servers: steps, ..Plan::default() };
    assert!(!plan.is_empty());
}

#[test]
fn entries_that_no_facet_declares_are_left_alone() {
    let lock = with_command(&Lock::empty(), "stray", &["sh", "stray.sh"], &[]);
    assert_eq!(plan(&Wanted::default(), &[], &lock, (&Move::Keep, &[])), []);
}

#[test]
fn a_server_that_gets_an_alias_moves() {
    let facet = with_servers("aa", r#""jira": "1.0.0""#);
    let before = wanted(r#""aa": "*""#, "");
    let lock = with_registry(&Lock::empty(), "jira", "jira", "1.2.0");
    let lock = with_facets(lock, &before, &resolved([facet.clone()]));
    let after = wanted(
        r#""aa": {"source": "*", "materialization": {"servers": {"jira": {"kind": "aliased", "as": "issues"}}}}"#,
        "",
    );
    let versions = [("issues", "jira", "1.2.0")];
    let steps = plan(&after, &[facet], &lock, (&Move::Keep, &versions));
    assert_eq!(shown(&steps), ["add issues: - -> jira@1.2.0", "remove jira: jira@1.2.0 -> -"]);
}

#[test]
fn an_entry_of_another_kind_stays_under_a_wanted_name() {
    let wanted = wanted("", r#""jira": {"image": "acme/jira:v2"}"#);
    let lock = with_others(r#""jira": {"image": "acme/jira:v1", "digest": "sha256:0"}"#);
    let steps = plan(&wanted, &[], &lock, (&Move::All, &[]));
    assert!(steps[0].step.is_keep());
    assert!(Plan { servers: steps, ..Plan::default() }.is_empty());
}
