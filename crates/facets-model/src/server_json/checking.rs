//! Everything that is wrong, at once.

use super::names::LARGE_NUMBERS;
use super::problem::{ProblemSeverity, ServerJsonProblem};
use super::rules;
use crate::manifest::check::Checker;
use crate::tree::ManifestFormat;

/// Everything that is wrong with a text, in the order of the file.
#[must_use]
pub fn check(text: &str) -> Vec<ServerJsonProblem> {
    let outcome = Checker::run(text.as_bytes(), ManifestFormat::Json, |check, root| {
        check.tolerate(LARGE_NUMBERS);
        rules::server(check, root);
        Some(())
    });
    let of = |severity: ProblemSeverity| move |problem| ServerJsonProblem { severity, problem };
    let errors = outcome.problems.into_iter().map(of(ProblemSeverity::Error));
    let warnings = outcome.warnings.into_iter().map(of(ProblemSeverity::Warning));
    let mut all: Vec<ServerJsonProblem> = errors.chain(warnings).collect();
    all.sort_by_key(|one| one.problem.position.offset);
    all
}
