//! Declarations outside of manifests: written as JSON, and read again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_model::manifest::{
    DeclaredServer, parse_declared_server, parse_declared_servers, parse_project,
};
use facets_model::{AddressOrigin, ArtifactSource, CommandOrigin, Origin, SourceModeOrigin};

/// One of each form that a facet has.
const FORMS: &[&str] = &[
    r#""1.0.0""#,
    r#"{"image":"ghcr.io/acme/bot:v2"}"#,
    r#"{"type":"stdio","command":"npx"}"#,
    r#"{"type":"stdio","command":"npx","args":["-y","a \"b\""],"env":{"A":"1","B":""}}"#,
    r#"{"type":"http","url":"https://mcp.example.com/docs"}"#,
];

fn one(name: &str, text: &str) -> Option<DeclaredServer> {
    parse_declared_server(name, text.as_bytes()).manifest
}

#[test]
fn what_a_facet_declares_is_read_and_written_just_so() {
    for form in FORMS {
        let group = format!("{{\"jira\":{form}}}");
        let servers = parse_declared_servers(group.as_bytes()).manifest.expect(form);
        assert_eq!(servers["jira"].to_json().as_deref(), Some(*form));
        assert_eq!(one("jira", form).as_ref(), Some(&servers["jira"]));
    }
    let scoped = parse_declared_servers(br#"{"@acme/jira":"1.0.0"}"#).manifest.unwrap();
    assert_eq!(scoped.len(), 1);
    let spaced = r#"{ "type": "stdio", "args": [], "command": "npx", "env": {} }"#;
    assert_eq!(one("x", spaced).unwrap().to_json().as_deref(), Some(FORMS[2]), "one form");
}

#[test]
fn an_image_is_written_as_it_was_declared() {
    let image = one("nginx", r#"{"image":"nginx"}"#).unwrap();
    let text = image.to_json().unwrap();
    assert_eq!(one("nginx", &text), Some(image), "{text}");
}

#[test]
fn a_floor_names_its_artifact_where_the_project_has_another_name() {
    let text = r#""@acme/jira@1.0.0""#;
    let server = one("My.Jira", text).unwrap();
    assert!(matches!(&server, DeclaredServer::Floor { artifact: Some(name), .. }
        if name.as_str() == "@acme/jira"));
    assert_eq!(server.to_json().as_deref(), Some(text));
    let outcome = parse_declared_server("My.Jira", br#""1.0.0""#);
    assert_eq!(outcome.problems[0].code, "manifest-bad-name");
    assert!(parse_declared_servers(br#"{"jira":"jira@1.0.0"}"#).manifest.is_none());
}

#[test]
fn what_only_a_project_declares_is_no_declaration_of_a_facet() {
    for text in [r#""./server""#, r#"{"type":"stdio","command":"x","env":["A"]}"#, "7", "null"] {
        assert!(one("xy", text).is_none(), "{text}");
    }
    let text = r#"{"servers":{"a":"./server","b":{"type":"stdio","command":"x","env":["A"]}}}"#;
    let servers = parse_project(text.as_bytes()).manifest.unwrap().servers;
    assert_eq!(servers["a"].to_json().as_deref(), Some("\"./server\""));
    let command = r#"{"type":"stdio","command":"x","env":["A"]}"#;
    assert_eq!(servers["b"].to_json().as_deref(), Some(command));
}

#[test]
fn what_no_manifest_can_say_is_not_written() {
    let declared = |origin: Origin, values: &[(&str, &str)]| {
        let values =
            values.iter().map(|(name, value)| (name.parse().unwrap(), (*value).to_owned()));
        DeclaredServer::Origin { origin, values: values.collect() }.to_json()
    };
    let command = CommandOrigin::new("x".into(), Vec::new(), vec!["A".into(), "B".into()]);
    assert_eq!(declared(command.into(), &[("A", "1")]), None, "a name without its value");
    let url: facets_model::HttpUrl = "https://e.example/".parse().unwrap();
    let headers = [("X-Key".to_owned(), "KEY".to_owned())].into();
    assert_eq!(declared(AddressOrigin { url: url.clone(), headers }.into(), &[]), None);
    let source = ArtifactSource::Registry { url };
    assert_eq!(declared(SourceModeOrigin::new(source, Vec::new()).into(), &[]), None);
}
