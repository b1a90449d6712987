//! The archive that is published: built from a directory, or a copy of a file, so that nothing changes it between
//! the page that is read and the upload.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveIndex, ArchiveLimits, FacetArchive, LeftOut, ServerArchive, read_facet,
    read_server_archive,
};
use facets_failure::FileProblem;
use facets_fetch::FetchProgress;
use facets_model::{ArtifactName, Version};

use crate::archive_file::ArchiveFile;
use crate::building::{ArtifactKind, BuildOptions, BundledCode};
use crate::built_artifact::{DirectoryBuild, build_directory};
use crate::error::{OpsError, PublishError};
use crate::manifest_check::BuildCheckReport;
use crate::source_artifact::{temporary_file, unwritable_temporary};

/// What came of a directory or a file.
pub(crate) enum ArchiveOutcome {
    /// The directory has problems.
    Refused(BuildCheckReport),
    /// Every rule was checked.
    Ready(Box<PublishArchive>),
}

/// An archive that can be published.
pub(crate) struct PublishArchive {
    pub(crate) kind: ArtifactKind,
    pub(crate) name: ArtifactName,
    pub(crate) version: Version,
    pub(crate) index: ArchiveIndex,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) bundle: Option<BundledCode>,
    pub(crate) warnings: Vec<FileProblem>,
    /// Without a name.
    pub(crate) file: File,
}

/// Builds a directory as `facet build` does, or reads an archive.
pub(crate) fn archive_to_publish(
    path: &Path,
    progress: &dyn FetchProgress,
) -> Result<ArchiveOutcome, OpsError> {
    let mut file = temporary_file()?;
    if !path.is_dir() {
        let archive = copy_archive(path, &mut file)?;
        return Ok(ArchiveOutcome::Ready(Box::new(read(archive.kind, file, Some(&archive))?)));
    }
    match build_directory(path, &BuildOptions::default(), progress)? {
        DirectoryBuild::Refused(report) => Ok(ArchiveOutcome::Refused(report)),
        DirectoryBuild::Built(built, warnings) => {
            file.write_all(&built.archive).map_err(unwritable_temporary)?;
            let read = read(built.kind, file, None)?;
            let (left_out, bundle) = (built.left_out, built.bundle);
            let ready = PublishArchive { left_out, bundle, warnings, ..read };
            Ok(ArchiveOutcome::Ready(Box::new(ready)))
        }
    }
}

/// Copies an archive that was given.
fn copy_archive(path: &Path, copy: &mut File) -> Result<ArchiveFile, OpsError> {
    let archive = ArchiveFile::open(path)?;
    // One byte more than is allowed is enough to see that there are too many.
    let mut source = (&archive.file).take(ArchiveLimits::SPEC.compressed + 1);
    io::copy(&mut source, copy).map_err(unwritable_temporary)?;
    Ok(archive)
}

/// Checks every rule. An archive that was given is named in the error.
fn read(
    kind: ArtifactKind,
    mut file: File,
    given: Option<&ArchiveFile>,
) -> Result<PublishArchive, OpsError> {
    let refused = |error: ArchiveError| match given {
        Some(archive) => archive.refused(error),
        None => error.into(),
    };
    file.rewind().map_err(unwritable_temporary)?;
    let limits = &ArchiveLimits::SPEC;
    let (name, version, index) = match kind {
        ArtifactKind::Facet => {
            let FacetArchive { manifest, index, .. } =
                read_facet(&mut file, limits).map_err(refused)?;
            // Also a registry would refuse it, and then it would have left this machine.
            if manifest.private {
                return Err(PublishError::Private { name: manifest.name.to_string() }.into());
            }
            (manifest.name, manifest.version.to_string(), index)
        }
        ArtifactKind::Server => {
            let server = read_server_archive(&mut file, limits).map_err(refused)?;
            let ServerArchive { manifest, index, .. } = server;
            (manifest.name, manifest.version.to_string(), index)
        }
    };
    let version: Version = version
        .parse()
        .map_err(|_| OpsError::Internal { subject: format!("the version of {name}") })?;
    let (left_out, bundle, warnings) = (Vec::new(), None, Vec::new());
    Ok(PublishArchive { kind, name, version, index, left_out, bundle, warnings, file })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use facets_failure::Describe as _;
    use facets_fetch::NoFetchProgress;

    use super::*;

    /// A facet with one command.
    fn facet(private: bool) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let manifest = format!(
            r#"{{"name":"demo","version":"1.2.3","private":{private},"commands":{{"go":{{"description":"Goes"}}}}}}"#
        );
        fs::write(folder.path().join("facet.json"), manifest).unwrap();
        fs::create_dir(folder.path().join("commands")).unwrap();
        fs::write(folder.path().join("commands/go.md"), "Go.\n").unwrap();
        folder
    }

    fn ready(path: &Path) -> Result<PublishArchive, OpsError> {
        match archive_to_publish(path, &NoFetchProgress)? {
            ArchiveOutcome::Ready(archive) => Ok(*archive),
            ArchiveOutcome::Refused(report) => panic!("{report:?}"),
        }
    }

    #[test]
    fn a_directory_and_its_archive_are_the_same() {
        let folder = facet(false);
        let mut built = ready(folder.path()).unwrap();
        assert_eq!((built.name.as_str(), built.version.to_string().as_str()), ("demo", "1.2.3"));
        let mut bytes = Vec::new();
        built.file.rewind().unwrap();
        built.file.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, built.index.size);
        let path = folder.path().join("demo.facet");
        fs::write(&path, &bytes).unwrap();
        let given = ready(&path).unwrap();
        assert_eq!(given.index.content_hash, built.index.content_hash);
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let refused = ready(&path).err().unwrap();
        assert_eq!(refused.file(), Some(path.as_path()));
    }

    #[test]
    fn what_is_marked_private_stays_here() {
        let refused = ready(facet(true).path()).err().unwrap();
        assert_eq!(refused.code(), "publish-private");
    }

    #[test]
    fn a_directory_with_problems_is_reported_as_a_build_does() {
        let folder = facet(false);
        fs::remove_file(folder.path().join("commands/go.md")).unwrap();
        let outcome = archive_to_publish(folder.path(), &NoFetchProgress).unwrap();
        let ArchiveOutcome::Refused(report) = outcome else { panic!("it was built") };
        assert_eq!(report.problems[0].code, "file-missing");
    }
}
