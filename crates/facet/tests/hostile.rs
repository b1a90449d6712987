//! Hostile servers: each ends within its limit with its own error or its right result, in
//! bounded memory, and leaves no process behind.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use facets_testkit::workspace_binary;
use serde_json::Value;

/// What became of an inspection.
struct Outcome {
    exit: i32,
    output: Value,
    stderr: String,
    peak_kib: u64,
    elapsed: Duration,
}

impl Outcome {
    /// The code of the error; or `ok` and the names of the tools.
    fn verdict(&self) -> String {
        if let Some(code) = self.output["error"]["code"].as_str() {
            return code.to_owned();
        }
        let tools = self.output["tools"].as_object();
        let names = tools.map(|tools| tools.keys().cloned().collect::<Vec<_>>());
        format!("ok {}", names.unwrap_or_default().join(" "))
    }
}

fn inspect(mode: &str, folder: &Path, extra: &[&str]) -> Outcome {
    let pids = folder.join(format!("{mode}.pids"));
    let start = Instant::now();
    let mut facet = Command::new(env!("CARGO_BIN_EXE_facet"))
        .args(["inspect", "--yes", "--format", "json", "--timeout", "2"])
        .args(extra)
        .arg("--")
        .arg(workspace_binary("hostile-server"))
        .arg(mode)
        .arg(&pids)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", facet.id());
    let mut peak_kib = 0;
    let watched = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut peak = 0;
            while let Ok(text) = std::fs::read_to_string(&status) {
                let Some(line) = text.lines().find_map(|line| line.strip_prefix("VmHWM:")) else {
                    break;
                };
                peak = line.split_whitespace().next().unwrap().parse().unwrap();
                std::thread::sleep(Duration::from_millis(2));
            }
            peak
        });
        let output = wait_with_output(&mut facet);
        peak_kib = watcher.join().unwrap();
        output
    });
    let (exit, stdout, stderr) = watched;
    let elapsed = start.elapsed();
    for pid in std::fs::read_to_string(&pids).unwrap_or_default().lines() {
        assert!(!is_alive(pid), "{mode}: the process {pid} is still there");
    }
    let output = serde_json::from_slice(&stdout)
        .unwrap_or_else(|error| panic!("{mode}: {error}: {}", String::from_utf8_lossy(&stdout)));
    Outcome { exit, output, stderr, peak_kib, elapsed }
}

fn wait_with_output(child: &mut std::process::Child) -> (i32, Vec<u8>, String) {
    use std::io::Read as _;
    let (mut stdout, mut stderr) = (Vec::new(), String::new());
    child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (child.wait().unwrap().code().unwrap_or(-1), stdout, stderr)
}

fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

const LISTED: &str = "ok read_file";

/// mode, verdict
const ATTACKS: &[(&str, &str)] = &[
    ("honest", LISTED),
    ("endless-cursor", "server-too-many-pages"),
    ("repeated-cursor", "server-repeated-cursor"),
    ("empty-cursor", "server-repeated-cursor"),
    ("page-two", "ok exec_shell read_file"),
    ("empty-page", LISTED),
    ("same-tool-on-two-pages", "server-duplicate-name"),
    ("long-line", "server-message-too-large"),
    ("long-noise", "server-message-too-large"),
    ("drip", "server-no-answer"),
    ("silent", "server-no-answer"),
    ("mute-discovery", LISTED),
    ("dies-of-discovery", LISTED),
    ("dies-mid-reply", "server-closed"),
    ("usage", "server-closed"),
    ("refuses", "server-refused"),
    ("no-capabilities", "server-malformed-result"),
    ("storm", "server-no-answer"),
    ("ping-flood", "server-not-reading"),
    ("noise", LISTED),
    ("crlf", LISTED),
    ("batch", LISTED),
    ("stderr-flood", LISTED),
    ("duplicate-members", "server-bad-definition"),
    ("duplicate-tools", "server-duplicate-name"),
    ("case-variant", "ok x"),
    ("lone-surrogate", "server-invalid-message"),
    ("overflow", "server-bad-definition"),
    ("large-integer", "ok x"),
    ("deep", "server-invalid-message"),
    ("deep-enough", "ok deep"),
    ("nameless", "server-bad-definition"),
    ("not-an-object", "server-bad-definition"),
    ("odd-schema", "ok none odd read_file"),
    ("invisible", "ok x"),
    ("twins", "ok Read_File read_file re\u{200b}ad_file"),
    ("many-items", "server-too-many-items"),
    ("many-values", "server-bad-definition"),
    ("changes", "unstable-surface"),
    ("rewrites", "unstable-surface"),
    ("shrinks", "unstable-surface"),
    ("volatile-resources", LISTED),
    ("asks", LISTED),
    ("wrong-id", LISTED),
    ("only-wrong-id", "server-no-answer"),
    ("invalid-utf8", "server-invalid-message"),
    ("byte-order-mark", "server-no-answer"),
    ("logs-json", LISTED),
    ("long-cursor", "server-malformed-result"),
    ("many-members", "server-invalid-message"),
    ("hidden-values", "ok x"),
    ("hidden-text", "ok x"),
    ("kills-supervisor", "supervisor-lost"),
    ("stops-supervisor", "supervisor-lost"),
    ("setsid", LISTED),
    ("ignores-term", LISTED),
    ("never-exits", LISTED),
];

