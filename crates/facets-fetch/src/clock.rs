//! How long everything may take together.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::limits::FetchLimits;

/// When the first request of a fetcher was made; the same for all of its clients.
#[derive(Clone, Debug, Default)]
pub(crate) struct FetchClock(Arc<OnceLock<Instant>>);

impl FetchClock {
    /// When everything has to be here. The first call starts the clock.
    pub(crate) fn end(&self, limits: &FetchLimits) -> Instant {
        *self.0.get_or_init(Instant::now) + limits.total_time
    }

    /// Whether the time for everything is over.
    pub(crate) fn is_over(&self, limits: &FetchLimits) -> bool {
        Instant::now() >= self.end(limits)
    }
}
