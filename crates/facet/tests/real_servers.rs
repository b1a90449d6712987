//! Real servers from npm and PyPI: every list, both eras, both runtimes, the same hash.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use facets_testkit::{Client, component, repository_root, skip, workspace_binary};
use serde_json::{Value, json};

fn servers() -> PathBuf {
    repository_root().join("target/tools/servers")
}

/// A file of an installed package, or a visible skip.
fn installed(path: &str) -> Option<PathBuf> {
    let full = servers().join(path);
    if full.is_file() {
        return Some(full);
    }
    skip(&format!("`{path}` is not installed; `cargo xtask setup` installs it"));
    None
}

fn npm(package: &str) -> Option<PathBuf> {
    installed(&format!("npm/node_modules/{package}"))
}

fn facet(arguments: &[&str], variables: &[(&str, &str)], folder: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_facet"))
        .args(["inspect", "--format", "json"])
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    assert!(report["error"].is_null(), "{arguments:?}: {report:#}");
    report
}

fn inspect(words: &[&str], variables: &[(&str, &str)], folder: &Path) -> Value {
    facet(&[&["--yes", "--"], words].concat(), variables, folder)
}

fn count(report: &Value, what: &str) -> usize {
    report[what].as_object().unwrap().len()
}

/// package entry, arguments, tools, prompts, resources, templates
type Row = (&'static str, &'static [&'static str], usize, usize, usize, usize);

const NPM: &[Row] = &[
    ("@modelcontextprotocol/server-everything/dist/index.js", &["stdio"], 19, 4, 7, 2),
    ("@modelcontextprotocol/server-filesystem/dist/index.js", &["."], 14, 0, 0, 0),
    ("@modelcontextprotocol/server-memory/dist/index.js", &[], 9, 0, 1, 0),
    ("@modelcontextprotocol/server-sequential-thinking/dist/index.js", &[], 1, 0, 0, 0),
    ("@playwright/mcp/cli.js", &["--headless"], 25, 0, 0, 0),
];

#[test]
fn servers_of_npm_have_one_surface_under_node_and_bun() {
    let folder = tempfile::tempdir().unwrap();
    let (Some(node), Some(bun)) = (component("node"), component("bun")) else { return };
    let runtimes = [node.to_str().unwrap(), bun.to_str().unwrap()];
    for (entry, arguments, tools, prompts, resources, templates) in NPM {
        let Some(entry) = npm(entry) else { return };
        let entry = entry.to_str().unwrap();
        let mut surfaces = Vec::new();
        for runtime in runtimes {
            let words = [&[runtime, entry], *arguments].concat();
            // Another environment must not move anything: the server does not see it.
            let elsewhere =
                [("TZ", "Asia/Tokyo"), ("LANG", "de_DE.UTF-8"), ("HOME", "/nonexistent")];
            for variables in [&[][..], &elsewhere] {
                let report = inspect(&words, variables, folder.path());
                assert_eq!(report["era"], "initialize");
                let counts = ["tools", "prompts", "resource_items", "resource_templates"];
                let counts = counts.map(|what| count(&report, what));
                assert_eq!(counts, [*tools, *prompts, *resources, *templates], "{entry}");
                surfaces.push((report["api_surface"].clone(), report["surface"].clone()));
            }
        }
        assert!(surfaces.windows(2).all(|pair| pair[0] == pair[1]), "{entry}: {surfaces:?}");
    }
}

#[test]
fn servers_of_pypi_speak_the_newer_era() {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new("git").args(["init", "-q", "repo"]).current_dir(folder.path()).status();
    assert!(made.unwrap().success());
    let rows: [(&str, &[&str], usize, usize); 3] = [
        ("venv/bin/mcp-server-time", &["--local-timezone", "UTC"], 2, 0),
        ("venv/bin/mcp-server-git", &["--repository", "repo"], 12, 0),
        ("venv/bin/mcp-server-fetch", &[], 1, 1),
    ];
    for (program, arguments, tools, prompts) in rows {
        let Some(program) = installed(program) else { return };
        let words = [&[program.to_str().unwrap()], arguments].concat();
        let first = inspect(&words, &[], folder.path());
        assert_eq!(
            (first["era"].as_str(), first["protocol"].as_str()),
            (Some("discover"), Some("2026-07-28"))
        );
        assert_eq!(
            (count(&first, "tools"), count(&first, "prompts")),
            (tools, prompts),
            "{program:?}"
        );
        let again = inspect(&words, &[("TZ", "Asia/Tokyo"), ("LANG", "C")], folder.path());
        assert_eq!(first["surface"], again["surface"], "{program:?}");
    }
}

/// Somebody else's SDK pages its tools, and is understood.
#[test]
fn the_rust_sdk_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let peer = repository_root().join("target/peers/debug/rmcp-server");
    if !peer.is_file() {
        skip("the peers are not built; `cargo xtask setup` builds them");
        return;
    }
    let report = inspect(&[peer.to_str().unwrap()], &[], folder.path());
    assert_eq!(report["era"], "discover");
    assert_eq!((count(&report, "tools"), count(&report, "prompts")), (2, 1));
    assert_eq!(report["instructions"], "Ask before reading.");
}

/// Another user sees the same surface; a server of our own, so that everybody can start it.
#[test]
fn the_user_does_not_matter() {
    if Command::new("id").arg("-u").output().unwrap().stdout != b"0\n" {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), everybody).unwrap();
    let (facet, server) = (folder.path().join("facet"), folder.path().join("server"));
    std::fs::copy(env!("CARGO_BIN_EXE_facet"), &facet).unwrap();
    std::fs::copy(workspace_binary("hostile-server"), &server).unwrap();
    let surface = |command: &mut Command| {
        let command = command.args(["inspect", "--yes", "--format", "json", "--"]).arg(&server);
        let output = command.arg("honest").current_dir(folder.path()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["surface"].as_str().unwrap().to_owned()
    };
    let ours = surface(&mut Command::new(&facet));
    let theirs = surface(Command::new("runuser").args(["-u", "nobody", "--"]).arg(&facet));
    assert_eq!(ours, theirs);
}

/// A server on a port, ended with the test.
struct Listening(Child);

impl Listening {
    fn start(command: &mut Command, port: u16) -> Self {
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self(child);
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(30), "nobody listens on {port}");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that is free now.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn streamable_http_in_both_eras() {
    let folder = tempfile::tempdir().unwrap();
    let url = |port: u16| format!("http://127.0.0.1:{port}/mcp");
    let (Some(node), Some(everything)) = (component("node"), npm(NPM[0].0)) else { return };
    let port = free_port();
    let mut command = Command::new(&node);
    let server = Listening::start(
        command.arg(&everything).arg("streamableHttp").env("PORT", port.to_string()),
        port,
    );
    let remote = facet(&[&url(port)], &[], folder.path());
    assert_eq!(remote["era"], "initialize");
    let words = [node.to_str().unwrap(), everything.to_str().unwrap(), "stdio"];
    let local = inspect(&words, &[], folder.path());
    assert_eq!(remote["surface"], local["surface"], "the transport does not matter");
    drop(server);

    let Some(python) = installed("venv/bin/python") else { return };
    let script = repository_root().join("crates/facet/tests/data/stateless.py");
    let port = free_port();
    let _server = Listening::start(Command::new(python).arg(script).arg(port.to_string()), port);
    let remote = facet(&[&url(port)], &[], folder.path());
    assert_eq!((remote["era"].as_str(), count(&remote, "tools")), (Some("discover"), 1));
    assert_eq!(remote["instructions"], "Adds numbers.");
}

/// The example of the guide works with the server that it names, word for word.
#[test]
fn the_example_of_the_guide_confines_a_real_server() {
    let Some(node) = component("node") else { return };
    let Some(entry) = npm("@modelcontextprotocol/server-filesystem/dist/index.js") else { return };
    let guide = std::fs::read_to_string(repository_root().join("docs/running.md")).unwrap();
    let typed = |start: &str| {
        let line = guide.lines().find(|line| line.starts_with(start)).unwrap();
        line.split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir_all(project.join("docs")).unwrap();
    std::fs::write(project.join("docs/note.txt"), "a note").unwrap();
    std::fs::write(project.join("other.txt"), "not for it").unwrap();
    let modules = servers().join("npm/node_modules");
    assert!(entry.starts_with(&modules));
    std::os::unix::fs::symlink(modules, project.join("node_modules")).unwrap();
    let path = format!("{}:{}", node.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let facet = |words: &[String]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_facet"));
        command.args(words).current_dir(&project).env("PATH", &path);
        command.env("FACET_DIR", folder.path().join("facet")).stdin(Stdio::null());
        command
    };
    let done = |words: &[String]| {
        let output = facet(words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {said}");
    };
    let mut add = typed("facet add files -- node");
    add.insert(2, "--yes".to_owned());
    done(&add);
    done(&typed("facet grant files network=none"));
    done(&["check".to_owned()]);
    let mut client = Client::start(&mut facet(&typed("facet run files")[..2]), Stdio::null());
    client.initialize("test", &json!({}));
    assert!(client.tools().iter().any(|tool| tool == "read_text_file"));
    let real = std::fs::canonicalize(&project).unwrap();
    let answer = client.call("read_text_file", &json!({ "path": real.join("docs/note.txt") }));
    assert_eq!(answer["result"]["content"][0]["text"], "a note", "{answer}");
    let other = client.call("read_text_file", &json!({ "path": real.join("other.txt") }));
    assert_eq!(other["result"]["isError"], true, "{other}");
}
