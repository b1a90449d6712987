//! A registry that runs, a client for it, and something to publish.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use facets_archive::{ArchiveLimits, SourceTree, pack_facet};
use facets_model::tree::ManifestFormat;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Longer than any answer takes, and shorter than a run of the tests may.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A registry process with its own data directory.
pub(crate) struct RegistryProcess {
    child: Child,
    pub(crate) data: TempDir,
    /// `http` or `https`, as it was printed.
    pub(crate) scheme: String,
    /// `HOST:PORT`.
    pub(crate) address: String,
}

/// A command of the program, with nothing of this machine's environment.
pub(crate) fn program(data: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_facet-registry"));
    command.env_clear().env("HOME", data.path()).arg("--data").arg(data.path().join("data"));
    command
}

/// What a command printed.
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn run(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { exit: status.code().unwrap_or(-1), stdout: text(stdout), stderr: text(stderr) }
}

impl RegistryProcess {
    /// Starts one that limits no rates, with these flags more.
    pub(crate) fn start(flags: &[&str]) -> Self {
        let unlimited = ["--read-rate", "0", "--write-rate", "0", "--connections-per-address", "0"];
        Self::start_with_rates(&[&unlimited[..], flags].concat())
    }

    pub(crate) fn start_with_rates(flags: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), flags)
    }

    /// Starts one on this directory, with only these flags.
    pub(crate) fn start_in(data: TempDir, flags: &[&str]) -> Self {
        let mut command = program(&data);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "off"]).args(flags);
        let Some((child, url)) = start_serving(&mut command) else { panic!("{command:?} ended") };
        let (scheme, address) = url.split_once("://").unwrap();
        Self { child, data, scheme: scheme.to_owned(), address: address.to_owned() }
    }

    /// A new token.
    pub(crate) fn token(&self, scopes: &[&str], owner: &str) -> String {
        let mut command = program(&self.data);
        command.args(["token", "create", "--owner", owner]);
        for scope in scopes {
            command.args(["--scope", scope]);
        }
        let ran = run(&mut command);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        ran.stdout.trim_end().to_owned()
    }

    /// A token that was revoked.
    pub(crate) fn revoked_token(&self, scopes: &[&str], owner: &str) -> String {
        let ids = || -> Vec<String> {
            let listed = run(program(&self.data).args(["--json", "token", "list"]));
            let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
            let tokens = listed["tokens"].as_array().unwrap().iter();
            tokens.map(|token| token["id"].as_str().unwrap().to_owned()).collect()
        };
        let before = ids();
        let token = self.token(scopes, owner);
        let new = ids().into_iter().find(|id| !before.contains(id)).unwrap();
        let ran = run(program(&self.data).args(["token", "revoke", &new]));
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        token
    }

    pub(crate) fn connect(&self) -> TcpStream {
        connect(&self.address).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], b"")
    }

    pub(crate) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.ask("GET", path, headers, b"")
    }

    /// Sends a request on a connection of its own.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        send(&self.address, &request(method, path, headers, body))
            .unwrap_or_else(|| panic!("no answer to {method} {path}"))
    }

    pub(crate) fn publish(&self, name: &str, archive: &[u8], token: &str) -> Reply {
        let path = format!("/v0/facets/{name}/versions");
        self.ask("POST", &path, &[bearer(token).as_pair()], archive)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the registry does not end");
    }
}

impl Drop for RegistryProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a command that serves, and gives the address that it prints; nothing if it ends before that.
pub(crate) fn start_serving(command: &mut Command) -> Option<(Child, String)> {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let Some(url) = line.trim_end().strip_prefix("listening on ") else {
        let _ = child.kill();
        let _ = child.wait();
        return None;
    };
    Some((child, url.to_owned()))
}

fn connect(address: &str) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Sends a request on a connection of its own. There is no answer if the process is gone.
pub(crate) fn send(address: &str, request: &[u8]) -> Option<Reply> {
    let mut stream = connect(address).ok()?;
    // A refusal may come, and end the connection, before all was sent.
    let _ = stream.write_all(request);
    read_reply(&mut stream)
}

/// A header with a token.
pub(crate) struct Bearer(String);

pub(crate) fn bearer(token: &str) -> Bearer {
    Bearer(format!("Bearer {token}"))
}

impl Bearer {
    pub(crate) fn as_pair(&self) -> (&str, &str) {
        ("Authorization", &self.0)
    }
}

/// The bytes of a request, after which the connection is to be closed.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: registry\r\nConnection: close\r\n");
    for (name, value) in headers {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    if !body.is_empty() || method == "POST" {
        let _ = write!(text, "Content-Length: {}\r\n", body.len());
    }
    [text.as_bytes(), b"\r\n", body].concat()
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }

    /// The code of a refusal, which is complete.
    pub(crate) fn code(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{problem}");
        for member in ["type", "title", "detail", "error", "fix", "request_id"] {
            assert!(problem[member].is_string(), "{member}: {problem}");
        }
        // Clients show it as it is.
        let docs_url = problem.get("docs_url").map(|url| url.as_str().unwrap());
        assert!(docs_url.is_none_or(|url| url.contains("://")), "{problem}");
        problem["code"].as_str().unwrap().to_owned()
    }
}

/// Reads until the connection ends; nothing if it ends before the head does.
pub(crate) fn read_reply(stream: &mut impl std::io::Read) -> Option<Reply> {
    let mut bytes = Vec::new();
    // What came before a reset counts.
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..count]);
    }
    parse_reply(&bytes)
}

fn parse_reply(bytes: &[u8]) -> Option<Reply> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Some(Reply { status, headers, body: bytes[end + 4..].to_vec() })
}

/// The archive of a facet.
pub(crate) fn facet(name: &str, version: &str, text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!(
        r#"{{"name":"{name}","version":"{version}","description":"Reviews code","skills":{{"review":{{"description":"d"}}}}}}"#
    );
    fs::write(folder.path().join("facet.json"), manifest).unwrap();
    fs::create_dir_all(folder.path().join("skills/review")).unwrap();
    fs::write(folder.path().join("skills/review/SKILL.md"), text).unwrap();
    let tree = SourceTree::open(folder.path()).unwrap();
    let mut bytes = Vec::new();
    pack_facet(&tree, ManifestFormat::Json, &ArchiveLimits::SPEC, &mut bytes).unwrap();
    bytes
}

/// Waits until something is so.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
