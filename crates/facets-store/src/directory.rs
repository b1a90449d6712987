//! Directories that are open: names are looked up in a handle, and no link is followed.

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, Mode, OFlags, ResolveFlags, Statx, StatxFlags, mkdirat, openat, openat2,
    renameat, statx, unlinkat,
};
use rustix::io::Errno;

use crate::stamp::Stamp;

/// An open directory, and the path under which it was opened, for messages.
#[derive(Debug)]
pub(crate) struct Directory {
    handle: File,
    path: PathBuf,
}

/// A directory to read names from, and no link to one.
fn directory_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// A file to read. If it is a pipe, that does not hold us.
pub(crate) fn reading() -> OFlags {
    OFlags::RDONLY | OFlags::NONBLOCK
}

/// A file that is new.
pub(crate) fn creating() -> OFlags {
    OFlags::RDWR | OFlags::CREATE | OFlags::EXCL
}

impl Directory {
    /// Opens a path that the user chose, links on the way included.
    pub(crate) fn open_path(path: &Path) -> io::Result<Self> {
        let path = std::fs::canonicalize(path)?;
        let handle = openat(CWD, &path, directory_flags(), Mode::empty())?;
        Ok(Self { handle: handle.into(), path })
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { handle: self.handle.try_clone()?, path: self.path.clone() })
    }

    pub(crate) fn handle(&self) -> &File {
        &self.handle
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a directory in it.
    pub(crate) fn open(&self, name: &str) -> io::Result<Self> {
        let handle = openat(&self.handle, name, directory_flags(), Mode::empty())?;
        Ok(Self { handle: handle.into(), path: self.path.join(name) })
    }

    /// Makes a directory in it for this user alone.
    pub(crate) fn make(&self, name: &str) -> io::Result<()> {
        Ok(mkdirat(&self.handle, name, Mode::RWXU)?)
    }

    /// Opens a directory in it, and makes it first if it is missing.
    pub(crate) fn open_or_make(&self, name: &str) -> io::Result<Self> {
        match self.open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
        match self.make(name) {
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => {
                other?;
                self.sync()?;
            }
        }
        self.open(name)
    }

    /// Opens a file in it, for this user alone if it is new.
    pub(crate) fn open_file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.handle, name, flags, Mode::RUSR | Mode::WUSR)?))
    }

    /// Opens a file or directory below it, through no link and on the same file system.
    pub(crate) fn open_beneath(&self, path: &str, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        match openat2(&self.handle, path, flags, Mode::empty(), beneath) {
            // Some containers do not have this call.
            Err(Errno::NOSYS | Errno::PERM) => self.walk(path, flags),
            other => Ok(File::from(other?)),
        }
    }

    /// The same, step by step. Paths of trees have no `..`.
    fn walk(&self, path: &str, flags: OFlags) -> io::Result<File> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut at = self.handle.try_clone()?;
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            at = File::from(openat(&at, folder, directory_flags(), Mode::empty())?);
        }
        Ok(File::from(openat(&at, name, flags, Mode::empty())?))
    }

    /// Opens a directory below it; an empty path is itself.
    pub(crate) fn below(&self, path: &str) -> io::Result<Self> {
        if path.is_empty() {
            return self.try_clone();
        }
        let handle = self.open_beneath(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(Self { handle, path: self.path.join(path) })
    }

    /// The names in it, sorted. Names that are not UTF-8 are none that facet wrote.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            if name != "." && name != ".." {
                names.push(name.into_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// What the kernel says of something in it.
    pub(crate) fn status(&self, name: &str) -> io::Result<Statx> {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        Ok(statx(&self.handle, name, flags, StatxFlags::BASIC_STATS)?)
    }

    pub(crate) fn stamp(&self, name: &str) -> io::Result<Stamp> {
        self.status(name).map(|found| Stamp::from(&found))
    }

    pub(crate) fn own_stamp(&self) -> io::Result<Stamp> {
        Stamp::of(&self.handle)
    }

    /// Whether a name in it leads to a file or directory that is open.
    pub(crate) fn holds(&self, name: &str, handle: &File) -> io::Result<bool> {
        match self.stamp(name) {
            Err(error) if is_missing(&error) => Ok(false),
            other => Ok(other?.is_same_file(&Stamp::of(handle)?)),
        }
    }

    /// Moves something into another directory, where nothing of that name may be but an empty directory.
    pub(crate) fn rename(&self, name: &str, to: &Self, new: &str) -> io::Result<()> {
        Ok(renameat(&self.handle, name, &to.handle, new)?)
    }

    /// Removes a file.
    pub(crate) fn unlink(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// Waits until the disk has its names.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.handle.sync_all()
    }

    pub(crate) fn set_permissions(&self, permissions: u32) -> io::Result<()> {
        self.handle.set_permissions(Permissions::from_mode(permissions))
    }
}

/// Whether an error says that something is not where it should be, or is something else.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    let kind = error.kind();
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree() -> (tempfile::TempDir, Directory) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("a/b/c"), "text").unwrap();
        symlink("a", folder.path().join("link")).unwrap();
        symlink("b/c", folder.path().join("a/link")).unwrap();
        let directory = Directory::open_path(folder.path()).unwrap();
        (folder, directory)
    }

    #[test]
    fn files_are_opened_below_and_no_link_is_followed() {
        let (_folder, directory) = tree();
        let mut text = String::new();
        directory.open_beneath("a/b/c", reading()).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        for path in ["link/b/c", "a/link", "../a", "a/none", "a/b/c/d"] {
            let failed = directory.open_beneath(path, reading()).unwrap_err();
            assert!(is_missing(&failed) || path.contains(".."), "{path}: {failed}");
        }
        assert!(is_missing(&directory.open("link").unwrap_err()));
        assert!(is_missing(&directory.open_file("link", reading()).unwrap_err()));
    }

    #[test]
    fn walking_step_by_step_finds_the_same() {
        let (_folder, directory) = tree();
        let found = directory.walk("a/b/c", reading() | OFlags::NOFOLLOW).unwrap();
        let same = directory.open_beneath("a/b/c", reading()).unwrap();
        assert_eq!(Stamp::of(&found).unwrap(), Stamp::of(&same).unwrap());
        for path in ["link/b/c", "a/link"] {
            let failed = directory.walk(path, reading() | OFlags::NOFOLLOW).unwrap_err();
            assert!(is_missing(&failed), "{path}: {failed}");
        }
    }

    #[test]
    fn a_directory_knows_what_it_holds_also_after_a_swap() {
        let (folder, directory) = tree();
        assert_eq!(directory.names().unwrap(), ["a", "link"]);
        let inner = directory.below("a/b").unwrap();
        assert_eq!(inner.path(), directory.path().join("a/b"));
        let a = directory.open("a").unwrap();
        assert!(directory.holds("a", a.handle()).unwrap());
        fs::rename(folder.path().join("a"), folder.path().join("aside")).unwrap();
        assert!(!directory.holds("a", a.handle()).unwrap());
        fs::create_dir(folder.path().join("a")).unwrap();
        assert!(!directory.holds("a", a.handle()).unwrap());
        assert!(a.open_file("link", reading()).is_err());
        assert!(directory.holds("aside", a.handle()).unwrap());
    }
}
