//! `--frozen`: every difference between `facets.json` and `facets.lock`, as a sentence.

use facets_lock::{Lock, LockedFacetSource};
use facets_plan::{ResolvedFacet, Wanted, frozen_differences};

use super::support::{
    facet, lock_of, resolved, wanted, with_command, with_facets, with_others, with_registry,
    with_servers,
};

const SKILL: &str = r#""skills": {"planning": {"description": "Plans"}}"#;

fn sentences(wanted: &Wanted, lock: &Lock) -> Vec<String> {
    frozen_differences(wanted, lock).iter().map(ToString::to_string).collect()
}

fn one_facet(source: &str) -> Wanted {
    wanted(&format!("\"tools\": {source}"), "")
}

fn tools_lock() -> Lock {
    lock_of(&one_facet(r#""*""#), &resolved([facet("tools", "1.2.0", SKILL)]))
}

#[test]
fn a_lock_that_has_what_is_declared_has_no_difference() {
    let wanted = wanted(
        r#""tools": "1.*""#,
        r#""greeter": {"type": "stdio", "command": "sh", "args": ["server.sh"]}"#,
    );
    let facets = resolved([with_servers("tools", r#""jira": "1.0.0""#)]);
    let lock = with_registry(&Lock::empty(), "jira", "jira", "1.2.0");
    let lock = with_command(&lock, "greeter", &["sh", "server.sh"], &[]);
    let lock = with_facets(lock, &wanted, &facets);
    assert_eq!(sentences(&wanted, &lock), [""; 0]);
}

#[test]
fn a_facet_that_is_not_locked_or_not_declared_is_a_difference() {
    let missing = "facet \"tools\" is declared, but not locked";
    assert_eq!(sentences(&one_facet(r#""1.*""#), &Lock::empty()), [missing]);
    let extra = "facet \"tools\" is locked, but not declared";
    assert_eq!(sentences(&Wanted::default(), &tools_lock()), [extra]);
}

#[test]
fn another_version_or_origin_of_a_facet_is_a_difference() {
    for source in ["1.3.*", "2.0.0", "./facets/tools", "github:acme/tools#main"] {
        let expected = format!(
            "facet \"tools\" is declared as {source}, but locked as 1.2.0 of the registry \
             https://registry.example/"
        );
        assert_eq!(sentences(&one_facet(&format!("\"{source}\"")), &tools_lock()), [expected]);
    }
}

#[test]
fn another_repository_or_directory_is_a_difference() {
    let commit = "0123456789abcdef0123456789abcdef01234567".to_owned();
    let git = LockedFacetSource::Git { url: "github:acme/tools".to_owned(), commit };
    let local = LockedFacetSource::Local { path: "./facets/tools".to_owned() };
    let lock = |source| {
        let facet = ResolvedFacet { source, ..facet("tools", "1.2.0", SKILL) };
        lock_of(&one_facet(r#""./x""#), &resolved([facet]))
    };
    let (git, local) = (lock(git), lock(local));
    assert_eq!(sentences(&one_facet(r#""github:acme/tools#v1""#), &git), [""; 0]);
    assert_eq!(
        sentences(&one_facet(r#""github:evil/tools#v1""#), &git),
        ["facet \"tools\" is declared as github:evil/tools#v1, but locked as 1.2.0 of \
          github:acme/tools#0123456789abcdef0123456789abcdef01234567"]
    );
    assert_eq!(sentences(&one_facet(r#""./facets/tools""#), &local), [""; 0]);
    assert_eq!(
        sentences(&one_facet(r#""./facets/other""#), &local),
        ["facet \"tools\" is declared as ./facets/other, but locked as 1.2.0 in ./facets/tools"]
    );
}

#[test]
fn another_alias_is_a_difference() {
    let entry = |what: &str| {
        one_facet(&format!(
            r#"{{"source": "1.*", "materialization": {{"skills": {{"planning": {what}}}}}}}"#
        ))
    };
    let aliased = entry(r#"{"kind": "aliased", "as": "plan"}"#);
    let omitted = entry(r#"{"kind": "omitted"}"#);
    assert_eq!(
        sentences(&aliased, &tools_lock()),
        ["the skill \"planning\" of facet \"tools\" is aliased to \"plan\" in facets.json, but \
          installed under its own name in the lock"]
    );
    let lock = lock_of(&aliased, &resolved([facet("tools", "1.2.0", SKILL)]));
    assert_eq!(sentences(&aliased, &lock), [""; 0]);
    assert_eq!(
        sentences(&omitted, &lock),
        ["the skill \"planning\" of facet \"tools\" is omitted in facets.json, but aliased to \
          \"plan\" in the lock"]
    );
}

#[test]
fn an_override_that_names_nothing_is_a_difference() {
    let entry =
        r#"{"source": "1.*", "materialization": {"servers": {"jira": {"kind": "omitted"}}}}"#;
    let expected = "facet \"tools\" has no \"jira\" under \"servers\"";
    assert_eq!(sentences(&one_facet(entry), &tools_lock()), [expected]);
}

#[test]
fn a_server_that_is_not_locked_or_not_declared_is_a_difference() {
    let declared = wanted("", r#""jira": "1.0.0""#);
    let missing = "server \"jira\" is declared, but not locked";
    assert_eq!(sentences(&declared, &Lock::empty()), [missing]);
    let lock = with_registry(&Lock::empty(), "jira", "jira", "1.2.0");
    let extra = "server \"jira\" is locked, but not declared";
    assert_eq!(sentences(&Wanted::default(), &lock), [extra]);
}

#[test]
fn a_server_of_a_facet_that_is_not_locked_is_a_difference() {
    let wanted = one_facet(r#""*""#);
    let lock = lock_of(&wanted, &resolved([with_servers("tools", r#""jira": "1.0.0""#)]));
    assert_eq!(sentences(&wanted, &lock), ["server \"jira\" is declared, but not locked"]);
}

#[test]
fn a_server_that_does_not_satisfy_its_declaration_is_a_difference() {
    let lock = with_registry(&Lock::empty(), "jira", "jira", "1.2.0");
    for (declared, shown) in [
        (r#""1.3.0""#, "registry server jira@1.3.0"),
        (r#""@acme/jira@1.0.0""#, "registry server @acme/jira@1.0.0"),
        (r#""./server""#, "`./server`"),
        (r#"{"image": "acme/jira:v2"}"#, "image docker.io/acme/jira:v2"),
    ] {
        let wanted = wanted("", &format!("\"jira\": {declared}"));
        let locked = "registry server jira@1.2.0";
        let expected = format!("server \"jira\" is declared as {shown}, but locked as {locked}");
        assert_eq!(sentences(&wanted, &lock), [expected]);
    }
    let lock = with_command(&Lock::empty(), "jira", &["npx", "jira"], &[]);
    let expected =
        "server \"jira\" is declared as registry server jira@1.0.0, but locked as `npx jira`";
    assert_eq!(sentences(&wanted("", r#""jira": "1.0.0""#), &lock), [expected]);
}

#[test]
fn entries_of_other_kinds_are_no_difference() {
    let lock = with_others(r#""jira": {"version": "1.5.2"}, "extra": {"image": "acme/extra"}"#);
    assert_eq!(sentences(&wanted("", r#""jira": "1.0.0""#), &lock), [""; 0]);
}

#[test]
fn invalid_entries_and_conflicts_are_differences() {
    let text = r#"{"lockfileVersion": 0.3, "facets": {"tools": {"version": "1.2.0"}}}"#;
    let lock = Lock::parse(text.as_bytes()).unwrap();
    let found = sentences(&one_facet(r#""1.*""#), &lock);
    assert!(found[0].starts_with("the lock entry of facet \"tools\" is invalid"), "{found:?}");
    let facets = resolved([with_servers("tools", r#""jira": "1.0.0""#)]);
    let conflict = wanted(r#""tools": "1.*""#, r#""jira": "./server""#);
    let found = sentences(&conflict, &lock_of(&conflict, &facets));
    assert!(found[0].starts_with("server \"jira\" is declared differently"), "{found:?}");
}
