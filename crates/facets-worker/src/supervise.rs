//! The supervisor of one server.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, IoSliceMut, PipeReader, PipeWriter, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, IntoRawFd as _, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process_group, set_child_subreaper, setsid, wait,
};

use crate::launch_spec::{Filesystem, LaunchSpec, Network, Program, ResourceLimits};
use crate::limit_watch::wait_for_excess;
use crate::remove::remove_tree;
use crate::stage::{CONFINE, TERMINATE};
use crate::tree::{end_descendants, kill_descendants};
use crate::verified_path::verified_command;

/// How long a server may take to end by itself once it was asked to.
const GRACE: Duration = Duration::from_secs(1);

/// How long it may take to say how a server ended, once it has.
const LAST_WORD: Duration = Duration::from_secs(2);

/// How long processes take to end once they are killed.
const SETTLING: Duration = Duration::from_millis(10);

/// A launch specification is a command line, an environment, and the paths of a package.
const MAX_SPEC: usize = 128 << 20;

pub(crate) fn run() -> ! {
    // A session of its own: a terminal's signals are for facet, not for the server.
    let _ = setsid();
    let _ = set_child_subreaper(Some(getpid()));
    let code = match supervise() {
        Ok(()) => 0,
        Err(error) => {
            // Facet may be gone; there is nobody else to tell.
            if let Ok(mut control) = control_stream() {
                let _ = writeln!(control, "failed {error}");
            }
            1
        }
    };
    exit(code)
}

fn control_stream() -> io::Result<UnixStream> {
    io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from)
}

fn supervise() -> io::Result<()> {
    let mut control = control_stream()?;
    let (spec, streams) = receive_spec(&control)?;
    let scratch = Scratch::make()?;
    // The one stream that is kept: there is written why a server was ended.
    let limits = spec.limits.map(|limits| Ok::<_, io::Error>((limits, streams[2].try_clone()?)));
    let limits = limits.transpose()?;
    let ending = start(&spec, streams, &scratch)
        .and_then(|server| watch(&control, server, &scratch, limits));
    // What the server left behind does not outlive it, and nothing outlives a failure.
    end_everything(&scratch.path);
    // From here on facet may be gone, and it does not matter.
    let _ = writeln!(control, "{}", ending?);
    Ok(())
}

/// Comes back when the server has ended, by itself or because it used too much; if facet goes first, never.
fn watch(
    control: &UnixStream,
    server: Pid,
    scratch: &Scratch,
    limits: Option<(ResourceLimits, OwnedFd)>,
) -> io::Result<String> {
    let mut requests = control.try_clone()?;
    let scratch = scratch.path.clone();
    if let Some((limits, stderr)) = limits {
        let scratch = scratch.clone();
        std::thread::Builder::new().spawn(move || {
            let reason = wait_for_excess(limits, &scratch);
            end_for(&reason, &stderr);
        })?;
    }
    // Facet may have been killed while we started: then nobody hears this, and `listen`
    // comes back at once.
    let _ = writeln!(&*control, "started {}", server.as_raw_nonzero());
    std::thread::Builder::new().spawn(move || {
        listen(&mut requests, server);
        end_everything(&scratch);
        // The one who waits for the server tells how it ended, and then ends this process. To
        // be faster than that would look as if the supervisor had been killed.
        std::thread::sleep(LAST_WORD);
        exit(0)
    })?;
    Ok(reap_until_end_of(server))
}

/// Comes back when the server is to be killed.
fn listen(control: &mut UnixStream, server: Pid) {
    let mut word = [0];
    // No word, or an error: facet is gone.
    while let Ok(1) = control.read(&mut word) {
        if word[0] == TERMINATE {
            let _ = kill_process_group(server, Signal::TERM);
            let _ = control.set_read_timeout(Some(GRACE));
        }
    }
}

/// How the line begins that says why a server was ended.
pub const ENDED_FOR: &str = "facet: the server was ended: ";

/// Several threads may end something; none must end the process before the others are done.
static ENDING: Mutex<()> = Mutex::new(());

/// Kills a server that used too much. That is noticed like the end of any server, which is then told of.
fn end_for(reason: &str, stderr: &OwnedFd) {
    let _guard = ENDING.lock();
    kill_descendants();
    // What they were about to write comes first; and one that was just made may have been missed.
    std::thread::sleep(SETTLING);
    kill_descendants();
    tell(stderr, &format!("\n{ENDED_FOR}{reason}\n"));
}

/// Writes to the standard error of a server that has ended. If it is not read, that is given up after a while.
fn tell(stderr: &OwnedFd, text: &str) {
    let _ = fcntl_setfl(stderr, OFlags::NONBLOCK);
    let begin = Instant::now();
    let mut rest = text.as_bytes();
    while !rest.is_empty() && begin.elapsed() < LAST_WORD {
        match rustix::io::write(stderr, rest) {
            Ok(count) => rest = &rest[count..],
            // What the server wrote last is still in the pipe.
            Err(Errno::AGAIN | Errno::INTR) => std::thread::sleep(Duration::from_millis(1)),
            Err(_) => return,
        }
    }
}

fn end_everything(scratch: &Path) {
    let _guard = ENDING.lock();
    end_descendants();
    remove_tree(scratch);
}

/// For facet, when a supervisor was killed: removes its scratch directory, whichever of its names it has. It lies
/// in this folder, or where temporary files lie.
pub fn remove_scratch(supervisor: u32, folder: Option<&Path>) {
    let path = scratch_path(supervisor, folder);
    remove_tree(&path);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let begin = format!("{}-", name.to_string_lossy());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&begin) {
            remove_tree(&entry.path());
        }
    }
}

