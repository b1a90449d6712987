//! The time of this machine. It is recorded and compared with deadlines; no order depends on it.

use std::time::{SystemTime, UNIX_EPOCH};

use facets_catalog::Moment;

/// Now.
pub(crate) fn now() -> Moment {
    moment_of(SystemTime::now())
}

/// The moment of a time that the system gives.
pub(crate) fn moment_of(time: SystemTime) -> Moment {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_milliseconds_since_1970() {
        assert_eq!(moment_of(UNIX_EPOCH + Duration::from_millis(1500)), Moment(1500));
        assert_eq!(moment_of(UNIX_EPOCH - Duration::from_secs(1)), Moment(0));
        assert!(now() > Moment(1_600_000_000_000));
    }
}
