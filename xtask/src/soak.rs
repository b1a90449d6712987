//! The long counts, in full.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Instant;

use crate::corpus::Extent;
use crate::run::{self, step};
use crate::{Outcome, fuzz, mutants, setup, test};

const FUZZ_SECONDS: u64 = 60;

/// What was counted beside the mutants.
struct Counted {
    counts: test::Counts,
    /// Seconds.
    tests: u64,
    updates: test::Counts,
    targets: Vec<(&'static str, String)>,
}

fn count() -> Outcome<Counted> {
    let start = Instant::now();
    let counts = step("tests", || test::count_tests(true))?;
    let tests = start.elapsed().as_secs();
    let updates = test::repeat_corpus(Extent::All)?;
    let targets = step("fuzz", || fuzz::summaries(FUZZ_SECONDS))?;
    Ok(Counted { counts, tests, updates, targets })
}

pub(crate) fn run(_arguments: &[String]) -> Outcome {
    for line in setup::install_missing() {
        println!("{line}");
    }
    setup::build_jsoncompat()?;
    let commit =
        run::text(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(run::root()))?;
    let changes =
        run::text(Command::new("git").args(["status", "--porcelain"]).current_dir(run::root()))?;
    // Mutants are tested one after the other, and the rest needs no more than the other processor.
    let (Counted { counts, tests, updates, targets }, crates) = std::thread::scope(|scope| {
        let mutants =
            scope.spawn(|| step("mutants", || mutants::test_all(mutants::Selection::All)));
        let counted = count();
        let crates = mutants.join().unwrap_or_else(|_| Err("the mutants panicked".to_owned()));
        Ok::<_, String>((counted?, crates?))
    })?;
    let mut page = String::from(
        "# Soak\n\nThe long counts of `cargo xtask soak`, which `cargo xtask test` runs a tenth of the way.\n\n",
    );
    let dirty = if changes.trim().is_empty() { "" } else { " with uncommitted changes" };
    let _ = writeln!(page, "Commit `{}`{dirty}.\n", commit.trim());
    let _ = writeln!(page, "| what | result |\n|---|---|");
    let _ = writeln!(
        page,
        "| all tests with full counts | {} passed, 0 failed, {} skipped, in {tests} s |",
        counts.passed, counts.skipped
    );
    let _ = writeln!(
        page,
        "| updates of real servers ([corpus](corpus.md)) | {} as expected, {} skipped |",
        updates.passed, updates.skipped
    );
    for (target, summary) in targets {
        let _ = writeln!(page, "| fuzzing `{target}` | {summary} |");
    }
    let _ = write!(
        page,
        "\nMutants of the crates that everything stands on, each tested by its own crate\n\
         (`cargo xtask mutants --all`); those missed are listed with their reasons in\n\
         [`accepted.md`](../xtask/mutants/accepted.md).\n\n{}",
        mutants::markdown(&crates)
    );
    run::write(&run::root().join("docs/soak.md"), &page)
}
