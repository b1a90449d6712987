//! How much is held.

use facets_digest::json::Limits;

/// Lines up to this are looked at as a whole.
pub(crate) const STREAM_FROM: usize = 64 << 10;
/// A list, or whatever else has to be seen whole, has at most this.
pub(crate) const MAX_HELD: usize = 16 << 20;

/// A batch and what it holds.
pub(crate) const BATCH: Limits = Limits { bytes: MAX_HELD, depth: 200, values: 4_000_000 };
/// A list or an opening: an envelope stands around definitions that may themselves be 128 deep.
pub(crate) const PAGE: Limits = Limits { bytes: MAX_HELD, depth: 136, values: 4_000_000 };
