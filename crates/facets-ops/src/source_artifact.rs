//! The archive of a source-mode server that lies on this machine: built from a directory, or read.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use facets_fetch::NoFetchProgress;
use facets_files::FileError;

use crate::building::{BuildOptions, build_server};
use crate::error::OpsError;

/// The archive of a directory, or that of a file. What is in it has not been checked.
pub(crate) fn local_archive(path: &Path) -> Result<File, OpsError> {
    let unreadable =
        |source| OpsError::File(FileError::Unreadable { path: path.to_owned(), source });
    let found = std::fs::metadata(path).map_err(unreadable)?;
    if found.is_dir() { build(path) } else { File::open(path).map_err(unreadable) }
}

/// Builds a directory as `facet build` does.
fn build(directory: &Path) -> Result<File, OpsError> {
    let built = build_server(directory, &BuildOptions::default(), &NoFetchProgress)?;
    let mut archive = temporary_file()?;
    archive.write_all(&built.archive).map_err(unwritable_temporary)?;
    Ok(archive)
}

/// A file without a name, where temporary files lie.
pub(crate) fn temporary_file() -> Result<File, OpsError> {
    tempfile::tempfile().map_err(unwritable_temporary)
}

/// Why nothing can be written where temporary files lie.
pub(crate) fn unwritable_temporary(source: std::io::Error) -> OpsError {
    OpsError::File(FileError::Unwritable { path: std::env::temp_dir(), source })
}
