use super::*;

fn get(rest: &str) -> Result<ArtifactRoute, RouteRefusal> {
    ArtifactRoute::parse(&Method::GET, rest)
}

fn name(text: &str) -> ArtifactName {
    text.parse().unwrap()
}

fn exact(text: &str) -> Wanted {
    Wanted::Exact(text.parse().unwrap())
}

fn is_malformed(rest: &str) -> bool {
    matches!(get(rest), Err(RouteRefusal::Malformed(_)))
}

#[test]
fn scopes_are_written_with_a_plain_or_an_escaped_sign() {
    for rest in ["@acme/demo/1.0.0", "%40acme/demo/1.0.0"] {
        let route = get(rest).unwrap();
        let (name, wanted, part) = (name("@acme/demo"), exact("1.0.0"), VersionPart::Document);
        assert_eq!(route, ArtifactRoute::Version { name, wanted, part }, "{rest}");
    }
    assert_eq!(get("@acme"), Ok(ArtifactRoute::Scope { scope: "acme".to_owned() }));
    assert_eq!(get("%40acme"), Ok(ArtifactRoute::Scope { scope: "acme".to_owned() }));
    assert_eq!(get("@acme/demo"), Err(RouteRefusal::Unknown));
    assert_eq!(get("demo"), Err(RouteRefusal::Unknown));
}

#[test]
fn every_part_of_a_version_has_its_route() {
    let parts = [
        ("", VersionPart::Document),
        ("/archive", VersionPart::Archive),
        ("/contents", VersionPart::Contents),
        ("/surface", VersionPart::Surface),
        ("/contract", VersionPart::Contract),
        ("/diff", VersionPart::Diff),
    ];
    for (path, part) in parts {
        let expected = ArtifactRoute::Version { name: name("demo"), wanted: Wanted::Latest, part };
        assert_eq!(get(&format!("demo/latest{path}")), Ok(expected.clone()), "{path}");
        let head = ArtifactRoute::parse(&Method::HEAD, &format!("demo/latest{path}"));
        assert_eq!(head, Ok(expected), "{path}");
    }
    assert_eq!(get("demo/latest/other"), Err(RouteRefusal::Unknown));
    assert_eq!(get("demo/latest/archive/more"), Err(RouteRefusal::Unknown));
}

#[test]
fn versions_are_exact_latest_or_a_range() {
    for version in ["*", "1.*", "1.2.*"] {
        let route = get(&format!("demo/{version}")).unwrap();
        assert!(
            matches!(route, ArtifactRoute::Version { wanted: Wanted::Range(_), .. }),
            "{version}"
        );
    }
    for version in ["1.*.*", "*.1", "1.2.3.*", "x.*", "**", "v1.0.0", "1.0", "1.0.0+b", "~1.0.0"] {
        assert!(is_malformed(&format!("demo/{version}")), "{version}");
    }
    assert!(get("demo/1.0.0-rc.1").is_ok());
}

#[test]
fn lists_of_versions_are_not_taken_for_versions() {
    assert_eq!(get("demo/latest-version"), Ok(ArtifactRoute::LatestVersion { name: name("demo") }));
    assert_eq!(get("demo/versions"), Ok(ArtifactRoute::Versions { name: name("demo") }));
    let all = ArtifactRoute::VersionsOf { name: name("demo"), wanted: exact("1.0.0") };
    assert_eq!(get("demo/versions/1.0.0"), Ok(all));
    assert!(is_malformed("demo/versions/yank"));
}

