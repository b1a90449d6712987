//! Manifests of facets, servers and projects, and everything that can be wrong with them.

pub mod check;
mod contract;
mod declared_server;
mod facet;
mod problem;
mod project;
mod server;
mod words;

use facets_digest::json::Position;

pub use declared_server::{DeclaredServer, parse_declared_server, parse_declared_servers};
pub use facet::{Asset, Composition, FacetManifest, Skill, parse_facet};
pub use problem::Problem;
pub use project::{
    ASSET_CLIENTS, FacetSource, Materialization, Override, ProjectFacet, ProjectManifest,
    VersionSpec, parse_project,
};
pub use server::{ServerManifest, Variable, parse_server};

/// Every code that a [`Problem`] of this crate can have, beside those of the JSON reader, and the
/// one of a manifest that has any.
pub const CODES: &[&str] = &[
    "manifest-bad-image",
    "manifest-bad-name",
    "manifest-bad-path",
    "manifest-bad-runtime",
    "manifest-bad-source",
    "manifest-bad-url",
    "manifest-bad-value",
    "manifest-bad-version",
    "manifest-duplicate-member",
    "manifest-empty",
    "manifest-has-problems",
    "manifest-missing-member",
    "manifest-name-collision",
    "manifest-path-collision",
    "manifest-path-too-long",
    "manifest-terminal-server",
    "manifest-unknown-member",
    "manifest-wrong-type",
    "yaml-alias",
    "yaml-anchor",
    "yaml-control-character",
    "yaml-directive",
    "yaml-key-not-string",
    "yaml-merge",
    "yaml-number-out-of-range",
    "yaml-several-documents",
    "yaml-syntax",
    "yaml-tag",
    "yaml-too-deep",
    "yaml-too-many-values",
];

/// What reading a manifest gave.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// The manifest; there is one exactly if there are no problems.
    pub manifest: Option<T>,
    /// Everything that is wrong, in the order of the file.
    pub problems: Vec<Problem>,
    /// What is allowed, but probably not meant.
    pub warnings: Vec<Problem>,
    /// The files that the manifest names, also if there are problems.
    pub files: Vec<NamedFile>,
}

impl<T> Outcome<T> {
    fn unreadable(problem: Problem) -> Self {
        Self { manifest: None, problems: vec![problem], warnings: Vec::new(), files: Vec::new() }
    }
}

/// What is expected of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// Text that an assistant reads.
    Primary,
    /// Any bytes.
    Companion,
}

/// A file that a manifest names, and the place that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Relative to the manifest.
    pub path: String,
    /// What is expected of it.
    pub role: FileRole,
    /// The member that names it.
    pub member: String,
    /// Where that stands.
    pub position: Position,
}
