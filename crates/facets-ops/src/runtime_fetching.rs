//! How runtimes are fetched, and how far that has come.

use std::sync::atomic::{AtomicU64, Ordering};

use facets_fetch::{FetchLimits, FetchProgress, Fetcher, Machine, Reach};
use facets_runtime::ManagedRuntime;
use facets_store::Store;

use crate::start_progress::{StartProgress, StartStep};

/// Bytes between two reports: more of them could not be read.
const STEP: u64 = 500_000;

/// As the user's own npm would fetch. Its temporary files are large: they lie where the result will.
pub(crate) fn runtime_fetcher(machine: Machine, store: &Store) -> Fetcher {
    let fetcher = Fetcher::new(machine, Reach::AsUser, FetchLimits::default());
    fetcher.with_folder(store.path().to_owned())
}

/// Shows how much of a runtime was fetched, where a command starts servers.
pub(crate) struct RuntimeFetch<'f> {
    shown: String,
    progress: &'f dyn StartProgress,
    received: AtomicU64,
    total: AtomicU64,
}

impl<'f> RuntimeFetch<'f> {
    pub(crate) fn new(runtime: &ManagedRuntime, progress: &'f dyn StartProgress) -> Self {
        let total = runtime.binary().map_or(0, |binary| binary.package_size);
        let (received, total) = (AtomicU64::new(0), AtomicU64::new(total));
        Self { shown: runtime.to_string(), progress, received, total }
    }

    fn report(&self) {
        let received = self.received.load(Ordering::Relaxed);
        let total = self.total.load(Ordering::Relaxed);
        self.progress.on_step(&self.shown, StartStep::Fetching { received, total });
    }
}

impl FetchProgress for RuntimeFetch<'_> {
    fn on_size(&self, _: usize, bytes: u64) {
        self.total.store(bytes, Ordering::Relaxed);
        self.report();
    }

    fn advance(&self, _: usize, bytes: u64) {
        let before = self.received.fetch_add(bytes, Ordering::Relaxed);
        if before / STEP != before.saturating_add(bytes) / STEP {
            self.report();
        }
    }

    fn restart(&self, _: usize) {
        self.received.store(0, Ordering::Relaxed);
        self.report();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use facets_model::RuntimeName;
    use facets_runtime::current;

    use super::*;

    #[derive(Default)]
    struct Reported(Mutex<Vec<(String, StartStep)>>);

    impl StartProgress for Reported {
        fn on_step(&self, name: &str, step: StartStep) {
            self.0.lock().unwrap().push((name.to_owned(), step));
        }
    }

    #[test]
    fn the_bytes_of_a_fetched_runtime_are_reported_in_readable_steps() {
        let (runtime, reported) = (current(RuntimeName::Bun), Reported::default());
        let fetch = RuntimeFetch::new(runtime, &reported);
        fetch.on_size(0, 2_000_000);
        for _ in 0..8 {
            fetch.advance(0, 100_000);
        }
        fetch.restart(0);
        let reported = reported.0.into_inner().unwrap();
        assert!(reported.iter().all(|(name, _)| *name == runtime.to_string()));
        let steps: Vec<StartStep> = reported.into_iter().map(|(_, step)| step).collect();
        let expected = [0, 500_000, 0];
        let total = 2_000_000;
        assert_eq!(steps, expected.map(|received| StartStep::Fetching { received, total }));
    }
}
