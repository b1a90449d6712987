//! The reference CLI for facets accepts what we build, and builds what we accept: equal fingerprints.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod reference;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use reference::{FacetRegistry, ReferenceCli};
use serde_json::Value;
use trusted::Trusted;

/// A facet to build, and its files beside the manifest.
struct Sample {
    name: &'static str,
    manifest: &'static str,
    files: &'static [(&'static str, &'static [u8])],
}

const VERSION: &str = "1.2.0";

const SAMPLES: &[Sample] = &[
    Sample {
        name: "planner",
        manifest: r#"{"name":"planner","version":"1.2.0","description":"Pläne","private":false,
 "skills":{"planning":{"description":"Plans work","files":["references/api.md","data.bin"]},
           "doing":{"description":"Does it"}}}"#,
        files: &[
            ("skills/planning/SKILL.md", b"# Plan\n\nFirst think.\n"),
            ("skills/planning/references/api.md", b"one\r\ntwo\r\n"),
            ("skills/planning/data.bin", &[0, 255, 254, 13, 10, 0]),
            ("skills/doing/SKILL.md", b"Do."),
            ("skills/doing/unlisted.md", b"not packed"),
        ],
    },
    Sample {
        name: "reviewer",
        manifest: r#"{ "version": "1.2.0", "name": "reviewer", "x-extra": [1, 2.50],
 "agents": { "reviewer": { "description": "Reviews", "adapters": { "claude-code": { "model": "m" } } } } }"#,
        files: &[("agents/reviewer.md", "---\ntitle: Größe\n---\nReview.\n".as_bytes())],
    },
    Sample {
        name: "@acme/greeter",
        manifest: "{\n  \"name\": \"@acme/greeter\",\n  \"version\": \"1.2.0\",\n  \
                   \"commands\": { \"hi\": { \"description\": \"Says hi\" } }\n}\n",
        files: &[("commands/hi.md", b"Say hi.\n")],
    },
    Sample {
        name: "connector",
        manifest: r#"{"name":"connector","version":"1.2.0","servers":{
 "files":{"type":"stdio","command":"npx","args":["-y","files@1.0.0","."],"env":{"B":"2","A":"1"}},
 "docs":{"type":"http","url":"https://mcp.example.com/docs"}}}"#,
        files: &[],
    },
    // In UTF-16, which decides, the light bulb comes before the tilde; in UTF-8 behind it.
    Sample {
        name: "unicode",
        manifest: r#"{"name":"unicode","version":"1.2.0",
 "skills":{"wide":{"description":"Ünïcödé 💡","files":["größe.md","日本/語.md"]}},
 "files":["README.md","～.md","💡.md"]}"#,
        files: &[
            ("skills/wide/SKILL.md", "💡\n".as_bytes()),
            ("skills/wide/größe.md", b"g"),
            ("skills/wide/日本/語.md", b"j"),
            ("README.md", b"r"),
            ("～.md", b"t"),
            ("💡.md", b"b"),
        ],
    },
];

const YAML: &str = "name: yaml\nversion: 1.2.0\ndescription: 'of YAML: é'\n\
                    commands:\n  hi:\n    description: >-\n      Says\n      hi\n";

fn write_tree<'f>(root: &Path, files: impl IntoIterator<Item = &'f (&'f str, &'f [u8])>) {
    for (path, bytes) in files {
        let full = root.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, bytes).unwrap();
    }
}

/// What we have built of a sample.
struct Built {
    report: Value,
    archive: Vec<u8>,
}

impl Built {
    fn integrity(&self) -> &str {
        self.report["integrity"].as_str().unwrap()
    }

    fn name(&self) -> &str {
        self.report["name"].as_str().unwrap()
    }

    /// Digests by path.
    fn files(&self) -> BTreeMap<&str, &str> {
        let files = self.report["files"].as_array().unwrap().iter();
        files.map(|one| (one["path"].as_str().unwrap(), one["digest"].as_str().unwrap())).collect()
    }
}

/// Builds the facet of a directory of the project with our program.
fn build(trusted: &Trusted, directory: &str) -> Built {
    let output = format!("{directory}.facet");
    let report = trusted.json(&["build", directory, "--output", &output]).exits(0).json();
    Built { report, archive: fs::read(trusted.file(&output)).unwrap() }
}

