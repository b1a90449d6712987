//! `facet unpack`: an archive becomes a directory, or nothing at all (spec 4.5).

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};

use facets_archive::{
    ArchiveError, ArchiveLimits, ExpectedArtifact, FacetArchive, ServerArchive, UnpackError,
    ValidatedArchive, validate_facet, validate_server,
};
use facets_failure::DiskProblem;
use facets_files::FileError;

pub use crate::archive_file::ReadArchive;

use crate::archive_file::ArchiveFile;
use crate::building::ArtifactKind;
use crate::error::OpsError;

/// What to unpack, and where to.
#[derive(Debug)]
pub struct UnpackRequest {
    /// A `.facet` file, or the archive of a server.
    pub file: PathBuf,
    /// A directory that is empty, or does not exist yet.
    pub into: PathBuf,
}

/// What was unpacked.
#[derive(Debug)]
pub struct UnpackReport {
    /// The archive.
    pub file: PathBuf,
    /// The directory.
    pub into: PathBuf,
    /// What the directory now has.
    pub archive: ReadArchive,
}

/// Unpacks an archive after all of it was checked. What is refused leaves nothing behind.
pub fn unpack(request: UnpackRequest) -> Result<UnpackReport, OpsError> {
    let mut archive = ArchiveFile::open(&request.file)?;
    // An archive that breaks a rule is refused before there is a directory.
    let validated = ValidatedFile::read(&mut archive)?;
    let target = Target::open(&request.into)?;
    let written = validated.write(&mut archive.file, target.handle.as_fd());
    let read = written.map_err(|error| not_written(error, &archive, &request.into))?;
    target.keep();
    Ok(UnpackReport { file: request.file, into: request.into, archive: read })
}

/// An archive that broke no rule, and of which nothing is written yet.
enum ValidatedFile {
    Facet(Box<ValidatedArchive<FacetArchive>>),
    Server(Box<ValidatedArchive<ServerArchive>>),
}

impl ValidatedFile {
    fn read(archive: &mut ArchiveFile) -> Result<Self, OpsError> {
        let (expected, limits) = (ExpectedArtifact::default(), &ArchiveLimits::SPEC);
        let validated = match archive.kind {
            ArtifactKind::Facet => validate_facet(&mut archive.file, &expected, limits)
                .map(|facet| Self::Facet(Box::new(facet))),
            ArtifactKind::Server => validate_server(&mut archive.file, &expected, limits)
                .map(|server| Self::Server(Box::new(server))),
        };
        validated.map_err(|error| archive.refused(error))
    }

    fn write(
        self,
        file: &mut File,
        directory: BorrowedFd<'_>,
    ) -> Result<ReadArchive, ArchiveError> {
        match self {
            Self::Facet(facet) => facet.unpack(file, directory).map(ReadArchive::from),
            Self::Server(server) => server.unpack(file, directory).map(ReadArchive::from),
        }
    }
}

/// An archive is not to blame for the disk.
fn not_written(error: ArchiveError, archive: &ArchiveFile, into: &Path) -> OpsError {
    match error {
        ArchiveError::Unpack(UnpackError::Unwritable { path, source })
            if DiskProblem::of(&source).is_some() =>
        {
            FileError::Unwritable { path: into.join(path), source }.into()
        }
        other => archive.refused(other),
    }
}

/// The directory that files go into. One that was made here is removed unless it is kept.
struct Target {
    handle: File,
    made: Option<PathBuf>,
}

impl Target {
    fn open(path: &Path) -> Result<Self, OpsError> {
        let unwritable = |source| FileError::Unwritable { path: path.to_owned(), source };
        let made = match fs::create_dir(path) {
            Ok(()) => Some(path.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let parent = path.parent().unwrap_or(path).to_owned();
                return Err(OpsError::NotADirectory { path: parent });
            }
            Err(source) => return Err(unwritable(source).into()),
        };
        if !fs::metadata(path).map_err(unwritable)?.is_dir() {
            return Err(OpsError::NotADirectory { path: path.to_owned() });
        }
        Ok(Self { handle: File::open(path).map_err(unwritable)?, made })
    }

    fn keep(mut self) {
        self.made = None;
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(path) = &self.made {
            // Its files are gone already; the error that led here is the one to report.
            let _ = fs::remove_dir(path);
        }
    }
}
