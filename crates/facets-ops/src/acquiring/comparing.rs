//! What an archive has to be: what the registry states, what the lock pins, what was asked for.

use facets_digest::Digest;
use facets_model::{ArtifactName, Version};
use facets_registry_client::VersionDocument;

use crate::error::{InstallCheck, InstallError, OpsError};

/// The bytes that a lock pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LockedBytes {
    /// Its version.
    pub(crate) version: Version,
    /// SHA-256 of the uncompressed tar inside.
    pub(crate) integrity: Digest,
    /// SHA-256 of the archive, where facet wrote the entry.
    pub(crate) content_hash: Option<Digest>,
}

/// What an archive turned out to be.
pub(super) struct ArchiveFacts<'f> {
    pub(super) name: &'f ArtifactName,
    pub(super) version: String,
    pub(super) integrity: Digest,
}

/// What it has to be, and which check says so.
pub(super) struct ExpectedFacts<'e> {
    pub(super) check: InstallCheck,
    /// Kind, name and version.
    pub(super) subject: &'e str,
    pub(super) name: &'e ArtifactName,
    pub(super) version: Option<String>,
    pub(super) integrity: Option<Digest>,
}

impl ExpectedFacts<'_> {
    /// spec 4.4, facets I10: the integrity, and also the name and the version inside, are those that were
    /// published or locked.
    pub(super) fn compare(
        &self,
        found: &ArchiveFacts<'_>,
        source_of: &str,
    ) -> Result<(), OpsError> {
        let integrity = self.integrity.map(|integrity| integrity.to_string());
        let facts = [
            ("integrity", integrity, found.integrity.to_string()),
            ("name", Some(self.name.to_string()), found.name.to_string()),
            ("version", self.version.clone(), found.version.clone()),
        ];
        for (what, expected, actual) in facts {
            if let Some(expected) = expected.filter(|expected| *expected != actual) {
                return Err(mismatch(
                    self.check,
                    self.subject,
                    (what, &expected, &actual),
                    source_of,
                ));
            }
        }
        Ok(())
    }
}

/// A mismatch of one hash, name or version.
pub(super) fn mismatch(
    check: InstallCheck,
    subject: &str,
    (what, expected, actual): (&str, &str, &str),
    source_of: &str,
) -> OpsError {
    InstallError::Mismatch {
        check,
        subject: subject.to_owned(),
        expected: format!("{what} {expected}"),
        actual: format!("{what} {actual}"),
        source_of: source_of.to_owned(),
    }
    .into()
}

/// spec 10, facets I5: what the registry states for a locked version is what the lock has; this comes first.
pub(super) fn require_locked(
    locked: &LockedBytes,
    document: &VersionDocument,
    source_of: &str,
) -> Result<(), OpsError> {
    let subject = format!("{} {} {}", document.kind.word(), document.name, document.version);
    let hashes = [
        ("integrity", Some(locked.integrity), document.integrity),
        ("content hash", locked.content_hash, document.content_hash),
    ];
    for (what, expected, actual) in hashes {
        if let Some(expected) = expected.filter(|expected| *expected != actual) {
            let pair = (what, expected.to_string(), actual.to_string());
            let pair = (pair.0, pair.1.as_str(), pair.2.as_str());
            return Err(mismatch(InstallCheck::Lockfile, &subject, pair, source_of));
        }
    }
    Ok(())
}
