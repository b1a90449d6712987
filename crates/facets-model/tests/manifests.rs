//! Manifests: every mistake at once and in its place, the traps of YAML, and examples.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_model::manifest::{
    DeclaredServer, Outcome, Problem, parse_facet, parse_project, parse_server,
};
use facets_model::tree::{self, ManifestFormat};
use facets_testkit::{Random, long_count, random_document, shared_vectors};

/// `code line:column member`, the way a table can be read.
fn lines(problems: &[Problem]) -> Vec<String> {
    problems
        .iter()
        .map(|p| format!("{} {} {}", p.code, p.position, p.member).trim_end().to_owned())
        .collect()
}

fn fine<T>(outcome: Outcome<T>) -> T {
    outcome.manifest.unwrap_or_else(|| panic!("{:#?}", outcome.problems))
}

const EIGHT_IN_JSON: &str = r#"{
  "name": "My_Facet",
  "version": "1.0",
  "private": "yes",
  "author": 7, "author": "twice",
  "skills": {"review": {"files": ["../x"]}},
  "servers": {
    "é": {"image": "ghcr.io/acme/bot:v2"},
    "jira": {"type": "stdio", "command": "npx", "cwd": "/"}
  }
}"#;

const EIGHT_EXPECTED: &[&str] = &[
    "manifest-bad-name 2:11 name",
    "manifest-bad-version 3:14 version",
    "manifest-wrong-type 4:14 private",
    "manifest-wrong-type 5:13 author",
    "manifest-duplicate-member 5:16 author",
    "manifest-missing-member 6:24 skills.review.description",
    "manifest-bad-path 6:35 skills.review.files[0]",
    "manifest-bad-name 8:5 servers.é",
    "manifest-unknown-member 9:49 servers.jira.cwd",
];

#[test]
fn all_mistakes_of_a_json_manifest_are_reported_in_their_places() {
    let outcome = parse_facet(EIGHT_IN_JSON.as_bytes(), ManifestFormat::Json);
    assert!(outcome.manifest.is_none());
    assert_eq!(lines(&outcome.problems), EIGHT_EXPECTED);
    for problem in &outcome.problems {
        for text in [&problem.found, &problem.allowed, &problem.fix] {
            assert!(!text.is_empty(), "{problem:?}");
        }
    }
}

#[test]
fn comments_move_no_place() {
    let commented = EIGHT_IN_JSON
        .replace("\"name\":", "/*é*/ \"name\":")
        .replace("\"1.0\",", "\"1.0\", // früher")
        .replace("\"cwd\": \"/\"", "\"cwd\": \"/\", /* weg, */");
    let outcome = parse_facet(commented.as_bytes(), ManifestFormat::JsonWithComments);
    let expected: Vec<_> = EIGHT_EXPECTED.iter().map(|line| line.replace("2:11", "2:17")).collect();
    assert_eq!(lines(&outcome.problems), expected);
}

#[test]
fn all_mistakes_of_a_project_manifest_are_reported_in_their_places() {
    let text = r#"{
  // what this project uses
  "manifestVersion": 0.3,
  "facets": {
    "Bad": "1.0.0",
    "demo": "^1.0.0",
    "tools": {"source": "1.*", "materialization": {"themes": {}, "skills": {"a": {"kind": "authored"}}}},
    "loc": "./../out",
  },
  "servers": {
    "a/b": {"type": "http", "url": "ftp://x"}, /* é */ "c": {"type": "http"},
  },
}"#;
    let expected = [
        "manifest-bad-version 3:22 manifestVersion",
        "manifest-bad-name 5:5 facets.Bad",
        "manifest-bad-source 6:13 facets.demo",
        "manifest-unknown-member 7:52 facets.tools.materialization.themes",
        "manifest-bad-value 7:91 facets.tools.materialization.skills.a.kind",
        "manifest-bad-source 8:12 facets.loc",
        "manifest-bad-name 11:5 servers.a/b",
        "manifest-bad-url 11:36 servers.a/b.url",
        "manifest-missing-member 11:61 servers.c.url",
    ];
    assert_eq!(lines(&parse_project(text.as_bytes()).problems), expected);
}

