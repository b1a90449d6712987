//! Servers on this machine in `facets.json`: a path is no floor, and every mistake has its place.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_model::manifest::{DeclaredServer, Problem, parse_facet, parse_project};
use facets_model::tree::ManifestFormat;
use facets_model::{ArtifactSource, Origin};

/// `code line:column member`, the way a table can be read.
fn lines(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(|p| format!("{} {} {}", p.code, p.position, p.member)).collect()
}

#[test]
fn a_path_is_an_artifact_under_the_name_that_the_project_gives_it() {
    for path in ["./server", "../tools/x.server.tar.gz", "/srv/server", "./"] {
        let text = format!("{{\"servers\": {{ // ours\n\"My.Server\": \"{path}\" }} }}");
        let manifest = parse_project(text.as_bytes()).manifest.expect(path);
        let declared = &manifest.servers["My.Server"];
        let Some(Origin::SourceMode(artifact)) = declared.origin() else { panic!("{declared:?}") };
        assert_eq!(artifact.source, ArtifactSource::Local { path: path.parse().unwrap() });
        assert_eq!(artifact.env, [""; 0]);
    }
}

#[test]
fn a_floor_is_still_a_server_of_the_registry() {
    let text = br#"{"servers": {"@acme/jira": "1.0.0"}}"#;
    let manifest = parse_project(text).manifest.unwrap();
    let declared = &manifest.servers["@acme/jira"];
    assert!(
        matches!(declared, DeclaredServer::Floor { artifact: None, floor } if floor.to_string() == "1.0.0")
    );
    assert_eq!(declared.origin(), None);
}

#[test]
fn mistakes_are_reported_in_their_places() {
    let text = r#"{
  "servers": {
    "@acme/jira": "./server",
    "one": "./a\u0000b",
    "two": "server",
    "three": 7
  }
}"#;
    let problems = parse_project(text.as_bytes()).problems;
    let expected = [
        "manifest-bad-name 3:5 servers.@acme/jira",
        "manifest-bad-path 4:12 servers.one",
        "manifest-bad-version 5:12 servers.two",
        "manifest-wrong-type 6:14 servers.three",
    ];
    assert_eq!(lines(&problems), expected);
    assert!(problems[1].found.contains("the character"), "{:?}", problems[1]);
    assert!(problems[3].allowed.contains("\"./server\""), "{:?}", problems[3]);
}

/// A facet is published: nothing lies beside it on the machine of a user.
#[test]
fn a_facet_names_no_path() {
    let facet = |server: &str| {
        let text =
            format!("{{\"name\":\"ab\",\"version\":\"1.0.0\",\"servers\":{{\"xy\":{server}}}}}");
        parse_facet(text.as_bytes(), ManifestFormat::Json).problems
    };
    assert_eq!(facet("\"./server\"")[0].code, "manifest-bad-version");
    assert!(!facet("7")[0].allowed.contains("./server"));
}
