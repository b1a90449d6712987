use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use facets_worker::{Filesystem, Network, Order, SCAN, SUPERVISE, Sandbox, available_confinement};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::{Running, Tail};

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No such program.
    #[error("the program {} is not there", program.display())]
    NoProgram {
        /// As it was asked for.
        program: PathBuf,
        /// Where it was looked for.
        path: OsString,
    },
    /// A variable that the server needs is not set.
    #[error("the variable {name} is not set")]
    NoVariable {
        /// Its name.
        name: String,
    },
    /// The supervisor could not be started or reached.
    #[error("cannot start the supervisor")]
    Supervisor(#[from] io::Error),
    /// The supervisor could not start the server.
    #[error("cannot start {}: {reason}", program.display())]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// What the supervisor said.
        reason: String,
    },
}

/// A command line, never a shell's.
#[derive(Clone, Debug)]
pub struct ServerCommand {
    /// The program: a path, or a name to be found in `PATH`.
    pub program: OsString,
    /// Its arguments, passed as they are.
    pub args: Vec<OsString>,
    /// Names of variables whose values come from our own environment.
    pub variables: Vec<String>,
    /// Values of such variables that our own environment does not have.
    pub given: BTreeMap<String, String>,
    /// Where it starts.
    pub directory: PathBuf,
    /// What it is kept from.
    pub sandbox: Sandbox,
}

/// Starts servers through a worker.
#[derive(Clone, Debug)]
pub struct Launcher {
    worker: PathBuf,
}

impl Launcher {
    /// The executable that plays the worker: our own, entered again.
    pub fn from_current_executable() -> io::Result<Self> {
        facets_worker::own_executable().map(|worker| Self { worker })
    }

    /// Another executable that calls `facets_worker::enter`.
    #[must_use]
    pub fn with_worker(worker: PathBuf) -> Self {
        Self { worker }
    }

    /// Starts a server.
    pub fn start(&self, command: &ServerCommand) -> Result<Running, LaunchError> {
        self.start_heard(command, |_| {})
    }

    /// Starts a server, and has somebody listen to its standard error.
    pub fn start_heard(
        &self,
        command: &ServerCommand,
        listener: impl FnMut(&[u8]) + Send + 'static,
    ) -> Result<Running, LaunchError> {
        self.start_order(&order(command)?, listener)
    }

    /// Starts the source scanner, in as much of a cage as this machine has.
    pub(crate) fn start_scanner(&self) -> Result<Running, LaunchError> {
        let available = available_confinement();
        let network = if available.seccomp && available.landlock > 0 {
            Network::Closed
        } else {
            Network::Open
        };
        let filesystem = match available.landlock {
            0 => Filesystem::Open,
            _ => Filesystem::Listed { read: Vec::new(), write: Vec::new() },
        };
        let order = Order {
            program: SCAN.into(),
            args: Vec::new(),
            env: Vec::new(),
            directory: "/".into(),
            sandbox: Sandbox { network, filesystem, ..Sandbox::default() },
        };
        self.start_order(&order, |_| {})
    }

    fn start_order(
        &self,
        order: &Order,
        listener: impl FnMut(&[u8]) + Send + 'static,
    ) -> Result<Running, LaunchError> {
        let (ours, theirs) = UnixStream::pair()?;
        let worker = Command::new(&self.worker)
            .arg(SUPERVISE)
            .env_clear()
            .envs(std::env::var_os("TMPDIR").map(|folder| ("TMPDIR", folder)))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let (server_stdin, stdin) = io::pipe()?;
        let (stdout, server_stdout) = io::pipe()?;
        let (stderr, server_stderr) = io::pipe()?;
        let streams = [server_stdin.as_fd(), server_stdout.as_fd(), server_stderr.as_fd()];
        send(&ours, &order.encode(), &streams)?;
        let running = Running::new(worker, ours, stdin, stdout, Tail::follow(stderr, listener));
        running
            .wait_for_start()
            .map_err(|reason| LaunchError::NotStarted { program: order.program.clone(), reason })
    }
}