#[test]
fn all_mistakes_of_a_yaml_manifest_are_reported_in_their_places() {
    let text = "# é\n\
name: Jira\n\
version: 1.10\n\
runtime: node\n\
entry: /index.ts\n\
servers: [x]\n\
env:\n\
\x20 - name: API KEY\n\
\x20   requird: true\n\
\x20 - {description: é, secret: 'yes'}\n\
author: &a acme\n\
author: *a\n";
    let expected = [
        "manifest-bad-name 2:7 name",
        "manifest-wrong-type 3:10 version",
        "manifest-bad-runtime 4:10 runtime",
        "manifest-bad-path 5:8 entry",
        "manifest-terminal-server 6:1 servers",
        "manifest-bad-name 8:11 env[0].name",
        "manifest-unknown-member 9:5 env[0].requird",
        "manifest-missing-member 10:5 env[1].name",
        "manifest-wrong-type 10:30 env[1].secret",
        "yaml-anchor 11:9 author",
        "manifest-duplicate-member 12:1 author",
        "yaml-alias 12:9 author",
    ];
    assert_eq!(lines(&parse_server(text.as_bytes()).problems), expected);
}

#[test]
fn the_facet_manifest_reads_the_same_from_yaml() {
    let text = "name: My_Facet\nversion: 1.0\nprivate: yes\nauthor: 7\nskills:\n  review:\n    files: [../x]\n\
servers:\n  \u{e9}: {image: \"ghcr.io/acme/bot:v2\"}\n  jira: {type: stdio, command: npx, cwd: /}\n";
    let expected = [
        "manifest-bad-name 1:7 name",
        "manifest-wrong-type 2:10 version",
        "manifest-wrong-type 3:10 private",
        "manifest-wrong-type 4:9 author",
        "manifest-missing-member 7:5 skills.review.description",
        "manifest-bad-path 7:13 skills.review.files[0]",
        "manifest-bad-name 9:3 servers.é",
        "manifest-unknown-member 10:37 servers.jira.cwd",
    ];
    let problems = parse_facet(text.as_bytes(), ManifestFormat::Yaml).problems;
    assert_eq!(lines(&problems), expected);
    assert_eq!(problems[1].fix, "write \"1.0.0\"");
    assert_eq!(problems[3].fix, "put it in quotes: \"7\"");
    assert_eq!(problems[2].found, "the string \"yes\"");
}

fn yaml_as_json(text: &str) -> Result<String, String> {
    match tree::parse(text.as_bytes(), ManifestFormat::Yaml) {
        Err(fatal) => Err(fatal.code.to_owned()),
        Ok(parsed) if parsed.problems.is_empty() => {
            Ok(parsed.root.to_json().split_whitespace().collect::<Vec<_>>().join(" "))
        }
        Ok(parsed) => {
            let codes: Vec<_> = parsed.problems.iter().map(|problem| problem.code).collect();
            Err(codes.join(" "))
        }
    }
}

