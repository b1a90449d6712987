//! Every program in `testdata/attacks/scan`: each reaches what it should not, so none may be
//! answered with a no.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;
use std::path::Path;

use facets_scan::Start;
use facets_surface::EntitlementVerdict;
use support::{scan_file, scan_files};

#[test]
fn no_attack_is_answered_with_a_no() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/attacks/scan");
    let mut wrong = Vec::new();
    let mut read = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let source = fs::read_to_string(&path).unwrap();
        assert!(source.starts_with("// "), "{name} does not say what it tries");
        let said_no = scan_file(&name, &source).entitlements.verdicts();
        let said_no =
            said_no.iter().filter(|(of, said)| *of != "crypto" && *said == EntitlementVerdict::No);
        if said_no.count() > 0 {
            wrong.push(name);
        }
        read += 1;
    }
    wrong.sort();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(read > 50, "{read} attacks");
}

#[test]
fn exports_that_say_how_a_file_is_loaded_are_out_of_sight() {
    let evil = "import c from 'child_process'; export const x = c.exec";
    for source in [
        "export * from './evil.json' with { type: 'js' }",
        "export * as all from './evil.json' with { type: 'js' }",
        "export { x } from './evil.json' with { type: 'ts' }",
    ] {
        let files = [("a.mjs", source), ("evil.json", evil)];
        let report = scan_files(&files, &Start::Files(vec!["/a.mjs".to_owned()]));
        assert_ne!(report.entitlements.subprocess, EntitlementVerdict::No, "{source}");
    }
}
