//! What a project alone can say: a registry server under its own name, and the clients that get text
//! assets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_model::manifest::{DeclaredServer, Problem, parse_facet, parse_project};
use facets_model::tree::ManifestFormat;

/// `code line:column member`, the way a table can be read.
fn lines(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(|p| format!("{} {} {}", p.code, p.position, p.member)).collect()
}

/// The artifact and the floor of the server `My.Jira`.
fn named(text: &str) -> (Option<String>, String) {
    let text = format!("{{\"servers\": {{\"My.Jira\": \"{text}\"}}}}");
    let outcome = parse_project(text.as_bytes());
    let manifest = outcome.manifest.unwrap_or_else(|| panic!("{:?}", outcome.problems));
    match &manifest.servers["My.Jira"] {
        DeclaredServer::Floor { artifact, floor } => {
            (artifact.as_ref().map(ToString::to_string), floor.to_string())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_project_gives_a_registry_server_a_name_of_its_own() {
    assert_eq!(named("jira@1.0.0"), (Some("jira".to_owned()), "1.0.0".to_owned()));
    assert_eq!(named("@acme/jira@1.0.0"), (Some("@acme/jira".to_owned()), "1.0.0".to_owned()));
    assert_eq!(named("jira@2.0.0-rc.1"), (Some("jira".to_owned()), "2.0.0-rc.1".to_owned()));
}

#[test]
fn mistakes_in_a_named_floor_stand_where_they_are() {
    let text = r#"{"servers": {
  "a1": "Jira@^1.4",
  "b2": "@acme/jira",
  "c3": "jira@",
  "d4": "@1.0.0",
  "@acme/e5": "@acme/jira@1.0.0"
}}"#;
    let problems = parse_project(text.as_bytes()).problems;
    let expected = [
        "manifest-bad-name 2:10 servers.a1",
        "manifest-bad-version 2:15 servers.a1",
        "manifest-bad-version 3:9 servers.b2",
        "manifest-bad-version 4:15 servers.c3",
        "manifest-bad-version 5:9 servers.d4",
        "manifest-bad-name 6:3 servers.@acme/e5",
    ];
    assert_eq!(lines(&problems), expected);
    let fixes: Vec<&str> = problems.iter().map(|problem| problem.fix.as_str()).collect();
    assert_eq!(fixes[0], "write \"jira\" before the last `@`");
    assert_eq!(fixes[1], "write \"1.4.0\" after the last `@`");
    assert_eq!(fixes[2], "write \"@acme/jira@1.0.0\"");
    assert_eq!(fixes[4], "write \"name@1.0.0\"");
}

#[test]
fn a_facet_names_servers_as_the_registry_does() {
    let facet = |server: &str| {
        let text = format!(
            "{{\"name\":\"ab\",\"version\":\"1.0.0\",\"servers\":{{\"xy\":\"{server}\"}}}}"
        );
        parse_facet(text.as_bytes(), ManifestFormat::Json).problems.remove(0)
    };
    let problem = facet("@acme/jira@1.0.0");
    assert_eq!(problem.code, "manifest-bad-version");
    assert!(problem.allowed.contains("only facets.json"), "{problem:?}");
    assert_eq!(problem.fix, "name the member \"@acme/jira\", and write \"1.0.0\"");
    let fix = facet("jira@^1").fix;
    assert_eq!(fix, "name the member \"jira\", and write a floor such as \"1.0.0\"");
    assert_eq!(facet("@1.0.0").fix, "write a floor such as \"1.0.0\"");
}

#[test]
fn clients_are_those_that_have_folders_each_once() {
    let manifest = parse_project(br#"{"clients": ["opencode", "claude-code"]}"#).manifest.unwrap();
    assert_eq!(manifest.clients.unwrap(), ["opencode", "claude-code"]);
    assert!(manifest.unknown.is_empty());
    assert_eq!(parse_project(b"{}").manifest.unwrap().clients, None);
    assert_eq!(parse_project(br#"{"clients": []}"#).manifest.unwrap().clients, Some(Vec::new()));

    let text = br#"{"clients": ["codex", "claude-cod", 7, "codex", "vscode"]}"#;
    let problems = parse_project(text).problems;
    let expected = [
        "manifest-bad-value 1:23 clients[1]",
        "manifest-wrong-type 1:37 clients[2]",
        "manifest-name-collision 1:40 clients[3]",
        "manifest-bad-value 1:49 clients[4]",
    ];
    assert_eq!(lines(&problems), expected);
    assert_eq!(problems[0].fix, "write \"claude-code\"");
    assert_eq!(problems[3].allowed, "claude-code, codex, opencode");
    assert_eq!(
        lines(&parse_project(br#"{"clients": "codex"}"#).problems),
        ["manifest-wrong-type 1:13 clients"]
    );
}
