//! npm: its configuration as npm itself reads it, and the documents of its registries.
//!
//! Departures from npm, each the stricter way: certificates are always checked, a registry whose
//! address cannot be read stops the command instead of giving way to the public one, an
//! authorization goes to the place it is written for and nowhere else on that host, and the
//! configuration of a workspace is looked for in the workspace alone, not in its root.

mod authorizations;
mod config;
mod document;
mod levels;
mod npmrc;
mod transport;

pub use config::NpmConfig;
pub use document::{packument_url, parse_packument, parse_version, version_url};