/// The length travels with the streams, the order follows.
fn send(control: &UnixStream, order: &[u8], streams: &[BorrowedFd<'_>; 3]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(streams));
    let length = (order.len() as u64).to_le_bytes();
    sendmsg(control, &[IoSlice::new(&length)], &mut ancillary, SendFlags::NOSIGNAL)?;
    (&*control).write_all(order)
}

/// spec 5.2: this environment and no other, so that what was captured is what is served
fn order(command: &ServerCommand) -> Result<Order, LaunchError> {
    let path = search_path();
    let mut env: Vec<(OsString, OsString)> = vec![
        ("TZ".into(), "UTC".into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("PATH".into(), path.clone()),
    ];
    for name in &command.variables {
        let value = command.given.get(name).map(OsString::from);
        let value = value.or_else(|| std::env::var_os(name));
        let value = value.ok_or_else(|| LaunchError::NoVariable { name: name.clone() })?;
        env.push((name.into(), value));
    }
    let program = find(&command.program, &command.directory, &path).ok_or_else(|| {
        LaunchError::NoProgram { program: command.program.clone().into(), path: path.clone() }
    })?;
    Ok(Order {
        program,
        args: command.args.clone(),
        env,
        directory: command.directory.clone(),
        sandbox: command.sandbox.clone(),
    })
}

/// Every file that is executed when a program starts: itself, the interpreters that its first
/// lines name, and what loads them.
#[must_use]
pub fn executables(program: &OsStr, directory: &Path) -> Vec<PathBuf> {
    const LOADERS: [&str; 5] = [
        "/lib64/ld-linux-x86-64.so.2",
        "/lib/ld-linux-aarch64.so.1",
        "/lib/ld-musl-x86_64.so.1",
        "/lib/ld-musl-aarch64.so.1",
        "/lib/ld-linux.so.2",
    ];
    let mut found: Vec<PathBuf> =
        LOADERS.iter().map(PathBuf::from).filter(|loader| loader.exists()).collect();
    let mut next = find_program(program, directory);
    // A script may name a script; more than a few nobody writes.
    for _ in 0..8 {
        let Some(file) = next.take() else { break };
        next = interpreter(&file).and_then(|words| {
            let [first, rest @ ..] = words.as_slice() else { return None };
            found.push(first.into());
            let is_env = Path::new(first).file_name().is_some_and(|name| name == "env");
            let named = rest.iter().find(|word| !word.starts_with('-'));
            match named.filter(|_| is_env) {
                Some(program) => find_program(OsStr::new(program), directory),
                None => Some(first.into()),
            }
        });
        found.push(file);
    }
    found.sort();
    found.dedup();
    found
}

/// The words behind `#!`, if a file begins with that.
fn interpreter(file: &Path) -> Option<Vec<String>> {
    let mut start = [0; 512];
    let count = std::fs::File::open(file).and_then(|mut file| file.read(&mut start)).ok()?;
    let line = start[..count].split(|byte| *byte == b'\n').next()?.strip_prefix(b"#!")?;
    let line = std::str::from_utf8(line).ok()?;
    Some(line.split_whitespace().map(str::to_owned).collect())
}

/// The file that would be started for a name.
#[must_use]
pub fn find_program(program: &OsStr, directory: &Path) -> Option<PathBuf> {
    find(program, directory, &search_path())
}

fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}

/// Looks a program up as a shell does, once, so that an error can name where it was missed.
fn find(program: &OsStr, directory: &Path, path: &OsStr) -> Option<PathBuf> {
    let as_path = Path::new(program);
    let candidates: Vec<PathBuf> = if as_path.components().count() > 1 || as_path.is_absolute() {
        vec![directory.join(as_path)]
    } else {
        std::env::split_paths(path).map(|folder| directory.join(folder).join(program)).collect()
    };
    candidates.into_iter().find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
