//! A PostgreSQL of the test's own.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::components::skip;

/// Where Debian has the programs of the server, beside those in the path.
const DEBIAN: &str = "/usr/lib/postgresql/15/bin";
/// The user of the database, who needs no password.
const USER: &str = "test";
/// How often a port is taken by another program before the server has it.
const ATTEMPTS: u32 = 3;

/// Stops the server and removes its files once the test process is gone, however it went: then standard
/// input ends. `$1` is the directory, and the rest is the command that stops the server.
const GUARD: &str =
    "trap '' INT TERM HUP; read -r _; folder=$1; shift; \"$@\"; rm -rf -- \"$folder\"";

/// A cluster in a directory of its own, at a free port of this machine. It ends with this value, or with
/// the process.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    guard: Option<Child>,
}

impl Postgres {
    /// Starts a server, or says that the test is skipped.
    ///
    /// # Panics
    /// If PostgreSQL is installed and cannot be started, or if it is not installed in CI.
    #[must_use]
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            skip("PostgreSQL 15 is not installed; `cargo xtask setup` installs it");
            return None;
        };
        let folder = own_folder();
        let mut server = Self { programs, folder, port: 0, guard: None };
        server.initialise();
        server.guard = Some(server.start_guard());
        for _ in 0..ATTEMPTS {
            server.port = free_port();
            if server.try_start() {
                return Some(server);
            }
        }
        panic!("PostgreSQL does not start: {}", server.log());
    }

    /// Makes a database that orders texts as people do, and gives its address.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn create_database(&self, name: &str) -> String {
        let mut create = Command::new(self.programs.join("createdb"));
        create.args(["-h", "127.0.0.1", "-U", USER, "-p", &self.port.to_string()]);
        create.args(["-T", "template0", "--locale-provider=icu", "--icu-locale=en", name]);
        succeed(&mut create);
        format!("postgres://{USER}@127.0.0.1:{}/{name}?sslmode=disable", self.port)
    }

    /// Ends the server as a crash does: connections break, and nothing is brought to the disk.
    ///
    /// # Panics
    /// If it does not run.
    pub fn crash(&self) {
        succeed(self.control().args(["-m", "immediate", "stop"]));
    }

    /// Starts the server again, at the same port.
    ///
    /// # Panics
    /// If it does not start.
    pub fn restart(&self) {
        assert!(self.try_start(), "PostgreSQL does not start again: {}", self.log());
    }

    fn initialise(&self) {
        let data = self.data();
        let mut initialise = self.as_server(&self.programs.join("initdb"));
        initialise.arg("-D").arg(&data).args(["-U", USER, "-A", "trust", "--no-sync"]);
        succeed(initialise.args(["-E", "UTF8", "--locale=C"]));
    }

    /// A crash of the server alone loses nothing that the system was given: it need not reach the disk.
    fn try_start(&self) -> bool {
        let settings = format!(
            "-p {} -k {} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200",
            self.port,
            self.home().display()
        );
        let mut start = self.control();
        start.args(["-w", "-l"]).arg(self.home().join("log")).arg("-o").arg(settings).arg("start");
        start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        start.status().is_ok_and(|status| status.success())
    }

    fn start_guard(&self) -> Child {
        let mut stop = self.control();
        stop.args(["-m", "immediate", "stop"]);
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "sh"]).arg(&self.folder).arg(stop.get_program());
        // Not in the directory that it removes, and not in one that the server cannot enter.
        guard.args(stop.get_args()).current_dir(std::env::temp_dir());
        guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        guard.spawn().unwrap_or_else(|error| panic!("cannot start {guard:?}: {error}"))
    }

    /// `pg_ctl`, which finds the process by the number that the server wrote down.
    fn control(&self) -> Command {
        let mut control = self.as_server(&self.programs.join("pg_ctl"));
        control.arg("-D").arg(self.data());
        control
    }

    /// The server refuses to run as root.
    fn as_server(&self, program: &Path) -> Command {
        let mut command = if is_root() {
            let mut switch = Command::new("runuser");
            switch.args(["-u", "postgres", "--"]).arg(program);
            switch
        } else {
            Command::new(program)
        };
        command.current_dir(&self.folder);
        command
    }

    /// The directory of the user that the server runs as.
    fn home(&self) -> PathBuf {
        self.folder.join("pg")
    }

    fn data(&self) -> PathBuf {
        self.home().join("data")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.home().join("log")).unwrap_or_default()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let Some(mut guard) = self.guard.take() else { return };
        // Its standard input ends, and it stops the server.
        drop(guard.stdin.take());
        let _ = guard.wait();
    }
}

fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::iter::once(PathBuf::from(DEBIAN)).chain(std::env::split_paths(&path));
    folders.find(|folder| folder.join("initdb").is_file())
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// A new directory that the user of the server can enter, and one inside that is its own.
fn own_folder() -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("facet-postgres-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let mut make = Command::new("install");
    make.args(["-d", "-m", "755"]).arg(&folder);
    succeed(&mut make);
    let mut make = Command::new("install");
    if is_root() {
        make.args(["-o", "postgres", "-g", "postgres"]);
    }
    succeed(make.args(["-d", "-m", "700"]).arg(folder.join("pg")));
    folder
}

fn free_port() -> u16 {
    let bound = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    bound.unwrap_or_else(|error| panic!("cannot listen on this machine: {error}")).port()
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {said}");
}
