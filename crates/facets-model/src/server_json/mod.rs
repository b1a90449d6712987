//! `server.json` of the MCP registry: which files it names, and everything that is wrong with it.
//!
//! [`ServerJson::parse`] reads what hashing needs from every layout that was ever published;
//! [`check`] compares a text with the rules of the current one; [`identifiers`] names the files of
//! each package, and [`one_spelling`] gives the same file the same identifier.

mod address;
mod arguments;
mod checking;
mod document;
mod identifiers;
mod layout;
mod names;
mod package_rules;
mod packages;
mod placeholder;
mod problem;
mod repository;
mod rules;
mod spelling;
mod stated;
mod transports;
mod unread;
mod values;
mod version_text;

pub use checking::check;
pub use document::{DeclaredPackage, HashPlace, PackageHash, ServerJson, StatedFileHash};
pub use identifiers::{PackageFiles, identifiers};
pub use names::{CURRENT_SCHEMA, FILE_HASHES, PROVIDED_HASHES, PUBLISHER_PROVIDED};
pub use placeholder::{placeholder_in, template_in};
pub use problem::{CODES, ProblemSeverity, ServerJsonProblem};
pub use spelling::{normalized_image_host, normalized_project, one_spelling};

/// What the codes of this module mean.
pub const EXPLANATIONS: &str = include_str!("../../server-json-codes.md");

#[cfg(test)]
mod tests;
