//! Is the manifest of a directory in order, and are its files there?

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use facets_archive::{
    ArchiveError, ArchiveLimits, PackRequest, SourceTree, TreeError, pack_server,
};
use facets_digest::json::Position;
use facets_files::FileError;
use facets_model::manifest::{
    FacetManifest, FileRole, NamedFile, Outcome, Problem, parse_facet, parse_server,
};
use facets_model::tree::{MANIFEST_LIMITS, ManifestFormat};

use crate::building::require_packed;
use crate::error::OpsError;
use crate::input::read_regular;
use crate::manifest_names::MANIFESTS;
use crate::refused_variables::refused_variables;
use facets_failure::{Describe as _, FileProblem, LineColumn};

/// spec 4.5: the largest file of an archive.
const MAX_FILE: u64 = 512 << 20;
/// What an assistant reads as one text is never near this.
const MAX_PRIMARY: u64 = 16 << 20;

/// Codes of problems with files; those of manifests are the model's.
pub const CODES: &[&str] = &[
    "env-not-delivered",
    "file-byte-order-mark",
    "file-empty",
    "file-missing",
    "file-not-utf8",
    "file-symlink",
];

/// Which directory to check.
#[derive(Debug)]
pub struct BuildCheckRequest {
    /// The directory with the manifest.
    pub directory: PathBuf,
    /// Files that look like secrets and may be packed all the same, relative to the directory.
    pub allowed_secrets: BTreeSet<String>,
}

/// What was found.
#[derive(Debug)]
pub struct BuildCheckReport {
    /// The manifest.
    pub manifest: PathBuf,
    /// `facet` or `server`.
    pub kind: &'static str,
    /// Name and version, where the manifest is in order.
    pub identity: Option<(String, String)>,
    /// How many files were looked at, the manifest included.
    pub files: usize,
    /// Everything that is wrong; the check passes if there is nothing.
    pub problems: Vec<FileProblem>,
    /// What is allowed, but probably not meant.
    pub warnings: Vec<FileProblem>,
}

/// Checks a directory as a build does: its manifest, the files that it names, and for a server all files that would
/// be packed.
pub fn build_check(request: &BuildCheckRequest) -> Result<BuildCheckReport, OpsError> {
    let mut report = check_manifest(&request.directory)?;
    if report.kind == "server" && report.problems.is_empty() {
        let (directory, allowed_secrets) = (&request.directory, request.allowed_secrets.clone());
        let pack = PackRequest { allowed_secrets, ..PackRequest::default() };
        let tree = SourceTree::open(directory)?;
        match pack_server(&tree, &pack, &ArchiveLimits::SPEC, io::sink()) {
            Err(error @ ArchiveError::Tree(TreeError::Refused { .. })) => {
                report.take_refused(directory, &error);
            }
            packed => {
                require_packed(&pack.allowed_secrets, &packed?.index.files, directory)?;
            }
        }
    }
    Ok(report)
}

/// Checks the one manifest of a directory and the files that it names.
pub(crate) fn check_manifest(directory: &Path) -> Result<BuildCheckReport, OpsError> {
    let manifest = find_manifest(directory)?;
    let path = directory.join(manifest);
    let mut report = BuildCheckReport {
        manifest: path.clone(),
        kind: if manifest == "server.yaml" { "server" } else { "facet" },
        identity: None,
        files: 1,
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    if let Err(Obstacle::Symlink(link)) = walk(directory, manifest) {
        report.problems.push(symlink_problem(path, &link));
        return Ok(report);
    }
    let bytes = read_regular(&path, MANIFEST_LIMITS.bytes as u64)?;
    let files = match manifest {
        "facet.json" => report.take_facet(parse_facet(&bytes, ManifestFormat::Json)),
        "facet.yaml" => report.take_facet(parse_facet(&bytes, ManifestFormat::Yaml)),
        _ => report.take_server(&bytes),
    };
    for file in files {
        report.files += 1;
        report.problems.extend(check_file(directory, &file)?);
    }
    Ok(report)
}

pub(crate) fn find_manifest(directory: &Path) -> Result<&'static str, OpsError> {
    let unreadable =
        |source| OpsError::File(FileError::Unreadable { path: directory.to_owned(), source });
    match fs::read_dir(directory) {
        Ok(_) => {}
        Err(error) if is_no_directory(&error) => {
            return Err(OpsError::NotADirectory { path: directory.to_owned() });
        }
        Err(source) => return Err(unreadable(source)),
    }
    let mut found = Vec::new();
    for name in MANIFESTS {
        match fs::symlink_metadata(directory.join(name)) {
            Ok(_) => found.push(name),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(unreadable(source)),
        }
    }
    match found[..] {
        [one] => Ok(one),
        [] => Err(OpsError::NoManifest { directory: directory.to_owned() }),
        _ => Err(OpsError::AmbiguousManifest { directory: directory.to_owned(), found }),
    }
}

