#![doc = include_str!("../README.md")]

mod directory_scan;
mod disk;
mod error;
mod for_all_clients;
mod observe;
mod scan_error;
mod scan_stage;
mod scanners;
mod watched;

pub use directory_scan::{ScanReport, ScanRequest, scan_directory};
pub use error::ObserveError;
pub use for_all_clients::{LookOrder, LookProgress, Observed, observe_for_all_clients};
pub use observe::{Observation, observe};
pub use scan_error::ScanError;
pub use scan_stage::SCAN_STAGE;
pub use scanners::Scanners;
pub use watched::{ObserveProgress, ObserveStep};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
