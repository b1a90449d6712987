#![doc = include_str!("../README.md")]

mod observe;
mod scan_stage;
mod scanners;

pub use observe::{Observation, ObserveError, observe};
pub use scan_stage::SCAN_STAGE;
pub use scanners::Scanners;
