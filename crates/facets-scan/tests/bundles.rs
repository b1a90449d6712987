//! Bundles as bun 1.4 writes them: what they reach is known, whatever their helpers look like. And
//! programs that have the helpers of bun and use them for something else: none of them is a no.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use facets_scan::{Report, Start};
use facets_surface::EntitlementVerdict::{self, No, Unknown, Yes};
use support::{scan_file, scan_files};

/// All helpers that copy members, as bun writes them.
const HELPERS: &str = r#"// @bun
var __create = Object.create;
var __getProtoOf = Object.getPrototypeOf;
var __defProp = Object.defineProperty;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __hasOwnProp = Object.prototype.hasOwnProperty;
function __accessProp(key) {
  return this[key];
}
var __reExport = (target, mod, secondTarget) => {
  var keys = mod && typeof mod === "object" || typeof mod === "function" ? __getOwnPropNames(mod) : [];
  for (let key of keys)
    if (!__hasOwnProp.call(target, key) && key !== "default")
      __defProp(target, key, {
        get: __accessProp.bind(mod, key),
        enumerable: true
      });
  if (secondTarget) {
    for (let key of keys)
      if (!__hasOwnProp.call(secondTarget, key) && key !== "default")
        __defProp(secondTarget, key, {
          get: __accessProp.bind(mod, key),
          enumerable: true
        });
    return secondTarget;
  }
};
var __toESMCache_node;
var __toESMCache_esm;
var __toESM = (mod, isNodeMode, target) => {
  var canCache = mod != null && typeof mod === "object";
  if (canCache) {
    var cache = isNodeMode ? __toESMCache_node ??= new WeakMap : __toESMCache_esm ??= new WeakMap;
    var cached = cache.get(mod);
    if (cached)
      return cached;
  }
  target = mod != null ? __create(__getProtoOf(mod)) : {};
  const to = isNodeMode || !mod || !mod.__esModule || !__hasOwnProp.call(mod, "default") ? __defProp(target, "default", { value: mod, enumerable: true }) : target;
  if (mod && typeof mod === "object" || typeof mod === "function") {
    for (let key of __getOwnPropNames(mod))
      if (!__hasOwnProp.call(to, key))
        __defProp(to, key, {
          get: __accessProp.bind(mod, key),
          enumerable: true
        });
  }
  if (canCache)
    cache.set(mod, to);
  return to;
};
var __toCommonJS = (from) => {
  var entry = (__moduleCache ??= new WeakMap).get(from), desc;
  if (entry)
    return entry;
  entry = __defProp({}, "__esModule", { value: true });
  if (from && typeof from === "object" || typeof from === "function") {
    for (var key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(entry, key))
        __defProp(entry, key, {
          get: __accessProp.bind(from, key),
          enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable
        });
  }
  __moduleCache.set(from, entry);
  return entry;
};
var __moduleCache;
var __commonJS = (cb, mod) => () => (mod || cb((mod = { exports: {} }).exports, mod), mod.exports);
var __returnValue = (v) => v;
function __exportSetter(name, newValue) {
  this[name] = __returnValue.bind(null, newValue);
}
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, {
      get: all[name],
      enumerable: true,
      configurable: true,
      set: __exportSetter.bind(all, name)
    });
};
var __esm = (fn, res, err) => () => {
  if (fn)
    try {
      res = fn(fn = 0);
    } catch (e) {
      err = [e];
    }
  if (err)
    throw err[0];
  return res;
};
var __exportCjs = (target, getters, setters) => {
  for (var name in getters)
    __defProp(target, name, {
      get: getters[name],
      set: setters[name],
      enumerable: true,
      configurable: true
    });
};
var __require = import.meta.require;
"#;

/// A package, and a server that uses its exports.
const SERVER: &str = r#"
// node_modules/add/index.js
var require_add = __commonJS(function(exports, module) {
  var fs = __require("fs");
  exports.add = (x, y) => x + y;
  exports.read = (path) => fs.readFileSync(path, "utf8");
});

// server.js
var import_add = __toESM(require_add());
console.log(import_add.add(1, 2), import_add.default.read("x"), Object.values(import_add));
"#;

/// Ways up for attacks: `up` is what async functions inherit, whose constructor evaluates a text.
const WAYS: &str = r#"
const same = (x) => x;
const f = async () => {};
const up = Object.getPrototypeOf(same(f));
const K = ["constr", "uctor"].join("");
function use(values) {
  for (const value of Object.values(values)) {
    try { value("code")(); } catch {}
  }
}
"#;

