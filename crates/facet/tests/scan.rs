//! `facet scan` as people type it, on source that wants to do harm.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const FACET: &str = env!("CARGO_BIN_EXE_facet");

fn facet(arguments: &[&str]) -> Output {
    Command::new(FACET).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn scan(path: &Path) -> Value {
    let output = facet(&["scan", "--format", "json", path.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&text).unwrap()
}

/// Source that a parser may choke on; where it does not, there is something to be found.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let nested = |open: &str, close: &str, count: usize| {
        [open.repeat(count), "fetch(1)".to_owned(), close.repeat(count)].concat().into_bytes()
    };
    vec![
        ("parentheses.js", nested("(", ")", 100_000)),
        ("many-parentheses.js", nested("(", ")", 5_000_000)),
        ("arrays.js", nested("[", "]", 1_000_000)),
        ("functions.js", nested("(()=>{", "})()", 300_000)),
        ("templates.js", nested("`${", "}`", 1_000_000)),
        ("blocks.js", nested("{", "}", 1_000_000)),
        ("types.ts", [b"let x: ".to_vec(), nested("Array<", ">", 500_000)].concat()),
        ("sum.js", ["fetch(1)", &"+a".repeat(2_000_000)].concat().into_bytes()),
        ("members.js", ["a", &".a".repeat(2_000_000)].concat().into_bytes()),
        ("ternary.js", ["a", &"?a:a".repeat(500_000)].concat().into_bytes()),
        ("not-utf8.js", b"const a = '\xff\xfe'; fetch('x')".to_vec()),
        ("endless-template.js", ["`", &"x".repeat(10 << 20)].concat().into_bytes()),
        ("endless-comment.js", ["/*", &"x".repeat(10 << 20)].concat().into_bytes()),
        ("endless-regex.js", ["/", &"[".repeat(10 << 20)].concat().into_bytes()),
        ("brackets.js", "self[".repeat(2 << 20).into_bytes()),
        ("nul.js", vec![0; 10 << 20]),
    ]
}

#[test]
fn hostile_source_is_named_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (name, source) in hostile() {
        fs::write(folder.path().join(name), source).unwrap();
    }
    fs::write(folder.path().join("zz-honest.js"), "import 'child_process'").unwrap();
    let report = scan(folder.path());
    assert_eq!(report["entitlements"]["subprocess"], "yes");
    for category in ["filesystem", "crypto", "codeEvaluation"] {
        assert_eq!(report["entitlements"][category], "unknown", "{category}");
    }
    let doubts = report["unknown_because"].as_array().unwrap();
    let findings = report["findings"].as_array().unwrap();
    for (name, _) in hostile() {
        let here = |place: &Value| place["file"] == name;
        let seen = doubts.iter().any(here) || findings.iter().any(here);
        // A name that is used in several files is reported once.
        assert!(seen || name == "ternary.js", "{name} is not named: {report:#}");
    }
}

#[test]
fn long_source_without_malice_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.js");
    let long = [
        format!("const text = '{}';", "x".repeat(5 << 20)),
        "const list = [".to_owned() + &"1,".repeat(1 << 20) + "];",
        "function f() { return 1 }\n".repeat(1 << 16),
    ];
    fs::write(&file, long.join("\n")).unwrap();
    let report = scan(&file);
    assert_eq!(report["entitlements"]["network"], "no", "{report:#}");
}

#[test]
fn what_is_too_large_or_no_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let line = fs::File::create(folder.path().join("line.js")).unwrap();
    // 200 MB of zeros cost no disk, and are one line.
    line.set_len(200_000_000).unwrap();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe.js")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("loop.js", folder.path().join("loop.js")).unwrap();
    fs::write(folder.path().join("a.js"), "import './pipe.js'; import './loop.js'").unwrap();
    let report = scan(folder.path());
    let text = report["unknown_because"].to_string();
    assert!(text.contains("is larger than 16 MiB"), "{text}");
    assert!(text.contains("imports ./pipe.js: file not found"), "{text}");
    assert!(text.contains("imports ./loop.js: file not found"), "{text}");
}

#[test]
fn a_server_manifest_says_where_to_begin_and_what_is_promised() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("server.yaml", "name: my-server\nversion: 1.0.0\nruntime: bun\nentry: main.ts\n");
    write("main.ts", "console.error('hello')");
    write("other.ts", "import 'net'");
    let report = scan(folder.path());
    assert_eq!(report["files"], 1);
    assert_eq!(report["entitlements"]["network"], "no");
    write(
        "server.yaml",
        "name: my-server\nversion: 1.0.0\nruntime: bun\nentry: main.ts\ncontract: 3\n",
    );
    let output = facet(&["scan", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("facet build --check"), "{said}");
}

