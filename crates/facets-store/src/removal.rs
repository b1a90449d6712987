//! Removes entries that were taken out of their place.

use std::io;

use facets_removal::{empty, open_unlocked};
use rustix::fs::{AtFlags, unlinkat};

use crate::directory::{Directory, is_missing, reading};
use crate::locking::{LockState, try_exclusive};

/// The file of an entry that its readers lock. Its time is that of the last use.
pub(crate) const USED: &str = "used";

/// Removes an entry or something else, unless it is still in use.
pub(crate) fn remove(parent: &Directory, name: &str) -> io::Result<()> {
    let stamp = match parent.stamp(name) {
        Err(error) if is_missing(&error) => return Ok(()),
        other => other?,
    };
    if !stamp.is_directory() {
        return parent.unlink(name);
    }
    let top = open_unlocked(parent.handle(), name)?;
    if is_in_use(&parent.open(name)?)? {
        return Err(io::ErrorKind::ResourceBusy.into());
    }
    empty(&top)?;
    Ok(unlinkat(parent.handle(), name, AtFlags::REMOVEDIR)?)
}

/// Whether a reader has an entry open, or may have.
fn is_in_use(entry: &Directory) -> io::Result<bool> {
    match entry.open_file(USED, reading()) {
        Err(error) if is_missing(&error) => Ok(false),
        other => Ok(try_exclusive(&other?)? == LockState::Taken),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &std::path::Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_sealed_and_deep_entry_goes_and_what_it_links_to_stays() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "").unwrap();
        let tree = folder.path().join("entry/tree");
        fs::create_dir_all(tree.join("a/b")).unwrap();
        fs::create_dir_all(tree.join("removed-1/x")).unwrap();
        fs::write(tree.join("a/b/file"), "").unwrap();
        symlink(&kept, tree.join("a/link")).unwrap();
        for path in ["a/b/file", "a/b", "a", ""] {
            mode(&tree.join(path), 0o555);
        }
        let directory = Directory::open_path(folder.path()).unwrap();
        remove(&directory, "entry").unwrap();
        remove(&directory, "entry").unwrap();
        assert_eq!(directory.names().unwrap(), ["kept"]);
        assert!(kept.join("file").exists());
        symlink(&kept, folder.path().join("link")).unwrap();
        remove(&directory, "link").unwrap();
        assert!(kept.join("file").exists());
    }

    #[test]
    fn an_entry_in_use_stays_until_its_reader_is_done() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("entry")).unwrap();
        fs::write(folder.path().join("entry/used"), "").unwrap();
        let reader = File::open(folder.path().join("entry/used")).unwrap();
        reader.try_lock_shared().unwrap();
        let directory = Directory::open_path(folder.path()).unwrap();
        let refused = remove(&directory, "entry").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ResourceBusy);
        assert!(folder.path().join("entry/used").exists());
        drop(reader);
        remove(&directory, "entry").unwrap();
        assert!(!folder.path().join("entry").exists());
    }
}
