//! How much is taken from a registry, and how long is waited for it.

use std::time::Duration;

/// The variable with which a user waits longer or shorter for registries, in seconds.
pub const TIMEOUT_VARIABLE: &str = "FACET_REGISTRY_TIMEOUT";

/// How much is taken from a registry, and how long is waited for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryClientLimits {
    /// Bytes of an answer that is a document.
    pub document: u64,
    /// Bytes of a surface file.
    pub surface: u64,
    /// To look a name up, and again to connect.
    pub connect: Duration,
    /// Until the next bytes of an answer to a read arrive.
    pub read: Duration,
    /// The same for an answer to a change: a registry waits for a while before it answers that a version is queued.
    pub decision: Duration,
    /// For the body of an answer that is a document; longer only for one that is long, and comes at
    /// [`Self::slowest`].
    pub answer: Duration,
    /// The bytes of such a body that are expected each second.
    pub slowest: u64,
    /// The bytes of an archive that are expected each second, on average: what comes slowly and does not stop is
    /// waited for.
    pub slowest_archive: u64,
    /// For one request that changes something, and for the body of one document, however long it is.
    pub time: Duration,
    /// How often a question is asked again that may be answered the next time.
    pub retries: u32,
    /// Before the first of these; doubled each time.
    pub backoff: Duration,
    /// The longest `Retry-After` that is waited for.
    pub patience: Duration,
    /// How many redirects are followed.
    pub redirects: usize,
    /// Before the first question whether a version is published by now.
    pub first_poll: Duration,
    /// The longest pause between two such questions.
    pub longest_poll: Duration,
    /// How long is asked in all.
    pub publication: Duration,
}

impl Default for RegistryClientLimits {
    fn default() -> Self {
        Self {
            document: 16 << 20,
            surface: 256 << 20,
            connect: Duration::from_secs(10),
            read: Duration::from_secs(20),
            decision: Duration::from_mins(1),
            answer: Duration::from_secs(30),
            slowest: 64 << 10,
            slowest_archive: 256,
            time: Duration::from_mins(10),
            retries: 3,
            backoff: Duration::from_millis(500),
            patience: Duration::from_secs(30),
            redirects: 3,
            first_poll: Duration::from_millis(250),
            longest_poll: Duration::from_secs(5),
            publication: Duration::from_mins(15),
        }
    }
}

impl RegistryClientLimits {
    /// The same, with another time to wait for a connection and for the next bytes.
    #[must_use]
    pub fn waiting(self, seconds: Duration) -> Self {
        Self {
            connect: seconds,
            read: seconds,
            decision: self.decision.max(seconds),
            answer: self.answer.max(seconds),
            time: self.time.max(seconds),
            ..self
        }
    }

    /// How long the body of a document may take until it has so many bytes.
    pub(crate) fn permitted(&self, bytes: u64) -> Duration {
        (self.answer + at_rate(bytes, self.slowest)).min(self.time)
    }

    /// How long an archive may take until it has so many bytes.
    pub(crate) fn permitted_archive(&self, bytes: u64) -> Duration {
        self.read + at_rate(bytes, self.slowest_archive)
    }
}

/// How long so many bytes take.
fn at_rate(bytes: u64, rate: u64) -> Duration {
    Duration::from_secs(bytes / rate.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_document_may_take_longer_than_a_slow_one() {
        let limits = RegistryClientLimits::default();
        assert_eq!(limits.permitted(60), limits.answer);
        assert_eq!(limits.permitted(64 << 20), limits.time);
        assert!(limits.permitted(1 << 20) > limits.answer);
        assert!(limits.permitted(1 << 20) < limits.time);
    }

    #[test]
    fn an_archive_may_take_as_long_as_its_bytes_keep_coming() {
        let limits = RegistryClientLimits::default();
        assert_eq!(limits.permitted_archive(255), limits.read);
        assert!(limits.permitted_archive(5 << 20) > Duration::from_hours(1));
    }

    #[test]
    fn a_user_who_waits_longer_waits_longer_everywhere() {
        let limits = RegistryClientLimits::default().waiting(Duration::from_secs(90));
        let all = [limits.connect, limits.read, limits.decision, limits.answer];
        assert!(all.iter().all(|one| *one == Duration::from_secs(90)), "{all:?}");
        let short = RegistryClientLimits::default().waiting(Duration::from_secs(1));
        assert_eq!(short.decision, RegistryClientLimits::default().decision);
    }
}
