//! How runtimes are fetched.

use facets_fetch::{FetchLimits, Fetcher, Machine, Reach};
use facets_store::Store;

/// As the user's own npm would fetch. Its temporary files are large: they lie where the result will.
pub(crate) fn runtime_fetcher(machine: Machine, store: &Store) -> Fetcher {
    let fetcher = Fetcher::new(machine, Reach::AsUser, FetchLimits::default());
    fetcher.with_folder(store.path().to_owned())
}
