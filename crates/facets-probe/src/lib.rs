#![doc = include_str!("../README.md")]

mod error;
mod observe;
mod scan_stage;
mod scanners;
mod watched;

pub use error::ObserveError;
pub use observe::{Observation, observe};
pub use scan_stage::SCAN_STAGE;
pub use scanners::Scanners;
pub use watched::{ObserveProgress, ObserveStep};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
