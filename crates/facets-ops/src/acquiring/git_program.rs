//! The program git, which starts nothing of a repository's choice and asks nobody.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use facets_failure::last_lines;
use rustix::process::{Pid, Signal, kill_process};

/// Between two looks at what git has done.
const PAUSE: Duration = Duration::from_millis(20);

/// How long git may take to end after it was told to.
const GRACE: Duration = Duration::from_secs(2);

/// How much git may fetch, and for how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct GitLimits {
    pub(super) time: Duration,
    pub(super) bytes: u64,
}

impl Default for GitLimits {
    fn default() -> Self {
        Self { time: Duration::from_mins(5), bytes: 1 << 30 }
    }
}

/// Variables that lead git to another repository than ours, or to other settings.
const FOREIGN: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Settings that no configuration changes.
const SETTINGS: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "fetch.bundleURI=",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "maintenance.auto=false",
    "protocol.version=2",
    "submodule.recurse=false",
    "transfer.bundleURI=false",
];

/// Git in a repository of our own. Its configuration is the user's: proxies, certificates and stored credentials
/// are used, and nothing is asked for.
pub(super) fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    command.args(["--no-pager", "--no-optional-locks", "--no-replace-objects"]);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.arg("--git-dir").arg(repository);
    for name in FOREIGN {
        command.env_remove(name);
    }
    command
        .env("GIT_ALLOW_PROTOCOL", "http:https:ssh:git")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "")
        .env("SSH_ASKPASS_REQUIRE", "never")
        .env("GCM_INTERACTIVE", "never")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

/// The same, to talk to another machine.
pub(super) fn git_remote(repository: &Path) -> Command {
    let mut command = git(repository);
    if !has_own_ssh(repository) {
        command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
    }
    command
}

/// Whether this user starts another ssh, which knows how not to ask.
fn has_own_ssh(repository: &Path) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let configured = || {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(repository).args(["config", "--get", "core.sshCommand"]);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command.output().is_ok_and(|output| !output.stdout.is_empty())
    };
    is_set("GIT_SSH_COMMAND") || is_set("GIT_SSH") || configured()
}

/// What a short command prints.
pub(super) fn output(mut command: Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| not_started(&error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(said(&output.stderr))
}

/// Runs a command that fetches into a folder, within limits.
pub(super) fn run_limited(
    mut command: Command,
    folder: &Path,
    limits: &GitLimits,
) -> Result<(), String> {
    command.stdout(Stdio::null());
    run_into(command, folder, limits)
}

/// What a command prints that talks to another machine, within limits.
pub(super) fn output_limited(
    mut command: Command,
    folder: &Path,
    limits: &GitLimits,
) -> Result<Vec<u8>, String> {
    let printed = folder.join("printed");
    let file = File::create(&printed).map_err(|error| error.to_string())?;
    command.stdout(file);
    run_into(command, folder, limits)?;
    fs::read(&printed).map_err(|error| error.to_string())
}

fn run_into(mut command: Command, folder: &Path, limits: &GitLimits) -> Result<(), String> {
    let log = folder.join("log");
    let file = File::create(&log).map_err(|error| error.to_string())?;
    let child = command.stderr(file).spawn();
    let mut child = child.map_err(|error| not_started(&error))?;
    let ended = wait_limited(&mut child, folder, limits);
    if ended.is_err() {
        end(&mut child);
    }
    match ended? {
        status if status.success() => Ok(()),
        _ => Err(said(&fs::read(&log).unwrap_or_default())),
    }
}

fn wait_limited(
    child: &mut Child,
    folder: &Path,
    limits: &GitLimits,
) -> Result<ExitStatus, String> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        if begun.elapsed() > limits.time {
            return Err(format!("it took longer than {} s", limits.time.as_secs()));
        }
        if size_of(folder) > limits.bytes {
            return Err(format!("it sent more than {} bytes", limits.bytes));
        }
        std::thread::sleep(PAUSE);
    }
}

/// Lets git end its own helpers, and ends it where it does not.
fn end(child: &mut Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::TERM);
    }
    let told = Instant::now();
    while told.elapsed() < GRACE {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(PAUSE);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Bytes of all files below a folder; what vanishes meanwhile has none.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => size_of(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

fn not_started(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "git is not installed".to_owned(),
        _ => format!("git does not start: {error}"),
    }
}

/// The end of what git printed, on one line.
fn said(bytes: &[u8]) -> String {
    let shown = last_lines(&String::from_utf8_lossy(bytes));
    if shown.is_empty() { "git failed without a message".to_owned() } else { shown }
}
