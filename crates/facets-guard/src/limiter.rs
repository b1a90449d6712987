//! How often a server may say that its lists have changed.

use core::time::Duration;

/// This many at once.
const BURST: u32 = 20;
/// And then one in this time.
const PACE: Duration = Duration::from_millis(500);

/// Lets some through, and remembers the last that it held back.
#[derive(Clone, Debug)]
pub(crate) struct Limiter {
    left: u32,
    since: Duration,
    owed: Option<Vec<u8>>,
}

impl Default for Limiter {
    fn default() -> Self {
        Self { left: BURST, since: Duration::ZERO, owed: None }
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

    /// Whether this one may pass; if not it is kept, because the last one must arrive.
    pub(crate) fn allows(&mut self, message: &[u8], now: Duration) -> bool {
        self.refill(now);
        if self.left == 0 {
            self.owed = Some(message.to_vec());
            return false;
        }
        self.left -= 1;
        self.owed = None;
        true
    }

    /// The one that was held back, when its time has come.
    pub(crate) fn due(&mut self, now: Duration) -> Option<Vec<u8>> {
        self.refill(now);
        if self.left == 0 {
            return None;
        }
        let owed = self.owed.take()?;
        self.left -= 1;
        Some(owed)
    }

    /// When to ask again.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.owed.as_ref().map(|_| self.since + PACE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_passes_slowly_and_its_last_word_arrives() {
        let mut limiter = Limiter::default();
        let now = Duration::from_secs(100);
        let passed = (0..1000).filter(|n: &u32| limiter.allows(&n.to_le_bytes(), now)).count();
        assert_eq!(passed, 20);
        assert_eq!(limiter.due(now), None);
        let later = limiter.deadline().expect("one is owed");
        assert_eq!(limiter.due(later), Some(999_u32.to_le_bytes().to_vec()));
        assert_eq!(limiter.deadline(), None);
    }
}
