//! From a package as it was written to exactly what it is: its closure, its tree, its program (spec 10.8).

use std::path::Path;

use facets_closure::Closure;
use facets_closure::npm::NpmClosure;
use facets_closure::pypi::{ResolvedPackage, normalised_name};
use facets_launch::Launcher;
use facets_lock::PackagePin;
use facets_model::{Ecosystem, PackageOrigin, PackageSpec, RuntimeName};
use facets_packages::{
    Interpreter, NpmResolver, PackageFetcher, PackageTree, UvResolver, npm_entry, pypi_entry,
};
use facets_surface::Source;

use super::fetch_progress::PackageFetch;
use super::lookalikes::lookalikes;
use super::pinned_closure::stored_tree;
use super::runtime::{PackageRuntime, platform};
use super::shown::PackageShown;
use super::tools::PackageTools;
use super::variables::require_harmless;
use crate::error::{OpsError, PackageStartError};
use crate::observing::own_launcher;
use crate::source_scan::source_of;
use crate::start_progress::{StartProgress, StartStep};
use crate::stored_artifact::open_store;

/// What exactly a package is.
pub(crate) struct LockedPackage {
    pub(crate) pin: PackagePin,
    pub(crate) needs: ResolvedClosure,
}

/// What a package turned out to need.
pub(crate) struct ResolvedClosure {
    pub(crate) shown: PackageShown,
    pub(crate) closure: Closure,
    /// What its files can reach.
    pub(crate) source: Source,
}

/// Resolves, fetches and unpacks a package. `before` leaves out what was published later, as a date.
pub(crate) fn resolve_package(
    origin: &PackageOrigin,
    before: Option<&str>,
    progress: &dyn StartProgress,
) -> Result<LockedPackage, OpsError> {
    require_harmless(origin)?;
    let store = open_store()?;
    let (tools, launcher) = (PackageTools::new(&store, progress), own_launcher()?);
    let runtime = PackageRuntime::for_new(origin, &tools, &launcher)?;
    let task = Resolution { origin, before, tools: &tools, launcher: &launcher };
    let closure = match &runtime {
        PackageRuntime::Managed(_) => task.npm_closure()?,
        PackageRuntime::Python(python) => task.pypi_closure(python)?,
    };
    let resolved = resolved_version(&origin.package, &closure)?;
    let pin = PackagePin {
        resolved,
        bin: String::new(),
        entry: String::new(),
        closure: closure.digest(),
        runtime: runtime.to_pin()?,
        trees: [].into(),
    };
    let tree = stored_tree(&pin, &closure, &runtime, (&tools, &launcher))?;
    let (bin, entry) = task.entry(&tree)?;
    let trees = [(platform()?, tree.digest)].into();
    let pin = PackagePin { bin, entry, trees, ..pin };
    let mut locked = whole(pin, closure, &tree)?;
    locked.needs.shown.notes = lookalikes(&origin.package, &tools.fetcher);
    Ok(locked)
}

/// What is pinned of a package; nothing is resolved.
pub(crate) fn resolve_pinned_package(
    pin: PackagePin,
    closure: Closure,
    progress: &dyn StartProgress,
) -> Result<LockedPackage, OpsError> {
    let store = open_store()?;
    let (tools, launcher) = (PackageTools::new(&store, progress), own_launcher()?);
    let runtime = PackageRuntime::pinned_or_fetched(&pin, &tools, &launcher, None)?;
    let tree = stored_tree(&pin, &closure, &runtime, (&tools, &launcher))?;
    let mut pin = pin;
    // What follows from the closure on this platform is added for whoever comes next.
    pin.trees.entry(platform()?).or_insert(tree.digest);
    whole(pin, closure, &tree)
}

fn whole(pin: PackagePin, closure: Closure, tree: &PackageTree) -> Result<LockedPackage, OpsError> {
    let shown = PackageShown::of(&pin, &closure, &platform()?);
    let source = package_source(tree.tree.path(), &pin)?;
    Ok(LockedPackage { pin, needs: ResolvedClosure { shown, closure, source } })
}

/// What the files of a package can reach, from its program on.
pub(crate) fn package_source(tree: &Path, pin: &PackagePin) -> Result<Source, OpsError> {
    if pin.runtime.name == RuntimeName::Python {
        // spec 6.3: what was not analysed is unknown
        return Ok(Source::default());
    }
    source_of(&tree.join(&pin.entry))
}