/// The helpers from one to another.
fn part(from: &str, to: &str) -> &'static str {
    &HELPERS[HELPERS.find(from).unwrap()..HELPERS.find(to).unwrap()]
}

/// The helper that wraps a module.
fn common_js() -> &'static str {
    part("var __commonJS", "var __returnValue")
}

/// The helpers of a bundle that only imports from packages.
fn few_helpers() -> String {
    [
        part("var __create", "var __getOwnPropDesc"),
        part("var __hasOwnProp", "var __reExport"),
        part("var __toESMCache_node", "var __toCommonJS"),
        common_js(),
    ]
    .concat()
}

fn scan_bundle(code: &str) -> Report {
    scan_file("server.facet.mjs", &format!("{HELPERS}{code}"))
}

fn verdicts(report: &Report) -> Vec<EntitlementVerdict> {
    report.entitlements.verdicts().iter().map(|(_, verdict)| *verdict).collect()
}

fn is_clean(code: &str) -> bool {
    verdicts(&scan_bundle(code)).iter().all(|verdict| *verdict == No)
}

fn is_unknown(report: &Report) -> bool {
    !report.doubts.is_empty() && verdicts(report).iter().all(|verdict| *verdict != No)
}

/// The exports of a module that bun wraps, of which all members are used.
fn module_of(body: &str) -> String {
    format!(
        "{WAYS}\nvar require_x = __commonJS(function(exports, module) {{\n  {body}\n}});\nuse(__toESM(require_x()));"
    )
}

#[test]
fn what_a_bundle_reaches_is_known() {
    let report = scan_bundle(SERVER);
    assert_eq!(report.entitlements.filesystem, Yes, "{report:#?}");
    assert!(report.doubts.is_empty(), "{report:#?}");
    for verdict in [
        report.entitlements.network,
        report.entitlements.subprocess,
        report.entitlements.crypto,
        report.entitlements.code_evaluation,
    ] {
        assert_eq!(verdict, No, "{report:#?}");
    }
}

#[test]
fn a_bundle_that_starts_programs_is_a_yes() {
    let report = scan_bundle(
        "var require_x = __commonJS(function(exports) {
          exports.run = __require(\"child_process\").execSync;
        });
        var import_x = __toESM(require_x(), 1);
        import_x.run(\"id\");",
    );
    assert_eq!(report.entitlements.subprocess, Yes);
    assert_eq!(report.entitlements.code_evaluation, No, "{report:#?}");
}

#[test]
fn modules_of_every_kind_are_followed() {
    for code in [
        // Modules of a language in each other.
        r"
var require_b = __commonJS(function(exports, module) {
  module.exports = { plus: (x, y) => x + y };
});
var exports_esm = {};
__export(exports_esm, {
  default: () => Q,
  hello: () => hello,
  x: () => x
});
function hello() {
  return import_b.plus(1, 2);
}
class Q {
}
var import_b, x = 1;
var init_esm = __esm(() => {
  import_b = __toESM(require_b(), 1);
});
var require_a = __commonJS(function(exports, module) {
  var esm = (init_esm(), __toCommonJS(exports_esm));
  module.exports = { f: () => esm.hello() };
});
init_esm();
var import_a = __toESM(require_a());
console.log(import_a.default.f(), exports_esm, (await Promise.resolve().then(() => __toESM(require_b()))).default);
",
        // Everything of a module once more, and a module that was not wrapped.
        r#"
var require_b = __commonJS(function(exports, module) {
  module.exports = { plus: (x, y) => x + y };
});
var exports_server = {};
__export(exports_server, {
  q: () => exports_a
});
var exports_a = {};
__exportCjs(exports_a, {
  add: () => $add,
  name: () => $name
}, {
  add: (value) => $add = value,
  name: (value) => $name = value
});
__reExport(exports_server, __toESM(require_b()));
var b = require_b();
var $add = (x, y) => b.plus(x, y);
var $name = "a";
console.log(exports_server);
export {
  $add as add
};
"#,
        // JSON.
        r"
var require_data = __commonJS(function(exports, module) {
  module.exports = { x: [1, 2] };
});
console.log(__toESM(require_data()).default.x);
",
    ] {
        assert!(is_clean(code), "{code}\n{:#?}", scan_bundle(code));
    }
}

