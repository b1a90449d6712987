//! What becomes of commands that run a package, and how old packages have to be.

use std::time::{Duration, SystemTime};

use crate::audit::timestamp;

/// What becomes of commands that run a package, such as `npx -y PACKAGE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageCommands {
    /// The package is locked with everything that it depends on, unless the answer is no.
    Locked,
    /// They stay commands, which pin no bytes.
    AsTyped,
}

const DAY: u64 = 24 * 60 * 60;

/// The moment so many days ago, as npm and uv read it.
#[must_use]
pub fn days_ago(days: u64) -> String {
    let now = SystemTime::now();
    timestamp(now.checked_sub(Duration::from_secs(days.saturating_mul(DAY))).unwrap_or(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_days_ago_is_earlier() {
        assert!(days_ago(2) < days_ago(1));
        assert!(days_ago(u64::MAX).len() == days_ago(0).len());
    }
}
