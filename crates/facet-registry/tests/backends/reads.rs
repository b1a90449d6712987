//! Facets: published once, by one of many clients, and read in every way.

use std::thread;

use facets_digest::Digest;
use serde_json::{Value, json};

use crate::backend::{Backend, on_both};
use crate::node::{FACETS, Node};
use crate::support::{bearer, facet};

const DEMO: (&str, &str) = (FACETS, "@acme/demo");

#[test]
fn a_version_is_published_once_and_never_changes() {
    on_both(publish_once);
}

fn publish_once(backend: &Backend) {
    let site = backend.site();
    let (node, token) = (Node::start(&site, &[]), site.token("acme"));
    let archive = facet(DEMO.1, "1.0.0", "text");
    let created = node.publish(DEMO, &archive, &token);
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(created.header("location"), Some("/v0/facets/@acme/demo/1.0.0"));
    let document = created.json();
    let digest = Digest::of(&archive).to_string();
    for (member, expected) in [
        ("kind", json!("facet")),
        ("name", json!("@acme/demo")),
        ("version", json!("1.0.0")),
        ("content_hash", json!(digest)),
        ("size_bytes", json!(archive.len())),
        ("owner", json!("acme")),
        ("archive", json!("/v0/facets/@acme/demo/1.0.0/archive")),
        ("content_integrity", document["integrity"].clone()),
        ("asset_counts", json!({ "agents": 0, "commands": 0, "servers": 0, "skills": 1 })),
    ] {
        assert_eq!(document[member], expected, "{member}");
    }
    assert_eq!(node.document("/v0/facets/%40acme/demo/1.0.0"), document);
    let again = node.publish(DEMO, &archive, &token);
    assert_eq!((again.status, again.json()), (200, document.clone()));
    let other = node.publish(DEMO, &facet(DEMO.1, "1.0.0", "other"), &token);
    assert_eq!((other.status, &*other.code()), (409, "E_VERSION_EXISTS"));
    let details = &other.json()["details"];
    assert_eq!(details["published_integrity"], document["integrity"]);
    assert!(details["sent_integrity"].as_str().unwrap().starts_with("sha256:"), "{details}");
    assert_ne!(details["sent_integrity"], document["integrity"]);
    assert_eq!(node.document("/v0/facets/@acme/demo/latest"), document);
    assert_eq!(site.checked_versions(), 1);
}

#[test]
fn versions_are_found_and_archives_are_sent_whole_in_part_or_not_again() {
    on_both(read_in_every_way);
}

fn read_in_every_way(backend: &Backend) {
    let site = backend.site();
    let (node, token) = (Node::start(&site, &[]), site.token("acme"));
    let archives = ["1.0.0", "1.1.0", "2.0.0"].map(|version| facet(DEMO.1, version, version));
    for archive in &archives {
        node.publish_new(DEMO, archive, &token);
    }
    for (wanted, expected) in [
        ("1.0.0", "1.0.0"),
        ("latest", "2.0.0"),
        ("latest?floor=1.1.0", "2.0.0"),
        ("1.*", "1.1.0"),
        ("*", "2.0.0"),
    ] {
        let document = node.document(&format!("/v0/facets/@acme/demo/{wanted}"));
        assert_eq!(document["version"], expected, "{wanted}");
    }
    let above = node.get("/v0/facets/@acme/demo/latest?floor=2.0.1");
    assert_eq!((above.status, &*above.code()), (404, "E_NOT_FOUND"));
    let versions = node.list("/v0/facets/@acme/demo/versions?limit=2", "versions");
    let versions: Vec<&Value> = versions.iter().map(|one| &one["version"]).collect();
    assert_eq!(versions, ["2.0.0", "1.1.0", "1.0.0"]);
    let contents = node.document("/v0/facets/@acme/demo/1.1.0/contents");
    assert_eq!(contents["resources"]["skills/review/SKILL.md"], "1.1.0");
    read_archive(&node, "/v0/facets/@acme/demo/1.0.0/archive", &archives[0]);
    // A process that has nothing in memory sends the same.
    let fresh = Node::start(&site, &[]);
    read_archive(&fresh, "/v0/facets/@acme/demo/2.0.0/archive", &archives[2]);
}

