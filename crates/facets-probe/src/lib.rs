#![doc = include_str!("../README.md")]

mod error;
mod observe;
mod scan_stage;
mod scanners;

pub use error::ObserveError;
pub use observe::{Observation, observe};
pub use scan_stage::SCAN_STAGE;
pub use scanners::Scanners;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
