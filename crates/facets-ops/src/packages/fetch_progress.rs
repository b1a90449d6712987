//! How much of all packages was fetched.

use std::sync::atomic::{AtomicU64, Ordering};

use facets_fetch::FetchProgress;

use crate::start_progress::{StartProgress, StartStep};

/// Bytes between two reports: more of them could not be read.
const STEP: u64 = 500_000;

/// Shows how much of all packages was fetched.
pub(crate) struct PackageFetch<'f> {
    shown: &'f str,
    progress: &'f dyn StartProgress,
    received: AtomicU64,
    total: AtomicU64,
}

impl<'f> PackageFetch<'f> {
    pub(crate) fn new(shown: &'f str, progress: &'f dyn StartProgress) -> Self {
        let (received, total) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { shown, progress, received, total }
    }

    fn report(&self) {
        let received = self.received.load(Ordering::Relaxed);
        let total = self.total.load(Ordering::Relaxed);
        self.progress.on_step(self.shown, StartStep::Fetching { received, total });
    }
}

impl FetchProgress for PackageFetch<'_> {
    fn on_size(&self, _: usize, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    fn advance(&self, _: usize, bytes: u64) {
        let before = self.received.fetch_add(bytes, Ordering::Relaxed);
        if before / STEP != before.saturating_add(bytes) / STEP {
            self.report();
        }
    }
}
