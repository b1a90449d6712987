//! The private directory in which a server is bundled.

use std::fs::{self, File};
use std::io::{self, Cursor};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use facets_archive::{ArchiveLimits, ExpectedArtifact, unpack_server};
use facets_files::read_regular;
use tempfile::TempDir;

use crate::error::{BundleError, OpsError};

/// Names of different length: a path in a bundle would show.
const FIRST: &str = "source";
const SECOND: &str = "the-same-source-elsewhere";

/// More than any file has that is read as a whole.
const LARGEST: u64 = 64 << 20;

/// A private directory with the files of a server. It is removed in the end.
pub(super) struct Workshop {
    folder: TempDir,
    source: PathBuf,
}

impl Workshop {
    /// Unpacks the archive of a server: what is bundled is what was packed, whatever happens to the directory.
    pub(super) fn unpack(archive: &[u8]) -> Result<Self, OpsError> {
        let folder = tempfile::Builder::new().prefix("facet-build-").tempdir();
        let folder = folder.map_err(failed(&std::env::temp_dir()))?;
        let source = folder.path().join(FIRST);
        fs::create_dir(&source).map_err(failed(&source))?;
        let handle = File::open(&source).map_err(failed(&source))?;
        let (expected, limits) = (ExpectedArtifact::default(), &ArchiveLimits::SPEC);
        unpack_server(&mut Cursor::new(archive), &expected, handle.as_fd(), limits)?;
        remove_settings(&source)?;
        Ok(Self { folder, source })
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
        fs::create_dir_all(&path).map_err(failed(&path))?;
        Ok(path)
    }

    /// A new file beside the files of the server.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, OpsError> {
        let path = self.folder.path().join(name);
        fs::write(&path, text).map_err(failed(&path))?;
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

/// bun reads the `.npmrc` of the directory in which it runs: the registry and the tokens are the user's alone.
fn remove_settings(source: &Path) -> Result<(), OpsError> {
    let file = source.join(".npmrc");
    match fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&file)(error).into()),
        _ => Ok(()),
    }
}

/// Reads a file of the private directory.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, OpsError> {
    Ok(read_regular(path, LARGEST)?)
}

/// Something in the private directory could not be read or written.
pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> BundleError {
    let path = path.to_owned();
    move |source| BundleError::Temporary { path: path.clone(), source }
}

#[cfg(test)]
mod tests {
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
}
