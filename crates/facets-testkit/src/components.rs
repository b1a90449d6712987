use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The top of the source tree.
#[must_use]
pub fn repository_root() -> PathBuf {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_root.ancestors().nth(2).map(Path::to_owned).unwrap_or_default()
}

/// A folder or a file of the vectors that live beside the source tree, or a visible skip.
#[must_use]
pub fn shared_vectors(folder: &str) -> Option<PathBuf> {
    let path = repository_root().join("../shared/vectors").join(folder);
    if path.exists() {
        return Some(path);
    }
    // No setup could provide them, so this is no failure in anybody's CI.
    announce(&format!("no shared vectors `{folder}` beside this source tree"));
    None
}

/// Says that a test does not run, and why; with `CI` set that is a failure.
pub fn skip(reason: &str) {
    assert!(!in_ci(), "skipped in CI: {reason}");
    announce(reason);
}

/// Whether `CI` is set, and not to something that means no.
fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(&*value, "" | "0" | "false"))
}

#[expect(clippy::print_stderr, reason = "the line has to be visible")]
fn announce(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("SKIP {test}: {reason}");
    // `eprintln!` would be captured with the output of the passing test.
    if writeln!(std::io::stderr(), "{line}").is_err() {
        eprintln!("{line}");
    }
}

/// A program that `cargo xtask setup` provides, or a visible skip.
#[must_use]
pub fn component(program: &str) -> Option<PathBuf> {
    let tools = repository_root().join("target/tools/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::iter::once(tools)
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file());
    if found.is_none() {
        skip(&format!("`{program}` is not installed; `cargo xtask setup` installs it"));
    }
    found
}

/// A binary of another crate of this workspace. `cargo test` alone does not build those.
#[must_use]
pub fn workspace_binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap_or_default();
    let path = test.ancestors().nth(2).map(|folder| folder.join(name)).unwrap_or_default();
    assert!(path.is_file(), "run `cargo build --workspace` first: {} is missing", path.display());
    path
}

/// Sends cases to the oracle's batch mode, one a line in hex, and returns its answers.
#[must_use]
pub fn ask_oracle(what: &str, cases: &[impl AsRef<[u8]>]) -> Option<Vec<String>> {
    let mut command = Command::new(component("python3")?);
    command.arg(repository_root().join("oracle/oracle.py")).args(["batch", what]);
    Some(ask(&mut command, cases))
}

/// Canonicalises documents with a real ECMAScript engine, whose `JSON.stringify`
/// and string order RFC 8785 is made of. Answers in hex.
#[must_use]
pub fn ecmascript(documents: &[impl AsRef<[u8]>]) -> Option<Vec<String>> {
    const SCRIPT: &str = r"
        const sort = v => v === null || typeof v !== 'object' ? JSON.stringify(v)
            : Array.isArray(v) ? '[' + v.map(sort).join(',') + ']'
            : '{' + Object.keys(v).sort().map(k => JSON.stringify(k) + ':' + sort(v[k])).join(',') + '}';
        const lines = require('fs').readFileSync(0, 'latin1').trim().split('\n');
        process.stdout.write(lines.map(line =>
            Buffer.from(sort(JSON.parse(Buffer.from(line, 'hex').toString('utf8')))).toString('hex') + '\n').join(''));
    ";
    let mut command = Command::new(component("node")?);
    command.args(["-e", SCRIPT]);
    Some(ask(&mut command, documents))
}

/// Sends cases to a program, one a line in hex, and returns its answers, one a line.
#[must_use]
pub fn ask(command: &mut Command, cases: &[impl AsRef<[u8]>]) -> Vec<String> {
    let lines: String = cases.iter().map(|case| crate::to_hex(case.as_ref()) + "\n").collect();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let mut stdin = child.stdin.take();
    let writer =
        std::thread::spawn(move || stdin.as_mut().map(|pipe| pipe.write_all(lines.as_bytes())));
    let output = child.wait_with_output().unwrap_or_else(|error| panic!("{error}"));
    assert!(output.status.success(), "{command:?} failed");
    drop(writer.join());
    let answers: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), cases.len(), "one answer for each case");
    answers
}

/// Puts a program somewhere. What is written may be held open by whoever another thread is just
/// starting, and is then too busy to be started itself; a link is not written.
pub fn put_program(program: &Path, place: &Path) {
    if std::fs::hard_link(program, place).is_err()
        && let Err(error) = std::fs::copy(program, place)
    {
        panic!("cannot put {} at {}: {error}", program.display(), place.display());
    }
}
