//! Changes that other tools know, and those that they miss.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use facets_digest::json::{self, Limits, Provenance};
use facets_drift::{Finding, Severity, compare_fusion_contracts};
use serde_json::Value;
use support::compare;

fn read(folder: &str, file: &str) -> Option<Value> {
    let folder = facets_testkit::shared_vectors(folder)?;
    Some(serde_json::from_slice(&std::fs::read(folder.join(file)).unwrap()).unwrap())
}

fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.severity).max()
}

/// What spec 7.2 says about each change, which is not always what the note beside it proposes;
/// docs/pinning.md has the reasons.
const DRIFT: &[(&str, Option<Severity>)] = &[
    ("identical", None),
    ("tool-added", Some(Severity::Critical)),
    ("tool-removed", Some(Severity::Info)),
    ("tool-renamed", Some(Severity::Critical)),
    ("tool-description-poisoned", Some(Severity::Critical)),
    ("tool-description-trailing-space", Some(Severity::Safe)),
    ("tool-title-changed", Some(Severity::Critical)),
    ("tool-annotations-flipped", Some(Severity::Critical)),
    ("tool-meta-added", Some(Severity::Moderate)),
    ("schema-required-added", Some(Severity::Moderate)),
    ("schema-optional-added", Some(Severity::Critical)),
    ("schema-property-description", Some(Severity::Critical)),
    ("schema-key-order", None),
    ("schema-emptied", Some(Severity::Critical)),
    ("prompt-added", Some(Severity::Moderate)),
    ("prompt-removed", Some(Severity::Info)),
    ("prompt-description-changed", Some(Severity::Safe)),
    ("prompt-description-trailing-space", Some(Severity::Safe)),
    ("prompt-arg-required", Some(Severity::Safe)),
    ("prompt-arg-title", Some(Severity::Safe)),
    ("template-added", Some(Severity::Moderate)),
    ("template-mime", Some(Severity::Safe)),
    ("template-name-description", Some(Severity::Safe)),
    ("resource-added", Some(Severity::Moderate)),
    ("resource-removed", Some(Severity::Moderate)),
    ("instructions-changed", Some(Severity::Moderate)),
    ("server-renamed", Some(Severity::Moderate)),
];

#[test]
fn every_pair_of_mcptrust_is_graded_as_the_specification_says() {
    let Some(document) = read("mcptrust", "drift.json") else { return };
    let vectors = document["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), DRIFT.len());
    let mut wrong = Vec::new();
    for vector in vectors {
        let id = vector["id"].as_str().unwrap();
        let expected = DRIFT.iter().find(|(other, _)| *other == id).unwrap().1;
        let findings = compare(&document["before"], &vector["after"]);
        if worst(&findings) != expected {
            wrong.push(format!(
                "{id}: {:?} instead of {expected:?}: {findings:#?}",
                worst(&findings)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_pair_of_fusion_is_found() {
    let Some(document) = read("fusion", "diffs.json") else { return };
    let parse = |text: &str| {
        let value = json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT).unwrap();
        value.to_canonical()
    };
    let mut wrong = Vec::new();
    for vector in document.as_array().unwrap() {
        let id = vector["id"].as_str().unwrap();
        let sides = [&vector["before"], &vector["after"]].map(|side| parse(&side.to_string()));
        let [before, after] = &sides;
        let read = |form| json::parse(form, Provenance::Captured, Limits::DOCUMENT).unwrap();
        let findings = compare_fusion_contracts(&read(before), &read(after));
        // Never nothing where the digests differ, as their own diff has it.
        if findings.is_empty() != (before == after) {
            wrong.push(format!("{id}: {findings:#?}"));
        }
        let breaking = vector["result"]["maxSeverity"] == "BREAKING";
        let harmless = findings.iter().all(|finding| {
            finding.severity < Severity::Moderate && finding.compat < facets_drift::Compat::Breaking
        });
        if breaking && harmless {
            wrong.push(format!("{id} breaks: {findings:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