#[test]
fn methods_choose_between_routes_and_are_refused_with_what_there_is() {
    let parse = ArtifactRoute::parse;
    let demo = || name("demo");
    let version = || "1.0.0".parse().unwrap();
    assert_eq!(parse(&Method::POST, "demo/versions"), Ok(ArtifactRoute::Publish { name: demo() }));
    let yank = ArtifactRoute::Yank { name: demo(), version: version() };
    assert_eq!(parse(&Method::POST, "demo/1.0.0/yank"), Ok(yank));
    let unyank = ArtifactRoute::Unyank { name: demo(), version: version() };
    assert_eq!(parse(&Method::DELETE, "demo/1.0.0/yank"), Ok(unyank));
    let refused = |allow| Err(RouteRefusal::Method { allow });
    assert_eq!(parse(&Method::GET, "demo/1.0.0/yank"), refused(YANK));
    assert_eq!(parse(&Method::POST, "demo/1.0.0"), refused(READ_METHODS));
    assert_eq!(parse(&Method::DELETE, "demo/versions"), refused(READ_AND_PUBLISH));
    let options = parse(&Method::OPTIONS, "demo/versions");
    assert_eq!(options, Ok(ArtifactRoute::Options { allow: READ_AND_PUBLISH }));
    assert!(matches!(parse(&Method::POST, "demo/latest/yank"), Err(RouteRefusal::Malformed(_))));
}

#[test]
fn what_is_no_path_is_refused() {
    let cases = [
        "",
        "/",
        "demo//1.0.0",
        "demo/",
        "./demo",
        "demo/../1.0.0",
        "%2e%2e/1.0.0",
        "demo/%2E",
        "demo/%00",
        "demo/%0a",
        "demo/%ff",
        "demo/%",
        "demo/%4",
        "%c0%ae/1.0.0",
        "DEMO/1.0.0",
        "demo%2Fother/1.0.0",
        "@acme%2Fdemo/1.0.0",
        "@/1.0.0",
        "@acme/%20/1.0.0",
        "a/1.0.0",
        "@acme%2Fdemo",
        "@",
    ];
    for rest in cases {
        assert!(is_malformed(rest), "{rest:?}: {:?}", get(rest));
    }
    assert!(is_malformed(&"a".repeat(LONGEST + 1)));
    assert_eq!(get("a1/b/c/d/e"), Err(RouteRefusal::Unknown));
}

/// What any bytes can lead to: an answer, never a panic; and a route only for names and versions that are some.
#[test]
fn arbitrary_paths_never_panic() {
    let mut random = facets_testkit::Random::seeded(21);
    let pieces = [
        "demo",
        "@",
        "%40",
        "acme",
        "/",
        "..",
        "%2e",
        "%00",
        "1.0.0",
        "latest",
        "*",
        "1.*",
        "versions",
        "yank",
        "archive",
        "%",
        "%f",
        "é",
        "\u{202e}",
        "A",
        "-",
        "?",
        "#",
        "%F0%9F%92%A1",
        "0",
    ];
    let methods =
        [Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::OPTIONS, Method::PUT];
    for _ in 0..facets_testkit::long_count(100_000) {
        let rest: String = (0..random.below(9)).map(|_| random.pick(&pieces)).collect();
        let method = &methods[random.below(methods.len())];
        if let Ok(ArtifactRoute::Version { name, .. }) = ArtifactRoute::parse(method, &rest) {
            assert!(name.as_str().parse::<ArtifactName>().is_ok());
        }
    }
}

#[test]
fn an_unknown_path_is_malformed_or_leads_nowhere() {
    for path in ["/", "/nope", "/v0", "/v0/facets", "/a/b/c/d/e", "*"] {
        assert_eq!(refuse_unknown(path), RouteRefusal::Unknown, "{path}");
    }
    for path in ["/v0/./facets", "/v0//facets", "/v0/facets/", "/%2e%2e/x", "/%zz", "//"] {
        assert!(matches!(refuse_unknown(path), RouteRefusal::Malformed(_)), "{path}");
    }
}

#[test]
fn a_scope_is_refused_as_it_was_written() {
    let Err(RouteRefusal::Malformed(error)) = get("@ACME") else { panic!("accepted") };
    assert!(error.starts_with("\"@ACME\" is not a scope: "), "{error}");
}
