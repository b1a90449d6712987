//! A folder that is open. What is in it is reached through its handle, and through no link, also not through
//! one that was put there a moment ago.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use rustix::fs::{Access, AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::error::ProjectError;
use crate::files::{MAX_FILE, io};

/// A folder that is open.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

/// What has a name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// A regular file with this content.
    File(Vec<u8>),
    /// A folder, a link, or something else that is no asset.
    Other,
}

impl Found {
    /// Whether it is what a step of a change names.
    pub(crate) fn is(&self, content: Option<Digest>) -> bool {
        match self {
            Self::Nothing => content.is_none(),
            Self::File(bytes) => content == Some(Digest::of(bytes)),
            Self::Other => false,
        }
    }
}

/// Whether a staged file waits for the disk, or for the file system as a whole later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syncing {
    /// Each by itself.
    Each,
    /// All at once.
    Together,
}

impl Folder {
    /// The folder at a path, which may lead through links: those of a user's own directories. None if it
    /// does not exist.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, ProjectError> {
        let handle = rustix::fs::open(path, OFlags::DIRECTORY | READING, Mode::empty());
        Self::opened(handle, path.to_owned())
    }

    /// A folder in it; none if there is none.
    pub(crate) fn enter(&self, name: &str) -> Result<Option<Self>, ProjectError> {
        let flags = OFlags::DIRECTORY | READING | OFlags::NOFOLLOW;
        let handle = rustix::fs::openat(&self.handle, name, flags, Mode::empty());
        Self::opened(handle, self.path.join(name))
    }

    fn opened(handle: Result<OwnedFd, Errno>, path: PathBuf) -> Result<Option<Self>, ProjectError> {
        match handle {
            Ok(handle) => Ok(Some(Self { handle, path })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                Err(ProjectError::Untrusted { path, reason: "it is a link, or not a directory" })
            }
            Err(error) => Err(io("read", &path)(error.into())),
        }
    }

    /// A folder in it, made if it does not exist.
    pub(crate) fn enter_or_make(&self, name: &str) -> Result<Self, ProjectError> {
        let path = self.path.join(name);
        match rustix::fs::mkdirat(&self.handle, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(io("write", &path)(error.into())),
        }
        self.enter(name)?.ok_or_else(|| io("write", &path)(io::ErrorKind::NotFound.into()))
    }

    /// What has this name.
    pub(crate) fn find(&self, name: &str) -> Result<Found, ProjectError> {
        let path = self.path.join(name);
        let flags = READING | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = match rustix::fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => File::from(handle),
            Err(Errno::NOENT) => return Ok(Found::Nothing),
            // A link; and a socket or a device without a driver.
            Err(Errno::LOOP | Errno::NXIO) => return Ok(Found::Other),
            Err(error) => return Err(io("read", &path)(error.into())),
        };
        if !file.metadata().map_err(io("read", &path))?.is_file() {
            return Ok(Found::Other);
        }
        let content = facets_files::read_to_limit(file, MAX_FILE).map_err(io("read", &path))?;
        content.map(Found::File).ok_or(ProjectError::TooLarge { path, limit: MAX_FILE })
    }

    /// Whether files can be made and removed here: better known before a change begins.
    pub(crate) fn check_writable(&self) -> Result<(), ProjectError> {
        let access = Access::WRITE_OK | Access::EXEC_OK;
        let allowed = rustix::fs::accessat(&self.handle, ".", access, AtFlags::EACCESS);
        allowed.map_err(|error| io("write", &self.path)(error.into()))
    }

    /// Writes a file that is not in its place yet.
    pub(crate) fn stage(
        &self,
        name: &str,
        content: &[u8],
        syncing: Syncing,
    ) -> Result<(), ProjectError> {
        let failed = |error: io::Error| io("write", &self.path.join(name))(error);
        self.remove_file(name)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let made = rustix::fs::openat(&self.handle, name, flags, Mode::from_raw_mode(0o666));
        let mut file = File::from(made.map_err(|error| failed(error.into()))?);
        file.write_all(content).map_err(failed)?;
        match syncing {
            Syncing::Each => file.sync_all().map_err(failed),
            Syncing::Together => Ok(()),
        }
    }

    /// Puts a staged file into a place that is free; false if it is not.
    pub(crate) fn place_new(&self, staged: &str, name: &str) -> Result<bool, ProjectError> {
        let flags = RenameFlags::NOREPLACE;
        let placed = rustix::fs::renameat_with(&self.handle, staged, &self.handle, name, flags);
        match placed {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            // A file system that cannot do this in one step.
            Err(Errno::INVAL | Errno::NOSYS) => {
                let is_free = self.find(name)?.is(None);
                if is_free {
                    self.place(staged, name)?;
                }
                Ok(is_free)
            }
            Err(error) => Err(io("write", &self.path.join(name))(error.into())),
        }
    }

    /// Puts a staged file into the place of another.
    pub(crate) fn place(&self, staged: &str, name: &str) -> Result<(), ProjectError> {
        let placed = rustix::fs::renameat(&self.handle, staged, &self.handle, name);
        placed.map_err(|error| io("write", &self.path.join(name))(error.into()))
    }

    /// Removes a file, or a link itself, if it is there.
    pub(crate) fn remove_file(&self, name: &str) -> Result<(), ProjectError> {
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(io("remove", &self.path.join(name))(error.into())),
        }
    }

    /// Removes a folder in it if that is empty.
    pub(crate) fn remove_empty(&self, name: &str) {
        let _ = rustix::fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR);
    }

    /// The names of files in it; none where they cannot be listed.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = Dir::read_from(&self.handle).into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.file_type() != FileType::Directory);
        files.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned)).collect()
    }

    /// Waits until the disk has the names in it.
    pub(crate) fn sync(&self) -> Result<(), ProjectError> {
        rustix::fs::fsync(&self.handle).map_err(|error| io("write", &self.path)(error.into()))
    }

    /// Waits until the disk has everything of its file system.
    pub(crate) fn sync_file_system(&self) -> Result<(), ProjectError> {
        rustix::fs::syncfs(&self.handle).map_err(|error| io("write", &self.path)(error.into()))
    }

    /// Which file system it is on.
    pub(crate) fn device(&self) -> Result<u64, ProjectError> {
        let data = rustix::fs::fstat(&self.handle);
        Ok(data.map_err(|error| io("read", &self.path)(error.into()))?.st_dev)
    }
}

const READING: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);
