//! The closure of a pinned package, and its tree in the store.

use facets_closure::Closure;
use facets_launch::Launcher;
use facets_lock::{LockedServer, PackagePin, closure_path};
use facets_model::RuntimeName;
use facets_packages::{PackageFetcher, PackageTree};
use facets_project::State;
use facets_store::Store;

use super::fetch_progress::PackageFetch;
use super::runtime::{PackageRuntime, platform};
use super::tools::PackageTools;
use crate::broken_pin::BrokenPin;
use crate::error::OpsError;
use crate::observing::own_launcher;
use crate::start_progress::StartProgress;
use crate::stored_artifact::open_store;

/// The closure file of a package, if it is the one that is pinned; none for other kinds of servers.
pub(crate) fn closure_of(
    name: &str,
    server: &LockedServer,
    state: &State,
) -> Result<Option<Closure>, BrokenPin> {
    let Some(pin) = server.pin.package() else { return Ok(None) };
    let file = closure_path(name);
    match state.closures.get(name) {
        None | Some(None) => Err(BrokenPin::NoClosureFile { file }),
        Some(Some(bytes)) => read_closure(pin, bytes, file).map(Some),
    }
}

/// spec 10.8: the bytes of the file are those whose digest is locked
pub(crate) fn read_closure(
    pin: &PackagePin,
    bytes: &[u8],
    file: String,
) -> Result<Closure, BrokenPin> {
    let closure = Closure::parse(bytes);
    let problem = |error: facets_closure::ClosureError| error.to_string();
    let closure = closure
        .map_err(|error| BrokenPin::ClosureFile { file: file.clone(), problem: problem(error) })?;
    if closure.digest() == pin.closure {
        return Ok(closure);
    }
    Err(BrokenPin::Differs { member: "closure".to_owned(), file })
}

/// Whether the tree of a pinned package seems to be there. Nothing may be started because of it.
pub(crate) fn is_stored(store: &Store, pin: &PackagePin) -> bool {
    let Ok(platform) = platform() else { return false };
    let python = (pin.runtime.name == RuntimeName::Python)
        .then(|| pin.runtime.binaries.get(&platform).map(|digest| (&pin.runtime.version, digest)));
    match python {
        Some(None) => false,
        Some(python) => PackageTree::is_stored(store, &pin.closure, &platform, python),
        None => PackageTree::is_stored(store, &pin.closure, &platform, None),
    }
}

/// Makes sure that tree and runtime of a pinned package are in the store.
pub(crate) fn make_stored(
    name: &str,
    (pin, closure): (&PackagePin, &Closure),
    is_offline: bool,
    progress: &dyn StartProgress,
) -> Result<(), OpsError> {
    let store = open_store()?;
    let tools = PackageTools { is_offline, ..PackageTools::new(&store, progress) };
    let launcher = own_launcher()?;
    let runtime = PackageRuntime::pinned_or_fetched(pin, &tools, &launcher, Some(name))?;
    stored_tree(pin, closure, &runtime, (&tools, &launcher)).map(drop)
}

/// The tree of a pinned package. One that is not stored is fetched and unpacked.
pub(crate) fn stored_tree(
    pin: &PackagePin,
    closure: &Closure,
    runtime: &PackageRuntime,
    (tools, launcher): (&PackageTools<'_>, &Launcher),
) -> Result<PackageTree, OpsError> {
    let platform = platform()?;
    let place = runtime.place(&platform);
    let expected = pin.trees.get(&platform);
    if let Some(found) = PackageTree::find(tools.store, &pin.closure, place, expected)? {
        return Ok(found);
    }
    let fetch = PackageFetch::new(&pin.resolved, tools.progress);
    let fetcher = (!tools.is_offline).then_some(&tools.fetcher);
    let files = PackageFetcher { store: tools.store, fetcher, progress: &fetch };
    let made = PackageTree::make(&files, closure, place, launcher)?;
    match expected {
        Some(expected) if *expected != made.digest => {
            Err(crate::error::PackageStartError::OtherTree {
                package: pin.resolved.clone(),
                expected: *expected,
                actual: made.digest,
            }
            .into())
        }
        _ => Ok(made),
    }
}
