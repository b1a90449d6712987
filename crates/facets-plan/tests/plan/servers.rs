//! Servers: floors, effective names, and what has to be asked for.

use std::collections::BTreeMap;

use facets_lock::{Lock, UncapturedServer};
use facets_plan::{
    Move, Requirer, ServerQuery, Wanted, WantedServer, WantedWhat, server_queries, wanted_servers,
};

use super::support::{
    REGISTRY, lock_of, named, resolved, servers_of, wanted, with_command, with_facets, with_local,
    with_others, with_registry, with_servers,
};

fn shown(servers: &BTreeMap<String, WantedServer>) -> Vec<(&str, String)> {
    servers.iter().map(|(name, server)| (name.as_str(), server.what.to_string())).collect()
}

fn texts<const N: usize>(pairs: [(&'static str, &str); N]) -> [(&'static str, String); N] {
    pairs.map(|(name, text)| (name, text.to_owned()))
}

#[test]
fn two_facets_that_name_one_server_get_the_higher_floor() {
    let wanted = wanted(r#""aa": "1.*", "bb": "1.*""#, "");
    for (low, high) in [
        ("1.0.0", "1.2.0"),
        ("1.9.0", "1.10.0"),
        ("1.2.0-rc.1", "1.2.0"),
        ("1.1.0", "1.2.0-rc.1"),
        ("1.2.0-rc.2", "1.2.0-rc.10"),
    ] {
        for (first, second) in [(low, high), (high, low)] {
            let of = |name, floor| with_servers(name, &format!("\"jira\": \"{floor}\""));
            let servers = servers_of(&wanted, [of("aa", first), of("bb", second)]);
            let expected = format!("registry server jira@{high}");
            assert_eq!(shown(&servers), texts([("jira", &expected)]));
            let by: Vec<String> = servers["jira"].by.iter().map(ToString::to_string).collect();
            assert_eq!(by, ["facet \"aa\"", "facet \"bb\""]);
        }
    }
}

#[test]
fn the_floor_of_the_project_counts_as_that_of_a_facet() {
    let wanted = wanted(r#""aa": "1.*""#, r#""jira": "2.0.0""#);
    let servers = servers_of(&wanted, [with_servers("aa", r#""jira": "1.0.0""#)]);
    assert_eq!(shown(&servers), texts([("jira", "registry server jira@2.0.0")]));
    let facet = Requirer::Facet { facet: "aa".parse().unwrap(), authored: "jira".to_owned() };
    assert_eq!(servers["jira"].by, [Requirer::Project { authored: "jira".to_owned() }, facet]);
}

#[test]
fn a_server_is_called_by_its_alias_or_its_last_segment_or_is_omitted() {
    let entry = r#""aa": {"source": "1.*", "materialization": {"servers": {
        "@acme/jira": {"kind": "aliased", "as": "issues"}, "slack": {"kind": "omitted"}}}}"#;
    let declared = r#""@acme/jira": "1.0.0", "@acme/wiki": "2.0.0", "slack": {"image": "acme/slack:v2"},
        "docs": {"type": "http", "url": "https://docs.example/mcp"}"#;
    let servers = servers_of(&wanted(entry, ""), [with_servers("aa", declared)]);
    let expected = [
        ("docs", "`https://docs.example/mcp`"),
        ("issues", "registry server @acme/jira@1.0.0"),
        ("wiki", "registry server @acme/wiki@2.0.0"),
    ];
    assert_eq!(shown(&servers), texts(expected));
}

#[test]
fn the_project_gives_registry_servers_names_of_its_own() {
    let declared = r#""jira-prod": "jira@1.0.0", "@acme/wiki": "2.0.0", "notes": "./server"#;
    let servers = servers_of(&wanted("", &format!("{declared}\"")), []);
    let expected = [
        ("jira-prod", "registry server jira@1.0.0"),
        ("notes", "`./server`"),
        ("wiki", "registry server @acme/wiki@2.0.0"),
    ];
    assert_eq!(shown(&servers), texts(expected));
    assert!(matches!(servers["notes"].what, WantedWhat::Local(_)));
}

#[test]
fn one_registry_server_under_two_names_is_two_servers() {
    let wanted = wanted(r#""aa": "1.*""#, r#""jira-prod": "jira@1.0.0""#);
    let servers = servers_of(&wanted, [with_servers("aa", r#""jira": "3.0.0""#)]);
    let expected =
        [("jira", "registry server jira@3.0.0"), ("jira-prod", "registry server jira@1.0.0")];
    assert_eq!(shown(&servers), texts(expected));
}

const DOCS: &str =
    r#""docs": {"type": "stdio", "command": "npx", "args": ["-y", "docs"], "env": {"A": "1"}}"#;

#[test]
fn two_facets_that_declare_one_inline_server_identically_share_it() {
    let wanted = wanted(r#""aa": "1.*", "bb": "1.*""#, "");
    let servers = servers_of(&wanted, [with_servers("aa", DOCS), with_servers("bb", DOCS)]);
    assert_eq!(shown(&servers), texts([("docs", "`npx -y docs`")]));
    assert_eq!(servers["docs"].by.len(), 2);
}

#[test]
fn two_facets_that_name_one_image_share_it() {
    let slack = r#""slack": {"image": "ghcr.io/acme/slack:v2"}"#;
    let wanted = wanted(r#""aa": "1.*", "bb": "1.*""#, "");
    let servers = servers_of(&wanted, [with_servers("aa", slack), with_servers("bb", slack)]);
    assert_eq!(shown(&servers), texts([("slack", "image ghcr.io/acme/slack:v2")]));
}

#[test]
fn facets_that_the_project_does_not_declare_want_nothing() {
    let facets = resolved([with_servers("aa", r#""jira": "1.0.0""#)]);
    assert_eq!(wanted_servers(&Wanted::default(), &facets), Ok(BTreeMap::new()));
}

#[test]
fn a_project_tells_its_own_servers_apart_by_case() {
    let declared = r#""Docs": {"type": "http", "url": "https://one.example/"},
        "docs": {"type": "http", "url": "https://two.example/"}"#;
    assert_eq!(servers_of(&wanted("", declared), []).len(), 2);
}

/// What is to be done for the server `jira` that the project declares.
fn query(declared: &str, lock: &Lock, moves: &Move) -> ServerQuery {
    let servers = servers_of(&wanted("", &format!("\"jira\": {declared}")), []);
    server_queries(&servers, lock, moves).unwrap().into_values().next().unwrap()
}

fn resolve(floor: &str, registry: Option<&str>) -> ServerQuery {
    ServerQuery::Resolve {
        artifact: "jira".parse().unwrap(),
        floor: floor.parse().unwrap(),
        registry: registry.map(|url| url.parse().unwrap()),
    }
}

#[test]
fn a_locked_version_stays_while_the_floor_admits_it() {
    for (floor, version, stays) in [
        ("1.0.0", "1.5.2", true),
        ("1.5.2", "1.5.2", true),
        ("1.6.0", "1.5.2", false),
        ("1.0.0", "1.5.2-rc.1", false),
        ("1.5.2-rc.1", "1.5.2-rc.2", true),
        ("1.5.2-rc.1", "1.5.3-rc.1", false),
    ] {
        let lock = with_registry(&Lock::empty(), "jira", "jira", version);
        let expected = if stays { ServerQuery::Locked } else { resolve(floor, Some(REGISTRY)) };
        assert_eq!(
            query(&format!("\"{floor}\""), &lock, &Move::Keep),
            expected,
            "{floor} {version}"
        );
    }
}

#[test]
fn a_new_server_is_resolved_without_a_pinned_registry() {
    assert_eq!(query(r#""1.0.0""#, &Lock::empty(), &Move::Keep), resolve("1.0.0", None));
}

#[test]
fn upgrade_resolves_only_the_servers_that_are_named() {
    let lock = with_registry(&Lock::empty(), "jira", "jira", "1.5.2");
    let moved = resolve("1.0.0", Some(REGISTRY));
    assert_eq!(query(r#""1.0.0""#, &lock, &named(&["wiki"])), ServerQuery::Locked);
    assert_eq!(query(r#""1.0.0""#, &lock, &named(&["jira"])), moved);
    assert_eq!(query(r#""1.0.0""#, &lock, &Move::All), moved);
}

#[test]
fn another_artifact_under_the_same_name_is_resolved() {
    let lock = with_registry(&Lock::empty(), "jira", "@acme/jira", "1.5.2");
    assert_eq!(query(r#""1.0.0""#, &lock, &Move::Keep), resolve("1.0.0", Some(REGISTRY)));
    assert_eq!(query(r#""@acme/jira@1.0.0""#, &lock, &Move::Keep), ServerQuery::Locked);
}

#[test]
fn a_local_artifact_of_the_same_name_is_not_the_registry_server() {
    let lock = with_local(&Lock::empty(), "jira", "./server");
    assert_eq!(query(r#""1.0.0""#, &lock, &Move::Keep), resolve("1.0.0", None));
    assert_eq!(query(r#""./server""#, &lock, &Move::Keep), ServerQuery::Locked);
    for (declared, moves) in [(r#""./other""#, Move::Keep), (r#""./server""#, Move::All)] {
        assert!(matches!(query(declared, &lock, &moves), ServerQuery::Capture(_)), "{declared}");
    }
}

#[test]
fn an_inline_server_is_captured_when_it_is_new_or_its_command_changed() {
    let declared =
        r#"{"type": "stdio", "command": "npx", "args": ["-y", "jira"], "env": ["TOKEN"]}"#;
    let capture = query(declared, &Lock::empty(), &Move::Keep);
    let ServerQuery::Capture(origin) = &capture else { panic!("{capture:?}") };
    assert_eq!(origin.to_string(), "npx -y jira");
    let same = with_command(&Lock::empty(), "jira", &["npx", "-y", "jira"], &["TOKEN"]);
    assert_eq!(query(declared, &same, &Move::Keep), ServerQuery::Locked);
    assert_eq!(query(declared, &same, &Move::All), ServerQuery::Locked, "it has no other version");
    for (words, env) in
        [(&["npx", "-y", "jirra"], &["TOKEN"]), (&["npx", "-y", "jira"], &["OTHER"])]
    {
        let other = with_command(&Lock::empty(), "jira", words, env);
        assert_eq!(query(declared, &other, &Move::Keep), capture);
    }
}

#[test]
fn values_of_variables_that_a_facet_changes_are_looked_at() {
    let wanted = wanted(r#""aa": "1.*", "bb": "1.*""#, "");
    let pinned = with_command(&Lock::empty(), "docs", &["npx", "-y", "docs"], &["A"]);
    let locked = with_facets(pinned.clone(), &wanted, &resolved([with_servers("aa", DOCS)]));
    let query = |lock: &Lock, facets: [(&str, &str); 1]| {
        let servers = servers_of(&wanted, facets.map(|(name, docs)| with_servers(name, docs)));
        server_queries(&servers, lock, &Move::Keep).unwrap().remove("docs").unwrap()
    };
    assert_eq!(query(&locked, [("aa", DOCS)]), ServerQuery::Locked);
    let other = DOCS.replace(r#""A": "1""#, r#""A": "2""#);
    assert!(matches!(query(&locked, [("aa", &other)]), ServerQuery::Capture(_)));
    assert!(matches!(query(&pinned, [("aa", DOCS)]), ServerQuery::Capture(_)), "nobody saw them");
    let both = servers_of(&wanted, [with_servers("aa", DOCS), with_servers("bb", DOCS)]);
    let queries = server_queries(&both, &locked, &Move::Keep).unwrap();
    assert_eq!(queries["docs"], ServerQuery::Locked, "one of them was seen with these values");
}

#[test]
fn a_server_that_nobody_looked_at_stays_uncaptured_until_it_is_named_or_declared_otherwise() {
    let wanted = wanted(r#""aa": "1.*""#, "");
    let declared = r#""@acme/jira": "1.0.0", "wiki": "2.0.0", "slack": {"image": "acme/slack:v2"}"#;
    let facet = with_servers("aa", &format!("{declared}, {DOCS}"));
    let mut lock = lock_of(&wanted, &resolved([facet.clone()]));
    for (authored, declared) in &facet.manifest.servers {
        let mut declared = declared.clone();
        let name = authored.trim_start_matches("@acme/");
        if let (facets_model::manifest::DeclaredServer::Floor { artifact, .. }, true) =
            (&mut declared, name != authored)
        {
            *artifact = Some(authored.parse().unwrap());
        }
        let uncaptured = UncapturedServer { declared, facet: "aa".to_owned() };
        lock = lock.with_uncaptured(name, &uncaptured).unwrap();
    }
    let queries = |facet: &str, moves: &Move| {
        let servers = servers_of(&wanted, [with_servers("aa", facet)]);
        server_queries(&servers, &lock, moves).unwrap()
    };
    let same = queries(&format!("{declared}, {DOCS}"), &Move::Keep);
    assert_eq!(same.into_values().collect::<Vec<_>>(), [const { ServerQuery::Uncaptured }; 4]);
    let moved = queries(&format!("{declared}, {DOCS}"), &Move::All);
    assert!(matches!(moved["docs"], ServerQuery::Capture(_)));
    assert!(matches!(moved["jira"], ServerQuery::Resolve { registry: None, .. }));
    assert_eq!(moved["slack"], ServerQuery::Uncaptured, "images are not started");
    let other = queries(
        &format!(r#""jira": "1.0.0", "wiki": "2.1.0", {}"#, DOCS.replace("npx", "bunx")),
        &Move::Keep,
    );
    assert!(matches!(other["docs"], ServerQuery::Capture(_)));
    assert!(matches!(other["jira"], ServerQuery::Resolve { .. }), "another artifact");
    assert!(matches!(other["wiki"], ServerQuery::Resolve { .. }), "another floor");
}

#[test]
fn an_image_is_never_started_and_an_entry_of_another_kind_stays() {
    let image = r#"{"image": "ghcr.io/acme/jira:v2"}"#;
    assert_eq!(query(image, &Lock::empty(), &Move::Keep), ServerQuery::Uncaptured);
    let lock = with_others(r#""jira": {"image": "ghcr.io/acme/jira:v2", "digest": "sha256:0"}"#);
    for declared in [image, r#""1.0.0""#] {
        for moves in [Move::Keep, Move::All] {
            assert_eq!(query(declared, &lock, &moves), ServerQuery::Locked, "{declared}");
        }
    }
}

#[test]
fn an_invalid_lock_entry_is_never_replaced_silently() {
    let text = r#"{"lockfileVersion": 0.3, "serversVersion": 2,
        "servers": {"jira": {"command": "sh", "launch": "sha256:0", "surface_file": "x"}}}"#;
    let lock = Lock::parse(text.as_bytes()).unwrap();
    let servers = servers_of(&wanted("", r#""jira": "1.0.0""#), []);
    let problems = server_queries(&servers, &lock, &Move::All).unwrap_err();
    let sentence = super::support::only(&problems).to_string();
    assert!(sentence.starts_with("the lock entry of server \"jira\" is invalid: "), "{sentence}");
}
