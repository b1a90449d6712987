//! What changed from one pinned runtime to another (spec 7.2).

use facets_digest::Digest;
use facets_drift::{Compat, Finding, FindingType, Severity, SubjectKind};
use facets_lock::RuntimePin;
use facets_model::PlatformName;

/// The server as a whole.
const SERVER: (SubjectKind, &str) = (SubjectKind::Server, "");

/// What changed from one runtime to another.
pub(crate) fn compare_runtimes(before: &RuntimePin, after: &RuntimePin) -> Option<Finding> {
    if before == after {
        return None;
    }
    let shown = |runtime: &RuntimePin| format!("{} {}", runtime.name.name(), runtime.version);
    if shown(before) != shown(after) {
        let sides = (shown(before), shown(after));
        return Some(runtime_changed(Severity::Moderate, "runtime changed", sides));
    }
    let changed = after.binaries.iter().filter_map(|(platform, new)| {
        before.binaries.get(platform).filter(|old| *old != new).map(|old| (platform, old, new))
    });
    let other: Vec<(&PlatformName, &Digest, &Digest)> = changed.collect();
    if other.is_empty() {
        // A newer facet may know more platforms; what ran before still runs.
        let platforms = |runtime: &RuntimePin| {
            let names: Vec<&str> = runtime.binaries.keys().map(PlatformName::as_str).collect();
            names.join(", ")
        };
        let sentence = "platforms of the runtime changed";
        let sides = (platforms(before), platforms(after));
        return Some(runtime_changed(Severity::Moderate, sentence, sides));
    }
    let line = |platform: &PlatformName, digest: &Digest| format!("{platform} {digest}");
    let old: Vec<String> = other.iter().map(|&(platform, old, _)| line(platform, old)).collect();
    let new: Vec<String> = other.iter().map(|&(platform, _, new)| line(platform, new)).collect();
    let sentence = format!("{} has other bytes", shown(after));
    let sides = (old.join("\n"), new.join("\n"));
    Some(runtime_changed(Severity::Critical, &sentence, sides))
}

fn runtime_changed(
    severity: Severity,
    sentence: &str,
    (before, after): (String, String),
) -> Finding {
    let grade = (severity, Compat::Risky);
    let found = Finding::new(FindingType::RuntimeChanged, SERVER, grade, sentence);
    found.of_member("runtime", Some(before), Some(after))
}
