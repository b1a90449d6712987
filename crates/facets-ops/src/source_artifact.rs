//! The archive of a source-mode server that lies on this machine: built from a directory, or read.

use std::fs::File;
use std::path::Path;

use facets_archive::{ArchiveLimits, PackRequest, SourceTree, pack_server};
use facets_files::FileError;

use crate::error::OpsError;

/// The archive of a directory, or that of a file. What is in it has not been checked.
pub(crate) fn local_archive(path: &Path) -> Result<File, OpsError> {
    let unreadable =
        |source| OpsError::File(FileError::Unreadable { path: path.to_owned(), source });
    let found = std::fs::metadata(path).map_err(unreadable)?;
    if found.is_dir() { build(path) } else { File::open(path).map_err(unreadable) }
}

/// Packs a directory as it is.
fn build(directory: &Path) -> Result<File, OpsError> {
    let tree = SourceTree::open(directory)?;
    let mut archive = temporary_file()?;
    pack_server(&tree, &PackRequest::default(), &ArchiveLimits::SPEC, &mut archive)?;
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
