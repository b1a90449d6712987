//! Mutation testing with `cargo-mutants`: whether the tests of a crate notice a change of it.

mod accepted;
mod cargo_mutants;
mod sample;
mod table;

use std::collections::BTreeSet;

use crate::{Outcome, setup};
use accepted::Accepted;
use cargo_mutants::{Mutant, Tested};
pub(crate) use table::{Row, markdown};

/// What everything stands on. Each has to be held by its own tests, not by those of its users. The one
/// that decides while a session runs comes first.
pub(crate) const CRATES: &[&str] =
    &["facets-guard", "facets-digest", "facets-lock", "facets-project"];

/// Of the viable mutants of a crate.
const CAUGHT_PERCENT: usize = 90;

/// Of each crate, by default and in `cargo xtask test`.
const SAMPLE: usize = 3;

/// Which mutants of each crate are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    /// So many, always the same ones.
    Sample(usize),
}

impl Selection {
    pub(crate) const IN_TESTS: Self = Self::Sample(SAMPLE);
}

struct Request {
    selection: Selection,
    crates: Vec<&'static str>,
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    setup::install_cargo_mutants()?;
    let rows = test_crates(&request)?;
    print!("{}", markdown(&rows));
    Ok(())
}

/// Tests mutants of all crates, and returns a row for each.
pub(crate) fn test_all(selection: Selection) -> Outcome<Vec<Row>> {
    test_crates(&Request { selection, crates: CRATES.to_vec() })
}

/// Tests all mutants of a crate.
pub(crate) fn test_crate(name: &'static str) -> Outcome<Row> {
    let rows = test_crates(&Request { selection: Selection::All, crates: vec![name] })?;
    rows.into_iter().next().ok_or_else(|| format!("no mutants of {name} were tested"))
}

fn parse(arguments: &[String]) -> Outcome<Request> {
    let mut request = Request { selection: Selection::IN_TESTS, crates: Vec::new() };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--all" => request.selection = Selection::All,
            "--sample" => {
                let count = words.next().and_then(|value| value.parse().ok());
                request.selection = Selection::Sample(count.ok_or("--sample needs a number")?);
            }
            "--crate" => {
                let name = words.next().ok_or("--crate needs a name")?;
                let known = CRATES.iter().find(|known| *known == name);
                request.crates.push(*known.ok_or_else(|| {
                    format!("`{name}` is none of the crates {}", CRATES.join(", "))
                })?);
            }
            other => return Err(format!("there is no option `{other}`")),
        }
    }
    if request.crates.is_empty() {
        request.crates = CRATES.to_vec();
    }
    Ok(request)
}

fn test_crates(request: &Request) -> Outcome<Vec<Row>> {
    let all = cargo_mutants::list(&request.crates)?;
    let accepted = accepted::read()?;
    let chosen: Vec<&Mutant> = match request.selection {
        Selection::All => all.iter().collect(),
        Selection::Sample(count) => {
            request.crates.iter().flat_map(|name| sample::choose(&all, name, count)).collect()
        }
    };
    let tested = match request.selection {
        Selection::All => cargo_mutants::test(&request.crates, None)?,
        Selection::Sample(_) => cargo_mutants::test(&request.crates, Some(&chosen))?,
    };
    let rows: Vec<Row> = request.crates.iter().map(|name| Row::of(name, &tested)).collect();
    let mut problems = unaccounted(&chosen, &tested);
    problems.extend(accepted.unexplained(&tested));
    problems.extend(stale_entries(&accepted, request, &all, &tested));
    if request.selection == Selection::All {
        problems.extend(rows.iter().filter_map(too_few_caught));
    }
    if problems.is_empty() {
        return Ok(rows);
    }
    Err(format!("{}\n{}", problems.join("\n"), markdown(&rows)))
}

/// A mutant that was to be tested and has no result is no success.
fn unaccounted(chosen: &[&Mutant], tested: &[Tested]) -> Vec<String> {
    let names: BTreeSet<&str> = tested.iter().map(|tested| &*tested.mutant.full_name).collect();
    let missing = chosen.iter().filter(|mutant| !names.contains(&*mutant.full_name));
    missing.map(|mutant| format!("NOT TESTED {}", mutant.full_name)).collect()
}

/// What is accepted but no longer exists, or, where all were tested, no longer missed.
fn stale_entries(
    accepted: &Accepted,
    request: &Request,
    all: &[Mutant],
    tested: &[Tested],
) -> Vec<String> {
    let missed: Vec<&Mutant> =
        tested.iter().filter(|tested| tested.is_missed()).map(|tested| &tested.mutant).collect();
    let existing: Vec<&Mutant> = match request.selection {
        Selection::All => missed,
        Selection::Sample(_) => all.iter().collect(),
    };
    accepted.without_mutant(&request.crates, &existing)
}

fn too_few_caught(row: &Row) -> Option<String> {
    (row.caught_percent() < CAUGHT_PERCENT).then(|| {
        format!(
            "TOO FEW {}: {} % are caught, at least {CAUGHT_PERCENT} % have to be",
            row.name,
            row.caught_percent()
        )
    })
}
