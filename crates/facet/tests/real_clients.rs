//! Real clients: what they see of a server is the same with `facet run` between them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use facets_testkit::{component, repository_root, skip, workspace_binary};
use serde_json::{Value, json};
use trusted::{FACET, Ran, Trusted};

/// A client, as the words that start it; a scenario, a mode and a server's command follow.
type Words = Vec<String>;

const NPM: &str = "target/tools/clients/npm";
const VENV: &str = "target/tools/servers/venv/bin";

/// A file that `cargo xtask setup` provides, or a visible skip.
fn provided(path: &str) -> Option<String> {
    let full = repository_root().join(path);
    if full.is_file() {
        return Some(full.to_str().unwrap().to_owned());
    }
    skip(&format!("`{path}` is missing; `cargo xtask setup` provides it"));
    None
}

fn script(name: &str) -> String {
    let path = repository_root().join("crates/facet/tests/data/clients").join(name);
    path.to_str().unwrap().to_owned()
}

fn node() -> Option<String> {
    component("node").map(|path| path.to_str().unwrap().to_owned())
}

fn typescript_v1() -> Option<Words> {
    provided(&format!("{NPM}/node_modules/@modelcontextprotocol/sdk/package.json"))?;
    Some(vec![node()?, script("typescript_v1.mjs")])
}

fn typescript_v2() -> Option<Words> {
    provided(&format!("{NPM}/node_modules/@modelcontextprotocol/client/package.json"))?;
    Some(vec![node()?, script("typescript_v2.mjs")])
}

fn python() -> Option<Words> {
    Some(vec![provided(&format!("{VENV}/python"))?, script("python.py")])
}

fn rmcp() -> Option<Words> {
    Some(vec![provided("target/peers/debug/rmcp-client")?])
}

static APPROVING: Mutex<()> = Mutex::new(());

/// A project with one approved server, `s`.
struct Stage {
    trusted: Trusted,
    server: Words,
}

/// The client's root, empty.
fn empty_root(trusted: &Trusted) -> PathBuf {
    let folder = trusted.folder.path().canonicalize().unwrap().join("files");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    folder
}

/// How a server is started, if it is installed.
fn server_words(server: &str, trusted: &Trusted) -> Option<Words> {
    let npm = |name: &str| {
        let packages = "target/tools/servers/npm/node_modules/@modelcontextprotocol";
        provided(&format!("{packages}/server-{name}/dist/index.js"))
    };
    let venv = |program: &str| provided(&format!("{VENV}/{program}"));
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    let declarations = text(trusted.declarations());
    Some(match server {
        "everything" => vec![node()?, npm(server)?, "stdio".to_owned()],
        "filesystem" => vec![node()?, npm(server)?, text(empty_root(trusted))],
        "time" => vec![venv("mcp-server-time")?, "--local-timezone=UTC".to_owned()],
        "modern" => vec![venv("python")?, script("modern_server.py"), declarations],
        "acting" => vec![text(workspace_binary("acting-server")), declarations],
        other => panic!("no server {other}"),
    })
}

impl Stage {
    /// Approves a server while it behaves; none if it is not installed.
    fn set(server: &str) -> Option<Self> {
        let trusted = Trusted::new();
        trusted.declare(&json!({ "mode": "plain" }));
        let server = server_words(server, &trusted)?;
        // One after the other: a server that takes seconds to start is taken for an older one.
        let _one = APPROVING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut add = trusted.command(&["add", "s", "--yes", "--"]);
        Ran::of(&add.args(&server).output().unwrap()).exits(0);
        Some(Self { trusted, server })
    }

    /// What a client saw of a server, or of what stands before it, with this home.
    fn play(&self, client: &[String], part: (&str, &str), server: &[String], home: &Path) -> Value {
        let mut command = Command::new(&client[0]);
        command.args(&client[1..]).args([part.0, part.1]).args(server);
        command.current_dir(self.trusted.project());
        command.env("SCENARIO_FOLDER", empty_root(&self.trusted)).env("FACET_DIR", home);
        command.env("CLIENTS", repository_root().join(NPM));
        let ran = Ran::of(&command.output().unwrap());
        assert_eq!(ran.exit, 0, "{client:?} {part:?} {server:?}: {}", ran.talk);
        settled(ran.json())
    }

    fn directly(&self, client: &[String], part: (&str, &str)) -> Value {
        self.play(client, part, &self.server, &self.trusted.home())
    }

    fn guarded(&self, client: &[String], part: (&str, &str)) -> Value {
        let server = [FACET, "run", "s"].map(str::to_owned);
        self.play(client, part, &server, &self.trusted.home())
    }
}

