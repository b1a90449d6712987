//! How often a server may say that its lists have changed.

use core::time::Duration;

/// This many at once.
const BURST: u32 = 20;
/// And then one in this time.
const PACE: Duration = Duration::from_millis(500);

/// Lets some through, and remembers that it held one back.
#[derive(Clone, Debug)]
pub(crate) struct Limiter {
    left: u32,
    since: Duration,
    is_owed: bool,
}

impl Default for Limiter {
    fn default() -> Self {
        Self { left: BURST, since: Duration::ZERO, is_owed: false }
    }
}

impl Limiter {
    fn refill(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.since).as_millis() / PACE.as_millis();
        let passed = u32::try_from(passed).unwrap_or(u32::MAX);
        if passed > 0 {
            self.left = self.left.saturating_add(passed).min(BURST);
            self.since = now;
        }
    }

    /// Whether this one may pass; if not, one is owed, because the last one must arrive.
    pub(crate) fn allows(&mut self, now: Duration) -> bool {
        self.refill(now);
        self.is_owed = self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.is_owed
    }

    /// Whether the time has come for one that is owed.
    pub(crate) fn is_due(&mut self, now: Duration) -> bool {
        self.refill(now);
        if self.left == 0 || !self.is_owed {
            return false;
        }
        self.is_owed = false;
        self.left -= 1;
        true
    }

    /// When to ask again.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.is_owed.then(|| self.since + PACE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_passes_slowly_and_its_last_word_arrives() {
        let mut limiter = Limiter::default();
        let now = Duration::from_secs(100);
        let passed = (0..1000).filter(|_| limiter.allows(now)).count();
        assert_eq!(passed, 20);
        assert!(!limiter.is_due(now));
        let later = limiter.deadline().expect("one is owed");
        assert!(limiter.is_due(later));
        assert!(!limiter.is_due(later + PACE));
        assert_eq!(limiter.deadline(), None);
    }

    #[test]
    fn time_adds_up_however_often_it_is_asked() {
        let mut limiter = Limiter::default();
        let start = Duration::from_secs(100);
        let passed = (0..200).filter(|n| limiter.allows(start + PACE * *n / 10)).count();
        assert_eq!(passed, 20 + 19);
    }
}
