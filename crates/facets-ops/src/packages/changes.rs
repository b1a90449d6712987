//! What changed from one pinned package to another (spec 7.2, 10.8).

use facets_closure::{Closure, ClosureChange, closure_changes};
use facets_drift::{Compat, Finding, FindingType, Severity, SubjectKind};
use facets_lock::PackagePin;

use crate::runtime_changes::compare_runtimes;

/// The server as a whole.
const SERVER: (SubjectKind, &str) = (SubjectKind::Server, "");

/// What changed between two entries of a lock; of their closures only that they differ.
pub(crate) fn compare_packages(before: &PackagePin, after: &PackagePin) -> Vec<Finding> {
    let mut findings = Vec::new();
    if before.resolved != after.resolved {
        let grade = (Severity::Info, Compat::Safe);
        let sentence = "version of the package changed";
        let found = Finding::new(FindingType::VersionChanged, SERVER, grade, sentence);
        let sides = (Some(before.resolved.clone()), Some(after.resolved.clone()));
        findings.push(found.of_member("package", sides.0, sides.1));
    }
    for (member, old, new) in
        [("bin", &before.bin, &after.bin), ("entry", &before.entry, &after.entry)]
    {
        // A new version may move its program; another program is started by another name.
        if old != new && (member == "bin" || before.resolved == after.resolved) {
            let grade = (Severity::Critical, Compat::Risky);
            let sentence = format!("launch changed: `{member}`");
            let found = Finding::new(FindingType::LaunchChanged, SERVER, grade, sentence);
            findings.push(found.of_member(member, Some(old.clone()), Some(new.clone())));
        }
    }
    findings.extend(compare_runtimes(&before.runtime, &after.runtime));
    findings
}

/// What changed between two closures, package by package.
pub(crate) fn findings_of(before: &Closure, after: &Closure) -> Vec<Finding> {
    closure_changes(before, after).into_iter().map(finding).collect()
}

fn finding(change: ClosureChange) -> Finding {
    let (severity, sentence, sides) = match change {
        ClosureChange::OtherBytes { package, before, after } => {
            let sentence = format!("{package} has other bytes under the same version");
            (Severity::Critical, sentence, (Some(before), Some(after)))
        }
        ClosureChange::NewFlag { package, flag } => {
            let what = match flag {
                facets_closure::PackageFlag::Native => "contains machine code",
                _ => "has a script that an installer would run",
            };
            let sentence = format!("{package} {what}, and no version of it did before");
            (Severity::Critical, sentence, (None, Some(flag.name().to_owned())))
        }
        ClosureChange::Added { package } => {
            (Severity::Moderate, format!("{package} was added"), (None, Some(package)))
        }
        ClosureChange::Removed { package } => {
            (Severity::Info, format!("{package} was removed"), (Some(package), None))
        }
        ClosureChange::OtherVersion { name, before, after } => {
            let sentence = format!("{name} changed from {before} to {after}");
            (Severity::Moderate, sentence, (Some(before), Some(after)))
        }
    };
    let grade = (severity, Compat::Risky);
    let found = Finding::new(FindingType::ClosureChanged, SERVER, grade, sentence);
    found.of_member("closure", sides.0, sides.1)
}
