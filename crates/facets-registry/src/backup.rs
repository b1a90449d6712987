//! A copy of everything, from which another registry can start.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use facets_blobs::{BlobLimits, Blobs, BlobsUrl};
use facets_digest::Digest;

use crate::blocking::blocking;
use crate::error::RegistryError;
use crate::refusals;
use crate::registry::Registry;
use crate::temporary_file::TemporaryFile;
use crate::upkeep::PAGE;

/// Files of a data directory, as a registry without configuration has them.
const CATALOG: &str = "catalog.sqlite";
const BLOBS: &str = "blobs";

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackupReport {
    /// Blobs.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Registry {
    /// Copies the catalog and every blob that it references into a new directory, verified. A registry that is
    /// started with that directory has everything that was published before the backup began.
    pub async fn backup(&self, to: &Path) -> Result<BackupReport, RegistryError> {
        let folder = to.to_owned();
        blocking(move || make_empty(&folder)).await?;
        // The catalog first: versions are never removed, so every blob that the copy references is there later.
        self.catalog().backup(&to.join(CATALOG)).await?;
        let target = BlobsUrl::Files(to.join(BLOBS));
        let target = blocking(move || {
            Blobs::open(&target, None, BlobLimits::default()).map_err(RegistryError::from)
        })
        .await?;
        let mut report = BackupReport::default();
        let mut after = None;
        loop {
            let page = self.catalog().blobs_in_use(after.as_ref(), PAGE).await?;
            for one in page.items {
                report.bytes += self.copy_blob(&one.digest, &target, to).await?;
                report.blobs += 1;
            }
            after = page.next;
            if after.is_none() {
                return Ok(report);
            }
        }
    }

    /// Through a file, so that no blob is in memory whole. Both sides verify it.
    async fn copy_blob(
        &self,
        digest: &Digest,
        target: &Blobs,
        folder: &Path,
    ) -> Result<u64, RegistryError> {
        let copy = TemporaryFile::new(folder)?;
        self.blobs().copy_to_file(digest, copy.path()).await?;
        Ok(target.put_file(digest, copy.path()).await?)
    }
}

/// Nothing is overwritten.
fn make_empty(folder: &Path) -> Result<(), RegistryError> {
    let failed = |source| RegistryError::Io { what: "the directory of the backup", source };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    if std::fs::read_dir(folder).map_err(failed)?.next().is_some() {
        let error = format!("{} is not empty", folder.display());
        return Err(refusals::bad_request(error, "name a directory that does not exist yet").into());
    }
    Ok(())
}
