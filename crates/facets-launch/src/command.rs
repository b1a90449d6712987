//! Starts servers, through a worker.

use std::ffi::OsString;
use std::io::{self, IoSlice, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use facets_worker::{
    Filesystem, LaunchSpec, Network, Program, ResourceLimits, SUPERVISE, Sandbox,
    available_confinement,
};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::error::LaunchError;
use crate::launchable::ProcessLaunch;
use crate::program::find_program;
use crate::reaper;
use crate::running::RunningProcess;
use crate::tail::Tail;
use crate::watcher::Watcher;

/// Starts servers through a worker.
#[derive(Clone, Debug)]
pub struct Launcher {
    worker: PathBuf,
    /// Where the scratch directories of servers are made; none for where temporary files lie.
    scratch: Option<PathBuf>,
    /// How much each server may use.
    limits: Option<ResourceLimits>,
}

impl Launcher {
    /// The executable that plays the worker: our own, entered again.
    pub fn from_current_executable() -> io::Result<Self> {
        facets_worker::own_executable().map(Self::with_worker)
    }

    /// Another executable that calls `facets_worker::enter`.
    #[must_use]
    pub fn with_worker(worker: PathBuf) -> Self {
        Self { worker, scratch: None, limits: None }
    }

    /// The same, with the scratch directories of servers in this folder.
    #[must_use]
    pub fn with_scratch_in(self, folder: PathBuf) -> Self {
        Self { scratch: Some(folder), ..self }
    }

    /// The same for servers that are ended when they use more than this.
    #[must_use]
    pub fn with_limits(self, limits: ResourceLimits) -> Self {
        Self { limits: Some(limits), ..self }
    }

    /// Starts a server.
    pub fn start(&self, process: &ProcessLaunch) -> Result<RunningProcess, LaunchError> {
        self.start_with_stderr(process, |_| {})
    }

    /// Starts a server; `on_stderr` receives what it writes to standard error.
    pub fn start_with_stderr(
        &self,
        process: &ProcessLaunch,
        on_stderr: impl FnMut(&[u8]) + Send + 'static,
    ) -> Result<RunningProcess, LaunchError> {
        let mut spec = LaunchSpec { limits: self.limits, ..launch_spec(process)? };
        if let Some(files) = &process.verified {
            // Before the check: what it finds is then what the worker compares with.
            let verified = files.identities();
            files.check.verify(&process.sandbox).map_err(LaunchError::Unverified)?;
            spec.verified = verified?;
        }
        self.start_spec(&spec, on_stderr)
    }

    /// Starts a stage of our own binary, in as much of a sandbox as this machine has.
    pub fn start_stage(&self, name: &str) -> Result<RunningProcess, LaunchError> {
        let available = available_confinement();
        let network = if available.seccomp && available.landlock > 0 {
            Network::Closed
        } else {
            Network::Open
        };
        let filesystem = match available.landlock {
            0 => Filesystem::Open,
            _ => Filesystem::Listed { read: Vec::new(), names: Vec::new(), write: Vec::new() },
        };
        let spec = LaunchSpec {
            program: Program::Stage(name.to_owned()),
            args: Vec::new(),
            env: Vec::new(),
            scratch: vec!["TMPDIR".into()],
            directory: "/".into(),
            sandbox: Sandbox { network, filesystem, ..Sandbox::default() },
            verified: Vec::new(),
            limits: self.limits,
        };
        self.start_spec(&spec, |_| {})
    }

    fn start_spec(
        &self,
        spec: &LaunchSpec,
        on_stderr: impl FnMut(&[u8]) + Send + 'static,
    ) -> Result<RunningProcess, LaunchError> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&self.worker);
        command
            .arg(SUPERVISE)
            .env_clear()
            .envs(self.temporary_folder().map(|folder| ("TMPDIR", folder)))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut worker = reaper::start_supervisor(&mut command)?;
        // What we hold of the other end would keep us from seeing that the supervisor is gone.
        drop(command);
        let watcher = match Watcher::start(&worker) {
            Ok(watcher) => watcher,
            Err(error) => {
                let _ = worker.kill().and_then(|()| worker.wait());
                reaper::forget_supervisor(worker.id());
                return Err(error.into());
            }
        };
        let (server_stdin, stdin) = io::pipe()?;
        let (stdout, server_stdout) = io::pipe()?;
        let (stderr, server_stderr) = io::pipe()?;
        let streams = [server_stdin.as_fd(), server_stdout.as_fd(), server_stderr.as_fd()];
        send(&ours, &spec.encode(), &streams)?;
        let running = RunningProcess::new(
            (worker, watcher),
            ours,
            stdin,
            stdout,
            Tail::follow(stderr, on_stderr),
        );
        running
            .with_scratch_in(self.scratch.clone())
            .wait_for_start()
            .map_err(|reason| LaunchError::NotStarted { program: shown(&spec.program), reason })
    }

    /// Where a supervisor makes the scratch directory of its server.
    fn temporary_folder(&self) -> Option<OsString> {
        let own = self.scratch.clone().map(PathBuf::into_os_string);
        own.or_else(|| std::env::var_os("TMPDIR"))
    }
}

/// What a program is called in an error.
fn shown(program: &Program) -> PathBuf {
    match program {
        Program::File(path) => path.clone(),
        Program::Stage(name) => name.into(),
    }
}

/// The length travels with the streams, the specification follows.
fn send(control: &UnixStream, spec: &[u8], streams: &[BorrowedFd<'_>; 3]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(streams));
    let length = (spec.len() as u64).to_le_bytes();
    sendmsg(control, &[IoSlice::new(&length)], &mut ancillary, SendFlags::NOSIGNAL)?;
    (&*control).write_all(spec)
}

fn launch_spec(process: &ProcessLaunch) -> Result<LaunchSpec, LaunchError> {
    let path = process.variables.search_path();
    let env = process.variables.values()?;
    let program = find_program(&process.program, &process.directory, &path).ok_or_else(|| {
        LaunchError::NoProgram { program: process.program.clone().into(), path: path.clone() }
    })?;
    Ok(LaunchSpec {
        program: Program::File(program),
        args: process.args.clone(),
        env: env.into_iter().collect(),
        scratch: process.variables.scratch_folders(),
        directory: process.directory.clone(),
        sandbox: process.sandbox.clone(),
        verified: Vec::new(),
        limits: None,
    })
}
