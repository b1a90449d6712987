//! Programs of many files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use facets_scan::{Report, ScanLimits, Start};
use facets_surface::EntitlementVerdict;
use support::scan_files;

fn folder(files: &[(&str, &str)]) -> Report {
    scan_files(files, &Start::Folder("/p".to_owned()))
}

fn is_clean(report: &Report) -> bool {
    report.entitlements.verdicts().iter().all(|(_, verdict)| *verdict == EntitlementVerdict::No)
}

#[test]
fn only_what_is_reached_counts() {
    let report = folder(&[
        ("p/package.json", r#"{"name":"p","bin":{"p":"./cli.js"}}"#),
        ("p/cli.js", "#!/usr/bin/env node\nimport './lib/a.js'"),
        ("p/lib/a.js", "export const a = 1"),
        ("p/test/build.js", "import 'child_process'"),
    ]);
    assert!(is_clean(&report), "{report:#?}");
    assert_eq!(report.files, 2);
}

#[test]
fn a_folder_without_a_manifest_is_read_whole() {
    let report = folder(&[
        ("p/a.js", "1"),
        ("p/b/c.ts", "import { exec } from 'child_process'; exec('id')"),
        ("p/readme.md", "import 'fs'"),
        ("p/types.d.ts", "import 'net'"),
    ]);
    assert_eq!(report.files, 3);
    assert_eq!(report.entitlements.subprocess, EntitlementVerdict::Yes);
    assert_eq!(report.entitlements.network, EntitlementVerdict::Yes);
    assert_eq!(report.entitlements.filesystem, EntitlementVerdict::No);
}

#[test]
fn a_folder_without_source_is_unknown() {
    for files in [vec![("p/server.py", "import os")], vec![("p/package.json", "{}")], vec![]] {
        let report = folder(&files);
        assert!(
            report.entitlements.verdicts().iter().all(|(_, v)| *v == EntitlementVerdict::Unknown)
        );
        assert!(!report.doubts.is_empty());
        assert!(!report.has_source);
    }
}

#[test]
fn a_file_is_source_by_its_name_or_by_what_it_says() {
    let has_source = |name: &str, text: &str| support::scan_file(name, text).has_source;
    for (name, text) in
        [("a.js", "const broken ="), ("a.ts", ""), ("a", "1"), ("a.x", "#!/usr/bin/env node\n1")]
    {
        assert!(has_source(name, text), "{name}");
    }
    for (name, text) in [
        ("a.py", "import os"),
        ("a", "#!/usr/bin/env python3\nimport os"),
        ("a", "\u{7f}ELF\0"),
        ("a", "def f(x):\n  return x"),
        ("a.json", "{}"),
    ] {
        assert!(!has_source(name, text), "{name}: {text}");
    }
}

#[test]
fn re_exports_and_cycles_are_followed() {
    let report = folder(&[
        ("p/package.json", r#"{"main":"a"}"#),
        ("p/a.js", "import { run } from './b'; run('id')"),
        ("p/b/index.js", "export * from '../c.mjs'; import '../a.js'"),
        ("p/c.mjs", "export { execSync as run } from 'node:child_process'"),
    ]);
    assert_eq!(report.files, 3);
    assert_eq!(report.entitlements.subprocess, EntitlementVerdict::Yes);
    assert_eq!(report.entitlements.network, EntitlementVerdict::No, "{report:#?}");
    let found = report.findings.iter().find(|f| f.what.identifier == "child_process.execSync");
    assert_eq!(found.unwrap().file, "/p/c.mjs");
}

#[test]
fn names_that_another_file_defines_are_known() {
    let report = folder(&[
        ("p/a.js", "globalThis.shared = { go() {} }; import './b.js'"),
        ("p/b.js", "shared.go(); globalThis.shared.go()"),
    ]);
    assert!(is_clean(&report), "{report:#?}");
}

#[test]
fn packages_are_found_as_node_finds_them() {
    let exports = r##"{"name":"dep","imports":{"#inner":"./inner.js"},"exports":{
        ".":{"types":"./index.d.ts","bun":"./bun.ts","import":"./index.mjs","require":"./index.cjs"},
        "./sub/*":"./lib/*.js","./sub/private/*":null,"./package.json":"./package.json"}}"##;
    let report = folder(&[
        ("p/package.json", r#"{"name":"p","exports":{".":"./a.mjs","./self":"./self.mjs"}}"#),
        (
            "p/a.mjs",
            "import 'dep'; import 'dep/sub/x'; import '@s/n/deep/file'; import 'up'; import 'p/self'; import 'old'",
        ),
        ("p/self.mjs", "export {}"),
        ("p/node_modules/dep/package.json", exports),
        ("p/node_modules/dep/index.mjs", "import '#inner'"),
        ("p/node_modules/dep/inner.js", "export {}"),
        ("p/node_modules/dep/bun.ts", "import { readFileSync } from 'fs'; readFileSync('x')"),
        ("p/node_modules/dep/index.cjs", "require('net')"),
        ("p/node_modules/dep/lib/x.js", "import 'dns'"),
        ("p/node_modules/@s/n/package.json", "{}"),
        ("p/node_modules/@s/n/deep/file.js", "fetch('x')"),
        ("node_modules/up/package.json", r#"{"main":"./lib"}"#),
        ("node_modules/up/lib/index.js", "require('crypto')"),
        ("p/node_modules/old/index.js", "exports.a = 1"),
    ]);
    assert!(report.doubts.is_empty(), "{report:#?}");
    // Bun would read another file than Node does, so both count; a third is for `require`.
    assert_eq!(report.entitlements.filesystem, EntitlementVerdict::Yes);
    assert_eq!(report.entitlements.crypto, EntitlementVerdict::Yes);
    assert_eq!(report.entitlements.network, EntitlementVerdict::Yes);
    assert!(!report.entitlements.raw.contains(&"net".to_owned()));
    assert!(report.entitlements.raw.contains(&"dns".to_owned()));
    assert!(report.entitlements.raw.contains(&"fetch".to_owned()));
    assert_eq!(report.entitlements.subprocess, EntitlementVerdict::No);
}

#[test]
fn what_is_required_and_what_is_imported_may_differ() {
    let manifest = r#"{"exports":{"import":"./good.mjs","require":"./bad.cjs"}}"#;
    let files = |source: &'static str| {
        vec![
            ("p/a.js", source),
            ("p/node_modules/d/package.json", manifest),
            ("p/node_modules/d/good.mjs", "export {}"),
            ("p/node_modules/d/bad.cjs", "require('child_process')"),
        ]
    };
    assert!(is_clean(&folder(&files("import 'd'"))));
    assert_eq!(folder(&files("require('d')")).entitlements.subprocess, EntitlementVerdict::Yes);
    let both = folder(&files("import 'd'; require('d')"));
    assert_eq!(both.entitlements.subprocess, EntitlementVerdict::Yes);
}

#[test]
fn what_is_not_there_is_named() {
    let report = folder(&[
        ("p/package.json", r#"{"main":"dist/index.js"}"#),
        ("p/src/a.ts", "import './gone.js'; import 'absent'; import got from 'got'"),
    ]);
    let reasons: Vec<&str> = report.doubts.iter().map(|doubt| doubt.what.reason.as_str()).collect();
    assert!(reasons.contains(&"starts with dist/index.js: file not found"), "{reasons:?}");
    assert!(reasons.contains(&"imports ./gone.js: file not found"), "{reasons:?}");
    assert!(reasons.contains(&"imports the package absent: source not found"));
    assert_eq!(report.entitlements.network, EntitlementVerdict::Yes, "got is known by its name");
    assert_eq!(report.entitlements.filesystem, EntitlementVerdict::Unknown);
}

#[test]
fn typescript_is_found_under_the_name_it_will_have() {
    let report = folder(&[
        (
            "p/a.ts",
            "import './b.js'; import './c.mjs'; import './d'; import data from './data.json'",
        ),
        ("p/b.ts", "import 'net'"),
        ("p/c.mts", "import 'fs'"),
        ("p/d.tsx", "import 'crypto'; export const x = 1"),
        ("p/data.json", "{}"),
    ]);
    assert!(report.doubts.is_empty(), "{report:#?}");
    assert_eq!(report.entitlements.raw, ["crypto", "fs", "net"]);
}

#[test]
fn native_code_may_do_anything() {
    let report = folder(&[("p/a.js", "require('./x.node')"), ("p/x.node", "\u{7f}ELF")]);
    assert_eq!(report.entitlements.code_evaluation, EntitlementVerdict::Yes);
    assert_eq!(report.entitlements.network, EntitlementVerdict::Unknown);
}

#[test]
fn there_is_an_end_to_what_is_read() {
    let limits = ScanLimits { files: 2, bytes: 1 << 20 };
    let files = [("p/a.js", "1"), ("p/b.js", "2"), ("p/c.js", "3")];
    let report = support::scan_limited(&files, &Start::Folder("/p".to_owned()), limits);
    assert_eq!(report.files, 2);
    assert_eq!(report.doubts[0].what.reason, "was not read: the source is too large");
    assert_eq!(report.entitlements.filesystem, EntitlementVerdict::Unknown);
}

#[test]
fn broken_manifests_lead_nowhere_bad() {
    for manifest in
        ["", "[]", "{", r#"{"main":3,"bin":[],"exports":{"a":{}}}"#, r#"{"exports":null}"#]
    {
        let report = folder(&[("p/package.json", manifest), ("p/index.js", "import 'fs'")]);
        assert_eq!(
            report.entitlements.filesystem,
            EntitlementVerdict::Yes,
            "{manifest}: {report:#?}"
        );
    }
}

/// Node and Bun disagree about which of several files is meant, or run what looks like data.
#[test]
fn whatever_a_runtime_may_run_is_read() {
    let evil = "require('child_process')";
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("text that is required", &[("p/a.js", "require('./e.txt')"), ("p/e.txt", evil)]),
        ("required wasm", &[("p/a.js", "require('./e.wasm')"), ("p/e.wasm", evil)]),
        (
            "a folder beside a module",
            &[("p/a.js", "require('./x')"), ("p/x.mjs", "1"), ("p/x/index.js", evil)],
        ),
        ("typescript first", &[("p/a.js", "import './x'"), ("p/x.js", "1"), ("p/x.ts", evil)]),
        (
            "index though there is a module",
            &[
                ("p/a.js", "require('d')"),
                ("p/node_modules/d/package.json", r#"{"module":"ok.mjs"}"#),
                ("p/node_modules/d/ok.mjs", "1"),
                ("p/node_modules/d/index.js", evil),
            ],
        ),
        (
            "itself before a decoy",
            &[
                (
                    "p/package.json",
                    r#"{"name":"me","main":"a.js","exports":{"./x":"./evil.js","./a":"./a.js"}}"#,
                ),
                ("p/a.js", "require('me/x')"),
                ("p/evil.js", evil),
                ("p/node_modules/me/package.json", r#"{"exports":{"./x":"./ok.js"}}"#),
                ("p/node_modules/me/ok.js", "1"),
            ],
        ),
        (
            "a name mapped to a module of the runtime",
            &[
                ("p/package.json", r##"{"main":"a.js","imports":{"#cp":"child_process"}}"##),
                ("p/a.js", "require('#cp')"),
                ("p/child_process.js", "1"),
            ],
        ),
        (
            "the longest pattern",
            &[
                ("p/a.js", "require('d/x/y.js')"),
                (
                    "p/node_modules/d/package.json",
                    r#"{"exports":{"./x/*.js":"./evil.js","./x/*":"./ok.js"}}"#,
                ),
                ("p/node_modules/d/evil.js", evil),
                ("p/node_modules/d/ok.js", "1"),
            ],
        ),
        (
            "a manifest with a mark",
            &[
                ("p/a.js", "require('d')"),
                ("p/node_modules/d/package.json", "\u{feff}{\"main\":\"evil.js\"}"),
                ("p/node_modules/d/evil.js", evil),
                ("p/node_modules/d/index.js", "1"),
            ],
        ),
        (
            "an encoded name",
            &[
                ("p/a.mjs", "import './%65vil.mjs'"),
                ("p/%65vil.mjs", "1"),
                ("p/evil.mjs", "fetch()"),
            ],
        ),
        (
            "a loader for another folder",
            &[
                (
                    "p/a.mjs",
                    "import { createRequire as c } from 'module'; c(new URL('./s/x.js', import.meta.url))('./d.js')",
                ),
                ("p/d.js", "1"),
                ("p/s/d.js", evil),
            ],
        ),
        (
            "every export",
            &[
                ("p/package.json", r#"{"exports":{".":"./a.js","./more":"./evil.js"}}"#),
                ("p/a.js", "1"),
                ("p/evil.js", evil),
            ],
        ),
        (
            "settings",
            &[
                ("p/a.ts", "import 'dep'"),
                ("p/tsconfig.json", r#"{"compilerOptions":{"paths":{"dep":["./evil.ts"]}}}"#),
                ("p/node_modules/dep/index.js", "1"),
            ],
        ),
        (
            "settings that start another file than the entry",
            &[
                ("p/a.ts", "1"),
                ("p/evil.ts", evil),
                ("p/tsconfig.json", r#"{"compilerOptions":{"paths":{"*":["./evil.ts"]}}}"#),
            ],
        ),
        (
            "the process through another file",
            &[
                ("p/a.mjs", "import { p } from './b.mjs'; p.getBuiltinModule('child_process')"),
                ("p/b.mjs", "export const { process: p } = globalThis"),
            ],
        ),
    ];
    for (what, files) in cases {
        let manifest = files.iter().any(|(path, _)| *path == "p/package.json");
        let start = if manifest {
            Start::Folder("/p".to_owned())
        } else {
            Start::Files(vec![format!("/{}", files[0].0)])
        };
        let report = scan_files(files, &start);
        assert_ne!(report.entitlements.subprocess, EntitlementVerdict::No, "{what}: {report:#?}");
    }
}
