//! The file of a package.

use facets_digest::Digest;

/// The file of a package, as facet fetched it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageFile {
    /// The SHA-256 of its bytes.
    pub sha256: Digest,
    /// How many they are.
    pub size: u64,
}
