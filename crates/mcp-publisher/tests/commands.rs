//! The commands, with a package registry and a package index of their own on this machine.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;

use facets_digest::Digest;
use facets_testkit::unused_address;
use serde_json::{Value, json};
use support::{Author, bundle, conforms, document, npm, pypi, upstream};

#[test]
fn what_was_hashed_is_verified() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    let packages =
        [npm("plain", "2.0.0"), npm("@example/weather", "1.0.0"), pypi("Weather.MCP", "1.0")];
    let before = document(&packages);
    let file = author.write("server.json", &before);
    let ran = author.run(&["hash-gen"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "the input is not touched");
    let hashes = ran.json()["file_hashes"].clone();
    assert_eq!(
        hashes,
        json!({
            "npm:@example/weather@1.0.0": Digest::of(b"the tarball").to_string(),
            "npm:plain@2.0.0": Digest::of(b"another tarball").to_string(),
            "pypi:Weather.MCP==1.0": Digest::of(b"weather_mcp-1.0.0.tar.gz").to_string(),
        })
    );
    // Sorted, behind what was there, which is the same byte for byte.
    let kept = before.strip_suffix("\n}\n").unwrap();
    assert!(
        ran.stdout.starts_with(&format!("{kept},\n  \"file_hashes\": {{\n    \"npm:@")),
        "{}",
        ran.stdout
    );
    author.write("done.json", &ran.stdout);
    let ran = author.run(&["verify", "done.json", "--json"]);
    assert_eq!(ran.exit, 0, "{}", ran.stdout);
    assert_eq!(ran.statuses().len(), 3);
    let again = author.run(&["hash-gen", "done.json", "--quiet"]);
    assert_eq!(again.stdout, fs::read_to_string(author.path("done.json")).unwrap());
    assert_eq!(again.stderr, "");
}

#[test]
fn one_digit_is_a_mismatch() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    author.write("server.json", &document(&[npm("plain", "2.0.0")]));
    let hashed = author.run(&["hash-gen"]).stdout;
    let digest = Digest::of(b"another tarball").to_string();
    let digit = if &digest[7..8] == "0" { "1" } else { "0" };
    let other = format!("sha256:{digit}{}", &digest[8..]);
    author.write("changed.json", &hashed.replace(&digest, &other));
    let ran = author.run(&["verify", "changed.json", "--json"]);
    assert_eq!(ran.exit, 1);
    let report = ran.json();
    let result = &report["results"][0];
    assert_eq!((&result["status"], &result["actual"]), (&json!("mismatch"), &json!(digest)));
    assert_eq!(result["expected"], json!(other));
    let human = author.run(&["verify", "changed.json"]);
    assert!(
        human.stdout.contains("mismatch") && human.stdout.contains(&digest),
        "{}",
        human.stdout
    );
    assert!(!human.stdout.contains('\u{1b}'), "colours are for terminals");
}

#[test]
fn what_is_not_published_is_not_found() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    author.write("server.json", &document(&[npm("plain", "9.9.9"), pypi("nobody", "1.0")]));
    let ran = author.run(&["hash-gen", "--json"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.statuses().iter().all(|(_, status)| status == "not_found"), "{}", ran.stdout);
    let ran = author.run(&["hash-gen"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("npm:plain@9.9.9"), "{}", ran.stderr);
}

#[test]
fn an_outage_leaves_the_question_open() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    author.write("server.json", &document(&[npm("plain", "2.0.0")]));
    let hashed = author.run(&["hash-gen"]).stdout;
    let away = Author::new(&unused_address());
    away.write("server.json", &hashed);
    let ran = away.run(&["verify", "--json"]);
    assert_eq!(ran.exit, 2, "{}", ran.stdout);
    assert_eq!(ran.statuses(), [("npm:plain@2.0.0".to_owned(), "unreachable".to_owned())]);
}

