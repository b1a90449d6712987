//! Twelve real servers, as people write them: the same answers through facet as without it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use facets_testkit::{Client, repository_root, skip};
use serde_json::{Value, json};
use trusted::{Ran, Trusted};

const ZONE: &str = "Europe/Berlin";

/// What a kube config has that no server gets from anywhere else.
const KUBE_CONFIG: &str = r#"{
  "apiVersion": "v1", "kind": "Config", "current-context": "facet-test",
  "clusters": [{ "name": "nowhere", "cluster": { "server": "http://127.0.0.1:9" } }],
  "users": [{ "name": "nobody", "user": {} }],
  "contexts": [{ "name": "facet-test", "context": { "cluster": "nowhere", "user": "nobody" } }]
}"#;

/// Variables that an MCP client gives to every server, and those that people have set for their proxies
/// and certificates.
fn of_a_client(home: &Path) -> Vec<(String, String)> {
    let inherited = std::env::vars().filter(|(name, _)| {
        ["PATH", "SHELL", "TERM", "USER", "LOGNAME"].contains(&name.as_str())
            || name.to_lowercase().ends_with("_proxy")
            || ["CERT", "_CA_", "CAINFO"].iter().any(|part| name.contains(part))
    });
    let own = [("HOME", home.to_str().unwrap()), ("TZ", ZONE)];
    let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
    inherited.chain(own).collect()
}

/// A home with the user's own configuration and caches of npm and uv, so that nothing is fetched twice.
fn home(folder: &Path) -> PathBuf {
    let (home, real) = (folder.join("home"), std::env::home_dir().unwrap());
    std::fs::create_dir_all(home.join(".kube")).unwrap();
    std::fs::write(home.join(".kube/config"), KUBE_CONFIG).unwrap();
    let settings = std::fs::read_to_string(real.join(".npmrc")).unwrap_or_default();
    let cache = real.join(".npm").display().to_string();
    std::fs::write(home.join(".npmrc"), format!("{settings}\ncache={cache}\n")).unwrap();
    for name in [".cache", ".config"] {
        std::fs::create_dir_all(real.join(name)).unwrap();
        std::os::unix::fs::symlink(real.join(name), home.join(name)).unwrap();
    }
    home
}

