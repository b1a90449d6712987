//! What the source of a server can reach (spec 6.5), read in a sandbox.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use facets_digest::{NoProgress, Progress};
use facets_files::FileError;
use facets_launch::Launcher;
use facets_model::manifest::{ServerManifest, parse_server};
use facets_probe::{ObserveError, Scanners};
use facets_scan::{Analysis, Analyst, Files, FolderListing, Report, ScanLimits, Start};
use facets_surface::Source;

use crate::error::OpsError;
use crate::input::read_regular;

/// Larger files are not source that anybody wrote or bundled.
const MAX_SOURCE: u64 = 16 << 20;
const MAX_MANIFEST: u64 = 1 << 20;
const MAX_CONTRACT: usize = 64 << 10;
/// A file of the size that is allowed takes a few seconds at the most.
const PER_FILE: Duration = Duration::from_secs(20);
const IN_ALL: Duration = Duration::from_mins(5);
/// Files of a tree without a manifest.
const MAX_LISTED: usize = 50_000;

/// What to scan.
#[derive(Debug)]
pub struct ScanRequest {
    /// A directory, or one file.
    pub path: PathBuf,
}

/// What was found.
#[derive(Debug)]
pub struct ScanReport {
    /// What was scanned, as it was named.
    pub shown: PathBuf,
    /// What was scanned, as it really lies.
    pub root: PathBuf,
    /// Verdicts, and why.
    pub report: Report,
    /// The contract that a `server.yaml` declares, canonical.
    pub contract: Option<String>,
}

/// Scans a directory or a file, in a sandbox.
pub(crate) fn scan(request: &ScanRequest, progress: &dyn Progress) -> Result<ScanReport, OpsError> {
    let path = &request.path;
    let unreadable = |source| OpsError::File(FileError::Unreadable { path: path.clone(), source });
    let root = fs::canonicalize(path).map_err(unreadable)?;
    let Some(text) = root.to_str() else {
        return Err(unreadable(std::io::ErrorKind::InvalidFilename.into()));
    };
    let is_folder = root.is_dir();
    let manifest = if is_folder { server_manifest(&root)? } else { None };
    let start = match &manifest {
        _ if !is_folder => Start::Files(vec![text.to_owned()]),
        Some(manifest) => Start::Files(vec![format!("{text}/{}", manifest.entry)]),
        None => Start::Folder(text.to_owned()),
    };
    let report = scan_in_sandbox(&start, progress)?;
    let contract = manifest.and_then(|manifest| manifest.contract);
    Ok(ScanReport { shown: path.clone(), root, report, contract })
}

/// What the files of an artifact can reach, and what its manifest declares.
pub(crate) fn source_of(tree: &Path) -> Result<Source, OpsError> {
    let scanned = scan(&ScanRequest { path: tree.to_owned() }, &NoProgress)?;
    let entitlements = Some(scanned.report.entitlements);
    Ok(Source { contract: scanned.contract, entitlements })
}

fn scan_in_sandbox(start: &Start, progress: &dyn Progress) -> Result<Report, OpsError> {
    let launcher = Launcher::from_current_executable()
        .map_err(|source| OpsError::File(FileError::Unreadable { path: "facet".into(), source }))?;
    let mut scanners = Scanners::new(&launcher, PER_FILE, IN_ALL);
    let mut watched = WithProgress { analyst: &mut scanners, progress };
    let report = facets_scan::scan(start, &Disk, &mut watched, ScanLimits::default());
    match scanners.failure() {
        Some(error) => Err(OpsError::Observe(ObserveError::Launch(error))),
        None => Ok(report),
    }
}

