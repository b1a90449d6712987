//! What starts a package: bun or Node.js from facet's own table, or the Python of this machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_launch::{Launcher, search_path};
use facets_lock::{PackagePin, RuntimePin};
use facets_model::{Ecosystem, PackageOrigin, PlatformName, RuntimeChoice, RuntimeName};
use facets_packages::{Interpreter, TreePlace};
use facets_runtime::{InstalledRuntime, ManagedRuntime, bun_command, this_platform};
use facets_store::Store;

use super::tools::PackageTools;
use crate::error::{ArtifactError, OpsError, PackageStartError};
use crate::stored_artifact::installed_runtime;

/// What Python runs first: it finds the packages, and calls what the entry point names. Nothing but its own modules and
/// the tree is in its search path.
const BOOT: &str = "import sys,importlib\n\
    tree,entry,name=sys.argv[1:4]\n\
    sys.argv=[name]+sys.argv[4:]\n\
    sys.path.insert(0,tree)\n\
    module,function=entry.split(':')\n\
    call=importlib.import_module(module)\n\
    for part in function.split('.'): call=getattr(call,part)\n\
    sys.exit(call())\n";

/// What starts a package.
#[derive(Debug)]
pub(crate) enum PackageRuntime {
    /// Bun or Node.js.
    Managed(Box<InstalledRuntime>),
    /// Python, as it was found.
    Python(Box<Interpreter>),
}

/// How a package is started.
pub(crate) struct StartWords {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) variables: Vec<(&'static str, OsString)>,
}

/// This machine, as closures and locks name it.
pub(crate) fn platform() -> Result<PlatformName, OpsError> {
    let name = this_platform();
    name.parse().map_err(|_| OpsError::Internal { subject: format!("the platform {name:?}") })
}

impl PackageRuntime {
    /// For a package that is resolved now: what was asked for, else bun or the Python that is found first.
    pub(crate) fn for_new(
        origin: &PackageOrigin,
        tools: &PackageTools<'_>,
        launcher: &Launcher,
    ) -> Result<Self, OpsError> {
        let minor = match (origin.package.ecosystem, origin.runtime) {
            (Ecosystem::Npm, Some(RuntimeChoice::Node)) => {
                return tools.program(RuntimeName::Node).map(Box::new).map(Self::Managed);
            }
            (Ecosystem::Npm, _) => {
                return tools.program(RuntimeName::Bun).map(Box::new).map(Self::Managed);
            }
            (Ecosystem::Pypi, Some(RuntimeChoice::Python { minor })) => Some(minor),
            (Ecosystem::Pypi, _) => None,
        };
        let found = Interpreter::find(launcher, minor, (&search_path(), &platform()?))?;
        Ok(Self::Python(Box::new(found)))
    }

    /// The runtime that is pinned, if it is installed: of Python the one that is found must be it.
    pub(crate) fn pinned(
        pin: &PackagePin,
        (store, launcher): (&Store, &Launcher),
        server: Option<&str>,
    ) -> Result<Option<Self>, OpsError> {
        if pin.runtime.name == RuntimeName::Python {
            let found = find_pinned_python(&pin.runtime, launcher)?;
            require_same_python(&pin.runtime, &found, server)?;
            return Ok(Some(Self::Python(Box::new(found))));
        }
        let known = managed_of(&pin.runtime)?;
        Ok(installed_runtime(store, known)?.map(Box::new).map(Self::Managed))
    }

    /// The same, fetched if it is not installed.
    pub(crate) fn pinned_or_fetched(
        pin: &PackagePin,
        tools: &PackageTools<'_>,
        launcher: &Launcher,
        server: Option<&str>,
    ) -> Result<Self, OpsError> {
        match Self::pinned(pin, (tools.store, launcher), server)? {
            Some(found) => Ok(found),
            None => tools.managed(managed_of(&pin.runtime)?).map(Box::new).map(Self::Managed),
        }
    }

    /// For which a tree is made.
    pub(crate) fn place<'p>(&'p self, platform: &'p PlatformName) -> TreePlace<'p> {
        match self {
            Self::Managed(_) => TreePlace::Npm(platform),
            Self::Python(python) => TreePlace::Pypi(python),
        }
    }

