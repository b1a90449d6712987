//! What a policy did, in words and as JSON.

use std::fmt::Write as _;

use anstyle::Style;
use facets_drift::{Finding, Severity};
use facets_face::{plural, visible};
use facets_failure::Describe as _;
use facets_ops::OpsError;
use facets_ops::policy::{AppliedPolicy, Effect, Graded, Mark, PolicyNote};
use facets_policy::PolicyError;
use serde_json::{Value, json};

use super::human;

const QUIET: Style = Style::new().dimmed();

/// The name of a policy's file; there is no mark without a policy.
pub(super) fn file_of(policy: Option<&AppliedPolicy>) -> String {
    policy.map(|policy| visible(&policy.file.display().to_string())).unwrap_or_default()
}

/// What an entry did to a finding.
pub(super) fn sentence(finding: &Finding, mark: &Mark, file: &str) -> String {
    let line = mark.position.line;
    match &mark.effect {
        Effect::Regraded { from } => regraded(*from, mark, file),
        Effect::Protected => {
            format!("not lowered by {file}:{line}: no policy can lower {}", finding.kind.name())
        }
        Effect::Marked => {
            format!("not lowered by {file}:{line}: the entry does not name its markers")
        }
        Effect::Demanded => format!("required by {file}:{line}"),
        Effect::Undecided(problem) => {
            format!("could not evaluate {file}:{}: {}", mark.position, visible(problem))
        }
    }
}

/// What an entry did to a severity.
pub(super) fn regraded(from: Severity, mark: &Mark, file: &str) -> String {
    let reason = mark.reason.as_ref().map(|reason| format!(": {}", visible(reason)));
    let (from, line) = (from.name(), mark.position.line);
    format!("changed from {from} by {file}:{line}{}", reason.unwrap_or_default())
}

pub(super) fn json_of_mark(mark: &Mark) -> Value {
    let (effect, from, problem) = match &mark.effect {
        Effect::Regraded { from } => ("regraded", Some(from.name()), None),
        Effect::Protected => ("protected", None, None),
        Effect::Marked => ("marked", None, None),
        Effect::Demanded => ("demanded", None, None),
        Effect::Undecided(problem) => ("undecided", None, Some(problem)),
    };
    json!({
        "effect": effect,
        "line": mark.position.line,
        "column": mark.position.column,
        "from": from,
        "reason": mark.reason,
        "problem": problem,
    })
}

/// The policy that was applied.
pub(super) fn json_of(policy: Option<&AppliedPolicy>) -> Value {
    let note = |note: &PolicyNote| {
        json!({
            "line": note.position.map(|position| position.line),
            "column": note.position.map(|position| position.column),
            "sentence": note.sentence,
        })
    };
    policy.map_or(Value::Null, |policy| {
        json!({
            "file": policy.file.display().to_string(),
            "entries": policy.entries,
            "notes": policy.notes.iter().map(note).collect::<Vec<_>>(),
        })
    })
}

/// A note with its place.
pub(super) fn note(policy: &AppliedPolicy, note: &PolicyNote) -> String {
    let file = visible(&policy.file.display().to_string());
    let place = note.position.map(|position| format!(":{position}")).unwrap_or_default();
    format!("{file}{place}: {}", visible(&note.sentence))
}

/// Which policy decided: that is part of the answer.
pub(super) fn applied(policy: Option<&AppliedPolicy>, out: &mut String) {
    if let Some(policy) = policy.filter(|policy| policy.entries > 0) {
        let entries = plural(policy.entries, "entry").replace("entrys", "entries");
        let file = visible(&policy.file.display().to_string());
        let _ = writeln!(out, "{QUIET}policy:{QUIET:#} {file} ({entries})");
    }
}

/// What somebody should know about the policy, and what it could not decide.
pub(super) fn talk<'a>(
    policy: Option<&AppliedPolicy>,
    findings: impl Iterator<Item = &'a Graded>,
    quiet: bool,
) -> String {
    let Some(policy) = policy else { return String::new() };
    let mut out = String::new();
    for one in policy.notes.iter().filter(|_| !quiet) {
        let _ = writeln!(out, "note: {}", note(policy, one));
    }
    if let Some(error) = undecided(policy, findings) {
        out.push_str(&human::failure(&error.describe(), false));
    }
    out
}

/// The first condition that could not be evaluated.
pub(super) fn undecided<'a>(
    policy: &AppliedPolicy,
    mut findings: impl Iterator<Item = &'a Graded>,
) -> Option<OpsError> {
    findings.find_map(|finding| match finding.mark.as_ref()? {
        Mark { effect: Effect::Undecided(problem), position, .. } => {
            let (path, position) = (policy.file.clone(), *position);
            Some(PolicyError::Condition { path, position, problem: problem.clone() }.into())
        }
        _ => None,
    })
}
