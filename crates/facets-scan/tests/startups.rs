//! What starts a program, before any of its JavaScript runs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use facets_scan::{Report, Start};
use facets_surface::EntitlementVerdict;
use support::{scan_file, scan_files};

const EVIL: &str = "require('child_process').exec('id')";

fn folder(files: &[(&str, &str)]) -> Report {
    scan_files(files, &Start::Folder("/p".to_owned()))
}

fn has_a_no(report: &Report) -> bool {
    report.entitlements.verdicts().iter().any(|(_, verdict)| *verdict == EntitlementVerdict::No)
}

/// A package whose only command is this file.
fn command(source: &str) -> Report {
    folder(&[("p/package.json", r#"{"bin":"./cli.js"}"#), ("p/cli.js", source)])
}

#[test]
fn a_command_that_a_shell_runs_is_never_a_no() {
    let commands = [
        "\":\" //; exec node --require ./hidden.cjs \"$0\" \"$@\"\n1",
        "':' //# ; exec /usr/bin/env node \"$0\"\n1",
        "#!/bin/sh\n':' //; exec node \"$0\" \"$@\"\n1",
        "#!/bin/bash\n1",
        "console.log(1)",
        "",
        "\u{feff}#!/usr/bin/env node\n1",
        "\n#!/usr/bin/env node\n1",
        "#!/usr/bin/env tsx\n1",
        "#!/usr/bin/env -S NODE_OPTIONS=--require=./hidden.cjs node\n1",
        "#!/usr/bin/env -S node --loader ./hidden.mjs\n1",
        "#!/usr/bin/env -S node --env-file=.env\n1",
        "#!/usr/bin/env -S node --require ./gone.cjs\n1",
        "#!/usr/bin/env -S node --require fs\n1",
        "#!/usr/bin/env -S node --require /tmp/x.cjs\n1",
        "#!/usr/bin/env -S node other.js\n1",
    ];
    for source in commands {
        assert!(has_a_no(&command("#!/usr/bin/env node\n1")));
        let report = command(source);
        assert!(!has_a_no(&report), "{source:?}: {report:#?}");
        assert!(!report.doubts.is_empty(), "{source:?}: nothing says why");
    }
}

#[test]
fn a_single_file_that_is_also_for_a_shell_is_never_a_no() {
    for source in [
        "\":\" //; exec node --require ./hidden.cjs \"$0\"\n1",
        "#!/bin/sh\n\":\" //; exec node \"$0\"\n1",
        "#!/usr/bin/env -S node --import ./hidden.mjs\n1",
        "//usr/bin/env node \"$0\"; exit\n1",
    ] {
        assert!(!has_a_no(&scan_file("x.js", source)), "{source:?}");
        assert!(!has_a_no(&scan_file("x", source)), "{source:?} without an ending");
    }
}

#[test]
fn what_a_first_line_loads_is_read() {
    for option in ["--require ./h.cjs", "-r ./h.cjs", "--import=./h.cjs", "--require=./h"] {
        let line = format!("#!/usr/bin/env -S node {option}\n1");
        for place in ["p/h.cjs", "p/bin/h.cjs"] {
            let files = |hidden| {
                folder(&[
                    ("p/package.json", r#"{"bin":{"p":"bin/cli.js"}}"#),
                    ("p/bin/cli.js", line.as_str()),
                    (place, hidden),
                ])
            };
            let report = files(EVIL);
            assert_eq!(report.entitlements.subprocess, EntitlementVerdict::Yes, "{option} {place}");
            let report = files("1");
            assert!(has_a_no(&report) && report.files == 2, "{option} {place}: {report:#?}");
        }
    }
}

#[test]
fn whatever_may_be_started_is_read() {
    let line = "#!/usr/bin/env node\n";
    let evil = format!("{line}{EVIL}");
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            "a command that looks like data",
            &[
                ("p/package.json", r#"{"bin":{"a":"a.js","b":"b.json"}}"#),
                ("p/a.js", line),
                ("p/b.json", "#!/bin/sh\nid"),
            ],
        ),
        (
            "a command that looks like types",
            &[
                ("p/package.json", r#"{"bin":"b.d.ts","exports":"./a.js"}"#),
                ("p/a.js", "1"),
                ("p/b.d.ts", &evil),
            ],
        ),
        (
            "a folder of commands",
            &[
                ("p/package.json", r#"{"directories":{"bin":"./bin"},"main":"a.js"}"#),
                ("p/a.js", "1"),
                ("p/bin/b", &evil),
            ],
        ),
        (
            "a runtime that a package brings",
            &[
                ("p/package.json", r#"{"bin":"a.js"}"#),
                ("p/a.js", line),
                ("p/node_modules/.bin/node", "#!/bin/sh\nid"),
            ],
        ),
        (
            "imports that deno finds elsewhere",
            &[
                ("p/package.json", r#"{"bin":"a.js"}"#),
                ("p/a.js", "#!/usr/bin/env -S deno run -A\nimport './b.js'"),
                ("p/b.js", "1"),
                ("p/deno.json", r#"{"imports":{"./b.js":"./c.js"}}"#),
            ],
        ),
        (
            "a main without an ending, for a shell",
            &[("p/package.json", r#"{"main":"a"}"#), ("p/a", "':' //; exec node \"$0\"\n1")],
        ),
        (
            "a command that is also loaded",
            &[("p/package.json", r#"{"main":"a.js","bin":"a.js"}"#), ("p/a.js", "1")],
        ),
        (
            "a module that a condition chooses",
            &[
                ("p/package.json", r#"{"exports":{"browser":"./ok.js","node":"./b.js"}}"#),
                ("p/ok.js", "1"),
                ("p/b.js", EVIL),
            ],
        ),
        (
            "a name that a condition maps",
            &[
                (
                    "p/package.json",
                    r##"{"main":"a.js","imports":{"#x":{"bun":"./b.js","default":"./ok.js"}}}"##,
                ),
                ("p/a.js", "import '#x'"),
                ("p/ok.js", "1"),
                ("p/b.js", EVIL),
            ],
        ),
        (
            "a line that ends for JavaScript alone",
            &[
                ("p/package.json", r#"{"bin":"a.js"}"#),
                ("p/a.js", "#!/usr/bin/env node\rrequire('child_process')\n1"),
            ],
        ),
    ];
    for (what, files) in cases {
        let report = folder(files);
        assert_ne!(report.entitlements.subprocess, EntitlementVerdict::No, "{what}: {report:#?}");
    }
}

#[test]
fn a_plain_runtime_hides_nothing() {
    for source in [
        "#!/usr/bin/env node\n1",
        "#!/usr/bin/env node\r\n1",
        "#!/usr/bin/env -S node --no-warnings\n1",
        "#!/usr/bin/env bun\n1",
        "#!/usr/bin/env -S deno run -A\n1",
    ] {
        let report = command(source);
        assert!(report.doubts.is_empty() && has_a_no(&report), "{source:?}: {report:#?}");
    }
}
