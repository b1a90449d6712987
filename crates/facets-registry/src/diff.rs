//! What changed from one version to another (spec 7), as `facet diff` finds it.

use facets_catalog::{ArtifactKind, VersionRecord};
use facets_drift::{
    Compat, Finding, FindingType, Severity, Side, SubjectKind, compare_surfaces, sort_findings,
};
use facets_validator::JsonSchema;

use crate::blocking::blocking;
use crate::contract::stored_surface;
use crate::error::RegistryError;
use crate::file_changes::FileChange;
use crate::refusals;
use crate::registry::Registry;

/// The artifact as a whole.
const WHOLE: (SubjectKind, &str) = (SubjectKind::Server, "");

/// What changed from one version to another.
#[derive(Clone, Debug)]
pub struct VersionDiff {
    /// Whether the content differs.
    pub content_changed: bool,
    /// Files that changed; only of facets, whose files are what they are.
    pub files: Vec<FileChange>,
    /// What changed, the worst first.
    pub findings: Vec<Finding>,
}

impl Registry {
    /// Compares two versions of one name: surfaces of servers, files of facets.
    pub async fn diff(
        &self,
        from: &VersionRecord,
        to: &VersionRecord,
    ) -> Result<VersionDiff, RegistryError> {
        if (from.kind, &from.name) != (to.kind, &to.name) {
            let error = format!("{} and {} are different artifacts", from.name, to.name);
            return Err(refusals::bad_request(error, "compare two versions of one name").into());
        }
        let mut findings = compare_records(from, to);
        if let (Some(old), Some(new)) = (&from.server, &to.server)
            && old.surface_file != new.surface_file
        {
            findings.extend(self.compare_servers(from, to).await?);
        }
        sort_findings(&mut findings);
        let content_changed = from.integrity != to.integrity;
        let files = match to.kind {
            ArtifactKind::Facet if content_changed => self.changed_files(from, to).await?,
            ArtifactKind::Facet | ArtifactKind::Server => Vec::new(),
        };
        Ok(VersionDiff { content_changed, files, findings })
    }

    async fn compare_servers(
        &self,
        from: &VersionRecord,
        to: &VersionRecord,
    ) -> Result<Vec<Finding>, RegistryError> {
        let slot = self.reader_slot().await?;
        let files = (self.surface_file(from).await?, self.surface_file(to).await?);
        blocking(move || {
            let _slot = slot;
            let (old, new) = (stored_surface(&files.0)?, stored_surface(&files.1)?);
            let hashes = (old.hashes(), new.hashes());
            let before = Side { surface: &old, hashes: &hashes.0 };
            let after = Side { surface: &new, hashes: &hashes.1 };
            Ok(compare_surfaces(before, after, &JsonSchema::default()))
        })
        .await
    }
}

/// What can be seen without the surfaces.
fn compare_records(from: &VersionRecord, to: &VersionRecord) -> Vec<Finding> {
    let mut findings = Vec::new();
    if from.version != to.version {
        let grade = (Severity::Info, Compat::Safe);
        let sentence = "version of the artifact changed";
        let found = Finding::new(FindingType::VersionChanged, WHOLE, grade, sentence);
        let shown = |record: &VersionRecord| Some(format!("{} {}", record.name, record.version));
        // The version that a server itself reports is another member.
        findings.push(found.of_member("artifact", shown(from), shown(to)));
    }
    if let (Some(old), Some(new)) = (&from.server, &to.server)
        && old.runtime != new.runtime
    {
        let grade = (Severity::Moderate, Compat::Risky);
        let found = Finding::new(FindingType::RuntimeChanged, WHOLE, grade, "runtime changed");
        let sides = (Some(old.runtime.clone()), Some(new.runtime.clone()));
        findings.push(found.of_member("runtime", sides.0, sides.1));
    }
    findings
}
