#![doc = include_str!("../README.md")]

use std::ffi::{CStr, CString};
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;

/// Opens a directory, and no link to one, after making it writable again.
pub fn open_unlocked(parent: impl AsFd, name: impl rustix::path::Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = openat(parent, name, flags, Mode::empty())?;
    let by_handle = format!("/proc/self/fd/{}", place.as_raw_fd());
    fs::set_permissions(&by_handle, Permissions::from_mode(0o700))?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, by_handle, flags, Mode::empty())?)
}

/// Removes everything in a directory. Inner directories are moved to the top one by one, so that two handles are
/// enough for any depth, and no path is too long.
pub fn empty(top: impl AsFd) -> io::Result<()> {
    let top = top.as_fd();
    let mut moved = 0;
    loop {
        let folders = remove_files(top)?;
        if folders.is_empty() {
            return Ok(());
        }
        for name in folders {
            let folder = open_unlocked(top, name.as_c_str())?;
            for inner in remove_files(&folder)? {
                // A directory that gets another parent has to be writable.
                open_unlocked(&folder, inner.as_c_str())?;
                move_up(&folder, &inner, top, &mut moved)?;
            }
            unlinkat(top, &name, AtFlags::REMOVEDIR)?;
        }
    }
}

/// Removes everything but directories, and gives back the names of the directories.
fn remove_files(folder: impl AsFd) -> io::Result<Vec<CString>> {
    let folder = folder.as_fd();
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

/// Moves a directory under a name that nothing has there.
fn move_up(from: impl AsFd, name: &CStr, top: impl AsFd, moved: &mut u64) -> io::Result<()> {
    let (from, top) = (from.as_fd(), top.as_fd());
    loop {
        *moved += 1;
        match renameat(from, name, top, format!("removed-{moved}")) {
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
            other => return Ok(other?),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_tree_of_any_depth_goes_and_what_it_links_to_stays() {
        let place = tempfile::tempdir().unwrap();
        let kept = place.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "").unwrap();
        let tree = place.path().join("tree");
        fs::create_dir_all(tree.join("locked/inner")).unwrap();
        fs::create_dir_all(tree.join("removed-1/x")).unwrap();
        fs::write(tree.join("removed-2"), "").unwrap();
        symlink(&kept, tree.join("locked/inner/link")).unwrap();
        symlink(&kept, tree.join("link")).unwrap();
        fs::set_permissions(tree.join("locked/inner"), Permissions::from_mode(0o0)).unwrap();
        fs::set_permissions(tree.join("locked"), Permissions::from_mode(0o0)).unwrap();
        let mut deep = open_unlocked(CWD, &tree).unwrap();
        for _ in 0..1100 {
            rustix::fs::mkdirat(&deep, "d", Mode::RWXU).unwrap();
            rustix::fs::mkdirat(&deep, "e", Mode::RWXU).unwrap();
            deep = open_unlocked(&deep, "d").unwrap();
        }
        empty(open_unlocked(CWD, &tree).unwrap()).unwrap();
        assert_eq!(fs::read_dir(&tree).unwrap().count(), 0);
        assert!(kept.join("file").exists());
        assert!(open_unlocked(CWD, place.path().join("gone")).is_err());
    }
}
