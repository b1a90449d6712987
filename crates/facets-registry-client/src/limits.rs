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