#[test]
fn every_attack_ends_as_it_should() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (mode, expected) in ATTACKS {
        let outcome = inspect(mode, folder.path(), &[]);
        let verdict = outcome.verdict();
        let exit = if verdict.starts_with("ok ") { 0 } else { 2 };
        if verdict != *expected || outcome.exit != exit {
            wrong.push(format!(
                "{mode}: {verdict} (exit {}), not {expected}\n{}",
                outcome.exit, outcome.stderr
            ));
        }
        // Of which a build for debugging takes some for its own code, and the allocator keeps some
        // between texts of 14 MiB: the tables of the rules come to lie there.
        if outcome.peak_kib > 176 << 10 {
            wrong.push(format!("{mode}: {} MiB", outcome.peak_kib >> 10));
        }
        if outcome.elapsed > Duration::from_secs(30) {
            wrong.push(format!("{mode}: {:?}", outcome.elapsed));
        }
        assert!(outcome.stderr.is_empty(), "{mode}: JSON goes to standard output alone");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn errors_quote_what_the_server_said() {
    let folder = tempfile::tempdir().unwrap();
    let error = |mode: &str| inspect(mode, folder.path(), &[]).output["error"].clone();
    let usage = error("usage");
    let message = "the server exited with code 64 before it answered initialize";
    assert_eq!(usage["message"], message, "{usage}");
    let lines = ["usage: hostile-server MODE", "error: API_KEY is not set"];
    assert_eq!(usage["stderr"]["first"], serde_json::json!(lines), "{usage}");
    assert_eq!(error("rewrites")["actual"], "different: read_file");
    let died = error("dies-mid-reply");
    let message = died["message"].as_str().unwrap();
    assert!(message.starts_with("the server exited with code 3 before it answered "), "{died}");
    assert_eq!(died["stderr"]["first"][0], "panic: out of cheese", "{died}");
}

#[test]
fn warnings_tell_what_to_look_at_twice() {
    let folder = tempfile::tempdir().unwrap();
    let warnings = |mode: &str| inspect(mode, folder.path(), &[]).output["warnings"].to_string();
    assert!(warnings("asks").contains("sampling/createMessage, elicitation/create"));
    assert!(warnings("noise").contains("not MCP messages"));
    assert!(warnings("wrong-id").contains("6 unsolicited replies"));
    assert!(warnings("invisible").contains("invisible"));
    assert!(warnings("twins").contains("looks like"));
    assert!(warnings("odd-schema").contains("no input schema"));
    assert_eq!(warnings("honest"), "[]");
}

/// Members that differ only in case are different members, and both count.
#[test]
fn case_variants_and_large_integers_reach_the_hash() {
    let folder = tempfile::tempdir().unwrap();
    let digest = |mode: &str| {
        inspect(mode, folder.path(), &[]).output["tools"]["x"]["digest"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let ours = |text: &str| {
        let value = facets_digest::json::parse(
            text.as_bytes(),
            facets_digest::json::Provenance::Captured,
            facets_digest::json::Limits::DEFINITION,
        );
        value.unwrap().canonical_digest().to_string()
    };
    assert_eq!(
        digest("case-variant"),
        ours(r#"{"name":"x","description":"hostile","Description":"benign"}"#)
    );
    assert_eq!(
        digest("large-integer"),
        ours(r#"{"name":"x","inputSchema":{"maximum":9007199254740993}}"#)
    );
    let volatile = inspect("volatile-resources", folder.path(), &[]);
    assert_eq!(volatile.output["resources"], "volatile");
}
