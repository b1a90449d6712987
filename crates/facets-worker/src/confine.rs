//! The last stage before the server: the sandbox is closed from inside, then the server takes
//! over the process.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

use crate::stage::{Stage, held_variables};
use error::ConfineError;

mod capabilities;
mod error;
mod files;
mod namespace;
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

#[derive(Debug, Default)]
struct Plan {
    close_network: bool,
    /// Where the proxy listens through which alone the network is reached.
    proxy: Option<PathBuf>,
    close_files: bool,
    close_subprocess: bool,
    execute: Vec<PathBuf>,
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    /// The stage of our own binary that is run instead of a program.
    stage: Option<OsString>,
    program: OsString,
    args: Vec<OsString>,
}

pub(crate) fn run(arguments: &[OsString], stages: &[Stage]) -> ! {
    let plan = parse(arguments);
    let port = confine(&plan).unwrap_or_else(|reason| {
        say(&format!("facet: the sandbox cannot be enforced here: {reason}"));
        exit(CANNOT_CONFINE);
    });
    if let Some(name) = &plan.stage {
        let stage = stages.iter().find(|stage| name == stage.name);
        exit(stage.map_or(CANNOT_START, |stage| (stage.run)()));
    }
    let mut program = Command::new(&plan.program);
    program.env_clear().envs(held_variables());
    if port.is_some() {
        // Around the proxy nothing is reached.
        program.env_remove("NO_PROXY").env_remove("no_proxy");
    }
    let error = program.args(&plan.args).envs(proxy_variables(port)).exec();
    say(&format!("facet: cannot start {}: {error}", plan.program.display()));
    exit(CANNOT_START)
}

/// The server's own standard error is where facet looks when a server does not answer.
#[expect(clippy::print_stderr, reason = "there is no other way to tell")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn parse(arguments: &[OsString]) -> Plan {
    let mut plan = Plan::default();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--close-network") => plan.close_network = true,
            Some("--proxy") => plan.proxy = words.next().map(PathBuf::from),
            Some("--close-subprocess") => plan.close_subprocess = true,
            Some("--execute") => plan.execute.extend(words.next().map(PathBuf::from)),
            Some("--close-files") => plan.close_files = true,
            Some("--read") => plan.read.extend(words.next().map(PathBuf::from)),
            Some("--stage") => plan.stage = words.next().cloned(),
            Some("--write") => plan.write.extend(words.next().map(PathBuf::from)),
            _ => break,
        }
    }
    plan.program = words.next().cloned().unwrap_or_default();
    plan.args = words.cloned().collect();
    plan
}

/// All or nothing: a sandbox with a hole is worse than none, because somebody relies on it. Gives
/// back the port of the proxy, if there is one.
fn confine(plan: &Plan) -> Result<Option<u16>, ConfineError> {
    let port = plan.proxy.as_deref().map(namespace::enter).transpose()?;
    capabilities::restrict()?;
    files::restrict(&files::Rules {
        listed: plan.close_files.then_some((&plan.read, &plan.write)),
        execute: plan.close_subprocess.then_some(&plan.execute),
        close_network: plan.close_network,
        lists_folders: Path::new(&plan.program).file_name().is_some_and(|name| name == "bun"),
    })?;
    syscalls::restrict(syscalls::Closed {
        network: plan.close_network,
        all_but_tcp: plan.proxy.is_some(),
        unix: plan.close_files,
        subprocess: plan.close_subprocess,
    })?;
    Ok(port)
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