#[test]
fn helpers_may_have_other_names_and_stand_alone() {
    let renamed = HELPERS
        .replace("__toESM", "__toESM2")
        .replace("mod", "mod2")
        .replace("key", "key2")
        .replace("name", "name2");
    let server = SERVER.replace("__toESM", "__toESM2");
    let report = scan_file("a.mjs", &format!("{renamed}{server}"));
    assert!(report.doubts.is_empty(), "{report:#?}");
    // For Node, a bundle loads modules with a function of its own.
    let node = HELPERS.replace("import.meta.require", "createRequire(import.meta.url)");
    let node = format!("import {{ createRequire }} from \"node:module\";\n{node}{SERVER}");
    let report = scan_file("a.mjs", &node);
    assert!(report.doubts.is_empty(), "{report:#?}");
    assert_eq!(report.entitlements.network, No);
    // Without packages there are only the exports of modules.
    let alone = format!(
        "{}{}var exports_x = {{}};\n__export(exports_x, {{ a: () => a }});\nvar a = 1;\nconsole.log(exports_x);",
        part("var __defProp", "var __getOwnPropNames"),
        part("var __returnValue", "var __esm"),
    );
    let report = scan_file("a.mjs", &alone);
    assert!(report.doubts.is_empty(), "{report:#?}");
}

#[test]
fn exports_that_the_program_made_are_known() {
    for body in [
        "",
        "exports.a = 1;",
        "module.exports = { a: 1 };",
        "module.exports = [1];",
        "module.exports = \"text\";",
        "module.exports = /x/;",
        "module.exports = function f() { return this; }; module.exports.a = 1;",
        "module.exports = () => 1;",
        "module.exports = class A { };",
        "class A { } module.exports = A; module.exports.A = A;",
        "function g() { } module.exports = g; module.exports.default = module.exports;",
        "const o = { a: 1 }; module.exports = o;",
        "module.exports = exports = function() { };",
        "var g = module.exports = function() { };",
        "module.exports = exports;",
        "module.exports = same ? { a: 1 } : function() { };",
        "module.exports = Array.isArray || function(x) { };",
        "module.exports = Object.freeze({ a: 1 });",
        "module.exports = Object.assign(function() { }, { a: 1 });",
        "module.exports = new Map;",
        "module.exports = undefined;",
        "module.exports ||= { a: 1 };",
        "if (typeof module === \"object\" && module.exports) exports.a = 1;",
        "same(exports); exports.self = module.exports;",
        "function g() { return arguments.length; } exports.g = g;",
        "module.exports = require_x();",
        "const list = [1]; list.concat(Array.prototype.slice.call(list)); exports.list = list;",
        "exports.bind = f; exports.next = () => 1;",
        "class L { } L.prototype[Symbol.iterator] = function* () { }; L.prototype.next = function() { };",
        "const node = {}; node.next = exports; exports.node = node;",
        "const map = { a: 1 }; exports.half = (key) => map[key] / 2;",
        "Object.getOwnPropertyDescriptor(exports, \"a\");",
    ] {
        let code = module_of(body);
        assert!(is_clean(&code), "{body}\n{:#?}", scan_bundle(&code));
    }
}