/// Members that are another time, or a random number, in every session.
const FLEETING: [&str; 4] = ["datetime", "day_of_week", "taskId", "elicitationId"];
/// Lines of text with such: of a clock, of a file, and of a task.
const FLEETING_LINES: [&str; 7] = [
    "\"datetime\"",
    "\"day_of_week\"",
    "created: ",
    "modified: ",
    "accessed: ",
    "Task created: ",
    "\"taskId\"",
];
/// The begin of what server-everything answers before it tells the time, also in base64.
const TELLS_TIME: [(&str, usize); 2] = [("Resource ", 32), ("UmVzb3VyY2Ug", 44)];

/// A document without what differs from one session to the next by itself.
fn settled(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.into_iter().filter(|(name, _)| !FLEETING.contains(&name.as_str()));
            kept.map(|(name, value)| (name, settled(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(settled).collect(),
        Value::String(text) => Value::String(settled_text(&text)),
        // spec 1: definitions are delivered in canonical form, in which 1.0 is 1.
        Value::Number(number) => json!(number.as_f64()),
        other => other,
    }
}

fn settled_text(text: &str) -> String {
    for (begin, length) in TELLS_TIME {
        if text.starts_with(begin) {
            return text.chars().take(length).collect();
        }
    }
    let tells = |line: &&str| FLEETING_LINES.iter().any(|begin| line.trim().starts_with(begin));
    text.lines().filter(|line| !tells(line)).collect::<Vec<&str>>().join("\n")
}

/// Where two documents differ.
fn differences(path: &str, one: &Value, other: &Value) -> Vec<String> {
    let none = Value::Null;
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
            let differ = |name: &String| {
                let of = |members: &serde_json::Map<String, Value>| members.get(name).cloned();
                let (a, b) = (of(a).unwrap_or_default(), of(b).unwrap_or_default());
                differences(&format!("{path}/{name}"), &a, &b)
            };
            names.flat_map(differ).collect()
        }
        (Value::Array(a), Value::Array(b)) => (0..a.len().max(b.len()))
            .flat_map(|at| {
                let of = |items: &Vec<Value>| items.get(at).unwrap_or(&none).clone();
                differences(&format!("{path}/{at}"), &of(a), &of(b))
            })
            .collect(),
        _ if one == other => Vec::new(),
        _ => vec![format!("{path}\n  directly {one}\n  guarded  {other}")],
    }
}

/// Plays scenarios, each in some modes, directly and guarded, and finds no difference.
fn sees_no_difference(client: Option<Words>, scenarios: &[(&str, &[&str])]) {
    let Some(client) = client else { return };
    let play = |scenario: &str, modes: &[&str]| {
        let Some(stage) = Stage::set(scenario) else { return };
        for mode in modes {
            let part = (scenario, *mode);
            let directly = stage.directly(&client, part);
            was_played(part, &directly);
            let guarded = stage.guarded(&client, part);
            let found = differences("", &directly, &guarded);
            assert!(found.is_empty(), "{client:?} {part:?}\n{}", found.join("\n"));
        }
    };
    std::thread::scope(|scope| {
        for (scenario, modes) in scenarios {
            let play = &play;
            scope.spawn(move || play(scenario, modes));
        }
    });
}

/// Whether everything took place that a scenario is about.
fn was_played(part: (&str, &str), document: &Value) {
    assert!(document.get("failed").is_none(), "{part:?}: {document:#}");
    let count = |pointer: &str| document.pointer(pointer).and_then(Value::as_array).map(Vec::len);
    let has = |text: &str| assert!(document.to_string().contains(text), "{part:?}: no {text}");
    let tools = match part.0 {
        "everything" => 17,
        "filesystem" => 14,
        "time" => 2,
        _ => 8,
    };
    assert!(count("/tools").is_some_and(|count| count >= tools), "{part:?}: {document:#}");
    if part.0 == "everything" {
        assert_eq!(count("/seen/logs"), Some(3), "{part:?}: {document:#}");
        assert_eq!(count("/seen/updates"), Some(1), "{part:?}: {document:#}");
        for told in ["LLM sampling result", "Name: Ada", "-32042", "2. Unnamed Root", "Support"] {
            has(told);
        }
    }
    if part.0 == "modern" {
        assert_eq!(count("/seen/logs"), Some(1), "{part:?}: {document:#}");
        for told in ["asked: [('model'", "note://one", "\"Alan\"", "\"given up\""] {
            has(told);
        }
    }
    if matches!(part.0, "everything" | "modern") {
        assert_eq!(count("/long/reports"), Some(3), "{part:?}: {document:#}");
        assert_eq!(count("/at once/many"), Some(50), "{part:?}: {document:#}");
        assert_eq!(document["at once"]["large"], true, "{part:?}");
    }
    let is_modern = part.1 != "legacy" && matches!(part.0, "time" | "modern");
    let opening = document["opening"].to_string();
    assert_eq!(opening.contains("2026-07-28"), is_modern, "{part:?}: {opening}");
}

