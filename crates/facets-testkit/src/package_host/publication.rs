//! When something was published.

/// The time of what does not say one.
pub(super) const PUBLISHED: &str = "2025-01-01T00:00:00.000Z";
