//! A copy of everything, from which another registry can start.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use facets_blobs::{BlobError, BlobLimits, Blobs, BlobsUrl};
use facets_catalog::BlobUse;

use crate::blocking::blocking;
use crate::check::{Damage, DamageKind};
use crate::error::RegistryError;
use crate::refusals;
use crate::registry::Registry;
use crate::temporary_file::TemporaryFile;
use crate::upkeep::PAGE;

/// Files of a data directory, as a registry without configuration has them.
const CATALOG: &str = "catalog.sqlite";
const BLOBS: &str = "blobs";

/// The catalog until all blobs are copied. A copy that was interrupted has none, and is not taken for a complete one.
const UNFINISHED: &str = "catalog.sqlite.partial";

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupReport {
    /// Blobs.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Blobs that cannot be read, and are not in the copy.
    pub damaged: Vec<Damage>,
}

/// What became of a blob.
enum BlobCopy {
    Copied { size: u64 },
    Left(DamageKind),
}

impl Registry {
    /// Copies the catalog and every blob that it references into a new directory, verified. A registry that is
    /// started with that directory has everything that was published before the backup began, except for damaged
    /// blobs: those are reported, and the copy goes on. A copy that fails leaves nothing.
    pub async fn backup(&self, to: &Path) -> Result<BackupReport, RegistryError> {
        let folder = to.to_owned();
        let target = blocking(move || make_empty(folder)).await?;
        let copied = self.copy_all(to).await;
        if copied.is_err() {
            blocking(move || {
                target.clear();
                Ok(())
            })
            .await?;
        }
        copied
    }

    async fn copy_all(&self, to: &Path) -> Result<BackupReport, RegistryError> {
        // The catalog first: versions are never removed, so every blob that the copy references is there later.
        self.catalog().backup(&to.join(UNFINISHED)).await?;
        let url = BlobsUrl::Files(to.join(BLOBS));
        let target = blocking(move || {
            Blobs::open(&url, None, BlobLimits::default()).map_err(RegistryError::from)
        })
        .await?;
        let report = self.copy_blobs(&target, to).await?;
        let folder = to.to_owned();
        blocking(move || finish(&folder).map_err(unwritable)).await?;
        Ok(report)
    }

    async fn copy_blobs(&self, target: &Blobs, to: &Path) -> Result<BackupReport, RegistryError> {
        let mut report = BackupReport::default();
        let mut after = None;
        loop {
            let page = self.catalog().blobs_in_use(after.as_ref(), PAGE).await?;
            for one in page.items {
                match self.copy_blob(&one, target, to).await? {
                    BlobCopy::Copied { size } => {
                        report.bytes += size;
                        report.blobs += 1;
                    }
                    BlobCopy::Left(kind) => {
                        let BlobUse { digest, what, .. } = one;
                        report.damaged.push(Damage { digest, what, kind });
                    }
                }
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
        one: &BlobUse,
        target: &Blobs,
        folder: &Path,
    ) -> Result<BlobCopy, RegistryError> {
        let copy = TemporaryFile::new(folder)?;
        match self.blobs().copy_to_file(&one.digest, copy.path()).await {
            Ok(_) => {}
            Err(BlobError::Absent { .. }) => return Ok(BlobCopy::Left(DamageKind::Absent)),
            Err(BlobError::Damaged { .. }) => return Ok(BlobCopy::Left(DamageKind::Damaged)),
            Err(error) => return self.left_or_failed(one, error).await,
        }
        let size = target.put_file(&one.digest, copy.path()).await?;
        Ok(BlobCopy::Copied { size })
    }

    /// One blob that cannot be read, in a store that answers, is left out. Anything else ends the copy.
    async fn left_or_failed(
        &self,
        one: &BlobUse,
        error: BlobError,
    ) -> Result<BlobCopy, RegistryError> {
        match self.check_blob(one).await {
            Some(kind) if self.blobs().ping().await.is_ok() => Ok(BlobCopy::Left(kind)),
            _ => Err(error.into()),
        }
    }
}

/// The directory of a copy.
struct BackupFolder {
    path: PathBuf,
    /// Whether it was there before, empty.
    existed: bool,
}

impl BackupFolder {
    /// Removes what a copy that failed has made. What cannot be removed stays without a catalog.
    fn clear(&self) {
        let journal = format!("{UNFINISHED}-journal");
        for file in [CATALOG, UNFINISHED, &journal] {
            let _ = std::fs::remove_file(self.path.join(file));
        }
        let _ = std::fs::remove_dir_all(self.path.join(BLOBS));
        if !self.existed {
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

/// Nothing is overwritten.
fn make_empty(path: PathBuf) -> Result<BackupFolder, RegistryError> {
    let existed = path.exists();
    DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(unwritable)?;
    if std::fs::read_dir(&path).map_err(unwritable)?.next().is_some() {
        let error = format!("{} is not empty", path.display());
        return Err(refusals::bad_request(error, "name a directory that does not exist yet").into());
    }
    Ok(BackupFolder { path, existed })
}

/// The copy is complete from here on, also if the machine loses its power.
fn finish(folder: &Path) -> std::io::Result<()> {
    std::fs::rename(folder.join(UNFINISHED), folder.join(CATALOG))?;
    std::fs::File::open(folder)?.sync_all()
}

fn unwritable(source: std::io::Error) -> RegistryError {
    RegistryError::Io { what: "the directory of the backup", source }
}
