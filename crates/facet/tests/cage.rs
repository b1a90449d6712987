//! Ways out of the sandbox, tried from inside a real Python server, as root and as another user: one
//! start, many tries, each by its name.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
// The tries are system calls by their numbers.
#![cfg(target_arch = "x86_64")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod caged;

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::process::Command;

use caged::{Place, data, is_root, runtime, users};
use facets_testkit::skip;
use serde_json::{Map, Value, json};

/// A place, and sockets outside.
struct Cage {
    place: Place,
    abstract_name: String,
    _sockets: (UnixListener, UnixDatagram, UnixListener),
}

impl Cage {
    fn new(user: &'static str) -> Self {
        Self::around(Place::new(user))
    }

    fn around(place: Place) -> Self {
        place.put("outside/victim", "secret");
        let python = runtime("python3").unwrap();
        let set = "import os, sys; os.setxattr(sys.argv[1], 'user.token', b'secret')";
        let set =
            Command::new(&python).args(["-c", set]).arg(place.path("outside/victim")).status();
        assert!(set.unwrap().success());
        place.put("work/cage.py", &data("cage.py"));
        let stream = UnixListener::bind(place.path("outside/socket")).unwrap();
        let datagram = UnixDatagram::bind(place.path("outside/datagram")).unwrap();
        let abstract_name = place.path("hidden").display().to_string();
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let hidden = UnixListener::bind_addr(&address).unwrap();
        place.give_to_user();
        place.ran(&["add", "cage", "--yes", "--", python.to_str().unwrap(), "cage.py"]);
        Self { place, abstract_name, _sockets: (stream, datagram, hidden) }
    }

    /// How tries of these kinds end with these grants.
    fn tried(&self, settings: &[&str], options: &[&str], kinds: &[&str]) -> Map<String, Value> {
        self.place.ran(&[&["grant", "cage", "--yes"], settings].concat());
        let asked = json!({
            "kinds": kinds,
            "outside": self.place.path("outside"),
            "victim": self.place.path("outside/victim"),
            "socket": self.place.path("outside/socket"),
            "datagram": self.place.path("outside/datagram"),
            "abstract": self.abstract_name,
        });
        let tried = self.place.called("cage", options, "tries", &asked);
        tried.as_object().unwrap().clone()
    }

    /// Every try ends like this.
    #[track_caller]
    fn expect(&self, settings: &[&str], kinds: &[&str], expected: &str) {
        let tried = self.tried(settings, &[], kinds);
        assert!(!tried.is_empty());
        let others: Vec<String> = tried
            .iter()
            .filter(|(_, end)| !end.as_str().unwrap().starts_with(expected))
            .map(|(name, end)| format!("{name}: {end}"))
            .collect();
        let user = self.place.user;
        assert_eq!(others, Vec::<String>::new(), "{user} {settings:?}, not {expected}");
    }
}

const FILES_CLOSED: [&str; 3] = ["network=all", "filesystem=none", "subprocess=yes"];

#[test]
fn no_way_leads_out_where_files_are_closed() {
    for user in users() {
        let cage = Cage::new(user);
        cage.expect(&FILES_CLOSED, &["always", "files"], "refused");
        cage.expect(&FILES_CLOSED, &["needed"], "reached");
        let victim = cage.place.path("outside/victim");
        let mode = victim.metadata().unwrap().permissions().mode();
        assert_eq!(std::fs::read(&victim).unwrap(), b"secret");
        assert_ne!(mode & 0o777, 0o777, "{user}");
        assert!(!cage.place.path("outside/made").exists());
    }
}

#[test]
fn no_way_leads_out_where_anything_is_closed() {
    for user in users() {
        let cage = Cage::new(user);
        for settings in [
            ["network=none", "filesystem=all", "subprocess=yes"],
            ["network=127.0.0.1:9", "filesystem=all", "subprocess=yes"],
        ] {
            cage.expect(&settings, &["always"], "refused");
            cage.expect(&settings, &["needed", "moves"], "reached");
        }
        let programs = ["network=all", "filesystem=all", "subprocess=no"];
        cage.expect(&programs, &["always", "programs"], "refused");
        cage.expect(&programs, &["needed", "moves"], "reached");
        let hosts = ["network=127.0.0.1:9", "filesystem=none", "subprocess=no"];
        cage.expect(&hosts, &["always", "files", "programs"], "refused");
        cage.expect(&hosts, &["needed"], "reached");
    }
}

/// A command line may have a password in it.
#[test]
fn other_processes_are_out_of_sight_where_files_and_programs_are_closed() {
    for user in users() {
        let cage = Cage::new(user);
        let closed = ["network=all", "filesystem=none", "subprocess=no"];
        cage.expect(&closed, &["processes"], "refused");
        cage.expect(&closed, &["own process"], "reached");
        cage.expect(&FILES_CLOSED, &["processes", "own process"], "reached");
    }
}

