//! Findings as people read them.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_drift::{Finding, FindingType, Severity, SubjectKind};
use facets_ops::check::{CheckOutcome, CheckReport, CheckedServer, Judgement};
use facets_ops::diff::DiffReport;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::text::visible;
use super::{human, json as plain};
use crate::output::{Exit, Shown};

const BAD: Style = AnsiColor::Red.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default();
const GOOD: Style = AnsiColor::Green.on_default();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const GONE: Style = AnsiColor::Red.on_default();
const COME: Style = AnsiColor::Green.on_default();

/// Lines of one text that are shown before the rest is counted.
const LINES: usize = 24;
/// Findings of one server that are shown before the rest is counted.
const FINDINGS: usize = 60;

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Critical => BAD,
        Severity::Moderate => WARN,
        Severity::Safe | Severity::Info => QUIET,
    }
}

/// Which command speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Check,
    Verify,
}

pub(super) fn checked(report: &CheckReport, verb: Verb, (quiet, verbose): (bool, bool)) -> Shown {
    let mut out = String::new();
    for server in &report.servers {
        block(server, report.fail_on, verb, verbose, &mut out);
    }
    if report.servers.is_empty() && !quiet {
        let _ = writeln!(out, "nothing is pinned here");
    }
    let talk = if quiet { String::new() } else { summary(report) };
    let exit = match report.judgement() {
        Judgement::Yes => Exit::Yes,
        Judgement::No => Exit::No,
        Judgement::Unknown => Exit::Unjudged,
    };
    Shown { talk, ..Shown::styled(out).with_exit(exit) }
}

fn summary(report: &CheckReport) -> String {
    let bad = |server: &&CheckedServer| match &server.outcome {
        CheckOutcome::Judged(findings) => findings.iter().any(|f| f.severity >= report.fail_on),
        CheckOutcome::Edited(_) => true,
        CheckOutcome::Failed(_) => false,
    };
    let count = report.servers.len();
    let bad = report.servers.iter().filter(bad).count();
    let failed =
        report.servers.iter().filter(|s| matches!(s.outcome, CheckOutcome::Failed(_))).count();
    if count < 2 {
        return String::new();
    }
    let good = count - bad - failed;
    format!("{count} servers: {good} in order, {bad} not in order, {failed} not judged\n")
}

