//! `facet build --check`: is the manifest in order, and are its files there?

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use facets_digest::json::Position;
use facets_model::manifest::{FacetManifest, Outcome, ServerManifest, parse_facet, parse_server};
use facets_model::tree::{Format, MANIFEST_LIMITS};

use crate::{FileProblem, Input, OpsError};

/// spec 4.5: the largest file of an archive.
const MAX_FILE: u64 = 512 << 20;
/// What an assistant reads as one text is never near this.
const MAX_PRIMARY: u64 = 16 << 20;

const MANIFESTS: [&str; 3] = ["facet.json", "facet.yaml", "server.yaml"];

/// Codes of problems with files; those of manifests are the model's.
pub const CODES: &[&str] = &[
    "file-byte-order-mark",
    "file-empty",
    "file-missing",
    "file-not-regular",
    "file-not-utf8",
    "file-symlink",
];

/// Which directory to check.
#[derive(Debug)]
pub struct BuildCheckRequest {
    /// The directory with the manifest.
    pub directory: PathBuf,
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

/// Checks the one manifest of a directory and the files that it names.
pub fn build_check(request: &BuildCheckRequest) -> Result<BuildCheckReport, OpsError> {
    let manifest = find_manifest(&request.directory)?;
    let path = request.directory.join(manifest);
    let bytes = Input::File(path.clone()).read(MANIFEST_LIMITS.bytes as u64)?;
    let mut report = BuildCheckReport {
        manifest: path,
        kind: if manifest == "server.yaml" { "server" } else { "facet" },
        identity: None,
        files: 1,
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    match manifest {
        "server.yaml" => check_server(parse_server(&bytes), &request.directory, &mut report),
        "facet.yaml" => {
            check_facet(parse_facet(&bytes, Format::Yaml), &request.directory, &mut report);
        }
        _ => check_facet(parse_facet(&bytes, Format::Json), &request.directory, &mut report),
    }
    Ok(report)
}

fn find_manifest(directory: &Path) -> Result<&'static str, OpsError> {
    if !directory.is_dir() {
        return Err(OpsError::NotADirectory { path: directory.to_owned() });
    }
    let there = |name: &&str| fs::symlink_metadata(directory.join(name)).is_ok();
    let found: Vec<_> = MANIFESTS.into_iter().filter(|name| there(name)).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(OpsError::NoManifest { directory: directory.to_owned() }),
        _ => Err(OpsError::AmbiguousManifest { directory: directory.to_owned(), found }),
    }
}

impl BuildCheckReport {
    /// Takes over what the manifest's own check gave.
    fn take<T>(&mut self, outcome: Outcome<T>) -> Option<T> {
        let file = self.manifest.clone();
        let with_file = |problem| FileProblem::in_manifest(file.clone(), problem);
        self.problems.extend(outcome.problems.into_iter().map(with_file));
        self.warnings.extend(outcome.warnings.into_iter().map(with_file));
        outcome.manifest
    }

    fn look_at(&mut self, root: &Path, path: &str, kind: FileKind) {
        self.files += 1;
        self.problems.extend(check_file(root, path, kind));
    }
}

fn check_facet(outcome: Outcome<FacetManifest>, root: &Path, report: &mut BuildCheckReport) {
    let Some(manifest) = report.take(outcome) else {
        return;
    };
    report.identity = Some((manifest.name.to_string(), manifest.version.to_string()));
    for path in manifest.primaries() {
        report.look_at(root, &path, FileKind::Primary);
    }
    for path in manifest.companions() {
        report.look_at(root, &path, FileKind::Companion);
    }
}

fn check_server(outcome: Outcome<ServerManifest>, root: &Path, report: &mut BuildCheckReport) {
    let Some(manifest) = report.take(outcome) else {
        return;
    };
    report.identity = Some((manifest.name.to_string(), manifest.version.to_string()));
    report.look_at(root, manifest.entry.as_str(), FileKind::Companion);
}

/// What is expected of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileKind {
    /// Text that an assistant reads.
    Primary,
    /// Any bytes.
    Companion,
}

fn check_file(root: &Path, path: &str, kind: FileKind) -> Option<FileProblem> {
    let full = root.join(path);
    let refuse = |code, found: &str, allowed: &str, fix: String| {
        Some(FileProblem::of_file(full.clone(), code, found, allowed, fix))
    };
    let metadata = match walk(root, path) {
        Ok(metadata) => metadata,
        Err(Obstacle::Symlink(link)) => {
            let found = format!("a symbolic link at {}", link.display());
            return refuse(
                "file-symlink",
                &found,
                "the file itself",
                format!("replace {} by what it points to", link.display()),
            );
        }
        Err(Obstacle::Missing) => {
            return refuse(
                "file-missing",
                "nothing",
                "a file that the manifest names",
                format!("create {}, or remove it from the manifest", full.display()),
            );
        }
        Err(Obstacle::Unreadable(error)) => {
            return refuse(
                "file-unreadable",
                &error,
                "a readable file",
                "check its permissions".to_owned(),
            );
        }
    };
    if !metadata.is_file() {
        return refuse(
            "file-not-regular",
            "something that is not a file",
            "a regular file",
            "replace it by a file".to_owned(),
        );
    }
    let limit = if kind == FileKind::Primary { MAX_PRIMARY } else { MAX_FILE };
    if metadata.len() > limit {
        let found = format!("{} bytes", metadata.len());
        return refuse(
            "file-too-large",
            &found,
            &format!("at most {limit} bytes"),
            "make it smaller".to_owned(),
        );
    }
    if kind == FileKind::Primary { check_primary(&full) } else { None }
}

enum Obstacle {
    Missing,
    Symlink(PathBuf),
    Unreadable(String),
}

/// Looks at every step of the way, so that no link leads out of the directory.
fn walk(root: &Path, path: &str) -> Result<Metadata, Obstacle> {
    let mut at = root.to_owned();
    let mut last = None;
    for segment in path.split('/') {
        at.push(segment);
        let metadata = fs::symlink_metadata(&at).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Obstacle::Missing,
            _ => Obstacle::Unreadable(error.to_string()),
        })?;
        if metadata.is_symlink() {
            return Err(Obstacle::Symlink(at));
        }
        last = Some(metadata);
    }
    last.ok_or(Obstacle::Missing)
}

fn check_primary(full: &Path) -> Option<FileProblem> {
    let refuse = |code, found: &str, allowed: &str, fix: &str| {
        Some(FileProblem::of_file(full.to_owned(), code, found, allowed, fix.to_owned()))
    };
    let bytes = match Input::File(full.to_owned()).read(MAX_PRIMARY) {
        Ok(bytes) => bytes,
        Err(error) => {
            return refuse(
                "file-unreadable",
                &error.to_string(),
                "a readable file",
                "check its permissions",
            );
        }
    };
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        return refuse(
            "file-byte-order-mark",
            "a byte order mark at the beginning",
            "UTF-8 without it",
            "save the file without it",
        );
    }
    match std::str::from_utf8(&bytes) {
        Err(error) => {
            let found = format!("invalid UTF-8 at byte {}", error.valid_up_to());
            let mut problem = refuse("file-not-utf8", &found, "UTF-8", "save the file as UTF-8");
            if let Some(problem) = &mut problem {
                problem.position = Some(Position::of(&bytes, error.valid_up_to()));
            }
            problem
        }
        Ok(text) if text.trim().is_empty() => {
            refuse("file-empty", "no text", "the text that an assistant reads", "write it")
        }
        Ok(_) => None,
    }
}
