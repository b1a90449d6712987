//! Everything that this machine has of a pinned package, hashed anew. No stat record counts.

use facets_lock::{PackagePin, RuntimePin};
use facets_model::RuntimeName;
use facets_packages::PackageTree;
use facets_runtime::Runtimes;
use facets_store::Store;

use super::runtime::{PackageRuntime, platform};
use crate::cache_directory::cache_directory;
use crate::error::{OpsError, PackageStartError};
use crate::observing::own_launcher;

/// Hashes tree and runtime of a package, and names what is not stored on this machine.
pub(crate) fn verify_package(name: &str, pin: &PackagePin) -> Result<Vec<String>, OpsError> {
    let packages = || format!("the packages of {}", pin.resolved);
    let Some(store) = Store::find(&cache_directory()?)? else { return Ok(vec![packages()]) };
    let mut absent = Vec::new();
    if !has_runtime(&store, &pin.runtime)? {
        absent.push(format!("{} {}", pin.runtime.name.name(), pin.runtime.version));
    }
    let platform = platform()?;
    let Some(runtime) = PackageRuntime::pinned(pin, (&store, &own_launcher()?), Some(name))? else {
        absent.push(packages());
        return Ok(absent);
    };
    // Found by its key alone, so that another tree in its place is told as that.
    let found = PackageTree::find_hashed(&store, &pin.closure, runtime.place(&platform), None)?;
    match (found, pin.trees.get(&platform)) {
        (None, _) => absent.push(packages()),
        (Some(tree), Some(expected)) if tree.digest != *expected => {
            return Err(PackageStartError::OtherTree {
                package: pin.resolved.clone(),
                expected: *expected,
                actual: tree.digest,
            }
            .into());
        }
        (Some(_), _) => {}
    }
    Ok(absent)
}

/// Hashes a runtime of facet's own; whether it is installed. A Python is hashed when it is found.
fn has_runtime(store: &Store, pin: &RuntimePin) -> Result<bool, OpsError> {
    if pin.name == RuntimeName::Python {
        return Ok(true);
    }
    match facets_runtime::find(pin.name, &pin.version.to_string()) {
        Some(known) => Ok(Runtimes::new(store).installed_hashed(known)?.is_some()),
        None => Ok(false),
    }
}
