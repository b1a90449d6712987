//! The long counts, in full.

use std::fmt::Write as _;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::corpus::Extent;
use crate::run::{self, step};
use crate::{Outcome, fuzz, mutants, setup, test};

const FUZZ_SECONDS: u64 = 60;

/// The page with all that has been counted. It is written after every part, so that whatever ends a long
/// run, what was counted before is kept.
struct Page {
    head: String,
    /// Parts in the order in which they stand there, each with its rows.
    counted: Mutex<Counted>,
}

#[derive(Default)]
struct Counted {
    rows: Vec<String>,
    crates: Vec<mutants::Row>,
    is_complete: bool,
}

impl Page {
    fn begin() -> Outcome<Self> {
        let git =
            |words: &[&str]| run::text(Command::new("git").args(words).current_dir(run::root()));
        let (commit, changes) = (git(&["rev-parse", "HEAD"])?, git(&["status", "--porcelain"])?);
        let dirty = if changes.trim().is_empty() { "" } else { " with uncommitted changes" };
        let head = format!(
            "# Soak\n\nThe long counts of `cargo xtask soak`, which `cargo xtask test` runs a tenth of the way.\n\n\
             Commit `{}`{dirty}.\n\n",
            commit.trim()
        );
        Ok(Self { head, counted: Mutex::default() })
    }

    fn add(&self, change: impl FnOnce(&mut Counted)) -> Outcome {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut counted);
        run::write(&run::root().join("docs/soak.md"), &self.text(&counted))
    }

    fn text(&self, counted: &Counted) -> String {
        let mut page = self.head.clone();
        if !counted.is_complete {
            page.push_str(
                "**The run did not complete**: what is not listed here was not counted.\n\n",
            );
        }
        page.push_str("| what | result |\n|---|---|\n");
        page.extend(counted.rows.iter().map(String::as_str));
        let _ = write!(
            page,
            "\nMutants of the crates that everything stands on, each tested by its own crate\n\
             (`cargo xtask mutants --all`); those missed are listed with their reasons in\n\
             [`accepted.md`](../xtask/mutants/accepted.md).\n\n{}",
            mutants::markdown(&counted.crates)
        );
        page
    }
}

pub(crate) fn run(_arguments: &[String]) -> Outcome {
    for line in setup::install_missing() {
        println!("{line}");
    }
    setup::build_jsoncompat()?;
    let page = Page::begin()?;
    // Mutants are tested one after the other, and the rest needs no more than the other processor.
    std::thread::scope(|scope| {
        let mutants = scope.spawn(|| step("mutants", || count_mutants(&page)));
        let counted = count_rest(&page);
        let mutants = mutants.join().unwrap_or_else(|_| Err("the mutants panicked".to_owned()));
        counted.and(mutants)
    })?;
    page.add(|counted| counted.is_complete = true)
}

fn count_mutants(page: &Page) -> Outcome {
    for name in mutants::CRATES {
        let row = mutants::test_crate(name)?;
        page.add(|counted| counted.crates.push(row))?;
    }
    Ok(())
}

fn count_rest(page: &Page) -> Outcome {
    let start = Instant::now();
    let test::Counts { passed, skipped } = step("tests", || test::count_tests(true))?;
    let seconds = start.elapsed().as_secs();
    page.add(|counted| {
        counted.rows.push(format!(
            "| all tests with full counts | {passed} passed, 0 failed, {skipped} skipped, in {seconds} s |\n"
        ));
    })?;
    let test::Counts { passed, skipped } = test::repeat_corpus(Extent::All)?;
    page.add(|counted| {
        counted.rows.push(format!(
            "| updates of real servers ([corpus](corpus.md)) | {passed} as expected, {skipped} skipped |\n"
        ));
    })?;
    let targets = step("fuzz", || fuzz::summaries(FUZZ_SECONDS))?;
    page.add(|counted| {
        let rows = targets.iter().map(|(name, found)| format!("| fuzzing `{name}` | {found} |\n"));
        counted.rows.extend(rows);
    })
}
