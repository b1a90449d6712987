//! Whether bytes keep coming.

use std::time::{Duration, Instant};

use crate::limits::FetchLimits;

/// Whether bytes keep coming, fast enough and soon enough: one at a time would never be too late for a
/// limit between two of them.
pub(crate) struct Pace {
    begun: Instant,
    deadline: Instant,
    grace: Duration,
    rate: u64,
}

impl Pace {
    /// From now on.
    pub(crate) fn new(limits: &FetchLimits, deadline: Instant) -> Self {
        Self { begun: Instant::now(), deadline, grace: limits.read, rate: limits.rate }
    }

    /// Whether so many bytes are enough by now.
    pub(crate) fn is_kept(&self, received: u64) -> bool {
        self.is_kept_at(received, Instant::now())
    }

    /// Whether the time is over, however fast the bytes come.
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    fn is_kept_at(&self, received: u64, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.begun);
        let wanted = u128::from(self.rate) * elapsed.as_millis() / 1000;
        now < self.deadline && (elapsed <= self.grace || u128::from(received) >= wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drip_is_too_slow_and_a_stream_too_late() {
        let limits = FetchLimits {
            read: Duration::from_secs(2),
            rate: 100,
            time: Duration::from_secs(10),
            ..FetchLimits::default()
        };
        let begun = Instant::now();
        let deadline = begun + limits.time;
        let pace = Pace { begun, deadline, grace: limits.read, rate: limits.rate };
        let is_kept =
            |received, seconds| pace.is_kept_at(received, begun + Duration::from_secs(seconds));
        assert!(is_kept(1, 2));
        assert!(!is_kept(299, 3));
        assert!(is_kept(300, 3));
        assert!(is_kept(1_000_000, 9));
        assert!(!is_kept(1_000_000, 10));
    }
}
