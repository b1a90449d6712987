//! The one atomic writer.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::{FileError, unwritable};

/// How a file takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The place must be free.
    New,
    /// In the place of an older one.
    Replace,
    /// In the place of an older one, with its owner, and this mode; without one, for nobody else to
    /// read.
    ReplaceFor {
        /// Permission bits.
        mode: Option<u32>,
    },
}

/// Writes a file whole: beside its place, to the disk, then into its place.
pub fn write_atomically(path: &Path, bytes: &[u8], placement: Placement) -> Result<(), FileError> {
    // A rename would put a file in the place of a device, a pipe or a link.
    let is_other = fs::symlink_metadata(path).is_ok_and(|data| !data.is_file());
    if is_other && placement != Placement::New {
        return Err(FileError::NotPlain { path: path.to_owned() });
    }
    let staged = staged_path(path);
    let created = match placement {
        Placement::New | Placement::Replace => File::create(&staged),
        Placement::ReplaceFor { .. } => create_private(&staged),
    };
    let written = created.and_then(|file| write_and_sync(file, bytes));
    let result = written.and_then(|()| place(&staged, path, placement));
    if result.is_err() {
        let _ = fs::remove_file(&staged);
    }
    // Whoever reads the error knows the file, not where it was staged.
    result.map_err(unwritable(path))?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

fn place(staged: &Path, path: &Path, placement: Placement) -> io::Result<()> {
    match placement {
        // A link is made only if the place is free, which a rename would not ask.
        Placement::New => fs::hard_link(staged, path).and_then(|()| fs::remove_file(staged)),
        Placement::Replace => fs::rename(staged, path),
        Placement::ReplaceFor { mode } => {
            keep_owner(staged, path, mode)?;
            fs::rename(staged, path)
        }
    }
}

#[cfg(unix)]
fn keep_owner(staged: &Path, path: &Path, mode: Option<u32>) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
    // What nobody else could read must not become readable; a new file may hold secrets.
    fs::set_permissions(staged, fs::Permissions::from_mode(mode.unwrap_or(0o600)))?;
    // Root may write for somebody else, who wants to read it again; others cannot give away.
    if let Ok(before) = fs::metadata(path) {
        let _ = chown(staged, Some(before.uid()), Some(before.gid()));
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &Path, _: Option<u32>) -> io::Result<()> {
    Ok(())
}

/// Beside a file: where it is written before it is put in its place.
#[must_use]
pub fn staged_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// The file that a name as [`staged_path`] gives it belongs to, whichever process gave it.
#[must_use]
pub fn is_staged(name: &str) -> Option<&str> {
    let parts = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"))?;
    let (file, process) = parts.rsplit_once('.')?;
    let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(file)
}

/// Writes a file in its place, and waits until the disk has it.
pub fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let written = File::create(path).and_then(|file| write_and_sync(file, bytes));
    written.map_err(unwritable(path))
}

fn write_and_sync(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes).and_then(|()| file.sync_all())
}

/// A file that only this user can read from its first byte on.
#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    File::options().write(true).create(true).truncate(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Waits until the disk has the names in a folder.
pub fn sync_folder(folder: &Path) -> Result<(), FileError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match File::open(folder).and_then(|file| file.sync_all()) {
        // A folder that may be written and not read: what was written is there all the same.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other.map_err(unwritable(folder)),
    }
}
