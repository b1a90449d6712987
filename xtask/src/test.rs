//! Everything that must hold before a change lands.

use crate::corpus::{self, Extent, Repeated};
use crate::run::{self, cargo, step};
use crate::{Outcome, fuzz, quickstart, setup, tidy};

/// A tenth of what `soak` does.
const FUZZ_SECONDS: u64 = 6;

pub(crate) fn run(_arguments: &[String]) -> Outcome {
    let missing = step("setup", || Ok(setup::install_missing()))?;
    for line in &missing {
        println!("{line}");
    }
    if in_ci() && !missing.is_empty() {
        return Err("with CI set, every component must be there".to_owned());
    }
    step("formatting", || run::output(cargo().args(["fmt", "--all", "--check"])).map(drop))?;
    step("lints", lints)?;
    step("tidy", tidy::check)?;
    let mut counts = step("tests", || count_tests(false))?;
    let corpus = repeat_corpus(Extent::InTests)?;
    counts.passed += corpus.passed;
    counts.skipped += corpus.skipped;
    if setup::has("g++") {
        counts.passed += step("fuzz", || fuzz::fuzz_all(FUZZ_SECONDS))?;
    } else {
        println!("SKIP fuzz: `g++` is not installed");
        counts.skipped += 1;
    }
    step("quickstart", quickstart::silently)?;
    counts.passed += 1;
    if setup::has("openssl") {
        let quick = ["--quick", "--silent"].map(str::to_owned);
        step("benchmarks", || crate::bench::run(&quick))?;
    } else {
        println!("SKIP benchmarks: `openssl` is not installed");
        counts.skipped += 1;
    }
    println!("{} passed, 0 failed, {} skipped", counts.passed, counts.skipped);
    Ok(())
}

/// Each update is a test; without a way to fetch the servers they are one that is skipped.
pub(crate) fn repeat_corpus(extent: Extent) -> Outcome<Counts> {
    match step("corpus", || corpus::repeat(extent))? {
        Repeated::AsExpected(passed) => Ok(Counts { passed, skipped: 0 }),
        Repeated::NotFetched(problem) if in_ci() => Err(problem),
        Repeated::NotFetched(problem) => {
            println!("SKIP corpus: {problem}");
            Ok(Counts { passed: 0, skipped: 1 })
        }
    }
}

/// Whether `CI` is set, and not to something that means no.
fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(&*value, "" | "0" | "false"))
}

fn lints() -> Outcome {
    let mut clippy = cargo();
    clippy.args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"]);
    run::output(&mut clippy)?;
    let mut doc = cargo();
    doc.args(["doc", "--quiet", "--workspace", "--no-deps"]);
    run::output(doc.env("RUSTDOCFLAGS", "--deny warnings")).map(drop)
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) skipped: usize,
}

/// Runs the tests of the workspace. Skips are shown as the tests tell them.
pub(crate) fn count_tests(full: bool) -> Outcome<Counts> {
    // Tests start binaries of other crates, which `cargo test` would not build.
    run::output(cargo().args(["build", "--quiet", "--workspace"]))?;
    let mut test = cargo();
    test.args(["test", "--quiet", "--workspace", "--no-fail-fast"]);
    if full {
        test.env("FACET_SOAK", "1");
    }
    let output = test.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let skips: Vec<&str> = stderr.lines().filter(|line| line.starts_with("SKIP ")).collect();
    for skip in &skips {
        println!("{skip}");
    }
    if !output.status.success() {
        return Err(format!("tests failed\n{stdout}\n{stderr}"));
    }
    let passed = stdout.lines().filter_map(passed_in).sum();
    Ok(Counts { passed, skipped: skips.len() })
}

/// The count in `test result: ok. 8 passed; 0 failed; …`
fn passed_in(line: &str) -> Option<usize> {
    let counts = line.strip_prefix("test result: ok. ")?;
    counts.split_once(" passed")?.0.parse().ok()
}
