//! A surface as a file and as a report.

use std::path::{Path, PathBuf};

use facets_drift::{FirstLook, first_look};
use facets_mcp::Conduct;
use facets_surface::{Surface, SurfaceHashes, parse_surface_file, write_surface_file};

use crate::error::OpsError;
use crate::input::read_regular;
use crate::source_scan::ScanReport;
use crate::surface_warnings::{SurfaceWarning, shorten, warnings};

/// A surface file is as large as 64 MiB of definitions, indented.
const MAX_SURFACE_FILE: u64 = 256 << 20;

/// Everything there is to say about a surface.
#[derive(Debug)]
pub struct InspectReport {
    /// What the server declares.
    pub surface: Surface,
    /// Its identity.
    pub hashes: SurfaceHashes,
    /// Its tools and what is suspicious in its texts.
    pub look: FirstLook,
    /// What a reader should look at twice.
    pub warnings: Vec<SurfaceWarning>,
    /// Where the surface file was written.
    pub saved: Option<PathBuf>,
    /// What its source shows, where it was looked at.
    pub scan: Option<ScanReport>,
}

/// The surface file, if it can be read again.
pub(crate) fn surface_text(surface: &Surface, path: &Path) -> Result<String, OpsError> {
    let text = write_surface_file(surface);
    if text.len() as u64 > MAX_SURFACE_FILE || parse_surface_file(text.as_bytes()).is_err() {
        return Err(OpsError::SurfaceTooLarge { path: path.to_owned(), limit: MAX_SURFACE_FILE });
    }
    Ok(text)
}

pub(crate) fn report(
    surface: Surface,
    conduct: Option<&Conduct>,
    saved: Option<PathBuf>,
) -> InspectReport {
    let hashes = surface.hashes();
    let look = first_look(&surface);
    let names = look.names.iter().map(|finding| SurfaceWarning {
        message: format!("{} [{}]", finding.sentence, finding.kind.name()),
        subject: finding.subject.clone(),
    });
    let warnings = shorten(names.chain(warnings(&surface, conduct)).collect());
    InspectReport { surface, hashes, look, warnings, saved, scan: None }
}

pub(crate) fn read_surface(path: &Path) -> Result<Surface, OpsError> {
    let bytes = read_regular(path, MAX_SURFACE_FILE)?;
    let path = path.to_owned();
    parse_surface_file(&bytes).map_err(|source| OpsError::SurfaceFile { path, source })
}