#[test]
fn a_folder_or_file_without_source_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["empty", "python", "data", "package"] {
        fs::create_dir(path(name)).unwrap();
    }
    fs::write(path("python/server.py"), "import os").unwrap();
    fs::write(path("data/tools.json"), "{}").unwrap();
    fs::write(path("package/package.json"), r#"{"bin":"server.py"}"#).unwrap();
    fs::write(path("package/server.py"), "#!/usr/bin/env python3\nimport os").unwrap();
    fs::write(path("program"), b"\x7fELF\0\0").unwrap();
    for name in ["empty", "python", "data", "package", "python/server.py", "program"] {
        for format in ["human", "json"] {
            let output = facet(&["scan", "--format", format, path(name).to_str().unwrap()]);
            assert_eq!(output.status.code(), Some(2), "{name}");
            let shown = [output.stdout, output.stderr].concat();
            let shown = String::from_utf8_lossy(&shown).into_owned();
            assert!(shown.contains("scan-no-source"), "{name}: {shown}");
            assert!(!shown.contains("codeEvaluation"), "{name} has verdicts: {shown}");
        }
    }
}

#[test]
fn what_is_inspected_with_source_in_another_language_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("python");
    fs::create_dir(&python).unwrap();
    fs::write(python.join("server.py"), "import os").unwrap();
    let surface = facets_testkit::repository_root()
        .join("testdata/written-by/ff83894/settled/project/.facets/surfaces/greeter.json");
    let output = facet(&[
        "inspect",
        "--format",
        "json",
        "--source",
        python.to_str().unwrap(),
        surface.to_str().unwrap(),
    ]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_str(&text).unwrap();
    let scanned = report["entitlements"].as_object().unwrap();
    for category in ["filesystem", "network", "subprocess", "crypto", "codeEvaluation"] {
        assert_eq!(scanned[category], "unknown", "{category}: {report:#}");
    }
}

#[test]
fn nothing_stays_behind_when_facet_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..40 {
        let source = format!("function f{number}(a) {{ return a + 1 }}\n").repeat(100_000);
        fs::write(folder.path().join(format!("{number}.js")), source).unwrap();
    }
    for delay in [5, 40, 120, 300] {
        let mut facet = Command::new(FACET)
            .args(["scan", folder.path().to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let before = children_of(facet.id());
        facet.kill().unwrap();
        facet.wait().unwrap();
        let gone = |pid: &u32| !Path::new(&format!("/proc/{pid}")).exists();
        let all_gone = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            before.iter().all(gone)
        });
        assert!(all_gone, "after {delay} ms: {before:?}");
    }
}

/// Every process below one.
fn children_of(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let listed = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    for child in listed.unwrap_or_default().split_whitespace().filter_map(|word| word.parse().ok())
    {
        found.push(child);
        found.extend(children_of(child));
    }
    found
}

/// The table in `docs/scanning.md`: package, five verdicts, own identifiers.
fn judged() -> Vec<(String, [String; 5], Vec<String>)> {
    let page = facets_testkit::repository_root().join("docs/scanning.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `@"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let (name, _) = cells[0].trim_matches('`').rsplit_once('@').unwrap();
        let verdicts = std::array::from_fn(|index| cells[index + 1].to_owned());
        let own = cells[6].split_whitespace().map(|word| word.trim_matches('`').to_owned());
        (name.to_owned(), verdicts, own.collect())
    })
    .collect()
}

#[test]
fn real_servers_are_judged_as_the_page_says() {
    let judged = judged();
    assert_eq!(judged.len(), 6);
    for (name, verdicts, own) in judged {
        let packages =
            facets_testkit::repository_root().join("target/tools/servers/npm/node_modules");
        let folder = packages.join(&name);
        if !folder.is_dir() {
            facets_testkit::skip(&format!(
                "`{name}` is not installed; `cargo xtask setup` installs it"
            ));
            continue;
        }
        let report = scan(&folder);
        let categories = ["filesystem", "network", "subprocess", "crypto", "codeEvaluation"];
        for (category, verdict) in categories.into_iter().zip(verdicts) {
            assert_eq!(report["entitlements"][category], verdict, "{name} {category}");
        }
        let findings = report["findings"].as_array().unwrap().iter();
        let inside = findings.filter(|found| !found["file"].as_str().unwrap().starts_with(".."));
        let mut found: Vec<&str> =
            inside.map(|found| found["identifier"].as_str().unwrap()).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, own, "{name}");
    }
}
