//! A data directory on a file system that is full.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use facets_testkit::{Random, skip};
use rustix::process::geteuid;
use tempfile::TempDir;

use crate::node::{Node, SERVE};
use crate::support::{Ran, Reply, bearer, run};
use crate::verifying::{Sent, verify_all};

/// Makes the first argument a file system of 6 MiB, and becomes the other arguments.
const MOUNT: &str =
    r#"mount -t tmpfs -o size=6m,mode=700 tmpfs "$1" && shift && exec "$@" 2>/dev/null"#;

/// What is written and removed again, so that there is space.
const FILLER: usize = 2 << 20;

/// A registry that sees a file system which others do not see, and which ends with it.
struct SmallDisk {
    node: Node,
    folder: TempDir,
}

impl SmallDisk {
    /// None, and a visible skip, where nothing can be mounted.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        let mut command = Command::new("unshare");
        if !geteuid().is_root() {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["--mount", "sh", "-c", MOUNT, "sh"]).arg(&data);
        command.arg(env!("CARGO_BIN_EXE_facet-registry")).arg("--data").arg(&data).args(SERVE);
        let started = Node::try_start(&mut command);
        if started.is_none() {
            skip("no file system can be mounted here");
        }
        Some(Self { node: started?, folder })
    }

    /// Runs a command of the program that sees the same files.
    fn run(&self, words: &[&str]) -> Ran {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.node.id().to_string(), "--mount"]);
        if !geteuid().is_root() {
            command.args(["--user", "--preserve-credentials"]);
        }
        command.arg(env!("CARGO_BIN_EXE_facet-registry")).arg("--data");
        run(command.arg(self.folder.path().join("data")).args(words))
    }

    fn token(&self) -> String {
        let ran = self.run(&["token", "create", "--scope", "publish:*", "--owner", "acme"]);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        ran.stdout.trim_end().to_owned()
    }

    /// A file of the data directory, as it is seen from outside.
    fn path(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join("data").join(name);
        let root = PathBuf::from(format!("/proc/{}/root", self.node.id()));
        root.join(path.strip_prefix("/").unwrap())
    }

    /// Writes until there is no space left for anything.
    fn fill(&self, name: &str) {
        let mut file = File::create(self.path(name)).unwrap();
        let block = [b'x'; 4096];
        while file.write_all(&block).is_ok() {}
    }

    fn publish(&self, sent: &mut Vec<Sent>, mut one: Sent, token: &str) -> Reply {
        let reply = one.publish(&self.node, token).unwrap();
        one.acknowledged = reply.status == 201;
        sent.push(one);
        reply
    }
}

/// A facet of some 230 KiB.
fn large(number: usize) -> Sent {
    let mut random = Random::seeded(number as u64);
    let text: String = (0..25_000).map(|_| format!("{:016x}", random.bits())).collect();
    Sent::facet("large", format!("1.0.{number}"), &text)
}

fn require_full(reply: &Reply) {
    assert_eq!((reply.status, &*reply.code()), (503, "E_UNAVAILABLE"));
    assert!(reply.header("retry-after").is_some(), "{reply:?}");
}

#[test]
fn a_full_disk_refuses_publishes_until_there_is_space() {
    let Some(disk) = SmallDisk::new() else { return };
    let token = disk.token();
    fs::write(disk.path("filler"), vec![b'x'; FILLER]).unwrap();
    let mut sent = Vec::new();
    let refused = (0..40)
        .map(|number| disk.publish(&mut sent, large(number), &token))
        .find(|reply| reply.status != 201);
    require_full(&refused.unwrap());
    assert!(sent.len() > 4, "some of them have space: {}", sent.len());
    require_full(&disk.publish(&mut sent, large(40), &token));

    disk.fill("more");
    for number in 0..3 {
        let small = Sent::facet("small", format!("1.0.{number}"), "text");
        require_full(&disk.publish(&mut sent, small, &token));
    }
    let yank = ("POST", "/v0/facets/large/1.0.0/yank");
    let reason = br#"{"reason":"it leaks"}"#;
    require_full(&disk.node.ask(yank, &[bearer(&token).as_pair()], reason));
    let unchecked = disk.run(&["check"]);
    assert_eq!(unchecked.exit, 2, "{}{}", unchecked.stdout, unchecked.stderr);
    assert!(unchecked.stderr.contains("no space is left"), "{}", unchecked.stderr);
    assert!(!unchecked.stdout.contains("unreadable"), "{}", unchecked.stdout);
    assert_eq!(disk.node.get("/health/live").status, 200);
    verify_all(&disk.node, &sent);

    fs::remove_file(disk.path("more")).unwrap();
    fs::remove_file(disk.path("filler")).unwrap();
    let reply = disk.publish(&mut sent, large(41), &token);
    assert_eq!(reply.status, 201, "{reply:?}");
    verify_all(&disk.node, &sent);
    for words in [&["check"][..], &["gc", "--older-than", "0"], &["check"]] {
        let ran = disk.run(words);
        assert_eq!(ran.exit, 0, "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
    verify_all(&disk.node, &sent);
}