fn scratch_path(supervisor: u32, folder: Option<&Path>) -> PathBuf {
    let folder = folder.map_or_else(std::env::temp_dir, Path::to_owned);
    // Where it really lies: what is opened to a server is opened without links.
    let folder = fs::canonicalize(&folder).unwrap_or(folder);
    folder.join(format!("facet-{supervisor}"))
}

/// Reaps whatever dies below us, until it is the server.
fn reap_until_end_of(server: Pid) -> String {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == server => {
                return match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => format!("exited {code}"),
                    (None, Some(signal)) => format!("killed {signal}"),
                    (None, None) => continue,
                };
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return "lost".to_owned(),
        }
    }
}

type Streams = [OwnedFd; 3];

/// The length comes with the three streams of the server, the specification behind it.
fn receive_spec(control: &UnixStream) -> io::Result<(LaunchSpec, Streams)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut length = [0; 8];
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL;
    let received = recvmsg(control, &mut [IoSliceMut::new(&mut length)], &mut ancillary, flags)?;
    let mut streams = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            streams.extend(descriptors);
        }
    }
    let malformed = || io::Error::from(io::ErrorKind::InvalidData);
    let streams: Streams = streams.try_into().map_err(|_| malformed())?;
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
    if received.bytes != 8 || length > MAX_SPEC {
        return Err(malformed());
    }
    let mut bytes = vec![0; length];
    (&*control).read_exact(&mut bytes)?;
    Ok((LaunchSpec::decode(&bytes).map_err(|_| malformed())?, streams))
}

/// A directory that only this server uses, removed with it.
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn make() -> io::Result<Self> {
        let path = scratch_path(std::process::id(), None);
        // Left over from a supervisor of the same number that was killed.
        remove_tree(&path);
        match DirBuilder::new().mode(0o700).create(&path) {
            // Another user's, or of another process namespace: numbers are used again.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::make_beside(&path),
            made => made.map(|()| Self { path }),
        }
    }

    /// Under a name that cannot be foreseen, and so cannot be taken.
    fn make_beside(taken: &Path) -> io::Result<Self> {
        let random = RandomState::new().build_hasher().finish();
        let path = PathBuf::from(format!("{}-{random:016x}", taken.display()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }

    /// The folder that a variable leads to.
    fn folder(&self, variable: &OsStr) -> io::Result<PathBuf> {
        let folder = self.path.join(variable.to_ascii_lowercase());
        DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(folder)
    }
}

fn start(
    spec: &LaunchSpec,
    [stdin, stdout, stderr]: Streams,
    scratch: &Scratch,
) -> io::Result<Pid> {
    let mut env = spec.env.clone();
    for variable in &spec.scratch {
        env.push((variable.clone(), scratch.folder(variable)?.into()));
    }
    // Whatever facet's own parent forgot to close is none of the server's business.
    close_fds::set_fds_cloexec(3, &[]);
    // The file stays open until it is executed.
    let (mut command, confined, _file) = match &spec.program {
        Program::File(program) if spec.sandbox.is_open() && spec.limits.is_none() => {
            let (mut command, file) = verified_command(program, &spec.verified)?;
            command.args(&spec.args).env_clear().envs(env);
            (command, None, file)
        }
        _ => {
            let (command, confined) = confine(LaunchSpec { env, ..spec.clone() }, &scratch.path)?;
            (command, Some(confined), None)
        }
    };
    command
        .current_dir(&spec.directory)
        .process_group(0)
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr));
    let child = command.spawn()?;
    if let Some(confined) = confined {
        hold_process_folder(child.id());
        confined.send();
    }
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| io::Error::other("the server has no process id"))
}

/// The sandbox opens the server's own folder below `/proc`, as the kernel holds it in memory. If that were dropped for
/// want of memory, another would be made that is not opened. It is held until this process ends.
fn hold_process_folder(server: u32) {
    let folder = open(format!("/proc/{server}"), OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    let _ = folder.map(OwnedFd::into_raw_fd);
}

/// What the last stage has to know, on its way there: no command line is long enough for it.
struct SpecPipe {
    reader: PipeReader,
    writer: PipeWriter,
    spec: LaunchSpec,
}

impl SpecPipe {
    fn send(self) {
        let Self { reader, mut writer, spec } = self;
        drop(reader);
        // If nobody reads it, the stage has ended, and is reaped like a server.
        let _ = writer.write_all(&spec.encode());
    }
}

/// The same executable once more, which confines itself and then becomes the server. What the server is
/// given, its variables above all, does not reach it before that.
fn confine(mut spec: LaunchSpec, scratch: &Path) -> io::Result<(Command, SpecPipe)> {
    if let Filesystem::Listed { write, .. } = &mut spec.sandbox.filesystem {
        write.push(scratch.to_owned());
    }
    let (reader, writer) = io::pipe()?;
    // The one descriptor that the stage inherits beside its streams.
    fcntl_setfd(&reader, FdFlags::empty())?;
    let mut command = Command::new(crate::stage::own_executable()?);
    command.arg(CONFINE).arg(reader.as_raw_fd().to_string()).env_clear();
    if let Network::Hosts(hosts) = &spec.sandbox.network {
        let socket = scratch.join("proxy");
        crate::proxy::start(&socket, hosts)?;
        command.arg(socket);
    }
    Ok((command, SpecPipe { reader, writer, spec }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_gives_another_that_is_removed_with_it() {
        // No process has this number.
        let taken = scratch_path(u32::MAX, None);
        let first = Scratch::make_beside(&taken).unwrap();
        let second = Scratch::make_beside(&taken).unwrap();
        assert_ne!(first.path, second.path);
        assert!(first.path.is_dir() && second.path.is_dir());
        remove_scratch(u32::MAX, None);
        assert!(!first.path.exists() && !second.path.exists());
    }
}
