//! What `facet upgrade` would find for a package: it is resolved anew, and nothing of it is fetched.

use facets_closure::npm::NpmClosure;
use facets_closure::pypi::{PypiClosure, ResolvedPackage, Wheel, WheelKey, choose_wheel};
use facets_closure::{Closure, ClosureChange, PackageFile, closure_changes};
use facets_lock::PackagePin;
use facets_model::PackageOrigin;
use facets_packages::Interpreter;

use super::resolution::Resolution;
use super::runtime::PackageRuntime;
use super::tools::PackageTools;
use crate::error::OpsError;
use crate::observing::own_launcher;
use crate::start_progress::StartProgress;
use crate::stored_artifact::open_store;

/// What there is for a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewerPackages {
    /// The package itself, if there is another version.
    pub(crate) resolved: Option<String>,
    /// How many of the packages that it depends on are others by now.
    pub(crate) changed: usize,
    /// Packages whose bytes changed under the same version.
    pub(crate) replaced: Vec<String>,
}

/// Resolves a package again, and compares the result with what is locked.
pub(crate) fn newer_packages(
    origin: &PackageOrigin,
    (pin, locked): (&PackagePin, &Closure),
    before: Option<&str>,
    progress: &dyn StartProgress,
) -> Result<NewerPackages, OpsError> {
    let store = open_store()?;
    let (tools, launcher) = (PackageTools::new(&store, progress), own_launcher()?);
    let task = Resolution { origin, before, tools: &tools, launcher: &launcher };
    let now = match locked {
        Closure::Npm(_) => Closure::Npm(task.resolve_npm()?),
        Closure::Pypi(_) => match PackageRuntime::for_new(origin, &tools, &launcher)? {
            PackageRuntime::Python(python) => {
                Closure::Pypi(wheels_of(task.resolve_pypi(&python)?, &python))
            }
            PackageRuntime::Managed(_) => Closure::Npm(NpmClosure::default()),
        },
    };
    let resolved = super::resolution::resolved_version(&origin.package, &now)?;
    let changes = closure_changes(locked, &now);
    let is_other = |change: &&ClosureChange| !matches!(change, ClosureChange::NewFlag { .. });
    let replaced = changes.iter().filter_map(|change| match change {
        ClosureChange::OtherBytes { package, .. } => Some(package.clone()),
        _ => None,
    });
    Ok(NewerPackages {
        replaced: replaced.collect(),
        changed: changes.iter().filter(is_other).count(),
        resolved: (resolved != pin.resolved).then_some(resolved),
    })
}

/// The wheels that would be taken, as the index states them.
fn wheels_of(packages: Vec<ResolvedPackage>, python: &Interpreter) -> PypiClosure {
    let mut closure = PypiClosure::default();
    for package in packages {
        let wheels = package.wheels.iter().map(|wheel| (&wheel.name, wheel));
        let Some(wheel) = choose_wheel(&python.target, wheels) else { continue };
        let (platform, version) = (python.target.platform.clone(), python.target.python);
        let key = WheelKey { platform, python: version, name: package.name };
        let file = PackageFile { sha256: wheel.sha256, size: 0 };
        let (file_name, flags) = (wheel.file.clone(), [].into());
        closure.wheels.insert(key, Wheel { version: package.version, file_name, file, flags });
    }
    closure
}
