//! Coverage-guided fuzzing with libFuzzer, on the stable toolchain.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::Outcome;
use crate::run;

/// Each is a binary of `fuzz/Cargo.toml`.
const TARGETS: &[&str] = &[
    "archives",
    "clients",
    "contracts",
    "drift",
    "edit",
    "guard",
    "json",
    "manifests",
    "names",
    "npm",
    "policy",
    "pypi",
    "references",
    "registry_answers",
    "registry_routes",
    "scan",
    "schemas",
    "server_json",
    "surface",
    "wheels",
    "wire",
];

/// What `cargo fuzz` would pass, without the sanitizers that need another toolchain: all
/// fuzzed code is safe Rust, so panics and hangs are what there is to find.
const COVERAGE: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cdebug-assertions -Coverflow-checks --cfg fuzzing";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let mut seconds = 60;
    let mut targets = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => {
                let value = words.next().and_then(|value| value.parse().ok());
                seconds = value.ok_or("--seconds needs a number")?;
            }
            name => {
                let known = TARGETS.iter().find(|target| **target == name);
                targets.push(*known.ok_or_else(|| {
                    format!("there is no target `{name}`, only {}", TARGETS.join(", "))
                })?);
            }
        }
    }
    let targets = if targets.is_empty() { TARGETS.to_vec() } else { targets };
    build()?;
    for target in targets {
        let summary = run_target(target, seconds)?;
        println!("{target:<16} {summary}");
    }
    Ok(())
}

/// All targets one after the other; how many there were.
pub(crate) fn fuzz_all(seconds: u64) -> Outcome<usize> {
    build()?;
    for target in TARGETS {
        run_target(target, seconds)?;
    }
    Ok(TARGETS.len())
}

/// All targets one after the other, each with what came of it.
pub(crate) fn each(seconds: u64, mut found: impl FnMut(&str, String) -> Outcome) -> Outcome {
    build()?;
    TARGETS.iter().try_for_each(|target| found(target, run_target(target, seconds)?))
}

fn folder() -> PathBuf {
    run::root().join("fuzz")
}

fn target_folder() -> PathBuf {
    run::root().join("target/fuzz")
}

fn build() -> Outcome {
    let mut build = run::cargo();
    build.current_dir(folder()).args(["build", "--quiet", "--release", "--locked", "--target-dir"]);
    build.arg(target_folder());
    // With --target, build scripts and macros stay without the flags.
    build.args(["--target", &host()?]).env("RUSTFLAGS", COVERAGE);
    run::output(&mut build).map(drop)
}

fn host() -> Outcome<String> {
    let version = run::text(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc names no host".to_owned())
}

/// A fixed seed, a corpus in target/, artifacts of a crash beside it.
fn run_target(target: &str, seconds: u64) -> Outcome<String> {
    let corpus = target_folder().join("corpus").join(target);
    let artifacts = target_folder().join("artifacts").join(target);
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    }
    let binary = target_folder().join(host()?).join("release").join(target);
    let mut command = Command::new(binary);
    command.arg(&corpus).arg(folder().join("seeds").join(target));
    command.arg(format!("-max_total_time={seconds}"));
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.args([
        "-seed=1",
        "-timeout=5",
        "-rss_limit_mb=1024",
        "-max_len=4096",
        "-print_final_stats=1",
    ]);
    let output = run::output(&mut command).map_err(|log| without_progress(&log))?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let stat = |name: &str| {
        let line = log.lines().find(|line| line.starts_with(&format!("stat::{name}")));
        line.and_then(|line| line.split_whitespace().last()).unwrap_or("?").to_owned()
    };
    let executed = stat("number_of_executed_units");
    Ok(format!(
        "{executed} inputs in {seconds} s, no crash, no hang, peak {} MiB",
        stat("peak_rss_mb")
    ))
}

/// A line for each new input helps nobody who wants to see the crash.
fn without_progress(log: &str) -> String {
    let lines =
        log.lines().filter(|line| !line.starts_with('#') && !line.starts_with("\tNEW_FUNC"));
    lines.collect::<Vec<_>>().join("\n")
}
