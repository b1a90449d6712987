use facets_failure::explanations;

use super::*;

const GOOD: &str = r#"{
  "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "name": "io.github.example/weather-mcp",
  "description": "Weather.",
  "version": "1.2.3",
  "packages": [
    {"registryType": "npm", "identifier": "@example/weather", "version": "1.2.3", "transport": {"type": "stdio"}}
  ]
}"#;

/// `severity code line:column member`, the way a table can be read.
fn lines(text: &str) -> Vec<String> {
    let line = |one: &ServerJsonProblem| {
        let problem = &one.problem;
        for words in [&problem.found, &problem.allowed, &problem.fix] {
            assert!(!words.is_empty(), "{problem:?}");
        }
        format!("{} {} {} {}", one.severity.word(), problem.code, problem.position, problem.member)
    };
    check(text).iter().map(line).collect()
}

fn package(members: &str) -> Vec<String> {
    let transport = r#""transport": {"type": "stdio"}"#;
    let text = GOOD.replace(
        r#"{"registryType": "npm", "identifier": "@example/weather", "version": "1.2.3", "transport": {"type": "stdio"}}"#,
        &format!("{{{members}, {transport}}}"),
    );
    check(&text).iter().map(|one| format!("{} {}", one.problem.code, one.problem.member)).collect()
}

#[test]
fn every_code_is_explained_once() {
    let mut explained: Vec<&str> = explanations(EXPLANATIONS).map(|one| one.code).collect();
    explained.sort_unstable();
    assert_eq!(explained, CODES);
    for one in explanations(EXPLANATIONS) {
        assert!(one.text.len() > 60, "{} says too little", one.code);
    }
}

#[test]
fn a_plain_file_is_valid() {
    assert_eq!(lines(GOOD), Vec::<String>::new());
}

#[test]
fn all_problems_are_reported_in_their_places() {
    let text = r#"{
  "$schema": "https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json",
  "name": "weather",
  "version": "^1.0.0",
  "titel": "Weather",
  "packages": [
    {"registryType": "NPM", "identifier": "a b", "version": "${VERSION}", "transport": {"type": "ws"}},
    {"registryType": "mcpb", "identifier": "https://github.com/o/r/releases/download/v1/x.mcpb",
     "fileSha256": "{{SHA}}", "transport": {"type": "sse"}}
  ],
  "remotes": [{"type": "sse", "url": "http://a.example/{x}"}],
  "_meta": {"other": 12345678901234567890}
}"#;
    assert_eq!(
        lines(text),
        [
            "error manifest-missing-member 1:1 description",
            "warning schema-version-deprecated 2:14 $schema",
            "error invalid-server-name 3:11 name",
            "error version-looks-like-range 4:14 version",
            "error manifest-unknown-member 5:3 titel",
            "error server-json-package 7:22 packages[0].registryType",
            "error package-name-has-spaces 7:43 packages[0].identifier",
            "warning server-json-placeholder 7:61 packages[0].version",
            "error unsupported-transport-type 7:97 packages[0].transport.type",
            "error server-json-placeholder 9:20 packages[1].fileSha256",
            "error streamable-transport-url-required 9:44 packages[1].transport.url",
            "error invalid-templated-url 11:38 remotes[0].url",
            "warning json-integer-out-of-range 12:22 _meta.other",
            "warning server-json-meta 12:22 _meta.other",
        ]
    );
}

