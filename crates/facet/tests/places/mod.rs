//! Disks that are full or cannot be written, and a proxy.

use std::io::Write as _;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use facets_testkit::raw_http::RawHead;
use facets_testkit::skip;

use crate::trusted::Ran;

/// A directory that becomes a disk of its own, for the commands that are run with it.
pub(crate) struct Disk {
    path: PathBuf,
    mount: &'static str,
}

impl Disk {
    /// An empty disk that cannot be written; none, and a visible skip, where nothing can be mounted.
    pub(crate) fn read_only(path: &Path) -> Option<Self> {
        Self::mounted(path, "mount -t tmpfs -o ro,mode=700 none \"$1\"")
    }

    /// The directory with what it has, which cannot be written.
    pub(crate) fn remounted(path: &Path) -> Option<Self> {
        Self::mounted(path, "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\"")
    }

    /// An empty disk with little room.
    pub(crate) fn small(path: &Path) -> Option<Self> {
        Self::mounted(path, "mount -t tmpfs -o size=512k,mode=700 none \"$1\"")
    }

    fn mounted(path: &Path, mount: &'static str) -> Option<Self> {
        let can = in_namespace().args(["sh", "-c", "mount -t tmpfs none /mnt"]).output();
        if !can.is_ok_and(|output| output.status.success()) {
            skip("a file system cannot be mounted here");
            return None;
        }
        Some(Self { path: path.to_owned(), mount })
    }

    /// What a command does beside the disk.
    pub(crate) fn run(&self, command: &Command) -> Ran {
        self.run_script("exec \"$@\"", command)
    }

    /// The same in a script that has the command as its arguments, and starts where the command does.
    pub(crate) fn run_script(&self, script: &str, command: &Command) -> Ran {
        let script = format!("{} && cd \"$2\" && shift 2 && {script}", self.mount);
        let directory = command.get_current_dir().unwrap();
        let mut all = in_namespace();
        all.args(["sh", "-c", &script, "sh"]).arg(&self.path).arg(directory);
        all.arg(command.get_program()).args(command.get_args()).current_dir("/");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => all.env(name, value),
                None => all.env_remove(name),
            };
        }
        Ran::of(&all.stdin(std::process::Stdio::null()).output().unwrap())
    }
}

/// Starts a program with mounts of its own.
fn in_namespace() -> Command {
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command.arg("--mount");
    command
}

/// What a [`Forwarder`] is to its clients.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// A registry, which really is the one at this port, and takes its time.
    Slow(u16, Duration),
    /// A proxy that leads every name to this machine.
    Proxy,
}

/// Something between a user and a registry.
pub(crate) struct Forwarder {
    pub(crate) url: String,
    requests: Arc<AtomicUsize>,
}

impl Forwarder {
    /// Answers until the process ends.
    pub(crate) fn start(role: Role) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::Relaxed);
                std::thread::spawn(move || match role {
                    Role::Slow(port, wait) => answer_slowly(stream, port, wait),
                    Role::Proxy => tunnel(stream),
                });
            }
        });
        Self { url, requests }
    }

    /// How many connections it had.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

fn connect(port: u16) -> Option<TcpStream> {
    TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port))).ok()
}

/// One request for each connection.
fn answer_slowly(mut client: TcpStream, port: u16, wait: Duration) -> Option<()> {
    let head = RawHead::read(&mut client)?;
    std::thread::sleep(wait);
    let headers = head.headers.iter().filter(|(name, _)| *name != "connection");
    let headers: String = headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let line = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", head.method, head.path);
    let mut server = connect(port)?;
    server.write_all(format!("{line}{headers}\r\n").as_bytes()).ok()?;
    std::io::copy(&mut server, &mut client).ok()?;
    Some(())
}

/// `CONNECT NAME:PORT`, and then bytes both ways.
fn tunnel(mut client: TcpStream) -> Option<()> {
    let head = RawHead::read(&mut client)?;
    let port: u16 = head.path.rsplit(':').next()?.parse().ok()?;
    if head.method != "CONNECT" {
        return None;
    }
    let mut server = connect(port)?;
    client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").ok()?;
    let (mut from, mut to) = (client.try_clone().ok()?, server.try_clone().ok()?);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    std::io::copy(&mut server, &mut client).ok()?;
    client.shutdown(Shutdown::Write).ok()
}
