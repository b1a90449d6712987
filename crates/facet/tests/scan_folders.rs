//! Folders that hide the file with which their program starts, or what an import means.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

const EVIL: &str = "console.log(typeof require('child_process').exec)";
const IMPORTS_X: &[(&str, &str)] =
    &[("a.js", "import 'x'"), ("node_modules/x/index.js", "1"), ("b/x.js", EVIL)];
const PATHS: &str = r#"{"compilerOptions":{"paths":{"x":["./b/x.js"]}}}"#;
const MAIN: (&str, &str) = ("package.json", r#"{"main":"a.js"}"#);

fn write(folder: &Path, files: &[(&str, &str)], links: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for (name, target) in links {
        symlink(target, folder.join(name)).unwrap();
    }
}

fn scan(folder: &Path) -> Value {
    let mut facet = Command::new(env!("CARGO_BIN_EXE_facet"));
    let output = facet.args(["scan", "--format", "json"]).arg(folder).stdin(Stdio::null()).output();
    serde_json::from_slice(&output.unwrap().stdout).unwrap()
}

fn assert_not_no(what: &str, files: &[(&str, &str)], links: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files, links);
    let report = scan(folder.path());
    for category in ["filesystem", "network", "subprocess", "codeEvaluation"] {
        let verdict = &report["entitlements"][category];
        assert!(verdict == "yes" || verdict == "unknown", "{what}: {report:#}");
    }
}

#[test]
fn links_count_as_the_file_where_they_lead() {
    let evil = ("evil.js", EVIL);
    let link = [("data.json", "evil.js")];
    let required = [MAIN, ("a.js", "require('./data.json')"), evil];
    assert_subprocess("a link that is required", &required, &link);
    let main = r#"{"main":"data.json","bin":"ok.js"}"#;
    let started = [("package.json", main), ("ok.js", "#!/usr/bin/env node\n1"), evil];
    assert_subprocess("a link that is started", &started, &link);
}

/// What was read names what it does.
fn assert_subprocess(what: &str, files: &[(&str, &str)], links: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files, links);
    let report = scan(folder.path());
    assert_eq!(report["entitlements"]["subprocess"], "yes", "{what}: {report:#}");
}

#[test]
fn index_is_started_where_the_manifest_has_no_main() {
    for manifest in
        [r#"{"module":"ok.js"}"#, r#"{"exports":"./ok.js"}"#, r#"{"main":1,"bin":"ok.js"}"#]
    {
        let ok = ("ok.js", "#!/usr/bin/env node\n1");
        assert_subprocess(manifest, &[("package.json", manifest), ok, ("index.js", EVIL)], &[]);
    }
}

#[test]
fn without_a_manifest_every_file_that_may_be_a_program_counts() {
    let ok = ("ok.js", "1");
    let shell = format!("#!/usr/bin/env node\n{EVIL}");
    assert_not_no("a link", &[ok, ("lib/evil.txt", EVIL)], &[("server.js", "lib/evil.txt")]);
    assert_not_no(
        "a linked folder",
        &[ok, ("node_modules/h/s.js", EVIL)],
        &[("src", "node_modules/h")],
    );
    assert_subprocess("no ending", &[ok, ("server", shell.as_str())], &[]);
    assert_not_no("another script", &[ok, ("server", "#!/bin/sh\nid")], &[]);
    assert_not_no("upper case", &[ok, ("SERVER.JS", EVIL)], &[]);
    assert_subprocess("a hidden folder", &[ok, (".mcp/server.js", EVIL)], &[]);
    assert_subprocess("types", &[ok, ("server.d.ts", EVIL)], &[]);
}

#[test]
fn settings_that_lead_imports_elsewhere_are_out_of_sight() {
    let base = ("base.json", PATHS);
    for (name, text) in [
        ("tsconfig.json", r#"{"compilerOptions":{"baseUrl":"./b"}}"#),
        ("tsconfig.json", r#"{"extends":"./base.json"}"#),
        ("tsconfig.json", r#"{"compilerOptions":{"p\u0061ths":{"x":["./b/x.js"]}}}"#),
        ("jsconfig.json", PATHS),
        ("bunfig.toml", "\"pre\\u006coad\" = [\"./b/x.js\"]\n"),
        ("bunfig.toml", "[loader]\n\".json\" = \"js\"\n"),
        ("bunfig.toml", "[define]\n\"process.pid\" = \"globalThis.process.getBuiltinModule\"\n"),
    ] {
        let files = [IMPORTS_X, &[MAIN, base, (name, text)]].concat();
        assert_not_no(text, &files, &[]);
    }
    let below = [
        ("package.json", r#"{"main":"s/a.js"}"#),
        ("s/tsconfig.json", PATHS),
        ("s/a.js", "import 'x'"),
        ("s/b/x.js", EVIL),
        ("node_modules/x/index.js", "1"),
    ];
    assert_not_no("settings below", &below, &[]);
}

#[test]
fn settings_that_lead_nowhere_and_clean_folders_are_a_no() {
    let folder = tempfile::tempdir().unwrap();
    let settings =
        ("tsconfig.json", "{\n  // usual\n  \"compilerOptions\": { \"strict\": true, },\n}");
    let bun = ("bunfig.toml", "telemetry = false\n");
    write(folder.path(), &[MAIN, ("a.js", "import 'x'"), ("node_modules/x/index.js", "1")], &[]);
    write(folder.path(), &[settings, bun], &[]);
    assert_eq!(scan(folder.path())["entitlements"]["subprocess"], "no");
    let bare = tempfile::tempdir().unwrap();
    write(bare.path(), &[("ok.js", "1"), ("readme.md", "x")], &[("gone.js", "nowhere")]);
    assert_eq!(scan(bare.path())["entitlements"]["subprocess"], "no");
}

#[test]
fn more_files_than_are_listed_are_out_of_sight() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("ok.js", "1")], &[]);
    for number in 0..50_000 {
        fs::write(folder.path().join(format!("{number}.txt")), "").unwrap();
    }
    assert_eq!(scan(folder.path())["entitlements"]["subprocess"], "unknown");
}
