//! The archive of a source-mode server that lies on this machine: built from a directory, or read.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use facets_files::FileError;
use facets_model::RuntimeName;

use crate::archive_file::ArchiveFile;
use crate::building::{ArtifactKind, BuildOptions, build_server};
use crate::error::{ArtifactError, OpsError};
use crate::manifest_check::{check_manifest, find_manifest};
use crate::runtime_fetching::RuntimeFetch;
use crate::start_progress::StartProgress;

/// The archive of a directory, or that of a file. What is in it has not been checked.
pub(crate) fn local_archive(path: &Path, progress: &dyn StartProgress) -> Result<File, OpsError> {
    let unreadable =
        |source| OpsError::File(FileError::Unreadable { path: path.to_owned(), source });
    let found = std::fs::metadata(path).map_err(unreadable)?;
    if found.is_dir() {
        require_server(path)?;
        return build(path, progress);
    }
    let archive = ArchiveFile::open(path)?;
    let is_named_server = path.to_string_lossy().ends_with(ArtifactKind::Server.file_ending());
    if archive.kind == ArtifactKind::Server || is_named_server {
        return Ok(archive.file);
    }
    let found = "a file that is not compressed with gzip";
    Err(ArtifactError::NotAServer { path: path.to_owned(), found }.into())
}

/// What is wrong with a directory is said about its files, not about the archive that they would become.
fn require_server(directory: &Path) -> Result<(), OpsError> {
    let not_a_server = |found| ArtifactError::NotAServer { path: directory.to_owned(), found };
    match find_manifest(directory) {
        Ok("server.yaml") => {}
        Ok(_) => return Err(not_a_server("the directory of a facet").into()),
        Err(OpsError::NoManifest { .. }) => {
            return Err(not_a_server("a directory without a server.yaml").into());
        }
        Err(error) => return Err(error),
    }
    let problems = check_manifest(directory)?.problems;
    if problems.is_empty() {
        return Ok(());
    }
    Err(ArtifactError::SourceInvalid { directory: directory.to_owned(), problems }.into())
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