/// A server as an entry of a client has it, and what is asked of it.
struct Case {
    words: Vec<String>,
    variables: Vec<(&'static str, String)>,
    calls: Vec<(&'static str, Value)>,
}

fn case(words: &[&str], calls: &[(&'static str, Value)]) -> Case {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    Case { words, variables: Vec::new(), calls: calls.to_vec() }
}

/// Everything that a server declares, and what it answers.
fn answers(mut client: Client, calls: &[(&str, Value)]) -> Vec<Value> {
    client.initialize("test", &json!({}));
    let mut answers = vec![client.ask("tools/list", &json!({}))["result"]["tools"].clone()];
    for (tool, arguments) in calls {
        let mut answer = client.call(tool, arguments);
        answer["id"] = Value::Null;
        // The time goes on; where it is does not.
        if answer["result"]["structuredContent"]["datetime"].is_string() {
            answer["result"]["structuredContent"]["datetime"] = Value::Null;
        }
        if let Some(text) = answer["result"]["content"][0]["text"].as_str() {
            let lines = text.lines().filter(|line| !line.contains("datetime"));
            let text: Vec<&str> = lines.collect();
            answer["result"]["content"][0]["text"] = json!(text.join("\n"));
        }
        assert!(answer.get("error").is_none(), "{tool}: {answer}");
        answers.push(answer);
    }
    client.finish();
    answers
}

struct Comparison {
    trusted: Trusted,
    environment: Vec<(String, String)>,
}

impl Comparison {
    fn new() -> Self {
        let trusted = Trusted::new();
        let environment = of_a_client(&home(trusted.folder.path()));
        std::fs::write(trusted.file("note.txt"), "here").unwrap();
        let init = Command::new("git").args(["init", "-q"]).current_dir(trusted.project()).status();
        assert!(init.unwrap().success());
        Self { trusted, environment }
    }

    fn native(&self, case: &Case) -> Client {
        let mut command = Command::new(&case.words[0]);
        command.args(&case.words[1..]).current_dir(self.trusted.project());
        command.env_clear().envs(self.environment.iter().cloned());
        command.envs(case.variables.iter().map(|(name, value)| (*name, value)));
        Client::start(&mut command, Stdio::null())
    }

    fn facet(&self, case: &Case, arguments: &[&str]) -> Command {
        let mut command = self.trusted.command(arguments);
        command.env_clear().envs(self.environment.iter().cloned());
        command.env("FACET_DIR", self.trusted.home());
        command.envs(case.variables.iter().map(|(name, value)| (*name, value)));
        command
    }

    fn add(&self, name: &str, case: &Case) {
        let mut words = vec!["add", name, "--yes", "--as-command", "--timeout", "300"];
        for (variable, _) in &case.variables {
            words.extend(["--env", variable]);
        }
        words.push("--");
        words.extend(case.words.iter().map(String::as_str));
        Ran::of(&self.facet(case, &words).output().unwrap()).exits(0);
    }

    fn guarded(&self, name: &str, case: &Case) -> Client {
        Client::start(&mut self.facet(case, &["run", name]), Stdio::null())
    }

    /// The same answers, also by the tenth server.
    fn compare(&self, name: &str, case: &Case) {
        let before = answers(self.native(case), &case.calls);
        self.add(name, case);
        let after = answers(self.guarded(name, case), &case.calls);
        assert_eq!(after[0].as_array().map(Vec::len), before[0].as_array().map(Vec::len), "{name}");
        assert_eq!(after, before, "{name}: {:?}", case.words);
        let checked = Ran::of(&self.facet(case, &["check", name]).output().unwrap());
        checked.exits(0);
    }
}

fn tool(path: &str) -> Option<String> {
    let file = repository_root().join("target/tools/servers").join(path);
    if file.is_file() {
        return Some(file.display().to_string());
    }
    skip(&format!("`{path}` is not installed; `cargo xtask setup` installs it"));
    None
}

#[test]
fn servers_that_npx_fetches() {
    let comparison = Comparison::new();
    let npx = |package: &str, more: &[&str]| {
        let words = ["npx", "-y", package].into_iter().chain(more.iter().copied());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let everything = Case {
        words: npx("@modelcontextprotocol/server-everything@latest", &[]),
        ..case(&[], &[("echo", json!({ "message": "hello" }))])
    };
    comparison.compare("everything", &everything);
    let files = Case {
        words: npx("@modelcontextprotocol/server-filesystem", &["."]),
        ..case(
            &[],
            &[
                ("list_allowed_directories", json!({})),
                ("read_text_file", json!({ "path": "note.txt" })),
            ],
        )
    };
    comparison.compare("files", &files);
    // Its context comes from ~/.kube/config.
    let kubernetes = Case {
        words: npx("mcp-server-kubernetes@4.1.7", &[]),
        ..case(&[], &[("kubectl_context", json!({ "operation": "list" }))])
    };
    let known = answers(comparison.native(&kubernetes), &kubernetes.calls);
    assert!(known[1].to_string().contains("facet-test"), "{}", known[1]);
    comparison.compare("kubernetes", &kubernetes);
}

/// It keeps what it was told, from session to session and with or without facet.
#[test]
fn memory_is_there_after_a_restart() {
    let comparison = Comparison::new();
    let file = comparison.trusted.folder.path().join("memory.jsonl").display().to_string();
    let entity = |name: &str| json!({ "entities": [{ "name": name, "entityType": "x", "observations": [] }] });
    let read = [("read_graph", json!({}))];
    for (server, variables) in [("kept", vec![("MEMORY_FILE_PATH", file)]), ("beside", Vec::new())]
    {
        let words = ["npx", "-y", "@modelcontextprotocol/server-memory@2026.8.31"];
        let memory = Case { variables, ..case(&words, &[]) };
        comparison.add(server, &memory);
        let marker = format!("facet-{server}-{}", std::process::id());
        let clear = ("delete_entities", json!({ "entityNames": [&marker] }));
        answers(comparison.guarded(server, &memory), &[("create_entities", entity(&marker))]);
        let again = answers(comparison.guarded(server, &memory), &read);
        assert!(again[1].to_string().contains(&marker), "{}", again[1]);
        assert_eq!(answers(comparison.native(&memory), &read), again);
        answers(comparison.native(&memory), &[clear]);
    }
}

#[test]
fn servers_that_uvx_fetches() {
    let comparison = Comparison::new();
    let Some(uvx) = tool("venv/bin/uvx") else { return };
    let time = case(
        &[&uvx, "mcp-server-time@2026.10.19"],
        &[("get_current_time", json!({ "timezone": "Asia/Tokyo" }))],
    );
    comparison.compare("time", &time);
    // The zone of this machine is in what it declares, here as without facet.
    let declared = answers(comparison.guarded("time", &time), &[]);
    assert!(declared[0].to_string().contains(ZONE), "{}", declared[0]);
    let pinned = comparison.trusted.read(".facets/surfaces/time.json");
    assert!(!pinned.contains(ZONE), "{pinned}");
    let git = case(
        &[&uvx, "--from", "mcp-server-git==2026.10.19", "mcp-server-git"],
        &[("git_status", json!({ "repo_path": "." }))],
    );
    comparison.compare("git", &git);
    // Another machine, in another zone, with the same lock.
    let elsewhere = tempfile::tempdir().unwrap();
    let there = |arguments: &[&str]| {
        let mut command = comparison.facet(&time, arguments);
        command.env("FACET_DIR", elsewhere.path().join("facet")).env("TZ", "Asia/Tokyo");
        command
    };
    Ran::of(&there(&["check", "--trust-lock"]).output().unwrap()).exits(0);
    let client = Client::start(&mut there(&["run", "time", "--trust-lock"]), Stdio::null());
    let declared = answers(client, &time.calls);
    assert_eq!(declared[0].as_array().map(Vec::len), Some(2), "nothing is withheld: {declared:?}");
}

#[test]
fn servers_that_are_installed() {
    let comparison = Comparison::new();
    let npm = |package: &str| tool(&format!("npm/node_modules/@modelcontextprotocol/{package}"));
    let (Some(thinking), Some(python), Some(fetch), Some(memory)) = (
        npm("server-sequential-thinking/dist/index.js"),
        tool("venv/bin/python"),
        tool("venv/bin/mcp-server-fetch"),
        npm("server-memory/dist/index.js"),
    ) else {
        return;
    };
    let thought = json!({ "thought": "one", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1 });
    comparison.compare("thinking", &case(&["node", &thinking], &[("sequentialthinking", thought)]));
    let time = (
        "convert_time",
        json!({ "source_timezone": "Asia/Tokyo", "time": "10:00", "target_timezone": ZONE }),
    );
    comparison.compare("clock", &case(&[&python, "-m", "mcp_server_time"], &[time]));
    comparison.compare("fetch", &case(&[&fetch], &[]));
    // Written with a path of its own, as an entry of a client has it.
    let folder = comparison.trusted.folder.path().join("memory.json").display().to_string();
    let kept = Case {
        variables: vec![("MEMORY_FILE_PATH", folder)],
        ..case(&["node", &memory], &[("read_graph", json!({}))])
    };
    comparison.compare("memory", &kept);
}

/// A server on a port, ended with the test.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Called at an address with a header: the answers are those of the same server on a pipe.
#[test]
fn a_server_at_an_address() {
    let comparison = Comparison::new();
    let entry = "npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    let Some(everything) = tool(entry) else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new("node");
    command.args([&everything, "streamableHttp"]).env("PORT", port.to_string());
    let server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _server = Listening(server);
    let begin = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begin.elapsed() < Duration::from_secs(30), "nobody listens on {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let calls = [("echo", json!({ "message": "hello" }))];
    let local = case(&["node", &everything], &calls);
    let before = answers(comparison.native(&local), &calls);
    let remote = Case { variables: vec![("KEY", "Bearer x".to_owned())], ..case(&[], &calls) };
    let url = format!("http://127.0.0.1:{port}/mcp");
    let words = ["add", "far", &url, "--header", "Authorization=KEY", "--yes"];
    Ran::of(&comparison.facet(&remote, &words).output().unwrap()).exits(0);
    assert_eq!(answers(comparison.guarded("far", &remote), &calls), before);
}