/// The `server.yaml` of a directory, if it has one.
fn server_manifest(folder: &Path) -> Result<Option<ServerManifest>, OpsError> {
    let path = folder.join("server.yaml");
    if !path.exists() {
        return Ok(None);
    }
    let bytes = read_regular(&path, MAX_MANIFEST)?;
    let outcome = parse_server(&bytes);
    match outcome.manifest {
        // It stands in the contract of every tool.
        Some(manifest)
            if manifest.contract.as_ref().is_some_and(|text| text.len() > MAX_CONTRACT) =>
        {
            Err(OpsError::File(FileError::TooLarge { path, limit: MAX_CONTRACT as u64 }))
        }
        Some(manifest) if outcome.problems.is_empty() => Ok(Some(manifest)),
        _ => Err(OpsError::BadManifest { path, problems: outcome.problems.len() }),
    }
}

/// The disk as it is. Only regular files are read, and none that is too large.
struct Disk;

impl Files for Disk {
    fn is_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }

    fn real(&self, path: &str) -> String {
        let real = fs::canonicalize(path).ok().and_then(|real| real.to_str().map(str::to_owned));
        real.unwrap_or_else(|| path.to_owned())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read_regular(Path::new(path), MAX_SOURCE).map_err(|error| match error {
            OpsError::File(FileError::TooLarge { .. }) => {
                format!("is larger than {} MiB", MAX_SOURCE >> 20)
            }
            OpsError::File(FileError::Unreadable { source, .. }) => {
                format!("cannot be read: {source}")
            }
            other => other.to_string(),
        })
    }

    fn has_first_line(&self, path: &str) -> bool {
        let mut begins = [0; 2];
        let read = |mut file: fs::File| file.read_exact(&mut begins);
        self.is_file(path) && fs::File::open(path).and_then(read).is_ok() && begins == *b"#!"
    }

    fn list(&self, folder: &str) -> FolderListing {
        let mut listing = FolderListing::default();
        let mut folders = vec![PathBuf::from(folder)];
        let mut left = MAX_LISTED;
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder)
                .and_then(|all| all.take(left + 1).collect::<Result<Vec<_>, _>>());
            let count = entries.as_ref().map_or(0, Vec::len);
            match entries {
                Ok(entries) => {
                    for entry in entries {
                        list_entry(&entry, &mut folders, &mut listing);
                    }
                }
                Err(error) => leave_out(&folder, format!("cannot be read: {error}"), &mut listing),
            }
            if count > left {
                leave_out(
                    &folder,
                    format!("was not read: more than {MAX_LISTED} files"),
                    &mut listing,
                );
                break;
            }
            left -= count;
        }
        listing.files.sort();
        listing
    }
}

fn list_entry(entry: &fs::DirEntry, folders: &mut Vec<PathBuf>, listing: &mut FolderListing) {
    let path = entry.path();
    let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
    match (fs::metadata(&path), path.to_str()) {
        _ if entry.file_name() == "node_modules" => {}
        (Ok(found), _) if found.is_dir() && is_link => {
            leave_out(&path, "is a link to a directory".to_owned(), listing);
        }
        (Ok(found), _) if found.is_dir() => folders.push(path),
        (Ok(found), Some(text)) if found.is_file() => listing.files.push(text.to_owned()),
        (Ok(found), None) if found.is_file() => {
            leave_out(&path, "has a name that is not UTF-8".to_owned(), listing);
        }
        // Nothing else can be started, nor can a link that leads nowhere.
        _ => {}
    }
}

fn leave_out(path: &Path, reason: String, listing: &mut FolderListing) {
    listing.unread.push((path.to_string_lossy().into_owned(), reason));
}

/// Tells how far it is.
struct WithProgress<'w, 'l> {
    analyst: &'w mut Scanners<'l>,
    progress: &'w dyn Progress,
}

impl Analyst for WithProgress<'_, '_> {
    fn analyse(&mut self, files: Vec<(String, Vec<u8>)>) -> Vec<Result<Analysis, String>> {
        let bytes = files.iter().map(|(_, source)| source.len() as u64).sum();
        let answers = self.analyst.analyse(files);
        self.progress.advance(bytes);
        answers
    }
}