/// A set-user-ID program would outlive the session.
#[test]
fn no_program_is_left_behind_that_runs_as_its_maker() {
    for user in users() {
        let cage = Cage::new(user);
        let granted = cage.place.path("outside");
        let granted = format!("filesystem={}", granted.display());
        for files in ["filesystem=none", &granted] {
            let settings = ["network=all", files, "subprocess=yes"];
            cage.expect(&settings, &["set user"], "refused");
            cage.expect(&settings, &["needed"], "reached");
        }
        let tried = cage.tried(&FILES_CLOSED, &["--sandbox", "off"], &["set user"]);
        assert!(tried.values().all(|end| end == "reached"), "{user}: {tried:?}");
    }
}

/// Where no namespace of mounts can be had, calls that change attributes are refused altogether.
#[test]
fn attributes_are_closed_without_a_view_of_their_own() {
    if !is_root() {
        return skip("only root can take namespaces away");
    }
    let mut place = Place::new("root");
    let without_mounts = "echo 0 > /proc/sys/user/max_mnt_namespaces && exec \"$@\"";
    place.around = ["unshare", "--user", "--map-root-user", "sh", "-c", without_mounts, "sh"]
        .map(str::to_owned)
        .into();
    let cage = Cage::around(place);
    cage.expect(&FILES_CLOSED, &["always", "files"], "refused");
}

/// The tries are real: without a sandbox they reach what they try to.
#[test]
fn without_a_sandbox_the_same_tries_succeed() {
    for user in users() {
        let cage = Cage::new(user);
        let tried = cage.tried(&FILES_CLOSED, &["--sandbox", "off"], &["files"]);
        for name in [
            "mode",
            "mode by descriptor",
            "owner",
            "times",
            "attribute",
            "attribute read",
            "attribute read of a link",
            "attributes listed",
            "written",
            "linked",
            "listed",
            "watched",
            "shared memory by name",
            "socket by name",
            "socket of the abstract kind",
        ] {
            assert_eq!(tried[name], "reached", "{user} {name}: {tried:?}");
        }
        let tried = cage.tried(&FILES_CLOSED, &["--sandbox", "off"], &["always"]);
        for name in [
            "System V memory",
            "System V queue",
            "System V semaphore",
            "POSIX queue",
            "user namespace",
            "priority of facet",
            "processors of facet",
            "signal to facet",
            "file behind a descriptor of facet",
            "root of facet",
            "personality",
        ] {
            assert_eq!(tried[name], "reached", "{user} {name}: {tried:?}");
        }
        let _ = std::fs::remove_file("/dev/shm/facet-cage");
        for kind in ["-M", "-Q", "-S"] {
            let _ = Command::new("ipcrm").args([kind, "0x0face7"]).output();
        }
    }
}

/// Where the system's administrator keeps things, a server reads what everybody may: not what its user may as
/// the owner, by a group, or as root.
#[test]
fn settings_and_programs_of_the_machine_are_read_if_everybody_may() {
    for user in users() {
        let mut place = Place::new(user);
        place.put("outside/settings/app/own", "secret");
        place.put("outside/settings/app/group", "secret");
        place.put("outside/settings/app/all", "");
        let files =
            "cd \"$1\" && chmod 400 own && chgrp \"$(id -g \"$2\")\" group && chmod 640 group";
        let app = place.path("outside/settings/app");
        let set = Command::new("sh").args(["-c", files, "sh"]).arg(&app).arg(user).status();
        assert!(set.unwrap().success());
        place.add_runner("s", &[]);
        let over = place.path("over");
        std::fs::create_dir(&over).unwrap();
        let machine = format!(
            "mount -t tmpfs over {over} && for folder in etc opt usr/local; do
               mkdir -p {over}/$folder/upper {over}/$folder/work && \
               cp -a {settings}/. {over}/$folder/upper && \
               chmod 755 {over} {over}/$folder/upper {over}/$folder/upper/app && \
               mount -t overlay over -o \
                 lowerdir=/$folder,upperdir={over}/$folder/upper,workdir={over}/$folder/work \
                 /$folder || exit 1
             done; exec \"$@\"",
            over = over.display(),
            settings = place.path("outside/settings").display(),
        );
        place.around = ["unshare", "--mount", "sh", "-c", &machine, "sh"].map(str::to_owned).into();
        place.grant("s", &["filesystem=none", "network=none"]);
        for folder in ["etc", "opt", "usr/local"] {
            let read = |name: &str| {
                place.told("s", &format!("out = open('/{folder}/app/{name}').read()")).to_string()
            };
            assert_eq!(read("all"), "\"\"", "{user} {folder}");
            for name in ["own", "group"] {
                let answer = read(name);
                assert!(answer.contains("PermissionError"), "{user} {folder} {name}: {answer}");
            }
        }
    }
}
