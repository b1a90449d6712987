//! The store: entries are put into it and taken from it.

use std::fs::DirBuilder;
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use facets_digest::{Digest, NoProgress, Progress, ReadBuffer};

use crate::ancestors::refuse_unsafe_ancestors;
use crate::check::{CONTENT, MANIFEST, TREE, TreeCheck, check_content, read_manifest};
use crate::content::{NewFile, write_sealed};
use crate::directory::{Directory, is_missing};
use crate::entry::OpenEntry;
use crate::error::{StoreError, tampered, unreadable, unwritable};
use crate::key::{EntryKey, TreeKey};
use crate::limits::StoreLimits;
use crate::origin_note::{is_noted, note};
use crate::record::{NewRecord, is_recorded, is_worth_recording};
use crate::staged_entry::StagedEntry;
use crate::staging::{Staging, sweep};
use crate::stamp::PLAIN;
use crate::stored::{CheckedBy, CheckedTree, StoredFile, StoredTree};
use crate::tree_part::TreePart;
use crate::tree_writer::TreeWriter;
use crate::verified::Verified;

/// Where the store lies in the cache directory of facet. Another layout gets another number.
const PLACE: [&str; 2] = ["store", "v1"];

/// For entries on their way in or out.
const TEMPORARY: &str = "tmp";

/// How often an entry that was modified, or is collected all the time, is replaced by the one that is stored.
const ATTEMPTS: usize = 100;

/// Which tree is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreePin {
    /// The tree with this digest, and no other.
    Digest(Digest),
    /// Any tree that was stored under its key, for callers that know nothing else of it. A program that can
    /// write to the store can then replace a tree together with its manifest.
    AsStored,
}

/// How a tree is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thoroughness {
    /// By hash, unless there is a record that still holds.
    RecordOrHash,
    /// By hash.
    Hash,
}

/// A content-addressed store that belongs to one user.
#[derive(Debug)]
pub struct Store {
    root: Directory,
    limits: StoreLimits,
}

impl Store {
    /// Opens the store in the cache directory of facet, and makes it if there is none.
    pub fn open(cache: &Path) -> Result<Self, StoreError> {
        if let Some(store) = Self::find(cache)? {
            return Ok(store);
        }
        let made = DirBuilder::new().recursive(true).mode(0o700).create(cache);
        made.map_err(unwritable(cache))?;
        let mut root = open_cache(Directory::open_path(cache).map_err(unwritable(cache))?)?;
        for name in PLACE {
            let failed = unwritable(&root.path().join(name));
            root = own(root.open_or_make(name).map_err(failed)?)?;
        }
        Ok(Self { root, limits: StoreLimits::default() })
    }

