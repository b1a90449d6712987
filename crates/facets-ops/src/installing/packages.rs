//! Packages that are locked: fetched and unpacked, whoever has approved them (spec 10.8). Nothing of them is started.

use facets_lock::{LockedEntry, PackagePin};
use facets_store::Store;

use super::options::NetworkUse;
use super::task::InstallTask;
use crate::acquiring::InstallProgress;
use crate::cache_directory::cache_directory;
use crate::error::OpsError;
use crate::packages::{is_stored, make_stored};
use crate::pinned::Pinned;
use crate::start_progress::StartProgress;

impl InstallTask {
    /// Makes sure that the tree of every locked package is in the store. One that cannot be made is named, and does not
    /// keep the others; an error of the bytes themselves ends everything.
    pub(super) fn store_packages(
        &self,
        start: &dyn StartProgress,
        progress: &dyn InstallProgress,
    ) -> Result<(), OpsError> {
        let is_offline = self.options.network == NetworkUse::Offline;
        for name in self.before.lock.servers().keys() {
            // What is upgraded is resolved anew.
            if self.moves.includes(name) {
                continue;
            }
            let Some(pinned) = Pinned::of(name, &self.before).ok() else { continue };
            let (Some(pin), Some(closure)) = (pinned.server.pin.package(), &pinned.closure) else {
                continue;
            };
            match make_stored(name, (pin, closure), is_offline, start) {
                Ok(()) => {}
                // Another Python is drift, which `approve` shows.
                Err(error @ OpsError::PackageStart(_)) if is_python(&error) => {
                    progress.warn(&format!("server {name}: {error}"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether the trees of all locked packages are there.
    pub(super) fn packages_are_there(&self) -> Result<bool, OpsError> {
        let pins = self.before.lock.servers().values().filter_map(|entry| match entry {
            LockedEntry::Server(server) => server.pin.package(),
            _ => None,
        });
        let pins: Vec<&PackagePin> = pins.collect();
        if pins.is_empty() {
            return Ok(true);
        }
        let Some(store) = Store::find(&cache_directory()?)? else { return Ok(false) };
        Ok(pins.into_iter().all(|pin| is_stored(&store, pin)))
    }
}

fn is_python(error: &OpsError) -> bool {
    use facets_failure::Describe as _;
    error.code() == "python-differs"
}
