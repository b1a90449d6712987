//! Ways up: by a name that is not known, from a value to its prototype, to a function, and to
//! the constructor of functions, which evaluates a text. None of them is ever a no.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use facets_surface::EntitlementVerdict;
use support::scan_file;

/// `K` is a name that the source does not tell.
const KEY: &str = "var K = ['constr', 'uctor'].join('');";

/// Each evaluates code if `K` is `constructor`.
#[rustfmt::skip]
const CLIMBS: &[&str] = &[
    // A variable that is given its own member.
    "let x = ''; x = x[K]; x = x[K]; x('code')()",
    "x = ''; x = x[K]; x = x[K]; x('code')()",
    "var x = ''; x = x[K]; x = x[K]; const y = x('code'); y()",
    "let x = ''; for (let i = 0; i < 2; i++) x = x[K]; x('code')()",
    "let x = 1; while (x.name !== 'Function') x = x[K]; x('code')()",
    "let x = ''; let n = 2; do { x = x[K] } while (--n); new x('code')()",
    "let x = {}; x = x?.[K]; x = x?.[K]; x?.('code')?.()",
    "let x = []; const up = () => { x = x[K] }; up(); up(); x('code')()",
    "let x = '', y; y = x[K]; x = y[K]; x('code')()",
    "let x = '', y = x[K], z = y[K]; z('code')()",
    "const x = ''[K]; const y = x[K]; const f = y('code'); f()",
    "const x = ''[K]; const y = x[K]; [y('code')].forEach(f => f())",
    "const x = ''[K]; const y = x[K]; Promise.resolve('code').then(y).then(f => f())",
    "const x = ''[K]; const y = x[K]; Reflect.apply(y, null, ['code'])()",
    "const x = ''[K]; const y = x[K]; y.call(null, 'code')()",
    "const x = ''[K]; const y = x[K]; const f = y.call(null, 'code'); f()",
    "const x = ''[K]; const y = x[K]; const f = y.bind(null, 'code'); f()()",
    "const x = ''[K]; const y = x[K]; const f = y.apply(null, ['code']); f()",
    "const x = ''[K]; const y = x[K]; y`code``x`",
    "const x = ''[K]; const y = x[K]; const f = new y('code'); f()",
    "const x = ''[K]; const y = x[K]; class A extends y { } new A('code')()",
    "const x = ''[K]; const y = x[K]; const o = { f: y }; o.f('code')()",
    "const x = ''[K]; const y = x[K]; const { call } = y; call.call(y, null, 'code')()",
    "const x = ''[K]; const y = x[K]; const [f = y] = []; f('code')()",
    "const x = ''[K]; const y = x[K]; const f = true && y; f('code')()",
    "const x = ''[K]; let y; y = x[K]; y('code')()",
    "const x = ''[K]; let y; (y = x[K])('code')()",
    "const x = ''[K]; let y; y ??= x[K]; const f = y('code'); f()",
    "const x = ''[K]; let y = null; const f = (y ??= x[K])('code'); f()",
    "''[K][K]('code')()",
    "const f = ''[K][K]('code'); f()",
    "setTimeout(''[K][K]('code'))",
    "(0)[K][K]('code')()",
    "const f = (0)[K][K]('code'); f()",
    "const f = true[K][K]('code'); f()",
    "const f = 1n[K][K]('code'); f()",
    "const f = /x/[K][K]('code'); f()",
    "const f = `x`[K][K]('code'); f()",
    "const f = [][K][K]('code'); f()",
    "const f = ({})[K][K]('code'); f()",
    "const f = Symbol.iterator[K][K]('code'); f()",
    "const f = (new Map)[K][K]('code'); f()",
    "const f = (class {})[K]('code'); f()",
    "const f = Math[K][K]('code'); f()",
    "import path from 'path'; const f = path[K][K]('code'); f()",
    "import events from 'events'; const f = events[K]('code'); f()",
    "import { own } from './own.js'; const f = own[K]('code'); f()",
    // Patterns.
    "const { [K]: f } = ''; const { [K]: g } = f; g('code')()",
    "const { [K]: { [K]: g } } = ''; g('code')()",
    "const { [K]: { [K]: g } = 0 } = ''; g('code')()",
    "const { at: { [K]: g } } = ''; g('code')()",
    "const { [K]: f } = ''; const g = f[K]; const h = g('code'); h()",
    "const { [K]: f = 1 } = ''; let g; ({ [K]: g } = f); g('code')()",
    "let f, g; ({ [K]: f } = ''); ({ [K]: g } = f); g('code')()",
    "let g; [{ [K]: g }] = [() => {}]; g('code')()",
    "const o = {}; ({ [K]: o.f } = () => {}); o.f('code')()",
    "const [{ [K]: g }] = [() => {}]; g('code')()",
    "((f) => { const { [K]: g } = f; g('code')() })(() => {})",
    "(({ [K]: g }) => g('code')())(() => {})",
    "function up({ [K]: f }) { return f } up(up(''))('code')()",
    "const up = ({ [K]: f }) => f; up(up(''))('code')()",
    "const g = [''].map(({ [K]: f }) => f).map(({ [K]: f }) => f)[0]('code'); g()",
    "for (const { [K]: f } of ['']) for (const { [K]: g } of [f]) g('code')()",
    "try { throw '' } catch ({ [K]: f }) { try { throw f } catch ({ [K]: g }) { g('code')() } }",
    "((f = ''[K], g = f[K]) => g('code')())()",
    "const { a = ''[K], b = a[K] } = {}; b('code')()",
    "class A { constructor() { return () => {} } } const { [K]: F } = new A; F('code')()",
    "const { x: { [K]: F } } = { x() {} }; F('code')()",
    "const { ...rest } = { f: () => {} }; const { [K]: F } = rest.f; F('code')()",
    // Functions that look a name up.
    "const get = (o, k) => o[k]; get(get('', K), K)('code')()",
    "function get(o, k) { return o[k] } get(get('', K), K)('code')()",
    "function get(o, k) { const v = o[k]; return v } get(get('', K), K)('code')()",
    "const up = x => x[K]; up(up(''))('code')()",
    "const g = [K, K].reduce((o, k) => o[k], ''); g('code')()",
    "const g = [K, K].reduce((o, k) => { const { [k]: v } = o; return v }, ''); g('code')()",
    "function* up(x) { yield x[K]; yield x[K][K] } const [, g] = up(''); g('code')()",
    "async function up(x) { return x[K] } const g = await up(await up('')); g('code')()",
    "const call = (o, k, x) => o[k](x); call(() => {}, K, 'code')()",
    "const call = (o, k, x) => { const v = o[k](x); return v }; call(() => {}, K, 'code')()",
    "function call(o, k, x) { const v = o[k](x); v() } call(() => {}, K, 'code')",
    "function call(o, k, ...x) { const v = o[k](...x); v() } call(() => {}, K, 'code')",
    "function call(o, k, x) { const f = o[k]; const v = f(x); v() } call(() => {}, K, 'code')",
    "function make(o, k, x) { return new o[k](x) } make(() => {}, K, 'code')()",
    "const f = Reflect.get(Reflect.get('', K) ?? '', K); f('code')()",
    "const F = Reflect.get(() => {}, K); F('code')()",
    "const { get } = Reflect; get(() => {}, K)('code')()",
    "const R = Reflect; R.get(() => {}, K)('code')()",
    "[Reflect].map(R => R.get(() => {}, K)('code')())",
    "Reflect.get.call(null, () => {}, K)('code')()",
    "Reflect.get.apply(null, [() => {}, K])('code')()",
    "const get = Reflect.get.bind(Reflect, () => {}); get(K)('code')()",
    "Object.getOwnPropertyDescriptor(Object.getPrototypeOf(() => {}), K).value('code')()",
    "const d = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(() => {}), K); d.value('code')()",
    "const { value: F } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(() => {}), K); F('code')()",
    "const { getOwnPropertyDescriptor: d } = Object; d(Object.getPrototypeOf(() => {}), K).value('code')()",
    "const d = Object['getOwnPropertyDescriptor']; d(Object.getPrototypeOf(() => {}), K).value('code')()",
    "[Object].map(O => O.getOwnPropertyDescriptor(O.getPrototypeOf(() => {}), K).value('code')())",
    "Reflect.getOwnPropertyDescriptor(Object.getPrototypeOf(() => {}), K).value('code')()",
    "Object.values(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(() => {}))).map(d => d.value).at(3)('code')()",
    "const p = Object.getPrototypeOf(() => {}); for (const n of Object.getOwnPropertyNames(p)) p[n]?.('code')?.()",
    "const p = Object.getPrototypeOf(() => {}); const all = Object.getOwnPropertyNames(p).map(n => p[n]); all[4]('code')()",
    "const p = Object.getPrototypeOf(() => {}); for (const n of Reflect.ownKeys(p)) { const v = p[n]; v('code')() }",
    "const p = Object.getPrototypeOf(() => {}); Object.defineProperty(p, K, { enumerable: true }); for (const v of Object.values(p)) v('code')()",
    "const p = Object.getPrototypeOf(() => {}); Object.defineProperty(p, K, { enumerable: true }); const { ...all } = p; Object.entries(all)[0][1]('code')()",
    "const p = Function.prototype; Object.values(p)",
    "for (const [, v] of Object.entries(Function.prototype)) v('code')()",
    // Classes.
    "class A { static x = super[K]('code')() }",
    "class A { static m() { const F = super[K]; return F('code') } } A.m()()",
    "class A { x = ''[K]; y = this.x[K]; z = this.y('code')() }",
    "class A { #x = ''[K]; #y = this.#x[K]; z = this.#y('code')() }",
    "class A { get up() { return this.x[K] } } const a = new A; a.x = () => {}; a.up('code')()",
    "class A { static #f() {} static go() { const F = A.#f[K]; F('code')() } } A.go()",
    "const o = { m() { const F = super[K][K]; F('code')() } }; o.m()",
    "const o = { get f() { return o.m[K] }, m() {} }; o.f('code')()",
    "class A { static { const F = this[K]; F('code')() } }",
    // A plain object that becomes a function's heir.
    "const o = { __proto__: () => {} }; o[K]('code')()",
    "const o = { __proto__: () => {} }; const f = o[K]('code'); f()",
    "const o = {}; o.__proto__ = () => {}; const f = o[K]('code'); f()",
    "const o = {}; Object.setPrototypeOf(o, () => {}); const f = o[K]('code'); f()",
    "const o = {}; Reflect.setPrototypeOf(o, () => {}); const f = o[K]('code'); f()",
    "const o = {}; Object['setPrototype' + 'Of'](o, () => {}); const f = o[K]('code'); f()",
    "const o = {}, P = ['__pro', 'to__'].join(''); o[P] = () => {}; const f = o[K]('code'); f()",
    "const o = {}, P = ['__pro', 'to__'].join(''); const p = o; p[P] = () => {}; const f = o[K]('code'); f()",
    "const o = {}, P = ['__pro', 'to__'].join(''); Object.assign(o, { [P]: () => {} }); const f = o[K]('code'); f()",
    "const o = {}, P = ['__pro', 'to__'].join(''); (x => { x[P] = () => {} })(o); const f = o[K]('code'); f()",
    "const P = ['__pro', 'to__'].join(''); const o = { m() { this[P] = () => {} } }; o.m(); const f = o[K]('code'); f()",
    "const o = Object.create(() => {}); const f = o[K]('code'); f()",
    "const o = new Proxy(() => {}, {}); const f = o[K]('code'); f()",
    "const o = new Object(() => {}); const f = o[K]('code'); f()",
    "const o = JSON.parse('0', () => () => {}); const f = o[K]('code'); f()",
    "const JSON = { parse: () => () => {} }; const f = JSON.parse('')[K]('code'); f()",
    "const Map = function () { return () => {} }; const f = (new Map)[K]('code'); f()",
    "Map = function () { return () => {} }; const o = new Map; const f = o[K]('code'); f()",
    "globalThis.Map = function () { return () => {} }; const o = new Map; const f = o[K]('code'); f()",
    // Names that only look like numbers or symbols.
    "let i = 0; [i] = [K]; const f = (() => {}).bind()[i]('code'); f()",
    "let i = 0; ({ i } = { i: K }); const b = x => x; const o = b(b); const f = o[i]('code'); f()",
    "let i = 0; for (i of [K]) { const f = own()[i]('code'); f() } function own() { return own }",
    "let i = 0; i += K; const o = own(); const f = o[i]('code'); f(); function own() { return own }",
    "let i = 0; i = K; const o = own(); const f = o[i]('code'); f(); function own() { return own }",
    "let i = 0; i ||= K; const o = own(); const f = o[i]('code'); f(); function own() { return own }",
    "function go(o, i) { var i; const f = o[i]('code'); f() } go(go, K)",
    "function go(o, i) { const f = o[i]('code'); f(); var i = 0 } go(go, K)",
    "for (var i = 0 in { constructor: 1 }) { const o = own(); const f = o[i]('code'); f() } function own() { return own }",
    "for (const i in { constructor: 1 }) { const o = own(); const f = o[i]('code'); f() } function own() { return own }",
    "const Symbol = { iterator: K }; const o = own(); const f = o[Symbol.iterator]('code'); f(); function own() { return own }",
    "Symbol = { iterator: K }; const o = own(); const f = o[Symbol.iterator]('code'); f(); function own() { return own }",
    "const o = own(); const f = o[`con${K.slice(3)}`]('code'); f(); function own() { return own }",
    "const o = own(); const f = o[K.slice(0, 3) + 'structor']('code'); f(); function own() { return own }",
    // What reads a value may be foreign code.
    "JSON.stringify = F => F('code')(); const o = own(); JSON.stringify(o[K]); function own() { return own }",
    "const J = JSON; J.stringify = F => F('code')(); const o = own(); JSON.stringify(o[K]); function own() { return own }",
    "const String = F => F('code')(); const o = own(); String(o[K]); function own() { return own }",
    "String = F => F('code')(); const o = own(); String(o[K]); function own() { return own }",
    "console.log = F => F('code')(); const o = own(); console.log(o[K]); function own() { return own }",
    // Through a function that hands out others.
    "[Object].map(O => O[K2](() => {}, K).value('code')()); const K2 = ['getOwnProperty', 'Descriptor'].join('')",
    "const o = own(); const f = o[K](...['code']); f(); function own() { return own }",
    "const o = own(); void o[K]('code')?.(); function own() { return own }",
    "const o = own(); (0, o[K])('code')(); function own() { return own }",
    "const o = own(); const f = (o[K])('code'); export { f }; function own() { return own }",
    "const o = own(); export default o[K]('code'); function own() { return own }",
    "const o = own(); export const F = o[K]; function own() { return own }",
    "const o = own(); const x = { toString: o[K]('code') }; `${x}`; function own() { return own }",
    "const o = own(); const x = { get a() { return o[K] } }; x.a('code')(); function own() { return own }",
    "const o = own(); await { then: o[K]('code') }; function own() { return own }",
    "const o = own(); throw o[K]; function own() { return own }",
    "label: { const o = own(); const F = o[K]; if (F) { const f = F('code'); f(); break label } } function own() { return own }",
    "const o = own(); const m = new Map([['f', o[K]]]); m.get('f')('code')(); function own() { return own }",
    "const o = own(); const m = new Map; m.set('f', o[K]('code')); m.get('f')(); function own() { return own }",
    "const o = own(); Object.defineProperty({}, 'f', { get: o[K]('code') }).f; function own() { return own }",
    // What a proof relies on may be foreign code.
    "Array.from = () => () => {}; const f = Array.from('')[K]('code'); f()",
    "Object.keys = () => () => {}; const o = Object.keys({}); const f = o[K]('code'); f()",
    "JSON.parse = () => () => {}; const f = JSON.parse('')[K]('code'); f()",
    "Symbol.mine = K; const o = own(); const f = o[Symbol.mine]('code'); f(); function own() { return own }",
    "Symbol.for = () => K; const o = own(); const f = o[Symbol.for('x')]('code'); f(); function own() { return own }",
    "const S = Symbol; S.for = () => K; const k = Symbol.for('x'); const o = own(); const f = o[k]('code'); f(); function own() { return own }",
    "const P = ['__pro', 'to__'].join(''); const o = {}; o.m = function () { this[P] = () => {} }; o.m(); const f = o[K]('code'); f()",
    "const P = ['__pro', 'to__'].join(''); const o = {}; o['m'] = function () { this[P] = () => {} }; o.m(); const f = o[K]('code'); f()",
    "const o = own(); export let F; F = o[K]; function own() { return own }",
    "const o = own(); let F; F = o[K]; export { F as default }; function own() { return own }",
    "Error.prepareStackTrace = (error, sites) => sites; new Error().stack[1].getFunction()",
    "const o = own(); const F = o[K]; const G = F; const f = G('code'); f(); function own() { return own }",
    "const o = own(); const { [K]: F, ...rest } = o; F('code')(); function own() { return own }",
    "const o = own(); function go(F = o[K]) { F('code')() } go(); function own() { return own }",
    "const o = own(); @(o[K]) class A {} ; function own() { return own }",
    "function Up() { return new.target[K] } const f = (new Up)('code'); f()",
    "const it = { *[Symbol.iterator]() { yield own()[K] } }; const [F] = it; F('code')(); function own() { return own }",
    "const p = new Proxy({}, { get: (t, k) => own()[K] }); p.any('code')(); function own() { return own }",
    "const call = Function.prototype.call.bind(own()[K]); call(null, 'code')(); function own() { return own }",
    "Array.from(['code'], own()[K]).map(f => f()); function own() { return own }",
    "'code'.replace(/.+/, own()[K]); function own() { return own }",
    "import.meta[K][K]('code')()",
    "Object.defineProperty(Function.prototype, Symbol.species, { get() { return this } })",
    "Function.prototype.exec = function () { return this() }",
    "(() => {}).__proto__[Symbol.species] = 1; Object.prototype.exec = function () { return this() }",
];

