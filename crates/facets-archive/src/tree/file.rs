//! One file: opened once, read once, and the same afterwards.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

use super::problems::{changed, not_opened, refuse, unreadable};
use crate::entry_mode::EntryMode;
use crate::error::{ArchiveError, LimitError, LimitKind, TreeProblemKind};

/// What changes when a file is written to.
#[derive(Debug, PartialEq, Eq)]
struct FileFacts {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileFacts {
    fn of(data: &Metadata) -> Self {
        Self {
            device: data.dev(),
            inode: data.ino(),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }
}

/// A regular file of a tree.
#[derive(Debug)]
pub(crate) struct SourceFile {
    file: File,
    full: PathBuf,
    before: FileFacts,
    mode: EntryMode,
}

impl SourceFile {
    /// Opens a file; nothing if there is none.
    pub(super) fn open(
        folder: impl AsFd,
        name: &str,
        path: &str,
        full: PathBuf,
    ) -> Result<Option<Self>, ArchiveError> {
        // Opening a pipe must not wait for its writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            // What a socket or a device without a driver says.
            Err(Errno::NXIO | Errno::NODEV) => {
                return Err(refuse(path, TreeProblemKind::SpecialFile));
            }
            Err(error) => return Err(not_opened(path, &full, error)),
        };
        let data = file.metadata().map_err(unreadable(&full))?;
        if !data.is_file() {
            return Err(refuse(path, TreeProblemKind::SpecialFile));
        }
        let mode = EntryMode::of_bits(u64::from(data.mode()));
        Ok(Some(Self { file, full, before: FileFacts::of(&data), mode }))
    }

    pub(crate) fn size(&self) -> u64 {
        self.before.size
    }

    pub(crate) fn mode(&self) -> EntryMode {
        self.mode
    }

    /// Reads everything, part by part. A file that is not the same afterwards is an error.
    pub(crate) fn read_parts(
        mut self,
        buffer: &mut [u8],
        each: &mut dyn FnMut(&[u8]) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let mut left = self.before.size;
        loop {
            let read = match self.file.read(buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreadable(&self.full)(error)),
            };
            let Some(rest) = left.checked_sub(read as u64) else {
                return Err(changed(self.full));
            };
            left = rest;
            each(&buffer[..read])?;
        }
        let after = self.file.metadata().map_err(unreadable(&self.full))?;
        if left > 0 || FileFacts::of(&after) != self.before {
            return Err(changed(self.full));
        }
        Ok(())
    }

    /// Reads everything into memory, up to a limit.
    pub(crate) fn read_all(self, path: &str, limit: u64) -> Result<Vec<u8>, ArchiveError> {
        const PART: usize = 64 * 1024;
        if self.before.size > limit {
            return Err(LimitError::of_entry(LimitKind::File, limit, path).into());
        }
        let mut bytes = Vec::new();
        self.read_parts(&mut vec![0; PART], &mut |part: &[u8]| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }
}

/// The content of a file.
#[derive(Debug)]
pub(crate) enum FileContent {
    /// Still to be read.
    Opened(SourceFile),
    /// Already read, because it had to be known earlier.
    Read { bytes: Vec<u8>, mode: EntryMode },
}

impl FileContent {
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Opened(file) => file.size(),
            Self::Read { bytes, .. } => bytes.len() as u64,
        }
    }

    pub(crate) fn mode(&self) -> EntryMode {
        match self {
            Self::Opened(file) => file.mode(),
            Self::Read { mode, .. } => *mode,
        }
    }

    /// Reads everything, part by part.
    pub(crate) fn read_parts(
        self,
        buffer: &mut [u8],
        each: &mut dyn FnMut(&[u8]) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        match self {
            Self::Opened(file) => file.read_parts(buffer, each),
            Self::Read { bytes, .. } => each(&bytes),
        }
    }
}
