//! A file for a copy of a blob.

use std::path::{Path, PathBuf};

use crate::error::RegistryError;
use crate::random::random_id;

/// The path of a file that is made later, and goes when this is dropped.
pub(crate) struct TemporaryFile {
    path: PathBuf,
}

impl TemporaryFile {
    /// A name that nothing has yet.
    pub(crate) fn new(folder: &Path) -> Result<Self, RegistryError> {
        // The same beginning as that of uploads: what stays of a dead process is collected like those.
        Ok(Self { path: folder.join(format!("upload-copy-{}", random_id()?)) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
