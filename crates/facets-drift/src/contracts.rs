//! What tools promise beyond their declarations.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use facets_surface::{Contract, Entitlements, compare_contracts};

use crate::finding::{Compat, Finding, FindingType, Severity, SubjectKind};
use crate::promises;
use crate::side::Side;

/// The behaviour of two servers, of which one is known by more than its declaration.
pub(crate) fn compare_behaviour(before: Side<'_>, after: Side<'_>, out: &mut Vec<Finding>) {
    let unknown = Entitlements::unknown();
    let old = before.surface.source.entitlements.as_ref().unwrap_or(&unknown);
    let new = after.surface.source.entitlements.as_ref().unwrap_or(&unknown);
    entitlements(old, new, out);
    let compared = compare_contracts(&before.hashes.behavior, &after.hashes.behavior);
    let changed: BTreeSet<&str> = compared.changed.iter().map(|(name, _)| *name).collect();
    let wanted = |name: &str| changed.contains(name);
    let sides = before.surface.contracts_of(wanted).zip(after.surface.contracts_of(wanted));
    let rules = before.surface.system_rules_of(wanted).zip(after.surface.system_rules_of(wanted));
    let mut found = Vec::new();
    for ((old, new), (old_rules, new_rules)) in sides.zip(rules) {
        promises::compare(new.name(), &old, &new, &mut found);
        promises::compare_rules(new.name(), &old_rules, &new_rules, &mut found);
    }
    let nothing = out.is_empty() && found.is_empty();
    out.extend(say_once(found, after.hashes.behavior.tools().len()));
    // spec 7.6: where hashes differ, something is said
    if nothing && before.hashes.behavior.digest != after.hashes.behavior.digest {
        let grade = (Severity::Moderate, Compat::Risky);
        let sentence = "contracts changed, in a way that facet cannot name";
        let server = (SubjectKind::Server, "");
        out.push(Finding::new(FindingType::ToolChanged, server, grade, sentence));
    }
}

/// What is the same for every tool is the server's, and said once.
fn say_once(found: Vec<Finding>, tools: usize) -> Vec<Finding> {
    let mut groups: Vec<(Finding, usize)> = Vec::new();
    for finding in found {
        let same = |other: &&mut (Finding, usize)| {
            let Finding { kind, member, before, after, .. } = &other.0;
            (kind, member, before, after)
                == (&finding.kind, &finding.member, &finding.before, &finding.after)
        };
        // A hostile server may have many; only neighbours are the same promise then.
        match groups.iter_mut().rev().take(64).find(same) {
            Some((_, count)) => *count += 1,
            None => groups.push((finding, 1)),
        }
    }
    let said = groups.into_iter().map(|(mut finding, count)| {
        if count > 1 && count == tools {
            finding.subject_kind = SubjectKind::Server;
            finding.subject.clear();
        } else if count > 1 {
            let _ = write!(finding.sentence, "; the same in {} more tools", count - 1);
        }
        finding
    });
    said.collect()
}

/// What the code of a server can reach.
pub(crate) fn entitlements(old: &Entitlements, new: &Entitlements, out: &mut Vec<Finding>) {
    let server = (SubjectKind::Server, "");
    for ((name, was), (_, is)) in old.verdicts().into_iter().zip(new.verdicts()) {
        let (kind, grade, sentence) = match was.cmp(&is) {
            std::cmp::Ordering::Equal => continue,
            std::cmp::Ordering::Less => (
                FindingType::EntitlementGained,
                (Severity::Critical, Compat::Risky),
                format!("code can reach more: {name}"),
            ),
            std::cmp::Ordering::Greater => (
                FindingType::EntitlementLost,
                (Severity::Info, Compat::Safe),
                format!("code can reach less: {name}"),
            ),
        };
        let sides = (Some(was.name().to_owned()), Some(is.name().to_owned()));
        let finding = Finding::new(kind, server, grade, sentence);
        out.push(finding.of_member(format!("entitlements.{name}"), sides.0, sides.1));
    }
    raw_names(&old.raw, &new.raw, out);
}

/// Other ways to what was reached before.
fn raw_names(old: &[String], new: &[String], out: &mut Vec<Finding>) {
    let old: BTreeSet<&str> = old.iter().map(String::as_str).collect();
    let new: BTreeSet<&str> = new.iter().map(String::as_str).collect();
    let names = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
    let added: BTreeSet<&str> = new.difference(&old).copied().collect();
    let removed: BTreeSet<&str> = old.difference(&new).copied().collect();
    let server = (SubjectKind::Server, "");
    if !added.is_empty() {
        let grade = (Severity::Moderate, Compat::Risky);
        let sentence = "code uses more of the runtime";
        let finding = Finding::new(FindingType::EntitlementGained, server, grade, sentence);
        out.push(finding.of_member("entitlements.raw", None, Some(names(added))));
    }
    if !removed.is_empty() {
        let grade = (Severity::Info, Compat::Safe);
        let sentence = "code uses less of the runtime";
        let finding = Finding::new(FindingType::EntitlementLost, server, grade, sentence);
        out.push(finding.of_member("entitlements.raw", Some(names(removed)), None));
    }
}

/// Two contracts of which nothing else is known (spec 6.1).
#[must_use]
pub fn compare_contract_documents(before: &Contract, after: &Contract) -> Vec<Finding> {
    let mut out = Vec::new();
    let tool = after.name();
    promises::compare(tool, before, after, &mut out);
    promises::compare_declared(tool, before, after, &mut out);
    let (old, new) = (promises::entitlements_of(before), promises::entitlements_of(after));
    entitlements(&old, &new, &mut out);
    crate::finding::sort_findings(&mut out);
    out
}

/// Two sets of contracts by their names.
#[must_use]
pub fn compare_contract_sets(before: &[Contract], after: &[Contract]) -> Vec<Finding> {
    let mut out = Vec::new();
    let find = |all: &'_ [Contract], name: &str| all.iter().position(|one| one.name() == name);
    for new in after {
        match find(before, new.name()) {
            Some(index) => out.extend(compare_contract_documents(&before[index], new)),
            None => out.push(Finding::new(
                FindingType::ToolAdded,
                (SubjectKind::Tool, new.name()),
                (Severity::Critical, Compat::Safe),
                "added, not approved yet",
            )),
        }
    }
    for old in before.iter().filter(|old| find(after, old.name()).is_none()) {
        out.push(Finding::new(
            FindingType::ToolRemoved,
            (SubjectKind::Tool, old.name()),
            (Severity::Info, Compat::Breaking),
            "removed",
        ));
    }
    dedup_server_findings(&mut out);
    crate::finding::sort_findings(&mut out);
    out
}

/// Every contract of a server repeats what its code can reach.
fn dedup_server_findings(out: &mut Vec<Finding>) {
    let mut seen: Vec<Finding> = Vec::new();
    out.retain(|finding| {
        if finding.subject_kind != SubjectKind::Server {
            return true;
        }
        let new = !seen.contains(finding);
        if new {
            seen.push(finding.clone());
        }
        new
    });
}
