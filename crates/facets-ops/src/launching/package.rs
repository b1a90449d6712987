//! A package: its tree is verified, and started with the runtime that is pinned (spec 10.8).

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use facets_launch::{ProcessLaunch, Sandbox, Variables, VerifiedFiles};
use facets_lock::{Extent, PackagePin, closure_path};
use facets_model::{Origin, PackageOrigin, PackageTreeUse, RuntimeName};
use facets_packages::{CACHE_VARIABLE, PackageTree, Transpiling};
use facets_store::{StoredTree, Verified};

use crate::consent::{Consent, LaunchShown};
use crate::error::{OpsError, PackageStartError};
use crate::launch_options::{LaunchOptions, StartPurpose};
use crate::observing::own_launcher;
use crate::package_start::PackageStart;
use crate::packages::{PackageRuntime, PackageShown, PackageTools, platform, stored_tree};
use crate::packages::{private_copy, read_closure, require_harmless};
use crate::stored_artifact::open_store;

/// spec 10.8: runtime and entry file from the verified tree, and no argument or variable but those pinned
pub(super) fn prepare(
    origin: &Origin,
    (package, pin): (&PackageOrigin, &PackagePin),
    options: &LaunchOptions<'_>,
    consent: &dyn Consent,
) -> Result<ProcessLaunch, OpsError> {
    require_harmless(package)?;
    let directory = options.start_directory()?;
    options.require_values(origin)?;
    let sandbox = Sandbox::default();
    let shown = PackageShown::of_pin(pin);
    let launch = LaunchShown {
        origin,
        program: None,
        directory: &directory,
        sandbox: &sandbox,
        artifact: None,
        package: Some(&shown),
        grants: options.grants.as_ref(),
    };
    consent.may_start(&launch).required()?;
    let (tree, runtime) = verified(pin, options, consent)?;
    let copy = copy_of(package, &tree, options)?;
    let path = copy.clone().unwrap_or_else(|| tree.tree.path().to_owned());
    let mut command = runtime.command(&path, pin);
    let program = runtime.program();
    let is_shared = copy.is_none();
    let transpiled =
        if is_shared { transpiled(&tree, &runtime, &command.arguments, options)? } else { None };
    if let Some(cache) = &transpiled {
        command.variables = vec![(CACHE_VARIABLE, cache.path().into())];
    }
    command.arguments.extend(package.args.iter().map(OsString::from));
    let variables = Variables {
        environment: options.environment.make()?,
        named: package.env.clone(),
        given: options.given.clone(),
        fixed: command.variables,
        ..Variables::default()
    };
    let name = options.name.map(str::to_owned);
    let mut read = runtime.files();
    read.extend(transpiled.as_ref().map(|cache| cache.path().to_owned()));
    let check = Arc::new(PackageStart { name, tree: tree.tree, runtime, transpiled, copy });
    Ok(ProcessLaunch {
        program: program.into(),
        args: command.arguments,
        variables,
        directory,
        sandbox,
        verified: Some(VerifiedFiles { tree: path, read, check }),
    })
}

/// The copy of its own that a server starts from, if it has one.
fn copy_of(
    package: &PackageOrigin,
    tree: &PackageTree,
    options: &LaunchOptions<'_>,
) -> Result<Option<PathBuf>, OpsError> {
    match (package.files, options.project, options.own_name) {
        (PackageTreeUse::Copied, Some(project), Some(name)) => {
            private_copy(&tree.tree, project, name).map(Some)
        }
        _ => Ok(None),
    }
}

/// What bun made of the files earlier. A look makes it if it is not there; without it a server starts more slowly.
fn transpiled(
    tree: &PackageTree,
    runtime: &PackageRuntime,
    words: &[OsString],
    options: &LaunchOptions<'_>,
) -> Result<Option<Verified<StoredTree>>, OpsError> {
    let PackageRuntime::Managed(installed) = runtime else { return Ok(None) };
    if installed.runtime().name != RuntimeName::Bun || can_write_store(options) {
        return Ok(None);
    }
    let (store, bun) = (open_store()?, installed.program());
    let task = Transpiling {
        tree: tree.tree.path(),
        tree_digest: &tree.digest,
        bun: &bun,
        bun_digest: &installed.digest(),
        words,
    };
    match task.find(&store)? {
        Some(found) => Ok(Some(found)),
        None if options.purpose == StartPurpose::Capture => {
            Ok(Some(task.make(&store, &own_launcher()?)?))
        }
        None => Ok(None),
    }
}

/// Bun adds to its cache whatever is missing there. The mode of the store keeps it from that, and Landlock where files are
/// confined; of root only the latter does.
fn can_write_store(options: &LaunchOptions<'_>) -> bool {
    let is_open = options.grants.as_ref().is_none_or(|grants| grants.filesystem == Extent::All);
    is_open && rustix::process::geteuid().is_root()
}

/// The tree and the runtime. A look fetches what is absent, by the closure file of the project; `run` fetches nothing.
fn verified(
    pin: &PackagePin,
    options: &LaunchOptions<'_>,
    consent: &dyn Consent,
) -> Result<(PackageTree, PackageRuntime), OpsError> {
    let (store, launcher) = (open_store()?, own_launcher()?);
    let tools = PackageTools::new(&store, consent.progress());
    let is_look = options.purpose == StartPurpose::Capture;
    let absent =
        || PackageStartError::NotStored { package: pin.resolved.clone(), closure: pin.closure };
    let runtime = if is_look {
        PackageRuntime::pinned_or_fetched(pin, &tools, &launcher, options.name)?
    } else {
        let found = PackageRuntime::pinned(pin, (&store, &launcher), options.name)?;
        found.ok_or_else(absent)?
    };
    let platform = platform()?;
    let expected = pin.trees.get(&platform);
    let place = runtime.place(&platform);
    if let Some(tree) = PackageTree::find(&store, &pin.closure, place, expected)? {
        return Ok((tree, runtime));
    }
    let project = options.project_place().filter(|_| is_look).zip(options.name);
    let (place, name) = project.ok_or_else(absent)?;
    let file = closure_path(name);
    let bytes = std::fs::read(place.join(&file)).map_err(|_| absent())?;
    let closure = read_closure(pin, &bytes, file).map_err(|_| absent())?;
    let tree = stored_tree(pin, &closure, &runtime, (&tools, &launcher))?;
    Ok((tree, runtime))
}
