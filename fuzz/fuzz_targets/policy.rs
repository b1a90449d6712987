//! Whatever a policy is, reading it ends with a policy or with problems in their places, and a
//! policy grades a finding without lowering what nobody can lower.

#![no_main]

use facets_drift::{Compat, Finding, FindingType, Severity, SubjectKind};
use facets_policy::{Facts, Judge, PROTECTED, parse_policy};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let outcome = parse_policy(data);
    assert_eq!(outcome.manifest.is_some(), outcome.problems.is_empty());
    for problem in &outcome.problems {
        assert!(problem.position.offset <= data.len());
        assert!(!problem.found.is_empty() && !problem.fix.is_empty());
    }
    let Some(policy) = outcome.manifest else { return };
    let severity = Severity::Critical;
    let tool = (SubjectKind::Tool, "get_time");
    let findings = FindingType::ALL.iter().map(|kind| {
        let finding = Finding::new(*kind, tool, (severity, Compat::Risky), "it is another");
        finding.of_member("description", Some("before".into()), Some("after".into()))
    });
    let facts = Facts { tools: Some(vec!["get_time".into()]), signer: Some(None) };
    for graded in Judge::new(&policy).grade("time", &facts, findings.collect()) {
        assert!(!graded.is_undecided(), "{:?}", graded.mark);
        assert!(graded.severity == severity || !PROTECTED.contains(&graded.kind));
    }
});
