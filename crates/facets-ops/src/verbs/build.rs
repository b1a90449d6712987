//! `facet build`: from a directory to an archive, written whole or not at all (spec 4).

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use facets_archive::is_build_output;
use facets_digest::Digest;
use facets_failure::FileProblem;
use facets_fetch::FetchProgress;
use facets_files::{FileError, read_plain};

use crate::building::{
    ArchivedFile, ArtifactKind, BuildOptions, BundledCode, LeftOut, require_packed,
};
use crate::built_artifact::{BuiltArtifact, DirectoryBuild, build_directory};
use crate::error::{BuildError, OpsError};
use crate::manifest_check::BuildCheckReport;
use crate::write_file;

/// What to do with another file where the archive should go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingOutput {
    /// Leave it, and write nothing.
    Keep,
    /// Replace it.
    Replace,
}

/// What to build, and where it goes.
#[derive(Debug)]
pub struct BuildRequest {
    /// The directory with the manifest.
    pub directory: PathBuf,
    /// Where the archive goes; by default into the current directory, with name and version as its name.
    pub output: Option<PathBuf>,
    /// Files that look like secrets and are packed all the same, relative to the directory.
    pub allowed_secrets: BTreeSet<String>,
    /// What to do with another file where the archive should go.
    pub existing: ExistingOutput,
}

/// What came of it.
#[derive(Debug)]
pub enum BuildOutcome {
    /// The directory has problems; nothing was written.
    Refused(BuildCheckReport),
    /// The archive was written.
    Built(BuildReport),
}

/// An archive that was written.
#[derive(Debug)]
pub struct BuildReport {
    /// What it is of.
    pub kind: ArtifactKind,
    /// The name of the artifact.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of the uncompressed tar inside.
    pub integrity: Digest,
    /// SHA-256 of the archive.
    pub content_hash: Digest,
    /// Bytes of the archive.
    pub size: u64,
    /// Its files.
    pub files: Vec<ArchivedFile>,
    /// What did not go in; a facet has only what its manifest names.
    pub left_out: Vec<LeftOut>,
    /// Its code with the packages that it imports, if it declares any.
    pub bundle: Option<BundledCode>,
    /// Where it was written.
    pub output: PathBuf,
    /// Whether exactly this archive was there already.
    pub is_unchanged: bool,
    /// What is allowed, but probably not meant.
    pub warnings: Vec<FileProblem>,
}

/// Builds the artifact of a directory, and writes its archive.
pub fn build(
    request: &BuildRequest,
    progress: &dyn FetchProgress,
) -> Result<BuildOutcome, OpsError> {
    let directory = &request.directory;
    let options = BuildOptions { allowed_secrets: request.allowed_secrets.clone() };
    let (built, warnings) = match build_directory(directory, &options, progress)? {
        DirectoryBuild::Refused(checked) => return Ok(BuildOutcome::Refused(checked)),
        DirectoryBuild::Built(built, warnings) => (*built, warnings),
    };
    require_packed(&request.allowed_secrets, &built.files, directory)?;
    let output = request.output.clone().unwrap_or_else(|| built.file_name().into());
    if built.kind == ArtifactKind::Server {
        refuse_packed(directory, &output, &built.left_out)?;
    }
    let is_unchanged = write(&output, &built.archive, request)?;
    Ok(BuildOutcome::Built(BuildReport::of(built, output, is_unchanged, warnings)))
}

impl BuildReport {
    fn of(
        built: BuiltArtifact,
        output: PathBuf,
        is_unchanged: bool,
        warnings: Vec<FileProblem>,
    ) -> Self {
        Self {
            kind: built.kind,
            name: built.name,
            version: built.version,
            integrity: built.integrity,
            content_hash: built.content_hash,
            size: built.archive.len() as u64,
            files: built.files,
            left_out: built.left_out,
            bundle: built.bundle,
            output,
            is_unchanged,
            warnings,
        }
    }
}

/// The archive must not become a part of the next one, which would grow with every build.
fn refuse_packed(directory: &Path, output: &Path, left_out: &[LeftOut]) -> Result<(), BuildError> {
    let Some(inside) = path_inside(directory, output) else { return Ok(()) };
    let is_left_out = inside.to_str().is_some_and(|path| {
        let covers = |one: &LeftOut| {
            one.path == path || (one.path.ends_with('/') && path.starts_with(&one.path))
        };
        is_build_output(path) || left_out.iter().any(covers)
    });
    if is_left_out {
        return Ok(());
    }
    let (path, directory) = (output.to_owned(), directory.to_owned());
    Err(BuildError::OutputInside { path, directory })
}

/// Where a file lies below a directory, if it does, whatever links lead there.
fn path_inside(directory: &Path, file: &Path) -> Option<PathBuf> {
    let root = directory.canonicalize().ok()?;
    let file = std::path::absolute(file).ok()?;
    let existing = |folder: &Path| Some((folder.canonicalize().ok()?, folder.to_owned()));
    let (real, typed) = file.ancestors().skip(1).find_map(existing)?;
    let rest = file.strip_prefix(typed).ok()?;
    real.join(rest).strip_prefix(root).map(Path::to_owned).ok()
}

/// Writes the archive; says whether exactly this one was there already.
fn write(path: &Path, archive: &[u8], request: &BuildRequest) -> Result<bool, OpsError> {
    let length = match fs::symlink_metadata(path) {
        Ok(data) => data.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            write_file::create(path, archive)?;
            return Ok(false);
        }
        Err(source) => return Err(FileError::Unreadable { path: path.to_owned(), source }.into()),
    };
    if length == archive.len() as u64 && read_plain(path, length)?.as_deref() == Some(archive) {
        return Ok(true);
    }
    if request.existing == ExistingOutput::Keep {
        let (path, directory) = (path.to_owned(), request.directory.clone());
        return Err(BuildError::OutputExists { path, directory }.into());
    }
    write_file::replace(path, archive)?;
    Ok(false)
}
