//! The archive of a source-mode server that lies on this machine: built from a directory, or read.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use facets_files::FileError;
use facets_model::RuntimeName;

use crate::building::{BuildOptions, build_server};
use crate::error::OpsError;
use crate::runtime_fetching::RuntimeFetch;
use crate::start_progress::StartProgress;

/// The archive of a directory, or that of a file. What is in it has not been checked.
pub(crate) fn local_archive(path: &Path, progress: &dyn StartProgress) -> Result<File, OpsError> {
    let unreadable =
        |source| OpsError::File(FileError::Unreadable { path: path.to_owned(), source });
    let found = std::fs::metadata(path).map_err(unreadable)?;
    if found.is_dir() { build(path, progress) } else { File::open(path).map_err(unreadable) }
}

/// Builds a directory as `facet build` does.
fn build(directory: &Path, progress: &dyn StartProgress) -> Result<File, OpsError> {
    // Packages are bundled with the runtime, which is fetched if it is absent.
    let fetch = RuntimeFetch::new(facets_runtime::current(RuntimeName::Bun), progress);
    let built = build_server(directory, &BuildOptions::default(), &fetch)?;
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
