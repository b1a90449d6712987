//! An entry that is being written.

use std::fs::File;
use std::path::Path;

use crate::directory::{Directory, creating};
use crate::error::{StoreError, unwritable};
use crate::locking::try_shared;
use crate::removal::USED;
use crate::staging::Staging;

/// An entry that is being written. If it is not moved into its place, nothing of it is left.
#[derive(Debug)]
pub(crate) struct StagedEntry {
    /// Held from before it is in its place, so that no collection comes first. Dropped before the rest, which
    /// it would keep from being removed.
    _used: File,
    directory: Directory,
    staging: Staging,
}

impl StagedEntry {
    /// Begins an entry in the temporary directory.
    pub(crate) fn new(temporary: Directory) -> Result<Self, StoreError> {
        let failed = unwritable(temporary.path());
        let staging = Staging::reserve(temporary).map_err(&failed)?;
        let directory = staging.make().map_err(&failed)?;
        let used = directory.open_file(USED, creating()).map_err(&failed)?;
        try_shared(&used).map_err(&failed)?;
        Ok(Self { _used: used, directory, staging })
    }

    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Waits until the disk has the names in it. Only then may it be moved into its place.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        self.directory.sync().map_err(unwritable(self.path()))
    }

    /// Moves it into its place; false if something is there.
    pub(crate) fn place(&self, shard: &Directory, name: &str) -> Result<bool, StoreError> {
        use std::io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
        match self.staging.move_to(shard, name) {
            Ok(()) => {}
            Err(error)
                if matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory) =>
            {
                return Ok(false);
            }
            Err(error) => return Err(unwritable(&shard.path().join(name))(error)),
        }
        shard.sync().map_err(unwritable(shard.path()))?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::entry::OpenEntry;

    #[test]
    fn a_staged_entry_that_is_not_placed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = Directory::open_path(folder.path()).unwrap();
        let staged = StagedEntry::new(temporary.try_clone().unwrap()).unwrap();
        fs::write(staged.path().join("content"), "half").unwrap();
        drop(staged);
        assert!(temporary.names().unwrap().is_empty());
    }

    #[test]
    fn a_placed_entry_cannot_be_collected_before_its_writer_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let top = Directory::open_path(folder.path()).unwrap();
        let (shard, temporary) =
            (top.open_or_make("shard").unwrap(), top.open_or_make("tmp").unwrap());
        let staged = StagedEntry::new(temporary.try_clone().unwrap()).unwrap();
        assert!(staged.place(&shard, "e").unwrap());
        assert!(OpenEntry::open_unused(&shard, "e").unwrap().is_none());
        let second = StagedEntry::new(temporary.try_clone().unwrap()).unwrap();
        assert!(!second.place(&shard, "e").unwrap());
        fs::write(folder.path().join("shard/file"), "").unwrap();
        assert!(!second.place(&shard, "file").unwrap());
        drop((staged, second));
        assert!(OpenEntry::open_unused(&shard, "e").unwrap().is_some());
        assert!(temporary.names().unwrap().is_empty());
    }
}
