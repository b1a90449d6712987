//! One file: parsed, its scopes resolved, its names judged.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;

use crate::Analysis;
use crate::collect::collect;
use crate::judge::judge;
use crate::values::Values;

/// Why a file could not be analysed. Its program may then do anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Not UTF-8.
    NotText,
    /// Not a program, as far as the parser can tell.
    Syntax,
}

/// Analyses a file. Deeply nested source exhausts the stack, so hostile source is for a cage.
pub fn analyse(path: &str, source: &[u8]) -> Result<Analysis, Unreadable> {
    let source = str::from_utf8(source).map_err(|_| Unreadable::NotText)?;
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    for kind in source_types(path) {
        let arena = Allocator::default();
        let options = ParseOptions {
            preserve_parens: false,
            allow_return_outside_function: true,
            ..ParseOptions::default()
        };
        let parsed = Parser::new(&arena, source, kind).with_options(options).parse();
        if parsed.panicked || !parsed.diagnostics.is_empty() {
            continue;
        }
        return Ok(analyse_program(&parsed.program, source, &arena));
    }
    Err(Unreadable::Syntax)
}

fn analyse_program<'a>(
    program: &'a Program<'a>,
    source: &'a str,
    arena: &'a Allocator,
) -> Analysis {
    let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
    let collected = collect(program, source, &scoping, arena);
    let values = Values::new(arena, source, &scoping, collected.sources);
    let mut analysis = judge(program, &values, &collected.returns_this);
    analysis.tidy();
    analysis
}

/// What a file may be, likeliest first: names of files say little about how they are run.
fn source_types(path: &str) -> Vec<SourceType> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "ts" | "mts" => vec![SourceType::ts()],
        "cts" => vec![SourceType::ts().with_commonjs(true), SourceType::ts()],
        "tsx" => vec![SourceType::tsx()],
        "cjs" => vec![SourceType::cjs()],
        "mjs" => vec![SourceType::mjs()],
        _ => vec![
            SourceType::unambiguous().with_jsx(true),
            SourceType::mjs().with_jsx(true),
            SourceType::cjs().with_jsx(true),
            SourceType::unambiguous(),
            SourceType::tsx(),
        ],
    }
}
