//! Ways to a capability that a reader overlooks. Each is a yes or an unknown, never a no.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use facets_scan::Report;
use facets_surface::EntitlementVerdict;
use support::scan_file;

fn verdict(report: &Report, category: &str) -> EntitlementVerdict {
    let all = report.entitlements.verdicts();
    all.into_iter().find(|(name, _)| *name == category).map(|(_, verdict)| verdict).unwrap()
}

/// What we know exactly is a yes.
const FOUND: &[(&str, &str)] = &[
    // Modules, in every form of import.
    ("filesystem", "import 'fs'"),
    ("filesystem", "import fs from 'node:fs'"),
    ("filesystem", "import * as anything from 'fs/promises'"),
    ("filesystem", "import { readFile as x } from 'fs'; x('a')"),
    ("filesystem", "export * from 'fs'"),
    ("filesystem", "export { readFile } from 'node:fs'"),
    ("filesystem", "export { default as fs } from 'fs'"),
    ("filesystem", "export * as fs from 'fs'"),
    ("filesystem", "const m = await import('fs')"),
    ("filesystem", "import('node:fs').then(m => m.rmSync('/'))"),
    ("subprocess", "import(`child_process`)"),
    ("subprocess", "import('child_' + 'process')"),
    ("subprocess", "const { exec: go } = require('child_process'); go('id')"),
    ("subprocess", "var cp = require('child_process'), r = cp.exec; r('id')"),
    ("subprocess", "require?.('child_process')"),
    ("subprocess", "(0, require)('child_process')"),
    ("subprocess", "require.call(null, 'x'); require('child_process')"),
    ("subprocess", "module.require('child_process')"),
    ("subprocess", "module['require']('child_process')"),
    ("subprocess", "globalThis.require('child_process')"),
    ("subprocess", "const r = require; const q = r; q('child_process')"),
    ("subprocess", "let r; r = require; r('child_process')"),
    (
        "subprocess",
        "import { createRequire as c } from 'node:module'; const r = c(import.meta.url); r('child_process')",
    ),
    ("subprocess", "import Module from 'module'; Module.createRequire('/')('child_process')"),
    (
        "subprocess",
        "const { createRequire } = require('module'); createRequire(__filename)('child_process')",
    ),
    ("subprocess", "(await import('module')).createRequire('/')('child_process')"),
    ("subprocess", "process.getBuiltinModule('node:child_process').exec('id')"),
    ("subprocess", "const { getBuiltinModule: g } = process; g('child_process')"),
    ("subprocess", "import process from 'node:process'; process.getBuiltinModule('child_process')"),
    ("subprocess", "import { getBuiltinModule } from 'process'; getBuiltinModule('child_process')"),
    ("subprocess", "import.meta.require('child_process')"),
    ("subprocess", "const name = 'child_process'; require(name)"),
    ("subprocess", "const a = 'child', b = '_process'; require(`${a}${b}`)"),
    ("subprocess", "import { Worker } from 'worker_threads'; new Worker('x')"),
    ("subprocess", "new Worker(new URL('./x.js', import.meta.url))"),
    ("subprocess", "import cluster from 'cluster'; cluster.fork()"),
    ("subprocess", "process.kill(1)"),
    ("filesystem", "import { DatabaseSync } from 'node:sqlite'"),
    ("filesystem", "process.loadEnvFile()"),
    ("network", "import http2 from 'http2'"),
    ("network", "import dgram from 'node:dgram'"),
    ("codeEvaluation", "import vm from 'vm'; vm.runInThisContext('1')"),
    ("codeEvaluation", "import 'node:inspector'"),
    ("codeEvaluation", "import { dlopen } from 'bun:ffi'"),
    ("codeEvaluation", "import('data:text/javascript,1')"),
    ("network", "import 'https://example.com/x.js'"),
    // Globals, through every door of the global object.
    ("network", "fetch('x')"),
    ("network", "fetch?.('x')"),
    ("network", "const f = fetch; f('x')"),
    ("network", "[fetch][0]('x')"),
    ("network", "({ f: fetch }).f('x')"),
    ("network", "Promise.resolve('x').then(fetch)"),
    ("network", "f\\u0065tch('x')"),
    ("network", "globalThis.fetch('x')"),
    ("network", "globalThis['fetch']('x')"),
    ("network", "globalThis[`fet${'ch'}`]('x')"),
    ("network", "window.fetch('x')"),
    ("network", "self['fe' + 'tch']('x')"),
    ("network", "global.globalThis.self.fetch('x')"),
    ("network", "const { fetch: f } = globalThis; f('x')"),
    ("network", "const { ...g } = globalThis; g.fetch('x')"),
    ("network", "const g = typeof globalThis !== 'undefined' ? globalThis : global; g.fetch('x')"),
    ("network", "const g = (() => globalThis)(); g.fetch('x')"),
    ("network", "fetch.bind(null, 'x')()"),
    ("network", "Reflect.apply(fetch, null, ['x'])"),
    ("network", "function f(get = fetch) { get('x') }"),
    ("network", "const { get = fetch } = {}; get('x')"),
    ("network", "export default fetch"),
    ("network", "class Get { run = fetch }"),
    ("network", "class Socket extends WebSocket {}"),
    ("network", "new XMLHttpRequest()"),
    ("network", "navigator.sendBeacon('x', secret)"),
    ("network", "if (globalThis.fetch) globalThis.fetch('x')"),
    ("network", "try { fetch('x') } catch {}"),
    ("network", "(function () { return this })().fetch('x')"),
    ("network", "function g() { return this } g().fetch('x')"),
    ("network", "(function (g) { g.fetch('x') })(globalThis)"),
    ("network", "((g, k) => g['fet' + 'ch']('x'))(window)"),
    ("subprocess", "(function (r) { r('child_process') })(require)"),
    ("network", "with (globalThis) { fetch('x') }"),
    // Other runtimes.
    ("subprocess", "Bun.spawn(['sh'])"),
    ("subprocess", "Bun.$`id`"),
    ("subprocess", "import { $ } from 'bun'; await $`id`"),
    ("filesystem", "const { file } = Bun; file('x')"),
    ("network", "import { serve } from 'bun'; serve({})"),
    ("filesystem", "Deno.readTextFileSync('x')"),
    ("subprocess", "const { Command } = Deno; new Command('sh')"),
    ("network", "Deno['conn' + 'ect']({})"),
    // Evaluation.
    ("codeEvaluation", "(0, eval)('1')"),
    ("codeEvaluation", "const e = eval; e('1')"),
    ("codeEvaluation", "eval?.('1')"),
    ("codeEvaluation", "globalThis.eval('1')"),
    ("codeEvaluation", "new Function('return 1')"),
    ("codeEvaluation", "const F = Function; F('return 1')"),
    ("codeEvaluation", "Function.apply(null, ['return 1'])"),
    ("codeEvaluation", "Function.prototype.constructor('return 1')"),
    ("codeEvaluation", "(function () {}).constructor('return 1')"),
    ("codeEvaluation", "(() => {})['con' + 'structor']('return 1')"),
    ("codeEvaluation", "(async () => {}).constructor('return 1')"),
    ("codeEvaluation", "(function* () {}).constructor('yield 1')"),
    ("codeEvaluation", "[].map.constructor('return 1')()"),
    ("codeEvaluation", "''.at.constructor('return 1')()"),
    ("codeEvaluation", "[]['filter']['constructor']('return 1')()"),
    ("codeEvaluation", "({}).constructor.constructor('return 1')()"),
    ("codeEvaluation", "const c = 'constructor'; [][c][c]('return 1')()"),
    ("codeEvaluation", "Object.constructor('return 1')"),
    ("codeEvaluation", "(0, (1, Object)).constructor('return 1')"),
    ("codeEvaluation", "Math.max.constructor('return 1')"),
    ("codeEvaluation", "const { constructor: C } = JSON.parse; C('return 1')"),
    ("codeEvaluation", "const o = Object; o.keys.constructor('return 1')"),
    ("codeEvaluation", "setTimeout.constructor('return 1')"),
    ("codeEvaluation", "function f() {} f.constructor('return 1')"),
    ("codeEvaluation", "const { constructor: C } = () => {}; C('return 1')"),
    ("codeEvaluation", "const C = (() => {}).constructor; new C('return 1')"),
    (
        "codeEvaluation",
        "const A = Object.getPrototypeOf(async function () {}).constructor; new A('x')",
    ),
    ("codeEvaluation", "setTimeout('x()', 1)"),
    ("codeEvaluation", "const text = 'x()'; setInterval(text, 1)"),
    ("codeEvaluation", "WebAssembly.compile(bytes)"),
    ("codeEvaluation", "process.binding('fs')"),
    ("codeEvaluation", "const p = process; p['bin' + 'ding']('fs')"),
    ("codeEvaluation", "process.dlopen(module, 'x.node')"),
    // Keys and ciphers.
    ("crypto", "crypto.subtle.sign('x', key, data)"),
    ("crypto", "require('crypto').createHash('md5')"),
];

