//! `facet verify --file`, with a package registry and a package index of their own on this machine.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use facets_digest::Digest;
use facets_testkit::{PackageRegistry, repository_root, unused_address};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Accepts the packages of one publisher without hashes.
const ACCEPTS: &str = "policyVersion: 1
packages:
  - package: npm:@acme/*
    without-hashes: safe
    reason: published before hashes existed
";

/// Accepts everything that it can.
const ACCEPTS_ALL: &str =
    "policyVersion: 1\npackages: [{ without-hashes: info, reason: we know them }]\n";

/// A folder, and where packages come from.
struct Consumer {
    folder: TempDir,
    /// The address of the registry and the index.
    base: String,
}

/// What a command printed.
struct Ran {
    exit: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn exits(self, code: i32) -> Self {
        assert_eq!(self.exit, code, "{}{}", self.stdout, self.stderr);
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|_| panic!("{}{}", self.stdout, self.stderr))
    }

    /// `(identifier, status, severity)` of each result.
    fn results(&self) -> Vec<(String, String, Option<String>)> {
        let report = self.json();
        conforms("verify-file", &report);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let one = |one: &Value| {
            let (identifier, status) = (text(&one["identifier"]), text(&one["status"]));
            (identifier.unwrap(), status.unwrap(), text(&one["severity"]))
        };
        report["results"].as_array().unwrap().iter().map(one).collect()
    }
}

impl Consumer {
    fn new(base: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, base: base.to_owned() }
    }

    /// Nothing has to be fetched.
    fn alone() -> Self {
        Self::new("http://127.0.0.1:9")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.project().join(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_below("", arguments)
    }

    /// Typed in a folder of the project.
    fn run_below(&self, below: &str, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_facet"));
        command.env_clear().current_dir(self.project().join(below)).args(arguments);
        command.env("HOME", self.folder.path().join("home"));
        command.env("npm_config_registry", format!("{}/npm/", self.base));
        command.env("PIP_INDEX_URL", format!("{}/simple/", self.base));
        command.env("FACET_GITHUB_URL", &self.base);
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { exit: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
    }

    fn verify(&self) -> Ran {
        self.run(&["verify", "--file", "server.json", "--json"])
    }
}

/// What is printed is what `docs/schemas` says.
fn conforms(schema: &str, document: &Value) {
    let path = repository_root().join(format!("docs/schemas/{schema}.json"));
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:?}: {document:#}");
}

fn package(kind: &str, name: &str, version: &str) -> Value {
    json!({ "registryType": kind, "identifier": name, "version": version })
}

fn document(packages: &[Value]) -> Value {
    json!({ "name": "io.github.acme/weather", "version": "1.0.0", "packages": packages })
}

fn hashed(packages: &[Value], hashes: &Value) -> String {
    let mut document = document(packages);
    document["file_hashes"] = hashes.clone();
    document.to_string()
}

fn upstream() -> PackageRegistry {
    let mut upstream = PackageRegistry::bind();
    upstream.add_npm("@acme/weather", "1.0.0", b"the tarball");
    upstream.add_npm("plain", "2.0.0", b"another tarball");
    // Each with its own name as its content.
    let files = ["weather-1.0.tar.gz", "weather-1.0-py3-none-any.whl"]
        .map(|name| (name, Digest::of(name.as_bytes()).hex()));
    upstream.add_release("weather", "1.0", &files);
    upstream.add_file("/acme/weather-mcp/releases/download/v1/x.mcpb", b"the bundle");
    upstream.start()
}

fn owned(name: &str, status: &str, severity: Option<&str>) -> (String, String, Option<String>) {
    (name.to_owned(), status.to_owned(), severity.map(str::to_owned))
}

#[test]
fn published_files_are_the_ones_that_were_hashed() {
    let upstream = upstream();
    let consumer = Consumer::new(&upstream.base);
    let packages = [package("npm", "@acme/weather", "1.0.0"), package("pypi", "weather", "1.0")];
    let hashes = json!({
        "npm:@acme/weather@1.0.0": Digest::of(b"the tarball").to_string(),
        "pypi:weather==1.0/weather-1.0.tar.gz": Digest::of(b"weather-1.0.tar.gz").to_string(),
        "pypi:weather==1.0/weather-1.0-py3-none-any.whl":
            Digest::of(b"weather-1.0-py3-none-any.whl").to_string(),
    });
    consumer.write("server.json", &hashed(&packages, &hashes));
    let ran = consumer.verify().exits(0);
    assert_eq!(ran.json()["ok"], json!(true));
    assert!(ran.results().iter().all(|(_, status, severity)| status == "ok" && severity.is_none()));
    let human = consumer.run(&["verify", "--file", "server.json"]).exits(0);
    assert!(human.stdout.contains("verified: 3 files of server.json\n"), "{}", human.stdout);
}

#[test]
fn a_mismatch_is_never_lowered() {
    let upstream = upstream();
    let consumer = Consumer::new(&upstream.base);
    let other = Digest::of(b"another file").to_string();
    let packages = [package("npm", "@acme/weather", "1.0.0")];
    consumer.write("server.json", &hashed(&packages, &json!({ "npm:@acme/weather@1.0.0": other })));
    consumer.write("facets.policy.yaml", ACCEPTS_ALL);
    let ran = consumer.verify().exits(1);
    let expected = owned("npm:@acme/weather@1.0.0", "mismatch", Some("critical"));
    assert_eq!(ran.results(), [expected]);
    assert_eq!(ran.json()["results"][0]["policy"], Value::Null);
    consumer.run(&["verify", "--file", "server.json", "--fail-on", "critical"]).exits(1);
}

#[test]
fn an_outage_alone_leaves_the_question_open() {
    let consumer = Consumer::new(&unused_address());
    let hash = Digest::of(b"another tarball").to_string();
    let packages = [package("npm", "plain", "2.0.0")];
    consumer.write("server.json", &hashed(&packages, &json!({ "npm:plain@2.0.0": hash })));
    let ran = consumer.verify().exits(2);
    assert_eq!(ran.results(), [owned("npm:plain@2.0.0", "unreachable", None)]);
}

#[test]
fn packages_without_hashes_fail_unless_the_policy_accepts_them() {
    let consumer = Consumer::alone();
    let packages = [package("npm", "@acme/weather", "1.0.0")];
    consumer.write("server.json", &document(&packages).to_string());
    let missing = |severity| owned("npm:@acme/weather@1.0.0", "missing", Some(severity));
    assert_eq!(consumer.verify().exits(1).results(), [missing("moderate")]);
    let refused = consumer.run(&["verify", "--file", "server.json"]).exits(1);
    assert!(refused.stderr.contains("facet explain missing"), "{}", refused.stderr);
    consumer.run(&["verify", "--file", "server.json", "--fail-on", "critical"]).exits(0);

    consumer.write("facets.policy.yaml", ACCEPTS);
    let ran = consumer.verify().exits(0);
    assert_eq!(ran.results(), [missing("safe")]);
    assert_eq!(
        ran.json()["results"][0]["policy"],
        json!({ "effect": "regraded", "line": 3, "column": 5, "from": "moderate",
                "reason": "published before hashes existed", "problem": null })
    );
    let human = consumer.run(&["verify", "--file", "server.json"]).exits(0);
    assert_eq!(
        human.stdout,
        "missing            npm:@acme/weather@1.0.0
    reason:   the document has no `file_hashes`
    severity: safe
    policy: changed from moderate by facets.policy.yaml:3: published before hashes existed
accepted without a hash: 1 file of server.json; nothing was compared
policy: facets.policy.yaml (1 entry)
"
    );
    assert_eq!(human.stderr, "");
    consumer.run(&["verify", "--file", "server.json", "--fail-on", "safe"]).exits(1);
    consumer.write("other.yaml", "policyVersion: 1\n");
    consumer.run(&["verify", "--file", "server.json", "--policy", "other.yaml"]).exits(1);
}

#[test]
fn every_package_of_a_document_without_hashes_is_listed() {
    let upstream = upstream();
    let consumer = Consumer::new(&upstream.base);
    let bundle = |content: &[u8]| {
        json!({
            "registryType": "mcpb",
            "identifier": "https://github.com/acme/weather-mcp/releases/download/v1/x.mcpb",
            "fileSha256": Digest::of(content).hex(),
        })
    };
    let image = json!({ "registryType": "oci", "identifier": "ghcr.io/acme/weather:1" });
    let packages = [package("npm", "plain", "2.0.0"), bundle(b"the bundle"), image];
    consumer.write("server.json", &document(&packages).to_string());
    consumer.write("facets.policy.yaml", ACCEPTS_ALL);
    let ran = consumer.verify().exits(0);
    let expected = [
        owned("packages[1].fileSha256", "ok", None),
        owned("npm:plain@2.0.0", "missing", Some("info")),
        owned("oci:ghcr.io/acme/weather:1", "missing", Some("info")),
    ];
    assert_eq!(ran.results(), expected);
    // It states a hash of another file: no policy makes that a yes.
    consumer.write("server.json", &document(&[bundle(b"another bundle")]).to_string());
    let expected = owned("packages[0].fileSha256", "mismatch", Some("critical"));
    assert_eq!(consumer.verify().exits(1).results(), [expected]);
    consumer.write("server.json", &document(&[]).to_string());
    assert_eq!(consumer.verify().exits(1).json()["checked"], json!(0));
}

#[test]
fn another_spelling_does_not_avoid_the_policy() {
    let consumer = Consumer::alone();
    consumer.write("server.json", &document(&[package("pypi", "Secret_Tool", "1.0")]).to_string());
    consumer.write(
        "facets.policy.yaml",
        "policyVersion: 1
packages:
  - { package: 'pypi:secret-tool==*', without-hashes: critical }
  - { without-hashes: safe, reason: the rest }
",
    );
    let expected = owned("pypi:Secret_Tool==1.0", "missing", Some("critical"));
    assert_eq!(consumer.verify().exits(1).results(), [expected]);
}

#[test]
fn registries_are_configured_where_the_command_is_typed() {
    let upstream = upstream();
    let consumer = Consumer::alone();
    fs::create_dir(consumer.project().join("vendor")).unwrap();
    consumer.write("facets.json", "{}");
    consumer.write(".npmrc", "registry=http://127.0.0.1:9/\n");
    consumer.write("vendor/.npmrc", &format!("registry={}/npm/\n", upstream.base));
    let hash = Digest::of(b"another tarball").to_string();
    let packages = [package("npm", "plain", "2.0.0")];
    consumer.write("vendor/server.json", &hashed(&packages, &json!({ "npm:plain@2.0.0": hash })));
    let run = |folder: PathBuf, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_facet"));
        command.env_clear().env("HOME", consumer.folder.path().join("home")).current_dir(folder);
        let output = command.args(["verify", "--file", "server.json"]).args(more).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (exit, shown) = run(consumer.project().join("vendor"), &[]);
    assert_eq!(exit, Some(0), "{shown}");
    let (exit, shown) = run(consumer.project(), &["--directory", "vendor"]);
    assert_eq!(exit, Some(0), "{shown}");
}

#[test]
fn a_file_that_is_missing_beside_others_fails_whatever_the_policy_says() {
    let upstream = upstream();
    let consumer = Consumer::new(&upstream.base);
    let packages = [package("pypi", "weather", "1.0"), package("npm", "plain", "2.0.0")];
    let archive = "pypi:weather==1.0/weather-1.0.tar.gz";
    let hashes = json!({ archive: Digest::of(b"weather-1.0.tar.gz").to_string() });
    consumer.write("server.json", &hashed(&packages, &hashes));
    consumer.write("facets.policy.yaml", ACCEPTS_ALL);
    let ran = consumer.verify().exits(1);
    let expected = [
        owned(archive, "ok", None),
        owned("pypi:weather==1.0/weather-1.0-py3-none-any.whl", "missing", Some("critical")),
        owned("npm:plain@2.0.0", "missing", Some("info")),
    ];
    assert_eq!(ran.results(), expected);
}

#[test]
fn an_invalid_policy_is_not_no_policy() {
    let consumer = Consumer::alone();
    consumer.write("server.json", &document(&[package("npm", "plain", "2.0.0")]).to_string());
    consumer.write("facets.policy.yaml", "policyVersion: 1\npackages:\n  - without-hashes: safe\n");
    let error = consumer.verify().exits(2).json();
    let problem = &error["error"]["problems"][0];
    assert_eq!(problem["code"], json!("policy-no-reason"));
    assert_eq!((&problem["line"], &problem["column"]), (&json!(3), &json!(5)));
}

#[test]
fn the_policy_is_that_of_the_project_and_the_file_that_of_the_folder() {
    let consumer = Consumer::alone();
    fs::create_dir(consumer.project().join("vendor")).unwrap();
    consumer.write("facets.json", "{}");
    consumer.write("facets.policy.yaml", ACCEPTS);
    let packages = [package("npm", "@acme/weather", "1.0.0")];
    consumer.write("vendor/server.json", &document(&packages).to_string());
    let ran = consumer.run_below("vendor", &["verify", "--file", "server.json", "--json"]).exits(0);
    assert_eq!(ran.json()["file"], json!("vendor/server.json"));
}

#[test]
fn options_about_servers_do_not_go_with_a_file() {
    let consumer = Consumer::alone();
    for more in [&["memory"][..], &["--against", "HEAD"], &["--summary", "x.md"]] {
        let arguments = [&["verify", "--file", "server.json"][..], more].concat();
        let ran = consumer.run(&arguments).exits(2);
        assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
    }
    let sarif = consumer.run(&["verify", "--file", "server.json", "--format", "sarif"]).exits(2);
    assert!(sarif.stderr.contains("`verify --file`"), "{}", sarif.stderr);
}

#[test]
fn what_is_reported_is_explained() {
    let consumer = Consumer::alone();
    consumer.write("server.json", "{\"packages\": 1}");
    let ran = consumer.verify().exits(2);
    assert_eq!(ran.json()["error"]["code"], json!("server-json-unreadable"));
    conforms("error", &ran.json());
    consumer.run(&["verify", "--file", "gone.json"]).exits(2);
    for code in ["server-json-unreadable", "mismatch", "not_found", "missing", "fetch-not-found"] {
        consumer.run(&["explain", code]).exits(0);
    }
}