#[test]
fn exports_that_the_program_may_not_have_made_are_unknown() {
    for body in [
        "module.exports = up;",
        "module.exports = same(up);",
        "module.exports = exports = up;",
        "module.exports = up || {};",
        "module.exports = same ? up : {};",
        "module.exports = (1, up);",
        "module.exports ||= up; module.exports &&= up; module.exports ??= up;",
        "module.exports = Object.assign(up, { a: 1 });",
        "module.exports = Object.freeze(up);",
        "let o = {}; o = up; module.exports = o;",
        "function g() { } g = up; module.exports = g;",
        "const o = { up }; module.exports = o.up;",
        "const { o } = { o: up }; module.exports = o;",
        "module.exports = new (class { constructor() { return up; } });",
        "module.exports = Object.prototype;",
        "module.exports = console;",
        "module.exports = f.prototype;",
        "module.exports = (() => up)();",
        "module.exports = require_up();",
        "[module.exports] = [up];",
        "({ a: module.exports } = { a: up });",
        "[module.exports = up] = [];",
        "[...module.exports] = [up];",
        "for (module.exports of [up]);",
        "const set = (m) => { m.exports = up; }; set(module);",
        "const m = module; m.exports = up;",
        "const o = { module }; o.module.exports = up;",
        "module[\"exports\"] = up;",
        "module[K] = up;",
        "Object.defineProperty(module, \"exports\", { value: up });",
        "Object.assign(module, { exports: up });",
        "arguments[1].exports = up;",
        "(() => { arguments[1].exports = up; })();",
        "const [, m] = arguments; m.exports = up;",
        "module.exports = function() { this.exports = up; }; module.exports();",
        "module.exports = function() { this.exports = up; }; module.exports?.();",
        "module.exports = function() { this.exports = up; }; module.exports``;",
        "with_(module, up); function with_(m, value) { m.exports = value; }",
        "class A { static { module.exports = up; } }",
        "() => () => { module.exports = up; };",
        "export_(() => module); function export_(get) { get().exports = up; }",
    ] {
        let code = module_of(body).replace(
            "var require_x",
            "var require_up = __commonJS(function(exports, module) { module.exports = up; });\nvar require_x",
        );
        assert!(is_unknown(&scan_bundle(&code)), "{body}");
    }
}

