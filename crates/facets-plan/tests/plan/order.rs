//! The same plan, whatever the order in which things are declared.

use std::fmt::Write as _;

use facets_digest::Digest;
use facets_lock::Lock;
use facets_model::{AssetBase, AssetKind};
use facets_plan::{
    InstalledFileView, Move, Plan, ResolvedFacet, facet_queries, find_problems, frozen_differences,
    plan_assets, plan_facets, plan_servers, server_queries, wanted_servers,
};
use proptest::prelude::*;

use super::support::{facet, locked, resolved, wanted, with_registry};

const FACETS: &[&str] = &[
    r#""aa": "1.*""#,
    r#""bb": {"source": "1.*", "materialization": {"skills": {"plan": {"kind": "aliased", "as": "b-plan"}}, "servers": {"docs": {"kind": "omitted"}}}}"#,
    r#""@acme/cc": "*""#,
    r#""dd": {"source": "1.*", "materialization": {"agents": {"none": {"kind": "omitted"}, "nothing": {"kind": "omitted"}}}}"#,
];

const SERVERS: &[&str] = &[r#""jira": "1.5.0""#, r#""Wiki": "./wiki""#, r#""@acme/chat": "1.0.0""#];

const SKILLS: &[&str] = &[r#""plan": {"description": "P"}"#, r#""notes": {"description": "N"}"#];

const DECLARED: &[&str] = &[
    r#""jira": "1.0.0""#,
    r#""docs": {"type": "http", "url": "https://docs.example/"}"#,
    r#""@acme/mail": "1.0.0""#,
];

/// Members that only some facets have, and that conflict with others.
const QUARRELSOME: &[&str] =
    &[r#""wiki": {"image": "acme/wiki"}"#, r#""chat": {"image": "acme/chat"}"#];

fn shuffled(all: &'static [&'static str]) -> impl Strategy<Value = String> {
    Just(all.to_vec()).prop_shuffle().prop_map(|members| members.join(", "))
}

fn files() -> impl Strategy<Value = Vec<InstalledFileView>> {
    let file = |path: &str, client: &str| InstalledFileView {
        base: AssetBase::Project,
        path: path.to_owned(),
        digest: Digest::of(format!("{path}{client}").as_bytes()),
        facet: "aa".to_owned(),
        kind: AssetKind::Skill,
        name: "plan".parse().unwrap(),
        client: client.to_owned(),
    };
    let all = vec![file("a", "codex"), file("a", "opencode"), file("b", "codex"), file("c", "x")];
    Just(all).prop_shuffle()
}

/// Everything that is said of one declaration, as text.
fn report(
    wanted: &facets_plan::Wanted,
    mut facets: Vec<ResolvedFacet>,
    files: &[InstalledFileView],
) -> String {
    // Bytes of a manifest depend on its order, and so does its integrity.
    for facet in &mut facets {
        facet.integrity = Digest::of(b"x");
        facet.content_hash = None;
    }
    let facets = resolved(facets);
    let lock = with_registry(&Lock::empty(), "jira", "jira", "1.6.0");
    let mut out = String::new();
    let problems = find_problems(wanted, &facets);
    write!(out, "{problems:#?}").unwrap();
    write!(out, "{:#?}", frozen_differences(wanted, &lock)).unwrap();
    write!(out, "{:#?}", facet_queries(wanted, &lock, &Move::Keep)).unwrap();
    if problems.is_empty() {
        let servers = wanted_servers(wanted, &facets).unwrap();
        let queries = server_queries(&servers, &lock, &Move::All).unwrap();
        let servers = plan_servers(&lock, &servers, &queries, &[].into());
        let facets = plan_facets(&lock, &locked(wanted, &facets));
        write!(out, "{:#?}", Plan { facets, servers, assets: Vec::new() }).unwrap();
    }
    for after in [files, &[]] {
        write!(out, "{:#?}", plan_assets(files, after, &[].into())).unwrap();
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_order_of_declarations_changes_nothing(
        entries in shuffled(FACETS),
        own in shuffled(SERVERS),
        skills in shuffled(SKILLS),
        declared in shuffled(DECLARED),
        quarrel in shuffled(QUARRELSOME),
        order in Just(vec![0, 1, 2, 3]).prop_shuffle(),
        files in files(),
    ) {
        for is_quarrelsome in [false, true] {
            let make = |entries: &str, own: &str, parts: [&str; 3], order: &[usize]| {
                let [skills, declared, quarrel] = parts;
                let quarrel = if is_quarrelsome { quarrel } else { r#""only": "1.0.0""# };
                let agents = if is_quarrelsome { "x" } else { "none" };
                let of = |index: usize| match index {
                    0 => facet("aa", "1.0.0", &format!(r#""skills": {{{skills}}}, "servers": {{{declared}}}"#)),
                    1 => facet("bb", "1.1.0", &format!(
                        r#""skills": {{"plan": {{"description": "P"}}}}, "servers": {{{declared}}}"#
                    )),
                    2 => facet("@acme/cc", "2.0.0", &format!(r#""servers": {{{quarrel}}}"#)),
                    _ => facet("dd", "1.0.0", &format!(
                        r#""agents": {{"{agents}": {{"description": "A"}}, "nothing": {{"description": "A"}}}}"#
                    )),
                };
                let facets = order.iter().map(|index| of(*index)).collect();
                (wanted(entries, own), facets)
            };
            let (first, facets) = make(
                &FACETS.join(", "),
                &SERVERS.join(", "),
                [&SKILLS.join(", "), &DECLARED.join(", "), &QUARRELSOME.join(", ")],
                &[0, 1, 2, 3],
            );
            let mut sorted = files.clone();
            sorted.sort();
            let expected = report(&first, facets, &sorted);
            let (second, facets) = make(&entries, &own, [&skills, &declared, &quarrel], &order);
            prop_assert_eq!(report(&second, facets, &files), expected);
            let conflicts = if is_quarrelsome { 3 } else { 0 };
            let problems = find_problems(&first, &resolved(make(
                &entries, &own, [&skills, &declared, &quarrel], &order,
            ).1));
            prop_assert_eq!(problems.len(), conflicts, "{:#?}", problems);
        }
    }
}
