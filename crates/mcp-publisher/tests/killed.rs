//! mcp-publisher killed in the middle of a download: nothing of it stays on disk.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use facets_digest::Digest;
use facets_testkit::{PackageRegistry, Random, long_count};

const DOCUMENT: &str =
    r#"{"packages": [{"registryType": "npm", "identifier": "plain", "version": "2.0.0"}]}"#;

/// Longer than what the publisher and the system buffer.
const TARBALL: usize = 4 << 20;

/// A folder of its own, for the document and for temporary files.
struct Publisher {
    folder: PathBuf,
    registry: String,
}

impl Publisher {
    fn new(folder: &Path, registry: &PackageRegistry) -> Self {
        let folder = folder.to_owned();
        fs::create_dir(folder.join("temporary")).unwrap();
        fs::write(folder.join("server.json"), DOCUMENT).unwrap();
        Self { folder, registry: format!("{}/npm/", registry.base) }
    }

    fn hash_gen(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-publisher"));
        command.arg("hash-gen").current_dir(&self.folder).env_clear();
        command.env("HOME", &self.folder).env("TMPDIR", self.folder.join("temporary"));
        command.env("npm_config_registry", &self.registry);
        command
    }

    /// What is in the folder of temporary files.
    fn left(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.join("temporary")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn a_killed_download_leaves_no_file_and_the_next_one_succeeds() {
    let tarball: Vec<u8> = (0..TARBALL).map(|at| at.to_le_bytes()[at % 3]).collect();
    let mut registry = PackageRegistry::bind();
    registry.add_npm("plain", "2.0.0", &tarball);
    let registry = registry.start();
    let folder = tempfile::tempdir().unwrap();
    let publisher = Publisher::new(folder.path(), &registry);
    let document = PackageRegistry::document_path("plain");
    let file = PackageRegistry::tarball_path("plain", "2.0.0");
    let mut random = Random::seeded(12);
    for round in 0..long_count(100) {
        // Mostly in the middle of the tarball, now and then before the first byte of it.
        let path = if random.one_in(6) { &document } else { &file };
        let after = if random.one_in(4) { 0 } else { random.below(TARBALL) };
        let stalled = registry.stall(path, after);
        let mut command = publisher.hash_gen();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let reached = stalled.recv_timeout(Duration::from_mins(1));
        std::thread::sleep(Duration::from_micros(random.bits() % 5000));
        process.kill().unwrap();
        process.wait().unwrap();
        assert!(reached.is_ok(), "round {round}: {path} was not asked for");
        let left = publisher.left();
        assert!(left.is_empty(), "round {round}, {after} bytes of {path}: {left:?}");
    }
    let output = publisher.hash_gen().output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains(&Digest::of(&tarball).to_string()), "{printed}");
    assert!(publisher.left().is_empty(), "{:?}", publisher.left());
}
