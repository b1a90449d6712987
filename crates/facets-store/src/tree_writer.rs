//! A tree on its way into the store.

use std::collections::BTreeMap;
use std::io::Read;

use facets_digest::{FileDigest, ReadBuffer};

use crate::content::NewFile;
use crate::directory::{Directory, reading};
use crate::error::{StoreError, unreadable, unwritable};
use crate::limits::StoreLimits;
use crate::manifest::{FileMode, TreeItem, TreeManifest, check_path};
use crate::stamp::EXECUTABLE;

/// Trees of more items are brought to the disk together: waiting for each file takes longer than waiting for
/// everything that the file system has to write.
const SYNCED_ONE_BY_ONE: usize = 64;

/// Takes the files of a tree, in any order. Directories that their paths name are made.
///
/// It takes regular files and directories only: there is no way to give it a link or a device.
pub struct TreeWriter<'w> {
    root: &'w Directory,
    limits: &'w StoreLimits,
    items: BTreeMap<String, TreeItem>,
    total: u64,
    buffer: ReadBuffer,
    /// The directory that the last file went into.
    current: Option<(String, Directory)>,
}

impl<'w> TreeWriter<'w> {
    pub(crate) fn new(root: &'w Directory, limits: &'w StoreLimits) -> Self {
        let (items, buffer) = (BTreeMap::new(), ReadBuffer::new());
        Self { root, limits, items, total: 0, buffer, current: None }
    }

    /// Adds a directory, which may be empty. One that is there already is no error.
    pub fn directory(&mut self, path: &str) -> Result<(), StoreError> {
        check_path(path, self.limits)?;
        self.enter(path).map(drop)
    }

