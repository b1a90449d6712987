//! What changed from one pinned artifact to another (spec 7.2).

use facets_drift::{Compat, Finding, FindingType, Severity, SubjectKind};
use facets_lock::{ArtifactPin, Pin};

use crate::packages::compare_packages;
use crate::runtime_changes::compare_runtimes;

/// The server as a whole.
const SERVER: (SubjectKind, &str) = (SubjectKind::Server, "");

/// What changed from one artifact to another. A pin of another kind has another origin, which is compared
/// by itself.
pub(crate) fn compare_artifacts(before: &Pin, after: &Pin) -> Vec<Finding> {
    if let (Some(before), Some(after)) = (before.package(), after.package()) {
        return compare_packages(before, after);
    }
    let (Some(before), Some(after)) = (before.artifact(), after.artifact()) else {
        return Vec::new();
    };
    let contents = compare_contents(before, after);
    contents.into_iter().chain(compare_runtimes(&before.runtime, &after.runtime)).collect()
}

fn compare_contents(before: &ArtifactPin, after: &ArtifactPin) -> Option<Finding> {
    if before.name != after.name {
        let grade = (Severity::Critical, Compat::Risky);
        let sentence = "launch changed: another artifact";
        let found = Finding::new(FindingType::LaunchChanged, SERVER, grade, sentence);
        let name = |pin: &ArtifactPin| Some(pin.name.to_string());
        return Some(found.of_member("name", name(before), name(after)));
    }
    if before.version != after.version {
        let grade = (Severity::Info, Compat::Safe);
        let sentence = "version of the artifact changed";
        let found = Finding::new(FindingType::VersionChanged, SERVER, grade, sentence);
        let shown = |pin: &ArtifactPin| Some(format!("{} {}", pin.name, pin.version));
        // The version that the server itself reports is another member.
        return Some(found.of_member("artifact", shown(before), shown(after)));
    }
    let hashes = [
        ("integrity", before.integrity, after.integrity),
        ("content_hash", before.content_hash, after.content_hash),
    ];
    let (member, old, new) = hashes.into_iter().find(|(_, old, new)| old != new)?;
    let grade = (Severity::Critical, Compat::Breaking);
    let sentence = format!("content of version {} changed", after.version);
    let found = Finding::new(FindingType::ContentChanged, SERVER, grade, sentence);
    Some(found.of_member(member, Some(old.to_string()), Some(new.to_string())))
}

#[cfg(test)]
mod tests {
    use facets_digest::Digest;
    use facets_model::PlatformName;

    use super::*;
    use facets_lock::Lock;
    use facets_testkit::repository_root;

    fn notes() -> ArtifactPin {
        let path = repository_root().join("testdata/source-mode/facets.lock");
        let lock = Lock::parse(&std::fs::read(path).unwrap()).unwrap();
        lock.server("notes").unwrap().pin.artifact().unwrap().clone()
    }

    fn pin(artifact: ArtifactPin) -> Pin {
        Pin::Artifact(Box::new(artifact))
    }

    /// `type severity compat member` of what an edit of an artifact is.
    fn found(edit: impl Fn(&mut ArtifactPin)) -> Vec<String> {
        let mut after = notes();
        edit(&mut after);
        let findings = compare_artifacts(&pin(notes()), &pin(after));
        let line = |found: &Finding| {
            assert_ne!(found.before, found.after);
            let grade = (found.severity.name(), found.compat.name());
            format!("{} {} {} {}", found.kind.name(), grade.0, grade.1, found.member)
        };
        findings.iter().map(line).collect()
    }

    #[test]
    fn the_same_artifact_has_not_changed_and_other_kinds_are_not_compared() {
        assert_eq!(found(|_| {}), [""; 0]);
        assert!(compare_artifacts(&Pin::AsWritten, &pin(notes())).is_empty());
        assert!(compare_artifacts(&pin(notes()), &Pin::AsWritten).is_empty());
    }

    #[test]
    fn other_bytes_of_the_same_version_are_critical_and_another_version_is_not() {
        let other = Digest::of(b"other");
        let integrity = found(|artifact| artifact.integrity = other);
        assert_eq!(integrity, ["content_changed critical breaking integrity"]);
        let packed = found(|artifact| artifact.content_hash = other);
        assert_eq!(packed, ["content_changed critical breaking content_hash"]);
        let updated = found(|artifact| {
            artifact.version = "1.0.1".parse().unwrap();
            artifact.integrity = other;
            artifact.content_hash = other;
        });
        assert_eq!(updated, ["version_changed info safe artifact"]);
    }

    #[test]
    fn another_artifact_is_another_launch() {
        let replaced = found(|artifact| {
            artifact.name = "other".parse().unwrap();
            artifact.version = "2.0.0".parse().unwrap();
        });
        assert_eq!(replaced, ["launch_changed critical risky name"]);
    }

    #[test]
    fn another_runtime_is_moderate_and_other_bytes_of_the_same_one_are_critical() {
        let other = Digest::of(b"other");
        let set = |artifact: &mut ArtifactPin, platform: &str| {
            artifact.runtime.binaries.insert(platform.parse().unwrap(), other);
        };
        let updated = found(|artifact| {
            artifact.runtime.version = "1.4.5".parse().unwrap();
            set(artifact, "linux-x64");
        });
        assert_eq!(updated, ["runtime_changed moderate risky runtime"]);
        let forged = found(|artifact| set(artifact, "linux-x64"));
        assert_eq!(forged, ["runtime_changed critical risky runtime"]);
        let both = found(|artifact| {
            set(artifact, "linux-x64");
            set(artifact, "windows-x64");
        });
        assert_eq!(both, ["runtime_changed critical risky runtime"]);
        let ported = found(|artifact| set(artifact, "windows-x64"));
        assert_eq!(ported, ["runtime_changed moderate risky runtime"]);
        let dropped = found(|artifact| {
            artifact.runtime.binaries.remove(&"linux-x64".parse::<PlatformName>().unwrap());
        });
        assert_eq!(dropped, ["runtime_changed moderate risky runtime"]);
    }
}
