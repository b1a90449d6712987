//! How fast an upload comes, measured in windows of time: bytes that came earlier do not excuse a client that sends
//! nothing now.

use std::time::Duration;

use tokio::time::Instant;

/// What an upload has to reach while another owner waits for its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UploadRate {
    /// 0 if no upload is too slow.
    pub(crate) bytes_per_second: u64,
    /// How long it is measured, and how long an upload that has just begun is not.
    pub(crate) window: Duration,
}

impl UploadRate {
    /// No upload is too slow.
    pub(crate) const NONE: Self = Self { bytes_per_second: 0, window: Duration::ZERO };
}

/// What an upload received in the window that runs, and in the one before.
#[derive(Clone, Debug)]
pub(crate) struct UploadPace {
    begin: Instant,
    bytes: u64,
    /// Bytes per second of the window before.
    before: Option<u64>,
}

impl UploadPace {
    /// The first window begins.
    pub(crate) fn new(now: Instant) -> Self {
        Self { begin: now, bytes: 0, before: None }
    }

    /// So many bytes came.
    pub(crate) fn add(&mut self, bytes: u64, window: Duration, now: Instant) {
        let passed = now.saturating_duration_since(self.begin);
        if passed >= window {
            *self = Self { begin: now, bytes: 0, before: Some(per_second(self.bytes, passed)) };
        }
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Bytes per second, if they are fewer than they should be. An upload in its first window is not judged.
    pub(crate) fn below(&self, least: UploadRate, now: Instant) -> Option<u64> {
        let passed = now.saturating_duration_since(self.begin);
        let is_whole = passed >= least.window;
        let rate = if is_whole { Some(per_second(self.bytes, passed)) } else { self.before };
        rate.filter(|rate| *rate < least.bytes_per_second)
    }
}

fn per_second(bytes: u64, passed: Duration) -> u64 {
    let millis = passed.as_millis().max(1);
    u64::try_from(u128::from(bytes) * 1000 / millis).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: UploadRate = UploadRate { bytes_per_second: 100, window: Duration::from_secs(5) };

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn an_upload_that_sends_nothing_is_slow_after_the_first_window() {
        let begin = Instant::now();
        let pace = UploadPace::new(begin);
        assert_eq!(pace.below(LEAST, begin + seconds(4)), None);
        assert_eq!(pace.below(LEAST, begin + seconds(5)), Some(0));
        assert_eq!(pace.below(UploadRate::NONE, begin + seconds(60)), None);
    }

    #[test]
    fn what_came_earlier_does_not_excuse_a_client_that_sends_nothing_now() {
        let begin = Instant::now();
        let mut pace = UploadPace::new(begin);
        pace.add(1_000_000, LEAST.window, begin + seconds(1));
        assert_eq!(pace.below(LEAST, begin + seconds(6)), None);
        pace.add(1, LEAST.window, begin + seconds(7));
        assert_eq!(pace.below(LEAST, begin + seconds(11)), None, "the window before was fast");
        assert_eq!(pace.below(LEAST, begin + seconds(12)), Some(0));
        pace.add(5000, LEAST.window, begin + seconds(12));
        assert_eq!(pace.below(LEAST, begin + seconds(13)), Some(0), "the window before was slow");
    }

    #[test]
    fn a_steady_upload_is_judged_by_its_rate() {
        for (bytes, slow) in [(99, true), (100, false), (101, false)] {
            let begin = Instant::now();
            let mut pace = UploadPace::new(begin);
            for second in 1..=60 {
                pace.add(bytes, LEAST.window, begin + seconds(second));
            }
            assert_eq!(pace.below(LEAST, begin + seconds(60)).is_some(), slow, "{bytes}");
        }
    }
}
