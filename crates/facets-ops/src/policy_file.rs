//! Which policy was applied, and what is to be said about it.

use std::path::PathBuf;

use facets_digest::json::Position;

/// Where facet looks for a policy.
pub const POLICY: &str = "facets.policy.yaml";

/// The policy that was applied.
#[derive(Debug)]
pub struct AppliedPolicy {
    /// The file.
    pub file: PathBuf,
    /// How many entries it has.
    pub entries: usize,
    /// What somebody should know about it.
    pub notes: Vec<PolicyNote>,
}

impl AppliedPolicy {
    /// There is none, and that is worth a note.
    pub(crate) fn none() -> Self {
        Self { file: POLICY.into(), entries: 0, notes: Vec::new() }
    }
}

/// Something to know about a policy.
#[derive(Debug)]
pub struct PolicyNote {
    /// The entry; none for the file as a whole.
    pub position: Option<Position>,
    /// What about it.
    pub sentence: String,
}
