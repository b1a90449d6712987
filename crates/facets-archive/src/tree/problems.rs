//! What stands in the way of reading a tree.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::error::{ArchiveError, TreeError, TreeProblem, TreeProblemKind};

/// One file cannot be packed.
pub(crate) fn refuse(path: &str, kind: TreeProblemKind) -> ArchiveError {
    TreeError::Refused { problems: vec![TreeProblem { path: path.to_owned(), kind }] }.into()
}

/// A file or directory could not be read.
pub(super) fn unreadable(path: &Path) -> impl Fn(io::Error) -> ArchiveError {
    let path = path.to_owned();
    move |source| TreeError::Unreadable { path: path.clone(), source }.into()
}

/// A file or directory could not be opened: a link is a problem of the tree, the rest one of the machine.
pub(super) fn not_opened(path: &str, full: &Path, error: Errno) -> ArchiveError {
    match error {
        // `O_NOFOLLOW` gives the one, together with `O_DIRECTORY` the other.
        Errno::LOOP | Errno::NOTDIR => refuse(path, TreeProblemKind::Symlink),
        _ => unreadable(full)(error.into()),
    }
}

/// A file was written to meanwhile.
pub(super) fn changed(path: PathBuf) -> ArchiveError {
    TreeError::Changed { path }.into()
}
