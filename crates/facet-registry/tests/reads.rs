//! What readers get: documents, archives, conditions, ranges, lists.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::fs::{self, File};
use std::path::PathBuf;

use facets_digest::Digest;
use facets_testkit::Random;
use support::{RegistryProcess, Reply, bearer, facet, program, read_reply};

fn registry_with(names: &[(&str, &[&str])]) -> (RegistryProcess, String) {
    let registry = RegistryProcess::start(&[]);
    let token = registry.token(&["publish:*"], "acme");
    for (name, versions) in names {
        for version in *versions {
            let published = registry.publish(name, &facet(name, version, version), &token);
            assert_eq!(published.status, 201, "{published:?}");
        }
    }
    (registry, token)
}

#[test]
fn a_published_facet_is_read_by_version_floor_range_and_latest() {
    let (registry, token) = registry_with(&[("demo", &["1.0.0", "1.1.0", "2.0.0"])]);
    let version = |path: &str| {
        let reply = registry.get(&format!("/v0/facets/demo/{path}"));
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        reply.json()["version"].as_str().unwrap().to_owned()
    };
    for (path, expected) in [
        ("1.0.0", "1.0.0"),
        ("latest", "2.0.0"),
        ("latest?floor=1.0.0", "2.0.0"),
        ("*", "2.0.0"),
        ("1.*", "1.1.0"),
        ("1.0.*", "1.0.0"),
    ] {
        assert_eq!(version(path), expected, "{path}");
    }
    assert_eq!(registry.get("/v0/facets/demo/3.*").code(), "E_NOT_FOUND");
    assert_eq!(registry.get("/v0/facets/demo/latest?floor=x").code(), "E_BAD_REQUEST");
    let latest = registry.get("/v0/facets/demo/latest-version").json();
    assert_eq!((&latest["name"], &latest["latest"]), (&"demo".into(), &"2.0.0".into()));
    let all = registry.get("/v0/facets/demo/versions/1.*").json();
    assert_eq!(all["versions"], serde_json::json!(["2.0.0", "1.1.0", "1.0.0"]));
    let me = registry.get_with("/v0/auth/me", &[bearer(&token).as_pair()]).json();
    assert_eq!((&me["username"], &me["scopes"][0]), (&"acme".into(), &"publish:*".into()));
}

#[test]
fn the_document_has_the_hashes_of_the_archive_that_is_sent() {
    let (registry, token) = registry_with(&[]);
    let archive = facet("@acme/demo", "1.0.0", "text");
    let published = registry.publish("%40acme/demo", &archive, &token);
    assert_eq!(published.status, 201, "{published:?}");
    assert_eq!(published.header("location"), Some("/v0/facets/@acme/demo/1.0.0"));
    let document = registry.get("/v0/facets/%40acme/demo/1.0.0").json();
    assert_eq!(document["content_hash"], Digest::of(&archive).to_string());
    assert_eq!(document["size_bytes"], archive.len());
    let path = document["archive"].as_str().unwrap();
    let sent = registry.get(path);
    assert_eq!(sent.body, archive);
    assert_eq!(sent.header("cache-control"), Some("public, max-age=31536000, immutable"));
    let again = registry.publish("@acme/demo", &archive, &token);
    assert_eq!(again.status, 200, "{again:?}");
    let other = registry.publish("@acme/demo", &facet("@acme/demo", "1.0.0", "other"), &token);
    assert_eq!((other.status, &*other.code()), (409, "E_VERSION_EXISTS"));
    assert!(other.json()["details"].is_object(), "{other:?}");
    let contents = registry.get("/v0/facets/@acme/demo/1.0.0/contents").json();
    assert_eq!(contents["resources"]["skills/review/SKILL.md"], "text");
}

