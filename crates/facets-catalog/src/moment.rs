//! When something happened.

use std::time::Duration;

/// Milliseconds since 1970, as the caller's clock has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

impl Moment {
    /// So much later.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(milliseconds(duration)))
    }

    /// So much earlier.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(milliseconds(duration)))
    }
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_move_by_durations_and_never_overflow() {
        let second = Duration::from_secs(1);
        assert_eq!(Moment(5).plus(second), Moment(1005));
        assert_eq!(Moment(5).minus(second), Moment(-995));
        assert_eq!(Moment(i64::MAX).plus(second), Moment(i64::MAX));
        assert_eq!(Moment(i64::MIN).minus(Duration::MAX), Moment(i64::MIN));
    }
}
