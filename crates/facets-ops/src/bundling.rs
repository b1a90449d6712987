//! Packages of a server, bundled with its code into one file (spec 4.3): an artifact is complete, and nothing
//! is fetched when it starts.
//!
//! Everything happens in a private directory, on the files that were packed. No code of a package runs: bun
//! installs without scripts, and bundles without macros.

mod bun;
mod dependencies;
mod entry;
mod left_out;
mod lock_advice;
mod packages;
mod tsconfig;
mod workshop;

use std::collections::BTreeMap;
use std::path::Path;

use facets_archive::{ArchiveIndex, PackedServer};
use facets_fetch::{FetchProgress, Machine};
use facets_model::{ArtifactPath, RuntimeName};
use facets_runtime::{InstalledRuntime, Runtimes};
use facets_store::Store;

use crate::cache_directory::cache_directory;
use crate::error::{BundleError, OpsError};
use crate::runtime_fetching::runtime_fetcher;
use bun::Bun;
use lock_advice::LockAdvice;
use workshop::Workshop;

const MANIFEST: &str = "server.yaml";

/// With `global`, npm reads no `.npmrc` of a project.
const LOCATION: &str = "npm_config_location";

/// What bundling adds to an archive.
pub(crate) struct Bundle {
    /// The bundle, what it loads, and the manifest that names it.
    pub(crate) files: BTreeMap<ArtifactPath, Vec<u8>>,
    /// For people.
    pub(crate) code: BundledCode,
}

/// Code with everything that it imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundledCode {
    /// The file that the runtime starts.
    pub entry: ArtifactPath,
    /// Packages that were installed for it, as `NAME@VERSION`.
    pub packages: Vec<String>,
}

/// Bundles a server whose `package.json` declares dependencies. `archive` is the one of `directory` without a bundle.
pub(crate) fn bundle(
    directory: &Path,
    archive: &[u8],
    packed: &PackedServer,
    progress: &dyn FetchProgress,
) -> Result<Option<Bundle>, OpsError> {
    if packed.index.file(dependencies::PACKAGE).is_none() {
        return left_out::require_no_dependencies(directory, packed).map(|()| None);
    }
    let cache = cache_directory()?;
    // Makes the cache directory, and refuses one that others can write.
    let store = Store::open(&cache)?;
    let mut workshop = Workshop::unpack(archive, &cache)?;
    if dependencies::read_declared(&workshop)?.is_empty() {
        return Ok(None);
    }
    left_out::require_lock(packed)?;
    let advice = LockAdvice { directory, store: &store };
    dependencies::verify_lock(&workshop, advice)?;
    let machine = without_project(Machine::here());
    let runtime = install_runtime(&store, &machine, progress)?;
    let bun = Bun::new(runtime.program_for_start()?, &machine)?;
    bun.install(&workshop, advice)?;
    let packages = packages::list_installed(&workshop.modules())?;
    let entry = &packed.manifest.entry;
    let first = bun.build(&workshop, entry)?;
    // A bundle that knows where it was made is different elsewhere.
    workshop.rename()?;
    if first != bun.build(&workshop, entry)? {
        return Err(BundleError::NotReproducible { entry: entry.to_string() }.into());
    }
    let yaml = workshop.read(MANIFEST)?;
    let (entry, mut files) = place(entry, first, &packed.index)?;
    let manifest = entry::with_entry(&yaml, &entry).ok_or(BundleError::Entry)?;
    files.insert(parse_path(MANIFEST)?, manifest);
    Ok(Some(Bundle { files, code: BundledCode { entry, packages } }))
}

/// The machine as npm sees it outside of any project: an `.npmrc` of the server would choose the registry, and
/// could send it the user's variables.
fn without_project(machine: Machine) -> Machine {
    let mut variables = machine.variables;
    variables.retain(|name, _| !name.eq_ignore_ascii_case(LOCATION));
    variables.insert(LOCATION.to_owned(), "global".to_owned());
    Machine { variables, ..machine }
}

fn install_runtime(
    store: &Store,
    machine: &Machine,
    progress: &dyn FetchProgress,
) -> Result<InstalledRuntime, OpsError> {
    let fetcher = runtime_fetcher(machine.clone(), store);
    let runtime = facets_runtime::current(RuntimeName::Bun);
    Ok(Runtimes::new(store).install(runtime, &fetcher, progress)?)
}

/// Puts the bundle beside the entry, so that paths relative to that mean the same, and where nothing else is.
fn place(
    entry: &ArtifactPath,
    outputs: BTreeMap<String, Vec<u8>>,
    index: &ArchiveIndex,
) -> Result<(ArtifactPath, BTreeMap<ArtifactPath, Vec<u8>>), OpsError> {
    let (folder, name) = match entry.as_str().rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), entry.as_str()),
    };
    let mut files = BTreeMap::new();
    for (output, bytes) in outputs {
        let path = parse_path(&format!("{folder}{output}"))?;
        if index.file(path.as_str()).is_some() {
            return Err(BundleError::Collision { path: path.to_string() }.into());
        }
        files.insert(path, bytes);
    }
    let bundled = parse_path(&format!("{folder}{}", bun::output_name(name)))?;
    Ok((bundled, files))
}

fn parse_path(path: &str) -> Result<ArtifactPath, OpsError> {
    let unusable = |_| BundleError::Collision { path: path.to_owned() };
    Ok(path.parse().map_err(unusable)?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use facets_fetch::npm::NpmConfig;

    use super::*;

    #[test]
    fn the_npmrc_of_a_server_does_not_choose_the_registry() {
        let root = tempfile::tempdir().unwrap();
        let (home, directory) = (root.path().join("home"), root.path().join("server"));
        for (folder, host) in [(&home, "user"), (&directory, "server")] {
            fs::create_dir(folder).unwrap();
            let text = format!("registry=https://{host}.example/${{NPM_TOKEN}}/\n");
            fs::write(folder.join(".npmrc"), text).unwrap();
        }
        fs::write(directory.join("package.json"), "{}").unwrap();
        let pairs = [("NPM_TOKEN", "t"), ("NPM_CONFIG_LOCATION", "project")];
        let variables = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let machine = without_project(Machine { variables, home: Some(home), directory });
        let config = NpmConfig::read(&machine).unwrap();
        assert_eq!(config.registry_for("a").as_str(), "https://user.example/t/");
    }
}