    /// Adds a file with all bytes of a stream, and gives back their digest.
    pub fn file(
        &mut self,
        path: &str,
        mode: FileMode,
        bytes: impl Read,
    ) -> Result<FileDigest, StoreError> {
        check_path(path, self.limits)?;
        if self.items.contains_key(path) {
            return Err(StoreError::BadPath { path: path.to_owned(), reason: "it is given twice" });
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let directory = self.enter(folder)?;
        let mut new = NewFile::create(directory, name, path)?;
        self.require_room(path)?;
        let rest = self.limits.total.saturating_sub(self.total);
        let copied = new.copy(bytes, self.limits.file.min(rest), &mut self.buffer)?;
        drop(new.seal(mode.permissions())?);
        self.total += copied.size;
        let FileDigest { digest, size } = copied;
        self.items.insert(path.to_owned(), TreeItem::File { digest, size, mode });
        Ok(copied)
    }

    fn require_room(&self, path: &str) -> Result<(), StoreError> {
        if self.items.len() < self.limits.items {
            return Ok(());
        }
        let limit = format!("{} files and directories", self.limits.items);
        Err(StoreError::TooLarge { what: path.to_owned(), limit })
    }

    /// The directory of a path, made if it is not there. An empty path is the tree itself.
    fn enter(&mut self, path: &str) -> Result<&Directory, StoreError> {
        let is_current = self.current.as_ref().is_some_and(|(current, _)| current == path);
        if !is_current {
            let directory = self.make(path)?;
            self.current = Some((path.to_owned(), directory));
        }
        Ok(self.current.as_ref().map_or(self.root, |(_, directory)| directory))
    }

    fn make(&mut self, path: &str) -> Result<Directory, StoreError> {
        let failed = unwritable(&self.root.path().join(path));
        let mut directory = self.root.try_clone().map_err(&failed)?;
        let mut prefix = String::new();
        for name in path.split('/').filter(|name| !name.is_empty()) {
            if !prefix.is_empty() {
                prefix.push('/');
            }
            prefix.push_str(name);
            match self.items.get(&prefix) {
                Some(TreeItem::Directory) => {}
                Some(TreeItem::File { .. }) => {
                    let reason = "a part of it is a file";
                    return Err(StoreError::BadPath { path: path.to_owned(), reason });
                }
                None => {
                    self.require_room(&prefix)?;
                    directory.make(name).map_err(&failed)?;
                    self.items.insert(prefix.clone(), TreeItem::Directory);
                }
            }
            directory = directory.open(name).map_err(&failed)?;
        }
        Ok(directory)
    }

    /// Makes everything read-only, and waits until the disk has it.
    pub(crate) fn finish(self) -> Result<TreeManifest, StoreError> {
        let Self { root, items, .. } = self;
        let failed = unwritable(root.path());
        // Inner directories first.
        for (path, _) in items.iter().rev().filter(|(_, item)| **item == TreeItem::Directory) {
            let directory = root.below(path).map_err(unreadable(&root.path().join(path)))?;
            directory.set_permissions(EXECUTABLE).map_err(&failed)?;
        }
        root.set_permissions(EXECUTABLE).map_err(&failed)?;
        if items.len() > SYNCED_ONE_BY_ONE {
            rustix::fs::syncfs(root.handle()).map_err(|error| failed(error.into()))?;
        } else {
            for path in items.keys() {
                let file = root.open_beneath(path, reading());
                file.and_then(|file| file.sync_all()).map_err(&failed)?;
            }
            root.sync().map_err(&failed)?;
        }
        Ok(TreeManifest::new(items))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use facets_digest::Digest;

    use super::*;

    /// A tree that was written, and goes with this: sealed directories are more than `tempdir` removes.
    struct Written {
        folder: tempfile::TempDir,
        result: Result<TreeManifest, StoreError>,
    }

    impl Written {
        fn by(
            limits: &StoreLimits,
            fill: impl FnOnce(&mut TreeWriter<'_>) -> Result<(), StoreError>,
        ) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let top = Directory::open_path(folder.path()).unwrap();
            let root = top.open_or_make("tree").unwrap();
            let mut writer = TreeWriter::new(&root, limits);
            let result = fill(&mut writer).and_then(|()| writer.finish());
            Self { folder, result }
        }

        fn mode(&self, path: &str) -> u32 {
            let path = self.folder.path().join("tree").join(path);
            fs::metadata(path).unwrap().permissions().mode() & 0o7777
        }
    }

    impl Drop for Written {
        fn drop(&mut self) {
            let top = Directory::open_path(self.folder.path()).unwrap();
            crate::removal::remove(&top, "tree").unwrap();
        }
    }

    #[test]
    fn a_tree_does_not_depend_on_the_order_of_its_files() {
        let plain = FileMode::Plain;
        let one = Written::by(&StoreLimits::default(), |tree| {
            tree.file("b/c", FileMode::Executable, &b"run"[..])?;
            tree.file("a", plain, &b"text"[..])?;
            tree.directory("b/empty")
        });
        let two = Written::by(&StoreLimits::default(), |tree| {
            tree.directory("b")?;
            tree.directory("b/empty")?;
            tree.directory("b")?;
            tree.file("a", plain, &b"text"[..])?;
            tree.file("b/c", FileMode::Executable, &b"run"[..]).map(drop)
        });
        let manifest = one.result.as_ref().unwrap();
        assert_eq!(manifest, two.result.as_ref().unwrap());
        let modes = ["", "a", "b", "b/c", "b/empty"].map(|path| one.mode(path));
        assert_eq!(modes, [0o555, 0o444, 0o555, 0o555, 0o555]);
        let file = TreeItem::File { digest: Digest::of(b"text"), size: 4, mode: plain };
        assert_eq!(manifest.item("a"), Some(&file));
        let paths: Vec<&str> = manifest.items().map(|(path, _)| path).collect();
        assert_eq!(paths, ["a", "b", "b/c", "b/empty"]);
    }

    type Case = fn(&mut TreeWriter<'_>) -> Result<(), StoreError>;

    #[test]
    fn a_path_that_is_given_twice_or_passes_through_a_file_is_refused() {
        let cases: [Case; 5] = [
            |tree| {
                tree.file("a", FileMode::Plain, &b""[..])?;
                tree.file("a", FileMode::Plain, &b""[..]).map(drop)
            },
            |tree| {
                tree.file("a", FileMode::Plain, &b""[..])?;
                tree.file("a/b", FileMode::Plain, &b""[..]).map(drop)
            },
            |tree| {
                tree.file("a/b", FileMode::Plain, &b""[..])?;
                tree.file("a", FileMode::Plain, &b""[..]).map(drop)
            },
            |tree| {
                tree.file("a", FileMode::Plain, &b""[..])?;
                tree.directory("a")
            },
            |tree| tree.directory("../a"),
        ];
        for (index, case) in cases.into_iter().enumerate() {
            let result = &Written::by(&StoreLimits::default(), case).result;
            assert!(matches!(result, Err(StoreError::BadPath { .. })), "{index}: {result:?}");
        }
    }

    #[test]
    fn one_more_byte_or_file_than_the_limit_is_too_large() {
        let limits = StoreLimits { items: 3, file: 4, total: 6, ..StoreLimits::default() };
        let files = |sizes: &[usize]| {
            Written::by(&limits, |tree| {
                for (index, size) in sizes.iter().enumerate() {
                    tree.file(&index.to_string(), FileMode::Plain, &vec![0; *size][..])?;
                }
                Ok(())
            })
        };
        assert_eq!(files(&[4, 2, 0]).result.as_ref().unwrap().total(), 6);
        for sizes in [&[5][..], &[4, 3], &[0, 0, 0, 0]] {
            let failed = &files(sizes).result;
            assert!(matches!(failed, Err(StoreError::TooLarge { .. })), "{sizes:?}: {failed:?}");
        }
        let failed = &Written::by(&limits, |tree| tree.directory("a/b/c/d")).result;
        assert!(matches!(failed, Err(StoreError::TooLarge { .. })), "{failed:?}");
    }

    #[test]
    fn large_trees_are_sealed_as_well() {
        let written = Written::by(&StoreLimits::default(), |tree| {
            for index in 0..=SYNCED_ONE_BY_ONE {
                tree.file(&format!("d/{index}"), FileMode::Plain, &b"x"[..])?;
            }
            Ok(())
        });
        let manifest = written.result.as_ref().unwrap();
        assert_eq!(manifest.items().count(), SYNCED_ONE_BY_ONE + 2);
        assert_eq!((written.mode("d/7"), written.mode("d")), (0o444, 0o555));
    }
}