    /// Opens the store in the cache directory of facet, if there is one. Nothing is made.
    pub fn find(cache: &Path) -> Result<Option<Self>, StoreError> {
        let mut root = match Directory::open_path(cache) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => open_cache(other.map_err(unreadable(cache))?)?,
        };
        for name in PLACE {
            let Some(next) = open_own(&root, name)? else { return Ok(None) };
            root = next;
        }
        Ok(Some(Self { root, limits: StoreLimits::default() }))
    }

    /// The same store with other limits.
    #[must_use]
    pub fn with_limits(self, limits: StoreLimits) -> Self {
        Self { limits, ..self }
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn root(&self) -> &Directory {
        &self.root
    }

    /// The temporary directory, after the leftovers of dead processes were removed from it.
    pub(crate) fn temporary(&self) -> Result<Directory, StoreError> {
        let failed = unwritable(&self.root.path().join(TEMPORARY));
        let temporary = own(self.root.open_or_make(TEMPORARY).map_err(&failed)?)?;
        sweep(&temporary).map_err(&failed)?;
        Ok(temporary)
    }

    /// Stores a file whose bytes have this digest. If it is stored already, that one is verified and kept.
    pub fn put_file(
        &self,
        digest: &Digest,
        bytes: impl Read,
    ) -> Result<Verified<StoredFile>, StoreError> {
        let key = EntryKey::File(*digest);
        let what = key.to_string();
        let staged = StagedEntry::new(self.temporary()?)?;
        let mut new = NewFile::create(staged.directory(), CONTENT, &what)?;
        let copied = new.copy(bytes, self.limits.total, &mut ReadBuffer::new())?;
        if copied.digest != *digest {
            let (expected, actual) = (*digest, copied.digest);
            return Err(StoreError::Mismatch { what: key.to_string(), expected, actual });
        }
        new.seal(PLAIN)?.sync_all().map_err(unwritable(staged.path()))?;
        self.publish(&staged, &key, || self.get_file(digest))
    }

    /// The file whose bytes have this digest; none if it is not stored. It is hashed first.
    pub fn get_file(&self, digest: &Digest) -> Result<Option<Verified<StoredFile>>, StoreError> {
        let found = self.check_file(digest, &NoProgress)?;
        Ok(found.inspect(|file| file.touch()))
    }

    /// Whether there is an entry of this digest. It is not hashed: nothing may be started or read because of it.
    pub fn has_file_unverified(&self, digest: &Digest) -> bool {
        self.entry(&EntryKey::File(*digest)).is_ok_and(|entry| entry.is_some())
    }

    /// The same of a tree.
    pub fn has_tree_unverified(&self, key: &TreeKey) -> bool {
        self.entry(&EntryKey::Tree(*key)).is_ok_and(|entry| entry.is_some())
    }

    /// The same as [`Self::get_file`], and it does not count as a use.
    pub(crate) fn check_file(
        &self,
        digest: &Digest,
        progress: &dyn Progress,
    ) -> Result<Option<Verified<StoredFile>>, StoreError> {
        let Some(entry) = self.entry(&EntryKey::File(*digest))? else { return Ok(None) };
        match check_content(entry.directory(), digest, progress) {
            Ok(checked) => Ok(Some(Verified::by_check(StoredFile::new(checked, *digest, entry)))),
            Err(error) => Err(self.evict_if_tampered(entry, error)),
        }
    }

    /// Stores a tree under a key. `fill` gives all files to the writer; their bytes must have been verified
    /// by then, or be as `pin` says. If the same tree is stored already, that one is verified and kept.
    pub fn put_tree<E: From<StoreError>>(
        &self,
        key: &TreeKey,
        pin: TreePin,
        fill: impl FnOnce(&mut TreeWriter<'_>) -> Result<(), E>,
    ) -> Result<Verified<StoredTree>, E> {
        let staged = StagedEntry::new(self.temporary()?)?;
        let tree = staged.directory().open_or_make(TREE).map_err(unwritable(staged.path()))?;
        let mut writer = TreeWriter::new(&tree, &self.limits);
        fill(&mut writer)?;
        Ok(self.finish_tree(&staged, key, pin, writer)?)
    }

    fn finish_tree(
        &self,
        staged: &StagedEntry,
        key: &TreeKey,
        pin: TreePin,
        writer: TreeWriter<'_>,
    ) -> Result<Verified<StoredTree>, StoreError> {
        let manifest = writer.finish()?;
        let actual = manifest.digest();
        let key = EntryKey::Tree(*key);
        require_pinned(&key, pin, actual)?;
        write_sealed(staged.directory(), MANIFEST, manifest.to_text().as_bytes())?;
        let get = || self.tree(&key, TreePin::Digest(actual), Thoroughness::Hash, &NoProgress);
        self.publish(staged, &key, get).inspect(|tree| tree.touch())
    }

    /// The tree of a key; none if it is not stored. Every byte of it is hashed first, unless it is large and
    /// the kernel says that nothing of it has changed since that was done (spec 10.7.5).
    pub fn get_tree(
        &self,
        key: &TreeKey,
        pin: TreePin,
    ) -> Result<Option<Verified<StoredTree>>, StoreError> {
        let key = EntryKey::Tree(*key);
        let found = self.tree(&key, pin, Thoroughness::RecordOrHash, &NoProgress)?;
        Ok(found.inspect(|tree| tree.touch()))
    }

    /// The same without the stat record: every byte is hashed first.
    pub fn get_tree_hashed(
        &self,
        key: &TreeKey,
        pin: TreePin,
        progress: &dyn Progress,
    ) -> Result<Option<Verified<StoredTree>>, StoreError> {
        let found = self.tree(&EntryKey::Tree(*key), pin, Thoroughness::Hash, progress)?;
        Ok(found.inspect(|tree| tree.touch()))
    }

    /// Notes that a tree holds what an archive does, whoever has just compared all of both.
    pub fn note_origin(&self, tree: &Verified<StoredTree>, archive: &Digest) {
        note(tree.entry_directory(), archive, tree.digest());
    }

    /// Reads all files of a tree in the order of the bytes of their paths. True if there is a note that it holds what
    /// the archive does, and if names, kinds, modes and sizes are those of its manifest, before and after.
    ///
    /// The bytes are those on the disk, and it is up to the caller to hash them. Where this is false, they prove
    /// nothing, and [`Self::get_tree_hashed`] finds the reason.
    pub fn read_noted_tree(
        &self,
        key: &TreeKey,
        archive: &Digest,
        mut take: impl FnMut(TreePart<'_>),
    ) -> bool {
        let Ok(Some(entry)) = self.entry(&EntryKey::Tree(*key)) else { return false };
        let is_read = read_noted(entry.directory(), &self.limits, archive, &mut take);
        if is_read.is_ok_and(|is_read| is_read) {
            entry.touch();
            return true;
        }
        false
    }

    /// Hashes a tree, whatever it is pinned to; that does not count as a use.
    pub(crate) fn check_tree(
        &self,
        key: &TreeKey,
        progress: &dyn Progress,
    ) -> Result<Option<Verified<StoredTree>>, StoreError> {
        self.tree(&EntryKey::Tree(*key), TreePin::AsStored, Thoroughness::Hash, progress)
    }

    fn tree(
        &self,
        key: &EntryKey,
        pin: TreePin,
        thoroughness: Thoroughness,
        progress: &dyn Progress,
    ) -> Result<Option<Verified<StoredTree>>, StoreError> {
        let Some(entry) = self.entry(key)? else { return Ok(None) };
        let require = |digest| require_pinned(key, pin, digest);
        match checked_tree(entry.directory(), &self.limits, require, thoroughness, progress) {
            Ok(checked) => Ok(Some(Verified::by_check(StoredTree::new(checked, entry)))),
            Err(error) => Err(self.evict_if_tampered(entry, error)),
        }
    }

    /// Moves a complete entry into its place, and gives back the entry that is there then: ours, or an intact one
    /// that was stored before.
    fn publish<T>(
        &self,
        staged: &StagedEntry,
        key: &EntryKey,
        get: impl Fn() -> Result<Option<Verified<T>>, StoreError>,
    ) -> Result<Verified<T>, StoreError> {
        staged.sync()?;
        let shard = self.make_shard(key)?;
        let path = shard.path().join(key.name());
        for _ in 0..ATTEMPTS {
            let is_placed = staged.place(&shard, &key.name())?;
            match get() {
                Ok(Some(found)) => return Ok(found),
                other if is_placed => {
                    return other.and(Err(StoreError::Swapped { path }));
                }
                // Removed in the meantime, or evicted because it was modified.
                Ok(None) | Err(StoreError::Tampered { .. }) => {}
                // Another tree under this key: ours comes from bytes that were just verified.
                Err(StoreError::Mismatch { .. }) => {
                    if let Some(entry) = self.entry(key)? {
                        entry.remove(self.temporary()?)?;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Busy { path })
    }

    /// The directory in which an entry lies, if it was ever made.
    pub(crate) fn shard(&self, key: &EntryKey) -> Result<Option<Directory>, StoreError> {
        let mut shard: Option<Directory> = None;
        for name in key.folders() {
            match open_own(shard.as_ref().unwrap_or(&self.root), &name)? {
                Some(next) => shard = Some(next),
                None => return Ok(None),
            }
        }
        Ok(shard)
    }

    fn make_shard(&self, key: &EntryKey) -> Result<Directory, StoreError> {
        let mut shard = self.root.try_clone().map_err(unwritable(self.root.path()))?;
        for name in key.folders() {
            let failed = unwritable(&shard.path().join(&name));
            shard = own(shard.open_or_make(&name).map_err(failed)?)?;
        }
        Ok(shard)
    }

    /// Opens an entry. Something else in its place is moved away.
    pub(crate) fn entry(&self, key: &EntryKey) -> Result<Option<OpenEntry>, StoreError> {
        let Some(shard) = self.shard(key)? else { return Ok(None) };
        let opened = OpenEntry::open(&shard, &key.name());
        if let Err(StoreError::Tampered { .. }) = opened {
            let aside = self.temporary().ok().and_then(|folder| Staging::reserve(folder).ok());
            let _ = aside.map(|aside| aside.take_from(&shard, &key.name()));
        }
        opened
    }

    /// Removes a modified entry, so that it can be stored anew.
    fn evict_if_tampered(&self, entry: OpenEntry, error: StoreError) -> StoreError {
        if let StoreError::Tampered { .. } = error {
            // On a disk that is read-only it stays, and is refused again.
            let _ = self.temporary().and_then(|temporary| entry.remove(temporary));
        }
        error
    }
}

fn require_pinned(key: &EntryKey, pin: TreePin, actual: Digest) -> Result<(), StoreError> {
    match pin {
        TreePin::Digest(expected) if expected != actual => {
            Err(StoreError::Mismatch { what: key.to_string(), expected, actual })
        }
        TreePin::Digest(_) | TreePin::AsStored => Ok(()),
    }
}

fn checked_tree(
    entry: &Directory,
    limits: &StoreLimits,
    require: impl Fn(Digest) -> Result<(), StoreError>,
    thoroughness: Thoroughness,
    progress: &dyn Progress,
) -> Result<CheckedTree, StoreError> {
    let (manifest, digest) = read_manifest(entry, limits)?;
    require(digest)?;
    let tree = match entry.open(TREE) {
        Err(error) if is_missing(&error) => {
            return Err(tampered(entry.path().join(TREE), "a directory", "not found"));
        }
        other => other.map_err(unreadable(&entry.path().join(TREE)))?,
    };
    let check = TreeCheck { tree: &tree, manifest: &manifest };
    let is_recordable = is_worth_recording(entry, &manifest);
    if is_recordable && thoroughness == Thoroughness::RecordOrHash {
        let stamps = check.survey()?;
        if is_recorded(entry, &digest, &stamps) {
            let checked_by = CheckedBy::StatRecord;
            return Ok(CheckedTree { tree, manifest, digest, stamps, checked_by });
        }
    }
    let record = if is_recordable { NewRecord::begin(entry) } else { None };
    let stamps = check.check(progress)?;
    if let Some(record) = record {
        record.write(&digest, &stamps);
    }
    Ok(CheckedTree { tree, manifest, digest, stamps, checked_by: CheckedBy::Hash })
}

/// Reads a tree, if there is a note about it and the archive.
fn read_noted(
    entry: &Directory,
    limits: &StoreLimits,
    archive: &Digest,
    take: &mut dyn FnMut(TreePart<'_>),
) -> Result<bool, StoreError> {
    let (manifest, digest) = read_manifest(entry, limits)?;
    if !is_noted(entry, archive, &digest) {
        return Ok(false);
    }
    let tree = entry.open(TREE).map_err(unreadable(&entry.path().join(TREE)))?;
    TreeCheck { tree: &tree, manifest: &manifest }.read(take)?;
    Ok(true)
}

/// Opens a directory of the store, if it is there.
fn open_own(parent: &Directory, name: &str) -> Result<Option<Directory>, StoreError> {
    let path = parent.path().join(name);
    match parent.open(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if is_missing(&error) => {
            Err(StoreError::Untrusted { path, reason: "it is a link, or not a directory" })
        }
        other => own(other.map_err(unreadable(&path))?).map(Some),
    }
}

/// The cache directory, which other users can neither write to nor replace.
fn open_cache(directory: Directory) -> Result<Directory, StoreError> {
    let directory = own(directory)?;
    refuse_unsafe_ancestors(directory.path())?;
    Ok(directory)
}

/// Other users must not be able to put anything into the store.
fn own(directory: Directory) -> Result<Directory, StoreError> {
    let stamp = directory.own_stamp().map_err(unreadable(directory.path()))?;
    let reason = if stamp.owner != rustix::process::geteuid().as_raw() {
        "it belongs to another user"
    } else if stamp.permissions() & 0o022 != 0 {
        "other users can write to it"
    } else {
        return Ok(directory);
    };
    Err(StoreError::Untrusted { path: directory.path().to_owned(), reason })
}
