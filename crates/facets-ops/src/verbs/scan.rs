//! `facet scan`: what the source of a server can reach.

pub use crate::source_scan::{ScanReport, ScanRequest, scan};
