//! npm: its configuration as npm itself reads it, and the documents of its registries.
//!
//! Asked is what npm asks: the document of all versions of a package. That of one version may say something
//! else, and npm does not read it.
//!
//! Departures from npm, each the stricter way: certificates are always checked, a registry whose
//! address cannot be read stops the command instead of giving way to the public one, an
//! authorization goes to the place it is written for and nowhere else on that host, one setting in two
//! variables with different values is refused instead of taken from the last one, and so are patterns of
//! `workspaces` that only npm can read.

mod authorizations;
mod config;
mod document;
mod levels;
mod npmrc;
mod replaced_host;
mod transport;
mod workspace;

pub use config::NpmConfig;
pub use document::{packument_url, parse_packument, tarball_name, usual_tarball_url};

/// The header `Accept` of a request for the versions of a package: the short form first, as npm asks.
pub const ACCEPT: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

/// The same for a registry that does not know the short form, which it says by not finding the package.
pub const ACCEPT_COMPLETE: &str = "application/json";
