//! Directories reached by handles, one segment at a time, so that no link is followed.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

/// Opens a directory inside another, and no link to one.
pub(crate) fn open_folder(parent: impl AsFd, name: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty())
}

/// Opens a directory below another; an empty path is that one.
pub(crate) fn open_below(root: impl AsFd, path: &str) -> Result<OwnedFd, Errno> {
    let mut folder = open_folder(root, ".")?;
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        folder = open_folder(&folder, segment)?;
    }
    Ok(folder)
}

/// A path as the directory it is in, empty for the root, and its name.
pub(crate) fn split_name(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}
