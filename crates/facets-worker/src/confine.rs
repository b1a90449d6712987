//! The last stage before the server: the cage is closed from inside, then the server takes
//! over the process.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, exit};

mod files;
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
    close_files: bool,
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    program: OsString,
    args: Vec<OsString>,
}

pub(crate) fn run(arguments: &[OsString]) -> ! {
    let plan = parse(arguments);
    if let Err(reason) = confine(&plan) {
        say(&format!("facet: the sandbox cannot be enforced here: {reason}"));
        exit(CANNOT_CONFINE);
    }
    if plan.program == crate::SCAN {
        crate::scan::run();
    }
    let error = Command::new(&plan.program).args(&plan.args).exec();
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
            Some("--close-files") => plan.close_files = true,
            Some("--read") => plan.read.extend(words.next().map(PathBuf::from)),
            Some("--write") => plan.write.extend(words.next().map(PathBuf::from)),
            _ => break,
        }
    }
    plan.program = words.next().cloned().unwrap_or_default();
    plan.args = words.cloned().collect();
    plan
}

/// All or nothing: a cage with a hole is worse than none, because somebody relies on it.
fn confine(plan: &Plan) -> Result<(), String> {
    files::restrict(plan.close_files.then_some((&plan.read, &plan.write)), plan.close_network)?;
    syscalls::restrict(plan.close_network)
}