#[test]
fn the_traps_of_yaml_are_read_or_refused_by_rule() {
    let read = [
        ("a: on", r#"{ "a": "on" }"#),
        (
            "a: [yes, no, off, y, n, Yes, NO]",
            r#"{ "a": [ "yes", "no", "off", "y", "n", "Yes", "NO" ] }"#,
        ),
        ("on: 1", r#"{ "on": 1 }"#),
        ("a: 1.10", r#"{ "a": 1.1 }"#),
        ("a: '1.10'", r#"{ "a": "1.10" }"#),
        ("a: 1.10.0", r#"{ "a": "1.10.0" }"#),
        (
            "a: [true, True, FALSE, ~, null, Null, '']",
            r#"{ "a": [ true, true, false, null, null, null, "" ] }"#,
        ),
        ("a:", r#"{ "a": null }"#),
        (
            "a: [0x1F, 0o17, 017, 1_000, 0b11, 12:30]",
            r#"{ "a": [ 31, 15, 17, "1_000", "0b11", "12:30" ] }"#,
        ),
        ("a: [1e3, -.5, +1, 1., -0]", r#"{ "a": [ 1000, -0.5, 1, 1, 0 ] }"#),
        ("a: 2026-11-15", r#"{ "a": "2026-11-15" }"#),
        ("a: |\n  x\n  y\n", r#"{ "a": "x\ny\n" }"#),
        ("a: >\n  x\n  y\n", r#"{ "a": "x y\n" }"#),
        ("a: \"\\u00e9\\x41\"", r#"{ "a": "éA" }"#),
        ("'<<': 1", r#"{ "<<": 1 }"#),
        ("z: 1\na: 2", r#"{ "z": 1, "a": 2 }"#),
        ("---\na: 1\n...\n", r#"{ "a": 1 }"#),
        ("", "null"),
    ];
    for (text, json) in read {
        assert_eq!(yaml_as_json(text).as_deref(), Ok(json), "{text:?}");
    }
    let refused = [
        ("a: &x 1", "yaml-anchor"),
        ("a: &x 1\nb: *x", "yaml-anchor yaml-alias"),
        ("a: &x {b: 1}\nc:\n  <<: *x", "yaml-anchor yaml-merge yaml-alias"),
        ("a: !!str 1", "yaml-tag"),
        ("a: !python/object x", "yaml-tag"),
        ("a: ! x", "yaml-tag"),
        ("!!map {a: 1}", "yaml-tag"),
        ("a: 1\na: 2", "manifest-duplicate-member"),
        ("a: 1\n'a': 2", "manifest-duplicate-member"),
        ("a: {b: 1, b: 2}", "manifest-duplicate-member"),
        ("a: 1\n---\nb: 2", "yaml-several-documents"),
        ("1: a", "yaml-key-not-string"),
        ("true: a", "yaml-key-not-string"),
        ("~: a", "yaml-key-not-string"),
        ("? [a]\n: b", "yaml-key-not-string"),
        ("a: .nan", "yaml-number-out-of-range"),
        ("a: -.inf", "yaml-number-out-of-range"),
        ("a: 9007199254740992", "yaml-number-out-of-range"),
        ("a: 9.1e15", "yaml-number-out-of-range"),
        ("a: 1e400", "yaml-number-out-of-range"),
        ("a: [1", "yaml-syntax"),
        ("a: 'x", "yaml-syntax"),
        ("a: \tb: c", "yaml-syntax"),
        ("a: *nowhere", "yaml-syntax"),
        ("\u{feff}a: 1", "json-byte-order-mark"),
        ("a: \u{1b}[2J", "yaml-control-character"),
        ("a: 1\rb: 2", "yaml-control-character"),
        ("%YAML 1.1\n---\na: 1", "yaml-directive"),
        ("# x\n%TAG ! tag:x,2000:\n---\na: 1", "yaml-directive"),
    ];
    for (text, code) in refused {
        assert_eq!(yaml_as_json(text), Err(code.to_owned()), "{text:?}");
    }
}

#[test]
fn limits_hold_in_every_notation() {
    let deep_flow = format!("a: {}{}", "[".repeat(200), "]".repeat(200));
    assert_eq!(yaml_as_json(&deep_flow), Err("yaml-too-deep".to_owned()));
    let many = format!("a: [{}]", "1,".repeat(100_001));
    assert_eq!(yaml_as_json(&many), Err("yaml-too-many-values".to_owned()));
    let large = "#".repeat((1 << 20) + 1);
    assert_eq!(yaml_as_json(&large), Err("json-too-large".to_owned()));
    let deep_json = "[".repeat(200);
    let problems = parse_project(deep_json.as_bytes()).problems;
    assert_eq!(lines(&problems), ["json-too-deep 1:129"]);
    // Many members stay cheap: no name is compared with all the others.
    let wide: String = (0..90_000).map(|n| format!("\"k{n}\":0,")).collect();
    let wide = format!("{{{wide}\"z\":0}}");
    assert!(tree::parse(wide.as_bytes(), ManifestFormat::Json).is_ok());
}

#[test]
fn nothing_is_said_twice_about_one_value() {
    let text = r#"{"name": "ab", "version": 1e999, "skills": {"s": {"description": 12345678901234567890}}}"#;
    let problems = parse_facet(text.as_bytes(), ManifestFormat::Json).problems;
    assert_eq!(
        lines(&problems),
        [
            "json-number-overflow 1:27 version",
            "json-integer-out-of-range 1:66 skills.s.description"
        ]
    );
}

#[test]
fn collisions_are_found() {
    let facet = |rest: &str| {
        let text = format!("{{\"name\": \"ab\", \"version\": \"1.0.0\", {rest}}}");
        lines(&parse_facet(text.as_bytes(), ManifestFormat::Json).problems)
    };
    let skill = r#""skills": {"s1": {"description": "d"}}"#;
    assert_eq!(facet(skill), [""; 0]);
    assert_eq!(facet(r#""description": "nothing in it""#), ["manifest-empty 1:1"]);
    assert_eq!(facet(r#""skills": {}, "servers": {}"#), ["manifest-empty 1:1"]);
    let shared = format!(r#"{skill}, "commands": {{"s1": {{"description": "d"}}}}"#);
    assert_eq!(facet(&shared), ["manifest-name-collision 1:89 commands.s1"]);
    let separate = format!(r#"{skill}, "agents": {{"s1": {{"description": "d"}}}}"#);
    assert_eq!(facet(&separate), [""; 0]);
    for (files, code) in [
        (r#"["A.md", "a.md"]"#, "manifest-path-collision"),
        (r#"["d", "d/x"]"#, "manifest-path-collision"),
        (r#"["d/x", "D"]"#, "manifest-path-collision"),
        ("[\"e\u{301}\", \"\u{e9}\"]", "manifest-path-collision"),
        (r#"["x", "x"]"#, "manifest-path-collision"),
        (r#"["FACET.JSON"]"#, "manifest-bad-value"),
        (r#"["skills/s1/x.md"]"#, "manifest-bad-value"),
        (r#"["SKILLS/x"]"#, "manifest-bad-value"),
        (r#"["agents/../x"]"#, "manifest-bad-path"),
        (r#"["a\\b"]"#, "manifest-bad-path"),
        (r#"["a."]"#, "manifest-bad-path"),
        (r#""README.md""#, "manifest-wrong-type"),
    ] {
        let found = facet(&format!("{skill}, \"files\": {files}"));
        assert_eq!(found.len(), 1, "{files}: {found:?}");
        assert!(found[0].starts_with(code), "{files}: {found:?}");
    }
    let long = format!(r#"{skill}, "files": ["{}"]"#, "x".repeat(101));
    assert!(facet(&long)[0].starts_with("manifest-path-too-long"));
}

#[test]
fn unknown_members_are_kept_and_slips_of_the_pen_are_mentioned() {
    let text = r#"{"name": "ab", "version": "1.0.0", "skils": {}, "license": "MIT", "skills": {"s": {"description": "d", "adapters": {}}}}"#;
    let outcome = parse_facet(text.as_bytes(), ManifestFormat::Json);
    let warnings = lines(&outcome.warnings);
    let manifest = fine(outcome);
    let unknown: Vec<_> = manifest.unknown.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(unknown, ["skils", "license"]);
    assert_eq!(warnings, [""; 0], "`skills` is there, so `skils` is not a slip");
    let text =
        r#"{"name": "ab", "version": "1.0.0", "skils": {}, "agents": {"s": {"description": "d"}}}"#;
    let outcome = parse_facet(text.as_bytes(), ManifestFormat::Json);
    assert_eq!(lines(&outcome.warnings), ["manifest-unknown-member 1:36 skils"]);
}

/// The forms that the seed documents show.
#[test]
fn the_examples_of_the_seeds_are_read() {
    let facet = |servers: &str, format| {
        let text = match format {
            ManifestFormat::Yaml => format!("name: team-tools\nversion: \"0.1.0\"\n{servers}"),
            _ => format!("{{\"name\":\"team-tools\",\"version\":\"0.1.0\",{servers}}}"),
        };
        fine(parse_facet(text.as_bytes(), format)).servers
    };
    let slack = facet(
        "servers:\n  slack:\n    image: \"ghcr.io/acme/slack-bot:v2\"\n",
        ManifestFormat::Yaml,
    );
    let DeclaredServer::Image(image) = &slack["slack"] else { panic!("{slack:?}") };
    assert_eq!(
        (image.host(), image.path(), image.tag()),
        ("ghcr.io", "acme/slack-bot", Some("v2"))
    );
    let named = facet("servers:\n  server-name: \"1.0.0\"\n", ManifestFormat::Yaml);
    assert!(
        matches!(&named["server-name"], DeclaredServer::Floor { artifact: None, floor } if floor.to_string() == "1.0.0")
    );
    let named =
        facet("servers:\n  server-name: { image: \"registry/image:tag\" }\n", ManifestFormat::Yaml);
    assert!(matches!(&named["server-name"], DeclaredServer::Image(_)));
    let all = facet(
        r#""servers":{"jira":"1.0.0","slack":{"image":"ghcr.io/acme/slack-bot:v2"},
            "filesystem":{"type":"stdio","command":"npx","args":["-y","x","."],"env":{"A":"1"}},
            "docs":{"type":"http","url":"https://mcp.example.com/docs"}},"files":["README.md"]"#,
        ManifestFormat::Json,
    );
    assert_eq!(all.len(), 4);
    let server = b"name: jira\nversion: 1.5.0\ndescription: Jira\nauthor: acme-org\nruntime: bun\nentry: index.ts\n";
    assert_eq!(fine(parse_server(server)).entry.as_str(), "index.ts");
    // Shortened in the document, so not a digest.
    let shortened = parse_facet(b"{\"name\":\"ab\",\"version\":\"1.0.0\",\"servers\":{\"slack\":{\"image\":\"ghcr.io/acme/slack-bot@sha256:abc123\"}}}", ManifestFormat::Json);
    assert_eq!(shortened.problems[0].code, "manifest-bad-image");
}

#[test]
fn servers_of_the_two_declarers_differ_in_env() {
    let project = |server: &str| {
        parse_project(format!("{{\"servers\":{{\"My.Server\":{server}}}}}").as_bytes())
    };
    assert!(project(r#"{"type":"stdio","command":"x","env":["TOKEN"]}"#).manifest.is_some());
    assert!(project(r#"{"type":"stdio","command":"x","env":{"A":"1"}}"#).manifest.is_some());
    assert!(project(r#"{"type":"stdio","command":"x","env":["A-B"]}"#).manifest.is_none());
    assert!(project(r#"{"type":"stdio","command":" "}"#).manifest.is_none());
    assert!(project("\"1.0.0\"").manifest.is_none(), "a floor needs a registry name");
    let facet = r#"{"name":"ab","version":"1.0.0","servers":{"x":{"type":"stdio","command":"x","env":["TOKEN"]}}}"#;
    assert!(parse_facet(facet.as_bytes(), ManifestFormat::Json).manifest.is_none());
}

/// A document means the same in all notations: JSON is YAML, and comments change nothing.
#[test]
fn random_documents_read_the_same_in_every_notation() {
    let mut random = Random::seeded(31);
    let as_json = |bytes: &[u8], format| {
        let parsed = tree::parse(bytes, format).unwrap_or_else(|problem| {
            panic!("{format:?} {problem:?} in {}", String::from_utf8_lossy(bytes))
        });
        (parsed.problems.is_empty(), parsed.root.to_json())
    };
    let mut compared = 0;
    for _ in 0..long_count(20_000) {
        let document = random_document(&mut random);
        let (clean, json) = as_json(document.as_bytes(), ManifestFormat::Json);
        if !clean {
            continue;
        }
        assert_eq!(as_json(document.as_bytes(), ManifestFormat::JsonWithComments).1, json);
        // A double beyond 2^53 is printed as an integer that is then refused.
        let (readable, again) = as_json(json.as_bytes(), ManifestFormat::Json);
        if !readable {
            continue;
        }
        assert_eq!(again, json);
        if !json.contains(['\u{7f}', '\u{ffff}', '\u{feff}', '\u{80}', '\u{2028}']) {
            assert_eq!(as_json(json.as_bytes(), ManifestFormat::Yaml).1, json, "{document}");
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared} documents say too little");
}

#[test]
fn manifests_of_the_shared_vectors_are_read() {
    let Some(vectors) = shared_vectors("facets") else {
        return;
    };
    let mut read = 0;
    for entry in std::fs::read_dir(vectors.join("archives/src")).unwrap() {
        let folder = entry.unwrap().path();
        let bytes = std::fs::read(folder.join("facet.json")).unwrap();
        let outcome = parse_facet(&bytes, ManifestFormat::Json);
        if folder.ends_with("long-path-1.0.0") {
            assert_eq!(outcome.problems[0].code, "manifest-path-too-long");
        } else {
            fine(outcome);
        }
        read += 1;
    }
    assert_eq!(read, 10);
    for project in [
        "basic/facets.json",
        "alias-local/facets.before.json",
        "alias-local/facets.json",
        "lock-extras/facets.json",
    ] {
        let bytes = std::fs::read(vectors.join("projects").join(project)).unwrap();
        fine(parse_project(&bytes));
    }
}

/// One mistake must not hide another.
#[test]
fn what_stands_inside_a_wrong_thing_is_looked_at_too() {
    let facet = |text: &str| lines(&parse_facet(text.as_bytes(), ManifestFormat::Json).problems);
    let inside_a_bad_name =
        r#"{"name":"ab","version":"1.0.0","skills":{"Bad":{"files":["../x",7]}}}"#;
    assert_eq!(
        facet(inside_a_bad_name),
        [
            "manifest-bad-name 1:42 skills.Bad",
            "manifest-missing-member 1:48 skills.Bad.description",
            "manifest-bad-path 1:58 skills.Bad.files[0]",
            "manifest-wrong-type 1:65 skills.Bad.files[1]",
        ]
    );
    let inside_a_bad_type =
        r#"{"name":"ab","version":"1.0.0","servers":{"x":{"type":"sse","url":7,"zzz":1}}}"#;
    assert_eq!(
        facet(inside_a_bad_type),
        [
            "manifest-bad-value 1:55 servers.x.type",
            "manifest-wrong-type 1:67 servers.x.url",
            "manifest-unknown-member 1:69 servers.x.zzz",
        ]
    );
    let composition = r#"{"name":"ab","version":"1.0.0","facets":[{"name":"cd","version":"1.0.0","skills":7},{"name":"cd","version":"1.0.0"}]}"#;
    assert_eq!(
        facet(composition),
        ["manifest-wrong-type 1:82 facets[0].skills", "manifest-missing-member 1:85 facets[1]"]
    );
    let only_refused = "name: ab\nversion: 1.0.0\nskills:\n  true: {description: d}\n";
    let problems = parse_facet(only_refused.as_bytes(), ManifestFormat::Yaml).problems;
    assert_eq!(lines(&problems), ["yaml-key-not-string 4:3 skills"]);
}

#[test]
fn fixes_change_no_meaning() {
    let fix = |servers: &str| {
        let text =
            format!(r#"{{"name":"ab","version":"1.0.0","servers":{{"tracker":{servers}}}}}"#);
        parse_facet(text.as_bytes(), ManifestFormat::Json).problems.remove(0).fix
    };
    assert_eq!(fix(r#""^1.4""#), "write \"1.4.0\"");
    assert_eq!(fix(r#"">=1.4.0""#), "write \"1.4.0\"");
    assert_eq!(fix(r#""<2.0.0""#), "write a version such as \"1.0.0\"");
    assert_eq!(fix(r#"{"image":"ghcr.io/Acme/Bot:V2"}"#), "write \"ghcr.io/acme/bot:V2\"");
    assert_eq!(fix(r#"{"image":"Bot"}"#), "write \"bot\"");
    let missing = parse_facet(br#"{"nmae":"ab","version":"1.0.0"}"#, ManifestFormat::Json).problems;
    assert_eq!(missing[0].fix, "rename \"nmae\" to \"name\"");
    let server = parse_server(b"name: ab\nversion: 1.0.0\nruntime: bun\nentry: x\nserver: 1\n");
    assert!(server.warnings.is_empty(), "nothing refused is suggested: {:?}", server.warnings);
    let long = format!(r#"{{"name":"{}"}}"#, "A".repeat(100_000));
    let found = &parse_facet(long.as_bytes(), ManifestFormat::Json).problems[1].found;
    assert!(found.len() < 300, "{found}");
}
