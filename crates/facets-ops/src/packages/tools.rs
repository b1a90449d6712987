//! The programs that resolve packages, from facet's own table.

use facets_fetch::{Fetcher, Machine};
use facets_model::RuntimeName;
use facets_runtime::{InstalledRuntime, ManagedRuntime, Runtimes, current};
use facets_store::Store;

use crate::error::{ArtifactError, OpsError};
use crate::runtime_fetching::{RuntimeFetch, runtime_fetcher};
use crate::start_progress::StartProgress;
use crate::stored_artifact::installed_runtime;

/// Where files are kept and how they are fetched.
pub(crate) struct PackageTools<'t> {
    pub(crate) store: &'t Store,
    pub(crate) machine: Machine,
    pub(crate) fetcher: Fetcher,
    pub(crate) progress: &'t dyn StartProgress,
    /// Whether nothing may be fetched.
    pub(crate) is_offline: bool,
}

impl<'t> PackageTools<'t> {
    pub(crate) fn new(store: &'t Store, progress: &'t dyn StartProgress) -> Self {
        let machine = Machine::here();
        let fetcher = runtime_fetcher(machine.clone(), store);
        Self { store, machine, fetcher, progress, is_offline: false }
    }

    /// The current version of a program, fetched if it is not installed.
    pub(crate) fn program(&self, name: RuntimeName) -> Result<InstalledRuntime, OpsError> {
        self.managed(current(name))
    }

    /// A version of a program, fetched if it is not installed.
    pub(crate) fn managed(
        &self,
        runtime: &'static ManagedRuntime,
    ) -> Result<InstalledRuntime, OpsError> {
        if let Some(installed) = installed_runtime(self.store, runtime)? {
            return Ok(installed);
        }
        if self.is_offline {
            return Err(ArtifactError::RuntimeAbsent { runtime: runtime.to_string() }.into());
        }
        let fetch = RuntimeFetch::new(runtime, self.progress);
        Ok(Runtimes::new(self.store).install(runtime, &self.fetcher, &fetch)?)
    }
}
