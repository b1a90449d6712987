//! What check, collection and backup share.

use facets_digest::Digest;

/// Hears how long work gets on.
pub trait UpkeepProgress: Send + Sync {
    /// A blob was looked at.
    fn on_blob(&self, _digest: &Digest, _bytes: u64) {}
}

/// Shows nothing.
pub struct NoUpkeepProgress;

impl UpkeepProgress for NoUpkeepProgress {}

/// Items of one page of the catalog.
pub(crate) const PAGE: u32 = 500;
