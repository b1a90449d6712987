//! Collecting what nothing references: blobs of publishes that were never finished, and files of dead processes.

use std::fs;
use std::path::Path;
use std::time::Duration;

use facets_blobs::BlobEntry;
use facets_catalog::{Condemned, Moment};
use futures_util::StreamExt as _;

use crate::blocking::blocking;
use crate::clock::{moment_of, now};
use crate::error::RegistryError;
use crate::probe_folder::{PROBE_PREFIX, remove_folder};
use crate::registry::Registry;
use crate::upkeep::UpkeepProgress;
use crate::upload::UPLOAD_PREFIX;

/// No upload or probe takes so long, so older files belong to no process.
const FILES_KEPT: Duration = Duration::from_hours(1);

/// What is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GcOptions {
    /// Only what is older than this.
    pub older_than: Duration,
    /// Whether it is only listed.
    pub dry_run: bool,
}

impl Default for GcOptions {
    fn default() -> Self {
        Self { older_than: Duration::from_hours(1), dry_run: false }
    }
}

/// What was collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcReport {
    /// Blobs that were removed, or would be.
    pub removed: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Blobs that stay.
    pub kept: u64,
    /// Temporary files and directories that were removed.
    pub files: u64,
    /// Finished publishes whose status was forgotten.
    pub jobs: u64,
}

impl Registry {
    /// Removes blobs that no version, job or upload references, and files of processes that ended. A blob that is
    /// being published at the same time stays.
    pub async fn gc(
        &self,
        options: &GcOptions,
        progress: &dyn UpkeepProgress,
    ) -> Result<GcReport, RegistryError> {
        let mut report = GcReport::default();
        let before = now().minus(options.older_than);
        let mut blobs = self.blobs().list();
        while let Some(entry) = blobs.next().await {
            let entry = entry?;
            if entry.modified_at < before.0 && self.collect(&entry, options).await? {
                report.removed += 1;
                report.bytes += entry.size;
            } else {
                report.kept += 1;
            }
            progress.on_blob(&entry.digest, entry.size);
        }
        if !options.dry_run {
            self.collect_leftovers(&mut report, options).await?;
        }
        Ok(report)
    }

    /// Removes temporary files and directories that dead processes have left, however young; how many went. To be
    /// called before this process makes any. While another process uses the same directories, they stay.
    pub async fn remove_leftovers(&self) -> Result<u64, RegistryError> {
        let registry = self.clone();
        blocking(move || {
            let places = registry.places();
            let any_age = Moment(i64::MAX);
            let uploads = registry
                .used_uploads()
                .alone(|| remove_stale(&places.uploads, UPLOAD_PREFIX, any_age));
            let probes = registry
                .used_probes()
                .alone(|| remove_stale(&places.probes, PROBE_PREFIX, any_age));
            Ok(uploads.transpose()?.unwrap_or(0) + probes.transpose()?.unwrap_or(0))
        })
        .await
    }

    /// Removes a blob that nothing references; whether it went, or would.
    async fn collect(&self, entry: &BlobEntry, options: &GcOptions) -> Result<bool, RegistryError> {
        let catalog = self.catalog();
        if options.dry_run {
            return Ok(!catalog.is_referenced(&entry.digest, now()).await?);
        }
        match catalog.condemn(&entry.digest, now()).await? {
            Condemned::No => Ok(false),
            Condemned::Yes => {
                // From here on a publish of the same bytes waits until they are gone, and stores them again.
                let deleted = self.blobs().delete(&entry.digest).await;
                catalog.absolve(&entry.digest).await?;
                deleted?;
                Ok(true)
            }
        }
    }

    async fn collect_leftovers(
        &self,
        report: &mut GcReport,
        options: &GcOptions,
    ) -> Result<(), RegistryError> {
        report.jobs = self.catalog().forget_jobs(now().minus(self.limits().jobs_kept)).await?;
        let before = now().minus(options.older_than.max(FILES_KEPT));
        report.files = self.blobs().remove_partial(before.0).await?;
        let places = self.places().clone();
        report.files += blocking(move || {
            let uploads = remove_stale(&places.uploads, UPLOAD_PREFIX, before)?;
            Ok(uploads + remove_stale(&places.probes, PROBE_PREFIX, before)?)
        })
        .await?;
        Ok(())
    }
}

/// Removes files and directories whose names begin like ours and that are old; how many went.
fn remove_stale(folder: &Path, prefix: &str, before: Moment) -> Result<u64, RegistryError> {
    let failed = |source| RegistryError::Io { what: "a directory of the registry", source };
    let mut removed = 0;
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix));
        // Another process may remove the same.
        let Ok(metadata) = entry.metadata() else { continue };
        let modified = metadata.modified().map_or(Moment(i64::MAX), moment_of);
        if !is_ours || modified >= before {
            continue;
        }
        let path = entry.path();
        let gone = if metadata.is_dir() { remove_folder(&path) } else { fs::remove_file(&path) };
        removed += u64::from(gone.is_ok());
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_files_of_ours_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::write(path("upload-1"), "x").unwrap();
        fs::write(path("other"), "x").unwrap();
        fs::create_dir_all(path("upload-2/inner")).unwrap();
        let names = || fs::read_dir(place.path()).unwrap().count();
        assert_eq!(remove_stale(place.path(), "upload-", Moment(0)).unwrap(), 0);
        assert_eq!(names(), 3);
        let later = now().plus(Duration::from_mins(1));
        assert_eq!(remove_stale(place.path(), "upload-", later).unwrap(), 2);
        assert!(path("other").exists() && names() == 1);
    }
}
