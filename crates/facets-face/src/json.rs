//! What programs read.

use facets_failure::{Explanation, Failure, FileProblem, Note, Stderr};
use serde_json::{Value, json};

use crate::shown::Shown;
use crate::text::escape_in_json;

/// One document, one line end.
#[must_use]
pub fn document(value: &Value) -> Shown {
    // Escapes are as good in JSON as what they stand for, and no terminal obeys them.
    Shown::exact(escape_in_json(&format!("{value:#}\n")))
}

/// Why a command could not do its work.
#[must_use]
pub fn failure(failure: &Failure, verbose: bool) -> Value {
    let note = |note: &Note| json!({ "label": note.label, "text": note.text });
    json!({ "error": {
        "code": failure.code,
        "message": failure.message,
        "file": failure.file.as_ref().map(|file| file.display().to_string()),
        "line": failure.place.map(|position| position.line),
        "column": failure.place.map(|position| position.column),
        "expected": failure.expected,
        "actual": failure.actual,
        "next": failure.next,
        "problems": failure.problems.iter().map(problem).collect::<Vec<_>>(),
        "stderr": failure.error_output.as_ref().map(|said| stderr(said, verbose)),
        "notes": failure.notes.iter().map(note).collect::<Vec<_>>(),
    }})
}

fn stderr(said: &Stderr, verbose: bool) -> Value {
    let shown = if verbose { said.clone() } else { said.shortened() };
    json!({ "first": shown.first, "omitted": shown.omitted, "last": shown.last })
}

/// A problem of a file.
#[must_use]
pub fn problem(problem: &FileProblem) -> Value {
    json!({
        "code": problem.code,
        "file": problem.file.display().to_string(),
        "line": problem.place.map(|position| position.line),
        "column": problem.place.map(|position| position.column),
        "member": problem.member,
        "found": problem.found,
        "allowed": problem.allowed,
        "fix": problem.fix,
    })
}

/// What a code means.
#[must_use]
pub fn explanation(explanation: &Explanation) -> Value {
    json!({ "code": explanation.code, "text": explanation.text })
}

/// What all codes mean.
#[must_use]
pub fn codes(all: &[Explanation]) -> Value {
    json!({ "codes": all.iter().map(explanation).collect::<Vec<_>>() })
}
