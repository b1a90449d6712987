//! Facets in a lock: the reference's entries with members of ours, written as read, refused in their place.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::Digest;
use facets_failure::{Describe as _, LineColumn};
use facets_lock::{
    AcceptedFindings, Lock, LockError, LockedAsset, LockedAssetFile, LockedFacet, LockedFacetEntry,
    LockedFacetSource, LockedMaterialization,
};
use facets_model::manifest::parse_declared_servers;
use facets_model::{AssetKind, AssetName, AssetScope};

/// One facet, `tools`, as the reference prints JSON.
const TOOLS: &str = include_str!("../../../testdata/facet-entries/facets.lock");

fn parse(text: &str) -> Lock {
    Lock::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn facet(lock: &Lock, name: &str) -> LockedFacet {
    lock.facet(name).unwrap_or_else(|| panic!("{:?}", lock.facets().get(name))).clone()
}

fn asset(kind: AssetKind, name: &str, paths: &[&str]) -> LockedAsset {
    let file = |path: &&str| LockedAssetFile {
        path: path.parse().unwrap(),
        integrity: Digest::of(path.as_bytes()),
    };
    LockedAsset {
        scope: AssetScope::Project,
        kind,
        name: name.parse().unwrap(),
        materialization: LockedMaterialization::Authored,
        files: paths.iter().map(file).collect(),
    }
}

/// A facet with assets out of order, and servers of every form.
fn tools() -> LockedFacet {
    let servers = br#"{
        "@acme/jira": "1.0.0",
        "slack": {"image": "ghcr.io/acme/bot:v2"},
        "files": {"type": "stdio", "command": "npx", "args": ["-y", "files"], "env": {"DEBUG": "0"}},
        "docs": {"type": "http", "url": "https://mcp.example.com/docs"}
    }"#;
    let mut alias = asset(AssetKind::Command, "ship", &["commands/ship.md"]);
    alias.materialization = LockedMaterialization::Aliased("tools-ship".parse().unwrap());
    let mut omitted = asset(AssetKind::Agent, "reviewer", &["agents/reviewer.md"]);
    omitted.materialization = LockedMaterialization::Omitted;
    let plan = ["skills/plan/\u{ff5e}", "skills/plan/\u{1f4a1}", "skills/plan/SKILL.md"];
    LockedFacet {
        source: LockedFacetSource::Registry { url: "https://registry.example".parse().unwrap() },
        version: "1.2.3".parse().unwrap(),
        integrity: Digest::of(b"tools.tar"),
        content_hash: Some(Digest::of(b"tools.facet")),
        assets: vec![
            alias,
            asset(AssetKind::Command, "again", &["commands/again.md"]),
            omitted,
            asset(AssetKind::Skill, "plan", &plan),
        ],
        servers: parse_declared_servers(servers).manifest.unwrap(),
        accepted: AcceptedFindings::default(),
    }
}

#[test]
fn a_facet_is_written_in_the_order_of_the_reference_with_our_members_behind() {
    let lock = Lock::empty().with_facet("tools", &tools()).unwrap();
    assert_eq!(lock.text(), TOOLS);
    let read = facet(&lock, "tools");
    assert_eq!((read.source, read.version), (tools().source, tools().version));
    assert_eq!(read.content_hash, tools().content_hash);
    assert_eq!(read.servers, tools().servers);
    let names: Vec<_> = read.assets.iter().map(|asset| asset.name.as_str()).collect();
    assert_eq!(names, ["plan", "reviewer", "again", "ship"]);
    let effective = read.assets.iter().map(|asset| asset.effective_name());
    let effective: Vec<_> = effective.map(|name| name.map(AssetName::as_str)).collect();
    assert_eq!(effective, [Some("plan"), None, Some("again"), Some("tools-ship")]);
    assert_eq!(lock.without_facet("tools").unwrap(), Lock::empty());
    assert_eq!(lock.without_facet("other").unwrap(), lock);
}

