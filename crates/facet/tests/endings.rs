//! However a session ends, nothing of it is left.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use facets_testkit::{Client, Process, Random, long_count, processes};
use serde_json::json;
use trusted::Trusted;

/// Processes that know the folder of a test, by their arguments or by their home.
fn survivors(marked: &str) -> Vec<Process> {
    let is_ours = |one: &Process| one.command.contains(marked) || one.environment.contains(marked);
    processes().into_iter().filter(is_ours).collect()
}

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Whether whoever started the tests has a signal ignored, by them and everything below.
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << (number - 1)) != 0
}

const ENDINGS: [&str; 7] = ["close", "TERM", "INT", "HUP", "KILL", "stop", "drop"];

#[test]
fn no_session_leaves_anything_behind() {
    let mut random = Random::seeded(11);
    let trusted = Trusted::with_acting("plain");
    let marked = trusted.folder.path().to_str().unwrap().to_owned();
    for round in 0..long_count(1000) {
        let mode = random.pick(&["plain", "stays", "storm", "mute", "half", "dies", "stderr"]);
        trusted.declare(&json!({ "mode": mode, "after": 1 + random.bits() % 3 }));
        let ending = match random.pick(&ENDINGS) {
            "HUP" if is_ignored(1) => "KILL",
            "INT" if is_ignored(2) => "TERM",
            ending => ending,
        };
        // Shown if the test fails.
        println!("round {round}: {mode}, {ending}");
        let mut command = trusted.command(&["run", "s"]);
        command.env("TMPDIR", trusted.folder.path());
        let mut client = Client::start(&mut command, Stdio::null());
        // Sometimes before it has begun, sometimes in the middle of something.
        if !random.bits().is_multiple_of(4) {
            client.initialize("test", &json!({}));
            for id in 0..random.bits() % 4 {
                client.send(&json!({
                    "jsonrpc": "2.0", "id": id, "method": "tools/call",
                    "params": { "name": "echo", "arguments": { "size": 1 << (random.bits() % 22) } },
                }));
            }
        }
        std::thread::sleep(Duration::from_micros(random.bits() % 20_000));
        match ending {
            "close" => client.close(),
            // It may not have begun yet; whoever was told that it stops is gone.
            "stop" => {
                let is_told = trusted.facet(&["stop", "s"]).exit == 0;
                if is_told {
                    client.wait();
                }
            }
            "drop" => {}
            name => signal(client.id(), name),
        }
        if !matches!(ending, "drop" | "stop") {
            client.wait();
        }
        drop(client);
        let start = Instant::now();
        loop {
            let left = survivors(&marked);
            if left.is_empty() {
                break;
            }
            let patience = Duration::from_secs(5);
            assert!(start.elapsed() < patience, "round {round}, {mode}, {ending}: {left:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let scratch = std::fs::read_dir(trusted.folder.path()).unwrap().flatten();
    let scratch: Vec<_> =
        scratch.filter(|e| e.file_name().to_string_lossy().starts_with("facet-")).collect();
    assert!(scratch.is_empty(), "{scratch:?}");
}
