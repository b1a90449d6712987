//! What people read.

use std::fmt::Write as _;

use facets_failure::{Explanation, Failure, FileProblem, Stderr};

use crate::shown::Shown;
use crate::style::{BAD, QUIET, STRONG, styled};
use crate::text::visible;

/// Problems of a file that are shown before the rest is counted.
const PROBLEMS: usize = 50;

/// What happened, to what, expected and actual, what to type next.
#[must_use]
pub fn failure(failure: &Failure, verbose: bool) -> String {
    let mut out = String::new();
    let message = visible(&failure.message);
    let _ = writeln!(out, "{BAD}error{BAD:#}: {message} {QUIET}[{}]{QUIET:#}", failure.code);
    if let (Some(file), Some(position)) = (&failure.file, failure.place) {
        let _ = writeln!(out, "  at:       {}:{position}", visible(&file.display().to_string()));
    }
    if let Some(expected) = &failure.expected {
        let _ = writeln!(out, "  expected: {}", visible(expected));
    }
    if let Some(actual) = &failure.actual {
        let _ = writeln!(out, "  found:    {}", visible(actual));
    }
    if let Some(said) = &failure.error_output {
        stderr(said, verbose, &mut out);
    }
    for note in &failure.notes {
        let _ = writeln!(out, "  {:<9} {}", format!("{}:", note.label), visible(&note.text));
    }
    // An explanation mends nothing, except where one was asked for.
    let is_more = failure.next.starts_with("facet explain ") && failure.code != "unknown-code";
    let label = if is_more { "more:" } else { "try:" };
    let _ = writeln!(out, "  {label:<9} {}", styled(STRONG, &failure.next));
    for found in failure.problems.iter().take(PROBLEMS) {
        problem(found, "", &mut out);
    }
    if failure.problems.len() > PROBLEMS {
        let _ = writeln!(out, "and {} more", failure.problems.len() - PROBLEMS);
    }
    out
}

/// What a server wrote to standard error, line by line: the first and the last of it, or all that is kept.
fn stderr(said: &Stderr, verbose: bool, out: &mut String) {
    let shown = if verbose { said.clone() } else { said.shortened() };
    let gap = (shown.omitted > 0).then(|| {
        let lines = if shown.omitted == 1 { "line" } else { "lines" };
        // Of a flood not everything is kept, and then nothing shows it.
        let hint = if verbose { "not kept" } else { "-v shows all" };
        format!("{QUIET}… {} more {lines}; {hint}{QUIET:#}", shown.omitted)
    });
    let line = |line: &String| visible(line);
    let lines = shown.first.iter().map(line).chain(gap).chain(shown.last.iter().map(line));
    for (index, line) in lines.enumerate() {
        let label = if index == 0 { "stderr:" } else { "" };
        let _ = writeln!(out, "  {label:<9} {line}");
    }
}

/// A problem of a file: its place, what is wrong, what is allowed, how to fix it. `before` stands
/// between the place and the member.
pub fn problem(problem: &FileProblem, before: &str, out: &mut String) {
    let mut place = problem.file.display().to_string();
    if let Some(position) = problem.place {
        let _ = write!(place, ":{position}");
    }
    let member = match problem.member.as_str() {
        "" => String::new(),
        member => format!("{}: ", visible(member)),
    };
    let _ = writeln!(
        out,
        "{}: {before}{member}{} {QUIET}[{}]{QUIET:#}",
        styled(STRONG, &place),
        visible(&problem.found),
        problem.code
    );
    let _ = writeln!(out, "    allowed: {}", visible(&problem.allowed));
    let _ = writeln!(out, "    fix:     {}", visible(&problem.fix));
}

/// What a code means.
#[must_use]
pub fn explanation(explanation: &Explanation) -> Shown {
    Shown::styled(format!("{STRONG}{}{STRONG:#}\n\n{}\n", explanation.code, explanation.text))
}

/// The first sentence of an explanation, for a list of codes.
#[must_use]
pub fn first_sentence(explanation: &Explanation) -> String {
    let text = explanation.text.replace('\n', " ");
    let sentence = text.split(". ").next().unwrap_or_default();
    sentence.split(": ").next().unwrap_or_default().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_is_more_and_a_command_is_to_try() {
        let label = |code: &'static str, next: &str| {
            let shown =
                failure(&Failure { code, next: next.to_owned(), ..Failure::default() }, false);
            shown.lines().last().unwrap_or_default()[..12].to_owned()
        };
        assert_eq!(label("file-unreadable", "facet explain file-unreadable"), "  more:     ");
        assert_eq!(label("unknown-code", "facet explain json-too-deep"), "  try:      ");
        assert_eq!(label("usage", "mcp-publisher help"), "  try:      ");
    }

    #[test]
    fn a_list_of_codes_has_first_sentences() {
        let of = |text: &'static str| {
            first_sentence(&Explanation { code: "file-missing", text: text.into() })
        };
        assert_eq!(of("A file is\nmissing. Look for it."), "A file is missing");
        assert_eq!(of("A file is missing: nothing was read."), "A file is missing");
    }
}
