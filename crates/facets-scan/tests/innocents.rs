//! Programs that only look as if: each verdict is a no.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use facets_surface::EntitlementVerdict;
use support::scan_file;

const INNOCENT: &[&str] = &[
    "",
    "#!/usr/bin/env node\n'use strict'",
    "// eval('1'); require('child_process'); fetch('x')",
    "/* import fs from 'fs' */",
    "const text = \"eval('1'); fetch('x')\"",
    "const text = `require('child_process')`",
    "/a/.exec('b')",
    "const pattern = /eval\\(/; pattern.exec('x')",
    "const db = { exec(sql) { return sql } }; db.exec('select 1')",
    "function fetch(x) { return x } fetch('x')",
    "const fetch = () => 1; fetch('x')",
    "function f(fetch, process, require) { fetch(); process.binding(); require('fs') }",
    "class Store { fetch(x) { return x } require(x) { return x } } new Store().fetch(1)",
    "const cache = new Map(); cache.get('fetch')",
    "const o = { eval: 1, fetch: 2, require: 3, process: 4 }; o.eval + o.fetch",
    "typeof fetch === 'function'",
    "typeof process !== 'undefined'",
    "typeof require === 'function' ? 1 : 2",
    "'fetch' in globalThis",
    "if (globalThis.fetch === undefined) throw new Error('no')",
    "const list = [1, 2, 3]; for (let i = 0; i < 3; i++) list[i] = list[i] + 1",
    "const map = {}; function get(key) { return map[key] }",
    "const handlers = { a() {} }; function call(name) { return handlers[name]() }",
    "const handlers = { a: x => x }; function call(name, x) { return handlers[name](x) }",
    "class A { constructor() { this.name = this.constructor.name } }",
    "class A { copy() { return new this.constructor() } }",
    "class A {} class B extends A { constructor() { super() } }",
    "function same(a, b) { return a.constructor === b.constructor }",
    "const name = (x => x).name",
    "const isFunction = x => x instanceof Function",
    "const text = Function.prototype.toString.call(() => {})",
    "const is = x => x === Function",
    "const has = Function.call.bind(Object.prototype.hasOwnProperty)",
    "setTimeout(() => {}, 100)",
    "new Promise(resolve => setTimeout(resolve, 100))",
    "setInterval(function tick() {}, 1)",
    "process.exit(0)",
    "process.on('SIGINT', () => process.exit(0))",
    "process.stdin.on('data', chunk => process.stdout.write(chunk))",
    "const { argv, platform } = process; argv.length",
    "import process from 'node:process'; process.cwd()",
    "import path from 'path'; path.join('a', 'b')",
    "import { EventEmitter } from 'node:events'; new EventEmitter()",
    "const util = require('util'); util.inspect({})",
    "import { createRequire } from 'module'; const require = createRequire(import.meta.url); require('path')",
    "const here = new URL('.', import.meta.url)",
    "if (require.main === module) { console.log('main') }",
    "module.exports = { a: 1 }",
    "exports.a = 1; Object.defineProperty(exports, '__esModule', { value: true })",
    "const where = require.resolve('path')",
    "const b = Buffer.from('x', 'base64').toString()",
    "const url = new URL('https://example.com')",
    "const request = new Request('https://example.com')",
    "const clone = structuredClone({})",
    "globalThis.cache = new Map(); globalThis.cache.set(1, 2)",
    "globalThis.cache ??= new Map(); cache.get(1)",
    "const g = globalThis; g.Array.from([])",
    "const { Array: List } = globalThis; List.from([])",
    "(function () { return this.x })()",
    "'use strict'; (function () { return this })()",
    "'use strict'; function Point(x) { this.x = x } Point.prototype.move = function () { return this }; new Point(1).move()",
    "function Point(x) { this.x = x; this.items = [] } Point.prototype.add = function (n) { this.items.push(n) }",
    "label: for (;;) break label",
    "try { null.x } catch (fetch) { fetch.message }",
    "const [eval1, fetch1] = [1, 2]",
    "import data from './data.json' with { type: 'json' }",
    "const x = a + b",
    "return a + b",
    "console.log(anything)",
    "JSON.stringify(anything)",
    "const s = String.raw`\\u0065val`",
    "Math.max(...[1, 2])",
    "async function* f() { yield* [1] } for await (const x of f()) x",
    "(function (root, factory) { if (typeof define === 'function' && define.amd) define([], factory); else if (typeof exports === 'object') factory(exports); else factory(root.x = {}) })(typeof self !== 'undefined' ? self : 0, function (e) { e.a = 1 })",
    "var __require = (x => typeof require !== 'undefined' ? require : typeof Proxy !== 'undefined' ? new Proxy(x, { get: (a, b) => (typeof require !== 'undefined' ? require : a)[b] }) : x)(function (x) { if (typeof require !== 'undefined') return require.apply(this, arguments); throw Error('Dynamic require of \"' + x + '\" is not supported') }); __require('path')",
    "class A { copy() { return new this.constructor(1, null, { a: 1 }) } }",
    "class AppError extends Error { constructor(m) { super(m); this.name = this.constructor.name; Error.captureStackTrace?.(this, this.constructor) } }",
    "class AppError extends Error { constructor(m) { super(m); Object.setPrototypeOf(this, AppError.prototype) } }",
    "class A {} class B {} Object.setPrototypeOf(A.prototype, B.prototype)",
    "const p = new Proxy({}, { get: () => 1, has() { return true } })",
    "const handler = { get: () => 1 }; const p = new Proxy({}, handler)",
    "if (typeof Proxy === 'function') console.log(1)",
    "const config = { port: 1 }; console.log(config.port); export default config",
    "export default function createServer() { return { fetch() {} } }",
    "class Tool { run() { return 1 } } export default Tool",
    "const tools = { add: (a, b) => a + b }; module.exports = tools",
    "'use strict'; Object.defineProperty(exports, '__esModule', { value: true }); exports.add = void 0; exports.add = (a, b) => a + b",
    "exports = module.exports = { a: 1 }",
    "import { Database } from './data.json' with { type: 'json' }",
    "process.stdin.setEncoding('utf8').on('data', x => x)",
    "const isNode = typeof process !== 'undefined' && process.versions != null && process.versions.node != null",
];

