//! For machines.

use std::path::Path;

use facets_failure::{Explanation, Failure, FileProblem};
use facets_model::server_json::{ProblemSeverity, ServerJsonProblem};
use serde_json::{Value, json};

use crate::file_result::{FileResult, verdict};
use crate::init::InitReport;
use crate::shown::{Exit, Shown};
use crate::text::escape_in_json;
use crate::validate::ValidateReport;

/// One document, one line end.
pub(super) fn document(value: &Value) -> Shown {
    // Escapes are as good in JSON as what they stand for, and no terminal obeys them.
    Shown::exact(escape_in_json(&format!("{value:#}\n")))
}

fn shown_path(path: &Path) -> String {
    path.display().to_string()
}

pub(super) fn failure(failure: &Failure) -> Value {
    json!({ "error": {
        "code": failure.code,
        "message": failure.message,
        "file": failure.file.as_deref().map(shown_path),
        "line": failure.place.map(|position| position.line),
        "column": failure.place.map(|position| position.column),
        "expected": failure.expected,
        "actual": failure.actual,
        "next": failure.next,
        "problems": failure.problems.iter().map(problem).collect::<Vec<_>>(),
        // Nothing is started here; errors have one shape all the same.
        "stderr": Value::Null,
        "notes": [],
    }})
}

fn problem(problem: &FileProblem) -> Value {
    json!({
        "code": problem.code,
        "file": shown_path(&problem.file),
        "line": problem.place.map(|position| position.line),
        "column": problem.place.map(|position| position.column),
        "member": problem.member,
        "found": problem.found,
        "allowed": problem.allowed,
        "fix": problem.fix,
    })
}

pub(super) fn init(report: &InitReport) -> Value {
    json!({
        "file": shown_path(&report.file),
        "name": report.name,
        "version": report.version,
        "packages": report.packages,
        "notes": report.notes,
    })
}

pub(super) fn validate(report: &ValidateReport) -> Value {
    let one = |found: &ServerJsonProblem| {
        let mut value = problem(&found.problem.clone().in_file(report.file.clone()));
        value["severity"] = json!(found.severity.word());
        value["reference"] = json!(found.reference());
        value
    };
    json!({
        "ok": report.is_valid(),
        "file": shown_path(&report.file),
        "errors": report.count(ProblemSeverity::Error),
        "warnings": report.count(ProblemSeverity::Warning),
        "problems": report.problems.iter().map(one).collect::<Vec<_>>(),
    })
}

/// What came of each file.
pub(super) fn results(file: &Path, results: &[FileResult], notes: &[String]) -> Value {
    let one = |result: &FileResult| {
        json!({
            "identifier": result.identifier,
            "status": result.status.word(),
            "expected": result.expected,
            "actual": result.actual,
            "detail": result.detail,
        })
    };
    json!({
        "ok": verdict(results) == Exit::Yes,
        "file": shown_path(file),
        "checked": results.len(),
        "results": results.iter().map(one).collect::<Vec<_>>(),
        "notes": notes,
    })
}

pub(super) fn explanation(explanation: &Explanation) -> Value {
    json!({ "code": explanation.code, "text": explanation.text })
}

pub(super) fn codes(all: &[Explanation]) -> Value {
    json!({ "codes": all.iter().map(explanation).collect::<Vec<_>>() })
}
