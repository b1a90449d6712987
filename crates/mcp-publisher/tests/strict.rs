//! Documents that say more, less or something else than they seem to.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;

use facets_digest::Digest;
use serde_json::{Value, json};
use support::{Author, bundle, conforms, document, npm, pypi, upstream};

/// Packages that must not pass, and what their malformed result says.
const UNUSABLE: &[(&str, &str)] = &[
    (
        r#"{"registryType": "npm", "identifier": "evil", "version": "2.0.0", "location": {"registry_name": "npm", "name": "plain"}}"#,
        "`registryType` and `location.registry_name`",
    ),
    (
        r#"{"registryType": "npm", "identifier": "plain", "name": "evil", "version": "2.0.0"}"#,
        "`registryType` and `name`",
    ),
    (
        r#"{"registryType": "npm", "identifier": "plain", "version": "2.0.0", "registryBaseUrl": "https://npm.example"}"#,
        "names the registry \"https://npm.example\"; facet asks the npm registry that is configured",
    ),
    (r#"{"registryType": "NPM", "identifier": "plain", "version": "2.0.0"}"#, "the type \"NPM\""),
    (r#"{"registryType": "npm ", "identifier": "plain", "version": "2.0.0"}"#, "the type \"npm \""),
    (
        r#"{"registryType": "pypi", "identifier": "big", "version": "3.0", "fileSha256": "ab"}"#,
        "`fileSha256`",
    ),
    (r#"{"registryType": "npm", "identifier": "plain", "version": "v2.0.0"}"#, "the version"),
    (r#"{"registryType": "npm", "identifier": "plain.tgz", "version": "2.0.0"}"#, "the package"),
    (
        r#"{"registryType": "npm", "identifier": "plain", "version": "2.0.0", "Identifier": "evil"}"#,
        "the member is called `identifier`",
    ),
    (
        r#"{"registryType": "npm", "identifier": "plain", "version": "2.0.0", "sha256": "ab"}"#,
        "a hash in a place that is not read",
    ),
];

#[test]
fn packages_that_may_be_others_are_malformed() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    let hash = Digest::of(b"another tarball").to_string();
    for (package, reason) in UNUSABLE {
        let mut stated: Value = serde_json::from_str(&document(&[(*package).to_owned()])).unwrap();
        stated["file_hashes"] = json!({ "npm:plain@2.0.0": hash });
        author.write("server.json", &stated.to_string());
        for command in ["verify", "hash-gen"] {
            let ran = author.run(&[command, "--json"]);
            assert_eq!(ran.exit, 1, "{command} {package}: {}", ran.stdout);
            let is_named = |one: &Value| {
                one["status"] == "malformed" && one["detail"].as_str().unwrap().contains(reason)
            };
            let report = ran.json();
            assert!(report["results"].as_array().unwrap().iter().any(is_named), "{report:#}");
        }
    }
    // The entry and its package are one file.
    author.write("server.json", &document(&[npm("plain", "2.0.0")]).replace("2.0.0\",", "^2\","));
    let mut stated: Value =
        serde_json::from_str(&fs::read_to_string(author.path("server.json")).unwrap()).unwrap();
    stated["file_hashes"] = json!({ "npm:plain@^2": hash });
    author.write("server.json", &stated.to_string());
    let ran = author.run(&["verify"]);
    assert!(ran.stdout.ends_with("0 of 1 file in server.json is ok\n"), "{}", ran.stdout);
}

#[test]
fn images_need_their_digest() {
    let author = Author::new("http://127.0.0.1:9");
    let image = |name: &str| format!(r#"{{"registryType": "oci", "identifier": "{name}"}}"#);
    author.write("server.json", &document(&[image("ghcr.io/a/b:1")]));
    let ran = author.run(&["verify", "--json"]);
    assert_eq!(ran.exit, 1);
    assert_eq!(ran.statuses(), [("oci:ghcr.io/a/b:1".to_owned(), "missing".to_owned())]);
    let detail = ran.json()["results"][0]["detail"].clone();
    assert!(detail.as_str().unwrap().contains("named by a tag"), "{detail}");

    let pinned = format!("ghcr.io/a/b@{}", Digest::of(b"an image"));
    author.write("server.json", &document(&[image(&pinned)]));
    let ran = author.run(&["verify"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.stdout.contains("no package has files to hash"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("adds them"), "{}", ran.stdout);
    assert!(ran.stderr.contains("named by its digest"), "{}", ran.stderr);
}

#[test]
fn every_stated_hash_is_compared() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    let (good, other) = (Digest::of(b"the bundle").hex(), Digest::of(b"another").hex());
    let tarball = Digest::of(b"another tarball").hex();
    let stated = |package: String, member: &str, hash: &str| {
        package.replace("\"transport\"", &format!("\"{member}\": \"{hash}\", \"transport\""))
    };
    let statuses = |package: String| {
        author.write("server.json", &document(&[package]));
        let ran = author.run(&["verify", "--json"]);
        let all: Vec<String> = ran.statuses().into_iter().map(|(_, status)| status).collect();
        (ran.exit, all.join(" "))
    };
    let both =
        |one: &str, two: &str| stated(stated(bundle(""), "fileSha256", one), "file_sha256", two);
    assert_eq!(statuses(both(&good, &good)), (0, "ok ok".to_owned()));
    assert_eq!(statuses(both(&good, &other)), (1, "ok mismatch".to_owned()));
    let one = stated(bundle(""), "fileSha256", &good);
    assert_eq!(statuses(one.clone()), (0, "ok".to_owned()));
    let named = stated(npm("plain", "2.0.0"), "fileSha256", &tarball);
    assert_eq!(statuses(named), (0, "ok".to_owned()));
    let named = stated(npm("plain", "2.0.0"), "fileSha256", &other);
    assert_eq!(statuses(named), (1, "mismatch".to_owned()));
    // A hash in one package is no yes to another one.
    author.write("server.json", &document(&[one, npm("plain", "2.0.0")]));
    let ran = author.run(&["verify", "--json"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.statuses().contains(&("npm:plain@2.0.0".to_owned(), "missing".to_owned())));
}

#[test]
fn spellings_of_one_file_are_one_file() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    let hash = Digest::of(b"weather_mcp-1.0.0.tar.gz").to_string();
    let mut stated: Value =
        serde_json::from_str(&document(&[pypi("weather-mcp", "1.0.0")])).unwrap();
    let names = ["weather-mcp==1.0.0", "Weather_MCP==1.0", "weather.mcp==1"];
    stated["file_hashes"] =
        names.iter().map(|name| (format!("pypi:{name}"), json!(hash))).collect();
    author.write("server.json", &stated.to_string());
    let ran = author.run(&["verify"]);
    assert_eq!(ran.exit, 0, "{}", ran.stdout);
    assert!(ran.stdout.ends_with("verified: 1 file of server.json\n"), "{}", ran.stdout);
    let report = author.run(&["verify", "--json"]).json();
    assert_eq!((&report["checked"], &report["files"]), (&json!(3), &json!(1)));
    let host = upstream.base.trim_start_matches("http://");
    assert_eq!(report["results"][0]["from"], json!(host));
    let all = author.run(&["verify", "--verbose"]).stdout;
    assert!(all.contains(&format!("from:     {host}\n")), "{all}");
}

#[test]
fn what_is_hashed_in_an_old_place_verifies() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    let own = npm("plain", "2.0.0")
        .replace("\"transport\"", "\"file_hashes\": {\"x\": \"y\"}, \"transport\"");
    author.write("server.json", &document(&[own]));
    let ran = author.run(&["hash-gen", "--json"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["packages"][0].get("file_hashes"), None);
    let talk: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(talk["hashed"], json!(1));
    let note = talk["notes"][0].as_str().unwrap();
    assert!(note.starts_with("packages[0].file_hashes: removed"), "{note}");
    author.write("done.json", &ran.stdout);
    assert_eq!(author.run(&["verify", "done.json"]).exit, 0);

    let mut empty: Value = serde_json::from_str(&document(&[npm("plain", "2.0.0")])).unwrap();
    let provided = "io.modelcontextprotocol.registry/publisher-provided";
    empty["_meta"] = json!({ provided: { "facets.dev/file_hashes": {} } });
    author.write("server.json", &empty.to_string());
    let written = author.run(&["hash-gen", "--quiet"]).json();
    assert_eq!(written.get("file_hashes"), None);
    let hashes = &written["_meta"][provided]["facets.dev/file_hashes"];
    assert_eq!(hashes.as_object().unwrap().len(), 1, "{written:#}");
}

#[test]
fn scripts_and_pages_are_printed() {
    let author = Author::new("http://127.0.0.1:9");
    let script = author.run(&["completions", "bash"]).stdout;
    assert!(script.contains("MCP_PUBLISHER_COMPLETE"), "{script}");
    assert!(author.run(&["man"]).stdout.contains("hash\\-gen"));
    conforms("completions", &author.run(&["completions", "zsh", "--json"]).json());
    conforms("man", &author.run(&["man", "pages", "--json"]).json());
    assert!(author.path("pages/mcp-publisher.1").exists());
}
