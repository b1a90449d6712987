//! Starting and ending real processes, seen from outside.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use facets_testkit::workspace_binary;

use facets_launch::{
    Ending, Filesystem, LaunchError, Launcher, ProcessLaunch, RunningProcess, Sandbox, Variables,
};

fn launcher() -> Launcher {
    Launcher::with_worker(workspace_binary("facets-worker"))
}

fn shell(script: &str, directory: &Path) -> ProcessLaunch {
    ProcessLaunch {
        program: "sh".into(),
        args: vec!["-c".into(), script.into()],
        variables: Variables::default(),
        directory: directory.to_owned(),
        sandbox: Sandbox::default(),
        verified: None,
    }
}

fn start(script: &str, directory: &Path) -> RunningProcess {
    launcher().start(&shell(script, directory)).unwrap()
}

fn output(running: &mut RunningProcess) -> String {
    let (mut stdout, stdin) = running.take_streams().unwrap();
    drop(stdin);
    let mut text = String::new();
    stdout.read_to_string(&mut text).unwrap();
    text
}

fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn eventually(what: &str, test: impl Fn() -> bool) {
    let start = Instant::now();
    while !test() {
        assert!(start.elapsed() < Duration::from_secs(10), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_server_gets_this_environment_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start("env; echo args=$0; pwd; ls -l /proc/self/fd | wc -l", folder.path());
    let text = output(&mut running);
    let mut names: Vec<&str> =
        text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["HOME", "LANG", "OLDPWD", "PATH", "PWD", "TMPDIR", "TZ", "args"]
            .into_iter()
            .filter(|name| names.contains(name))
            .collect::<Vec<_>>(),
        "{text}"
    );
    assert!(text.contains("TZ=UTC\n") && text.contains("LANG=C.UTF-8\n"), "{text}");
    assert_eq!(running.wait(Duration::from_secs(5)), Some(Ending::Exited(0)));
    let home = text.lines().find_map(|line| line.strip_prefix("HOME=")).unwrap().to_owned();
    drop(running);
    assert!(!Path::new(&home).exists(), "the scratch directory is gone");
    // The three streams, the directory being listed, and the line `total`.
    assert_eq!(text.trim().lines().last().unwrap().trim(), "5", "{text}");
}

#[test]
fn arguments_pass_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = shell("printf '%s|' \"$@\"", folder.path());
    command.args.extend(["sh".into(), "a b".into(), "".into(), "*".into(), "$HOME".into()]);
    let mut running = launcher().start(&command).unwrap();
    assert_eq!(output(&mut running), "a b||*|$HOME|");
}

#[test]
fn what_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = shell("", folder.path());
    command.program = "no-such-program".into();
    assert!(matches!(launcher().start(&command), Err(LaunchError::NoProgram { .. })));
    command.program = "./local".into();
    std::fs::write(folder.path().join("local"), "#!/nonexistent/interpreter\n").unwrap();
    assert!(matches!(launcher().start(&command), Err(LaunchError::NoProgram { .. })));
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path().join("local"), executable).unwrap();
    assert!(matches!(launcher().start(&command), Err(LaunchError::NotStarted { .. })));
    let mut command = shell("", folder.path());
    command.variables.named.push("FACET_TEST_UNSET".to_owned());
    assert!(matches!(launcher().start(&command), Err(LaunchError::NoVariable { .. })));
}

#[test]
fn endings_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let ending = |script: &str| start(script, folder.path()).wait(Duration::from_secs(5));
    assert_eq!(ending("exit 3"), Some(Ending::Exited(3)));
    assert_eq!(ending("kill -9 $$"), Some(Ending::Killed(9)));
    assert_eq!(start("exec sleep 60", folder.path()).stop(), Ending::Killed(15));
    let mut trapping = start("trap 'exit 5' TERM; echo ready; sleep 60 & wait", folder.path());
    let (mut stdout, _stdin) = trapping.take_streams().unwrap();
    stdout.read_exact(&mut [0; 6]).unwrap();
    assert_eq!(trapping.stop(), Ending::Exited(5));
}