#[test]
fn the_first_client_of_typescript_sees_no_difference() {
    let legacy: &[&str] = &["legacy"];
    let scenarios = [("everything", legacy), ("filesystem", legacy), ("time", legacy)];
    sees_no_difference(typescript_v1(), &scenarios);
}

/// With `auto` a client asks for the newer era first, and goes back to the older one if it must.
const SCENARIOS: [(&str, &[&str]); 4] = [
    ("everything", &["legacy", "auto"]),
    ("filesystem", &["auto"]),
    ("time", &["legacy", "2026-07-28"]),
    ("modern", &["auto", "2026-07-28"]),
];

#[test]
fn the_second_client_of_typescript_sees_no_difference() {
    sees_no_difference(typescript_v2(), &SCENARIOS);
}

#[test]
fn the_client_of_python_sees_no_difference() {
    sees_no_difference(python(), &SCENARIOS);
}

#[test]
fn the_client_of_rust_sees_no_difference() {
    sees_no_difference(rmcp(), &SCENARIOS);
}

/// What a client sees of a server that is not any more what was approved.
fn withholds_what_drifted(stage: &Stage, client: &[String], mode: &str) {
    let directly = stage.directly(client, ("drift", mode));
    assert!(directly["tools"].to_string().contains("read_file"), "{directly:#}");
    let seen = stage.guarded(client, ("drift", mode));
    let tools = seen["tools"].to_string();
    assert!(tools.contains("echo") && !tools.contains("read_file"), "{seen:#}");
    for (call, text) in [("echo", "again"), ("echo again", "and again")] {
        assert_eq!(seen[call]["content"][0]["text"], text, "{seen:#}");
    }
    let told = "the tool \"read_file\" changed since it was approved: description";
    let error = &seen["read_file"]["error"];
    let message = error["message"].as_str().unwrap();
    // One of the clients writes the code before it.
    let refusal = format!("facet: {told}. It is withheld until a person decides");
    assert!(message.ends_with(&refusal), "{seen:#}");
    assert_eq!(error["data"]["facet"]["code"], "changed", "{seen:#}");
    let warning = json!({
        "level": "warning", "logger": "facet",
        "data": format!("facet: s: withheld: {told}. Next: facet check s"),
    });
    assert_eq!(seen["seen"]["logs"], json!([warning]), "{client:?} {mode}");
}

#[test]
fn every_client_is_told_of_drift_in_its_own_way() {
    // The newer era insists on members of results that `acting-server` leaves out.
    let eras: [(&str, &[&str], _); 2] = [
        ("acting", &["legacy"], [typescript_v1(), typescript_v2(), python(), rmcp()]),
        ("modern", &["auto", "2026-07-28"], [None, typescript_v2(), python(), rmcp()]),
    ];
    for (server, modes, clients) in eras {
        let Some(stage) = Stage::set(server) else { return };
        stage.trusted.declare(&json!({ "mode": "at-once" }));
        for client in clients.iter().flatten() {
            for mode in modes {
                withholds_what_drifted(&stage, client, mode);
            }
        }
    }
}

/// A client that goes on asking after the first refusal hears the reason all the same.
#[test]
fn every_client_hears_why_nothing_was_started() {
    let Some(stage) = Stage::set("acting") else { return };
    let elsewhere = stage.trusted.folder.path().join("another home");
    let server = [FACET, "run", "s"].map(str::to_owned);
    for client in [typescript_v1(), typescript_v2(), python(), rmcp()].into_iter().flatten() {
        for mode in ["legacy", "auto"] {
            let seen = stage.play(&client, ("drift", mode), &server, &elsewhere);
            let failed = seen["failed"].to_string();
            assert!(failed.contains("facet approve s"), "{client:?} {mode}: {failed}");
        }
    }
}

/// RFC 6570, 3.2.2: the expansion of an empty value is empty.
#[test]
fn an_empty_value_is_an_address_of_the_template() {
    let (Some(client), Some(stage)) = (python(), Stage::set("modern")) else { return };
    let part = ("template", "auto");
    let (directly, guarded) = (stage.directly(&client, part), stage.guarded(&client, part));
    let found = differences("", &directly, &guarded);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The one thing that is not as without a guard, because nobody could approve it: a resource
/// that a tool makes for the session, outside of every template.
#[test]
fn a_resource_of_the_session_is_not_approved() {
    let (Some(client), Some(stage)) = (python(), Stage::set("everything")) else { return };
    let part = ("session", "legacy");
    let directly = stage.directly(&client, part);
    assert_eq!(directly["is listed"], true, "{directly:#}");
    let guarded = stage.guarded(&client, part);
    assert_eq!((&guarded["made"], &guarded["is listed"]), (&directly["made"], &json!(false)));
    assert_eq!(guarded["read"]["error"]["data"]["facet"]["code"], "not_approved", "{guarded:#}");
}
