//! Facets that are built here: of a directory in the project, or of a commit.

use std::path::{Path, PathBuf};

use facets_archive::ArchiveError;
use facets_fetch::NoFetchProgress;
use facets_model::ArtifactPath;

use crate::building::BuildOptions;
use crate::built_artifact::{DirectoryBuild, build_directory};
use crate::error::{AcquireError, OpsError};
use crate::manifest_check::find_manifest;

/// The archive of the facet in a directory, which people know as `place`. Nothing is written there.
pub(super) fn build_archive(
    directory: &Path,
    subject: &str,
    place: &str,
) -> Result<Vec<u8>, OpsError> {
    // A server would be bundled, with programs of others.
    if find_manifest(directory)? == "server.yaml" {
        return Err(refused(subject, directory, "it has a server, and no facet"));
    }
    let built = build_directory(directory, &BuildOptions::default(), &NoFetchProgress);
    match built.map_err(|error| not_built(error, subject, place))? {
        DirectoryBuild::Built(built, _) => Ok(built.archive),
        DirectoryBuild::Refused(report) => {
            let (subject, place) = (subject.to_owned(), place.to_owned());
            Err(AcquireError::Problems { subject, place, problems: report.problems }.into())
        }
    }
}

/// A facet that no archive may have, such as one that is composed of others, is named with where it is.
fn not_built(error: OpsError, subject: &str, place: &str) -> OpsError {
    match error {
        OpsError::Archive(
            source @ (ArchiveError::Facet(_)
            | ArchiveError::Content(_)
            | ArchiveError::Path(_)
            | ArchiveError::Limit(_)),
        ) => AcquireError::Archive {
            subject: subject.to_owned(),
            source_of: place.to_owned(),
            source: Box::new(source),
        }
        .into(),
        other => other,
    }
}

/// A directory of the project, reached without a link: one could lead out of it.
pub(super) fn project_folder(
    project: &Path,
    path: &ArtifactPath,
    subject: &str,
) -> Result<PathBuf, OpsError> {
    let mut folder = project.to_owned();
    for part in path.as_str().split('/') {
        folder.push(part);
        let found = std::fs::symlink_metadata(&folder);
        let is_link = found.as_ref().is_ok_and(std::fs::Metadata::is_symlink);
        let is_folder = found.is_ok_and(|data| data.is_dir());
        if is_link {
            return Err(refused(subject, &folder, "it is a symbolic link"));
        }
        if !is_folder {
            return Err(refused(subject, &folder, "it is not a directory"));
        }
    }
    Ok(folder)
}

/// The path in a lock entry or a manifest: `./` and a path inside the project.
pub(super) fn path_in_project(text: &str, subject: &str) -> Result<ArtifactPath, OpsError> {
    let path = text.strip_prefix("./").unwrap_or(text);
    path.parse().map_err(|_| refused(subject, Path::new(text), "it is not inside the project"))
}

fn refused(subject: &str, path: &Path, reason: &'static str) -> OpsError {
    AcquireError::Folder { subject: subject.to_owned(), path: path.to_owned(), reason }.into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use facets_failure::Describe as _;

    use super::*;

    #[test]
    fn a_folder_is_inside_the_project_and_no_link_leads_to_it() {
        let project = tempfile::tempdir().unwrap();
        let at = |path: &str| project.path().join(path);
        fs::create_dir_all(at("facets/loc")).unwrap();
        fs::write(at("file"), "").unwrap();
        symlink("facets", at("link")).unwrap();
        symlink("/", at("facets/out")).unwrap();
        let find = |path: &str| {
            let path = path_in_project(path, "facet loc")?;
            project_folder(project.path(), &path, "facet loc")
        };
        assert_eq!(find("./facets/loc").unwrap(), at("facets/loc"));
        for path in ["./link/loc", "./facets/out", "./facets/out/etc", "./file", "./none", "/etc"] {
            assert_eq!(find(path).unwrap_err().code(), "facet-folder", "{path}");
        }
        for path in ["./../x", "./a/../../x", "./", "../x"] {
            assert_eq!(find(path).unwrap_err().code(), "facet-folder", "{path}");
        }
    }

    #[test]
    fn a_server_in_the_place_of_a_facet_is_not_built() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = "name: demo\nversion: 1.2.3\nruntime: bun\nentry: index.ts\n";
        fs::write(folder.path().join("server.yaml"), manifest).unwrap();
        let refused = build_archive(folder.path(), "facet demo", "./demo").unwrap_err();
        assert_eq!(refused.code(), "facet-folder");
    }

    #[test]
    fn all_problems_of_a_facet_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = r#"{"name":"demo","version":"1.0.0","commands":{"go":{"description":"d"},"on":{"description":"d"}}}"#;
        fs::write(folder.path().join("facet.json"), manifest).unwrap();
        let refused = build_archive(folder.path(), "facet demo", "./demo").unwrap_err();
        assert_eq!(refused.code(), "facet-has-problems");
        assert_eq!(refused.problems().len(), 2);
    }
}
