#![doc = include_str!("../README.md")]
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a measurement")]

mod contracts;
mod definitions;
mod drift;
mod fetching;
mod filling;
mod json;
mod packing;
mod placement;
mod reference;
mod relay;
mod scanning;
mod schemas;
mod storing;

use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["fetch", job @ ..] => fetching::run(job),
        ["fill-registry", data, names] => filling::run(data, names),
        ["pack-facets", folder, count] => packing::facets(folder, count),
        ["pack-servers", folder, count, size] => packing::servers(folder, count, size),
        ["reference-project", home, project] => reference::make_project(home, project),
        ["relay", server] => relay::run(server),
        measured => measure(measured),
    }
}

/// Prints a row for each measurement. The words: how many runs, and where captures of servers,
/// packages and a large file lie.
fn measure(words: &[&str]) {
    let runs: usize = words.first().and_then(|runs| runs.parse().ok()).unwrap_or(7);
    let path = |at: usize| words.get(at).map(Path::new);
    let (tools, kind) = definitions::load(path(1));
    placement::measure(runs * 3, path(3));
    json::measure(runs * 5, &tools, kind);
    contracts::measure(runs * 5, &tools, kind);
    drift::measure(runs * 5);
    schemas::measure(runs * 2);
    scanning::measure(runs, path(2));
    storing::measure(runs, path(3));
}

/// What a ratio is to be.
enum Target {
    AtMost(f64),
    AtLeast(f64),
}

/// One row of the table: what, compared with what, the ratio, the target, whether it is met.
fn report(what: &str, baseline: &str, mut ratios: Vec<f64>, target: &Target) {
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    let (lowest, highest) = (ratios[0], ratios[ratios.len() - 1]);
    let (words, met) = match target {
        Target::AtMost(limit) => (format!("at most {limit}"), median <= *limit),
        Target::AtLeast(limit) => (format!("at least {limit}"), median >= *limit),
    };
    println!("{what}\t{baseline}\t{median:.2} ({lowest:.2} to {highest:.2})\t{words}\t{met}");
}

/// How much longer `ours` takes than `theirs`, in turn.
fn ratios(runs: usize, ours: impl Fn(), theirs: impl Fn()) -> Vec<f64> {
    ours();
    theirs();
    (0..runs).map(|_| time(&ours).as_secs_f64() / time(&theirs).as_secs_f64()).collect()
}

fn time(work: impl Fn()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
