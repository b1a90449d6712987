//! What comes out of the store.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use facets_digest::Digest;

use crate::check::{CONTENT, CheckedFile, TreeCheck};
use crate::directory::{Directory, reading};
use crate::entry::OpenEntry;
use crate::error::{StoreError, unreadable};
use crate::manifest::TreeManifest;
use crate::stamp::Stamp;

/// A file of the store. While it lives, the entry is not removed.
#[derive(Debug)]
pub struct StoredFile {
    checked: CheckedFile,
    digest: Digest,
    path: PathBuf,
    entry: OpenEntry,
}

impl StoredFile {
    pub(crate) fn new(checked: CheckedFile, digest: Digest, entry: OpenEntry) -> Self {
        let path = entry.path().join(CONTENT);
        Self { checked, digest, path, entry }
    }

    /// Notes that it is used now.
    pub(crate) fn touch(&self) {
        self.entry.touch();
    }

    /// SHA-256 of its bytes.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.checked.stamp.size
    }

    /// Where it lies, for messages. Its bytes are read from the handle, not from there.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fails if the file was written to after it was verified. To be called when all of it was read.
    pub fn require_unmodified(&self) -> Result<(), StoreError> {
        let now = Stamp::of(&self.checked.file).map_err(unreadable(&self.path))?;
        if now == self.checked.stamp {
            return Ok(());
        }
        Err(StoreError::Swapped { path: self.path.clone() })
    }
}

/// Its bytes, from the first on; there is one position, that of the handle.
impl Read for &StoredFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.checked.file).read(buffer)
    }
}

impl Seek for &StoredFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        (&self.checked.file).seek(position)
    }
}

/// How it was established that a tree is intact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckedBy {
    /// Every byte was hashed.
    Hash,
    /// Every byte was hashed earlier, and the kernel says that nothing has changed since.
    StatRecord,
}

/// A tree of the store. While it lives, the entry is not removed.
#[derive(Debug)]
pub struct StoredTree {
    tree: Directory,
    manifest: TreeManifest,
    digest: Digest,
    stamps: Vec<Stamp>,
    checked_by: CheckedBy,
    entry: OpenEntry,
}

/// What a check of a tree found.
pub(crate) struct CheckedTree {
    pub(crate) tree: Directory,
    pub(crate) manifest: TreeManifest,
    pub(crate) digest: Digest,
    pub(crate) stamps: Vec<Stamp>,
    pub(crate) checked_by: CheckedBy,
}

impl StoredTree {
    pub(crate) fn new(checked: CheckedTree, entry: OpenEntry) -> Self {
        let CheckedTree { tree, manifest, digest, stamps, checked_by } = checked;
        Self { tree, manifest, digest, stamps, checked_by, entry }
    }

    /// Notes that it is used now.
    pub(crate) fn touch(&self) {
        self.entry.touch();
    }

    pub(crate) fn entry_directory(&self) -> &Directory {
        self.entry.directory()
    }

    /// The digest of the tree: SHA-256 of its manifest.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Everything in it.
    #[must_use]
    pub fn manifest(&self) -> &TreeManifest {
        &self.manifest
    }

    /// How it was established that it is intact.
    #[must_use]
    pub fn checked_by(&self) -> CheckedBy {
        self.checked_by
    }

    /// Where it lies, for messages and grants. A path can be swapped: a start uses
    /// [`Self::path_for_start`].
    #[must_use]
    pub fn path(&self) -> &Path {
        self.tree.path()
    }

    /// The path of the tree, directly before something is started from it. Fails if the path leads elsewhere
    /// than to the directory that was verified, or if anything in that was modified since.
    ///
    /// Nothing is opened by path again: the path is looked up, and everything below it is looked up from the
    /// handle that was verified.
    pub fn path_for_start(&self) -> Result<&Path, StoreError> {
        let path = self.tree.path();
        let is_same = Stamp::at(path).is_ok_and(|now| self.stamps.first() == Some(&now));
        let check = TreeCheck { tree: &self.tree, manifest: &self.manifest };
        if is_same && check.survey().is_ok_and(|now| now == self.stamps) {
            return Ok(path);
        }
        Err(StoreError::Swapped { path: path.to_owned() })
    }

    /// Opens a file of the tree from the verified handle, wherever its path leads by now; fails if it is not in
    /// the manifest, or was modified since.
    pub fn open(&self, path: &str) -> Result<File, StoreError> {
        let whole = self.tree.path().join(path);
        let swapped = || StoreError::Swapped { path: whole.clone() };
        // The first stamp is that of the tree.
        let mut known = self.manifest.items().zip(self.stamps.iter().skip(1));
        let (_, stamp) = known.find(|((known, _), _)| *known == path).ok_or_else(swapped)?;
        let file = self.tree.open_beneath(path, reading()).map_err(unreadable(&whole))?;
        let now = Stamp::of(&file).map_err(unreadable(&whole))?;
        if now == *stamp && now.is_file() { Ok(file) } else { Err(swapped()) }
    }
}

/// The directory that was verified.
impl AsFd for StoredTree {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tree.handle().as_fd()
    }
}
