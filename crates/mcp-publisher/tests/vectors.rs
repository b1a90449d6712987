//! The samples of `server.json` beside the source tree: real files, and one broken rule each.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::Command;

use facets_model::server_json::{PackageFiles, ServerJson, identifiers};
use facets_testkit::shared_vectors;
use serde_json::Value;

/// The samples have names in the place of the public hosts.
const HOSTS: [(&str, &str); 4] = [
    ("https://{{npm}}", "https://registry.npmjs.org"),
    ("https://{{pypi}}", "https://pypi.org"),
    ("https://{{pypi-files}}", "https://files.pythonhosted.org"),
    ("https://{{crates}}", "https://crates.io"),
];

/// Invalid samples without a reference code: what is reported, and where.
const WITHOUT_REFERENCE: &[(&str, &str, &str)] = &[
    ("missing-name", "manifest-missing-member", "name"),
    ("description-too-long", "server-json-bad-length", "description"),
    ("snake-case-fields", "manifest-unknown-member", "packages[0].registry_type"),
    ("top-level-file_hashes", "server-json-top-level-hashes", "file_hashes"),
    (
        "publisher-provided-over-4k",
        "server-json-meta",
        "_meta.io.modelcontextprotocol.registry/publisher-provided",
    ),
    ("npm-with-fileSha256", "server-json-package", "packages[0].fileSha256"),
    ("npm-wrong-base-url", "server-json-package", "packages[0].registryBaseUrl"),
    ("fileSha256-uppercase", "server-json-bad-hash", "packages[0].fileSha256"),
    ("mcpb-without-hash", "manifest-missing-member", "packages[0].fileSha256"),
    ("mcpb-host-not-allowed", "server-json-package", "packages[0].identifier"),
    ("mcpb-not-a-release-asset", "server-json-package", "packages[0].identifier"),
    ("mcpb-url-without-mcp", "server-json-package", "packages[0].identifier"),
    ("mcpb-with-registryBaseUrl", "server-json-package", "packages[0].registryBaseUrl"),
    ("mcpb-placeholder-zero-hash", "server-json-placeholder", "packages[0].fileSha256"),
    ("oci-registry-not-allowed", "server-json-package", "packages[0].identifier"),
    ("unsupported-registry-type", "server-json-package", "packages[0].registryType"),
];

/// Accepted with a warning: other registries take it.
const WARNED: &[&str] = &["top-level-file_hashes"];

fn sample(folder: &Path, file: &str) -> String {
    let text = fs::read_to_string(folder.join(file)).unwrap();
    HOSTS.iter().fold(text, |text, (name, host)| text.replace(name, host))
}

fn index(folder: &Path) -> Vec<Value> {
    let index: Value = serde_json::from_str(&sample(folder, "index.json")).unwrap();
    index["samples"].as_array().unwrap().clone()
}

/// The exit code of `validate`, and its problems as `(severity, code, reference, member)`.
fn validate(text: &str) -> (i32, Vec<[String; 4]>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.json");
    fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-publisher"));
    let ran = command.args(["validate", "--json"]).arg(&file).output().unwrap();
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let problems = report["problems"].as_array().unwrap().iter().map(|problem| {
        for member in ["found", "allowed", "fix"] {
            assert!(!problem[member].as_str().unwrap().is_empty(), "{problem}");
        }
        assert!(problem["line"].is_u64() && problem["column"].is_u64(), "{problem}");
        ["severity", "code", "reference", "member"]
            .map(|member| problem[member].as_str().unwrap_or_default().to_owned())
    });
    (ran.status.code().unwrap(), problems.collect())
}

fn stem(file: &str) -> &str {
    file.rsplit('/').next().unwrap().trim_end_matches(".json")
}

#[test]
fn every_valid_sample_is_valid() {
    let Some(folder) = shared_vectors("server-json") else { return };
    let mut count = 0;
    for row in index(&folder) {
        let file = row["file"].as_str().unwrap();
        if file.starts_with("valid/") {
            let (exit, problems) = validate(&sample(&folder, file));
            assert_eq!(exit, 0, "{file}: {problems:?}");
            count += 1;
        }
    }
    assert!(count >= 20, "{count} samples say too little");
}

#[test]
fn every_invalid_sample_gives_its_reason() {
    let Some(folder) = shared_vectors("server-json") else { return };
    let mut count = 0;
    for row in index(&folder) {
        let file = row["file"].as_str().unwrap();
        let Some(name) = file.strip_prefix("invalid/").map(stem) else { continue };
        let (exit, problems) = validate(&sample(&folder, file));
        assert_eq!(exit, i32::from(!WARNED.contains(&name)), "{file}: {problems:?}");
        if let Some(reference) = row["expected"]["reference"].as_str() {
            let is_reason = |one: &[String; 4]| one[0] == "error" && one[2] == reference;
            assert!(problems.iter().any(is_reason), "{file}: {problems:?}");
        } else {
            let found = WITHOUT_REFERENCE.iter().find(|(sample, ..)| *sample == name);
            let (_, code, member) = found.unwrap_or_else(|| panic!("{file} is not listed"));
            let is_reason = |one: &[String; 4]| one[1] == *code && one[3] == *member;
            assert!(problems.iter().any(is_reason), "{file}: {problems:?}");
        }
        count += 1;
    }
    assert!(count >= 40, "{count} samples say too little");
}

/// What our index calls semantic issues: `member: code`.
#[test]
fn every_semantic_issue_of_a_committed_file_is_found() {
    let Some(folder) = shared_vectors("server-json") else { return };
    for row in index(&folder) {
        let file = row["file"].as_str().unwrap();
        if !file.starts_with("as-committed/") {
            continue;
        }
        let (_, problems) = validate(&sample(&folder, file));
        for issue in row["semanticIssues"].as_array().unwrap() {
            let (member, code) = issue.as_str().unwrap().split_once(": ").unwrap();
            let is_issue = |one: &[String; 4]| one[2] == code && one[3] == member;
            assert!(problems.iter().any(is_issue), "{file}: {issue}: {problems:?}");
        }
        let text = sample(&folder, file);
        let templates = ["{{VERSION}}", "<<Version>>", "$(PackageVersion)", "PLACEHOLDER"];
        if templates.iter().any(|template| text.contains(template)) {
            let is_named = |one: &[String; 4]| one[1] == "server-json-placeholder";
            assert!(problems.iter().any(is_named), "{file}: {problems:?}");
        }
    }
}

#[test]
fn every_layout_is_read_for_hashing() {
    let Some(folder) = shared_vectors("server-json") else { return };
    for row in index(&folder) {
        let file = row["file"].as_str().unwrap();
        let text = sample(&folder, file);
        if file.starts_with("invalid/") || file.contains("docker-gateway") {
            continue;
        }
        let server = ServerJson::parse(&text).unwrap_or_else(|why| panic!("{file}: {why:?}"));
        assert!(server.name.is_some() && server.version.is_some(), "{file}");
        let files = identifiers(&server);
        assert_eq!(files.len(), server.packages.len(), "{file}");
        if file.starts_with("legacy/") {
            // One of them has a package of the type `unknown`.
            let usable = |one: &PackageFiles| match one {
                PackageFiles::Unusable { reason, .. } => reason.contains("\"unknown\""),
                _ => true,
            };
            assert!(files.iter().all(usable), "{file}: {files:?}");
        }
    }
}
