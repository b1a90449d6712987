use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::OpsError;

/// Writes a file that must not be there: whole or not at all.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<(), OpsError> {
    // A link is made only if the place is free, which a rename would not ask.
    staged(path, bytes, |staged| fs::hard_link(staged, path).and_then(|()| fs::remove_file(staged)))
}

/// Writes a file in the place of an older one: the old or the new, nothing between.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), OpsError> {
    // A rename would put a file in the place of a device, a pipe or a link.
    if fs::symlink_metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(OpsError::NotRegular { path: path.to_owned() });
    }
    staged(path, bytes, |staged| fs::rename(staged, path))
}

/// The same, with permissions as they were.
pub(crate) fn replace_with_mode(
    path: &Path,
    bytes: &[u8],
    mode: Option<u32>,
) -> Result<(), OpsError> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let before = fs::metadata(path).ok();
    if fs::symlink_metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(OpsError::NotRegular { path: path.to_owned() });
    }
    staged(path, bytes, |staged| {
        // What nobody else could read must not become readable; a new file may hold secrets.
        fs::set_permissions(staged, fs::Permissions::from_mode(mode.unwrap_or(0o600)))?;
        // Root may write for somebody else, who wants to read it again; others cannot give away.
        if let Some(before) = &before {
            let _ = std::os::unix::fs::chown(staged, Some(before.uid()), Some(before.gid()));
        }
        fs::rename(staged, path)
    })
}

fn staged(
    path: &Path,
    bytes: &[u8],
    place: impl FnOnce(&Path) -> io::Result<()>,
) -> Result<(), OpsError> {
    let unwritable = |source| OpsError::Unwritable { path: path.to_owned(), source };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(unwritable)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let staged = parent.join(format!(".{name}.{}.tmp", std::process::id()));
    let result = write(&staged, bytes).and_then(|()| place(&staged));
    if result.is_err() {
        let _ = fs::remove_file(&staged);
    }
    result.map_err(unwritable)
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
