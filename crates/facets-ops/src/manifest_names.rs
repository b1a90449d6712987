//! The manifests that an author writes.

/// What a directory with a manifest has.
pub(crate) const MANIFESTS: [&str; 3] = ["facet.json", "facet.yaml", "server.yaml"];
