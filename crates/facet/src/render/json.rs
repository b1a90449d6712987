use facets_failure::{Describe as _, Failure, FileProblem, Note, Stderr};
use facets_ops::build_check::BuildCheckReport;
use facets_ops::digest_file::DigestFileReport;
use facets_ops::digest_json::DigestJsonReport;
use facets_ops::doctor::{DoctorReport, Health};
use facets_ops::explain::Explanation;
use facets_ops::grant::Grants;
use facets_ops::init::InitReport;
use serde_json::{Value, json};

use super::text::escape_in_json;
use crate::shown::{Exit, Shown};

/// One document, one line end.
pub(super) fn document(value: &Value) -> Shown {
    // Escapes are as good in JSON as what they stand for, and no terminal obeys them.
    Shown::exact(escape_in_json(&format!("{value:#}\n")))
}

/// Grants as they are in the lock, and what it leaves out because it is the usual.
pub(super) fn grants(grants: &Grants) -> Value {
    let mut value: Value = serde_json::from_str(&grants.to_json()).unwrap_or_default();
    value["arguments"] = json!(grants.arguments.word());
    value
}

pub(super) fn failure(failure: &Failure, verbose: bool) -> Value {
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

/// A command line that clap refused.
pub(crate) fn usage(message: &str) -> Shown {
    // clap's first paragraph is the error, the rest is advice for people.
    let paragraph = message.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.trim_start_matches("error: ").split_whitespace().collect();
    let refused = Failure {
        code: "usage",
        message: words.join(" "),
        expected: Some("a command line that `facet help` describes".to_owned()),
        next: "facet help".to_owned(),
        ..Failure::default()
    };
    document(&failure(&refused, false)).with_exit(Exit::Unjudged)
}

/// Help or version, asked for as JSON.
pub(crate) fn answer(name: &str, text: &str) -> Shown {
    document(&json!({ name: text }))
}

pub(super) fn digest_file(report: &DigestFileReport) -> Value {
    let files: Vec<Value> = report
        .files
        .iter()
        .map(|(input, result)| {
            let path = input.path().display().to_string();
            match result {
                Ok(file) => {
                    json!({ "path": path, "digest": file.digest.to_string(), "size": file.size })
                }
                Err(error) => {
                    json!({ "path": path, "error": failure(&error.describe(), false)["error"] })
                }
            }
        })
        .collect();
    json!({ "files": files })
}

pub(super) fn digest_json(report: &DigestJsonReport, print: bool) -> Value {
    let mut value = json!({
        "path": report.input.path().display().to_string(),
        "digest": report.digest.to_string(),
        "size": report.canonical.len(),
    });
    if print {
        value["canonical"] = String::from_utf8_lossy(&report.canonical).into();
    }
    value
}

pub(super) fn init(report: &InitReport) -> Value {
    json!({
        "directory": report.directory.display().to_string(),
        "name": report.name.as_str(),
        "created": report.created,
        "kept": report.kept,
    })
}

pub(super) fn build_check(report: &BuildCheckReport) -> Value {
    let identity = report.identity.as_ref();
    json!({
        "ok": report.problems.is_empty(),
        "kind": report.kind,
        "manifest": report.manifest.display().to_string(),
        "name": identity.map(|(name, _)| name),
        "version": identity.map(|(_, version)| version),
        "files": report.files,
        "problems": report.problems.iter().map(problem).collect::<Vec<_>>(),
        "warnings": report.warnings.iter().map(problem).collect::<Vec<_>>(),
    })
}

fn problem(problem: &FileProblem) -> Value {
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

pub(super) fn doctor(report: &DoctorReport) -> Value {
    let health = |health| match health {
        Health::Good => "ok",
        Health::Absent => "none",
        Health::Open => "open",
        Health::Bad => "broken",
    };
    let checks = report.checks.iter().map(|check| {
        json!({
            "name": check.name,
            "health": health(check.health),
            "detail": check.detail,
            "problems": check.problems.iter().map(problem).collect::<Vec<_>>(),
            "fix": check.fix,
        })
    });
    json!({
        "ok": report.is_healthy(),
        "warnings": report.warnings(),
        "version": env!("CARGO_PKG_VERSION"),
        "checks": checks.collect::<Vec<_>>(),
    })
}

pub(super) fn explanation(explanation: &Explanation) -> Value {
    json!({ "code": explanation.code, "text": explanation.text })
}

pub(super) fn codes(all: &[Explanation]) -> Value {
    json!({ "codes": all.iter().map(explanation).collect::<Vec<_>>() })
}
