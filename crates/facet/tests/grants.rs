//! What a server was granted, seen from inside real bun, node and Python servers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use facets_testkit::{Client, component, put_program, repository_root, skip};
use serde_json::{Value, json};

/// A project for any user, and things that may or may not be reached.
struct Place {
    folder: tempfile::TempDir,
    user: Option<&'static str>,
    tcp: u16,
    udp: UdpSocket,
    web: u16,
    _unix: UnixListener,
    _datagram: UnixDatagram,
}

impl Place {
    fn new(user: Option<&'static str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        for name in ["work", "home", "outside"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            open_to_all(&folder.path().join(name), if name == "outside" { 0o777 } else { 0o755 });
        }
        open_to_all(folder.path(), 0o755);
        std::fs::write(outside.join("secret"), "secret").unwrap();
        put_program(Path::new(env!("CARGO_BIN_EXE_facet")), &folder.path().join("facet"));
        for script in ["probe.mjs", "probe.py"] {
            let data = repository_root().join("crates/facet/tests/data").join(script);
            std::fs::copy(data, folder.path().join("work").join(script)).unwrap();
        }
        let unix = UnixListener::bind(outside.join("socket")).unwrap();
        open_to_all(&outside.join("socket"), 0o777);
        let datagram = UnixDatagram::bind(outside.join("datagram")).unwrap();
        open_to_all(&outside.join("datagram"), 0o777);
        if let Some(user) = user {
            for name in ["work", "home"] {
                let owned = Command::new("chown").arg(user).arg(folder.path().join(name)).status();
                assert!(owned.unwrap().success());
            }
        }
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (tcp, web) = (accept(b""), accept(OK));
        Self { folder, user, tcp, udp, web, _unix: unix, _datagram: datagram }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn facet(&self, arguments: &[&str]) -> Command {
        let mut command = match self.user {
            None => Command::new(self.path("facet")),
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["-u", user, "--"]).arg(self.path("facet"));
                command
            }
        };
        command.args(arguments).current_dir(self.path("work")).env("FACET_DIR", self.path("home"));
        command
    }

    #[track_caller]
    fn ran(&self, arguments: &[&str]) {
        let output = self.facet(arguments).output().unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {talk}");
    }

    /// What the server reaches with these grants.
    fn reached(&self, name: &str, settings: &[&str], options: &[&str]) -> Value {
        self.reads(name, settings, options, &self.path("outside/secret"))
    }

    /// The same, with this file to be read.
    fn reads(&self, name: &str, settings: &[&str], options: &[&str], file: &Path) -> Value {
        self.ran(&[&["grant", name, "--yes"], settings].concat());
        let _ = std::fs::remove_file(self.path("outside/written"));
        let mut command = self.facet(&[&["run", name], options].concat());
        let mut client = Client::start(&mut command, Stdio::inherit());
        client.initialize("test", &json!({}));
        let asked = json!({
            "tcp": self.tcp,
            "udp": self.udp.local_addr().unwrap().port(),
            "unix": self.path("outside/socket"),
            "datagram": self.path("outside/datagram"),
            "secret": file,
            "directory": self.path("outside"),
            "granted": format!("http://127.0.0.1:{}/", self.web),
            "denied": format!("http://127.0.0.1:{}/", self.tcp),
        });
        let answer = client.call("probe", &asked);
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{name} {settings:?}: {answer}"));
        serde_json::from_str(text).unwrap()
    }
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A listener that answers everybody alike.
fn accept(answer: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(answer);
            });
        }
    });
    port
}

