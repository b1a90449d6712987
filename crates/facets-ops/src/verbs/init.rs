//! `facet init`: the first files of a facet or a source-mode server.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use facets_files::FileError;
use facets_model::ArtifactName;

use crate::error::OpsError;
use crate::input::read_regular;
use crate::manifest_names::MANIFESTS;
use crate::write_file;

/// What to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitKind {
    /// A facet: skills, agents, commands.
    Facet,
    /// A source-mode MCP server.
    Server,
}

/// Where to begin it, and under which name.
#[derive(Debug)]
pub struct InitRequest {
    /// What to begin.
    pub kind: InitKind,
    /// The directory; it is made if it is not there.
    pub directory: PathBuf,
    /// The name; that of the directory if none is given.
    pub name: Option<String>,
}

/// What was written.
#[derive(Debug)]
pub struct InitReport {
    /// The directory.
    pub directory: PathBuf,
    /// The name in the manifest.
    pub name: ArtifactName,
    /// The new files, below the directory.
    pub created: Vec<&'static str>,
    /// Files that were there already, with just this content.
    pub kept: Vec<&'static str>,
}

/// A path and the text to put there. The manifest is last: without it there is nothing yet.
type Template = (&'static str, &'static str);

const FACET: &[Template] = &[
    ("skills/hello/SKILL.md", include_str!("../../templates/SKILL.md")),
    ("facet.json", include_str!("../../templates/facet.json")),
];

const SERVER: &[Template] = &[
    ("index.ts", include_str!("../../templates/index.ts")),
    ("server.yaml", include_str!("../../templates/server.yaml")),
];

/// Writes the first files. Nothing that is there is overwritten.
pub fn init(request: InitRequest) -> Result<InitReport, OpsError> {
    let name = choose_name(&request)?;
    let templates = match request.kind {
        InitKind::Facet => FACET,
        InitKind::Server => SERVER,
    };
    let files: Vec<(&str, String)> = templates
        .iter()
        .map(|(path, text)| (*path, text.replace("{{name}}", name.as_str())))
        .collect();
    let directory = request.directory;
    let missing = find_missing(&directory, &files)?;
    for (path, text) in &files {
        if missing.contains(path) {
            write_file::create(&directory.join(path), text.as_bytes())?;
        }
    }
    let kept = files.iter().map(|(path, _)| *path).filter(|path| !missing.contains(path)).collect();
    Ok(InitReport { directory, name, created: missing, kept })
}

fn choose_name(request: &InitRequest) -> Result<ArtifactName, OpsError> {
    let found = match &request.name {
        Some(name) => name.clone(),
        None => directory_name(&request.directory)?,
    };
    found.parse().map_err(|source| {
        let next = corrected(request, &found);
        OpsError::BadName { found, source, next }
    })
}

fn corrected(request: &InitRequest, found: &str) -> String {
    let (kind, otherwise) = match request.kind {
        InitKind::Facet => ("facet", "my-facet"),
        InitKind::Server => ("server", "my-server"),
    };
    let words = found.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    let name = if slug.parse::<ArtifactName>().is_ok() { &slug } else { otherwise };
    format!("facet init {kind} {} --name {name}", facets_failure::shell_word(&request.directory))
}