/// A directory for each sample, named by its place in the list.
fn write_samples(trusted: &Trusted) -> Vec<String> {
    let write = |(at, sample): (usize, &Sample)| {
        let directory = format!("sample{at}");
        let root = trusted.file(&directory);
        fs::create_dir_all(&root).unwrap();
        write_tree(&root, sample.files);
        fs::write(root.join("facet.json"), sample.manifest).unwrap();
        directory
    };
    SAMPLES.iter().enumerate().map(write).collect()
}

/// The reference builds a directory; both must say the same of it, and we read the archive.
fn compare(trusted: &Trusted, cli: &ReferenceCli, directory: &str, ours: &Built) {
    let theirs = cli.build(&trusted.file(directory));
    assert_eq!(theirs["integrity"], ours.report["integrity"], "{directory}: {theirs:#}");
    let paths: Vec<&Value> =
        ours.report["files"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    let listed: Vec<&Value> = theirs["files"].as_array().unwrap().iter().collect();
    assert_eq!(listed, paths, "{directory}");
    let archive = format!("{directory}/dist/{}-{VERSION}.facet", ours.name());
    let read = trusted.json(&["digest", "archive", &archive]).exits(0).json();
    for member in ["kind", "name", "version", "integrity", "files"] {
        assert_eq!(read[member], ours.report[member], "{directory}: {member}");
    }
}

#[test]
fn both_programs_build_the_same_content_and_we_read_theirs() {
    let Some(cli) = ReferenceCli::find() else { return };
    let trusted = Trusted::new();
    for (directory, sample) in write_samples(&trusted).iter().zip(SAMPLES) {
        let ours = build(&trusted, directory);
        assert_eq!(ours.name(), sample.name);
        compare(&trusted, &cli, directory, &ours);
    }
}

#[test]
fn the_json_of_a_yaml_manifest_is_built_alike() {
    let Some(cli) = ReferenceCli::find() else { return };
    let trusted = Trusted::new();
    let files: [(&str, &[u8]); 2] =
        [("facet.yaml", YAML.as_bytes()), ("commands/hi.md", b"Say hi.\n")];
    write_tree(&trusted.file("yaml"), &files);
    let ours = build(&trusted, "yaml");
    // The reference knows JSON only: it gets the manifest that our archive has.
    trusted.json(&["unpack", "yaml.facet", "--into", "json"]).exits(0);
    compare(&trusted, &cli, "json", &ours);
}

#[test]
fn the_reference_installs_what_we_build() {
    let Some(cli) = ReferenceCli::find() else { return };
    let trusted = Trusted::new();
    let all: Vec<Built> =
        write_samples(&trusted).iter().map(|directory| build(&trusted, directory)).collect();
    let mut registry = FacetRegistry::bind();
    for one in &all {
        registry.publish(one.name(), VERSION, one.integrity(), &one.archive);
    }
    let sources: Vec<String> = all.iter().map(|one| format!("{}@{VERSION}", one.name())).collect();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let project = trusted.folder.path().join("installed");
    cli.install(&project, &registry.start(), &sources).exits(0);
    let lock = fs::read(project.join("facets.lock")).unwrap();
    let lock: Value = serde_json::from_slice(&lock).unwrap();
    for one in &all {
        let entry = &lock["facets"][one.name()];
        assert_eq!(entry["integrity"], one.integrity(), "{}: {lock:#}", one.name());
        let files = one.files();
        let assets = entry["assets"].as_array().unwrap().iter();
        for file in assets.flat_map(|asset| asset["files"].as_array().unwrap()) {
            let path = file["path"].as_str().unwrap();
            assert_eq!(file["integrity"], files[path], "{path}");
        }
    }
}

#[test]
fn the_reference_refuses_our_archive_under_another_fingerprint() {
    let Some(cli) = ReferenceCli::find() else { return };
    let trusted = Trusted::new();
    let directories = write_samples(&trusted);
    let (claimed, other) = (build(&trusted, &directories[0]), build(&trusted, &directories[1]));
    let mut registry = FacetRegistry::bind();
    registry.publish(claimed.name(), VERSION, other.integrity(), &claimed.archive);
    let project = trusted.folder.path().join("installed");
    let source = format!("{}@{VERSION}", claimed.name());
    let refused = cli.install(&project, &registry.start(), &[&source]).exits(1);
    assert!(refused.talk.contains("INTEGRITY"), "{refused:?}");
    assert!(!project.join("facets.lock").exists());
}