/// What gets out of sight is unknown: everything may be behind it.
const OUT_OF_SIGHT: &[&str] = &[
    "require.main.require('child_process')",
    "process.mainModule.require('child_process')",
    "export const { fetch } = globalThis",
    "import(name)",
    "const name = process.argv[2]; require(name)",
    "require(['child', 'process'].join('_'))",
    "let n = 'path'; n = 'child_process'; require(n)",
    "function load(n = 'path') { return require(n) } load('child_process')",
    "require(flag ? 'path' : 'child_process')",
    "globalThis[name]('x')",
    "const { [name]: f } = globalThis; f('x')",
    "Object.values(globalThis)",
    "Reflect.get(globalThis, name)",
    "for (const key in globalThis) globalThis[key]",
    "take(globalThis)",
    "(function () { arguments[0].fetch('x') })(globalThis)",
    "(function (g) { arguments[0].fetch('x') })(globalThis)",
    "(function (...all) { all[0].fetch('x') })(globalThis)",
    "(g => g[k])(globalThis)",
    "(function (g) { return g })(globalThis).fetch('x')",
    "export const everything = globalThis",
    "export { globalThis as g }",
    "module.exports = { load: require }",
    "take(require)",
    "const list = [require]",
    "process[name]('x')",
    "take(process)",
    "export { default } from 'node:process'",
    "export * from 'node:module'",
    "export { createRequire } from 'module'",
    "import { createRequire } from 'module'; take(createRequire)",
    "import { createRequire } from 'module'; export const load = createRequire('/')",
    "import m from 'module'; m._load('child_process')",
    "import m from 'module'; m[name]",
    "module.constructor._load('child_process')",
    "module.children[0]",
    "require.cache['x']",
    "process.mainModule.children",
    "({ g: globalThis.g } = process)",
    "({ [name]: x } = globalThis)",
    "[x] = [process]",
    "Bun[name]()",
    "Deno.somethingNew()",
    "Bun.somethingNew()",
    "process.somethingNew()",
    "import 'node:something_new'",
    "import v8 from 'v8'",
    "x.constructor('return 1')()",
    "import { join } from 'path'; join.constructor('return 1')",
    "import { own } from './own.js'; own.constructor('return 1')",
    "new x.constructor('return 1')",
    "take(x.constructor)",
    "a[b]('return process')()",
    "a[b](c)``()",
    "with (x) { go() }",
    "run('id')",
    "const go = run; go('id')",
    "run.call(null, 'id')",
    "child_process_1.exec('id')",
    "new Thing()",
    "[Function].forEach(F => F('x'))",
    "Reflect.construct(Function, ['x'])",
    "this is no program",
    "const broken = ",
    "import { execa } from 'execa'",
    "import './missing.js'",
    "import x from '#internal'",
    "import 'file:///etc/passwd'",
];

