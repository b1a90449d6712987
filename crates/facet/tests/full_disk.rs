//! Disks that are full or read-only: every command says which disk it is and what to do, and leaves nothing behind.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use facets_model::RuntimeName;
use facets_runtime::current;
use facets_testkit::{PackageRegistry, Random, skip};
use serde_json::Value;
use trusted::{FACET, Ran, Trusted};

/// Mounts a small disk, and then runs the words behind it.
const SMALL: &str = "mount -t tmpfs -o size=1m,mode=700 none \"$1\" && shift && exec \"$@\"";
/// The same with a disk that cannot be written.
const READ_ONLY: &str = "mount -t tmpfs -o ro,mode=700 none \"$1\" && shift && exec \"$@\"";

/// More than the small disk has room for, however it is compressed.
fn large() -> Vec<u8> {
    let mut random = Random::seeded(1);
    (0..(4 << 20) / 8).flat_map(|_| random.bits().to_le_bytes()).collect()
}

/// What starts a program with mounts of its own, or a visible skip.
fn with_mounts() -> Option<Command> {
    let is_root = rustix::process::geteuid().is_root();
    let namespace: &[&str] =
        if is_root { &["--mount"] } else { &["--user", "--map-root-user", "--mount"] };
    let probe = "mount -t tmpfs none /mnt";
    let can = Command::new("unshare").args(namespace).args(["sh", "-c", probe]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        skip("a file system cannot be mounted here");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(namespace);
    Some(command)
}

/// A project with a large server, beside a directory that becomes the disk.
struct Place {
    trusted: Trusted,
    /// The npm registry; nothing listens there unless a test needs it.
    registry: String,
}

impl Place {
    fn new() -> Self {
        let trusted = Trusted::new();
        trusted.facet(&["init", "server", "server"]).exits(0);
        fs::write(trusted.file("server/large"), large()).unwrap();
        fs::create_dir(trusted.folder.path().join("disk")).unwrap();
        Self { trusted, registry: "http://127.0.0.1:9/".to_owned() }
    }

    fn disk(&self) -> PathBuf {
        self.trusted.folder.path().join("disk")
    }

    /// The error of a command that runs beside the disk, whose store lies in `caches`.
    fn refused(&self, script: &str, caches: &Path, words: &[&str]) -> Option<Value> {
        let mut command = with_mounts()?;
        command.args(["sh", "-c", script, "sh"]).arg(self.disk());
        command.args([FACET, "--format", "json"]).args(words);
        command.current_dir(self.trusted.project()).env("FACET_DIR", self.trusted.home());
        command.env("XDG_CACHE_HOME", caches).env("HOME", self.trusted.folder.path());
        command.env("npm_config_registry", &self.registry);
        let error = Ran::of(&command.output().unwrap()).exits(2).json();
        Some(error["error"].clone())
    }

    /// The same with a store that has enough room.
    fn refused_beside(&self, script: &str, words: &[&str]) -> Option<Value> {
        self.refused(script, &self.trusted.folder.path().join("caches"), words)
    }
}

#[track_caller]
fn says_full(error: &Value, code: &str, file: &Path) {
    assert_eq!(error["code"], code, "{error:#}");
    assert!(error["file"].as_str().unwrap().starts_with(file.to_str().unwrap()), "{error:#}");
    assert!(error["actual"].as_str().unwrap().starts_with("No space left"), "{error:#}");
}

#[test]
fn an_archive_that_does_not_fit_is_told_with_the_path_that_was_typed() {
    let place = Place::new();
    let output = place.disk().join("a.server.tar.gz");
    let words = ["build", "server", "--output", output.to_str().unwrap()];
    let Some(error) = place.refused_beside(SMALL, &words) else { return };
    says_full(&error, "disk-full", &output);
    assert_eq!(error["next"], "free some space, then run the same command again");
}

#[test]
fn files_that_do_not_fit_are_not_the_fault_of_their_archive() {
    let place = Place::new();
    place.trusted.facet(&["build", "server", "--output", "a.server.tar.gz"]).exits(0);
    let into = place.disk().join("out");
    let words = ["unpack", "a.server.tar.gz", "--into", into.to_str().unwrap()];
    let Some(error) = place.refused_beside(SMALL, &words) else { return };
    says_full(&error, "disk-full", &into);
    assert!(!error["message"].as_str().unwrap().contains("server.tar.gz"), "{error:#}");
}

#[test]
fn a_read_only_disk_is_told_as_that() {
    let place = Place::new();
    let output = place.disk().join("a.server.tar.gz");
    let words = ["build", "server", "--output", output.to_str().unwrap()];
    let Some(error) = place.refused_beside(READ_ONLY, &words) else { return };
    assert_eq!(error["code"], "disk-read-only", "{error:#}");
}

#[test]
fn a_server_that_does_not_fit_into_the_store_is_not_added() {
    let place = Place::new();
    let words = ["add", "mine", "--yes", "./server"];
    let Some(error) = place.refused(SMALL, &place.disk(), &words) else { return };
    says_full(&error, "store-full", &place.disk());
    assert_eq!(error["next"], "facet cache prune");
    assert!(!place.trusted.file("facets.lock").exists());
}

#[test]
fn a_runtime_that_does_not_fit_into_the_store_is_not_installed() {
    let mut place = Place::new();
    let runtime = current(RuntimeName::Bun);
    let Ok(binary) = runtime.binary() else { return };
    let mut registry = PackageRegistry::bind();
    registry.add_npm(binary.package, runtime.version, &large());
    let registry = registry.start();
    place.registry = format!("{}/npm/", registry.base);
    let words = ["runtime", "install"];
    let Some(error) = place.refused(SMALL, &place.disk(), &words) else { return };
    says_full(&error, "store-full", &place.disk());
}
