//! Files that a user asked for, written whole or not at all.

use std::fs;
use std::path::Path;

use facets_files::{FileError, Placement, write_atomically};

use crate::error::OpsError;

/// Writes a file that must not be there.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<(), OpsError> {
    write(path, bytes, Placement::New)
}

/// Writes a file in the place of an older one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), OpsError> {
    write(path, bytes, Placement::Replace)
}

/// The same, with permissions as they were.
pub(crate) fn replace_with_mode(
    path: &Path,
    bytes: &[u8],
    mode: Option<u32>,
) -> Result<(), OpsError> {
    write(path, bytes, Placement::ReplaceFor { mode })
}

fn write(path: &Path, bytes: &[u8], placement: Placement) -> Result<(), OpsError> {
    let unwritable =
        |source| OpsError::File(FileError::Unwritable { path: path.to_owned(), source });
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(unwritable)?;
    }
    Ok(write_atomically(path, bytes, placement)?)
}
