//! Scanning source.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use facets_scan::Analyser;
use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;

use crate::{Target, ratios, report};

/// How much source is measured; more says nothing more.
const ENOUGH: usize = 64 << 20;

pub(crate) fn measure(runs: usize, packages: Option<&Path>) {
    let mut sources = Vec::new();
    collect(packages.unwrap_or(Path::new("/nowhere")), &mut sources);
    sources.sort();
    let mut size = 0;
    sources.retain(|(_, text)| {
        size += text.len();
        size < ENOUGH
    });
    let kind = if sources.is_empty() { "made-up" } else { "real" };
    if sources.is_empty() {
        let text = "export function add(a, b) { const sum = a + b; return { sum, a, b } }\n";
        sources.push((PathBuf::from("made-up.js"), text.repeat(10_000)));
    }
    // Both go on in the memory they have.
    let parse = || {
        let mut arena = Allocator::default();
        for (_, text) in &sources {
            arena.reset();
            let kind = SourceType::unambiguous().with_jsx(true);
            black_box(Parser::new(&arena, text, kind).parse().program.body.len());
        }
    };
    let scan = || {
        let mut analyser = Analyser::default();
        for (path, text) in &sources {
            let path = path.to_string_lossy();
            black_box(analyser.analyse(&path, text.as_bytes()).is_ok());
        }
    };
    let bytes: usize = sources.iter().map(|(_, text)| text.len()).sum();
    let what = format!("speed of scanning {kind} source, {} KiB", bytes >> 10);
    let speeds = ratios(runs, parse, scan);
    report(&what, "the speed of parsing alone", speeds, &Target::AtLeast(0.5));
}

/// Files of packages that servers are made of, as the runtime would load them.
fn collect(folder: &Path, out: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !entry.file_name().eq_ignore_ascii_case("test") {
            collect(&path, out);
        } else if path.extension().is_some_and(|end| end == "js" || end == "mjs" || end == "cjs") {
            out.extend(std::fs::read_to_string(&path).ok().map(|text| (path, text)));
        }
    }
}
