//! The private directory in which a server is bundled.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Cursor, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use facets_archive::{ArchiveError, ArchiveLimits, ExpectedArtifact, UnpackError, unpack_server};
use facets_failure::DiskProblem;
use facets_files::read_regular;
use facets_store::StoreError;
use tempfile::TempDir;

use crate::error::{BundleError, OpsError};

/// Names of different length: a path in a bundle would show.
const FIRST: &str = "source";
const SECOND: &str = "the-same-source-elsewhere";

/// More than any file has that is read as a whole.
const LARGEST: u64 = 64 << 20;

/// In the cache directory of facet, which only the user can write: bun looks for settings in all directories
/// above the one in which it runs.
const BUILDS: &str = "builds";
const PREFIX: &str = "build-";
const LOCK: &str = "lock";

/// A private directory with the files of a server. It is removed in the end.
pub(super) struct Workshop {
    folder: TempDir,
    source: PathBuf,
    /// The last field: released when the directory is gone.
    _lock: File,
}

impl Workshop {
    /// Unpacks the archive of a server: what is bundled is what was packed, whatever happens to the directory.
    /// `cache` is the cache directory of facet.
    pub(super) fn unpack(archive: &[u8], cache: &Path) -> Result<Self, OpsError> {
        let builds = cache.join(BUILDS);
        let lock = enter(&builds).map_err(failed(&builds))?;
        let builds = builds.canonicalize().map_err(failed(&builds))?;
        let folder = new_folder(&builds).map_err(failed(&builds))?;
        let source = folder.path().join(FIRST);
        fs::create_dir(&source).map_err(failed(&source))?;
        let handle = File::open(&source).map_err(failed(&source))?;
        let (expected, limits) = (ExpectedArtifact::default(), &ArchiveLimits::SPEC);
        unpack_server(&mut Cursor::new(archive), &expected, handle.as_fd(), limits)
            .map_err(|error| not_unpacked(error, &source))?;
        remove_settings(&source)?;
        Ok(Self { folder, source, _lock: lock })
    }

    /// A directory with these files of a server.
    #[cfg(test)]
    pub(super) fn with_files(cache: &Path, files: &[(&str, &str)]) -> Self {
        let lock = enter(cache).unwrap();
        let folder = new_folder(cache).unwrap();
        let source = folder.path().join(FIRST);
        for (name, text) in files {
            let file = source.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Self { folder, source, _lock: lock }
    }

    /// Where the files of the server are.
    pub(super) fn source(&self) -> &Path {
        &self.source
    }

    /// Where its packages are installed.
    pub(super) fn modules(&self) -> PathBuf {
        self.source.join("node_modules")
    }

    /// A new directory beside the files of the server.
    pub(super) fn make(&self, name: &str) -> Result<PathBuf, OpsError> {
        let path = self.folder.path().join(name);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(failed(&path))?;
        Ok(path)
    }

    /// A new file beside the files of the server, for this user alone: it may have a token.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, OpsError> {
        let path = self.folder.path().join(name);
        write_private(&path, text).map_err(failed(&path))?;
        Ok(path)
    }

    /// Moves the files of the server elsewhere.
    pub(super) fn rename(&mut self) -> Result<(), OpsError> {
        let elsewhere = self.folder.path().join(SECOND);
        fs::rename(&self.source, &elsewhere).map_err(failed(&elsewhere))?;
        self.source = elsewhere;
        Ok(())
    }

    /// Whether the server has a file.
    pub(super) fn has(&self, path: &str) -> bool {
        self.source.join(path).is_file()
    }

    /// Reads a file of the server.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, OpsError> {
        read_file(&self.source.join(path))
    }
}

/// The lock of all builds, shared by those that run. A build that is alone removes the directories of builds
/// that were killed.
fn enter(builds: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(builds)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(0o600);
    let lock = options.open(builds.join(LOCK))?;
    if lock.try_lock().is_ok() {
        remove_leftovers(builds);
        lock.unlock()?;
    }
    match lock.lock_shared() {
        // The file system has no locks, and then nothing is removed either.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(lock),
        other => other.map(|()| lock),
    }
}

/// Leftovers that cannot be removed now are tried again at the next build.
fn remove_leftovers(builds: &Path) {
    for entry in fs::read_dir(builds).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn new_folder(builds: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).permissions(Permissions::from_mode(0o700)).tempdir_in(builds)
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.create(true).truncate(true).write(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// bun reads the `.npmrc` of the directory in which it runs: the registry and the tokens are the user's alone.
fn remove_settings(source: &Path) -> Result<(), OpsError> {
    let file = source.join(".npmrc");
    match fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&file)(error)),
        _ => Ok(()),
    }
}

/// Reads a file of the private directory.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, OpsError> {
    Ok(read_regular(path, LARGEST)?)
}

/// Something in the private directory could not be read or written. It is on the disk of the store.
pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> OpsError + use<> {
    let path = path.to_owned();
    move |source| match DiskProblem::of(&source) {
        Some(DiskProblem::Full) => StoreError::of_write(&path, source).into(),
        Some(DiskProblem::ReadOnly) | None => {
            BundleError::Temporary { path: path.clone(), source }.into()
        }
    }
}

/// An archive that was just packed is not unpacked only if it cannot be written.
fn not_unpacked(error: ArchiveError, source: &Path) -> OpsError {
    match error {
        ArchiveError::Unpack(UnpackError::Unwritable { path, source: reason }) => {
            failed(&source.join(path))(reason)
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;

    #[test]
    fn the_npmrc_of_the_server_is_removed_before_bun_runs() {
        let source = tempfile::tempdir().unwrap();
        let file = source.path().join(".npmrc");
        fs::write(&file, "registry=https://other.example/\n").unwrap();
        remove_settings(source.path()).unwrap();
        assert!(!file.exists());
        remove_settings(source.path()).unwrap();
    }

    #[test]
    fn a_full_disk_is_that_of_the_store_and_other_reasons_are_quoted() {
        // ENOSPC and EACCES of Linux
        let codes = [28, 13].map(|number| {
            let source = io::Error::from_raw_os_error(number);
            let written = UnpackError::Unwritable { path: "index.ts".to_owned(), source };
            let unpacked = not_unpacked(written.into(), Path::new("/cache/builds"));
            let made = failed(Path::new("/cache"))(io::Error::from_raw_os_error(number));
            assert_eq!(unpacked.file(), Some(Path::new("/cache/builds/index.ts")));
            [unpacked, made].map(|error| error.code())
        });
        assert_eq!(codes, [["store-full"; 2], ["build-temporary-failed"; 2]]);
    }

    #[test]
    fn only_the_user_can_read_the_directory_and_its_files() {
        let cache = tempfile::tempdir().unwrap();
        let folder = new_folder(cache.path()).unwrap();
        let file = folder.path().join(".npmrc");
        write_private(&file, "//a.example/:_authToken=t\n").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(folder.path()), mode(&file)), (0o700, 0o600));
    }

    #[test]
    fn leftovers_are_removed_by_the_next_build_that_is_alone() {
        let cache = tempfile::tempdir().unwrap();
        let builds = cache.path().join(BUILDS);
        let running = enter(&builds).unwrap();
        let left = builds.join("build-dead/home");
        fs::create_dir_all(&left).unwrap();
        drop(enter(&builds).unwrap());
        assert!(left.exists());
        drop(running);
        drop(enter(&builds).unwrap());
        assert!(!left.exists());
    }
}
