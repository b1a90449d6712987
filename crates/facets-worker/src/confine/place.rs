//! A file or folder, opened once, without links on the way.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};

/// A place in the file system, held by a descriptor: whoever can write around it cannot replace it.
pub(super) struct Place {
    pub(super) path: PathBuf,
    file: OwnedFd,
    pub(super) is_folder: bool,
}

impl Place {
    /// Opens an absolute path, step by step; a link anywhere in it is an error. facet has followed them
    /// already, when it decided what to open.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = openat(CWD, "/", flags, Mode::empty())?;
        let mut parts = path.components();
        if parts.next() != Some(Component::RootDir) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        for part in parts {
            let Component::Normal(name) = part else {
                return Err(io::ErrorKind::InvalidInput.into());
            };
            // What lies behind a link, or another file, is not there.
            file = openat(&file, name, flags, Mode::empty())?;
        }
        let kind = FileType::from_raw_mode(fstat(&file)?.st_mode);
        if kind == FileType::Symlink {
            return Err(rustix::io::Errno::LOOP.into());
        }
        Ok(Self { path: path.to_owned(), file, is_folder: kind == FileType::Directory })
    }

    /// A path that leads to just this.
    pub(super) fn by_descriptor(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
    }
}

impl AsFd for Place {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_place_is_opened_without_links() {
        let folder = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir(top.join("folder")).unwrap();
        std::fs::write(top.join("folder/file"), "").unwrap();
        symlink("folder", top.join("link")).unwrap();
        symlink("folder/file", top.join("link to a file")).unwrap();
        assert!(Place::open(&top.join("folder")).unwrap().is_folder);
        assert!(!Place::open(&top.join("folder/file")).unwrap().is_folder);
        assert!(Place::open(Path::new("/")).unwrap().is_folder);
        for path in ["link", "link/file", "link to a file", "folder/../folder", "none"] {
            assert!(Place::open(&top.join(path)).is_err(), "{path}");
        }
        assert!(Place::open(Path::new("src")).is_err());
    }
}