#[test]
fn each_type_of_package_has_its_rules() {
    for (members, expected) in [
        (
            r#""registryType": "npm", "identifier": "a""#,
            "manifest-missing-member packages[0].version",
        ),
        (
            r#""registryType": "npm", "identifier": "a", "version": "1", "registryBaseUrl": "https://registry.npmjs.org/""#,
            "server-json-package packages[0].registryBaseUrl",
        ),
        (
            r#""registryType": "oci", "identifier": "ghcr.io/a/b:1", "version": "1""#,
            "server-json-package packages[0].version",
        ),
        (
            r#""registryType": "oci", "identifier": "registry.example.com/a:1""#,
            "server-json-package packages[0].identifier",
        ),
        (
            r#""registryType": "mcpb", "identifier": "https://github.com/o/r/releases/download/v1/x.mcpb""#,
            "manifest-missing-member packages[0].fileSha256",
        ),
        (
            r#""registry_type": "npm", "identifier": "a""#,
            "manifest-unknown-member packages[0].registry_type",
        ),
    ] {
        assert!(
            package(members).contains(&expected.to_owned()),
            "{members}: {:?}",
            package(members)
        );
    }
    assert_eq!(
        package(r#""registryType": "cargo", "identifier": "a", "version": "1.0.0""#),
        [""; 0]
    );
}

fn parsed(text: &str) -> ServerJson {
    ServerJson::parse(text).unwrap()
}

#[test]
fn every_layout_names_its_packages() {
    let texts = [
        r#"{"packages": [{"registryType": "npm", "identifier": "@a/b", "version": "1.0.0"}]}"#,
        r#"{"packages": [{"registry_type": "npm", "identifier": "@a/b", "version": "1.0.0"}]}"#,
        r#"{"packages": [{"registry_name": "npm", "name": "@a/b", "version": "1.0.0"}]}"#,
        r#"{"packages": [{"location": {"registry_name": "npm", "name": "@a/b"}, "version": "1.0.0"}]}"#,
    ];
    for text in texts {
        let files = identifiers(&parsed(text));
        let PackageFiles::One(identifier) = &files[0] else { panic!("{text}: {files:?}") };
        assert_eq!(identifier.to_string(), "npm:@a/b@1.0.0", "{text}");
    }
    let old = parsed(r#"{"name": "n", "version_detail": {"version": "0.1"}, "remotes": [{}, {}]}"#);
    assert_eq!((old.version.as_deref(), old.remotes), (Some("0.1"), 2));
}

#[test]
fn bundles_on_github_are_named_by_their_release() {
    let one = |address: &str| {
        let text =
            format!(r#"{{"packages": [{{"registryType": "mcpb", "identifier": "{address}"}}]}}"#);
        match identifiers(&parsed(&text)).remove(0) {
            PackageFiles::One(identifier) => identifier.to_string(),
            other => format!("{other:?}"),
        }
    };
    assert_eq!(
        one("https://github.com/o/r/releases/download/@a/b@2/x.mcpb"),
        "github:o/r/@a/b@2/x.mcpb"
    );
    for address in
        ["https://gitlab.com/g/p/-/releases/v1/downloads/x.mcpb", "https://e.example/x.mcpb"]
    {
        assert_eq!(one(address), address);
    }
    for bad in ["x.mcpb", "http://e.example/x", "npm:a@1", "https://e.example/v{{V}}/x"] {
        assert!(one(bad).starts_with("Unusable"), "{bad}");
    }
}

#[test]
fn packages_without_hashes_say_why() {
    let files = |members: &str| {
        identifiers(&parsed(&format!("{{\"packages\": [{{{members}}}]}}"))).remove(0)
    };
    for kind in ["nuget", "cargo"] {
        let found = files(&format!("\"registryType\": \"{kind}\", \"identifier\": \"a\""));
        assert!(matches!(found, PackageFiles::NotHashed { .. }), "{kind}");
    }
    for members in [
        r#""registryType": "npm", "identifier": "a""#,
        r#""registryType": "npm", "identifier": "a", "version": "${V}""#,
        r#""registryType": "npm", "identifier": "a", "version": "^1.0""#,
        r#""registryType": "pypi", "identifier": "a", "version": "1/2""#,
        r#""registryType": "go", "identifier": "a", "version": "1.0.0""#,
        r#""registryType": "NPM", "identifier": "a", "version": "1.0.0""#,
        r#""registryType": "npm ", "identifier": "a", "version": "1.0.0""#,
        r#""registryType": "pypi", "identifier": "a", "version": "1.0", "fileSha256": "ab""#,
        r#""registryType": "nuget", "identifier": "a", "version": "1.0", "file_sha256": "ab""#,
        r#""registryType": "oci", "identifier": "a@sha256:ab""#,
    ] {
        assert!(matches!(files(members), PackageFiles::Unusable { .. }), "{members}");
    }
    let release = files(r#""registryType": "pypi", "identifier": "A_b", "version": "1.0""#);
    assert!(matches!(release, PackageFiles::Release(id) if id.to_string() == "pypi:A_b==1.0"));
}

#[test]
fn images_are_named_by_their_tag_or_by_their_digest() {
    let files = |members: &str| {
        identifiers(&parsed(&format!("{{\"packages\": [{{{members}}}]}}"))).remove(0)
    };
    let digest = format!("sha256:{}", "ab".repeat(32));
    for (members, expected) in [
        (r#""registryType": "oci", "identifier": "GHCR.io/a/b:1""#, "oci:ghcr.io/a/b:1"),
        (r#""registryType": "oci", "identifier": "evil/x""#, "oci:docker.io/evil/x:latest"),
        (r#""registry_name": "docker", "name": "mcp/x", "version": "2""#, "oci:docker.io/mcp/x:2"),
        (
            r#""registryType": "oci", "identifier": "docker.io:443/evil/x""#,
            "oci:docker.io/evil/x:latest",
        ),
        (
            r#""registryType": "oci", "identifier": "registry-1.docker.io/x:1""#,
            "oci:docker.io/library/x:1",
        ),
        (
            r#""registryType": "oci", "identifier": "a/b:1", "registryBaseUrl": "https://docker.io/""#,
            "oci:docker.io/a/b:1",
        ),
    ] {
        assert_eq!(files(members), PackageFiles::TaggedImage(expected.to_owned()), "{members}");
    }
    for members in [
        format!(r#""registryType": "oci", "identifier": "ghcr.io/a/b:1@{digest}", "version": "1""#),
        format!(r#""registry_name": "docker", "name": "mcp/x", "version": "{digest}""#),
    ] {
        assert!(matches!(files(&members), PackageFiles::NotHashed { .. }), "{members}");
    }
}

#[test]
fn a_package_that_names_two_packages_or_another_registry_is_unusable() {
    let reason = |members: &str| {
        let text = format!("{{\"packages\": [{{{members}, \"version\": \"1.0.0\"}}]}}");
        match identifiers(&parsed(&text)).remove(0) {
            PackageFiles::Unusable { reason, .. } => reason,
            other => format!("{other:?}"),
        }
    };
    let evil = r#""registryType": "npm", "identifier": "evil""#;
    let two = reason(&format!(r#"{evil}, "location": {{"registry_name": "npm", "name": "left"}}"#));
    assert!(two.contains("`registryType` and `location.registry_name`"), "{two}");
    for (more, named) in [
        (r#""registry_type": "npm""#, "`registryType` and `registry_type`"),
        (r#""registry_name": "npm""#, "`registryType` and `registry_name`"),
        (r#""name": "left""#, "`registryType` and `name`"),
    ] {
        let found = reason(&format!("{evil}, {more}"));
        assert!(found.contains(named), "{more}: {found}");
    }
    for member in ["registryBaseUrl", "registry_base_url"] {
        let found = reason(&format!(r#"{evil}, "{member}": "https://npm.example""#));
        let expected = "it names the registry \"https://npm.example\"; facet asks the npm registry";
        assert!(found.starts_with(expected), "{found}");
    }
    for base in ["https://registry.npmjs.org", "https://registry.npmjs.org/", ""] {
        let found = reason(&format!(r#"{evil}, "registryBaseUrl": "{base}""#));
        assert!(found.starts_with("One("), "{found}");
    }
}

#[test]
fn hashes_are_read_from_both_places() {
    let hash = format!("sha256:{}", "ab".repeat(32));
    let text = format!(
        r#"{{"file_hashes": {{"npm:a@1": "{hash}", "npm:b@1": 7}},
            "_meta": {{"{PUBLISHER_PROVIDED}": {{"{PROVIDED_HASHES}": {{"npm:a@1": "{hash}", "npm:c@1": "sha256:{zeros}"}}}}}}}}"#,
        zeros = "0".repeat(64)
    );
    let found = parsed(&text).file_hashes.unwrap();
    let rows: Vec<(HashPlace, &str, bool)> =
        found.iter().map(|one| (one.place, one.identifier.as_str(), one.digest.is_ok())).collect();
    assert_eq!(
        rows,
        [
            (HashPlace::Top, "npm:a@1", true),
            (HashPlace::Top, "npm:b@1", false),
            (HashPlace::Provided, "npm:c@1", false),
        ]
    );
    assert_eq!(parsed("{}").file_hashes, None);
    assert!(parsed("{}").hash_places.is_empty());
    assert_eq!(parsed(&text).hash_places, [HashPlace::Top, HashPlace::Provided]);
    assert_eq!(parsed(r#"{"file_hashes": {}}"#).file_hashes, Some(Vec::new()));
    assert_eq!(parsed(r#"{"file_hashes": []}"#).file_hashes.unwrap().len(), 1);
    let nested = parsed(
        r#"{"packages": [{"location": {"type": "mcpb", "url": "https://e.example/x"}, "file_hashes": {"sha-256": "ab"}}]}"#,
    );
    assert_eq!(nested.file_hashes.unwrap()[0].place, HashPlace::Package { index: 0 });
}

#[test]
fn an_image_on_another_host_than_its_registry_is_unusable() {
    let digest = format!("@sha256:{}", "ab".repeat(32));
    for (kind, end, base) in [
        ("oci", ":1", "https://ghcr.io"),
        ("oci", &*digest, "https://ghcr.io"),
        ("docker", ":1", "https://evil.example/"),
        ("oci", ":1", "http://docker.io"),
        ("oci", ":1", "https://docker.io/mirror"),
    ] {
        let text = format!(
            r#"{{"packages": [{{"registryType": "{kind}", "identifier": "a/b{end}", "registryBaseUrl": "{base}"}}]}}"#
        );
        let files = identifiers(&parsed(&text)).remove(0);
        let PackageFiles::Unusable { reason, .. } = &files else { panic!("{base}: {files:?}") };
        assert!(reason.contains(base) && reason.ends_with("an image of docker.io"), "{reason}");
    }
}

#[test]
fn members_that_are_not_read_are_malformed_in_their_places() {
    let package = r#""registryType": "npm", "identifier": "a", "version": "1.0.0""#;
    let hash = "ab".repeat(32);
    for (text, place) in [
        (
            format!(r#"{{"packages": [{{{package}, "Identifier": "b"}}]}}"#),
            "packages[0].Identifier",
        ),
        (format!(r#"{{"packages": [{{{package}}}], "Packages": []}}"#), "Packages"),
        (
            format!(r#"{{"packages": [{{{package}, "fileSHA256": "{hash}"}}]}}"#),
            "packages[0].fileSHA256",
        ),
        (format!(r#"{{"packages": [{{{package}, "sha256": "{hash}"}}]}}"#), "packages[0].sha256"),
        (
            format!(
                r#"{{"packages": [{{"location": {{"type": "mcpb", "url": "https://e.example/x", "file_sha256": "{hash}"}}}}]}}"#
            ),
            "packages[0].location.file_sha256",
        ),
        (r#"{"fileHashes": {}}"#.to_owned(), "fileHashes"),
        (
            format!(r#"{{"_meta": {{"{PUBLISHER_PROVIDED}": {{"file_hashes": {{}}}}}}}}"#),
            "_meta.io.modelcontextprotocol.registry/publisher-provided.file_hashes",
        ),
    ] {
        let found = parsed(&text);
        assert_eq!(found.hash_places, [HashPlace::Unread], "{text}");
        let hashes = found.file_hashes.unwrap();
        assert_eq!((hashes.len(), hashes[0].identifier.as_str()), (1, place), "{text}");
        assert!(hashes[0].digest.is_err(), "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_reported_with_its_place() {
    let problems = ServerJson::parse("{\"packages\": [{}, 1],\n \"a\": 1, \"a\": 2}").unwrap_err();
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(
        codes,
        [
            "manifest-missing-member",
            "manifest-missing-member",
            "manifest-wrong-type",
            "manifest-duplicate-member"
        ]
    );
    assert!(ServerJson::parse("[]").is_err());
    assert!(ServerJson::parse("{").is_err());
    assert!(ServerJson::parse("{\"n\": 123456789012345678901234567890}").is_ok());
}

#[test]
fn a_large_number_is_tolerated_only_where_any_value_may_stand() {
    let large = "7".repeat(75);
    let errors = |text: &str| {
        let found = check(text).into_iter().filter(|one| one.severity == ProblemSeverity::Error);
        found.map(|one| one.problem.code).collect::<Vec<_>>()
    };
    assert_eq!(errors(&large), ["manifest-wrong-type"]);
    assert!(errors(&format!("{{\"version\": {large}}}")).contains(&"manifest-wrong-type"));
    assert!(!errors(&format!("{{\"x\": {large}}}")).contains(&"manifest-wrong-type"));
}