/// Each has the helpers of bun, and may evaluate a text with them.
#[rustfmt::skip]
const ATTACKS: &[&str] = &[
    // The helper that gives any member, by itself.
    "__accessProp.call(f, K)(\"code\")();",
    "const get = __accessProp; get.call(f, K)(\"code\")();",
    "const get = __accessProp.bind(f, K); get()(\"code\")();",
    "const o = { get: __accessProp }; use([o.get.apply(f, [K])]);",
    "use([Reflect.apply(__accessProp, f, [K])]);",
    "f.get = __accessProp; use([f.get(K)]);",
    "class A { get = __accessProp; } use([new A().get.call(f, K)]);",
    "export { __accessProp };",
    "export default __accessProp;",
    // Helpers that copy members, of what is no module.
    "use(__toESM(up));",
    "use(__toESM(same(up)));",
    "use(__toESM(globalThis));",
    "use(__toESM(f));",
    "use(__toESM(\"text\"));",
    "use(__toESM(() => {}));",
    "use(__toESM(await import(\"fs\")));",
    "use(__toESM({ a: 1 }));",
    "use(__toESM(...[up]));",
    "use(__toESM(up, 1));",
    "use([up].map(__toESM)[0]);",
    "use(__toESM.call(null, up));",
    "use(__toESM.bind(null, up)());",
    "const convert = __toESM; use(convert(up));",
    "let convert; convert = __toESM; use(convert(up));",
    "use(__toESM?.(up));",
    "use(__toESM`text`);",
    "export { __toESM };",
    "export { __toESM as default };",
    "use(__toCommonJS(up));",
    "Object.values(__toCommonJS(f));",
    "const o = {}; __reExport(o, up); use(o);",
    "const o = {}; __reExport(o, f); use(o);",
    "const o = {}, p = {}; __reExport(o, {}, __reExport(p, up, p)); use(p);",
    "__reExport(same, __toESM(up));",
    // Helpers that define members, with others than bun gives them.
    "const o = {}; __export(o, same(f)); o.x;",
    "const o = {}; __export(o, up);",
    "const o = {}; __export(o, { __proto__: f });",
    "const o = {}; __export(o, { ...up });",
    "const o = {}; __export(o, { [K]: f });",
    "__export(same({}), { a: () => 1 });",
    "const o = {}; __exportCjs(o, { constructor: () => 1 }, f);",
    "const o = {}; __exportCjs(o, { constructor: () => 1 }, {});",
    "const o = {}; [up].forEach((all) => __export(o, all));",
    "const o = {}; [[o, up]].forEach((all) => __export(...all));",
    // A module that is none.
    "var require_x = __commonJS(() => {}, { exports: up }); use(__toESM(require_x()));",
    "var require_x = __commonJS(...[() => {}, { exports: up }]); use(__toESM(require_x()));",
    "var require_x = () => up; use(__toESM(require_x()));",
    "var require_x = __commonJS(function() {}); require_x = () => up; use(__toESM(require_x()));",
    "var require_x = __commonJS(function() {}) && (() => up); use(__toESM(require_x()));",
    "var require_x = __commonJS(run); function run(exports, module) { module.exports = up; } use(__toESM(require_x()));",
    "var require_x = __commonJS(function run(exports, module) { if (module) run(0, 0); else up; }); use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports, { exports: x }) {}); use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports, module = up) {}); use(__toESM(require_x()));",
    "var require_x = __commonJS(function(...all) { all[1].exports = up; }); use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports) { exports.a = 1; }); use(__toESM(require_x.call()));",
    "var require_x = __commonJS(function(exports) { exports.a = 1; }); use(__toESM(same(require_x())));",
    // Helpers or what they use, replaced.
    "var require_x = __commonJS(function(exports, module) { module.exports = () => {}; }); __getOwnPropNames = () => [K]; use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports, module) { module.exports = () => {}; }); [__getOwnPropNames] = [() => [K]]; use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports, module) { module.exports = () => {}; }); __commonJS = () => () => up; use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports, module) { module.exports = () => {}; }); __accessProp = (key) => key; use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports, module) { module.exports = () => {}; }); __toESMCache_esm = { get: () => up }; use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports, module) { module.exports = () => {}; }); class WeakMap { get() { return up; } } use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports, module) { module.exports = () => {}; }); Object.getOwnPropertyNames = () => [K]; use(__toESM(require_x()));",
    "var require_x = __commonJS(function(exports, module) { module.exports = () => {}; }); const O = Object; O.getOwnPropertyNames = () => [K]; use(__toESM(require_x()));",
    // What the runtime does for them, replaced: a list of names then gives other names.
    "Array.prototype[Symbol.iterator] = function* () { yield K; }; var require_x = __commonJS(function(exports, module) { module.exports = async () => {}; }); use(__toESM(require_x()));",
    "Object.defineProperty(Array.prototype, Symbol.iterator, { value: function* () { yield K; } }); var require_x = __commonJS(function(exports, module) { module.exports = async () => {}; }); use(__toESM(require_x()));",
    "const list = Array.prototype; list[Symbol.iterator] = function* () { yield K; }; var require_x = __commonJS(function(exports, module) { module.exports = async () => {}; }); use(__toESM(require_x()));",
    "const list = Object.getPrototypeOf([]); list[Symbol.iterator] = function* () { yield K; }; var require_x = __commonJS(function(exports, module) { module.exports = async () => {}; }); use(__toESM(require_x()));",
    "const list = Object.getPrototypeOf([]), each = Symbol.iterator; list[each] = function* () { yield K; }; var require_x = __commonJS(function(exports, module) { module.exports = async () => {}; }); use(__toESM(require_x()));",
    "const each = Object.getPrototypeOf([].values()); let n = 0; each.next = () => ({ value: K, done: n++ > 0 }); var require_x = __commonJS(function(exports, module) { module.exports = async () => {}; }); use(__toESM(require_x()));",
    "const each = Object.getPrototypeOf([].values()); let n = 0; const next = () => ({ value: K, done: n++ > 0 }); each.next = next; var require_x = __commonJS(function(exports, module) { module.exports = async () => {}; }); use(__toESM(require_x()));",
    "Array[\"prototype\"][Symbol.iterator] = function* () { yield K; }; var require_x = __commonJS(function(exports, module) { module.exports = async () => {}; }); use(__toESM(require_x()));",
    "class L extends Array { static { super.prototype[Symbol.iterator] = function* () { yield K; }; } } var require_x = __commonJS(function(exports, module) { module.exports = async () => {}; }); use(__toESM(require_x()));",
    "let get; const all = Object.getPrototypeOf(same(() => {})), bind = all.bind; all.bind = function(...x) { get = this; return bind.apply(this, x); }; var require_x = __commonJS(function(exports) { exports.a = 1; }); __toESM(require_x()); use([get.call(f, K)]);",
    "let get; const all = Object.getPrototypeOf(same(() => {})); [all.call] = [function(...x) { get = x; }]; var require_x = __commonJS(function(exports) { exports.a = 1; }); __toESM(require_x());",
    // An accessor of a module under `constructor` gives the helper away when it is constructed.
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const look = ({})[L], Get = look.call(all, K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const map = {}, Get = map[L].call(all, K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const Get = all[L](K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const Get = all.__lookupGetter__(K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const Get = all[\"__lookup\" + \"Getter__\"](K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const Get = ({})[\"__lookup\" + L.slice(8)].call(all, K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const { __lookupGetter__: look } = all; const Get = look.call(all, K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const { [L]: look } = {}; const Get = look.call(all, K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const { [\"__lookup\" + \"Getter__\"]: look } = {}; const Get = look.call(all, K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); let look; ({ __lookupGetter__: look } = {}); const Get = look.call(all, K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); let __lookupGetter__; ({ __lookupGetter__ } = {}); const Get = __lookupGetter__.call(all, K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const Get = Reflect.get({}, \"__lookupGetter__\").call(all, K); new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const Get = Object.getOwnPropertyDescriptor(all, K).get; new Get().call(f, K)(\"code\")();",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); use(Reflect.construct(({})[L].call(all, K), []));",
    "var require_x = __commonJS(function(exports, module) { module.exports = { [K]: 1 }; }); const all = __toESM(require_x()); const L = [\"__lookup\", \"Getter__\"].join(\"\"); const o = Object.create(all); o.look = ({})[L]; const Get = o.look(K); new Get().call(f, K)(\"code\")();",
];

#[test]
fn helpers_for_something_else_are_out_of_sight() {
    assert!(is_clean(&module_of("exports.a = 1;")), "the ways up alone are no attack");
    let missed: Vec<&&str> = ATTACKS
        .iter()
        .filter(|attack| !is_unknown(&scan_bundle(&format!("{WAYS}{attack}"))))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(ATTACKS.len() > 75, "{}", ATTACKS.len());
}

#[test]
fn helpers_that_are_not_word_for_word_are_out_of_sight() {
    let server = SERVER.replace("__require(\"fs\")", "{}");
    let scan = |helpers: &str| scan_file("a.mjs", &format!("{helpers}{server}"));
    let known = few_helpers();
    assert!(verdicts(&scan(&known)).iter().all(|verdict| *verdict == No));
    for (from, to) in [
        ("return this[key];", "return this[key] || up;"),
        ("return this[key];", "return this[\"constr\" + key];"),
        ("__getOwnPropNames(mod))", "[\"constr\" + \"uctor\"])"),
        ("get: __accessProp.bind(mod, key)", "get: __accessProp.bind(f, key)"),
        ("get: __accessProp.bind(mod, key)", "get: __accessProp.bind(mod, \"constr\" + \"uctor\")"),
        (
            "var __getOwnPropNames = Object.getOwnPropertyNames;",
            "var __getOwnPropNames = (x) => [x];",
        ),
        (
            "var __getOwnPropNames = Object.getOwnPropertyNames;",
            "var __getOwnPropNames = Reflect.ownKeys;",
        ),
        ("var __create = Object.create;", "var __create = Object.getPrototypeOf;"),
        ("var __hasOwnProp = Object.prototype.hasOwnProperty;", "var __hasOwnProp = Object.is;"),
        ("mod = { exports: {} }", "mod = { exports: up }"),
        ("mod.exports);", "mod);"),
        ("var __commonJS = (cb, mod)", "var __commonJS = (cb, mod = up)"),
        ("function __accessProp(key) {", "function __accessProp(key, x = up) {"),
        (
            "var __toESM = (mod, isNodeMode, target)",
            "var __toESM = async (mod, isNodeMode, target)",
        ),
        ("var __toESMCache_node;", "var __toESMCache_node = up;"),
        ("var __toESM = ", "export var __toESM = "),
        ("function __accessProp", "export function __accessProp"),
    ] {
        let helpers = known.replace(from, to);
        assert_ne!(helpers, known, "{from}");
        let report = scan(&helpers);
        assert!(is_unknown(&report), "{to}\n{report:#?}");
    }
}

#[test]
fn helpers_elsewhere_than_at_the_top_of_strict_code_are_out_of_sight() {
    let server = SERVER.replace("__require(\"fs\")", "{}");
    let helpers = few_helpers();
    let inside = format!("(() => {{ {helpers}{server} }})();\nexport {{}};");
    assert!(is_unknown(&scan_file("a.mjs", &inside)));
    let sloppy = scan_file("a.cjs", &format!("{helpers}{server}"));
    assert!(is_unknown(&sloppy));
    let strict = scan_file("a.cjs", &format!("'use strict';\n{helpers}{server}"));
    assert!(strict.doubts.is_empty(), "{strict:#?}");
}

#[test]
fn a_class_that_a_decorator_may_replace_is_out_of_sight() {
    let class = |head: &str| module_of(&format!("{head} class A {{ }} module.exports = A;"));
    let scan = |code: &str| scan_file("a.ts", &format!("{HELPERS}{code}"));
    let plain = scan(&class(""));
    assert!(plain.doubts.is_empty(), "{plain:#?}");
    assert!(is_unknown(&scan(&class("@(() => up)"))));
}

#[test]
fn a_bundle_is_known_only_if_it_is_the_whole_program() {
    let source = format!("{HELPERS}{SERVER}");
    let scan =
        |files: &[(&str, &str)]| scan_files(files, &Start::Files(vec!["/server.mjs".to_owned()]));
    let alone = scan(&[("server.mjs", source.as_str()), ("other.mjs", "export const x = 1;")]);
    assert!(alone.doubts.is_empty(), "{alone:#?}");
    let more = format!("{source}import \"./other.mjs\";");
    let more = scan(&[("server.mjs", more.as_str()), ("other.mjs", "export const x = 1;")]);
    assert!(is_unknown(&more), "{more:#?}");
    assert_eq!(more.doubts[0].what.reason, "copies members that other files may use");
    let loaded = "import { x } from \"./bundle.mjs\"; console.log(x);";
    let loaded = scan(&[("server.mjs", loaded), ("bundle.mjs", source.as_str())]);
    assert!(is_unknown(&loaded), "{loaded:#?}");
    let data = format!("{source}import data from \"./data.json\";");
    let data = scan(&[("server.mjs", data.as_str()), ("data.json", "{}")]);
    assert!(data.doubts.is_empty(), "{data:#?}");
}

#[test]
fn a_doubt_says_which_module_is_unknown() {
    let report = scan_bundle(&module_of("module.exports = up;"));
    let line = format!("{HELPERS}{}", module_of("module.exports = up;")).lines().count();
    let doubts: Vec<_> = report.doubts.iter().map(|one| &one.what).collect();
    assert_eq!(doubts.len(), 1, "{doubts:#?}");
    assert_eq!(doubts[0].reason, "copies the members of an unknown value");
    assert_eq!(doubts[0].line as usize, line);
}

/// What is exported by the module with which a bundle starts.
fn network_of(body: &str, after: &str) -> EntitlementVerdict {
    let code = format!(
        "{}var require_server = __commonJS(function(exports, module) {{ {body} }});\n{after}export default require_server();",
        common_js()
    );
    scan_file("server.facet.mjs", &code).entitlements.network
}

#[test]
fn a_module_that_starts_a_bundle_is_not_served() {
    for body in [
        "",
        "console.log(1);",
        "exports.run = () => 1;",
        "module.exports = { run: () => 1 };",
        "module.exports = function run() { };",
        "Object.defineProperty(exports, \"__esModule\", { value: true }); exports.run = 1;",
        "module.exports.run = () => 1; typeof module; typeof exports;",
    ] {
        assert_eq!(network_of(body, ""), No, "{body}");
    }
}

#[test]
fn a_module_that_bun_may_serve_is_out_of_sight() {
    for body in [
        "exports.fetch = () => 1;",
        "exports.default = make(); function make() { return {}; }",
        "exports.run(); exports.run = 1;",
        "const x = exports; x.fetch = () => 1;",
        "give(exports); function give(x) { x.fetch = () => 1; }",
        "const x = module.exports = {}; x.fetch = () => 1;",
        "exports[\"fet\" + \"ch\"] = () => 1;",
        "module.exports = make(); function make() { return {}; }",
        "module.exports = { fetch() { } };",
        "Object.defineProperty(exports, \"fetch\", { value: () => 1 });",
        "Object.assign(exports, { fetch() { } });",
        "({ a: exports.fetch } = { a: () => 1 });",
        "give(module); function give(x) { x.exports = { fetch() { } }; }",
    ] {
        assert_ne!(network_of(body, ""), No, "{body}");
    }
    assert_ne!(network_of("", "require_server().fetch = () => 1;\n"), No);
    assert_ne!(network_of("", "const x = require_server(); x.fetch = () => 1;\n"), No);
    assert_eq!(network_of("fetch(\"https://example.com\");", ""), Yes);
    assert_eq!(network_of("module.exports = same(1); const same = (x) => x;", ""), Unknown);
}
