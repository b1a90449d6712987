//! facet killed at any moment of a capture: no process of the tree outlives it by a second.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use facets_testkit::{Process, Random, long_count, processes, workspace_binary};

/// Processes whose command line or scratch names this directory, zombies aside.
fn survivors(folder: &Path, pids: &Path) -> Vec<Process> {
    let marked = folder.to_str().unwrap();
    let noted = std::fs::read_to_string(pids).unwrap_or_default();
    let noted: Vec<&str> = noted.lines().collect();
    let is_ours = |one: &Process| one.command.contains(marked) || noted.contains(&one.id.as_str());
    processes().into_iter().filter(is_ours).collect()
}

fn inspect(mode: &str, folder: &Path, pids: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_facet"))
        .args(["inspect", "--yes", "--timeout", "5", "--"])
        .arg(workspace_binary("hostile-server"))
        .arg(mode)
        .arg(pids)
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Microseconds: kills that come before and after a server has begun, however busy the machine is.
fn twice_a_start() -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let start = Instant::now();
    let mut facet = inspect("honest", folder.path(), &pids);
    while !pids.exists() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_micros(100));
    }
    let begun = u64::try_from(start.elapsed().as_micros()).unwrap();
    facet.wait().unwrap();
    begun.max(12_500) * 2
}

#[test]
fn no_process_outlives_a_killed_facet() {
    let mut random = Random::seeded(9);
    let modes =
        ["honest", "setsid", "ignores-term", "never-exits", "silent", "storm", "stderr-flood"];
    let mut began = 0;
    let latest = twice_a_start();
    for round in 0..long_count(1000) {
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let mut facet = inspect(random.pick(&modes), folder.path(), &pids);
        std::thread::sleep(Duration::from_micros(random.bits() % latest));
        facet.kill().unwrap();
        facet.wait().unwrap();
        let start = Instant::now();
        began += usize::from(pids.exists());
        loop {
            let left = survivors(folder.path(), &pids);
            if left.is_empty() {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(1), "round {round}: {left:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    assert!(
        began * 4 > long_count(1000),
        "only {began} servers had begun: the kills come too early"
    );
}
