//! A published server is started in a process of its own, to take down what it declares (spec 9.2).
//!
//! The registry starts its own program again as a probe worker. One supervisor stands above the worker, and the worker
//! starts everything else below other supervisors:
//!
//! ```text
//! registry ─ supervisor ─ worker ─┬ supervisor ─ source scanner
//!                                 └ supervisor ─ server
//! ```
//!
//! The worker has no variables and no descriptors of the registry, and no sockets. It reads the archive, the runtime and
//! this program, and writes to its scratch directory. Inside of that, the server is confined once more: it reads its own
//! files and the runtime, writes to a scratch directory of its own, and starts no other program.
//!
//! Landlock and seccomp add up when they are nested. A read-only view of mounts does not: the first sandbox refuses
//! namespaces, so the second has no view, and refuses instead all changes of mode, owner, times and attributes of files,
//! also of the server's own. On the machine of a user that is so only where namespaces are refused. If they are refused to
//! the registry as well (a container without privileges), the worker cannot make such changes either. It does not need
//! to: files are unpacked with the mode that they keep.
//!
//! Each supervisor ends everything below it when its parent is gone, so nothing outlives the registry; and each has limits
//! on memory, processes and files. The answer of the worker is text, which the registry parses strictly.

mod answer;
mod artifact;
mod outcome;
mod refusal;
mod task;
mod worker;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{self, BufReader, PipeReader};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use facets_digest::Digest;
use facets_failure::Stderr;
use facets_launch::{
    Filesystem, Launcher, Network, ProcessLaunch, ResourceLimits, Sandbox, Stage, Subprocess,
    Variables,
};
use facets_probe::SCAN_STAGE;
use facets_worker::ENDED_FOR;
use rustix::fs::CWD;

use answer::read_outcome;
pub use outcome::{ProbeAnswer, ProbeFailure};
use task::ProbeTask;
pub use worker::probe_worker;

/// The first argument with which the program is started as a probe worker. The others go to [`probe_worker`].
pub const PROBE_WORKER: &str = "probe-worker";

/// The stages that the program registers with `facets_worker::enter` before anything else.
pub const PROBE_STAGES: &[Stage] = &[SCAN_STAGE];

/// From the start of the worker to its answer. The worker gives up sooner, so that it can say why.
const IN_ALL: Duration = Duration::from_secs(35);

/// How often is looked whether the registry stops.
const LOOK: Duration = Duration::from_millis(50);

/// How long is waited for what the worker has written to standard error.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// For everything below the worker together: what it unpacks, scanners, and two starts of the server side by side.
const WORKER_LIMITS: ResourceLimits =
    ResourceLimits { resident: 4 << 30, tasks: 1024, written: 3 << 30 };

/// The programs of a system, wherever the registry looks for its own.
const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A runtime whose bytes were verified.
#[derive(Clone, Debug)]
pub struct InstalledProgram {
    /// Where it lies.
    pub path: PathBuf,
    /// Its version.
    pub version: String,
}

/// A server to be started, and everything that this takes.
#[derive(Clone, Copy, Debug)]
pub struct ProbeRequest<'r> {
    /// The archive, validated already.
    pub archive: &'r Path,
    /// SHA-256 of the archive.
    pub content_hash: Digest,
    /// The hash of its content.
    pub integrity: Digest,
    /// A directory that is used for nothing else, and removed afterwards.
    pub scratch: &'r Path,
    /// What starts the server.
    pub runtime: &'r InstalledProgram,
    /// This program, which is started again.
    pub program: &'r Path,
}

/// Starts a server, and takes down what it declares. Waits for that, up to 35 seconds; when the registry stops, the
/// server is ended at once.
pub fn probe(
    request: &ProbeRequest<'_>,
    is_stopping: &dyn Fn() -> bool,
) -> Result<ProbeAnswer, ProbeFailure> {
    let outcome = ask_worker(request, is_stopping);
    // What cannot be removed is removed by the collector.
    let _ = remove_folder(request.scratch);
    outcome
}

fn ask_worker(
    request: &ProbeRequest<'_>,
    is_stopping: &dyn Fn() -> bool,
) -> Result<ProbeAnswer, ProbeFailure> {
    let deadline = Instant::now() + IN_ALL;
    let broken = |what: &str| ProbeFailure::Broken(format!("cannot start a probe: {what}"));
    let (launcher, process) = prepare(request).map_err(|error| broken(&error.to_string()))?;
    let mut running = launcher.start(&process).map_err(|error| broken(&error.to_string()))?;
    let stderr = running.stderr().clone();
    let (output, input) = running.take_streams().ok_or_else(|| broken("it has no streams"))?;
    // The worker reads nothing.
    drop(input);
    let outcomes = outcomes_of(output).map_err(|error| broken(&error.to_string()))?;
    let received = await_outcome(&outcomes, deadline, is_stopping);
    // Ends the worker, and everything that it has started.
    drop(running);
    match received {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => Err(without_answer(&error, &stderr.last_words(LAST_WORDS))),
        Err(Silence::Late) => {
            let error = format!("the server was not examined within {} s", IN_ALL.as_secs());
            Err(ProbeFailure::refused("server-too-slow", error))
        }
        Err(Silence::Lost) => Err(broken("its answer was lost")),
        Err(Silence::Stopped) => Err(broken("the registry stops")),
    }
}

/// Why there is no outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silence {
    Late,
    Lost,
    Stopped,
}

