//! The version of the closure file.

/// The version that is written, and the only one that is read.
pub(crate) const VERSION: &str = "1";
