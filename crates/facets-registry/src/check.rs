//! Hashing everything anew that the catalog references.

use facets_blobs::{BlobError, BlobVerdict};
use facets_catalog::{ArtifactKind, BlobUse, VersionRecord, Wanted};
use facets_digest::Digest;
use facets_model::{ArtifactName, Version};

use crate::blocking::blocking;
use crate::error::RegistryError;
use crate::reading::read_artifact;
use crate::registry::Registry;
use crate::server_record::server_record;
use crate::temporary_file::TemporaryFile;
use crate::upkeep::{PAGE, UpkeepProgress};

/// What is wrong with something stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// It is not there.
    Absent,
    /// It has another digest or size than the catalog says; or the catalog says other things about it than it does
    /// itself.
    Damaged,
    /// It could not be read, so that nothing is known about it.
    Unreadable,
}

/// A blob that cannot be served, or that the catalog describes wrongly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Which.
    pub digest: Digest,
    /// What it is: the archive or surface of a version.
    pub what: String,
    /// What is wrong.
    pub kind: DamageKind,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Versions that were looked at.
    pub versions: u64,
    /// Blobs that were hashed.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What cannot be served.
    pub damaged: Vec<Damage>,
}

impl CheckReport {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damaged.is_empty()
    }
}

impl Registry {
    /// Hashes every blob that the catalog references, reads every archive and surface again, and compares all of it
    /// with the catalog. What is damaged is reported, and the check goes on. Without space for a copy of an archive
    /// it fails.
    pub async fn check(&self, progress: &dyn UpkeepProgress) -> Result<CheckReport, RegistryError> {
        let mut report = CheckReport::default();
        let mut after = None;
        loop {
            let page = self.catalog().blobs_in_use(after.as_ref(), PAGE).await?;
            for one in page.items {
                let version = version_of_archive(&one.what);
                let damage = match (self.check_blob(&one).await, &version) {
                    (None, Some(version)) => self.check_version(version, &one).await?,
                    (damage, _) => damage,
                };
                report.blobs += 1;
                report.bytes += one.size;
                report.versions += u64::from(version.is_some());
                progress.on_blob(&one.digest, one.size);
                let BlobUse { digest, what, .. } = one;
                report.damaged.extend(damage.map(|kind| Damage { digest, what, kind }));
            }
            after = page.next;
            if after.is_none() {
                return Ok(report);
            }
        }
    }

    pub(crate) async fn check_blob(&self, one: &BlobUse) -> Option<DamageKind> {
        match self.blobs().verify(&one.digest).await {
            Ok(BlobVerdict::Ok { size }) if size == one.size => None,
            Ok(BlobVerdict::Ok { .. } | BlobVerdict::Damaged { .. }) => Some(DamageKind::Damaged),
            Ok(BlobVerdict::Absent) => Some(DamageKind::Absent),
            Err(_) => Some(DamageKind::Unreadable),
        }
    }

    /// Whether archive and surface of a version say what the catalog says.
    async fn check_version(
        &self,
        (kind, name, version): &(ArtifactKind, ArtifactName, Version),
        one: &BlobUse,
    ) -> Result<Option<DamageKind>, RegistryError> {
        let wanted = Wanted::Exact(version.clone());
        let Some(record) = self.catalog().find(*kind, name, &wanted).await? else {
            return Ok(Some(DamageKind::Absent));
        };
        let copy = TemporaryFile::new(&self.places().uploads)?;
        match self.blobs().copy_to_file(&one.digest, copy.path()).await {
            Ok(size) if size == one.size && one.digest == record.content_hash => {}
            Ok(_) | Err(BlobError::Damaged { .. }) => return Ok(Some(DamageKind::Damaged)),
            Err(BlobError::Absent { .. }) => return Ok(Some(DamageKind::Absent)),
            // The copy has no space: that says nothing about the blob.
            Err(error @ BlobError::Full { .. }) => return Err(error.into()),
            Err(_) => return Ok(Some(DamageKind::Unreadable)),
        }
        let is_same = self.is_archive_of(copy, record.clone()).await?;
        let is_same = is_same && self.is_surface_of(&record).await?;
        Ok((!is_same).then_some(DamageKind::Damaged))
    }

    async fn is_archive_of(
        &self,
        copy: TemporaryFile,
        record: VersionRecord,
    ) -> Result<bool, RegistryError> {
        let slot = self.reader_slot().await?;
        let mut limits = self.limits().archive(record.kind);
        // One that was published with higher limits is still read.
        limits.compressed = limits.compressed.max(record.size);
        limits.total = facets_archive::ArchiveLimits::SPEC.total;
        blocking(move || {
            let _slot = slot;
            match read_artifact(record.kind, copy.path(), &limits) {
                Ok(facts) => Ok((facts.name, facts.version, facts.integrity, facts.manifest)
                    == (record.name, record.version, record.integrity, record.manifest)),
                Err(RegistryError::Refused(_)) => Ok(false),
                Err(error) => Err(error),
            }
        })
        .await
    }

    /// Whether the surface file gives the hashes of the catalog. One that is not there is found as a blob.
    async fn is_surface_of(&self, record: &VersionRecord) -> Result<bool, RegistryError> {
        let Some(stored) = record.server.clone() else { return Ok(true) };
        let slot = self.reader_slot().await?;
        let file = match self.surface_file(record).await {
            Ok(file) => file,
            Err(RegistryError::Blobs(_)) => return Ok(true),
            Err(error) => return Err(error),
        };
        blocking(move || {
            let _slot = slot;
            let text = String::from_utf8_lossy(&file);
            Ok(server_record(&text, &stored.runtime).is_ok_and(|computed| computed == stored))
        })
        .await
    }
}

/// The version of `KIND NAME@VERSION archive`, as the catalog calls its archive.
fn version_of_archive(what: &str) -> Option<(ArtifactKind, ArtifactName, Version)> {
    let (kind, rest) = what.strip_suffix(" archive")?.split_once(' ')?;
    let (name, version) = rest.rsplit_once('@')?;
    Some((kind.parse().ok()?, name.parse().ok()?, version.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_of_versions_are_told_from_other_blobs() {
        let (kind, name, version) =
            version_of_archive("server @acme/demo@1.0.0-rc.1 archive").unwrap();
        assert_eq!(kind, ArtifactKind::Server);
        assert_eq!((name.as_str(), version.to_string().as_str()), ("@acme/demo", "1.0.0-rc.1"));
        for other in ["server demo@1.0.0 surface", "archive", "facet demo archive", ""] {
            assert!(version_of_archive(other).is_none(), "{other}");
        }
    }
}
