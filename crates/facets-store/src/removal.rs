//! Removes entries that were taken out of their place.

use std::ffi::CString;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _};
use std::os::unix::fs::PermissionsExt as _;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;

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
    let top = unlocked(parent.handle(), &CString::new(name)?)?;
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

/// Empties a directory. Its inner directories are moved to the top one by one, so that two handles are enough
/// for any depth: a program that modified an entry may have made it deep.
fn empty(top: &File) -> io::Result<()> {
    let mut moved = 0_u64;
    loop {
        let folders = remove_files(top)?;
        if folders.is_empty() {
            return Ok(());
        }
        for name in folders {
            let folder = unlocked(top, &name)?;
            for inner in remove_files(&folder)? {
                // A directory that gets another parent has to be writable.
                unlocked(&folder, &inner)?;
                loop {
                    moved += 1;
                    match renameat(&folder, &inner, top, format!("removed-{moved}")) {
                        Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                        other => break other?,
                    }
                }
            }
            unlinkat(top, &name, AtFlags::REMOVEDIR)?;
        }
    }
}

/// Removes everything but directories, and gives back the names of the directories.
fn remove_files(folder: &File) -> io::Result<Vec<CString>> {
    let entries = Dir::read_from(folder)?.collect::<Result<Vec<_>, Errno>>()?;
    let mut folders = Vec::new();
    for entry in entries {
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        match unlinkat(folder, name, AtFlags::empty()) {
            // Another process removes the same.
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR) => folders.push(name.to_owned()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(folders)
}

/// Opens a directory, and no link to one, after making it writable again.
fn unlocked(parent: impl AsFd, name: &CString) -> io::Result<File> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = openat(parent, name, flags, Mode::empty())?;
    let by_handle = format!("/proc/self/fd/{}", place.as_raw_fd());
    std::fs::set_permissions(&by_handle, Permissions::from_mode(0o700))?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(File::from(openat(CWD, by_handle, flags, Mode::empty())?))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

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