/// The same in code that is not strict, where a function shows what it was called with.
#[rustfmt::skip]
const LOOSE: &[&str] = &[
    "function up(f) { return f[K][1] } function go() { return up(go) } go(1, require)('child_process')",
    "function up(f) { f[K][1]('child_process').exec('id') } (function go() { up(go) })(1, module)",
    "function up(f) { const a = f[K]; const r = a[1]; r('child_process') } (function go() { up(go) })(1)",
    "function up(f) { const [, r] = f[K]; r('child_process') } (function go() { up(go) })(1)",
    "function up(f) { for (const r of f[K]) r('child_process') } (function go() { up(go) })(1)",
    "function go(x) { x = own()[K]; return arguments[0] } go(1)('code')(); function own() { return own }",
    "function up(f) { f[K].arguments[1]('child_process').exec('id') } (function go() { up(go) })()",
];

#[test]
fn no_way_up_by_an_unknown_name_is_a_no() {
    let mut missed = Vec::new();
    let strict = CLIMBS.iter().map(|source| ("x.mjs", source));
    let loose = LOOSE.iter().map(|source| ("x.cjs", source));
    for (name, source) in strict.chain(loose) {
        let report = scan_file(name, &format!("{KEY}\n{source}"));
        let verdicts = report.entitlements.verdicts();
        if verdicts.iter().any(|(_, verdict)| *verdict == EntitlementVerdict::No) {
            missed.push(source);
        }
        let parsed = !report.doubts.iter().any(|doubt| doubt.what.reason.contains("Syntax"));
        assert!(parsed, "is no program: {source}");
    }
    assert!(missed.is_empty(), "{} {missed:#?}", missed.len());
}

