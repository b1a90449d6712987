//! `facet scan`: what the source of a server can reach.

use facets_digest::Progress;

use crate::error::OpsError;
use crate::source_scan;

pub use crate::source_scan::{ScanReport, ScanRequest};

/// Scans a directory or a file. Where there is no source, nothing was judged (spec 6.5).
pub fn scan(request: &ScanRequest, progress: &dyn Progress) -> Result<ScanReport, OpsError> {
    let scanned = source_scan::scan(request, progress)?;
    if scanned.report.has_source {
        Ok(scanned)
    } else {
        Err(OpsError::NoSource { path: scanned.shown, is_folder: scanned.root.is_dir() })
    }
}