#[test]
fn archives_are_sent_in_part_and_only_if_they_changed() {
    let (registry, _) = registry_with(&[("demo", &["1.0.0"])]);
    let path = "/v0/facets/demo/1.0.0/archive";
    let whole = registry.get(path);
    let (size, etag) = (whole.body.len(), whole.header("etag").unwrap().to_owned());
    assert_eq!(etag, format!("\"{}\"", Digest::of(&whole.body)));
    let with = |headers: &[(&str, &str)]| registry.get_with(path, headers);
    let part = with(&[("Range", "bytes=2-5")]);
    assert_eq!((part.status, &part.body[..]), (206, &whole.body[2..6]));
    assert_eq!(part.header("content-range"), Some(&*format!("bytes 2-5/{size}")));
    let last = with(&[("Range", "bytes=-4")]);
    assert_eq!((last.status, &last.body[..]), (206, &whole.body[size - 4..]));
    assert_eq!(with(&[("Range", "bytes=0-1,3-4")]).status, 200);
    let behind = with(&[("Range", &format!("bytes={size}-"))]);
    assert_eq!((behind.status, &*behind.code()), (416, "E_RANGE"));
    assert_eq!(behind.header("content-range"), Some(&*format!("bytes */{size}")));
    assert_eq!(with(&[("Range", "bytes=0-1"), ("If-Range", &etag)]).status, 206);
    assert_eq!(with(&[("Range", "bytes=0-1"), ("If-Range", "\"other\"")]).status, 200);
    let same = with(&[("If-None-Match", &etag)]);
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert_eq!(same.header("etag"), Some(&*etag));
    assert_eq!(with(&[("If-Match", "\"other\"")]).code(), "E_PRECONDITION");
    let head = registry.ask("HEAD", path, &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), Some(&*size.to_string()));
    for path in [path, "/v0/facets/demo/1.0.0"] {
        let etag = registry.get(path).header("etag").unwrap().to_owned();
        for method in ["GET", "HEAD"] {
            let same = registry.ask(method, path, &[("If-None-Match", &etag)], b"");
            assert_eq!(same.status, 304, "{method} {path}");
            // It would be taken for that of the representation.
            assert_eq!(same.header("content-length"), None, "{method} {path}");
        }
    }
    let moving = registry.get("/v0/facets/demo/latest/archive");
    assert_eq!(moving.header("cache-control"), Some("no-cache"));
    assert_eq!(moving.header("content-location"), Some(path));
}

#[test]
fn the_reference_client_is_led_to_an_archive_by_a_redirect() {
    let (registry, _) = registry_with(&[("demo", &["1.0.0"])]);
    let path = "/v0/facets/demo/1.0.0/archive";
    let reference = [("User-Agent", "Bun/1.3.14")];
    let whole = registry.get(path);
    assert_eq!((whole.status, whole.header("vary")), (200, Some("user-agent")));
    for asked in [path, "/v0/facets/demo/latest/archive"] {
        let found = registry.get_with(asked, &reference);
        assert_eq!((found.status, found.body.len()), (302, 0), "{found:?}");
        assert_eq!(found.header("location"), Some(&*format!("http://registry{path}?direct=1")));
        assert_eq!(found.header("cache-control"), Some("no-store"));
        assert_eq!(found.header("vary"), Some("user-agent"));
    }
    let direct = registry.get_with(&format!("{path}?direct=1"), &reference);
    assert_eq!((direct.status, &direct.body), (200, &whole.body));
    assert_eq!(direct.header("vary"), None);
    let range = registry.get_with(path, &[reference[0], ("Range", "bytes=0-1")]);
    assert_eq!(range.status, 206);
}