#[test]
fn every_source_is_written_as_it_is_read() {
    let git = |url: &str, commit: &str| LockedFacetSource::Git {
        url: url.to_owned(),
        commit: commit.to_owned(),
    };
    let sources = [
        LockedFacetSource::Registry { url: "http://127.0.0.1:18799".parse().unwrap() },
        LockedFacetSource::Local { path: "./facets/local tools".to_owned() },
        git("github:acme/viper", "0123abcd"),
        git("git@git.example:acme/viper.git", &"a".repeat(40)),
        git("https://git.example:8443/acme/viper.git", &"f".repeat(64)),
    ];
    for source in sources {
        let other = LockedFacet { source: source.clone(), content_hash: None, ..tools() };
        let lock = Lock::empty().with_facet("tools", &other).unwrap();
        assert_eq!(facet(&lock, "tools").source, source);
        assert!(!lock.text().contains("content_hash"));
    }
}

/// The compact form of the same lock, which no facet writes.
fn compact(text: &str) -> String {
    text.lines().map(str::trim).collect()
}

#[test]
fn an_entry_that_does_not_change_keeps_every_byte() {
    let odd = TOOLS
        .replace("\"args\": [\n", "\"args\" : [\n")
        .replace("\"tools\": {", "\"x\": 7, \"tools\":   {")
        .replace("\"https://registry.example\"", "\"https:\\/\\/registry.example\"");
    for text in [TOOLS.to_owned(), compact(TOOLS), odd] {
        let lock = parse(&text);
        let same = lock.with_facet("tools", &facet(&lock, "tools")).unwrap();
        assert_eq!(same.text(), text);
    }
}

