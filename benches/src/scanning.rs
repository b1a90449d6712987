//! Scanning source.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use facets_scan::Analyser;
use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;

use crate::{Target, ratios, report};

/// How much source is measured; more says nothing more.
const ENOUGH: usize = 8 << 20;

pub(crate) fn measure(runs: usize, packages: Option<&Path>) {
    let (sources, kind) = load(packages);
    // All go on in the memory they have.
    let parse = || {
        let mut arena = Allocator::default();
        for (_, text) in &sources {
            arena.reset();
            let kind = SourceType::unambiguous().with_jsx(true);
            black_box(Parser::new(&arena, text, kind).parse().program.body.len());
        }
    };
    let size = sources.iter().map(|(_, text)| text.len()).sum::<usize>() >> 10;
    let cores = std::thread::available_parallelism().map_or(1, Into::into);
    let baseline = "the speed of one thread that parses it";
    let what = format!(
        "speed of scanning {size} KiB of {kind} source, as `facet scan` does it: {cores} at once"
    );
    let all = ratios(runs, parse, || scan(&sources, cores));
    report(&what, baseline, all, &Target::AtLeast(0.5));
    let what = "the same, one at a time";
    // The baseline parses every file once and resolves nothing. What scopes and values cost beside it depends on
    // the speed of memory: 0.46 to 0.56 on the machines measured so far.
    report(what, baseline, ratios(runs, parse, || scan(&sources, 1)), &Target::AtLeast(0.4));
}

/// Whoever is free takes the next file, as cages do.
fn scan(sources: &[(PathBuf, String)], threads: usize) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut analyser = Analyser::default();
        while let Some((path, text)) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            let path = path.to_string_lossy();
            black_box(analyser.analyse(&path, text.as_bytes()).is_ok());
        }
    };
    // One works where it is, as a cage does.
    if threads == 1 {
        return work();
    }
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
}

fn load(packages: Option<&Path>) -> (Vec<(PathBuf, String)>, &'static str) {
    let mut sources = Vec::new();
    collect(packages.unwrap_or(Path::new("/nowhere")), &mut sources);
    sources.sort();
    let mut size = 0;
    sources.retain(|(_, text)| {
        size += text.len();
        size < ENOUGH
    });
    if !sources.is_empty() {
        return (sources, "real");
    }
    let text = "export function add(a, b) { const sum = a + b; return { sum, a, b } }\n";
    let made_up = |n: usize| (PathBuf::from(format!("{n}.js")), text.repeat(1000));
    ((0..20).map(made_up).collect(), "made-up")
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