fn block(server: &CheckedServer, fail_on: Severity, verb: Verb, verbose: bool, out: &mut String) {
    let name = visible(&server.name);
    match &server.outcome {
        CheckOutcome::Judged(findings) if findings.is_empty() => {
            let tools = human::plural(server.tools, "tool");
            let what = if verb == Verb::Check { "as approved" } else { "whole" };
            let _ = writeln!(out, "{STRONG}{name}{STRONG:#}: {GOOD}{what}{GOOD:#} ({tools})");
        }
        CheckOutcome::Judged(findings) => {
            let worst = findings.iter().map(|f| f.severity).max().unwrap_or(Severity::Info);
            let changes = human::plural(findings.len(), "change");
            let style = style(worst);
            let _ = writeln!(
                out,
                "{STRONG}{name}{STRONG:#}: {changes}, the worst {style}{}{style:#}",
                worst.name()
            );
            list(findings, verbose, out);
            let varies = findings.iter().any(|found| found.kind == FindingType::SurfaceVaries);
            if worst >= fail_on && !varies {
                let next = format!("facet approve {name}");
                let _ = writeln!(
                    out,
                    "  {QUIET}if this is what you want:{QUIET:#} {STRONG}{next}{STRONG:#}"
                );
            }
        }
        CheckOutcome::Edited(problem) => {
            let _ = writeln!(out, "{STRONG}{name}{STRONG:#}: {BAD}edited{BAD:#}");
            let _ = writeln!(out, "  {}", visible(problem));
            let _ = writeln!(
                out,
                "  {QUIET}see what was edited:{QUIET:#} {STRONG}git diff facets.lock \
                 .facets/surfaces{STRONG:#}"
            );
            let _ = writeln!(
                out,
                "  {QUIET}or look at it as if it were new:{QUIET:#} {STRONG}facet approve \
                 {name}{STRONG:#}"
            );
        }
        CheckOutcome::Failed(error) => {
            let _ = writeln!(out, "{STRONG}{name}{STRONG:#}: {WARN}not judged{WARN:#}");
            for line in human::failure(&error.describe()).lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
}

pub(super) fn list(findings: &[Finding], verbose: bool, out: &mut String) {
    let most = if verbose { usize::MAX } else { FINDINGS };
    for finding in findings.iter().take(most) {
        one(finding, verbose, out);
    }
    if findings.len() > most {
        let more = findings.len() - most;
        let _ = writeln!(out, "  {QUIET}and {more} more; --verbose shows them{QUIET:#}");
    }
}

/// A finding: how bad, about what, what it means; the change; why it is worse than its type.
fn one(finding: &Finding, verbose: bool, out: &mut String) {
    let style = style(finding.severity);
    let severity = finding.severity.name();
    let subject = match finding.subject_kind {
        SubjectKind::Server => String::new(),
        kind => format!("{} {STRONG}{}{STRONG:#}: ", kind.name(), visible(&finding.subject)),
    };
    let _ = writeln!(
        out,
        "  {style}{severity:<8}{style:#} {subject}{} {QUIET}[{}, {}]{QUIET:#}",
        visible(&finding.sentence),
        finding.kind.name(),
        finding.compat.name()
    );
    change(finding.before.as_deref(), finding.after.as_deref(), verbose, out);
    for evidence in &finding.evidence {
        let _ = writeln!(
            out,
            "           {BAD}!{BAD:#} \"{}\" {QUIET}[{}]{QUIET:#}",
            visible(&evidence.words),
            evidence.rule
        );
    }
}

/// What was and what is, line by line; JSON is laid out first.
fn change(before: Option<&str>, after: Option<&str>, verbose: bool, out: &mut String) {
    let (before, after) = (laid_out(before), laid_out(after));
    if before.is_empty() && after.is_empty() {
        return;
    }
    let diff = TextDiff::from_lines(&before, &after);
    let most = if verbose { usize::MAX } else { LINES };
    let mut lines = Vec::new();
    for group in diff.grouped_ops(1) {
        for op in group {
            for line in diff.iter_changes(&op) {
                let text = visible(line.value().trim_end_matches('\n'));
                lines.push(match line.tag() {
                    ChangeTag::Delete => format!("{GONE}- {text}{GONE:#}"),
                    ChangeTag::Insert => format!("{COME}+ {text}{COME:#}"),
                    ChangeTag::Equal => format!("{QUIET}  {text}{QUIET:#}"),
                });
            }
        }
    }
    for line in lines.iter().take(most) {
        let _ = writeln!(out, "           {line}");
    }
    if lines.len() > most {
        let more = lines.len() - most;
        let _ = writeln!(out, "           {QUIET}and {more} more lines; --verbose{QUIET:#}");
    }
}

fn laid_out(text: Option<&str>) -> String {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return String::new() };
    let value: Option<Value> = serde_json::from_str(text).ok();
    let pretty = value.filter(|value| value.is_object() || value.is_array());
    let mut laid = match pretty {
        Some(value) => format!("{value:#}"),
        None => text.to_owned(),
    };
    laid.push('\n');
    laid
}

pub(super) fn json_of(finding: &Finding) -> Value {
    let evidence: Vec<Value> = finding
        .evidence
        .iter()
        .map(|evidence| json!({ "rule": evidence.rule, "words": evidence.words }))
        .collect();
    json!({
        "type": finding.kind.name(),
        "subject": { "kind": finding.subject_kind.name(), "name": finding.subject },
        "member": finding.member,
        "severity": finding.severity.name(),
        "compat": finding.compat.name(),
        "before": finding.before,
        "after": finding.after,
        "sentence": finding.sentence,
        "evidence": evidence,
    })
}

pub(super) fn json_of_all(findings: &[Finding]) -> Vec<Value> {
    findings.iter().map(json_of).collect()
}

pub(super) fn checked_json(report: &CheckReport) -> Value {
    let servers: Vec<Value> = report
        .servers
        .iter()
        .map(|server| {
            let (outcome, findings, problem, error) = match &server.outcome {
                CheckOutcome::Judged(findings) if findings.is_empty() => {
                    ("same", Vec::new(), None, Value::Null)
                }
                CheckOutcome::Judged(findings) => {
                    ("drift", json_of_all(findings), None, Value::Null)
                }
                CheckOutcome::Edited(problem) => ("edited", Vec::new(), Some(problem), Value::Null),
                CheckOutcome::Failed(error) => {
                    let failure = plain::failure(&error.describe());
                    ("not-judged", Vec::new(), None, failure["error"].clone())
                }
            };
            json!({
                "name": server.name,
                "tools": server.tools,
                "outcome": outcome,
                "findings": findings,
                "problem": problem,
                "error": error,
            })
        })
        .collect();
    let judgement = match report.judgement() {
        Judgement::Yes => "yes",
        Judgement::No => "no",
        Judgement::Unknown => "unknown",
    };
    json!({ "judgement": judgement, "fail_on": report.fail_on.name(), "servers": servers })
}

pub(super) fn diff(report: &DiffReport, quiet: bool, verbose: bool) -> Shown {
    let mut out = String::new();
    list(&report.findings, verbose, &mut out);
    let talk = match report.findings.len() {
        _ if quiet => String::new(),
        0 => format!("{GOOD}no difference{GOOD:#}\n"),
        count => format!("{}\n", human::plural(count, "difference")),
    };
    Shown { talk, ..Shown::styled(out) }
}

pub(super) fn diff_json(report: &DiffReport) -> Value {
    json!({
        "judgement": if report.is_fine() { "yes" } else { "no" },
        "fail_on": report.fail_on.name(),
        "findings": json_of_all(&report.findings),
    })
}