fn open_to_all(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

const EVERYTHING: [&str; 7] = ["tcp", "udp", "unix", "child", "read", "write", "scratch"];

fn check(place: &Place, name: &str, runtime: &Path, script: &str) {
    let runtime = runtime.to_str().unwrap();
    place.ran(&["add", name, "--yes", "--", runtime, script]);
    let expect = |settings: &[&str], options: &[&str], open: &[&str]| {
        let seen = place.reached(name, settings, options);
        let all = EVERYTHING.iter().chain(&["granted", "denied"]);
        let reached: Vec<&str> = all.copied().filter(|what| seen[what] == "reached").collect();
        let what = format!("{runtime} as {:?}, {settings:?}: {seen}", place.user);
        assert_eq!(reached, open, "{what}");
        // Whoever is kept from anything has no way around it.
        if let Some(hatch) = seen["hatch"].as_str() {
            assert_eq!(hatch == "reached", open == EVERYTHING, "{what}");
        }
    };
    expect(&[], &[], &EVERYTHING);
    expect(&["network=none"], &[], &["child", "read", "write", "scratch"]);
    let web = format!("network=127.0.0.1:{}", place.web);
    expect(&[&web], &[], &["child", "read", "write", "scratch", "granted"]);
    expect(
        &["network=all", "subprocess=no"],
        &[],
        &["tcp", "udp", "unix", "read", "write", "scratch"],
    );
    let none = ["subprocess=yes", "filesystem=none"];
    // A socket that lies among the files is closed with them.
    expect(&none, &[], &["tcp", "udp", "child", "scratch"]);
    let outside = place.path("outside").to_str().unwrap().to_owned();
    let read = format!("filesystem=ro:{outside}");
    expect(&[&read], &[], &["tcp", "udp", "child", "read", "scratch"]);
    let all_but_unix: Vec<&str> = EVERYTHING.into_iter().filter(|what| *what != "unix").collect();
    expect(&[&format!("filesystem={outside}")], &[], &all_but_unix);
    let closed = ["filesystem=none", "network=none", "subprocess=no"];
    expect(&closed, &[], &["scratch"]);
    expect(&[], &["--sandbox", "off"], &EVERYTHING);
    // Looking at it again keeps it in its sandbox, and finds nothing new.
    place.ran(&["check", name]);
}

fn check_all(user: Option<&'static str>) {
    let place = Place::new(user);
    for (name, script) in [("node", "probe.mjs"), ("bun", "probe.mjs"), ("python3", "probe.py")] {
        // The system's own, where there is one: others are often scripts that start another.
        let of_system = Path::new("/usr/bin").join(name);
        let of_system = of_system.is_file().then_some(of_system);
        // Its absence is said there.
        let Some(mut runtime) = of_system.or_else(|| component(name)) else { continue };
        if user.is_some() && !runtime.starts_with("/usr") {
            let copy = place.path("runtime/bin").join(name);
            std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
            put_program(&runtime, &copy);
            runtime = copy;
        }
        check(&place, name, &runtime, script);
    }
}

/// As npm installs programs: a link to a script in a package.
#[test]
fn a_program_of_a_package_reads_its_package_and_no_more() {
    let Some(node) = component("node") else { return };
    let place = Place::new(None);
    let package = place.path("work/node_modules/probing");
    let programs = place.path("work/node_modules/.bin");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::create_dir_all(&programs).unwrap();
    std::fs::write(package.join("package.json"), "{}").unwrap();
    let script = std::fs::read_to_string(place.path("work/probe.mjs")).unwrap();
    let script = format!("#!{}\n{script}", node.display());
    std::fs::write(package.join("cli.mjs"), script).unwrap();
    open_to_all(&package.join("cli.mjs"), 0o755);
    std::os::unix::fs::symlink("../probing/cli.mjs", programs.join("probing")).unwrap();
    place.ran(&["add", "probing", "--yes", "--", "./node_modules/.bin/probing"]);
    let own = package.join("package.json");
    let seen = place.reads("probing", &["filesystem=none"], &[], &own);
    assert_eq!((&seen["read"], &seen["write"]), (&json!("reached"), &json!("closed")), "{seen}");
    let seen = place.reached("probing", &[], &[]);
    assert_eq!(seen["read"], "closed", "{seen}");
}

#[test]
fn grants_hold_for_this_user() {
    check_all(None);
}

#[test]
fn grants_hold_for_an_unprivileged_user() {
    if Command::new("id").arg("-u").output().unwrap().stdout != b"0\n" {
        return skip("only root can switch to another user");
    }
    check_all(Some("nobody"));
}
