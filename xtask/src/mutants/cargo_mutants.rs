//! The program, and what it says.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::Outcome;
use crate::{run, setup};

/// One change of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    pub(super) package: String,
    /// With line and column, which every edit above it changes.
    pub(super) full_name: String,
}

/// What the tests of its crate made of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Caught,
    Missed,
    /// The tests did not end: noticed, but slowly.
    TimedOut,
    /// It does not compile.
    Unviable,
}

#[derive(Clone, Debug)]
pub(super) struct Tested {
    pub(super) mutant: Mutant,
    pub(super) verdict: Verdict,
    pub(super) seconds: f64,
}

impl Tested {
    pub(super) fn is_missed(&self) -> bool {
        self.verdict == Verdict::Missed
    }
}

impl Mutant {
    /// The name without line and column: `crates/…/digest.rs: replace …`.
    pub(super) fn name(&self) -> String {
        let mut parts = self.full_name.splitn(4, ':');
        let (file, _line, _column) = (parts.next(), parts.next(), parts.next());
        format!("{}:{}", file.unwrap_or_default(), parts.next().unwrap_or_default())
    }

    fn from_json(value: &Value) -> Outcome<Self> {
        let text = |name: &str| {
            let text = value[name].as_str().map(str::to_owned);
            text.ok_or_else(|| format!("cargo-mutants names no {name} of a mutant"))
        };
        Ok(Self { package: text("package")?, full_name: text("name")? })
    }
}

/// All mutants of these crates.
pub(super) fn list(crates: &[&str]) -> Outcome<Vec<Mutant>> {
    let mut command = command(crates)?;
    let text = run::text(command.args(["--list", "--json"]))?;
    let list: Vec<Value> = serde_json::from_str(&text)
        .map_err(|error| format!("cargo-mutants lists what is no JSON: {error}"))?;
    list.iter().map(Mutant::from_json).collect()
}

/// Tests the chosen mutants of these crates, all if none are chosen, one after the other.
pub(super) fn test(crates: &[&str], chosen: Option<&[&Mutant]>) -> Outcome<Vec<Tested>> {
    fs::create_dir_all(folder())
        .map_err(|error| format!("cannot make {}: {error}", folder().display()))?;
    let mut command = command(crates)?;
    command.args(["--jobs", "1", "--no-shuffle", "--colors", "never", "--output"]);
    command.arg(folder());
    // Documentation is not where a crate is tested, and every mutant would pay for its build.
    command.arg("--cargo-test-arg=--tests");
    // A long build pays where hundreds of mutants run the tests after it, several times as fast.
    if chosen.is_none() {
        command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1").env("CARGO_PROFILE_TEST_OPT_LEVEL", "1");
    }
    // Fields that are deleted come along, whatever is chosen.
    for mutant in chosen.unwrap_or_default() {
        command.arg(format!("--re=^{}$", escaped(&mutant.full_name)));
    }
    let output = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    // 2 and 3 mean that some were missed or timed out, which is judged here.
    if !matches!(output.status.code(), Some(0 | 2 | 3)) {
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        return Err(format!("cargo-mutants failed\n{}", String::from_utf8_lossy(&said)));
    }
    read_outcomes()
}

/// A copy of the tree is built in a folder of its own; its debug information is not needed.
fn command(crates: &[&str]) -> Outcome<Command> {
    let program = setup::cargo_mutants().ok_or("`cargo-mutants` is not installed")?;
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(program).arg("mutants");
    command.current_dir(run::root());
    for name in crates {
        command.args(["--package", name]);
    }
    command.env("FACET_MUTANTS", "1").env_remove("FACET_SOAK");
    command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_PROFILE_TEST_DEBUG", "0");
    Ok(command)
}

fn folder() -> PathBuf {
    run::root().join("target/mutants")
}

/// As a regular expression that means just this text.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

fn read_outcomes() -> Outcome<Vec<Tested>> {
    let path = folder().join("mutants.out/outcomes.json");
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| format!("{} is no JSON: {error}", path.display()))?;
    let outcomes = value["outcomes"].as_array().map(Vec::as_slice).unwrap_or_default();
    outcomes.iter().filter(|outcome| outcome["scenario"] != "Baseline").map(tested).collect()
}

fn tested(outcome: &Value) -> Outcome<Tested> {
    let mutant = Mutant::from_json(&outcome["scenario"]["Mutant"])?;
    let verdict = match outcome["summary"].as_str() {
        Some("CaughtMutant") => Verdict::Caught,
        Some("MissedMutant") => Verdict::Missed,
        Some("Timeout") => Verdict::TimedOut,
        Some("Unviable") => Verdict::Unviable,
        other => return Err(format!("{}: {other:?} is no verdict", mutant.full_name)),
    };
    let phases = outcome["phase_results"].as_array().map(Vec::as_slice).unwrap_or_default();
    let seconds = phases.iter().filter_map(|phase| phase["duration"].as_f64()).sum();
    Ok(Tested { mutant, verdict, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_neither_line_nor_column() {
        let full_name = "crates/a/src/b.rs:137:42: replace | with ^ in <impl A for B>::c";
        let mutant = Mutant { package: "a".into(), full_name: full_name.into() };
        assert_eq!(mutant.name(), "crates/a/src/b.rs: replace | with ^ in <impl A for B>::c");
    }

    #[test]
    fn an_escaped_name_has_no_meaning_of_its_own() {
        assert_eq!(
            escaped("a.b: |= in <impl A>::b -> Ok(vec![é])"),
            r"a\.b: \|= in <impl A>::b -> Ok\(vec!\[é\]\)"
        );
    }
}
