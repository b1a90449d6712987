//! One file: parsed, its scopes resolved, its names judged.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use crate::Analysis;
use crate::bundle::recognise;
use crate::collect::{Collected, collect};
use crate::evidence::{escaping, facts};
use crate::judge::judge;
use crate::values::Values;
use crate::walk::walk;

/// Why a file could not be analysed. Its program may then do anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Not UTF-8.
    NotText,
    /// Not a program, as far as the parser can tell.
    Syntax,
}

/// Analyses a file. Deeply nested source exhausts the stack, so hostile source is for a sandbox.
pub fn analyse(path: &str, source: &[u8]) -> Result<Analysis, Unreadable> {
    Analyser::default().analyse(path, source)
}

/// Analyses files one after the other, in the same memory.
#[derive(Default)]
pub struct Analyser {
    arena: Allocator,
}

impl Analyser {
    /// Analyses a file.
    pub fn analyse(&mut self, path: &str, source: &[u8]) -> Result<Analysis, Unreadable> {
        let source = str::from_utf8(source).map_err(|_| Unreadable::NotText)?;
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        for kind in source_types(path) {
            self.arena.reset();
            let options = ParseOptions {
                preserve_parens: false,
                allow_return_outside_function: true,
                ..ParseOptions::default()
            };
            let parser = Parser::new(&self.arena, source, *kind).with_options(options);
            let parsed = parser.parse();
            if !parsed.panicked && parsed.diagnostics.is_empty() {
                return Ok(analyse_program(&parsed.program, source, &self.arena));
            }
        }
        Err(Unreadable::Syntax)
    }
}

fn analyse_program<'a>(
    program: &'a Program<'a>,
    source: &'a str,
    arena: &'a Allocator,
) -> Analysis {
    let strict = program.source_type.is_module() || program.has_use_strict_directive();
    let walked = walk(program, source.len(), strict);
    let collected = collect(&walked.givers, source, &walked.names, arena);
    let Collected { sources, returns_this } = collected;
    let facts = facts(&walked, strict);
    let values = Values::new(arena, source, &walked.names, sources, facts);
    values.set_escaping(escaping(&walked, &values));
    let bundle = recognise(program, &walked, &values);
    let mut analysis = judge(program, &values, &walked, &returns_this, &bundle);
    analysis.tidy();
    analysis
}

/// What a file may be, likeliest first: names of files say little about how they are run.
fn source_types(path: &str) -> &'static [SourceType] {
    const ANY: &[SourceType] = &[
        SourceType::unambiguous().with_jsx(true),
        SourceType::mjs().with_jsx(true),
        SourceType::cjs().with_jsx(true),
        SourceType::unambiguous(),
        SourceType::tsx(),
    ];
    const CTS: &[SourceType] = &[SourceType::ts().with_commonjs(true), SourceType::ts()];
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "ts" | "mts" => const { &[SourceType::ts()] },
        "cts" => CTS,
        "tsx" => const { &[SourceType::tsx()] },
        "cjs" => const { &[SourceType::cjs()] },
        "mjs" => const { &[SourceType::mjs()] },
        _ => ANY,
    }
}
