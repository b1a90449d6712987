//! The Python of this machine: found in `PATH`, and asked what it is.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use facets_closure::pypi::{PythonTarget, PythonVersion};
use facets_digest::{Digest, NoProgress, digest_reader};
use facets_launch::{Launcher, Network, find_program};
use facets_model::{PlatformName, Version};
use serde_json::Value;

use crate::error::PackageError;
use crate::npm_resolver::private_folder;
use crate::resolver_run::ResolverRun;

/// The oldest minor version that servers run on.
const OLDEST: u32 = 9;

/// The newest that is looked for by its name.
const NEWEST: u32 = 15;

/// What it is asked. It says where it really lies: programs such as pyenv put a script in its place.
const QUESTION: &str = "import json,platform,sys,sysconfig\n\
    print(json.dumps({'executable':sys.executable,'version':platform.python_version(),\
    'implementation':sys.implementation.name,'abi':sysconfig.get_config_var('SOABI') or '',\
    'threads':bool(sysconfig.get_config_var('Py_GIL_DISABLED')),'libc':platform.libc_ver()[1],\
    'mac':platform.mac_ver()[0],'prefix':sys.base_prefix,'exec_prefix':sys.base_exec_prefix,\
    'stdlib':sysconfig.get_path('stdlib'),'libdir':sysconfig.get_config_var('LIBDIR') or ''}))";

/// A Python of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Where it really lies.
    pub program: PathBuf,
    /// SHA-256 of that file.
    pub digest: Digest,
    /// Its version.
    pub version: Version,
    /// Its binary interface, such as `cp311`.
    pub abi: String,
    /// What wheels are chosen by.
    pub target: PythonTarget,
    /// What it reads beside its program: its own modules and libraries.
    pub files: Vec<PathBuf>,
}

impl Interpreter {
    /// Finds one in a search path: the minor version that is asked for, else `python3`, else the newest.
    pub fn find(
        launcher: &Launcher,
        wanted: Option<u32>,
        (path, platform): (&OsStr, &PlatformName),
    ) -> Result<Self, PackageError> {
        let names = names_of(wanted);
        let mut refused = None;
        for name in &names {
            let Some(program) = find_program(OsStr::new(name), Path::new("/"), path) else {
                continue;
            };
            match Self::ask(launcher, &program, platform) {
                Ok(found) if wanted.is_none_or(|minor| found.target.python.minor == minor) => {
                    return Ok(found);
                }
                Ok(_) => {}
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        let wanted = wanted.map(|minor| format!("Python 3.{minor}"));
        let wanted = wanted.unwrap_or_else(|| format!("CPython 3.{OLDEST} or later"));
        Err(refused.unwrap_or(PackageError::NoPython { wanted }))
    }

    /// Asks a program what it is.
    pub fn ask(
        launcher: &Launcher,
        program: &Path,
        platform: &PlatformName,
    ) -> Result<Self, PackageError> {
        let folder = private_folder()?;
        let run = ResolverRun {
            launcher,
            program,
            args: ["-I", "-S", "-B", "-c", QUESTION].map(Into::into).to_vec(),
            folder: folder.path(),
            // Where it lies is what it is asked.
            read: vec![PathBuf::from("/")],
            variables: BTreeMap::new(),
            network: Network::Closed,
            // A script in its place starts it.
            starts_others: true,
            patience: Duration::from_secs(30),
        };
        let end = run.run()?;
        let bad = |problem: &str| PackageError::BadPython {
            program: program.display().to_string(),
            problem: problem.to_owned(),
        };
        if !end.is_success() {
            return Err(bad(&end.reason()));
        }
        let answer: Value =
            serde_json::from_slice(&end.stdout).map_err(|_| bad("it gave no answer"))?;
        Self::of_answer(&answer, platform).map_err(bad)
    }

    fn of_answer(answer: &Value, platform: &PlatformName) -> Result<Self, &'static str> {
        let text = |name: &str| answer[name].as_str().unwrap_or_default();
        if text("implementation") != "cpython" {
            return Err("it is not CPython");
        }
        if answer["threads"].as_bool() == Some(true) {
            return Err("it is a free-threaded build, for which few packages have wheels");
        }
        let version: Version = text("version").parse().map_err(|_| "it is a pre-release")?;
        let minor = minor_of(text("version")).filter(|minor| *minor >= OLDEST);
        let minor = minor.ok_or("it is older than Python 3.9")?;
        let program = PathBuf::from(text("executable")).canonicalize();
        let program = program.map_err(|_| "its program was not found")?;
        let file = File::open(&program).map_err(|_| "its program cannot be read")?;
        let digest = digest_reader(file, &NoProgress).map_err(|_| "its program cannot be read")?;
        let system = if text("mac").is_empty() { text("libc") } else { text("mac") };
        // musl does not say its version: 1.2 is what wheels are made for.
        let system = pair_of(system).unwrap_or((1, 2));
        let python = PythonVersion { minor };
        let places = ["prefix", "exec_prefix", "stdlib", "libdir"].map(text);
        let places = places.into_iter().filter(|text| text.starts_with('/'));
        let mut files: Vec<PathBuf> = places.map(PathBuf::from).collect();
        // The whole system is readable anyway, and no prefix of a server.
        files.retain(|path| path != Path::new("/") && path != Path::new("/usr"));
        files.sort();
        files.dedup();
        Ok(Self {
            program,
            digest: digest.digest,
            version,
            abi: format!("cp3{minor}"),
            target: PythonTarget { python, platform: platform.clone(), system },
            files,
        })
    }
}

/// The names under which it may be found.
fn names_of(wanted: Option<u32>) -> Vec<String> {
    if let Some(minor) = wanted {
        return vec![format!("python3.{minor}"), "python3".to_owned()];
    }
    let newest = (OLDEST + 1..=NEWEST).rev().map(|minor| format!("python3.{minor}"));
    ["python3".to_owned(), "python".to_owned()].into_iter().chain(newest).collect()
}

fn minor_of(version: &str) -> Option<u32> {
    version.strip_prefix("3.")?.split('.').next()?.parse().ok()
}

fn pair_of(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
