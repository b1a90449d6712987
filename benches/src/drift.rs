//! Deciding whether a server is still what was approved.

use std::hint::black_box;

use facets_drift::{Side, compare_surfaces};
use facets_surface::{Surface, parse_surface_file, write_surface_file};
use facets_validator::JsonSchema;

use crate::contracts::surface;
use crate::definitions::made_up;
use crate::{Target, ratios, report};

pub(crate) fn measure(runs: usize) {
    unchanged(runs.div_ceil(3));
    growth(runs.div_ceil(3));
}

/// Everything that happens once both are read: hashes, and the comparison by hashes.
fn decide(before: &Surface, after: &Surface) {
    let hashes = (before.hashes(), after.hashes());
    black_box(compare_surfaces(
        Side { surface: before, hashes: &hashes.0 },
        Side { surface: after, hashes: &hashes.1 },
        &JsonSchema::default(),
    ));
}

fn unchanged(runs: usize) {
    let before = surface(&made_up(10_000));
    let after = before.clone();
    let text = write_surface_file(&before);
    let read = || {
        for _ in 0..2 {
            black_box(parse_surface_file(text.as_bytes()).is_ok());
        }
    };
    let what = "time of deciding over 10,000 unchanged tools, their hashes included";
    let all = ratios(runs, || decide(&before, &after), read);
    report(what, "reading the two surface files", all, &Target::AtMost(2.0));
}

fn growth(runs: usize) {
    let (few, many) = (surface(&made_up(1_000)), surface(&made_up(10_000)));
    let changed = |original: &Surface| {
        let mut text = write_surface_file(original);
        text = text.replacen("Tool", "Other tool", 1);
        parse_surface_file(text.as_bytes()).unwrap_or_else(|_| original.clone())
    };
    let (few_after, many_after) = (changed(&few), changed(&many));
    let small = || {
        for _ in 0..10 {
            decide(&few, &few_after);
        }
    };
    let large = || decide(&many, &many_after);
    let what = "time of deciding per tool, of 10,000 tools";
    let all = ratios(runs, large, small);
    report(what, "per tool, of 1,000 tools", all, &Target::AtMost(1.3));
}
