//! Artifacts in the store: the archive, and the files that are started from it (spec 10.7).

use std::fs::File;
use std::io::{self, Seek as _};
use std::os::fd::AsFd as _;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveIndex, ArchiveLimits, ArchivedFile, EntryMode, ExpectedArtifact,
    ServerArchive, UnpackError, read_server_archive, unpack_server,
};
use facets_files::FileError;
use facets_lock::ArtifactPin;
use facets_runtime::{InstalledRuntime, ManagedRuntime, Runtimes};
use facets_store::{
    EntryKey, FileMode, Store, StoredFile, StoredTree, TreeItem, TreeKey, TreeManifest, TreePin,
    TreeWriter, Verified,
};

use crate::cache_directory::cache_directory;
use crate::error::OpsError;
use crate::evicted_entries::look_at;
use crate::source_artifact::{temporary_file, unwritable_temporary};

/// An artifact whose archive and files were just verified.
#[derive(Debug)]
pub(crate) struct StoredArtifact {
    pub(crate) server: ServerArchive,
    pub(crate) tree: Verified<StoredTree>,
}

/// The store of this user.
pub(crate) fn open_store() -> Result<Store, OpsError> {
    Ok(Store::open(&cache_directory()?)?)
}

/// Stores an archive that was built or read, and its files.
pub(crate) fn put_artifact(store: &Store, archive: &mut File) -> Result<StoredArtifact, OpsError> {
    archive.rewind().map_err(unreadable_archive)?;
    let server = read_server_archive(&*archive, &ArchiveLimits::SPEC)?;
    archive.rewind().map_err(unreadable_archive)?;
    store.put_file(&server.index.content_hash, &*archive)?;
    let key = TreeKey::Server(server.index.integrity);
    // One that was modified is replaced by the bytes that were just verified.
    let tree = match store.get_tree(&key, tree_pin(&server.index)) {
        Ok(Some(tree)) => tree,
        _ => unpack(store, &server, archive)?,
    };
    store.note_origin(&tree, &server.index.content_hash);
    Ok(StoredArtifact { server, tree })
}

/// The artifact that a lock entry pins, with every hash compared anew; none if its archive is not stored.
pub(crate) fn get_artifact(
    store: &Store,
    pin: &ArtifactPin,
) -> Result<Option<StoredArtifact>, OpsError> {
    let Some(file) = get_archive(store, pin)? else { return Ok(None) };
    let server = read_pinned(&file, pin)?;
    let key = TreeKey::Server(pin.integrity);
    let get = || Ok(store.get_tree(&key, tree_pin(&server.index))?);
    if let Some(tree) = look_at(EntryKey::Tree(key), get)? {
        return Ok(Some(StoredArtifact { server, tree }));
    }
    // The files were collected, and the archive was not.
    let Some(file) = get_archive(store, pin)? else { return Ok(None) };
    let mut copy = temporary_file()?;
    io::copy(&mut &*file, &mut copy).map_err(unwritable_temporary)?;
    let tree = unpack(store, &server, &mut copy)?;
    Ok(Some(StoredArtifact { server, tree }))
}

pub(crate) fn get_archive(
    store: &Store,
    pin: &ArtifactPin,
) -> Result<Option<Verified<StoredFile>>, OpsError> {
    look_at(EntryKey::File(pin.content_hash), || Ok(store.get_file(&pin.content_hash)?))
}

/// A runtime, if it is installed and intact; nothing is fetched.
pub(crate) fn installed_runtime(
    store: &Store,
    runtime: &'static ManagedRuntime,
) -> Result<Option<InstalledRuntime>, OpsError> {
    let key = EntryKey::Tree(runtime.binary()?.key());
    look_at(key, || Ok(Runtimes::new(store).installed(runtime)?))
}

/// The files of an artifact whose archive is stored and intact.
pub(crate) fn stored_files(pin: &ArtifactPin) -> Option<Vec<ArchivedFile>> {
    let file = open_store().ok()?.get_file(&pin.content_hash).ok()??;
    Some(read_pinned(&file, pin).ok()?.index.files)
}

/// Reads an archive, and compares it with a pin.
pub(crate) fn read_pinned(
    file: &Verified<StoredFile>,
    pin: &ArtifactPin,
) -> Result<ServerArchive, OpsError> {
    let stored: &StoredFile = file;
    let server = read_server_archive(stored, &ArchiveLimits::SPEC)?;
    stored.require_unmodified()?;
    server.verify(&ExpectedArtifact {
        name: Some(pin.name.to_string()),
        version: Some(pin.version.to_string()),
        content_hash: Some(pin.content_hash),
        integrity: Some(pin.integrity),
    })?;
    Ok(server)
}

/// The tree that an archive has, and no other.
pub(crate) fn tree_pin(index: &ArchiveIndex) -> TreePin {
    let files = index.files.iter().map(|file| {
        let (digest, size, mode) = (file.digest, file.size, file_mode(file.mode));
        (file.path.as_str(), TreeItem::File { digest, size, mode })
    });
    TreePin::Digest(TreeManifest::of_files(files).digest())
}

fn file_mode(mode: EntryMode) -> FileMode {
    match mode {
        EntryMode::Plain => FileMode::Plain,
        EntryMode::Executable => FileMode::Executable,
    }
}

/// Writes the files of an archive into the store.
fn unpack(
    store: &Store,
    server: &ServerArchive,
    archive: &mut File,
) -> Result<Verified<StoredTree>, OpsError> {
    let folder = tempfile::tempdir().map_err(unwritable_temporary)?;
    let directory = File::open(folder.path()).map_err(unwritable_temporary)?;
    let expected = ExpectedArtifact {
        content_hash: Some(server.index.content_hash),
        integrity: Some(server.index.integrity),
        ..ExpectedArtifact::default()
    };
    unpack_server(archive, &expected, directory.as_fd(), &ArchiveLimits::SPEC)
        .map_err(not_unpacked)?;
    let key = TreeKey::Server(server.index.integrity);
    store.put_tree(&key, tree_pin(&server.index), |writer| {
        write_files(writer, &server.index, folder.path())
    })
}

/// The directory has a random name: the one that it is made in is named.
fn not_unpacked(error: ArchiveError) -> OpsError {
    match error {
        ArchiveError::Unpack(UnpackError::Unwritable { source, .. }) => {
            unwritable_temporary(source)
        }
        other => other.into(),
    }
}

fn write_files(
    writer: &mut TreeWriter<'_>,
    index: &ArchiveIndex,
    folder: &Path,
) -> Result<(), OpsError> {
    for file in &index.files {
        let path = folder.join(file.path.as_str());
        let bytes = File::open(&path)
            .map_err(|source| OpsError::File(FileError::Unreadable { path, source }))?;
        writer.file(file.path.as_str(), file_mode(file.mode), bytes)?;
    }
    Ok(())
}

fn unreadable_archive(source: io::Error) -> OpsError {
    ArchiveError::Unreadable { source }.into()
}