#[test]
fn documents_have_strong_tags_and_change_with_a_yank() {
    let (registry, token) = registry_with(&[("demo", &["1.0.0", "1.1.0"])]);
    let path = "/v0/facets/demo/1.1.0";
    let etag = registry.get(path).header("etag").unwrap().to_owned();
    assert_eq!(registry.get_with(path, &[("If-None-Match", &etag)]).status, 304);
    let yank = format!("{path}/yank");
    let bearer = bearer(&token);
    let yanked = registry.ask("POST", &yank, &[bearer.as_pair()], br#"{"reason":"leak"}"#);
    assert_eq!((yanked.status, &yanked.json()["yanked"]["reason"]), (200, &"leak".into()));
    assert_eq!(registry.get_with(path, &[("If-None-Match", &etag)]).status, 200);
    assert_eq!(registry.get("/v0/facets/demo/latest").json()["version"], "1.0.0");
    assert_eq!(registry.get(&format!("{path}/archive")).status, 200, "pinned ones stay");
    let offered = registry.ask("DELETE", &yank, &[bearer.as_pair()], b"");
    assert_eq!(offered.status, 200, "{offered:?}");
    assert_eq!(registry.get_with(path, &[("If-None-Match", &etag)]).status, 304);
    assert_eq!(registry.get("/v0/facets/demo/latest").json()["version"], "1.1.0");
    let bad = registry.ask("POST", &yank, &[bearer.as_pair()], b"{}");
    assert_eq!(bad.code(), "E_BAD_REQUEST");
}

#[test]
fn lists_are_read_page_by_page_and_searched() {
    let names = [("alpha", &["1.0.0"][..]), ("beta", &["1.0.0"]), ("code-review", &["1.0.0"])];
    let (registry, _) = registry_with(&names);
    let mut path = "/v0/facets?limit=2".to_owned();
    let mut found = Vec::new();
    for _ in 0..5 {
        let page = registry.get(&path).json();
        let items = page["facets"].as_array().unwrap().clone();
        found.extend(items.iter().map(|item| item["name"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/v0/facets?limit=2&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(found, ["alpha", "beta", "code-review"]);
    let search = registry.get("/v0/facets?q=review").json();
    assert!(search["facets"].as_array().unwrap().iter().any(|item| item["name"] == "code-review"));
    assert_eq!(registry.get("/v0/facets?cursor=%21").code(), "E_BAD_REQUEST");
    assert_eq!(registry.get("/v0/facets?limit=0").code(), "E_BAD_REQUEST");
    assert_eq!(registry.get("/v0/facets?q=aa+bb+cc+dd+aa").status, 200);
    assert_eq!(registry.get("/v0/facets?q=aa+bb+cc+dd+ee").code(), "E_BAD_REQUEST");
    for path in ["/v0/facets/", "/v0//facets", "/v0/./facets"] {
        assert_eq!(registry.get(path).code(), "E_BAD_REQUEST", "{path}");
    }
    assert_eq!(registry.get("/v0/source-servers").json()["servers"], serde_json::json!([]));
    assert_eq!(registry.get("/v0/facets/@nobody").json()["facets"], serde_json::json!([]));
}

#[test]
fn two_versions_of_a_facet_are_compared() {
    let (registry, _) = registry_with(&[("demo", &["1.0.0", "1.1.0"])]);
    let diff = registry.get("/v0/facets/demo/1.1.0/diff?from=1.0.0").json();
    assert_eq!((&diff["from"], &diff["to"]), (&"1.0.0".into(), &"1.1.0".into()));
    assert_eq!(diff["content_changed"], true);
    assert!(diff["summary"]["critical"].is_u64(), "{diff}");
    assert_eq!(diff["findings"][0]["subject"]["kind"], "facet", "{diff}");
    let files = diff["files"].as_array().unwrap();
    let file = |path: &str| files.iter().find(|file| file["path"] == path).unwrap();
    let skill = file("skills/review/SKILL.md");
    assert_eq!(skill["change"], "modified", "{diff}");
    assert_eq!(skill["before"], Digest::of(b"1.0.0").to_string());
    assert_eq!(skill["after"], Digest::of(b"1.1.0").to_string());
    assert_eq!(file("facet.json")["change"], "modified");
    assert_eq!(registry.get("/v0/facets/demo/1.1.0/diff").code(), "E_BAD_REQUEST");
    assert_eq!(registry.get("/v0/facets/demo/1.1.0/diff?from=9.9.9").code(), "E_NOT_FOUND");
}

#[test]
fn browsers_may_read_and_nothing_else() {
    let (registry, _) = registry_with(&[("demo", &["1.0.0"])]);
    let read = registry.get("/v0/facets/demo/1.0.0");
    assert_eq!(read.header("access-control-allow-origin"), Some("*"));
    assert!(read.header("access-control-expose-headers").unwrap().contains("etag"));
    let refused = registry.get("/v0/facets/none/1.0.0");
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
    let asked = registry.ask("OPTIONS", "/v0/facets/demo/versions", &[], b"");
    assert_eq!((asked.status, asked.body.len()), (204, 0));
    assert_eq!(asked.header("access-control-allow-methods"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(asked.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
    assert_eq!(registry.ask("OPTIONS", "/nope", &[], b"").code(), "E_NOT_FOUND");
    let write = registry.ask("POST", "/v0/facets/demo/versions", &[], b"x");
    assert_eq!(write.header("access-control-allow-origin"), None);
}

#[test]
fn requests_have_ids_and_the_process_says_how_it_is() {
    let (registry, _) = registry_with(&[]);
    let given = registry.get_with("/nothing", &[("X-Request-Id", "abc-1")]);
    assert_eq!((&*given.code(), given.header("x-request-id")), ("E_NOT_FOUND", Some("abc-1")));
    assert_eq!(given.json()["request_id"], "abc-1");
    let made = registry.get_with("/health", &[("X-Request-Id", "a b")]);
    assert_eq!(made.header("x-request-id").map(str::len), Some(16));
    for path in ["/health", "/health/live", "/health/ready", "/v0/health"] {
        let reply = registry.get(path);
        assert_eq!((reply.status, &reply.json()["status"]), (200, &"ok".into()), "{path}");
    }
    let metrics = String::from_utf8(registry.get("/metrics").body).unwrap();
    assert!(metrics.contains("facet_registry_build_info{version="), "{metrics}");
    assert!(metrics.contains(r#"requests_total{route="/health",status="200"}"#), "{metrics}");
}

#[test]
fn a_refusal_has_the_complete_address_of_the_documentation() {
    let docs_url = |reply: Reply| reply.json()["docs_url"].clone();
    let registry = RegistryProcess::start(&[]);
    assert_eq!(docs_url(registry.get("/nothing")), "http://registry/openapi.json");
    let forwarded = [("X-Forwarded-Proto", "https")];
    assert_eq!(docs_url(registry.get_with("/none", &forwarded)), "http://registry/openapi.json");
    let mut stream = registry.connect();
    std::io::Write::write_all(&mut stream, b"GET /nothing HTTP/1.0\r\n\r\n").unwrap();
    let nameless = read_reply(&mut stream).unwrap();
    assert_eq!((nameless.status, docs_url(nameless)), (404, serde_json::Value::Null));
    let behind = RegistryProcess::start(&["--trust-proxy"]);
    assert_eq!(docs_url(behind.get_with("/none", &forwarded)), "https://registry/openapi.json");
    let public = RegistryProcess::start(&["--public-url", "https://r.example/facets/"]);
    assert_eq!(docs_url(public.get("/nothing")), "https://r.example/facets/openapi.json");
    let token = public.token(&["publish:*"], "acme");
    assert_eq!(public.publish("demo", &facet("demo", "1.0.0", "text"), &token).status, 201);
    let path = "/v0/facets/demo/1.0.0/archive";
    let found = public.get_with(path, &[("User-Agent", "Bun/1.3.14")]);
    let address = format!("https://r.example/facets{path}?direct=1");
    assert_eq!(found.header("location"), Some(&*address));
    let data = tempfile::tempdir().unwrap();
    let refused = support::run(program(&data).args(["serve", "--public-url", "r.example"]));
    assert!(refused.exit == 2 && refused.stderr.contains("public-url"), "{}", refused.stderr);
}

/// A registry with one archive that is too large to be kept in memory, and the file of its blob.
fn registry_with_large_archive() -> (RegistryProcess, Vec<u8>, PathBuf) {
    let registry = RegistryProcess::start(&[]);
    let token = registry.token(&["publish:*"], "acme");
    let mut random = Random::seeded(9);
    // More than a megabyte, also when it is compressed.
    let text: String = (0..150_000).map(|_| format!("{:016x}", random.bits())).collect();
    let archive = facet("demo", "1.0.0", &text);
    assert_eq!(registry.publish("demo", &archive, &token).status, 201);
    let hex = Digest::of(&archive).hex();
    let blobs = registry.data.path().join("data/blobs/sha256");
    let path = blobs.join(&hex[..2]).join(&hex);
    assert_eq!(fs::read(&path).unwrap(), archive);
    (registry, archive, path)
}

const ARCHIVE: &str = "/v0/facets/demo/1.0.0/archive";

#[test]
fn what_cannot_be_sent_is_refused_also_without_its_bytes() {
    let (registry, archive, path) = registry_with_large_archive();
    let etag = format!("\"{}\"", Digest::of(&archive));
    let statuses = || {
        let get = registry.get(ARCHIVE);
        let head = registry.ask("HEAD", ARCHIVE, &[], b"");
        let same = registry.get_with(ARCHIVE, &[("If-None-Match", &etag)]);
        if same.status == 503 {
            assert_eq!((&*same.code(), &*get.code()), ("E_DAMAGED", "E_DAMAGED"));
            assert_eq!((head.header("etag"), head.body.len()), (None, 0));
        }
        [get.status, head.status, same.status]
    };
    assert_eq!(statuses(), [200, 200, 304]);
    fs::write(&path, &archive[1..]).unwrap();
    assert_eq!(statuses(), [503; 3], "truncated");
    fs::remove_file(&path).unwrap();
    assert_eq!(statuses(), [503; 3], "lost");
    let mut damaged = archive.clone();
    damaged[1000] ^= 1;
    fs::write(&path, &damaged).unwrap();
    assert_eq!(statuses(), [503; 3], "damaged");
    fs::write(&path, &archive).unwrap();
    assert_eq!(statuses(), [200, 200, 304], "restored");
}

/// Changes a byte, and nothing that the file system tells.
fn rot(path: &PathBuf, at: usize) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
    File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
}

#[test]
fn no_answer_with_other_bytes_is_complete() {
    let (registry, archive, path) = registry_with_large_archive();
    for at in [0, archive.len() / 2, archive.len() - 1] {
        // Now the process has verified it, and remembers that.
        assert_eq!(registry.get(ARCHIVE).body, archive);
        rot(&path, at);
        let range = format!("bytes=0-{}", archive.len() - 1);
        for headers in [&[][..], &[("Range", &*range)]] {
            let reply = registry.get_with(ARCHIVE, headers);
            if reply.status == 503 {
                assert_eq!(reply.code(), "E_DAMAGED");
                continue;
            }
            assert_eq!(reply.header("content-length"), Some(&*archive.len().to_string()));
            assert!(reply.body.len() < archive.len(), "{at}: it looks complete");
        }
        assert_eq!(registry.get(ARCHIVE).code(), "E_DAMAGED", "the next is told at once");
        assert_eq!(registry.ask("HEAD", ARCHIVE, &[], b"").status, 503);
        fs::write(&path, &archive).unwrap();
    }
}
