//! How much is taken, and how long is waited.

use std::time::Duration;

/// How much is taken, and how long is waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of all files of one call together.
    pub total: u64,
    /// Bytes of a document of a registry.
    pub document: u64,
    /// Until the next bytes arrive.
    pub read: Duration,
    /// For one file or document, everything included.
    pub time: Duration,
    /// For everything that a fetcher does, from its first request on.
    pub total_time: Duration,
    /// Bytes in a second, on average, from the end of `read` on.
    pub rate: u64,
    /// How often something is tried again that may work the next time.
    pub retries: u32,
    /// Before the first of these; doubled each time.
    pub backoff: Duration,
    /// The longest `Retry-After` that is waited for.
    pub patience: Duration,
    /// How many redirects are followed.
    pub redirects: usize,
    /// How many files are fetched, and packages looked up, at once.
    pub parallel: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            file: 256 << 20,
            total: 4 << 30,
            document: 64 << 20,
            read: Duration::from_secs(30),
            time: Duration::from_mins(10),
            total_time: Duration::from_mins(30),
            rate: 256,
            retries: 4,
            backoff: Duration::from_millis(500),
            patience: Duration::from_mins(1),
            redirects: 5,
            parallel: 8,
        }
    }
}
