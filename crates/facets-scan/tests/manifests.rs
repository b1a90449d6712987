//! Manifests and specifiers that runtimes and package managers do not read alike.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use facets_scan::{Report, Start};
use facets_surface::EntitlementVerdict;
use support::scan_files;

const EVIL: &str = "#!/usr/bin/env node\nrequire('fs').readFileSync('x')";

fn file(files: &[(&str, &str)]) -> Report {
    scan_files(files, &Start::Files(vec![format!("/{}", files[0].0)]))
}

fn reaches_files(report: &Report) -> bool {
    report.entitlements.filesystem != EntitlementVerdict::No
}

/// A program that loads the package `p`, of which `evil.js` is what some runtime runs.
fn with_package(manifest: &str) -> Report {
    file(&[
        ("p/a.cjs", "require('p')"),
        ("p/node_modules/p/package.json", manifest),
        ("p/node_modules/p/evil.js", EVIL),
        ("p/node_modules/p/good.js", "1"),
        ("p/node_modules/p/index.js", "1"),
        ("p/node_modules/p/node_modules/good.js", "1"),
    ])
}

#[test]
fn targets_that_node_skips_do_not_hide_the_next() {
    assert!(!reaches_files(&with_package(r#"{"exports":["./good.js","./evil.js"]}"#)));
    for exports in [
        r#"["good.js","./evil.js"]"#,
        r#"["./x/../good.js","./evil.js"]"#,
        r#"["./node_modules/good.js","./evil.js"]"#,
        r#"["./Node_Modules/good.js","./evil.js"]"#,
        r#"{".":["good.js","./evil.js"]}"#,
        r#"[{"node":"good.js"},"./evil.js"]"#,
        r#""./go%6fd.js""#,
        r#""./x\\good.js""#,
    ] {
        let report = with_package(&format!(r#"{{"name":"p","exports":{exports}}}"#));
        assert!(reaches_files(&report), "{exports}");
    }
    let own = r##"{"name":"p","imports":{"#p":["./x/../good.js","./evil.js"]}}"##;
    let report = file(&[
        ("p/a.cjs", "require('#p')"),
        ("p/package.json", own),
        ("p/good.js", "1"),
        ("p/evil.js", EVIL),
    ]);
    assert!(reaches_files(&report));
}

#[test]
fn a_star_stands_for_what_node_says() {
    for (specifier, exports) in [
        ("p/*", r#"{"./*":"./lib/*.js"}"#),
        ("p/ab", r#"{"./ab*":"./lib/.js","./a*":"./lib/*.js"}"#),
    ] {
        let report = file(&[
            ("p/a.cjs", &format!("require('{specifier}')")),
            ("p/node_modules/p/package.json", &format!(r#"{{"exports":{exports}}}"#)),
            ("p/node_modules/p/lib/*.js", EVIL),
            ("p/node_modules/p/lib/b.js", EVIL),
            ("p/node_modules/p/lib/.js", "1"),
        ]);
        assert!(reaches_files(&report), "{specifier}");
    }
}

#[test]
fn a_manifest_that_bun_reads_differently_is_doubted() {
    assert!(!reaches_files(&with_package(r#"{"main":"./good.js","big":12345678901234567890}"#)));
    for manifest in [
        r#"{"main":"./evil.js","main":"./good.js"}"#,
        r#"{"main":"./good.js","main":"./evil.js"}"#,
        r#"{"name":"p", /* c */ "main":"./evil.js"}"#,
        "{\"main\":\"./evil.js\" // c\n}",
        r#"{"main":"./evil.js",}"#,
        r#"{"main":"x\\evil.js"}"#,
    ] {
        assert!(reaches_files(&with_package(manifest)), "{manifest}");
    }
}

#[test]
fn commands_are_found_as_package_managers_find_them() {
    for manifest in [
        r#"{"main":"good.js","bin":["./evil.js"]}"#,
        r#"{"main":"good.js","bin":{"b":"a\\b.js"}}"#,
        r#"{"main":"good.js","bin":{"b":"../x.js"}}"#,
        r#"{"main":"good.js","bin":{"b":"./evil.js"},"bin":{"b":"./good.js"}}"#,
        r#"{"main":"good.js","bin":{},"directories":{"bin":"./b"}}"#,
    ] {
        let good = "#!/usr/bin/env node\n1";
        let files = [
            ("p/package.json", manifest),
            ("p/good.js", good),
            ("p/evil.js", EVIL),
            ("p/a\\b.js", good),
            ("p/a/b.js", EVIL),
            ("p/x.js", EVIL),
            ("p/b/be", EVIL),
            ("x.js", good),
        ];
        let report = scan_files(&files, &Start::Folder("/p".to_owned()));
        assert!(reaches_files(&report), "{manifest}");
    }
}

#[test]
fn names_that_only_one_runtime_brings_are_packages_for_others() {
    for name in ["bun", "sqlite", "quic", "sea", "test"] {
        let package = format!("p/node_modules/{name}/index.js");
        let files = [("p/a.mjs", &*format!("import '{name}'")), (&package, EVIL)];
        assert!(reaches_files(&file(&files)), "{name}");
        assert!(reaches_files(&file(&[("p/a.cjs", &format!("require('{name}')")), files[1]])));
    }
    let report = file(&[("p/a.mjs", "import { version } from 'bun'; version")]);
    assert!(!reaches_files(&report), "{report:#?}");
}

#[test]
fn a_url_is_never_a_package() {
    for specifier in
        ["DATA:text/javascript,1", " data:text/javascript,1", "NODE:fs", " node:fs", "file:./x"]
    {
        let package = format!("p/node_modules/{specifier}/index.js");
        let report = file(&[("p/a.mjs", &format!("import '{specifier}'")), (&package, "1")]);
        assert!(reaches_files(&report), "{specifier}");
    }
}

#[test]
fn data_of_others_is_a_file() {
    let secret = ("user/secret.json", "{}");
    for (name, source) in [
        ("p/a.cjs", "require('../user/secret.json')"),
        ("p/a.mjs", "import x from '/user/secret.json' with { type: 'json' }"),
        ("p/a.cjs", "require('dep/../../../user/secret.json')"),
    ] {
        let report = file(&[(name, source), secret]);
        assert_eq!(report.entitlements.filesystem, EntitlementVerdict::Yes, "{source}");
        let files = [(name, source), secret, ("p/package.json", r#"{"main":"a"}"#)];
        let folder = scan_files(&files, &Start::Folder("/p".to_owned()));
        assert!(reaches_files(&folder), "{source}");
    }
    let own = [
        ("p/src/a.cjs", "require('../package.json'); require('dep')"),
        ("p/package.json", r#"{"main":"src/a.cjs"}"#),
        ("node_modules/dep/package.json", "{}"),
        ("node_modules/dep/index.js", "require('./data.json')"),
        ("node_modules/dep/data.json", "{}"),
    ];
    assert!(!reaches_files(&file(&own)));
    assert!(!reaches_files(&scan_files(&own, &Start::Folder("/p".to_owned()))));
}

#[test]
fn what_another_file_gives_to_be_served_is_never_a_no() {
    let lib = ("p/lib.mjs", "export const app = { fetch() { return new Response('hi') } }");
    for source in [
        "export { app as default } from './lib.mjs'",
        "import { app } from './lib.mjs'; export default app",
        "export * as default from './lib.mjs'",
        "import { app } from './lib.mjs'; const a = app; export { a as default }",
    ] {
        let report = file(&[("p/a.mjs", source), lib]);
        assert_ne!(report.entitlements.network, EntitlementVerdict::No, "{source}");
    }
    let waits = ("p/lib.mjs", "export const then = r => r({ default: { fetch() {} } })");
    let report = file(&[("p/a.mjs", "export * from './lib.mjs'"), waits]);
    assert_ne!(report.entitlements.network, EntitlementVerdict::No);
    // Only what is started is served.
    let report = file(&[
        ("p/a.mjs", "import './lib.mjs'"),
        ("p/lib.mjs", "export default f()\nfunction f() {}"),
    ]);
    assert_eq!(report.entitlements.network, EntitlementVerdict::No);
}

#[test]
fn metadata_of_decorators_is_doubted() {
    let source =
        "Reflect.metadata = (k, v) => new v('x')(); const d = () => {}; class A { @d p: Function }";
    let settings = r#"{"compilerOptions":{"emitDecoratorMetadata":true}}"#;
    let report = file(&[("p/a.ts", source), ("p/tsconfig.json", settings)]);
    assert_ne!(report.entitlements.code_evaluation, EntitlementVerdict::No);
}
