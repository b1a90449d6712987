//! An author, and a package registry and a package index on this machine.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use facets_digest::Digest;
use facets_testkit::{PackageRegistry, repository_root};
use serde_json::Value;
use tempfile::TempDir;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// A folder with a file, and where packages come from.
pub(crate) struct Author {
    pub(crate) folder: TempDir,
    /// The address of the registry and the index.
    pub(crate) base: String,
}

/// What a command printed.
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|_| panic!("{}{}", self.stdout, self.stderr))
    }

    /// `(identifier, status)` of each result.
    pub(crate) fn statuses(&self) -> Vec<(String, String)> {
        let report = self.json();
        conforms("publisher-verify", &report);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let results = report["results"].as_array().unwrap().iter();
        results.map(|one| (text(&one["identifier"]), text(&one["status"]))).collect()
    }
}

impl Author {
    pub(crate) fn new(base: &str) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), base: base.to_owned() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let home = self.path("home");
        fs::create_dir_all(&home).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-publisher"));
        command.env_clear().env("HOME", &home).current_dir(self.folder.path()).args(arguments);
        command.env("npm_config_registry", format!("{}/npm/", self.base));
        command.env("PIP_INDEX_URL", format!("{}/simple/", self.base));
        command.env("FACET_GITHUB_URL", &self.base);
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { exit: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
    }
}

/// What is printed is what `docs/schemas` says.
pub(crate) fn conforms(schema: &str, document: &Value) {
    let path = repository_root().join(format!("docs/schemas/{schema}.json"));
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:?}: {document:#}");
}

pub(crate) fn npm(name: &str, version: &str) -> String {
    format!(
        r#"{{"registryType": "npm", "identifier": "{name}", "version": "{version}", "transport": {{"type": "stdio"}}}}"#
    )
}

pub(crate) fn pypi(name: &str, version: &str) -> String {
    npm(name, version).replace("\"npm\"", "\"pypi\"")
}

/// A document whose unknown members, numbers and escapes must survive.
pub(crate) fn document(packages: &[String]) -> String {
    format!(
        "{{\n  \"$schema\": \"{SCHEMA}\",\n  \"version\": \"1.0.0\",\n  \"name\": \"io.github.example/weather\",\n  \"description\": \"W\\u00e9ather \\/ \\u2713\",\n  \"packages\": [\n    {}\n  ],\n  \"x-unknown\": {{\"z\": 1.10, \"a\": 1e2, \"big\": 12345678901234567890}}\n}}\n",
        packages.join(",\n    ")
    )
}

/// Files of a release, each with its own name as its content.
fn named_files<'n>(names: &[&'n str]) -> Vec<(&'n str, String)> {
    names.iter().map(|name| (*name, Digest::of(name.as_bytes()).hex())).collect()
}

pub(crate) fn upstream() -> PackageRegistry {
    let mut upstream = PackageRegistry::bind();
    upstream.add_npm("@example/weather", "1.0.0", b"the tarball");
    upstream.add_npm("plain", "2.0.0", b"another tarball");
    upstream.add_release("weather_mcp", "1.0.0", &named_files(&["weather_mcp-1.0.0.tar.gz"]));
    let wheels: Vec<String> =
        (0..30).map(|n| format!("big-3.0-cp3{n}-cp3{n}-manylinux_2_17_x86_64.whl")).collect();
    let wheels: Vec<&str> = wheels.iter().map(String::as_str).collect();
    upstream.add_release("big", "3.0", &named_files(&wheels));
    upstream.add_file("/o/r-mcp/releases/download/v1/x.mcpb", b"the bundle");
    upstream.start()
}

/// A bundle with more members behind its identifier.
pub(crate) fn bundle(members: &str) -> String {
    let address = "https://github.com/o/r-mcp/releases/download/v1/x.mcpb";
    format!(
        r#"{{"registryType": "mcpb", "identifier": "{address}"{members}, "transport": {{"type": "stdio"}}}}"#
    )
}
