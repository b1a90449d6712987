//! The runtime that servers are probed with: in the registry's own store, fetched when it is first needed.

use std::path::Path;

use facets_failure::Describe as _;
use facets_fetch::{FetchLimits, Fetcher, Machine, NoFetchProgress, Reach};
use facets_model::RuntimeName;
use facets_runtime::{InstalledRuntime, RuntimeError, Runtimes, current};
use facets_store::Store;

use crate::error::RegistryError;

/// The verified runtime. Blocks while it is fetched.
pub(crate) fn installed_runtime(store: &Path) -> Result<InstalledRuntime, RegistryError> {
    find_runtime(store).map_err(|error| {
        let reason = error.actual().unwrap_or_default();
        RegistryError::internal(format!("no runtime to probe servers with: {error}: {reason}"))
    })
}

fn find_runtime(store: &Path) -> Result<InstalledRuntime, RuntimeError> {
    let store = Store::open(store)?;
    let runtimes = Runtimes::new(&store);
    let runtime = current(RuntimeName::Bun);
    if let Some(installed) = runtimes.installed(runtime)? {
        return Ok(installed);
    }
    // The table has its hash, so any mirror that the operator's npm is configured for will do.
    let fetcher = Fetcher::new(Machine::here(), Reach::AsUser, FetchLimits::default());
    let fetcher = fetcher.with_folder(store.path().to_owned());
    runtimes.install(runtime, &fetcher, &NoFetchProgress)
}
