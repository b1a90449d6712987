//! How much is taken from a registry, and how long is waited for it.

use std::time::Duration;

/// How much is taken from a registry, and how long is waited for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryClientLimits {
    /// Bytes of an answer that is a document.
    pub document: u64,
    /// Bytes of a surface file.
    pub surface: u64,
    /// Until the next bytes arrive.
    pub read: Duration,
    /// For the body of an answer that is a document; longer only for one that is long, and comes at
    /// [`Self::slowest`].
    pub answer: Duration,
    /// The bytes of such a body that are expected each second.
    pub slowest: u64,
    /// For one request, everything included.
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
            // A registry waits for a while before it answers that a version is queued.
            read: Duration::from_mins(1),
            answer: Duration::from_mins(1),
            slowest: 64 << 10,
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
    /// How long the body of a document may take until it has so many bytes.
    pub(crate) fn permitted(&self, bytes: u64) -> Duration {
        self.answer + Duration::from_secs(bytes / self.slowest.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_document_may_take_longer_than_a_slow_one() {
        let limits = RegistryClientLimits::default();
        assert_eq!(limits.permitted(60), limits.answer);
        assert!(limits.permitted(limits.surface) > limits.time);
    }
}