#[test]
fn what_is_known_is_found() {
    let missed = FOUND.iter().filter(|(category, source)| {
        verdict(&scan_file("x.js", source), category) != EntitlementVerdict::Yes
    });
    let missed: Vec<_> = missed.collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_is_out_of_sight_is_unknown() {
    for source in OUT_OF_SIGHT {
        let report = scan_file("x.js", source);
        for (category, verdict) in report.entitlements.verdicts() {
            assert_ne!(verdict, EntitlementVerdict::No, "{category} in {source}: {report:#?}");
        }
        assert!(!report.doubts.is_empty(), "{source}: nothing says why");
    }
}

#[test]
fn code_that_is_made_while_it_runs_may_do_anything() {
    for source in
        ["eval(x)", "new Function(x)", "import 'vm'", "import 'bun:ffi'", "setTimeout('x')"]
    {
        let report = scan_file("x.js", source);
        for (category, verdict) in report.entitlements.verdicts() {
            assert_ne!(verdict, EntitlementVerdict::No, "{category} in {source}");
        }
    }
    // WebAssembly has only what it is given.
    let wasm = scan_file("x.js", "const bytes = new Uint8Array(8); WebAssembly.compile(bytes)");
    assert_eq!(verdict(&wasm, "codeEvaluation"), EntitlementVerdict::Yes);
    assert_eq!(verdict(&wasm, "network"), EntitlementVerdict::No, "{wasm:#?}");
}

#[test]
fn typescript_hides_nothing() {
    let found = [
        ("subprocess", "import cp = require('child_process'); cp.exec('id')"),
        ("subprocess", "import { exec } from 'child_process'; (exec as any)('id')"),
        ("network", "(fetch as any)!('x')"),
        ("network", "(<any>globalThis).fetch('x')"),
        ("network", "(globalThis satisfies object)['fet' + 'ch']('x')"),
        ("codeEvaluation", "(eval as (x: string) => void)('1')"),
        ("filesystem", "import { type Stats, readFileSync } from 'fs'; readFileSync('x')"),
        ("network", "namespace N { export const f = fetch }"),
        ("network", "enum E { A = fetch('x') as any }"),
        ("network", "class C { @fetch run() {} }"),
    ];
    for (category, source) in found {
        let report = scan_file("x.ts", source);
        assert_eq!(
            verdict(&report, category),
            EntitlementVerdict::Yes,
            "{category} in {source}: {report:#?}"
        );
    }
    let unknown = [
        "declare const run: any; run('id')",
        "declare function run(x: string): void; run('id')",
        "declare let globalish: any; globalish.fetch('x')",
    ];
    for source in unknown {
        let report = scan_file("x.ts", source);
        assert_eq!(
            verdict(&report, "subprocess"),
            EntitlementVerdict::Unknown,
            "{source}: {report:#?}"
        );
    }
}

#[test]
fn a_finding_says_where_and_through_what() {
    let source =
        "import { execSync as run } from 'node:child_process';\nconst go = run;\n\ngo('id');\n";
    let report = scan_file("x.mjs", source);
    let call = report.findings.iter().find(|found| found.what.line == 4).unwrap();
    assert_eq!(call.file, "/x.mjs");
    assert_eq!(call.what.identifier, "child_process.execSync");
    assert_eq!(call.what.path, ["run (line 1)", "go (line 2)"]);
    assert_eq!(report.entitlements.raw, ["child_process", "child_process.execSync"]);
}

#[test]
fn the_environment_is_listed() {
    let all = [
        "return process.env",
        "process['env'].X",
        "const { env } = process",
        "Bun.env.X",
        "import { env } from 'node:process'; env.X",
        "Deno.env.get('X')",
        "import.meta.env.X",
    ];
    for source in all {
        let report = scan_file("x.js", source);
        assert!(report.entitlements.raw.iter().any(|name| name.ends_with("env")), "{source}");
    }
}

#[test]
fn the_vectors_of_the_only_other_scanner() {
    let Some(folder) = facets_testkit::shared_vectors("fusion") else { return };
    let text = std::fs::read_to_string(folder.join("scanner-evasions.json")).unwrap();
    let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
    let vectors = vectors.as_array().unwrap();
    assert!(vectors.len() >= 26);
    for vector in vectors {
        let (id, source) = (vector["id"].as_str().unwrap(), vector["source"].as_str().unwrap());
        let report = scan_file("x.js", source);
        match vector["realCapability"].as_str().unwrap() {
            "environment" => assert_eq!(report.entitlements.raw, ["process.env"], "{id}"),
            "unknown-import" => {
                assert!(
                    report
                        .entitlements
                        .verdicts()
                        .iter()
                        .all(|(_, v)| *v == EntitlementVerdict::Unknown)
                );
            }
            category => {
                assert_ne!(verdict(&report, category), EntitlementVerdict::No, "{id}: {report:#?}")
            }
        }
    }
    let text = std::fs::read_to_string(folder.join("entitlement-scans.json")).unwrap();
    let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
    for vector in vectors.as_array().unwrap() {
        let (id, source) = (vector["id"].as_str().unwrap(), vector["source"].as_str().unwrap());
        let report = scan_file("x.js", source);
        let theirs = vector["result"]["entitlements"].as_object().unwrap();
        for (category, value) in theirs {
            // The reference takes the `exec` of a regular expression for a process (F34).
            if value == true && id != "regexExec" {
                assert_ne!(verdict(&report, category), EntitlementVerdict::No, "{id} {category}");
            }
        }
        if matches!(id, "regexExec" | "clean" | "atob" | "stringRaw" | "entropy" | "fromCharCode") {
            let no =
                report.entitlements.verdicts().iter().all(|(_, v)| *v == EntitlementVerdict::No);
            assert!(no, "{id}: {report:#?}");
        }
    }
}
