//! The long counts, in full.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::corpus::Extent;
use crate::run::{self, step};
use crate::{Outcome, fuzz, mutants, setup, test};

const FUZZ_SECONDS: u64 = 60;

const HEAD: &str = "# Soak\n\n\
    The long counts of `cargo xtask soak`, which `cargo xtask test` runs a tenth of the way. `cargo xtask soak PART`\n\
    counts one part anew, so every row has the commit on which it was counted. Mutants are tested by the tests of their\n\
    own crate; those missed are listed with their reasons in [`accepted.md`](../xtask/mutants/accepted.md).\n\n\
    | what | result | commit |\n|---|---|---|\n";

/// What can be counted by itself, in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Tests,
    Kills,
    Corpus,
    Fuzz,
    Mutants,
}

impl Part {
    const ALL: [Self; 5] = [Self::Tests, Self::Kills, Self::Corpus, Self::Fuzz, Self::Mutants];

    fn name(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Kills => "kills",
            Self::Corpus => "corpus",
            Self::Fuzz => "fuzz",
            Self::Mutants => "mutants",
        }
    }

    /// The first words of its rows.
    fn prefix(self) -> &'static str {
        match self {
            Self::Tests => "all tests",
            Self::Kills => "kills",
            Self::Corpus => "updates of real servers",
            Self::Fuzz => "fuzzing",
            Self::Mutants => "mutants of",
        }
    }

    fn of_row(what: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| what.starts_with(part.prefix()))
    }
}

/// Result and commit by part and name.
type PageRows = BTreeMap<(Part, String), String>;

/// The page with all that has been counted. It is written after every row, so that whatever ends a long
/// run, what was counted before is kept.
struct Page {
    commit: String,
    rows: Mutex<PageRows>,
}

impl Page {
    fn begin() -> Outcome<Self> {
        let git =
            |words: &[&str]| run::text(Command::new("git").args(words).current_dir(run::root()));
        let (commit, changes) =
            (git(&["rev-parse", "--short=12", "HEAD"])?, git(&["status", "--porcelain"])?);
        let dirty = if changes.trim().is_empty() { "" } else { " and uncommitted changes" };
        let before = std::fs::read_to_string(path()).unwrap_or_default();
        let commit = format!("`{}`{dirty}", commit.trim());
        Ok(Self { commit, rows: Mutex::new(parse(&before)) })
    }

    /// A part is counted anew: rows that it no longer has do not stay.
    fn clear(&self, part: Part) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.retain(|(of, _), _| *of != part);
    }

    fn add(&self, part: Part, what: &str, result: &str) -> Outcome {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.insert((part, what.to_owned()), format!("{result} | {}", self.commit));
        run::write(&path(), &text(&rows))
    }
}

fn path() -> std::path::PathBuf {
    run::root().join("docs/soak.md")
}

/// The rows of a page that is there.
fn parse(page: &str) -> PageRows {
    let row = |line: &str| {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let (what, rest) = cells.split_once(" | ")?;
        Some(((Part::of_row(what)?, what.to_owned()), rest.to_owned()))
    };
    page.lines().filter_map(row).collect()
}

fn text(rows: &PageRows) -> String {
    let mut page = HEAD.to_owned();
    for ((_, what), rest) in rows {
        let _ = writeln!(page, "| {what} | {rest} |");
    }
    page
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let parts = chosen(arguments)?;
    for line in setup::install_missing() {
        println!("{line}");
    }
    setup::build_jsoncompat()?;
    let page = Page::begin()?;
    // Mutants are tested one after the other, and the rest needs no more than the other processor.
    std::thread::scope(|scope| {
        let mutants = scope.spawn(|| count_mutants(&parts, &page));
        let counted = count_rest(&parts, &page);
        let mutants = mutants.join().unwrap_or_else(|_| Err("the mutants panicked".to_owned()));
        counted.and(mutants)
    })
}