/// A package that is resolved.
pub(super) struct Resolution<'r> {
    pub(super) origin: &'r PackageOrigin,
    pub(super) before: Option<&'r str>,
    pub(super) tools: &'r PackageTools<'r>,
    pub(super) launcher: &'r Launcher,
}

impl Resolution<'_> {
    fn packages(&self) -> Vec<&PackageSpec> {
        std::iter::once(&self.origin.package).chain(&self.origin.with).collect()
    }

    fn files<'f>(&'f self, fetch: &'f PackageFetch<'f>) -> PackageFetcher<'f> {
        let fetcher = Some(&self.tools.fetcher);
        PackageFetcher { store: self.tools.store, fetcher, progress: fetch }
    }

    /// What npm says that it needs.
    pub(super) fn resolve_npm(&self) -> Result<NpmClosure, OpsError> {
        let bun = self.tools.program(RuntimeName::Bun)?;
        let npm = self.tools.program(RuntimeName::Npm)?;
        self.on_step(StartStep::Resolving);
        let resolver = NpmResolver {
            launcher: self.launcher,
            bun: &bun.program(),
            npm: npm.tree().path(),
            machine: &self.tools.machine,
        };
        Ok(resolver.resolve(&self.packages(), self.before)?)
    }

    fn npm_closure(&self) -> Result<Closure, OpsError> {
        let closure = self.resolve_npm()?;
        let shown = self.origin.package.to_string();
        let fetch = PackageFetch::new(&shown, self.tools.progress);
        Ok(Closure::Npm(self.files(&fetch).of_npm(closure, &platform()?)?))
    }

    /// What uv says that it needs.
    pub(super) fn resolve_pypi(
        &self,
        python: &Interpreter,
    ) -> Result<Vec<ResolvedPackage>, OpsError> {
        let uv = self.tools.program(RuntimeName::Uv)?;
        self.on_step(StartStep::Resolving);
        let resolver = UvResolver {
            launcher: self.launcher,
            uv: &uv.program(),
            python,
            machine: &self.tools.machine,
        };
        Ok(resolver.resolve(&self.packages(), self.before)?)
    }

    fn pypi_closure(&self, python: &Interpreter) -> Result<Closure, OpsError> {
        let packages = self.resolve_pypi(python)?;
        let shown = self.origin.package.to_string();
        let fetch = PackageFetch::new(&shown, self.tools.progress);
        Ok(Closure::Pypi(self.files(&fetch).of_pypi(packages, python)?))
    }

    fn on_step(&self, step: StartStep) {
        self.tools.progress.on_step(&self.origin.package.to_string(), step);
    }

    /// The program: of the package itself, or of one that is installed beside it.
    fn entry(&self, tree: &PackageTree) -> Result<(String, String), OpsError> {
        let (tree, wanted) = (tree.tree.path(), self.origin.program.as_deref());
        let find = |package: &PackageSpec| match package.ecosystem {
            Ecosystem::Npm => npm_entry(tree, &package.name, wanted),
            Ecosystem::Pypi => pypi_entry(tree, &package.name, wanted),
        };
        let own = find(&self.origin.package);
        match own {
            Err(error) if wanted.is_some() => {
                let others = self.origin.with.iter();
                Ok(others.map(find).find_map(Result::ok).ok_or(error)?)
            }
            other => Ok(other?),
        }
    }
}

/// The version of the package itself, as its ecosystem writes it.
pub(super) fn resolved_version(
    package: &PackageSpec,
    closure: &Closure,
) -> Result<String, OpsError> {
    let found = match closure {
        Closure::Npm(closure) => {
            let own = closure.packages.get(&format!("node_modules/{}", package.name));
            own.map(|own| format!("npm:{}@{}", package.name, own.version))
        }
        Closure::Pypi(closure) => {
            let name = normalised_name(&package.name).unwrap_or_default();
            let own = closure.wheels.iter().find(|(key, _)| key.name == name);
            own.map(|(key, wheel)| format!("pypi:{}=={}", key.name, wheel.version))
        }
    };
    found.ok_or_else(|| PackageStartError::NotInClosure { package: package.to_string() }.into())
}
