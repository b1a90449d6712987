//! Servers that use more than they may are ended with everything below them, and the reason is written down.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use facets_launch::{Ending, Launcher, ProcessLaunch, ResourceLimits, Sandbox, Variables};
use facets_testkit::{processes, workspace_binary};
use facets_worker::ENDED_FOR;

const ENOUGH: ResourceLimits = ResourceLimits { resident: 1 << 30, tasks: 100, written: 256 << 20 };

/// What a script wrote to both streams, and how it ended.
struct Ended {
    output: String,
    stderr: String,
    ending: Option<Ending>,
}

/// Runs a script with a scratch directory in this folder.
fn run(script: &str, folder: &Path, limits: ResourceLimits) -> Ended {
    let worker = workspace_binary("facets-worker");
    let folder = std::fs::canonicalize(folder).unwrap();
    let launcher = Launcher::with_worker(worker).with_scratch_in(folder).with_limits(limits);
    let process = ProcessLaunch {
        program: "sh".into(),
        args: vec!["-c".into(), script.into()],
        variables: Variables::default(),
        directory: "/".into(),
        sandbox: Sandbox::default(),
        verified: None,
    };
    let mut running = launcher.start(&process).unwrap();
    let (mut stdout, stdin) = running.take_streams().unwrap();
    drop(stdin);
    let mut output = String::new();
    stdout.read_to_string(&mut output).unwrap();
    let ending = running.wait(Duration::from_secs(10));
    let tail = running.stderr().clone();
    drop(running);
    let stderr = tail.last_words(Duration::from_secs(5));
    let stderr = stderr.lines().collect::<Vec<_>>().join("\n");
    Ended { output, stderr, ending }
}

/// The script would run for a minute; it is ended soon, for this reason, and nothing of it is left.
fn ended_for(script: &str, limits: ResourceLimits, reason: &str) {
    let folder = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    let Ended { stderr, ending, .. } =
        run(&format!("echo begins >&2; {script}"), folder.path(), limits);
    assert!(begin.elapsed() < Duration::from_secs(30), "{script}: {:?}", begin.elapsed());
    assert_eq!(ending, Some(Ending::Killed(9)), "{script}: {stderr}");
    assert!(stderr.starts_with("begins"), "{script}: {stderr}");
    assert!(stderr.ends_with(&format!("{ENDED_FOR}{reason}")), "{script}: {stderr}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{script}");
    let place = folder.path().to_str().unwrap().to_owned();
    let left = processes().into_iter().filter(|one| one.environment.contains(&place)).count();
    assert_eq!(left, 0, "{script}: still running");
}

#[test]
fn memory_counts_over_all_processes() {
    let eats = "x=$(head -c 30000000 /dev/zero | tr '\\0' x); sleep 60";
    let limits = ResourceLimits { resident: 48 << 20, ..ENOUGH };
    let script = format!("({eats}) & ({eats}) & wait");
    ended_for(&script, limits, "it used more than 48 MiB of memory");
}

#[test]
fn processes_are_counted() {
    let limits = ResourceLimits { tasks: 20, ..ENOUGH };
    let script = "while :; do sleep 60 & done";
    ended_for(script, limits, "it started more than 20 processes and threads");
}

#[test]
fn processes_that_left_their_parents_are_counted() {
    let limits = ResourceLimits { tasks: 20, ..ENOUGH };
    let script = "while :; do (setsid sleep 60 &) ; done";
    ended_for(script, limits, "it started more than 20 processes and threads");
}

#[test]
fn what_is_written_is_measured_over_all_files() {
    let limits = ResourceLimits { written: 8 << 20, ..ENOUGH };
    let script = "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > $TMPDIR/$i; done";
    ended_for(script, limits, "it wrote more than 8 MiB");
}

#[test]
fn the_reason_comes_behind_a_flood_of_words() {
    let limits = ResourceLimits { tasks: 20, ..ENOUGH };
    let script = "(while :; do echo a line of some length >&2; done) & \
                  sleep 0.2; while :; do sleep 60 & done";
    ended_for(script, limits, "it started more than 20 processes and threads");
}

#[test]
fn one_file_has_a_limit_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    // The files of the scratch directory count together, too; this one lies elsewhere.
    let elsewhere = tempfile::tempdir().unwrap();
    let limits = ResourceLimits { written: 1 << 20, ..ENOUGH };
    let script = format!(
        "ulimit -c; ulimit -n; (head -c 5000000 /dev/zero > {}) 2>/dev/null || echo refused",
        elsewhere.path().join("file").display()
    );
    let ended = run(&script, folder.path(), limits);
    let lines: Vec<&str> = ended.output.lines().collect();
    assert_eq!(lines, ["0", "1024", "refused"], "{}", ended.stderr);
}

#[test]
fn a_server_within_its_limits_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let script = "head -c 1000000 /dev/zero > $TMPDIR/file; sleep 0.2; echo done";
    let ended = run(script, folder.path(), ENOUGH);
    assert_eq!((ended.output.as_str(), ended.stderr.as_str()), ("done\n", ""));
    assert_eq!(ended.ending, Some(Ending::Exited(0)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