#[test]
fn facets_are_sorted_by_the_code_units_of_their_names() {
    let mut lock = Lock::empty();
    for name in ["tools", "@acme/tools", "a2", "@acme/demo", "zz"] {
        lock = lock.with_facet(name, &tools()).unwrap();
    }
    let at = |name: &str| lock.text().find(&format!("\"{name}\": {{\n      \"source\"")).unwrap();
    let places = ["@acme/demo", "@acme/tools", "a2", "tools", "zz"].map(at);
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_lock_of_version_0_2_is_read_and_becomes_0_3() {
    let old = TOOLS.replace("\"lockfileVersion\": 0.3", "\"lockfileVersion\": 0.2");
    let lock = parse(&old);
    assert_eq!(lock.with_facet("tools", &facet(&lock, "tools")).unwrap().text(), TOOLS);
    assert_eq!(lock.without_facet("tools").unwrap(), Lock::empty());
}

#[test]
fn members_that_are_not_known_survive_at_every_level() {
    let file = Digest::of(b"commands/again.md").to_string();
    let text = TOOLS
        .replacen("{\n", "{\n  \"x-top\": 1,\n", 1)
        .replacen(
            "\"version\": \"1.2.3\"",
            "\"x-entry\": {\"b\": [], \"a\": {}},\n      \"version\": \"1.2.3\"",
            1,
        )
        .replacen(
            "\"kind\": \"registry\"",
            "\"x-source\": \"s\\u0061me\",\n        \"kind\": \"registry\"",
            1,
        )
        .replacen(
            "\"name\": \"again\"",
            "\"x-asset\": {\"z\": 1, \"z\": 2},\n          \"name\": \"again\"",
            1,
        )
        .replacen(
            &format!("\"integrity\": \"{file}\""),
            &format!("\"x-file\": 12345678901234567890,\n              \"integrity\": \"{file}\""),
            1,
        );
    let lock = parse(&text);
    assert_eq!(facet(&lock, "tools"), facet(&parse(TOOLS), "tools"));

    let mut newer = facet(&lock, "tools");
    newer.version = "1.2.4".parse().unwrap();
    newer.assets.iter_mut().for_each(|asset| asset.files[0].integrity = Digest::of(b"newer"));
    let changed = lock.with_facet("tools", &newer).unwrap();
    assert_eq!(facet(&changed, "tools"), newer);
    for kept in [
        "  \"x-top\": 1,",
        "\n      \"x-entry\": {\n        \"b\": [],\n        \"a\": {}\n      }\n    }",
        "\n        \"x-source\": \"s\\u0061me\"\n      },",
        "\n          \"x-asset\": {\"z\": 1, \"z\": 2}\n        },",
        "\n              \"x-file\": 12345678901234567890\n            }",
    ] {
        assert!(changed.text().contains(kept), "{kept}: {}", changed.text());
    }
    let back = changed.with_facet("tools", &facet(&lock, "tools")).unwrap();
    assert_eq!(back.with_facet("tools", &newer).unwrap(), changed, "one form");

    let local = LockedFacetSource::Local { path: "./tools".to_owned() };
    let moved = lock.with_facet("tools", &LockedFacet { source: local, ..newer.clone() }).unwrap();
    assert!(!moved.text().contains("x-source"), "of another kind of source");
    let fewer = LockedFacet { assets: Vec::new(), ..newer };
    let fewer = lock.with_facet("tools", &fewer).unwrap();
    assert!(!fewer.text().contains("x-asset") && fewer.text().contains("x-entry"));
    assert!(!lock.without_facet("tools").unwrap().text().contains("x-entry"));
}

/// The lock with a text replaced by another, once.
fn with(from: &str, to: &str) -> Lock {
    let edited = TOOLS.replacen(from, to, 1);
    assert_ne!(edited, TOOLS, "{from}");
    // A second facet, which nothing is wrong with.
    parse(&edited).with_facet("other", &tools()).unwrap()
}

fn assert_broken(from: &str, to: &str, member: &str) {
    let lock = with(from, to);
    let entry = &lock.facets()["tools"];
    let LockedFacetEntry::Broken(LockError::Member { place, .. }) = entry else {
        panic!("{from} {to}: {entry:?}")
    };
    assert_eq!(*place, format!("facets.tools.{member}"), "{to}");
    assert_eq!(lock.facet("tools"), None);
    assert!(lock.facet("other").is_some(), "that concerns this entry and no other");
    let line = lock.facet_place("tools").unwrap().line;
    let first = lock.text().lines().position(|line| line == "    \"tools\": {");
    let last = lock.text().lines().count();
    assert!((first.unwrap_or(2) + 1..=last).contains(&line), "{to}: {line}");
}

#[test]
fn malformed_members_are_refused_in_their_place() {
    for (from, to, member) in [
        ("\"source\": {", "\"source\": 7, \"was\": {", "source"),
        ("\"kind\": \"registry\"", "\"kind\": \"ftp\"", "source.kind"),
        ("\"kind\": \"registry\"", "\"kind\": null", "source.kind"),
        ("\"registry\": \"https", "\"registry\": \"ftp", "source.registry"),
        ("\"registry\": \"https://", "\"registry\": \"https://me:pw@", "source.registry"),
        ("\"version\": \"1.2.3\"", "\"version\": \"1.2\"", "version"),
        ("\"version\": \"1.2.3\"", "\"version\": \"1.2.3-rc.1\"", "version"),
        ("\"version\": \"1.2.3\"", "\"version\": \"01.2.3\"", "version"),
        ("\"version\": \"1.2.3\"", "\"version\": \"9007199254740992.0.0\"", "version"),
        ("\"version\": \"1.2.3\"", "\"version\": 1", "version"),
        ("\"integrity\": \"sha256:", "\"integrity\": \"sha512:", "integrity"),
        ("\"integrity\": \"sha256:", "\"integrity\": \"sha256:0", "integrity"),
        ("\"content_hash\": \"sha256:", "\"content_hash\": \"SHA256:", "content_hash"),
        ("\"content_hash\": \"", "\"content_hash\": null, \"x\": \"", "content_hash"),
        ("\"assets\": [", "\"assets\": null, \"x\": [", "assets"),
        ("\"assets\": [", "\"assets\": [7,", "assets[0]"),
        ("\"scope\": \"project\"", "\"scope\": \"everybody\"", "assets[0].scope"),
        ("\"type\": \"skill\"", "\"type\": \"skills\"", "assets[0].type"),
        ("\"name\": \"plan\"", "\"name\": \"../plan\"", "assets[0].name"),
        ("\"name\": \"plan\"", "\"x\": \"plan\"", "assets[0].name"),
        (
            "\"materialization\": {",
            "\"materialization\": [], \"x\": {",
            "assets[0].materialization",
        ),
        ("\"kind\": \"authored\"", "\"kind\": \"linked\"", "assets[0].materialization.kind"),
        ("\"kind\": \"authored\"", "\"kind\": \"aliased\"", "assets[0].materialization.as"),
        (
            "\"kind\": \"authored\"",
            "\"kind\": \"authored\", \"as\": \"b\"",
            "assets[0].materialization.as",
        ),
        ("\"as\": \"tools-ship\"", "\"as\": \"Tools\"", "assets[3].materialization.as"),
        ("\"servers\": {", "\"servers\": [], \"x\": {", "servers"),
        ("\"slack\": {", "\"slack\": 7, \"was\": {", "servers.slack"),
        ("\"slack\": {", "\"Slack!\": {", "servers.Slack!"),
        ("\"@acme/jira\": \"1.0.0\"", "\"@acme/jira\": \"./here\"", "servers.@acme/jira"),
        ("\"DEBUG\": \"0\"", "\"DEBUG\": 0", "servers.files.env.DEBUG"),
    ] {
        assert_broken(from, to, member);
    }
}

#[test]
fn files_outside_of_their_asset_are_refused() {
    let agent = "\"path\": \"agents/reviewer.md\"";
    let skill = "\"path\": \"skills/plan/SKILL.md\"";
    let digest = Digest::of(b"x");
    let twice =
        |path: &str| format!("\"path\": \"{path}\", \"integrity\": \"{digest}\" }},\n{{ {agent}");
    for (from, to, member) in [
        (agent, "\"path\": \"agents/other.md\"", "assets[1].files"),
        (agent, "\"path\": \"commands/reviewer.md\"", "assets[1].files"),
        (agent, "\"path\": \"agents/reviewer/x.md\"", "assets[1].files"),
        (agent, "\"path\": \"../agents/reviewer.md\"", "assets[1].files[0].path"),
        (agent, "\"path\": \"/agents/reviewer.md\"", "assets[1].files[0].path"),
        (agent, "\"path\": 7", "assets[1].files[0].path"),
        (agent, &twice("agents/before.md"), "assets[1].files"),
        (agent, &twice("agents/reviewer.md"), "assets[1].files[1].path"),
        (skill, "\"path\": \"skills/plan/README.md\"", "assets[0].files"),
        (skill, "\"path\": \"skills/other/SKILL.md\"", "assets[0].files[0].path"),
        (skill, "\"path\": \"skills/plan/..\"", "assets[0].files[0].path"),
        ("skills/plan/\u{1f4a1}", "skills/plan/\u{ff5e}\u{ff5e}", "assets[0].files[2].path"),
        ("skills/plan/\u{1f4a1}", "skills/plan/SKILL.md", "assets[0].files[1].path"),
        ("skills/plan/\u{1f4a1}", "skills/plan/SKILL.md/x", "assets[0].files[1].path"),
        ("skills/plan/\u{1f4a1}", "skills/plan/skill.md", "assets[0].files[1].path"),
        ("skills/plan/\u{1f4a1}", "skills/plan/skill.MD/x", "assets[0].files[1].path"),
    ] {
        assert_broken(from, to, member);
    }
    let files = TOOLS.split_once("\"files\": [").unwrap().1.split_once(']').unwrap().0;
    assert_broken(files, "", "assets[0].files");
}

#[test]
fn assets_are_sorted_and_each_is_there_once() {
    for (from, to, member) in [
        ("\"name\": \"again\"", "\"name\": \"zz\"", "assets[2].files"),
        ("\"type\": \"agent\"", "\"type\": \"skill\"", "assets[1].files[0].path"),
    ] {
        assert_broken(from, to, member);
    }
    let two = [
        asset(AssetKind::Command, "ship", &["commands/ship.md"]),
        asset(AssetKind::Command, "ship", &["commands/ship.md"]),
    ];
    let twice = LockedFacet { assets: two.to_vec(), ..tools() };
    let error = Lock::empty().with_facet("tools", &twice).unwrap_err();
    assert!(
        matches!(&error, LockError::Member { place, .. }
        if place == "facets.tools.assets[1].name"),
        "{error}"
    );
    let unsorted =
        TOOLS.replace("\"again\"", "\"zz\"").replace("commands/again.md", "commands/zz.md");
    let lock = parse(&unsorted);
    let entry = &lock.facets()["tools"];
    assert!(
        matches!(entry, LockedFacetEntry::Broken(LockError::Member { place, .. })
        if place == "facets.tools.assets[3].name"),
        "{entry:?}"
    );
}

#[test]
fn sources_of_git_and_of_the_project_are_checked() {
    let source = |text: &str| {
        let lock = with("\"kind\": \"registry\"", text);
        match &lock.facets()["tools"] {
            LockedFacetEntry::Facet(facet) => Ok(facet.source.clone()),
            LockedFacetEntry::Broken(error) => Err(error.to_string()),
        }
    };
    let git = |url: &str, commit: &str| {
        source(&format!("\"kind\": \"git\", \"url\": \"{url}\", \"commit\": \"{commit}\""))
    };
    let good = "https://git.example/a/b.git";
    assert!(git(good, "01234567").is_ok());
    for commit in ["0123456", "0123456g", "01234567A", "", "HEAD", &"0".repeat(65)] {
        assert!(git(good, commit).unwrap_err().contains("source.commit"), "{commit}");
    }
    for url in [
        "",
        "https://",
        "ext::sh -c id",
        "ext::sh",
        "file:///etc",
        "/srv/git",
        "-uupload-pack",
        "ssh://-oProxyCommand=id/x.git",
        "ssh://-oProxyCommand/x.git",
        "git@-x:y.git",
        "https://git.example/a b.git",
        "https://git.example/a\\nb.git",
        "https://git.example/b.git#main",
    ] {
        assert!(git(url, "01234567").unwrap_err().contains("source.url"), "{url}");
    }
    for path in ["", "./", ".", "..", "../x", "./../x", "/x", "x", "./a//b", "./a\\\\b"] {
        let text = format!("\"kind\": \"local\", \"path\": \"{path}\"");
        assert!(source(&text).unwrap_err().contains("source.path"), "{path}");
    }
}

#[test]
fn names_that_no_facet_has_concern_themselves_alone() {
    for name in ["Tools", "t", "acme/tools", "@acme", "../tools", ""] {
        let lock = with("\"tools\": {", &format!("\"{name}\": {{"));
        assert_eq!(lock.facets()[name], LockedFacetEntry::Broken(LockError::BadFacetName));
        assert!(lock.facet("other").is_some());
        assert!(lock.without_facet(name).unwrap().facets().len() == 1, "it can be removed");
    }
    let error = Lock::empty().with_facet("Tools", &tools()).unwrap_err();
    assert_eq!((error.code(), error.clone()), ("lock-bad-member", LockError::BadFacetName));
}

#[test]
fn an_entry_that_is_broken_can_be_written_anew() {
    let lock = with("\"version\": \"1.2.3\"", "\"x-entry\": 1, \"version\": 7");
    let fixed = lock.with_facet("tools", &tools()).unwrap();
    assert_eq!(facet(&fixed, "tools"), facet(&parse(TOOLS), "tools"));
    assert!(fixed.text().contains("\"x-entry\": 1"));
    for entry in ["7", "null", "[]", "\"1.0.0\""] {
        let text = format!("{{\"lockfileVersion\": 0.3, \"facets\": {{\"tools\": {entry}}}}}");
        let lock = parse(&text);
        assert!(lock.facet("tools").is_none(), "{entry}");
        let place = LineColumn { line: 1, column: 46 };
        assert_eq!(lock.facet_place("tools"), Some(place), "{entry}");
        assert!(lock.with_facet("tools", &tools()).unwrap().facet("tools").is_some(), "{entry}");
    }
}

#[test]
fn facets_are_an_object_or_not_there() {
    let error = Lock::parse(b"{\"lockfileVersion\": 0.3, \"facets\": []}").unwrap_err();
    assert_eq!(error.to_string(), "facets is not an object");
    let none = parse("{\n  \"lockfileVersion\": 0.3\n}\n");
    assert!(none.facets().is_empty());
    assert!(none.with_facet("tools", &tools()).unwrap().facet("tools").is_some());
}

#[test]
fn the_place_of_a_problem_is_its_line_and_column() {
    let edited = TOOLS.replacen("\"path\": \"agents/reviewer.md\"", "\"path\": \"/etc\"", 1);
    let line = edited.lines().position(|line| line.contains("/etc")).unwrap() + 1;
    let lock = parse(&edited);
    assert_eq!(lock.facet_place("tools"), Some(LineColumn { line, column: 23 }));
    assert_eq!(parse(TOOLS).facet_place("tools"), Some(LineColumn { line: 4, column: 14 }));
    assert_eq!(lock.facet_place("other"), None);
}

#[test]
fn what_no_manifest_can_declare_is_not_written() {
    let mut facet = tools();
    let jira = facet.servers.remove("@acme/jira").unwrap();
    facet.servers.insert("Bad Name".to_owned(), jira);
    let error = Lock::empty().with_facet("tools", &facet).unwrap_err();
    assert_eq!(error.code(), "lock-bad-member");
}
