//! The last stage before the server: the sandbox is closed from inside, then the server takes
//! over the process.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::exit;

use crate::launch_spec::{Filesystem, LaunchSpec, Network, Program, Sandbox, Subprocess};
use crate::rlimits;
use crate::stage::Stage;
use crate::verified_path::verified_command;
use error::ConfineError;
use place::Place;

mod capabilities;
mod error;
mod files;
mod mounts;
mod namespace;
mod open_parts;
mod place;
mod syscalls;

/// Where a server may be kept from something that it cannot be kept from here.
const CANNOT_CONFINE: i32 = 126;
const CANNOT_START: i32 = 127;

/// What this machine can enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// Landlock's version, 0 if there is none.
    pub landlock: i32,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
}

/// Asks the kernel what it can enforce.
#[must_use]
pub fn available_confinement() -> Confinement {
    Confinement { landlock: files::landlock_version(), seccomp: syscalls::is_supported() }
}

pub(crate) fn run(arguments: &[OsString], stages: &[Stage]) -> ! {
    let (descriptor, proxy) = (arguments.first(), arguments.get(1).map(Path::new));
    let spec = descriptor.ok_or(io::ErrorKind::InvalidInput.into()).and_then(|one| receive(one));
    let spec = spec.unwrap_or_else(|error| {
        say(&format!("facet: no launch specification from the supervisor: {error}"));
        exit(CANNOT_CONFINE);
    });
    if let Err(error) = spec.limits.map_or(Ok(()), rlimits::restrict) {
        say(&format!("facet: cannot limit the server: {error}"));
        exit(CANNOT_CONFINE);
    }
    let port = confine(&spec.sandbox, proxy).unwrap_or_else(|reason| {
        say(&format!("facet: cannot enforce the sandbox on this system: {reason}"));
        exit(CANNOT_CONFINE);
    });
    let program = match &spec.program {
        Program::File(program) => program,
        Program::Stage(name) => {
            let stage = stages.iter().find(|stage| name == stage.name);
            exit(stage.map_or(CANNOT_START, |stage| (stage.run)()));
        }
    };
    // The file stays open until it is executed.
    let (mut command, _file) = verified_command(program, &spec.verified).unwrap_or_else(|error| {
        say(&format!("facet: the server was not started: {error}"));
        exit(CANNOT_CONFINE);
    });
    command.args(&spec.args).env_clear().envs(spec.env);
    if port.is_some() {
        // Around the proxy nothing is reached.
        command.env_remove("NO_PROXY").env_remove("no_proxy");
    }
    let error = command.envs(proxy_variables(port)).exec();
    say(&format!("facet: cannot start {}: {error}", program.display()));
    exit(CANNOT_START)
}

/// The server's own standard error is where facet looks when a server does not answer.
#[expect(clippy::print_stderr, reason = "there is no other way to tell")]
fn say(text: &str) {
    eprintln!("{text}");
}

/// What the supervisor wrote into a pipe that this process inherited. Nothing but the three streams is
/// handed on.
fn receive(descriptor: &OsStr) -> io::Result<LaunchSpec> {
    let bytes = std::fs::read(Path::new("/proc/self/fd").join(descriptor))?;
    close_fds::set_fds_cloexec(3, &[]);
    LaunchSpec::decode(&bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// All or nothing: a sandbox with a hole is worse than none, because somebody relies on it. Gives
/// back the port of the proxy, if there is one.
fn confine(sandbox: &Sandbox, proxy: Option<&Path>) -> Result<Option<u16>, ConfineError> {
    let port = proxy.map(namespace::enter).transpose()?;
    let files = match &sandbox.filesystem {
        Filesystem::Open => None,
        Filesystem::Listed { read, names, write } => Some(view(read, names, write)?),
    };
    let (listed, is_protected) = files.unzip();
    let closes_files = listed.is_some();
    capabilities::restrict(closes_files)?;
    let execute = match &sandbox.subprocess {
        Subprocess::Open => None,
        Subprocess::Closed { execute } => Some(execute.as_slice()),
    };
    let closes_network = sandbox.network == Network::Closed;
    files::restrict(&files::Rules { listed, execute, closes_network })?;
    syscalls::restrict(syscalls::Closed {
        network: closes_network,
        all_but_tcp: proxy.is_some(),
        files: closes_files,
        attributes: is_protected == Some(false),
        subprocess: execute.is_some(),
    })?;
    Ok(port)
}

/// The files that can be used, and whether everything but what may be written is read-only. Where there is
/// no such view, the calls that it protects from are refused altogether.
fn view<'s>(
    read: &'s [PathBuf],
    names: &'s [PathBuf],
    write: &[PathBuf],
) -> Result<(files::ListedFiles<'s>, bool), ConfineError> {
    let has_view = mounts::enter().is_ok();
    // Each is opened once: what is made writable is what was opened, whatever its path leads to later.
    let opened = write.iter().map(|path| {
        Place::open(path).map_err(|source| ConfineError::Path { path: path.clone(), source })
    });
    let write = opened.collect::<Result<Vec<Place>, _>>()?;
    let is_protected = has_view && mounts::protect(&write).is_ok();
    Ok((files::ListedFiles { read, write, names }, is_protected))
}

/// How programs are told of a proxy. Each reads some of these.
fn proxy_variables(port: Option<u16>) -> Vec<(&'static str, String)> {
    let Some(port) = port else { return Vec::new() };
    let address = format!("http://127.0.0.1:{port}");
    let names =
        ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    let mut variables: Vec<(&'static str, String)> =
        names.into_iter().map(|name| (name, address.clone())).collect();
    // Node looks at them only when it is asked to.
    variables.push(("NODE_USE_ENV_PROXY", "1".to_owned()));
    variables
}
