//! Everything that must hold before a change lands.

use crate::corpus::{self, Extent, Repeated};
use crate::run::{self, cargo, step};
use crate::{Outcome, fuzz, mutants, quickstart, setup, tidy};

/// A tenth of what `soak` does.
const FUZZ_SECONDS: u64 = 6;

pub(crate) fn run(_arguments: &[String]) -> Outcome {
    let missing = step("setup", || Ok(setup::install_missing()))?;
    for line in &missing {
        println!("{line}");
    }
    if run::in_ci() && !missing.is_empty() {
        return Err("with CI set, every component must be there".to_owned());
    }
    step("formatting", || run::output(cargo().args(["fmt", "--all", "--check"])).map(drop))?;
    step("lints", lints)?;
    step("tidy", tidy::check)?;
    let mut counts = step("tests", || count_tests(false))?;
    let corpus = repeat_corpus(Extent::InTests)?;
    counts.passed += corpus.passed;
    counts.skipped += corpus.skipped;
    let fuzzed = fuzz_and_mutate()?;
    counts.passed += fuzzed.passed;
    counts.skipped += fuzzed.skipped;
    step("quickstart", quickstart::silently)?;
    counts.passed += 1;
    if setup::has("openssl") && setup::has("curl") {
        let quick = ["--quick", "--silent"].map(str::to_owned);
        step("benchmarks", || crate::bench::run(&quick))?;
    } else {
        println!("SKIP benchmarks: `openssl` or `curl` is not installed");
        counts.skipped += 1;
    }
    println!("{} passed, 0 failed, {} skipped", counts.passed, counts.skipped);
    Ok(())
}

/// At the same time: both have one thing to do after the other, and do not look at the clock.
fn fuzz_and_mutate() -> Outcome<Counts> {
    std::thread::scope(|scope| {
        let mutants = scope.spawn(test_mutants);
        let fuzzed = fuzz_briefly();
        let mutated = mutants.join().unwrap_or_else(|_| Err("the mutants panicked".to_owned()));
        let (fuzzed, mutated) = (fuzzed?, mutated?);
        Ok(Counts {
            passed: fuzzed.passed + mutated.passed,
            skipped: fuzzed.skipped + mutated.skipped,
        })
    })
}

fn fuzz_briefly() -> Outcome<Counts> {
    if setup::has("g++") {
        let passed = step("fuzz", || fuzz::fuzz_all(FUZZ_SECONDS))?;
        return Ok(Counts { passed, skipped: 0 });
    }
    println!("SKIP fuzz: `g++` is not installed");
    Ok(Counts { passed: 0, skipped: 1 })
}

/// Each crate is a test.
fn test_mutants() -> Outcome<Counts> {
    if setup::cargo_mutants().is_some() {
        let rows = step("mutants", || mutants::test_all(mutants::Selection::IN_TESTS))?;
        return Ok(Counts { passed: rows.len(), skipped: 0 });
    }
    println!("SKIP mutants: `cargo-mutants` is not installed");
    Ok(Counts { passed: 0, skipped: 1 })
}

/// Each update is a test; without a way to fetch the servers they are one that is skipped.
pub(crate) fn repeat_corpus(extent: Extent) -> Outcome<Counts> {
    match step("corpus", || corpus::repeat(extent))? {
        Repeated::AsExpected(passed) => Ok(Counts { passed, skipped: 0 }),
        Repeated::NotFetched(problem) if run::in_ci() => Err(problem),
        Repeated::NotFetched(problem) => {
            println!("SKIP corpus: {problem}");
            Ok(Counts { passed: 0, skipped: 1 })
        }
    }
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
        return Err(format!("tests failed\n{}", failures(&stdout, &stderr)));
    }
    let passed = stdout.lines().filter_map(passed_in).sum();
    Ok(Counts { passed, skipped: skips.len() })
}

/// What failing tests said, and which they are. What passing ones said is left out; without a
/// failing test, something else went wrong, and everything is shown.
fn failures(stdout: &str, stderr: &str) -> String {
    let failed = stdout.split("\nrunning ").filter(|suite| suite.contains("test result: FAILED"));
    let suites: Vec<String> = failed.map(|suite| format!("running {suite}")).collect();
    if suites.is_empty() {
        return format!("{stdout}\n{stderr}");
    }
    let errors = stderr.lines().skip_while(|line| !line.starts_with("error: "));
    let errors: Vec<&str> = errors.filter(|line| is_of_cargo(line)).collect();
    format!("{}\n{}", suites.join("\n"), errors.join("\n"))
}

/// `error: …`, the lists of targets that follow, and how a test program ended.
fn is_of_cargo(line: &str) -> bool {
    let indented = line.trim_start();
    line.starts_with("error") || indented.starts_with('`') || indented.starts_with("process didn't")
}

/// The count in `test result: ok. 8 passed; 0 failed; …`
pub(crate) fn passed_in(line: &str) -> Option<usize> {
    let counts = line.strip_prefix("test result: ok. ")?;
    counts.split_once(" passed")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSED: &str = "\nrunning 1 test\n.\ntest result: ok. 1 passed; 0 failed\n";
    const FAILED: &str = "\nrunning 1 test\n\n---- one stdout ----\nwhy\n\ntest result: FAILED. 0 passed; 1 failed\n";

    #[test]
    fn only_failing_tests_are_shown() {
        let stdout = [PASSED, FAILED, PASSED].concat();
        let shown = failures(&stdout, "talk\nerror: 1 target failed:\n    `-p one`\ntalk\n");
        assert!(shown.contains("why") && shown.contains("`-p one`"), "{shown}");
        assert!(!shown.contains("1 passed") && !shown.contains("talk"), "{shown}");
    }

    #[test]
    fn what_is_no_failing_test_is_shown_in_full() {
        let shown = failures(PASSED, "error: could not compile");
        assert!(shown.contains("could not compile") && shown.contains("1 passed"), "{shown}");
    }
}
