//! What commands say about servers from source, without starting one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;

use facets_lock::{ArtifactPin, Lock, LockedServer, Pin};
use facets_model::RuntimeName;
use facets_runtime::current;
use facets_testkit::repository_root;
use serde_json::{Value, json};
use trusted::Trusted;

/// A project whose lock pins `s` as an artifact; its surface is that of a command.
fn pinned_as_artifact() -> (Trusted, ArtifactPin) {
    let tools = json!({ "tools": [{ "name": "greet", "inputSchema": { "type": "object" } }] });
    let trusted = Trusted::with_server(&tools);
    let example = repository_root().join("testdata/source-mode/facets.lock");
    let example = Lock::parse(&fs::read(example).unwrap()).unwrap();
    let LockedServer { origin, pin, .. } = example.server("notes").unwrap().clone();
    let mut artifact = pin.artifact().unwrap().clone();
    artifact.runtime.binaries = current(RuntimeName::Bun).digests();
    let lock = Lock::parse(trusted.read("facets.lock").as_bytes()).unwrap();
    let pin = Pin::Artifact(Box::new(artifact.clone()));
    let entry = LockedServer { origin, pin, ..lock.server("s").unwrap().clone() };
    trusted.write("facets.lock", lock.with_server("s", &entry).unwrap().text());
    (trusted, artifact)
}

#[test]
fn show_names_the_source_the_hashes_and_the_runtime() {
    let (trusted, artifact) = pinned_as_artifact();
    let Ok(binary) = current(RuntimeName::Bun).binary() else { return };
    let shown = trusted.facet(&["show", "s"]).exits(0).out;
    let runtime = format!("bun {} for {}", artifact.runtime.version, binary.platform);
    for line in [
        format!("starts       {} {}", artifact.name, artifact.version),
        "from         ./server".to_owned(),
        format!("integrity    {}", artifact.integrity),
        format!("content hash {}", artifact.content_hash),
        format!("runtime      {runtime}, {}", binary.digest()),
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    let shown = trusted.json(&["show", "s"]).exits(0).json();
    assert_eq!(
        shown["artifact"],
        json!({
            "name": artifact.name.as_str(),
            "version": artifact.version.to_string(),
            "integrity": artifact.integrity.to_string(),
            "content_hash": artifact.content_hash.to_string(),
            "runtime": format!("bun {}", artifact.runtime.version),
            "runtime_digest": binary.digest().to_string(),
        })
    );
    assert_eq!(shown["launch"]["path"], "./server");
    let schema = fs::read(repository_root().join("docs/schemas/show.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    assert!(validator.is_valid(&shown), "{shown:#}");
}