fn directory_name(directory: &Path) -> Result<String, OpsError> {
    // `.` has no name of its own; a directory to be made has no canonical path yet.
    let named = match directory.file_name() {
        Some(name) => Some(name.to_owned()),
        None => fs::canonicalize(directory)
            .map_err(|source| {
                OpsError::File(FileError::Unreadable { path: directory.to_owned(), source })
            })?
            .file_name()
            .map(ToOwned::to_owned),
    };
    Ok(named.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}

/// Looks at everything before anything is written, so that a refusal leaves no trace.
///
/// A file with just the right content is not missing: a run that was cut short can be
/// repeated.
fn find_missing(
    directory: &Path,
    files: &[(&'static str, String)],
) -> Result<Vec<&'static str>, OpsError> {
    let ours = |name: &str| files.iter().any(|(path, _)| *path == name);
    for other in MANIFESTS.into_iter().filter(|name| !ours(name)) {
        refuse_existing(&directory.join(other))?;
    }
    let mut missing = Vec::new();
    for (path, text) in files {
        // A link on the way would lead out of the directory.
        for (at, _) in path.match_indices('/') {
            refuse_link(&directory.join(&path[..at]))?;
        }
        let full = directory.join(path);
        refuse_link(&full)?;
        match fs::symlink_metadata(&full) {
            Ok(_)
                if read_regular(&full, text.len() as u64)
                    .is_ok_and(|old| old == text.as_bytes()) => {}
            Ok(_) => return Err(OpsError::Exists { path: full }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(*path),
            Err(source) => {
                return Err(OpsError::File(FileError::Unreadable { path: full, source }));
            }
        }
    }
    Ok(missing)
}

fn refuse_existing(path: &Path) -> Result<(), OpsError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(OpsError::Exists { path: path.to_owned() }),
        Err(_) => Ok(()),
    }
}

fn refuse_link(path: &Path) -> Result<(), OpsError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Err(OpsError::Exists { path: path.to_owned() }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facets_model::manifest::{parse_facet, parse_server};
    use facets_model::tree::ManifestFormat;

    fn request(kind: InitKind, directory: &Path) -> InitRequest {
        InitRequest { kind, directory: directory.to_owned(), name: Some("my-thing".to_owned()) }
    }

    #[test]
    fn writes_manifests_that_are_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let facet = folder.path().join("a/b");
        let report = init(request(InitKind::Facet, &facet)).unwrap();
        assert_eq!(report.created, ["skills/hello/SKILL.md", "facet.json"]);
        let manifest =
            parse_facet(&fs::read(facet.join("facet.json")).unwrap(), ManifestFormat::Json);
        assert_eq!(manifest.manifest.unwrap().name.as_str(), "my-thing");
        init(request(InitKind::Server, folder.path())).unwrap();
        let manifest = parse_server(&fs::read(folder.path().join("server.yaml")).unwrap());
        assert_eq!(manifest.manifest.unwrap().name.as_str(), "my-thing");
    }

    #[test]
    fn a_name_with_a_scope_makes_a_valid_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let scoped = |kind, directory: &str| {
            let (directory, name) = (folder.path().join(directory), Some("@acme/ss".to_owned()));
            init(InitRequest { kind, directory, name }).unwrap().directory
        };
        // In YAML no plain text begins with `@`.
        let server = fs::read(scoped(InitKind::Server, "server").join("server.yaml")).unwrap();
        assert_eq!(parse_server(&server).manifest.unwrap().name.as_str(), "@acme/ss");
        let facet = fs::read(scoped(InitKind::Facet, "facet").join("facet.json")).unwrap();
        let facet = parse_facet(&facet, ManifestFormat::Json).manifest.unwrap();
        assert_eq!(facet.name.as_str(), "@acme/ss");
    }

    #[test]
    fn overwrites_nothing_and_finishes_what_was_begun() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("server.yaml"), "mine").unwrap();
        let error = init(request(InitKind::Server, folder.path())).unwrap_err();
        assert!(matches!(error, OpsError::Exists { .. }));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a refusal leaves no trace");
        fs::remove_file(folder.path().join("server.yaml")).unwrap();
        init(request(InitKind::Server, folder.path())).unwrap();
        fs::remove_file(folder.path().join("server.yaml")).unwrap();
        let again = init(request(InitKind::Server, folder.path())).unwrap();
        assert_eq!((again.created, again.kept), (vec!["server.yaml"], vec!["index.ts"]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing staged is left");
    }

    #[test]
    fn takes_the_name_of_the_directory_or_says_why_not() {
        let folder = tempfile::tempdir().unwrap();
        let named = |name: &str| {
            let directory = folder.path().join(name);
            init(InitRequest { kind: InitKind::Facet, directory, name: None })
        };
        assert_eq!(named("good-name").unwrap().name.as_str(), "good-name");
        let error = named("Bad_Name").unwrap_err();
        assert!(matches!(&error, OpsError::BadName { found, .. } if found == "Bad_Name"));
        assert!(!folder.path().join("Bad_Name").exists());
    }
}