/// What honest programs do with names that are not known.
#[rustfmt::skip]
const LOOKUPS: &[&str] = &[
    "const list = [1, 2]; export function sum() { let s = 0; for (let i = 0; i < list.length; i++) s += list[i]; return s }",
    "export function last(list) { return list[list.length - 1] }",
    "export function each(list, f) { for (let i = 0, n = list.length; i < n; i++) f(list[i], i) }",
    "export function even(list) { const out = []; var i; for (i = 0; i < 9; i += 2) out.push(list[i]); return out }",
    "const tools = { a() { return 1 }, b: x => x }; export const call = (name, x) => tools[name](x)",
    "const tools = { a() { return 1 } }; export function call(name, x) { const tool = tools[name]; if (!tool) throw new Error('no'); return tool(x) }",
    "const names = { a: 'b' }; export const name = key => names[key] ?? key",
    "const counts = {}; export function count(key) { counts[key] = (counts[key] || 0) + 1; return counts[key] }",
    "export function has(o, k) { return o[k] !== undefined }",
    "export function text(o, k) { return `${o[k]}` + o[k] }",
    "export function show(o, k) { return String(o[k]) + JSON.stringify(o[k]) }",
    "export function emit(o, k, x) { o[k](x) }",
    "export function run(o, k) { return o[k]() }",
    "export function set(o, k, v) { o[k] = v }",
    "export function drop(o, k) { delete o[k] }",
    "export function push(o, k, v) { o[k] ||= []; o[k].push(v) }",
    "export function names(o, k) { return o[k].map(x => x.name) }",
    "export function iterate(o) { return o[Symbol.iterator]() }",
    "const tag = Symbol('tag'); export const get = o => o[tag]",
    "export const header = (o, name) => o[`x-${name}`]",
    "export const on = (o, name, f) => { const old = o['on' + name]; return old(f) }",
    "export const pick = (o, wide) => o[wide ? 'columns' : 'rows']",
    "export const variable = name => process.env[name]",
    "const { env } = process; export const variable = name => env[name]",
    "export const argument = n => process.argv[n + 1 - 1] ?? process.argv[2]",
    "const data = JSON.parse('{}'); export const read = key => data[key]",
    "const colors = Object.freeze({ red: 1 }); export const color = name => colors[name]",
    "export function size(o, k) { switch (o[k]) { case 1: return 2; default: return 3 } }",
    "export function total(o, k) { let n = 0; for (const x of o[k]) n += x.n; return n }",
    "const order = ['a', 'b']; export const at = k => order[k]; Object.keys(order); console.log(order)",
    "export function compare(a, b, k) { return a[k] < b[k] ? -1 : a[k] > b[k] ? 1 : 0 }",
    "const byName = new Map(); export const find = name => byName.get(name)(name)",
];

#[test]
fn a_lookup_that_hands_nothing_on_is_a_no() {
    let mut wrong = Vec::new();
    for source in LOOKUPS {
        let report = scan_file("x.mjs", source);
        let verdicts = report.entitlements.verdicts();
        if verdicts.iter().any(|(_, verdict)| *verdict != EntitlementVerdict::No) {
            wrong.push((source, report.doubts));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
