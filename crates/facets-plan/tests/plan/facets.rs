//! Facets: what has to be asked for, and their lock entries.

use facets_digest::Digest;
use facets_lock::{Lock, LockedFacetSource, LockedMaterialization};
use facets_model::{AssetKind, AssetScope};
use facets_plan::{
    FacetQuery, Move, PlanProblem, ResolvedFacet, Wanted, facet_queries, find_problems,
    locked_facet, source_text,
};

use super::support::{REGISTRY, facet, lock_of, named, only, resolved, wanted};

const SKILL: &str = r#""skills": {"planning": {"description": "Plans"}}"#;

/// The answer for the facet `tools` of a project that asks for `source`, with version 1.2.0 locked.
fn query(source: &str, moves: &Move) -> FacetQuery {
    let locked =
        lock_of(&wanted(r#""tools": "1.2.0""#, ""), &resolved([facet("tools", "1.2.0", SKILL)]));
    let wanted = wanted(&format!("\"tools\": {source}"), "");
    facet_queries(&wanted, &locked, moves).unwrap().into_values().next().unwrap()
}

fn is_locked(query: &FacetQuery) -> bool {
    matches!(query, FacetQuery::Locked(_))
}

#[test]
fn install_keeps_a_locked_version_that_is_still_asked_for() {
    for source in [r#""1.2.0""#, r#""1.2.*""#, r#""1.*""#, r#""*""#, r#""latest""#] {
        let FacetQuery::Locked(facet) = query(source, &Move::Keep) else { panic!("{source}") };
        assert_eq!(facet.version.to_string(), "1.2.0", "{source}");
        assert_eq!(facet.source, LockedFacetSource::Registry { url: REGISTRY.parse().unwrap() });
    }
}

#[test]
fn a_version_that_is_no_longer_asked_for_is_resolved_at_the_registry_that_the_lock_pins() {
    for source in [r#""1.3.0""#, r#""1.3.*""#, r#""2.*""#, r#""12.*""#] {
        let FacetQuery::Resolve { source: asked, registry } = query(source, &Move::Keep) else {
            panic!("{source}")
        };
        assert_eq!(format!("\"{}\"", source_text(&asked)), source);
        assert_eq!(registry.unwrap().to_string(), REGISTRY);
    }
}

#[test]
fn upgrade_moves_only_the_facets_that_are_named() {
    assert!(is_locked(&query(r#""1.*""#, &named(&["other"]))));
    assert!(!is_locked(&query(r#""1.*""#, &named(&["tools"]))));
    assert!(!is_locked(&query(r#""1.*""#, &Move::All)));
}

#[test]
fn an_exact_version_that_is_locked_does_not_move() {
    assert!(is_locked(&query(r#""1.2.0""#, &Move::All)));
}

#[test]
fn a_new_facet_is_resolved_without_a_pinned_registry() {
    let queries = facet_queries(&wanted(r#""tools": "1.*""#, ""), &Lock::empty(), &Move::Keep);
    let query = queries.unwrap().into_values().next().unwrap();
    assert!(matches!(query, FacetQuery::Resolve { registry: None, .. }));
}

/// The answer for a facet of git or of a directory, whose locked source is given.
fn query_of(source: &str, locked: LockedFacetSource, moves: &Move) -> FacetQuery {
    let wanted = wanted(&format!("\"tools\": \"{source}\""), "");
    let facet = ResolvedFacet { source: locked, ..facet("tools", "1.2.0", SKILL) };
    let lock = lock_of(&wanted, &resolved([facet]));
    facet_queries(&wanted, &lock, moves).unwrap().into_values().next().unwrap()
}

#[test]
fn a_git_facet_stays_at_its_commit_while_its_repository_is_the_same() {
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let locked =
        |url: &str| LockedFacetSource::Git { url: url.to_owned(), commit: commit.to_owned() };
    let other = "f".repeat(40);
    for (source, url, expected) in [
        ("github:acme/viper", "github:acme/viper", true),
        ("github:acme/viper#main", "github:acme/viper", true),
        ("github:acme/viper#main", "https://github.com/acme/viper.git", true),
        ("github:acme/viper#main", "https://github.com/acme/other.git", false),
        ("github:acme/viper", "https://git.example/acme/viper.git", false),
        (&*format!("github:acme/viper#{commit}"), "github:acme/viper", true),
        (&*format!("github:acme/viper#{other}"), "github:acme/viper", false),
    ] {
        let query = query_of(source, locked(url), &Move::Keep);
        assert_eq!(is_locked(&query), expected, "{source} {url}");
    }
    let moved = query_of("github:acme/viper#main", locked("github:acme/viper"), &Move::All);
    assert!(matches!(moved, FacetQuery::Resolve { registry: None, .. }));
}

#[test]
fn a_directory_is_built_anew_each_time() {
    let locked = LockedFacetSource::Local { path: "./facets/tools".to_owned() };
    assert!(!is_locked(&query_of("./facets/tools", locked, &Move::Keep)));
}

#[test]
fn a_facet_that_comes_from_elsewhere_now_is_resolved() {
    assert!(!is_locked(&query(r#""./facets/tools""#, &Move::Keep)));
    assert!(!is_locked(&query(r#""github:acme/tools""#, &Move::Keep)));
}

#[test]
fn an_invalid_lock_entry_is_never_replaced_silently() {
    let text = r#"{"lockfileVersion": 0.3, "facets": {"tools": {"version": "1.2.0"}}}"#;
    let lock = Lock::parse(text.as_bytes()).unwrap();
    let problems = facet_queries(&wanted(r#""tools": "1.*""#, ""), &lock, &Move::All).unwrap_err();
    let sentence = only(&problems).to_string();
    assert!(sentence.starts_with("the lock entry of facet \"tools\" is invalid: "), "{sentence}");
}

#[test]
fn a_lock_entry_has_the_hash_of_every_file_of_every_asset() {
    let members = r#"
        "skills": {"planning": {"description": "Plans", "files": ["z.bin", "a/b.md"]}},
        "agents": {"reviewer": {"description": "Reviews"}},
        "commands": {"ship": {"description": "Ships"}, "abort": {"description": "Aborts"}},
        "files": ["README.md"],
        "servers": {"jira": "1.0.0"}"#;
    let facet = facet("tools", "1.2.0", members);
    let wanted = wanted(r#""tools": "1.*""#, "");
    let (name, entry) = wanted.facets.iter().next().unwrap();
    let locked = locked_facet(name, &facet, entry, AssetScope::User).unwrap();
    let assets: Vec<_> =
        locked.assets.iter().map(|asset| (asset.kind, asset.name.as_str())).collect();
    let (skill, agent, command) = (AssetKind::Skill, AssetKind::Agent, AssetKind::Command);
    assert_eq!(
        assets,
        [(skill, "planning"), (agent, "reviewer"), (command, "abort"), (command, "ship")]
    );
    assert!(locked.assets.iter().all(|asset| asset.scope == AssetScope::User));
    let files = |index: usize| {
        let files = locked.assets[index].files.iter();
        files.map(|file| (file.path.as_str(), file.integrity)).collect::<Vec<_>>()
    };
    let of = |path: &'static str| (path, Digest::of(path.as_bytes()));
    let skill =
        ["skills/planning/SKILL.md", "skills/planning/a/b.md", "skills/planning/z.bin"].map(of);
    assert_eq!(files(0), skill);
    assert_eq!(files(1), ["agents/reviewer.md"].map(of));
    assert_eq!(files(3), ["commands/ship.md"].map(of));
    assert_eq!(locked.servers, facet.manifest.servers);
    assert_eq!((locked.integrity, locked.content_hash), (facet.integrity, facet.content_hash));
    assert_eq!((locked.version, locked.source), (facet.version.clone(), facet.source.clone()));
}

#[test]
fn aliases_and_omissions_stand_in_the_lock_entry_under_the_authors_names() {
    let members = r#"
        "skills": {"planning": {"description": "Plans"}, "notes": {"description": "Notes"}},
        "agents": {"planning": {"description": "Plans"}},
        "commands": {"ship": {"description": "Ships"}}"#;
    let overrides = r#""tools": {"source": "1.*", "materialization": {
        "skills": {"planning": {"kind": "aliased", "as": "team-planning"}},
        "agents": {"planning": {"kind": "omitted"}},
        "commands": {"ship": {"kind": "aliased", "as": "deliver"}}}}"#;
    let wanted = wanted(overrides, "");
    let (name, entry) = wanted.facets.iter().next().unwrap();
    let facet = facet("tools", "1.2.0", members);
    let locked = locked_facet(name, &facet, entry, AssetScope::Project).unwrap();
    let found: Vec<_> = locked
        .assets
        .iter()
        .map(|asset| (asset.kind.word(), asset.name.as_str(), asset.materialization.clone()))
        .collect();
    let alias = |name: &str| LockedMaterialization::Aliased(name.parse().unwrap());
    assert_eq!(
        found,
        [
            ("skill", "notes", LockedMaterialization::Authored),
            ("skill", "planning", alias("team-planning")),
            ("agent", "planning", LockedMaterialization::Omitted),
            ("command", "ship", alias("deliver")),
        ]
    );
    assert_eq!(locked.assets[2].files.len(), 1, "what is omitted is verified too");
}

/// The sentences of all problems of one facet of version 1.2.0.
fn sentences(entry: &str, facet: ResolvedFacet) -> Vec<String> {
    let wanted = wanted(&format!("\"tools\": {entry}"), "");
    let name = "tools".parse().unwrap();
    let alone = locked_facet(&name, &facet, &wanted.facets[&name], AssetScope::Project);
    let found = find_problems(&wanted, &[(name, facet)].into());
    assert_eq!(alone.err().unwrap_or_default(), found);
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_version_that_was_not_asked_for_is_refused() {
    for asked in ["1.2.1", "1.3.*", "2.*", "12.*"] {
        let found = sentences(&format!("\"{asked}\""), facet("tools", "1.2.0", SKILL));
        let expected = format!("facet \"tools\" has version 1.2.0, facets.json asks for {asked}");
        assert_eq!(found, [expected]);
    }
    let fine: [String; 0] = [];
    assert_eq!(sentences(r#""./facets/tools""#, facet("tools", "1.2.0", SKILL)), fine);
}

#[test]
fn another_name_or_version_inside_is_refused() {
    let found = sentences(r#""1.2.0""#, facet("tolls", "1.2.0", SKILL));
    assert_eq!(found, ["facet \"tools\" has the name tolls in its own manifest"]);
    let inside = facet("tools", "2.0.0", SKILL);
    let found =
        sentences(r#""1.2.0""#, ResolvedFacet { version: "1.2.0".parse().unwrap(), ..inside });
    assert_eq!(found, ["facet \"tools\" has the version 2.0.0 in its own manifest"]);
}

#[test]
fn composition_is_refused_with_what_it_is_composed_of() {
    let members = r#""facets": ["@acme/demo@1.0.0", "other@2.1.0"]"#;
    let found = sentences(r#""1.2.0""#, facet("tools", "1.2.0", members));
    let expected = "facet \"tools\" is composed of other facets: @acme/demo@1.0.0, other@2.1.0";
    assert_eq!(found, [expected]);
}

#[test]
fn a_file_that_the_archive_lacks_is_refused() {
    let mut facet = facet("tools", "1.2.0", SKILL);
    facet.files.clear();
    let wanted = wanted(r#""tools": "1.*""#, "");
    let (name, entry) = wanted.facets.iter().next().unwrap();
    let problems = locked_facet(name, &facet, entry, AssetScope::Project).unwrap_err();
    let path = "skills/planning/SKILL.md".to_owned();
    assert_eq!(*only(&problems), PlanProblem::MissingFile { facet: name.clone(), path });
}

#[test]
fn an_override_that_names_nothing_is_refused_with_the_entry_without_it() {
    let servers = r#""servers": {"jira": "1.0.0"}"#;
    let facet = || facet("tools", "1.2.0", &format!("{SKILL}, {servers}"));
    for (group, name, known) in [
        ("skills", "planing", "planning"),
        ("agents", "planning", ""),
        ("commands", "planning", ""),
        ("servers", "planning", "jira"),
        ("servers", "@acme/jira", "jira"),
    ] {
        let entry = format!(
            r#""tools": {{"source": "1.*", "materialization": {{"{group}": {{"{name}": {{"kind": "omitted"}}}}}}}}"#
        );
        let wanted = wanted(&entry, "");
        let problems = find_problems(&wanted, &resolved([facet()]));
        let problem = only(&problems);
        let expected = format!("facet \"tools\" has no \"{name}\" under \"{group}\"");
        assert_eq!(problem.to_string(), expected);
        let PlanProblem::UnusedOverride { known: found, fix, .. } = problem else { panic!() };
        assert_eq!(found.join(" "), known);
        assert_eq!((fix.section, &*fix.text), ("facets", r#""tools": "1.*""#));
        let fixed = super::support::fixed(&wanted, problem);
        assert_eq!(find_problems(&fixed, &resolved([facet()])), []);
    }
}

#[test]
fn names_to_move_that_are_neither_facets_nor_servers_are_known() {
    let wanted = wanted(r#""tools": "1.*""#, r#""jira": "1.0.0""#);
    let servers = super::support::servers_of(&wanted, []);
    let moves = named(&["tools", "jira", "jirra"]);
    assert_eq!(moves.unknown_names(&wanted, &servers), ["jirra"]);
    for all in [Move::All, Move::Keep] {
        assert!(all.unknown_names(&Wanted::default(), &servers).is_empty());
    }
}