fn await_outcome<T>(
    outcomes: &Receiver<T>,
    deadline: Instant,
    is_stopping: &dyn Fn() -> bool,
) -> Result<T, Silence> {
    loop {
        if is_stopping() {
            return Err(Silence::Stopped);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        match outcomes.recv_timeout(left.min(LOOK)) {
            Ok(outcome) => return Ok(outcome),
            Err(RecvTimeoutError::Disconnected) => return Err(Silence::Lost),
            Err(RecvTimeoutError::Timeout) if left <= LOOK => return Err(Silence::Late),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// How the worker is started. What is opened to it is opened without links.
fn prepare(request: &ProbeRequest<'_>) -> io::Result<(Launcher, ProcessLaunch)> {
    DirBuilder::new().recursive(true).mode(0o700).create(request.scratch)?;
    let program = fs::canonicalize(request.program)?;
    let task = ProbeTask {
        archive: fs::canonicalize(request.archive)?,
        content_hash: request.content_hash,
        integrity: request.integrity,
        runtime: fs::canonicalize(&request.runtime.path)?,
    };
    let read = vec![task.archive.clone(), task.runtime.clone(), program.clone()];
    let path = "PATH".to_owned();
    let process = ProcessLaunch {
        program: program.clone().into(),
        args: std::iter::once(OsString::from(PROBE_WORKER)).chain(task.arguments()).collect(),
        variables: Variables {
            named: vec![path.clone()],
            given: BTreeMap::from([(path, SEARCH_PATH.to_owned())]),
            ..Variables::default()
        },
        directory: "/".into(),
        sandbox: Sandbox {
            network: Network::Closed,
            // To write there is its scratch directory, which its supervisor opens.
            filesystem: Filesystem::Listed { read, names: Vec::new(), write: Vec::new() },
            subprocess: Subprocess::Open,
        },
        verified: None,
    };
    let scratch = fs::canonicalize(request.scratch)?;
    let launcher =
        Launcher::with_worker(program).with_scratch_in(scratch).with_limits(WORKER_LIMITS);
    Ok((launcher, process))
}

type Outcomes = Receiver<io::Result<Result<ProbeAnswer, ProbeFailure>>>;

/// The answer is read on a thread of its own, which comes to its end with the worker.
fn outcomes_of(output: PipeReader) -> io::Result<Outcomes> {
    let (sender, receiver) = channel();
    std::thread::Builder::new().spawn(move || {
        // If there is no receiver any more, it was too late.
        let _ = sender.send(read_outcome(&mut BufReader::new(output)));
    })?;
    Ok(receiver)
}

/// A worker that was ended for what it used is the fault of the server; any other silence is ours.
fn without_answer(error: &io::Error, stderr: &Stderr) -> ProbeFailure {
    if let Some(reason) = stderr.lines().find_map(|line| line.strip_prefix(ENDED_FOR)) {
        let error = format!("the server was ended: {reason}");
        return ProbeFailure::refused("server-closed", error);
    }
    let said: Vec<&str> = stderr.lines().collect();
    ProbeFailure::Broken(format!("the probe gave no answer ({error}): {}", said.join(" | ")))
}

/// Removes a directory with all that is in it, whatever a server has made there.
fn remove_folder(path: &Path) -> io::Result<()> {
    facets_removal::open_unlocked(CWD, path).and_then(facets_removal::empty)?;
    fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_worker_that_used_too_much_is_the_fault_of_the_server() {
        let error = io::Error::from(io::ErrorKind::UnexpectedEof);
        let ended = Stderr::of(&format!("noise\n{ENDED_FOR}it used too much\n"));
        let ProbeFailure::Refused { code, error: text, .. } = without_answer(&error, &ended) else {
            panic!("it is a refusal");
        };
        assert_eq!(
            (code.as_str(), text.as_str()),
            ("server-closed", "the server was ended: it used too much")
        );
        let crashed = without_answer(&error, &Stderr::of("facet: cannot enforce the sandbox"));
        let ProbeFailure::Broken(text) = crashed else { panic!("it is no refusal") };
        assert!(text.ends_with("facet: cannot enforce the sandbox"), "{text}");
    }

    #[test]
    fn an_outcome_is_awaited_until_the_deadline_or_the_end_of_the_registry() {
        let soon = || Instant::now() + LOOK * 3;
        let (sender, outcomes) = channel::<u8>();
        assert_eq!(await_outcome(&outcomes, soon(), &|| false), Err(Silence::Late));
        assert_eq!(await_outcome(&outcomes, soon(), &|| true), Err(Silence::Stopped));
        sender.send(7).unwrap();
        assert_eq!(await_outcome(&outcomes, soon(), &|| false), Ok(7));
        drop(sender);
        assert_eq!(await_outcome(&outcomes, soon(), &|| false), Err(Silence::Lost));
    }

    #[test]
    fn a_probe_that_cannot_start_leaves_no_scratch_directory() {
        let place = tempfile::tempdir().unwrap();
        let runtime =
            InstalledProgram { path: place.path().join("bun"), version: "1.0.0".to_owned() };
        let scratch = place.path().join("scratch");
        let request = ProbeRequest {
            archive: &place.path().join("archive"),
            content_hash: Digest::of(b"archive"),
            integrity: Digest::of(b"content"),
            scratch: &scratch,
            runtime: &runtime,
            program: &place.path().join("program"),
        };
        assert!(matches!(probe(&request, &|| false), Err(ProbeFailure::Broken(_))));
        assert!(!scratch.exists());
    }
}
