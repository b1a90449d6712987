//! Compares the bytes on the disk with the digests of an entry.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use facets_digest::{Digest, FileDigest, Progress, ReadBuffer, digest_many, digest_reader};
use facets_files::read_to_limit;

use crate::directory::{Directory, is_missing, reading};
use crate::error::{StoreError, tampered, unreadable};
use crate::limits::StoreLimits;
use crate::manifest::{TreeItem, TreeManifest};
use crate::stamp::{EXECUTABLE, PLAIN, Stamp};
use crate::tree_part::TreePart;

/// The file of an entry that is one.
pub(crate) const CONTENT: &str = "content";
/// The directory of an entry that is a tree.
pub(crate) const TREE: &str = "tree";
/// The list of everything in a tree.
pub(crate) const MANIFEST: &str = "manifest";

/// Threads are not worth their start for less.
const ALONE: u64 = 1 << 20;
/// More of them wait for the same disk.
const MOST_THREADS: usize = 8;

const CHANGING: &str = "it changes while it is read";

/// A file that was hashed, from its first byte on.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    pub(crate) file: File,
    pub(crate) stamp: Stamp,
}

/// Hashes the file of an entry.
pub(crate) fn check_content(
    entry: &Directory,
    expected: &Digest,
    progress: &dyn Progress,
) -> Result<CheckedFile, StoreError> {
    let path = entry.path().join(CONTENT);
    let (mut file, stamp) = open_sealed(entry, CONTENT)?;
    // One byte more than there should be tells that it grows.
    let hashed = digest_reader((&file).take(stamp.size.saturating_add(1)), progress);
    let FileDigest { digest, .. } = hashed.map_err(unreadable(&path))?;
    if digest != *expected {
        return Err(tampered(path, expected.to_string(), digest.to_string()));
    }
    if Stamp::of(&file).map_err(unreadable(&path))? != stamp {
        return Err(tampered(path, expected.to_string(), CHANGING));
    }
    file.rewind().map_err(unreadable(&path))?;
    Ok(CheckedFile { file, stamp })
}

/// Opens a file of an entry that must be as it was sealed.
fn open_sealed(entry: &Directory, name: &str) -> Result<(File, Stamp), StoreError> {
    let path = entry.path().join(name);
    let stamp = found(entry.stamp(name), &path, "a file")?;
    require_file(&stamp, &path, PLAIN)?;
    let file = found(entry.open_file(name, reading()), &path, "a file")?;
    if Stamp::of(&file).map_err(unreadable(&path))? != stamp {
        return Err(tampered(path, "a file", CHANGING));
    }
    Ok((file, stamp))
}

/// A missing file is a modification: it was stored once.
fn found<T>(result: io::Result<T>, path: &Path, expected: &str) -> Result<T, StoreError> {
    match result {
        Err(error) if is_missing(&error) => Err(tampered(path.to_owned(), expected, "not found")),
        other => other.map_err(unreadable(path)),
    }
}

fn require_file(stamp: &Stamp, path: &Path, permissions: u32) -> Result<(), StoreError> {
    if !stamp.is_file() {
        return Err(tampered(path.to_owned(), "a file", stamp.kind()));
    }
    // Under another name it could be written to without a trace here.
    if stamp.links != 1 {
        return Err(tampered(path.to_owned(), "one name", format!("{} names", stamp.links)));
    }
    require_sealed(stamp, path, permissions)
}

fn require_sealed(stamp: &Stamp, path: &Path, permissions: u32) -> Result<(), StoreError> {
    if stamp.owner != rustix::process::geteuid().as_raw() {
        return Err(tampered(path.to_owned(), "your file", "a file of another user"));
    }
    if stamp.permissions() != permissions {
        let mode = |mode: u32| format!("mode {mode:o}");
        return Err(tampered(path.to_owned(), mode(permissions), mode(stamp.permissions())));
    }
    Ok(())
}

/// The manifest of an entry that is a tree, and its digest.
pub(crate) fn read_manifest(
    entry: &Directory,
    limits: &StoreLimits,
) -> Result<(TreeManifest, Digest), StoreError> {
    let path = entry.path().join(MANIFEST);
    let (file, _) = open_sealed(entry, MANIFEST)?;
    let bytes = read_to_limit(file, limits.manifest()).map_err(unreadable(&path))?;
    let manifest = bytes.and_then(|bytes| {
        TreeManifest::parse(&bytes, limits).map(|manifest| (manifest, Digest::of(&bytes)))
    });
    manifest.ok_or_else(|| tampered(path, "a manifest as facet writes it", "another file"))
}

/// A tree on the disk, and what it should have.
pub(crate) struct TreeCheck<'c> {
    pub(crate) tree: &'c Directory,
    pub(crate) manifest: &'c TreeManifest,
}