fn read_archive(node: &Node, path: &str, archive: &[u8]) {
    let part = node.get_with(path, &[("Range", "bytes=512-1023")]);
    assert_eq!((part.status, &part.body[..]), (206, &archive[512..1024]));
    let whole = node.get(path);
    assert!(whole.status == 200 && whole.body == archive, "{path}");
    assert_eq!(whole.header("cache-control"), Some("public, max-age=31536000, immutable"));
    let etag = format!("\"{}\"", Digest::of(archive));
    assert_eq!(whole.header("etag"), Some(&*etag));
    let same = node.get_with(path, &[("If-None-Match", &etag)]);
    assert_eq!((same.status, same.body.len()), (304, 0));
    let other = node.get_with(path, &[("Range", "bytes=0-1"), ("If-Range", "\"other\"")]);
    assert_eq!((other.status, other.body.len()), (200, archive.len()));
    let head = node.ask(("HEAD", path), &[], b"");
    assert_eq!(head.header("content-length"), Some(&*archive.len().to_string()));
}

#[test]
fn of_ten_clients_at_once_exactly_one_publishes() {
    on_both(race);
}

fn race(backend: &Backend) {
    let site = backend.site();
    let (node, token) = (Node::start(&site, &[]), site.token("acme"));
    let different: Vec<Vec<u8>> =
        (0..10).map(|number| facet(DEMO.1, "1.0.0", &format!("text {number}"))).collect();
    let statuses = publish_at_once(&node, &different, &token);
    assert_eq!(statuses, [vec![201_u16], vec![409; 9]].concat());
    let stored = node.get("/v0/facets/@acme/demo/1.0.0/archive");
    assert!(different.contains(&stored.body), "{}", stored.status);
    let same = vec![facet(DEMO.1, "1.1.0", "text"); 10];
    let statuses = publish_at_once(&node, &same, &token);
    assert_eq!(statuses, [vec![200_u16; 9], vec![201]].concat());
    assert_eq!(site.checked_versions(), 2);
}

/// The statuses of the answers, in order of their numbers.
fn publish_at_once(node: &Node, archives: &[Vec<u8>], token: &str) -> Vec<u16> {
    let mut statuses: Vec<u16> = thread::scope(|scope| {
        let threads: Vec<_> = archives
            .iter()
            .map(|archive| scope.spawn(move || node.publish(DEMO, archive, token).status))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    statuses
}

#[test]
fn names_are_listed_searched_and_taken_back() {
    on_both(list_and_yank);
}

fn list_and_yank(backend: &Backend) {
    let site = backend.site();
    let (node, token) = (Node::start(&site, &[]), site.token("acme"));
    for name in ["beta", "@acme/planner", "alpha", "code-planner"] {
        node.publish_new((FACETS, name), &facet(name, "1.0.0", name), &token);
    }
    node.publish_new((FACETS, "beta"), &facet("beta", "1.1.0", "more"), &token);
    let names = |path: &str| -> Vec<String> {
        let items = node.list(path, "facets");
        let names = items.iter().map(|item| item["name"].as_str().unwrap().to_owned());
        names.collect()
    };
    assert_eq!(names("/v0/facets?limit=1"), ["@acme/planner", "alpha", "beta", "code-planner"]);
    assert_eq!(names("/v0/facets?q=planner&limit=1"), ["@acme/planner", "code-planner"]);
    assert_eq!(names("/v0/facets?q=no-such-word"), [""; 0]);
    assert_eq!(names("/v0/facets/@acme?limit=1"), ["@acme/planner"]);
    let latest = || node.document("/v0/facets/beta/latest")["version"].clone();
    assert_eq!(latest(), "1.1.0");
    let yank = |method: &str| {
        let path = "/v0/facets/beta/1.1.0/yank";
        let body = br#"{"reason":"it leaks"}"#;
        let reply = node.ask((method, path), &[bearer(&token).as_pair()], body);
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()["yanked"]["reason"].clone()
    };
    assert_eq!(yank("POST"), "it leaks");
    assert_eq!(latest(), "1.0.0");
    assert_eq!(node.get("/v0/facets/beta/1.1.0/archive").status, 200, "pinned ones stay");
    assert_eq!(yank("DELETE"), Value::Null);
    assert_eq!(latest(), "1.1.0");
}
