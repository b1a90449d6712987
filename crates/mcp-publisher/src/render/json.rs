//! For machines.

use std::path::Path;

use facets_face::escape_in_json;
use facets_face::file_results::{FileCounts, json_of};
use facets_face::json::problem;
use facets_file_hashes::{FileResult, HashVerdict, verdict};
use facets_model::server_json::{ProblemSeverity, ServerJsonProblem};
use serde_json::{Value, json};

use crate::init::InitReport;
use crate::validate::ValidateReport;

fn shown_path(path: &Path) -> String {
    path.display().to_string()
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

/// What is worth knowing about a document that was completed, in a line.
pub(super) fn hashed(file: &Path, files: usize, notes: &[String]) -> String {
    let value = json!({ "file": shown_path(file), "hashed": files, "notes": notes });
    format!("{}\n", escape_in_json(&value.to_string()))
}

/// What came of each file.
pub(super) fn results(file: &Path, results: &[FileResult], notes: &[String]) -> Value {
    json!({
        "ok": verdict(results) == HashVerdict::Verified,
        "file": shown_path(file),
        "checked": results.len(),
        "files": FileCounts::of(results.iter().map(|result| (result, false))).total,
        "results": results.iter().map(json_of).collect::<Vec<_>>(),
        "notes": notes,
    })
}
