//! What the source of a server can reach (spec 6.5), read in a sandbox.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use facets_digest::Progress;
use facets_files::{FileError, read_regular};
use facets_launch::Launcher;
use facets_model::manifest::{ServerManifest, parse_server};
use facets_scan::{Analysis, Analyst, Report, ScanLimits, Start};
use facets_surface::Source;

use crate::disk::Disk;
use crate::scan_error::ScanError;
use crate::scanners::Scanners;

const MAX_MANIFEST: u64 = 1 << 20;
const MAX_CONTRACT: usize = 64 << 10;
/// A file of the size that is allowed takes a few seconds at the most.
const PER_FILE: Duration = Duration::from_secs(20);

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

impl ScanReport {
    /// What of it belongs to a surface.
    #[must_use]
    pub fn into_source(self) -> Source {
        Source { contract: self.contract, entitlements: Some(self.report.entitlements) }
    }
}

/// Scans a directory or a file, in a sandbox, and reads nothing more after this time.
pub fn scan_directory(
    launcher: &Launcher,
    request: &ScanRequest,
    in_all: Duration,
    progress: &dyn Progress,
) -> Result<ScanReport, ScanError> {
    let path = &request.path;
    let unreadable = |source| ScanError::File(FileError::Unreadable { path: path.clone(), source });
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
    let mut scanners = Scanners::new(launcher, PER_FILE, in_all);
    let report = scan_in_sandbox(&start, &mut scanners, progress);
    if let Some(error) = scanners.failure() {
        return Err(ScanError::Launch(error));
    }
    let contract = manifest.and_then(|manifest| manifest.contract);
    Ok(ScanReport { shown: path.clone(), root, report, contract })
}

fn scan_in_sandbox(start: &Start, scanners: &mut Scanners<'_>, progress: &dyn Progress) -> Report {
    let mut watched = WithProgress { analyst: scanners, progress };
    facets_scan::scan(start, &Disk, &mut watched, ScanLimits::default())
}

/// The `server.yaml` of a directory, if it has one.
fn server_manifest(folder: &Path) -> Result<Option<ServerManifest>, ScanError> {
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
            Err(ScanError::File(FileError::TooLarge { path, limit: MAX_CONTRACT as u64 }))
        }
        Some(manifest) if outcome.problems.is_empty() => Ok(Some(manifest)),
        _ => Err(ScanError::Manifest { path, problems: outcome.problems.len() }),
    }
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