#[test]
fn every_wheel_has_its_own_hash() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    author.write("server.json", &document(&[pypi("big", "3.0")]));
    let ran = author.run(&["hash-gen"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let hashes = ran.json()["file_hashes"].as_object().unwrap().clone();
    assert_eq!(hashes.len(), 30);
    assert!(hashes.keys().all(|name| name.starts_with("pypi:big==3.0/big-3.0-cp3")));
    author.write("done.json", &ran.stdout);
    assert_eq!(author.run(&["verify", "done.json"]).exit, 0);

    let mut fewer = ran.json();
    let gone = hashes.keys().next().unwrap();
    fewer["file_hashes"].as_object_mut().unwrap().remove(gone);
    author.write("fewer.json", &fewer.to_string());
    let ran = author.run(&["verify", "fewer.json", "--json"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.statuses().contains(&(gone.clone(), "missing".to_owned())), "{}", ran.stdout);

    fewer["file_hashes"] = json!({ "pypi:big==3.0": hashes[gone] });
    author.write("bare.json", &fewer.to_string());
    let ran = author.run(&["verify", "bare.json", "--json"]);
    assert_eq!(ran.exit, 1);
    assert_eq!(ran.statuses(), [("pypi:big==3.0".to_owned(), "ambiguous".to_owned())]);
}

#[test]
fn the_hash_of_a_bundle_is_derived_and_compared() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    let digest = Digest::of(b"the bundle");
    let zeros = "0".repeat(64);
    for before in [String::new(), format!(", \"fileSha256\": \"{zeros}\"")] {
        author.write("server.json", &document(&[bundle(&before)]));
        let ran = author.run(&["hash-gen"]);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        let written = ran.json();
        assert_eq!(written["packages"][0]["fileSha256"], json!(digest.hex()));
        assert_eq!(
            written["file_hashes"],
            json!({ "github:o/r-mcp/v1/x.mcpb": digest.to_string() })
        );
        author.write("done.json", &ran.stdout);
        assert_eq!(author.run(&["verify", "done.json"]).exit, 0);
        author.write("zeros.json", &ran.stdout.replacen(&digest.hex(), &zeros, 1));
        let ran = author.run(&["verify", "zeros.json", "--json"]);
        let mismatch = ("packages[0].fileSha256".to_owned(), "mismatch".to_owned());
        assert!(ran.exit == 1 && ran.statuses().contains(&mismatch), "{}", ran.stdout);
    }
    let other = format!(", \"fileSha256\": \"{}\"", Digest::of(b"another bundle").hex());
    author.write("server.json", &document(&[bundle(&other)]));
    let ran = author.run(&["hash-gen", "--json"]);
    assert_eq!(ran.exit, 1, "{}", ran.stderr);
    assert_eq!(ran.statuses(), [("packages[0].fileSha256".to_owned(), "mismatch".to_owned())]);
}

#[test]
fn entries_that_say_nothing_are_not_ok() {
    let upstream = upstream();
    let author = Author::new(&upstream.base);
    let good = Digest::of(b"another tarball").to_string();
    let mut document: Value = serde_json::from_str(&document(&[npm("plain", "2.0.0")])).unwrap();
    document["file_hashes"] = json!({
        "cargo:plain@2.0.0": good,
        "npm:left-pad@1.0.0": good,
        "npm:plain@2.0.0": "sha256:{{SHA256}}",
        "npm:plain": good,
    });
    author.write("server.json", &document.to_string());
    let ran = author.run(&["verify", "--json"]);
    assert_eq!(ran.exit, 1);
    let expected = [
        ("cargo:plain@2.0.0", "unknown_identifier"),
        ("npm:left-pad@1.0.0", "not_in_packages"),
        ("npm:plain", "malformed"),
        ("npm:plain@2.0.0", "malformed"),
    ];
    let expected = expected.map(|(name, status)| (name.to_owned(), status.to_owned()));
    assert_eq!(ran.statuses(), expected);
}

#[test]
fn without_hashes_nothing_was_checked() {
    let author = Author::new("http://127.0.0.1:9");
    author.write("server.json", &document(&[npm("plain", "2.0.0")]));
    let ran = author.run(&["verify"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.stdout.contains("nothing was checked"), "{}", ran.stdout);
    let report = author.run(&["verify", "--json"]).json();
    assert_eq!((&report["ok"], &report["checked"]), (&json!(false), &json!(0)));
}

#[test]
fn packages_without_files_are_named() {
    let author = Author::new("http://127.0.0.1:9");
    let image =
        r#"{"registryType": "oci", "identifier": "ghcr.io/a/b:1", "transport": {"type": "stdio"}}"#;
    let before = document(&[image.to_owned()]);
    author.write("server.json", &before);
    let ran = author.run(&["hash-gen"]);
    assert_eq!((ran.exit, ran.stdout), (0, before));
    assert!(ran.stderr.contains("packages[0] (oci ghcr.io/a/b:1): no hash"), "{}", ran.stderr);
}

#[test]
fn a_new_file_is_valid_and_never_overwritten() {
    let author = Author::new("http://127.0.0.1:9");
    author.write(
        "package.json",
        r#"{"name": "@a/b", "version": "1.0.0", "description": "B", "mcpName": "io.github.ab/cd"}"#,
    );
    let ran = author.run(&["init"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    conforms("publisher-init", &author.run(&["init", "other.json", "--json"]).json());
    assert_eq!(author.run(&["validate"]).exit, 0);
    let text = fs::read_to_string(author.path("server.json")).unwrap();
    assert!(text.contains("\"name\": \"io.github.ab/cd\""), "{text}");
    let ran = author.run(&["init", "--json"]);
    conforms("error", &ran.json());
    assert_eq!((ran.exit, &ran.json()["error"]["code"]), (2, &json!("server-json-exists")));
    assert_eq!(fs::read_to_string(author.path("server.json")).unwrap(), text);
}

#[test]
fn an_image_with_the_label_is_a_package_and_its_address_a_guess() {
    let author = Author::new("http://127.0.0.1:9");
    let label = "LABEL io.modelcontextprotocol.server.name=\"io.github.ab/cd\"";
    author.write("Dockerfile", &format!("FROM scratch\n{label}\n"));
    let ran = author.run(&["init"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("the image ghcr.io/"), "{}", ran.stderr);
    assert_eq!(author.run(&["validate"]).exit, 0);
    let text = fs::read_to_string(author.path("server.json")).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(written["name"], json!("io.github.ab/cd"));
    assert_eq!(written["packages"][0]["registryType"], json!("oci"));
    assert_eq!(written["packages"][0].get("version"), None);
}

#[test]
fn problems_have_places_and_codes_that_are_explained() {
    let author = Author::new("http://127.0.0.1:9");
    author.write("server.json", "{\n  \"name\": \"weather\",\n  \"version\": \"latest\"\n}\n");
    let ran = author.run(&["validate"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.stdout.contains("server.json:2:11: name: \"weather\""), "{}", ran.stdout);
    let report = author.run(&["validate", "--json"]).json();
    conforms("publisher-validate", &report);
    for problem in report["problems"].as_array().unwrap() {
        let code = problem["code"].as_str().unwrap();
        assert_eq!(author.run(&["explain", code]).exit, 0, "{code}");
    }
    author.write("broken.json", "{");
    assert_eq!(author.run(&["validate", "broken.json"]).exit, 1);
    let ran = author.run(&["verify", "broken.json", "--json"]);
    assert_eq!((ran.exit, &ran.json()["error"]["code"]), (2, &json!("server-json-unreadable")));
    assert_eq!(author.run(&["verify", "gone.json"]).exit, 2);
    assert_eq!(author.run(&["publish"]).exit, 2);
    assert_eq!(author.run(&["explain", "no-such-code"]).exit, 2);
}