    /// As a lock pins it.
    pub(crate) fn to_pin(&self) -> Result<RuntimePin, OpsError> {
        match self {
            Self::Managed(installed) => pin_of_managed(installed.runtime()),
            Self::Python(python) => Ok(RuntimePin {
                name: RuntimeName::Python,
                version: python.version.clone(),
                binaries: [(python.target.platform.clone(), python.digest)].into(),
                abi: Some(python.abi.clone()),
            }),
        }
    }

    /// The program, and what it reads beside the tree.
    pub(crate) fn program(&self) -> PathBuf {
        match self {
            Self::Managed(installed) => installed.program(),
            Self::Python(python) => python.program.clone(),
        }
    }

    /// What is read beside the tree.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Managed(installed) => vec![installed.program()],
            Self::Python(python) => {
                std::iter::once(&python.program).chain(&python.files).cloned().collect()
            }
        }
    }

    /// The program directly before a start: it is still the one that was verified.
    pub(crate) fn require_unmodified(&self) -> Result<(), OpsError> {
        match self {
            Self::Managed(installed) => Ok(installed.program_for_start().map(drop)?),
            Self::Python(_) => Ok(()),
        }
    }

    /// How an entry of a tree is started, with nothing beside it that could run other code. The arguments of the server
    /// follow.
    pub(crate) fn command(&self, tree: &Path, pin: &PackagePin) -> StartWords {
        match self {
            Self::Managed(installed) if installed.runtime().name == RuntimeName::Node => {
                let arguments = vec![tree.join(&pin.entry).into_os_string()];
                let variables = vec![("NODE_DISABLE_COMPILE_CACHE", "1".into())];
                StartWords { arguments, variables }
            }
            Self::Managed(_) => {
                let bun = bun_command(&tree.join(&pin.entry), Path::new("/dev/null"));
                StartWords { arguments: bun.arguments, variables: bun.variables }
            }
            Self::Python(_) => {
                let first = ["-I", "-S", "-B", "-c", BOOT].map(OsString::from);
                let entry = [tree.into(), OsString::from(&pin.entry), OsString::from(&pin.bin)];
                let arguments = first.into_iter().chain(entry).collect();
                StartWords { arguments, variables: Vec::new() }
            }
        }
    }
}

fn pin_of_managed(runtime: &ManagedRuntime) -> Result<RuntimePin, OpsError> {
    let unknown = |_| OpsError::Internal { subject: format!("the version of {runtime}") };
    Ok(RuntimePin {
        name: runtime.name,
        version: runtime.version.parse().map_err(unknown)?,
        binaries: runtime.digests(),
        abi: None,
    })
}

/// The runtime of the table that a lock pins, with the same bytes.
fn managed_of(pin: &RuntimePin) -> Result<&'static ManagedRuntime, OpsError> {
    let shown = || format!("{} {}", pin.name.name(), pin.version);
    let known = facets_runtime::find(pin.name, &pin.version.to_string())
        .ok_or_else(|| ArtifactError::RuntimeUnknown { runtime: shown() })?;
    let platform = platform()?;
    let (expected, actual) = (pin.binaries.get(&platform), known.digests().get(&platform).copied());
    if expected.copied() == actual && actual.is_some() {
        return Ok(known);
    }
    let text = |digest: Option<Digest>| digest.map_or("none".to_owned(), |one| one.to_string());
    Err(ArtifactError::RuntimeDiffers {
        runtime: shown(),
        platform: platform.to_string(),
        expected: text(expected.copied()),
        actual: text(actual),
    }
    .into())
}

fn find_pinned_python(pin: &RuntimePin, launcher: &Launcher) -> Result<Interpreter, OpsError> {
    let version = pin.version.to_string();
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse().ok());
    Ok(Interpreter::find(launcher, minor, (&search_path(), &platform()?))?)
}

/// spec 10.8: another Python than the pinned one is drift, which somebody has to look at
fn require_same_python(
    pin: &RuntimePin,
    found: &Interpreter,
    server: Option<&str>,
) -> Result<(), OpsError> {
    let expected = pin.binaries.get(&found.target.platform);
    let is_same = pin.version == found.version
        && pin.abi.as_deref() == Some(found.abi.as_str())
        && expected == Some(&found.digest);
    if is_same {
        return Ok(());
    }
    let digest = expected.map_or("not recorded for this platform".to_owned(), Digest::to_string);
    Err(PackageStartError::OtherPython {
        server: server.map(str::to_owned),
        program: found.program.display().to_string(),
        expected: format!("{} ({digest})", pin.version),
        actual: format!("{} ({})", found.version, found.digest),
    }
    .into())
}