#[test]
fn what_only_looks_like_a_capability_is_a_no() {
    let mut wrong = Vec::new();
    for source in INNOCENT {
        let files = [("x.js", *source), ("data.json", "{}")];
        let start = facets_scan::Start::Files(vec!["/x.js".to_owned()]);
        let report = support::scan_files(&files, &start);
        let clean =
            report.entitlements.verdicts().iter().all(|(_, v)| *v == EntitlementVerdict::No);
        if !clean || !report.findings.is_empty() {
            wrong.push((source, report.doubts, report.findings));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `fetch` reads files in Bun, but not those of the web.
#[test]
fn what_is_fetched_from_the_web_is_no_file() {
    for source in [
        "fetch('https://example.com/')",
        "const api = 'https://example.com'; fetch(`${api}/a/${1 + 1}`)",
        "const f = async id => fetch('https://example.com/' + id)",
        "const f = id => fetch(new URL('https://example.com/' + id))",
        "const url = new URL('https://example.com'); url.searchParams.set('q', 'x'); fetch(url)",
        "const url = new URL('https://example.com'); url.pathname = '/x'; fetch(url.href)",
    ] {
        let said = scan_file("x.mjs", source).entitlements;
        assert_eq!(said.filesystem, EntitlementVerdict::No, "{source}");
        assert_eq!(said.network, EntitlementVerdict::Yes, "{source}");
    }
    let said = scan_file("x.mjs", "const f = url => fetch(url)").entitlements;
    assert_eq!(said.filesystem, EntitlementVerdict::Unknown);
    assert_eq!(said.subprocess, EntitlementVerdict::No);
}

#[test]
fn types_are_gone_when_a_program_runs() {
    let innocent = [
        "import type { Stats } from 'fs'",
        "import { type Stats, type Dirent } from 'fs'",
        "export type { Stats } from 'fs'",
        "let f: typeof fetch",
        "type F = typeof globalThis.fetch",
        "interface A extends EventSource {}",
        "function f(x: Request, y: WebSocket): asserts x is Request {}",
        "declare module 'fs' { export const x: number }",
        "declare global { interface Window { fetch: number } }",
        "abstract class A { abstract fetch(): void }",
        "const x = <T,>(y: T) => y",
        "type M = import('child_process').ChildProcess",
        "class A implements EventSource { }",
        "export type { fetch }",
        "const tool = { name: 'x' } as const; export default tool satisfies object",
    ];
    for source in innocent {
        let report = scan_file("x.ts", source);
        for (category, verdict) in report.entitlements.verdicts() {
            assert_eq!(verdict, EntitlementVerdict::No, "{category} in {source}: {report:#?}");
        }
    }
}