/// Grandchildren that leave the session, ignore signals, or outlive their parents.
#[test]
fn nothing_of_the_tree_survives() {
    let folder = tempfile::tempdir().unwrap();
    let script = "
        trap '' TERM HUP INT
        (trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ > one; sleep 600; sleep 600') &
        setsid sh -c 'setsid sh -c \"echo \\$\\$ > two; exec sleep 600\" & exit' &
        echo $$ > three
        while :; do sleep 600; done";
    for how in ["drop", "stop", "kill the worker's parent pipe"] {
        for name in ["one", "two", "three"] {
            let _ = std::fs::remove_file(folder.path().join(name));
        }
        let running = start(script, folder.path());
        let pid =
            |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        eventually("the tree grows", || {
            ["one", "two", "three"].iter().all(|name| pid(name).ends_with('\n'))
        });
        assert!(["one", "two", "three"].iter().all(|name| is_alive(&pid(name))));
        match how {
            "stop" => drop(running.stop()),
            _ => drop(running),
        }
        for name in ["one", "two", "three"] {
            assert!(!is_alive(&pid(name)), "{name} survived `{how}`");
        }
    }
}

/// A process chooses its own name, which stands in the list of processes.
#[test]
fn a_process_whose_name_is_not_utf8_does_not_survive() {
    let folder = tempfile::tempdir().unwrap();
    let script = "
        setsid sh -c 'trap \"\" TERM; printf \"\\377\\376\" > /proc/self/comm; echo $$ > pid; sleep 600; :' &
        while :; do sleep 600; done";
    let running = start(script, folder.path());
    let pid = || std::fs::read_to_string(folder.path().join("pid")).unwrap_or_default();
    eventually("it has started", || pid().ends_with('\n'));
    let pid = pid();
    let comm = std::fs::read(format!("/proc/{}/comm", pid.trim())).unwrap();
    assert_eq!(comm, b"\xff\xfe\n");
    drop(running);
    assert!(!Path::new(&format!("/proc/{}", pid.trim())).exists());
}

#[test]
fn a_flood_on_standard_error_blocks_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start(
        "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo last words >&2; echo done",
        folder.path(),
    );
    assert_eq!(output(&mut running), "done\n");
    running.wait(Duration::from_secs(5));
    let kept = || running.stderr().stderr();
    let ends = |line: &str| line.ends_with("last words");
    eventually("the last words are kept", || kept().last.last().is_some_and(|line| ends(line)));
    assert!(kept().lines().map(str::len).sum::<usize>() <= 80 << 10);
}

#[test]
fn a_server_reads_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start("cat", folder.path());
    let (mut stdout, mut stdin) = running.take_streams().unwrap();
    stdin.write_all(b"hello\n").unwrap();
    drop(stdin);
    let mut text = String::new();
    stdout.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello\n");
}

/// facet decides what is opened, and the last stage opens it. If a server of another session has put a link
/// there in between, that leads nowhere.
#[test]
fn what_became_a_link_since_it_was_decided_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let top = std::fs::canonicalize(folder.path()).unwrap();
    for name in ["secret", "data/inner"] {
        std::fs::create_dir_all(top.join(name)).unwrap();
    }
    std::fs::write(top.join("secret/file"), "secret").unwrap();
    std::os::unix::fs::symlink("../secret", top.join("data/link")).unwrap();
    let start = |read: &[&str], write: &[&str]| {
        let paths = |names: &[&str]| names.iter().map(|name| top.join(name)).collect();
        let filesystem =
            Filesystem::Listed { read: paths(read), names: Vec::new(), write: paths(write) };
        let sandbox = Sandbox { filesystem, ..Sandbox::default() };
        let script = "cat secret/file data/link/file; echo x >secret/made; echo x >data/inner/made";
        let process = ProcessLaunch { sandbox, ..shell(script, &top) };
        let mut running = launcher().start(&process).unwrap();
        let text = output(&mut running);
        let ending = running.wait(Duration::from_secs(20));
        assert!(!text.contains("secret"), "{read:?} {write:?}: {text}");
        assert!(!top.join("secret/made").exists(), "{read:?} {write:?}");
        ending
    };
    // To write: nothing is started. To read: there is nothing to read.
    assert_eq!(start(&[], &["data", "data/link"]), Some(Ending::Exited(126)));
    assert_eq!(start(&[], &["data/link/../inner"]), Some(Ending::Exited(126)));
    assert_eq!(start(&["data/link", "data/link/file"], &["data"]), Some(Ending::Exited(0)));
    assert!(top.join("data/inner/made").exists());
}
