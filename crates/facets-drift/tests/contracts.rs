//! Contracts alone: what they say, and what they cannot.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod support;

use facets_drift::{Finding, Severity, compare_contract_documents, compare_contract_sets};
use facets_surface::{Contract, EntitlementVerdict, Entitlements};
use serde_json::{Value, json};
use support::surface;

fn tool() -> Value {
    json!({
        "name": "read",
        "description": "Reads a file",
        "inputSchema": { "type": "object", "properties": { "path": { "type": "string" } } },
        "annotations": { "readOnlyHint": true },
        "_meta": { "facets.dev/contract": {
            "systemRules": { "static": ["Ask first"] },
            "guardrails": { "maxBytes": 10 },
            "middleware": ["auth"],
            "tags": ["files"]
        } }
    })
}

fn contracts(tools: &[Value]) -> Vec<Contract> {
    surface(&json!({ "tools": tools })).contracts().collect()
}

fn has(findings: &[Finding], kind: &str, severity: Severity) -> bool {
    findings.iter().any(|found| found.kind.name() == kind && found.severity == severity)
}

type Edit = (&'static str, Severity, fn(&mut Value));

#[test]
fn every_part_of_a_contract_is_compared() {
    let edits: [Edit; 9] = [
        ("tool_renamed", Severity::Critical, |t| t["name"] = json!("other")),
        ("tool_changed", Severity::Moderate, |t| t["description"] = json!("Reads files")),
        ("tool_changed", Severity::Critical, |t| t["inputSchema"] = json!({ "type": "object" })),
        ("tool_changed", Severity::Critical, |t| t["annotations"] = json!({})),
        ("tool_changed", Severity::Moderate, |t| t["outputSchema"] = json!({ "type": "object" })),
        ("rules_changed", Severity::Critical, |t| {
            t["_meta"]["facets.dev/contract"]["systemRules"] = json!(null);
        }),
        ("guardrail_loosened", Severity::Critical, |t| {
            t["_meta"]["facets.dev/contract"]["guardrails"] = json!({ "maxBytes": 20 });
        }),
        ("middleware_removed", Severity::Critical, |t| {
            t["_meta"]["facets.dev/contract"]["middleware"] = json!([]);
        }),
        ("tool_changed", Severity::Moderate, |t| {
            t["_meta"]["facets.dev/contract"]["tags"] = json!([]);
        }),
    ];
    let before = contracts(&[tool()]);
    assert!(compare_contract_documents(&before[0], &before[0]).is_empty());
    for (kind, severity, edit) in edits {
        let mut changed = tool();
        edit(&mut changed);
        let after = contracts(&[changed]);
        let findings = compare_contract_documents(&before[0], &after[0]);
        assert!(has(&findings, kind, severity), "{kind}: {findings:#?}");
    }
}

#[test]
fn tools_and_what_code_reaches_are_compared_across_a_server() {
    let mut other = tool();
    other["name"] = json!("write");
    let (one, two) = (contracts(&[tool()]), contracts(&[tool(), other]));
    assert!(has(&compare_contract_sets(&one, &two), "tool_added", Severity::Critical));
    assert!(has(&compare_contract_sets(&two, &one), "tool_removed", Severity::Info));
    let mut reaching = surface(&json!({ "tools": [tool()] }));
    reaching.source.entitlements =
        Some(Entitlements { network: EntitlementVerdict::Yes, ..Entitlements::unknown() });
    let after: Vec<Contract> = reaching.contracts().collect();
    let gained = compare_contract_sets(&one, &after);
    assert!(has(&gained, "entitlement_gained", Severity::Critical), "{gained:#?}");
    let lost = compare_contract_sets(&after, &one);
    assert!(has(&lost, "entitlement_lost", Severity::Info), "{lost:#?}");
}
