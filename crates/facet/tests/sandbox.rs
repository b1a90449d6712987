//! The sandbox, with real node and bun: what is closed is closed, and the server still answers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;

use facets_testkit::{component, put_program, repository_root};
use serde_json::Value;

/// Copies of what another user must be able to reach, and things that must not be reached.
struct Place {
    folder: tempfile::TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    _unix: UnixListener,
    _datagram: UnixDatagram,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "outside"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            open_to_all(&folder.path().join(name), 0o777);
        }
        open_to_all(folder.path(), 0o755);
        std::fs::write(folder.path().join("outside/secret"), "secret").unwrap();
        let script = repository_root().join("crates/facet/tests/data/escape.mjs");
        std::fs::copy(script, folder.path().join("work/escape.mjs")).unwrap();
        put_program(Path::new(env!("CARGO_BIN_EXE_facet")), &folder.path().join("facet"));
        let socket = folder.path().join("outside/socket");
        let unix = UnixListener::bind(&socket).unwrap();
        open_to_all(&socket, 0o777);
        let datagram = UnixDatagram::bind(folder.path().join("outside/socket.datagram")).unwrap();
        open_to_all(&folder.path().join("outside/socket.datagram"), 0o777);
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        Self { folder, tcp, udp, _unix: unix, _datagram: datagram }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn inspect(&self, runtime: &Path, user: Option<&str>, sandbox: &[&str]) -> Value {
        let mut command = match user {
            None => Command::new(self.path("facet")),
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["-u", user, "--"]).arg(self.path("facet"));
                command
            }
        };
        command.args(["inspect", "--yes", "--format", "json"]).args(sandbox).arg("--").arg(runtime);
        command.arg("escape.mjs").arg(self.tcp.local_addr().unwrap().port().to_string());
        command.arg(self.udp.local_addr().unwrap().port().to_string());
        command
            .arg(self.path("outside/socket"))
            .arg(self.path("outside/secret"))
            .arg(self.path("outside"));
        let output = command.current_dir(self.path("work")).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        assert!(report["error"].is_null(), "{} {user:?} {sandbox:?}: {report}", runtime.display());
        self.description(&report)
    }

    /// The report has only hashes; the text is in the surface file.
    fn description(&self, report: &Value) -> Value {
        assert_eq!(report["tools"].as_object().unwrap().len(), 1);
        let saved = self.path("work/surface.json");
        let surface: Value = serde_json::from_slice(&std::fs::read(&saved).unwrap()).unwrap();
        std::fs::remove_file(&saved).unwrap();
        serde_json::from_str(surface["tools"][0]["description"].as_str().unwrap()).unwrap()
    }
}

fn open_to_all(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn reached<'v>(seen: &'v Value, names: &[&'v str]) -> Vec<&'v str> {
    names.iter().copied().filter(|name| seen[name] == "reached").collect()
}

const NETWORK: &[&str] = &["tcp", "udp", "unix", "datagram", "netlink", "inet6", "io_uring"];
const FILES: &[&str] = &["secret", "home", "write"];
const ALWAYS: &[&str] = &["child", "pair", "system", "scratch"];

fn check(place: &Place, runtime: &Path, user: Option<&str>) {
    let what = format!("{} as {user:?}", runtime.display());
    let save = ["--save", "surface.json"];
    let with = |sandbox: &[&str]| place.inspect(runtime, user, &[&save[..], sandbox].concat());
    let open = with(&[]);
    // Some machines close io_uring for everybody, which is no work of ours.
    let usually: Vec<&str> = NETWORK.iter().copied().filter(|name| *name != "io_uring").collect();
    assert_eq!(reached(&open, &usually), usually, "{what}: {open}");
    assert_eq!(reached(&open, FILES), FILES, "{what}: {open}");
    let _ = std::fs::remove_file(place.path("outside/written"));
    let network = with(&["--sandbox", "network"]);
    assert!(
        reached(&network, NETWORK).is_empty() && network["raw"] == "closed",
        "{what}: {network}"
    );
    assert_eq!(reached(&network, FILES), FILES, "{what}: {network}");
    if cfg!(target_arch = "x86_64") {
        assert_eq!((&open["x32"], &network["x32"]), (&"none".into(), &"SIGSYS".into()), "{what}");
    }
    let _ = std::fs::remove_file(place.path("outside/written"));
    let files = with(&["--sandbox", "filesystem"]);
    assert!(reached(&files, FILES).is_empty(), "{what}: {files}");
    assert_eq!(files["tcp"], "reached", "{what}: {files}");
    let both = with(&["--sandbox", "network,filesystem"]);
    assert!(reached(&both, &[NETWORK, FILES].concat()).is_empty(), "{what}: {both}");
    for seen in [&open, &network, &files, &both] {
        assert_eq!(reached(seen, ALWAYS), ALWAYS, "{what}: {seen}");
    }
    assert!(!place.path("outside/written").exists(), "{what}");
}

#[test]
fn what_is_closed_is_closed_for_this_user() {
    let place = Place::new();
    for runtime in ["node", "bun"] {
        let Some(runtime) = component(runtime) else { continue };
        check(&place, &runtime, None);
    }
}

#[test]
fn what_is_closed_is_closed_for_an_unprivileged_user() {
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if !is_root {
        // Then the other test has just shown it.
        return;
    }
    let place = Place::new();
    if let Some(bun) = component("bun") {
        let copy = place.path("runtime/bin/bun");
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        put_program(&bun, &copy);
        check(&place, &copy, Some("nobody"));
    }
    // Node is where everybody can start it, or it is no test of the sandbox.
    if let Some(node) = component("node").filter(|node| node.starts_with("/usr")) {
        check(&place, &node, Some("nobody"));
    }
}