/// The parts that are named, else all.
fn chosen(arguments: &[String]) -> Outcome<Vec<Part>> {
    if arguments.is_empty() {
        return Ok(Part::ALL.to_vec());
    }
    let part = |word: &String| {
        let known = Part::ALL.into_iter().find(|part| part.name() == word);
        known.ok_or_else(|| {
            format!("there is no part `{word}`, only {}", Part::ALL.map(Part::name).join(", "))
        })
    };
    arguments.iter().map(part).collect()
}

fn count_mutants(parts: &[Part], page: &Page) -> Outcome {
    if !parts.contains(&Part::Mutants) {
        return Ok(());
    }
    step("mutants", || {
        page.clear(Part::Mutants);
        mutants::CRATES.iter().try_for_each(|name| {
            let row = mutants::test_crate(name)?;
            page.add(Part::Mutants, &format!("mutants of `{name}`"), &row.summary())
        })
    })
}

fn count_rest(parts: &[Part], page: &Page) -> Outcome {
    for part in parts {
        match part {
            Part::Tests => count_tests(page)?,
            // They are among all tests.
            Part::Kills if parts.contains(&Part::Tests) => {}
            Part::Kills => count_kills(page)?,
            Part::Corpus => count_corpus(page)?,
            Part::Fuzz => count_fuzz(page)?,
            Part::Mutants => {}
        }
    }
    Ok(())
}

fn count_tests(page: &Page) -> Outcome {
    let start = Instant::now();
    let test::Counts { passed, skipped } = step("tests", || test::count_tests(true))?;
    let seconds = start.elapsed().as_secs();
    let result = format!("{passed} passed, 0 failed, {skipped} skipped, in {seconds} s");
    page.add(Part::Tests, "all tests with full counts", &result)
}

/// Tests that kill programs at random moments: what is killed, the package, and the test program.
const KILLS: &[(&str, &str, &str)] = &[
    ("kills of processes that store, read and collect", "facets-store", "kills"),
    ("kills of changes of a project", "facets-project", "kills"),
    ("kills of install, upgrade and remove", "facet", "install_kills"),
    ("kills of registry and probe worker, both back ends", "facet-registry", "backends"),
];

fn count_kills(page: &Page) -> Outcome {
    step("kills", || {
        page.clear(Part::Kills);
        run::output(run::cargo().args(["build", "--quiet", "--workspace"]))?;
        for (what, package, target) in KILLS {
            let start = Instant::now();
            let mut test = run::cargo();
            test.args(["test", "--quiet", "--package", package, "--test", target, "--", "kill"]);
            let output = run::text(test.env("FACET_SOAK", "1"))?;
            let passed = output.lines().filter_map(test::passed_in).sum::<usize>();
            let seconds = start.elapsed().as_secs();
            page.add(
                Part::Kills,
                what,
                &format!("{passed} tests with full counts passed, in {seconds} s"),
            )?;
        }
        Ok(())
    })
}

fn count_corpus(page: &Page) -> Outcome {
    let test::Counts { passed, skipped } = test::repeat_corpus(Extent::All)?;
    let result = format!("{passed} as expected, {skipped} skipped");
    page.add(Part::Corpus, "updates of real servers ([corpus](corpus.md))", &result)
}

fn count_fuzz(page: &Page) -> Outcome {
    step("fuzz", || {
        page.clear(Part::Fuzz);
        fuzz::each(FUZZ_SECONDS, |target, found| {
            page.add(Part::Fuzz, &format!("fuzzing `{target}`"), &found)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_parts_that_are_not_counted_stay_as_they_are() {
        let page = text(&parse(
            "# Soak\n\n| what | result | commit |\n|---|---|---|\n\
             | mutants of `a` | 3 | `c1` |\n| all tests with full counts | 2 passed | `c2` |\n",
        ));
        assert!(page.ends_with(
            "|---|---|---|\n| all tests with full counts | 2 passed | `c2` |\n| mutants of `a` | 3 | `c1` |\n"
        ));
        assert_eq!(text(&parse(&page)), page);
    }

    #[test]
    fn parts_are_named() {
        assert_eq!(chosen(&["fuzz".to_owned()]).ok(), Some(vec![Part::Fuzz]));
        assert!(chosen(&["fuzzing".to_owned()]).is_err());
    }
}
