//! Our scopes against those of another implementation: for real packages both agree about every
//! name, and where a trick makes them differ, ours sees less defined.

use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;

use super::walk;

/// A name, where it stands, and where it is defined in our eyes and in theirs.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    name: String,
    offset: u32,
    ours: Option<u32>,
    theirs: Option<u32>,
}

fn differences(program: &Program<'_>, length: usize) -> Vec<Difference> {
    let strict = program.source_type.is_module() || program.has_use_strict_directive();
    let walked = walk(program, length, strict);
    let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
    let mut found = Vec::new();
    for (mention, variable) in walked.mentions.iter().zip(&walked.names.references) {
        let ours = variable.map(|variable| walked.names.variables[variable.index()].start);
        let reference = mention.name.reference_id.get().map(|id| scoping.get_reference(id));
        let symbol = reference.and_then(oxc_semantic::Reference::symbol_id);
        let theirs = symbol.map(|symbol| scoping.symbol_span(symbol).start);
        // A module's parameters are not hidden by a `var`.
        let wrapped = ["require", "module", "exports", "__filename", "__dirname", "arguments"]
            .contains(&mention.name.name.as_str());
        if ours != theirs && !(wrapped && ours.is_none()) {
            let (name, offset) = (mention.name.name.to_string(), mention.name.span.start);
            found.push(Difference { name, offset, ours, theirs });
        }
    }
    found
}

fn differences_in(source: &str, kind: SourceType) -> Vec<Difference> {
    let arena = Allocator::default();
    let options = ParseOptions {
        preserve_parens: false,
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&arena, source, kind).with_options(options).parse();
    if parsed.panicked || !parsed.diagnostics.is_empty() {
        return Vec::new();
    }
    differences(&parsed.program, source.len())
}

fn compare_folder(folder: &Path, seen: &mut usize, out: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            compare_folder(&path, seen, out);
            continue;
        }
        let Some(end) = path.extension().and_then(|end| end.to_str()) else { continue };
        let kind = match end {
            "mjs" => SourceType::mjs(),
            "js" | "cjs" => SourceType::unambiguous(),
            _ => continue,
        };
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        *seen += 1;
        for difference in differences_in(&source, kind) {
            out.push(format!("{}: {difference:?}", path.display()));
        }
    }
}

#[test]
fn real_packages_have_the_same_scopes() {
    let packages = facets_testkit::repository_root().join("target/tools/servers/npm/node_modules");
    if !packages.is_dir() {
        return facets_testkit::skip("no npm packages; `cargo xtask setup` installs them");
    }
    let (mut seen, mut differ) = (0, Vec::new());
    compare_folder(&packages, &mut seen, &mut differ);
    assert!(seen > 1000, "{seen} files");
    assert!(differ.is_empty(), "{} of {seen} files:\n{}", differ.len(), differ.join("\n"));
}

/// Whether the last use of `x` in a program is one of its variables.
fn is_defined(source: &str, kind: SourceType) -> bool {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, source, kind).parse();
    assert!(parsed.diagnostics.is_empty(), "{source}: {:?}", parsed.diagnostics);
    let strict = parsed.program.source_type.is_module();
    let walked = walk(&parsed.program, source.len(), strict);
    let all = walked.mentions.iter().zip(&walked.names.references);
    let last = all.rev().find(|(mention, _)| mention.name.name == "x");
    last.expect("x is used").1.is_some()
}

#[test]
fn a_name_is_defined_only_where_the_language_says_so() {
    let defined = [
        "x; var x",
        "x(); function x() {}",
        "{ { var x } } x",
        "function f() { x; if (1) { for (var x of []); } }",
        "function f(x) { return () => x }",
        "function f({ a: [x] }) { x }",
        "function f(...x) { x }",
        "function f(y = x, x) {}",
        "function f(x, y = x) { var x; x }",
        "(function x() { x })",
        "(class x { a() { x } })",
        "class x {} x",
        "try {} catch (x) { x }",
        "try {} catch (x) { var x } x",
        "switch (1) { case 1: let x; case 2: x }",
        "for (let x in y) x",
        "let { a, ...x } = y; x",
        "{ function x() {} } x",
        "{ { function x() {} } } x",
        "if (1) function x() {} x",
        "function f(x, y = 1) { if (0) function x() {} x }",
        "class A { static { var x; { x } } }",
        "l: { var x; break l } x",
        "({ m(x) { x } })",
    ];
    for source in defined {
        assert!(is_defined(source, SourceType::cjs()), "{source}");
    }
    let undefined = [
        "{ let x } x",
        "function f() { var x } x",
        "function f(y = x) { var x }",
        "function f(y = () => x) { function x() {} }",
        "function f({ [x]: y }) { var x }",
        "(function x() {}); x",
        "(class x {}); x",
        "{ class x {} } x",
        "try {} catch (x) {} x",
        "switch (x) { case 1: let x }",
        "for (let x of y); x",
        // A function of a block is not seen beyond what has its name.
        "{ let x; { function x() {} } } x",
        "{ { function x() {} } let x } x",
        "'use strict'; { function y() {} } x",
        "(() => { 'use strict'; { function x() {} } x })",
        "{ async function x() {} } x",
        "{ function* x() {} } x",
        "class A { static { var x } } x",
        "x: for (;;) break x; x",
        "({ x() {} }); x",
        "({ x: 1 }); x",
        "y.x; x",
    ];
    for source in undefined {
        assert!(!is_defined(source, SourceType::cjs()), "{source}");
    }
}

#[test]
fn types_and_promises_define_nothing() {
    let undefined = [
        "interface x {} x",
        "type x = 1; x",
        "declare const x: any; x",
        "declare function x(): void; x",
        "function x(): void; x",
        "declare class x {} x",
        "declare enum x {} x",
        "declare namespace x { const y: 1 } x",
        "declare module 'm' { const x: 1 } x",
        "declare global { const x: 1 } x",
        "namespace x {} x",
        "namespace x { type y = 1; export interface Z {} } x",
        "namespace x { export declare const y: 1 } x",
        "namespace a.x { var x } x",
        "import type x from 'm'; x",
        "import { type x } from 'm'; x",
        "import type x = require('m'); x",
        "function f<x>() { return x }",
        "class A<x> { m() { x } }",
        "function f(this: x) { x }",
        "enum E { x } x",
    ];
    for source in undefined {
        assert!(!is_defined(source, SourceType::ts()), "{source}");
    }
    let defined = [
        "enum x {} x",
        "namespace x { export const y = 1 } x",
        "namespace x.y { let z } x",
        "import x from 'm'; x",
        "import { y as x } from 'm'; x",
        "import * as x from 'm'; x",
        "import x = require('m'); x",
        "abstract class x {} x",
        "class A { constructor(private x: any) { x } }",
        "function x(): void; function x() {} x",
    ];
    for source in defined {
        assert!(is_defined(source, SourceType::ts()), "{source}");
    }
}

/// Where we differ from the other implementation, the language is on our side, or nothing that
/// matters is lost.
#[test]
fn tricks_do_not_hide_a_global() {
    let program = "{ let fetch; { function fetch() {} } } fetch('x')";
    let found = differences_in(program, SourceType::cjs());
    assert!(found.iter().all(|difference| difference.ours.is_none()), "{found:?}");
    assert!(!found.is_empty(), "the other implementation has become as strict");
}