fn is_no_directory(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl BuildCheckReport {
    /// Takes over why files of a directory cannot be packed.
    pub(crate) fn take_refused(&mut self, directory: &Path, error: &ArchiveError) {
        let full = |one: FileProblem| FileProblem { file: directory.join(&one.file), ..one };
        self.problems.extend(error.problems().into_iter().map(full));
    }

    fn take_facet(&mut self, outcome: Outcome<FacetManifest>) -> Vec<NamedFile> {
        self.take(outcome, |facet| (facet.name.to_string(), facet.version.to_string()))
    }

    fn take_server(&mut self, bytes: &[u8]) -> Vec<NamedFile> {
        let outcome = parse_server(bytes);
        if let Some(server) = &outcome.manifest {
            self.problems.extend(refused_variables(&self.manifest, bytes, server));
        }
        self.take(outcome, |server| (server.name.to_string(), server.version.to_string()))
    }

    /// Takes over what the manifest's own check gave, and gives back the files it names.
    fn take<T>(
        &mut self,
        outcome: Outcome<T>,
        identity: impl FnOnce(&T) -> (String, String),
    ) -> Vec<NamedFile> {
        let file = self.manifest.clone();
        let with_file = |problem: Problem| problem.in_file(file.clone());
        self.problems.extend(outcome.problems.into_iter().map(with_file));
        self.warnings.extend(outcome.warnings.into_iter().map(with_file));
        self.identity = outcome.manifest.as_ref().map(identity);
        outcome.files
    }
}

/// A problem is a negative verdict; a file that cannot be read is no verdict at all.
fn check_file(root: &Path, file: &NamedFile) -> Result<Option<FileProblem>, OpsError> {
    let full = root.join(&file.path);
    let refuse = |code, found: &str, allowed: &str, fix: &str| {
        let fix = format!("{fix} (the manifest names it at {})", file.position);
        Ok(Some(FileProblem::of_file(full.clone(), code, &file.member, [found, allowed, &fix])))
    };
    let metadata = match walk(root, &file.path) {
        Ok(metadata) => metadata,
        Err(Obstacle::Symlink(link)) => return Ok(Some(symlink_problem(full, &link))),
        Err(Obstacle::Missing) => {
            let fix = "create it, or remove it from the manifest";
            return refuse("file-missing", "missing", "a file that the manifest names", fix);
        }
        Err(Obstacle::Unreadable(source)) => {
            return Err(OpsError::File(FileError::Unreadable { path: full, source }));
        }
    };
    if !metadata.is_file() {
        let found = "not a regular file";
        return refuse("file-not-regular", found, "a regular file", "replace it with a file");
    }
    let limit = if file.role == FileRole::Primary { MAX_PRIMARY } else { MAX_FILE };
    if metadata.len() > limit {
        let found = format!("{} bytes", metadata.len());
        let allowed = format!("at most {limit} bytes");
        return refuse("file-too-large", &found, &allowed, "make it smaller");
    }
    match file.role {
        FileRole::Primary => check_primary(&full, &file.member),
        FileRole::Companion => match File::open(&full) {
            Ok(_) => Ok(None),
            Err(source) => Err(OpsError::File(FileError::Unreadable { path: full, source })),
        },
    }
}

fn symlink_problem(file: PathBuf, link: &Path) -> FileProblem {
    let found = format!("a symbolic link at {}", link.display());
    let fix = format!("replace {} with the file that it points to", link.display());
    FileProblem::of_file(file, "file-symlink", "", [&found, "the file itself", &fix])
}

enum Obstacle {
    Missing,
    Symlink(PathBuf),
    Unreadable(io::Error),
}

/// Looks at every step of the way, so that no link leads out of the directory.
fn walk(root: &Path, path: &str) -> Result<Metadata, Obstacle> {
    let mut at = root.to_owned();
    let mut last = None;
    for segment in path.split('/') {
        at.push(segment);
        let metadata = match fs::symlink_metadata(&at) {
            Ok(metadata) => metadata,
            Err(error) if is_no_directory(&error) => return Err(Obstacle::Missing),
            Err(error) => return Err(Obstacle::Unreadable(error)),
        };
        if metadata.is_symlink() {
            return Err(Obstacle::Symlink(at));
        }
        last = Some(metadata);
    }
    last.ok_or(Obstacle::Missing)
}

fn check_primary(full: &Path, member: &str) -> Result<Option<FileProblem>, OpsError> {
    let refuse = |code, details| Some(FileProblem::of_file(full.to_owned(), code, member, details));
    let bytes = read_regular(full, MAX_PRIMARY)?;
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        let details = ["a byte order mark", "UTF-8 without it", "save the file without it"];
        return Ok(refuse("file-byte-order-mark", details));
    }
    Ok(match std::str::from_utf8(&bytes) {
        Err(error) => {
            let found = format!("invalid UTF-8 at byte {}", error.valid_up_to());
            let mut problem = refuse("file-not-utf8", [&found, "UTF-8", "save the file as UTF-8"]);
            if let Some(problem) = &mut problem {
                let Position { line, column, .. } = Position::of(&bytes, error.valid_up_to());
                problem.place = Some(LineColumn { line, column });
            }
            problem
        }
        Ok(text) if text.trim().is_empty() => refuse(
            "file-empty",
            ["empty", "text for the assistant", "write it, or remove it from the manifest"],
        ),
        Ok(_) => None,
    })
}
