//! Findings as machines read them: each for itself.

use facets_drift::Finding;
use facets_face::json as plain;
use facets_failure::Describe as _;
use facets_lock::Profile;
use facets_ops::OpsError;
use facets_ops::check::{CheckOutcome, CheckReport, Judgement};
use facets_ops::diff::DiffReport;
use facets_ops::policy::{Graded, Mark};
use facets_schema::{Instance, SchemaChange};
use serde_json::{Value, json};

use super::{facets, policy};

fn name_of(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Yes => "yes",
        Judgement::No => "no",
        Judgement::Unknown => "unknown",
    }
}

fn json_of(finding: &Finding, mark: Option<&Mark>) -> Value {
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
        "schema": finding.schema.as_deref().map(json_of_schema),
        "policy": mark.map(policy::json_of_mark),
    })
}

pub(super) fn json_of_schema(change: &SchemaChange) -> Value {
    json!({
        "verdict": change.verdict.name(),
        "accepted_now": change.gained.as_ref().map(Instance::to_json),
        "refused_now": change.lost.as_ref().map(Instance::to_json),
        "keyword": change.keyword,
        "new_arguments": change.new_arguments,
        "other_notes": change.other_notes,
    })
}

pub(super) fn json_of_all(findings: &[Finding]) -> Vec<Value> {
    findings.iter().map(|finding| json_of(finding, None)).collect()
}

fn json_of_graded(findings: &[Graded]) -> Vec<Value> {
    findings.iter().map(|graded| json_of(&graded.finding, graded.mark.as_ref())).collect()
}

pub(super) fn error_json(error: &OpsError, verbose: bool) -> Value {
    plain::failure(&error.describe(), verbose)["error"].take()
}

pub(super) fn checked_json(report: &CheckReport, verbose: bool) -> Value {
    let servers: Vec<Value> = report
        .servers
        .iter()
        .map(|server| {
            let (outcome, findings, problem, error) = match &server.outcome {
                CheckOutcome::Judged(findings) if findings.is_empty() => {
                    ("same", Vec::new(), None, Value::Null)
                }
                CheckOutcome::Judged(findings) => {
                    ("drift", json_of_graded(findings), None, Value::Null)
                }
                CheckOutcome::Edited(problem) => {
                    ("edited", Vec::new(), Some(problem.to_string()), Value::Null)
                }
                CheckOutcome::Tampered(error) => {
                    ("tampered", Vec::new(), None, error_json(error, verbose))
                }
                CheckOutcome::Failed(error) => {
                    ("not-judged", Vec::new(), None, error_json(error, verbose))
                }
            };
            json!({
                "name": server.name,
                "tools": server.tools,
                "profile": server.profile.map(Profile::name),
                "notes": server.notes,
                "outcome": outcome,
                "findings": findings,
                "problem": problem,
                "error": error,
            })
        })
        .collect();
    let uncaptured: Vec<Value> = report
        .uncaptured
        .iter()
        .map(|server| json!({ "name": server.name, "image": server.image }))
        .collect();
    json!({
        "judgement": name_of(report.judgement()),
        "fail_on": report.fail_on.name(),
        "policy": policy::json_of(report.policy.as_ref()),
        "servers": servers,
        "facets": facets::checked_json(report),
        "uncaptured": uncaptured,
    })
}

pub(super) fn diff_json(report: &DiffReport) -> Value {
    json!({
        "judgement": name_of(report.judgement()),
        "fail_on": report.fail_on.name(),
        "policy": policy::json_of(report.policy.as_ref()),
        "findings": json_of_graded(&report.findings),
    })
}
