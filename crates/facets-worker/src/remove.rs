//! Removes a folder with all that is in it, however deep that is and whatever its owner has locked.

use std::ffi::{CStr, CString};
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;

/// Removes a folder. Its own folders are emptied one by one, and what lies in them is moved up first, so
/// that two descriptors are enough for any depth, and no path is too long.
pub(crate) fn remove_tree(path: &Path) {
    // There may be none, which is just as well.
    let _ = empty(path).and_then(|()| fs::remove_dir(path));
}

fn empty(path: &Path) -> io::Result<()> {
    let top = open_folder(CWD, path)?;
    let mut moved = 0;
    loop {
        let folders = remove_files(&top)?;
        if folders.is_empty() {
            return Ok(());
        }
        for name in folders {
            let folder = open_folder(&top, name.as_c_str())?;
            for inner in remove_files(&folder)? {
                // Who is moved elsewhere has to be writable.
                open_folder(&folder, inner.as_c_str())?;
                move_up(&folder, &inner, &top, &mut moved)?;
            }
            unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
        }
    }
}

/// Removes what is no folder, and gives back the names of the folders.
fn remove_files(folder: &OwnedFd) -> io::Result<Vec<CString>> {
    let entries = Dir::read_from(folder)?.collect::<Result<Vec<_>, Errno>>()?;
    let mut folders = Vec::new();
    for entry in entries {
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        match unlinkat(folder, name, AtFlags::empty()) {
            Ok(()) => {}
            Err(Errno::ISDIR) => folders.push(name.to_owned()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(folders)
}

/// Moves a folder under a name that nothing has there.
fn move_up(from: &OwnedFd, name: &CStr, top: &OwnedFd, moved: &mut u64) -> io::Result<()> {
    loop {
        *moved += 1;
        match renameat(from, name, top, format!("removed-{moved}")) {
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
            other => return Ok(other?),
        }
    }
}

/// Opens a folder, and no link to one, after unlocking it.
fn open_folder(parent: impl AsFd, name: impl rustix::path::Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = openat(parent, name, flags, Mode::empty())?;
    let by_descriptor = format!("/proc/self/fd/{}", place.as_raw_fd());
    fs::set_permissions(&by_descriptor, Permissions::from_mode(0o700))?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, by_descriptor, flags, Mode::empty())?)
}

#[cfg(test)]
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
        let mut deep = open_folder(CWD, &tree).unwrap();
        for _ in 0..1100 {
            rustix::fs::mkdirat(&deep, "d", Mode::RWXU).unwrap();
            rustix::fs::mkdirat(&deep, "e", Mode::RWXU).unwrap();
            deep = open_folder(&deep, "d").unwrap();
        }
        remove_tree(&tree);
        assert!(!tree.exists());
        assert!(kept.join("file").exists());
        remove_tree(&tree);
    }
}
