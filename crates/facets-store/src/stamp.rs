//! What the kernel says of a file without reading it.

use std::fmt::Write as _;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Statx, StatxFlags, statx};

/// Permissions of a stored file.
pub(crate) const PLAIN: u32 = 0o444;
/// Permissions of a stored program and of a stored directory.
pub(crate) const EXECUTABLE: u32 = 0o555;

/// Seconds and nanoseconds.
pub(crate) type Moment = (i64, u32);

/// Which file it is, and when it was last changed: two equal stamps are of one unmodified file, as far as
/// the kernel's times tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: (u32, u32),
    inode: u64,
    mode: u32,
    pub(crate) links: u32,
    pub(crate) owner: u32,
    pub(crate) size: u64,
    modified: Moment,
    /// The one time that no program can set.
    pub(crate) changed: Moment,
}

impl From<&Statx> for Stamp {
    fn from(found: &Statx) -> Self {
        Self {
            device: (found.stx_dev_major, found.stx_dev_minor),
            inode: found.stx_ino,
            mode: u32::from(found.stx_mode),
            links: found.stx_nlink,
            owner: found.stx_uid,
            size: found.stx_size,
            modified: (found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec),
            changed: (found.stx_ctime.tv_sec, found.stx_ctime.tv_nsec),
        }
    }
}

impl Stamp {
    /// Of something that is open.
    pub(crate) fn of(handle: impl AsFd) -> io::Result<Self> {
        let found = statx(handle, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS)?;
        Ok(Self::from(&found))
    }

    /// Of the file or directory that a whole path leads to now.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS)?;
        Ok(Self::from(&found))
    }

    /// Whether both are of the same file, modified or not.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    pub(crate) fn is_directory(&self) -> bool {
        self.file_type() == FileType::Directory
    }

    pub(crate) fn is_file(&self) -> bool {
        self.file_type() == FileType::RegularFile
    }

    /// Permissions, and the bits that let a program run as another user.
    pub(crate) fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    /// What kind of file it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self.file_type() {
            FileType::RegularFile => "a file",
            FileType::Directory => "a directory",
            FileType::Symlink => "a link",
            _ => "a device, a pipe or a socket",
        }
    }

    fn file_type(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    /// One line with all of it.
    pub(crate) fn write_line(&self, text: &mut String) {
        let Self { device, inode, mode, links, owner, size, modified, changed } = self;
        let _ = writeln!(
            text,
            "{}:{} {inode} {mode:o} {links} {owner} {size} {}.{:09} {}.{:09}",
            device.0, device.1, modified.0, modified.1, changed.0, changed.1
        );
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_stamp_tells_kinds_and_permissions_and_follows_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "four").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o4751)).unwrap();
        symlink(&file, &link).unwrap();
        let stamp = Stamp::at(&file).unwrap();
        assert!(stamp.is_file() && !stamp.is_directory());
        assert_eq!((stamp.permissions(), stamp.size, stamp.links), (0o4751, 4, 1));
        assert_eq!(stamp, Stamp::of(File::open(&file).unwrap()).unwrap());
        assert_eq!(Stamp::at(&link).unwrap().kind(), "a link");
        assert!(Stamp::at(folder.path()).unwrap().is_directory());
        assert!(!stamp.is_same_file(&Stamp::at(folder.path()).unwrap()));
    }

    #[test]
    fn every_part_of_a_stamp_is_in_its_line() {
        let stamp = Stamp {
            device: (1, 2),
            inode: 3,
            mode: 0o100_444,
            links: 4,
            owner: 5,
            size: 6,
            modified: (7, 8),
            changed: (9, 10),
        };
        let mut line = String::new();
        stamp.write_line(&mut line);
        assert_eq!(line, "1:2 3 100444 4 5 6 7.000000008 9.000000010\n");
    }
}
