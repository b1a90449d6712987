//! What another lock entry would start, and what it would be allowed (spec 8.6).

use facets_drift::{Compat, Finding, FindingType, Severity, SubjectKind, sort_findings};
use facets_lock::{LockedServer, StartSettings};
use facets_model::Origin;

use crate::artifact_changes::compare_artifacts;

/// The server as a whole.
const SERVER: (SubjectKind, &str) = (SubjectKind::Server, "");
const CRITICAL: (Severity, Compat) = (Severity::Critical, Compat::Risky);

/// What may have been weakened between two entries.
pub(crate) fn compare_pins(before: &LockedServer, after: &LockedServer) -> Vec<Finding> {
    let mut out = compare_origins(&before.origin, &after.origin);
    out.extend(compare_artifacts(&before.pin, &after.pin));
    if before.source != after.source {
        let sentence = "source folder changed";
        let found = Finding::new(FindingType::LaunchChanged, SERVER, CRITICAL, sentence);
        out.push(found.of_member("source", before.source.clone(), after.source.clone()));
    }
    out.extend(compare_settings(&before.settings, &after.settings));
    let wider = after.grants.widened_since(&before.grants);
    if !wider.is_empty() {
        let sentence = format!("grants widened: {}", wider.join(", "));
        let found = Finding::new(FindingType::GrantWidened, SERVER, CRITICAL, sentence);
        let sides = (before.grants.to_json(), after.grants.to_json());
        out.push(found.of_member("grants", Some(sides.0), Some(sides.1)));
    }
    // One that is required from now on weakens nothing.
    if before.signer.is_some() && before.signer != after.signer {
        let sentence = match &after.signer {
            Some(_) => "required signer changed",
            None => "required signer removed",
        };
        let grade = (Severity::Critical, Compat::Breaking);
        let found = Finding::new(FindingType::SignerChanged, SERVER, grade, sentence);
        let shown = |server: &LockedServer| server.signer.as_ref().map(ToString::to_string);
        out.push(found.of_member("signer", shown(before), shown(after)));
    }
    sort_findings(&mut out);
    out
}

/// Whether it would be started in another place or another environment.
pub(crate) fn compare_settings(before: &StartSettings, after: &StartSettings) -> Vec<Finding> {
    let mut out = Vec::new();
    if before.directory != after.directory {
        let sentence = "start directory changed";
        let found = Finding::new(FindingType::LaunchChanged, SERVER, CRITICAL, sentence);
        out.push(found.of_member("directory", before.directory.clone(), after.directory.clone()));
    }
    if before.profile != after.profile {
        let sentence = "environment profile changed";
        let grade = (Severity::Moderate, Compat::Risky);
        let found = Finding::new(FindingType::LaunchChanged, SERVER, grade, sentence);
        let name = |settings: &StartSettings| Some(settings.profile.name().to_owned());
        out.push(found.of_member("profile", name(before), name(after)));
    }
    out
}

/// Whether something else would be started or called, and which members of the origin differ.
pub(crate) fn compare_origins(before: &Origin, after: &Origin) -> Vec<Finding> {
    let (old, new) = (before.members(), after.members());
    let mut names: Vec<&str> = old.iter().chain(&new).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let find = |members: &[(&str, String)], name: &str| {
        members.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone())
    };
    let mut out = Vec::new();
    for name in names {
        let sides = (find(&old, name), find(&new, name));
        if sides.0 != sides.1 {
            let sentence = format!("launch changed: `{name}`");
            let found = Finding::new(FindingType::LaunchChanged, SERVER, CRITICAL, sentence);
            out.push(found.of_member(name, sides.0, sides.1));
        }
    }
    out
}
