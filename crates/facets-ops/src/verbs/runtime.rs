//! `facet runtime`: the runtimes that facet starts servers with (docs/runtimes.md).

use std::path::PathBuf;

use facets_digest::Digest;
use facets_fetch::{FetchProgress, Machine};
use facets_model::RuntimeName;
use facets_runtime::{ManagedRuntime, Runtimes, TABLE, current, this_platform};
use facets_store::Store;

use crate::cache_directory::cache_directory;
use crate::error::OpsError;
use crate::runtime_fetching::runtime_fetcher;

/// Which runtimes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeRequest {
    /// One of them; without one, all are removed, and bun is installed.
    pub name: Option<RuntimeName>,
}

impl RuntimeRequest {
    fn is_about(self, runtime: &ManagedRuntime) -> bool {
        self.name.is_none_or(|name| name == runtime.name)
    }
}

/// The program of a runtime on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeProgram {
    /// The package that it comes from, as `npm:NAME@VERSION`.
    pub package: String,
    /// Bytes to fetch.
    pub package_bytes: u64,
    /// SHA-256 of the program.
    pub digest: Digest,
    /// Bytes of the program.
    pub bytes: u64,
}

impl RuntimeProgram {
    /// Nothing if there is no program for this machine.
    fn of(runtime: &ManagedRuntime) -> Option<Self> {
        let binary = runtime.binary().ok()?;
        Some(Self {
            package: runtime.package(binary).to_string(),
            package_bytes: binary.package_size,
            digest: binary.digest(),
            bytes: binary.size,
        })
    }
}

/// A runtime, as it is listed.
#[derive(Debug)]
pub struct ListedRuntime {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The program for this machine, if there is one.
    pub program: Option<RuntimeProgram>,
    /// Where the program lies, if it is installed.
    pub path: Option<PathBuf>,
}

/// All runtimes of the table.
#[derive(Debug)]
pub struct RuntimeListReport {
    /// This machine.
    pub platform: String,
    /// In the order of the table.
    pub runtimes: Vec<ListedRuntime>,
}

/// Lists the runtimes. Those that are installed are verified; a modified one is an error, and removed.
pub fn list_runtimes() -> Result<RuntimeListReport, OpsError> {
    let store = Store::find(&cache_directory()?)?;
    let mut listed = Vec::new();
    for runtime in TABLE {
        let program = RuntimeProgram::of(runtime);
        let path = match &store {
            Some(store) if program.is_some() => {
                Runtimes::new(store).installed(runtime)?.map(|installed| installed.program())
            }
            _ => None,
        };
        let (name, version) = (runtime.name.name(), runtime.version);
        listed.push(ListedRuntime { name, version, program, path });
    }
    Ok(RuntimeListReport { platform: this_platform(), runtimes: listed })
}

/// A runtime that is installed now.
#[derive(Debug)]
pub struct NewRuntime {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// SHA-256 of the program.
    pub digest: Digest,
    /// Where the program lies.
    pub path: PathBuf,
    /// Whether it was fetched now; it was there before otherwise.
    pub was_fetched: bool,
}

/// The runtimes that are installed now.
#[derive(Debug)]
pub struct RuntimeInstallReport {
    /// This machine.
    pub platform: String,
    /// Those that were requested.
    pub runtimes: Vec<NewRuntime>,
}

/// Installs the current version of runtimes.
pub fn install_runtimes(
    request: &RuntimeRequest,
    progress: &dyn FetchProgress,
) -> Result<RuntimeInstallReport, OpsError> {
    let store = Store::open(&cache_directory()?)?;
    let runtimes = Runtimes::new(&store);
    let fetcher = runtime_fetcher(Machine::here(), &store);
    let mut installed = Vec::new();
    // Without a name, the one that most servers need; the others are fetched when a server needs them.
    let wanted = request.name.unwrap_or(RuntimeName::Bun);
    for runtime in RuntimeName::MANAGED.map(current) {
        if runtime.name != wanted {
            continue;
        }
        let was_fetched = runtimes.installed(runtime)?.is_none();
        let new = runtimes.install(runtime, &fetcher, progress)?;
        installed.push(NewRuntime {
            name: runtime.name.name(),
            version: runtime.version,
            digest: new.digest(),
            path: new.program(),
            was_fetched,
        });
    }
    Ok(RuntimeInstallReport { platform: this_platform(), runtimes: installed })
}

/// A runtime that was removed.
#[derive(Debug)]
pub struct RemovedRuntime {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// The runtimes that were removed.
#[derive(Debug)]
pub struct RuntimeRemoveReport {
    /// Those that were installed.
    pub removed: Vec<RemovedRuntime>,
}

/// Removes runtimes, every version of them.
pub fn remove_runtimes(request: &RuntimeRequest) -> Result<RuntimeRemoveReport, OpsError> {
    let mut removed = Vec::new();
    let Some(store) = Store::find(&cache_directory()?)? else {
        return Ok(RuntimeRemoveReport { removed });
    };
    for runtime in TABLE.iter().filter(|runtime| request.is_about(runtime)) {
        if Runtimes::new(&store).remove(runtime)? {
            let (name, version) = (runtime.name.name(), runtime.version);
            removed.push(RemovedRuntime { name, version });
        }
    }
    Ok(RuntimeRemoveReport { removed })
}
