//! Colours and progress: on a terminal, and nowhere else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output};

use facets_testkit::{component, workspace_binary};

const FACET: &str = env!("CARGO_BIN_EXE_facet");

/// Runs facet on a pseudo-terminal of Python's making; what it prints comes back whole.
fn on_a_terminal(
    arguments: &[&str],
    folder: &Path,
    variable: Option<(&str, &str)>,
) -> Option<String> {
    let python = component("python3")?;
    let mut command = Command::new(python);
    command.args(["-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)", FACET]);
    command
        .args(arguments)
        .current_dir(folder)
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR");
    if let Some((name, value)) = variable {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn elsewhere(arguments: &[&str], folder: &Path) -> Output {
    Command::new(FACET).args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let folder = tempfile::tempdir().unwrap();
    let Some(coloured) = on_a_terminal(&["doctor"], folder.path(), None) else { return };
    assert!(coloured.contains("\u{1b}["), "{coloured}");
    let plain = on_a_terminal(&["doctor"], folder.path(), Some(("NO_COLOR", "1"))).unwrap();
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let piped = elsewhere(&["doctor"], folder.path());
    assert!(!piped.stdout.contains(&0x1b) && piped.stderr.is_empty());
    let word = |text: &str| text.contains("ok") && text.contains("hashing");
    assert!(word(&coloured) && word(&plain), "no meaning is in a colour alone");
}

#[test]
fn long_work_shows_progress_on_a_terminal_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join("large")).unwrap();
    file.set_len(768 << 20).unwrap();
    let digest = ["digest", "file", "large"];
    let Some(shown) = on_a_terminal(&digest, folder.path(), None) else { return };
    assert!(shown.contains("MiB/s") || shown.contains("GiB/s"), "{shown:?}");
    let quiet = ["digest", "file", "large", "--quiet"];
    let silent = on_a_terminal(&quiet, folder.path(), None).unwrap();
    assert!(!silent.contains("iB/s"), "{silent:?}");
    let piped = elsewhere(&digest, folder.path());
    assert!(piped.stderr.is_empty());
    assert_eq!(piped.stdout.iter().filter(|byte| **byte == b'\n').count(), 1);
}

#[test]
fn text_from_outside_cannot_drive_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = "{\"name\": \"\\u001b[2Jab\", \"version\": \"1.0.0\", \"sk\u{202e}ills\": {}}";
    std::fs::write(folder.path().join("facet.json"), manifest).unwrap();
    let arguments = ["build", "--check"];
    let Some(shown) = on_a_terminal(&arguments, folder.path(), Some(("NO_COLOR", "1"))) else {
        return;
    };
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown:?}");
    assert!(shown.contains("\\u{1b}[2Jab"), "{shown}");
}

/// A server that takes a while, started on a pseudo-terminal whose user says yes to every question.
fn add_on_a_terminal(options: &[&str], folder: &Path) -> Option<String> {
    add_declared(r#"{"slow":1500,"tools":[{"name":"read"}]}"#, options, folder)
}

/// The same with any declarations.
fn add_declared(declarations: &str, options: &[&str], folder: &Path) -> Option<String> {
    let python = component("python3")?;
    let declared = folder.join("server.json");
    std::fs::write(&declared, declarations).unwrap();
    let script = "import pty, os, sys\n\
        def read(fd):\n    data = os.read(fd, 1024)\n    \
        if b'[y/N]' in data: os.write(fd, b'y\\n')\n    return data\n\
        sys.exit(pty.spawn(sys.argv[1:], read) >> 8)";
    let mut command = Command::new(python);
    command.args(["-c", script, FACET, "add", "slow"]).args(options).arg("--");
    // By its name it is a program that fetches: it is looked at twice, one after the other.
    let program = folder.join("npx");
    if !program.exists() {
        std::os::unix::fs::symlink(workspace_binary("listed-server"), &program).unwrap();
    }
    command.arg(program).arg(declared).current_dir(folder.join("project"));
    command
        .env("TERM", "xterm-256color")
        .env("NO_COLOR", "1")
        .env("FACET_DIR", folder.join("home"));
    let output = command.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{shown}");
    Some(shown)
}

#[test]
fn a_yes_to_a_critical_finding_stands_in_the_lock() {
    let folder = project();
    let tool = r#"{"tools":[{"name":"read","description":"Reads ~/.ssh/id_rsa."}]}"#;
    let Some(shown) = add_declared(tool, &[], folder.path()) else { return };
    let lock = std::fs::read_to_string(folder.path().join("project/facets.lock")).unwrap();
    let lock: serde_json::Value = serde_json::from_str(&lock).unwrap();
    let accepted = &lock["servers"]["slow"]["accepted"];
    let code = "marker-secret-path";
    let expected =
        serde_json::json!([{ "code": code, "severity": "critical", "subject": "tool read" }]);
    assert_eq!(*accepted, expected, "{shown}");
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("project")).unwrap();
    folder
}

#[test]
fn a_start_shows_what_it_waits_for_and_no_question_is_garbled() {
    let folder = project();
    let Some(shown) = add_on_a_terminal(&[], folder.path()) else { return };
    for words in [
        "waiting for the first answer of slow (0 s of at most 60 s)",
        "waiting for the first answer of slow (1 s of at most 60 s)",
        "waiting for the first answer of slow, again (",
    ] {
        assert!(shown.contains(words), "{words}: {shown:?}");
    }
    let questions: Vec<&str> = shown.split("[y/N] ").skip(1).collect();
    assert_eq!(questions.len(), 2, "{shown:?}");
    for question in questions {
        assert!(question.starts_with("y\r\n"), "{question:?}");
    }
    let page = shown.split("[y/N] ").nth(1).unwrap();
    let page = page.rsplit("\u{1b}[2K").next().unwrap();
    assert!(!page.contains("waiting"), "the line is gone before the page comes: {page:?}");
}

/// A no is what somebody decided: no error to be explained, and nobody is told how to say yes.
#[test]
fn a_no_changes_nothing_and_proposes_nothing() {
    let Some(python) = component("python3") else { return };
    let folder = project();
    let script = "import pty, os, sys\n\
        def read(fd):\n    data = os.read(fd, 1024)\n    \
        if b'[y/N]' in data: os.write(fd, b'n\\n')\n    return data\n\
        sys.exit(pty.spawn(sys.argv[1:], read) >> 8)";
    let mut command = Command::new(python);
    command.args(["-c", script, FACET, "add", "s", "--", "sh", "-c", "exit 1"]);
    command.current_dir(folder.path().join("project"));
    command.env("NO_COLOR", "1").env("FACET_DIR", folder.path().join("home"));
    let output = command.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{shown}");
    assert!(shown.ends_with("nothing was changed\r\n"), "{shown:?}");
    for words in ["error:", "try:", "more:", "--yes"] {
        assert!(!shown.contains(words), "{words}: {shown:?}");
    }
}

#[test]
fn a_quiet_start_and_one_for_machines_show_nothing() {
    for options in [["--yes", "--quiet"], ["--yes", "--format=json"]] {
        let folder = project();
        let Some(shown) = add_on_a_terminal(&options, folder.path()) else { return };
        assert!(!shown.contains("waiting"), "{options:?}: {shown:?}");
    }
}
