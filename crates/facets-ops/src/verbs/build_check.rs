//! `facet build --check`: is the manifest in order, and are its files there?

pub use crate::manifest_check::{BuildCheckReport, BuildCheckRequest, CODES, build_check};