impl TreeCheck<'_> {
    /// Looks at every file and directory without reading it: first the tree itself, then everything in the
    /// order of the manifest.
    pub(crate) fn survey(&self) -> Result<Vec<Stamp>, StoreError> {
        let path = self.tree.path();
        let root = self.tree.own_stamp().map_err(unreadable(path))?;
        require_sealed(&root, path, EXECUTABLE)?;
        let mut stamps = vec![root];
        let mut parent: Option<(&str, Directory)> = None;
        for (path, item) in self.manifest.items() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let directory = match parent.take_if(|(current, _)| *current == folder) {
                Some((_, directory)) => directory,
                None => found(self.tree.below(folder), &self.path(folder), "a directory")?,
            };
            let stamp = found(directory.stamp(name), &self.path(path), "a file or directory")?;
            self.require_item(path, item, &stamp)?;
            stamps.push(stamp);
            parent = Some((folder, directory));
        }
        Ok(stamps)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.tree.path().join(path)
    }

    fn require_item(&self, path: &str, item: &TreeItem, stamp: &Stamp) -> Result<(), StoreError> {
        let path = self.path(path);
        match item {
            TreeItem::Directory if !stamp.is_directory() => {
                Err(tampered(path, "a directory", stamp.kind()))
            }
            TreeItem::Directory => require_sealed(stamp, &path, EXECUTABLE),
            TreeItem::File { size, mode, .. } => {
                require_file(stamp, &path, mode.permissions())?;
                if stamp.size == *size {
                    return Ok(());
                }
                let bytes = |size: u64| format!("{size} bytes");
                Err(tampered(path, bytes(*size), bytes(stamp.size)))
            }
        }
    }

    /// Compares everything with the manifest: names, kinds, modes, sizes and every byte.
    pub(crate) fn check(&self, progress: &dyn Progress) -> Result<Vec<Stamp>, StoreError> {
        let stamps = self.survey()?;
        self.check_names()?;
        self.hash(&stamps, progress)?;
        self.require_unmodified(&stamps)?;
        Ok(stamps)
    }

    /// The same, but that the bytes are not compared: they are handed on.
    pub(crate) fn read(&self, take: &mut dyn FnMut(TreePart<'_>)) -> Result<(), StoreError> {
        let stamps = self.survey()?;
        self.check_names()?;
        let mut buffer = ReadBuffer::new();
        for ((path, item), stamp) in self.manifest.items().zip(stamps.iter().skip(1)) {
            if let TreeItem::File { size, mode, .. } = *item {
                take(TreePart::File { path, size, mode });
                let mut file = self.open(path, stamp).map_err(unreadable(&self.path(path)))?;
                loop {
                    match file.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(read) => take(TreePart::Content(&buffer[..read])),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(unreadable(&self.path(path))(error)),
                    }
                }
            }
        }
        self.require_unmodified(&stamps)
    }

    fn require_unmodified(&self, stamps: &[Stamp]) -> Result<(), StoreError> {
        if self.survey()? == stamps {
            return Ok(());
        }
        Err(tampered(self.tree.path().to_owned(), "an unmodified tree", CHANGING))
    }

    /// Opens a file that the survey has seen.
    fn open(&self, path: &str, stamp: &Stamp) -> io::Result<io::Take<File>> {
        let file = self.tree.open_beneath(path, reading())?;
        if Stamp::of(&file)? != *stamp {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // One byte more than there should be tells that it grows.
        Ok(file.take(stamp.size.saturating_add(1)))
    }

    /// Finds names that were added; the survey finds those that are missing.
    fn check_names(&self) -> Result<(), StoreError> {
        let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::from([("", BTreeSet::new())]);
        for (path, item) in self.manifest.items() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            known.entry(folder).or_default().insert(name);
            if *item == TreeItem::Directory {
                known.entry(path).or_default();
            }
        }
        for (folder, known) in known {
            let path = self.path(folder);
            let directory = found(self.tree.below(folder), &path, "a directory")?;
            let names = directory.names().map_err(unreadable(&path))?;
            if let Some(added) = names.iter().find(|name| !known.contains(name.as_str())) {
                return Err(tampered(path.join(added), "no such name", "a file or directory"));
            }
        }
        Ok(())
    }

    fn hash(&self, stamps: &[Stamp], progress: &dyn Progress) -> Result<(), StoreError> {
        // The first stamp is that of the tree.
        let items = self.manifest.items().zip(stamps.iter().skip(1));
        let files: Vec<(&str, &Digest, &Stamp)> = items
            .filter_map(|((path, item), stamp)| match item {
                TreeItem::Directory => None,
                TreeItem::File { digest, .. } => Some((path, digest, stamp)),
            })
            .collect();
        let open = |(path, _, stamp): &(&str, &Digest, &Stamp)| self.open(path, stamp);
        let results = digest_many(&files, self.threads(), open, progress);
        for ((path, expected, _), result) in files.iter().zip(results) {
            let path = self.path(path);
            match result {
                Ok(found) if found.digest == **expected => {}
                Ok(FileDigest { digest, .. }) => {
                    return Err(tampered(path, expected.to_string(), digest.to_string()));
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(tampered(path, expected.to_string(), CHANGING));
                }
                other => found(other, &path, "a file").map(drop)?,
            }
        }
        Ok(())
    }

    fn threads(&self) -> NonZeroUsize {
        if self.manifest.total() < ALONE {
            return NonZeroUsize::MIN;
        }
        let available = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        available.min(NonZeroUsize::new(MOST_THREADS).unwrap_or(NonZeroUsize::MIN))
    }
}
