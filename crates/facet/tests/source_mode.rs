//! Servers from source: built, stored, pinned by their bytes, and started with the managed runtime.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use facets_testkit::{Client, repository_root};
use serde_json::json;
use sourced::{CACHE, OwnPlace, Place, code_of};
use trusted::{FACET, Ran, findings};

impl Place {
    /// A line of the documentation, for a user who has facet and bun.
    fn shell(&self, line: &str) -> Command {
        let folder = |program: &Path| program.parent().unwrap().to_owned();
        let programs = [folder(Path::new(FACET)), folder(&self.runtime_program())];
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(programs.into_iter().chain(std::env::split_paths(&path)));
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.trusted.project()).stdin(Stdio::null());
        command.env("PATH", path.unwrap()).env("XDG_CACHE_HOME", &self.cache);
        command.env("FACET_DIR", &self.home);
        command
    }

    /// Runs such a line to its end, which has to be a good one.
    fn type_line(&self, line: &str) {
        Ran::of(&self.shell(line).output().unwrap()).exits(0);
    }
}

/// A block in `docs/getting-started.md` that stands between two comments.
fn shown(name: &str, language: &str) -> String {
    let page = repository_root().join("docs/getting-started.md");
    let text = fs::read_to_string(page).unwrap();
    let (_, behind) = text.split_once(&format!("<!-- {name}: begin -->\n```{language}\n")).unwrap();
    let (block, _) = behind.split_once(&format!("```\n<!-- {name}: end -->\n")).unwrap();
    block.to_owned()
}

fn shown_lines(name: &str) -> Vec<String> {
    shown(name, "sh").lines().map(str::to_owned).collect()
}

#[test]
fn a_new_server_is_built_added_verified_and_runs_guarded() {
    let Some(place) = Place::new() else { return };
    place.init("greeter");
    let added = place.json(&["add", "mine", "--yes", "./greeter"]).exits(0).json();
    assert_eq!(added["artifact"]["name"], "greeter", "{added:#}");
    assert_eq!(added["profile"], "private");
    let grants = &added["grants"];
    assert_eq!((&grants["network"], &grants["subprocess"]), (&json!("none"), &json!(false)));
    assert_eq!(grants["arguments"], "pinned", "{grants}");
    let entry = place.entry("mine");
    assert_eq!((&entry["path"], &entry["version"]), (&json!("./greeter"), &json!("0.1.0")));
    assert_eq!(entry["runtime"]["name"], "bun");
    place.facet(&["verify"]).exits(0);
    place.facet(&["check"]).exits(0);
    let mut client = place.session("mine");
    client.initialize("test", &json!({}));
    assert_eq!(client.tools(), ["greet"]);
    let answer = client.call("greet", &json!({ "name": "Ada" }));
    assert!(answer.to_string().contains("Hello, Ada!"), "{answer}");
    let refused = client.call("greet", &json!({ "name": "Ada", "more": 1 }));
    assert!(refused.get("error").is_some(), "{refused}");
    client.close();
}

#[test]
fn an_archive_is_added_like_its_directory() {
    let Some(place) = Place::new() else { return };
    place.init("packed");
    place.facet(&["add", "dir", "--yes", "packed"]).exits(0);
    let archive = place.stored("files", &place.entry("dir")["content_hash"]).join("content");
    fs::copy(archive, place.trusted.file("packed.server.tar.gz")).unwrap();
    place.facet(&["add", "file", "--yes", "packed.server.tar.gz"]).exits(0);
    for member in ["integrity", "content_hash", "surface"] {
        assert_eq!(place.entry("dir")[member], place.entry("file")[member], "{member}");
    }
}

/// Asks an address as soon as the server starts, by a name that no scan can know.
const CONNECTS: &str = r#"
let reach = "pending";
(globalThis as any)[JSON.parse('["fetch"]')[0]]("http://127.0.0.1:PORT/").then(
  () => (reach = "open"),
  () => (reach = "closed"),
);
"#;

#[test]
fn a_server_that_was_not_seen_to_use_the_network_has_none_without_a_grant() {
    let Some(place) = Place::new() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    place.init("offline");
    place.append("offline/index.ts", &CONNECTS.replace("PORT", &port));
    place.replace("offline/index.ts", "Hello, ${args.name}!", "Hello, ${args.name}! ${reach}");
    place.facet(&["add", "mine", "--yes", "./offline"]).exits(0);
    assert_eq!(place.entry("mine")["grants"]["network"], "none");
    let mut client = place.session("mine");
    client.initialize("test", &json!({}));
    let mut text = String::new();
    for _ in 0..50 {
        text = client.call("greet", &json!({ "name": "Ada" })).to_string();
        if !text.contains("pending") {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    client.close();
    assert!(text.contains("closed"), "{text}");
    let reached = listener.accept();
    assert!(reached.is_err(), "the server has reached {reached:?}");
}

#[test]
fn a_version_that_gains_child_process_is_critical_and_is_not_started() {
    let Some(place) = Place::new() else { return };
    place.add_marking("gaining");
    place.replace("gaining/server.yaml", "0.1.0", "0.2.0");
    let gained =
        "import { execSync } from \"node:child_process\";\nconst list = () => execSync(\"ls\");\n";
    place.prepend("gaining/index.ts", gained);
    place.replace("gaining/index.ts", "marks/started", "marks/gained");
    let mark = place.trusted.file("marks/gained");
    let checked = place.json(&["check"]).exits(1).json();
    let found = findings(&checked);
    let kinds: Vec<&str> = found.iter().filter_map(|one| one["type"].as_str()).collect();
    assert!(kinds.contains(&"version_changed"), "{checked:#}");
    let gained = found.iter().find(|one| one["member"] == "entitlements.subprocess").unwrap();
    assert_eq!(gained["type"], "entitlement_gained", "{checked:#}");
    assert_eq!(gained["severity"], "critical", "{checked:#}");
    let refused = place.facet(&["approve", "mine", "--yes"]);
    assert_ne!(refused.exit, 0, "{refused:?}");
    // A level alone would ask for `--yes`, too.
    let command = "facet approve mine --yes --accept critical";
    assert!(refused.talk.contains(command), "{refused:?}");
    // What is pinned still runs.
    assert_eq!(place.greeting().as_deref(), Some("Hello, Ada!"));
    assert!(!mark.exists(), "the new version was started");
    // Once it is accepted, it leaves its mark.
    place.approve();
    assert!(mark.exists());
    assert_eq!(place.entry("mine")["version"], "0.2.0");
}

#[test]
fn a_directory_that_changed_is_reported_and_pinned_anew_only_by_approve() {
    let Some(place) = Place::new() else { return };
    place.init("changing");
    place.facet(&["add", "mine", "--yes", "./changing"]).exits(0);
    let before = place.entry("mine");
    place.append("changing/index.ts", "// another comment");
    let checked = place.json(&["check"]).exits(1).json();
    let found = findings(&checked);
    assert_eq!(found.len(), 1, "{checked:#}");
    assert_eq!(found[0]["type"], "content_changed");
    let sentence = "./changing differs from the pinned version 0.1.0 in 1 file: modified index.ts";
    assert_eq!(found[0]["sentence"], sentence);
    assert_eq!(place.entry("mine"), before);
    let mut client = place.session("mine");
    client.initialize("test", &json!({}));
    client.close();
    place.approve();
    assert_ne!(place.entry("mine")["content_hash"], before["content_hash"]);
    place.facet(&["check"]).exits(0);
}

#[test]
fn a_new_version_of_a_directory_is_reported_with_its_files() {
    let Some(place) = Place::new() else { return };
    place.init("newer");
    place.facet(&["add", "mine", "--yes", "./newer"]).exits(0);
    place.append("newer/index.ts", "// another comment");
    place.trusted.write("newer/NOTES.md", "new\n");
    place.replace("newer/server.yaml", "0.1.0", "0.2.0");
    let sentence = "version of the artifact changed: ./newer differs from the pinned version 0.1.0 in 3 files: \
                    added NOTES.md, modified index.ts, modified server.yaml";
    let checked = place.json(&["check"]).exits(0).json();
    let found = findings(&checked);
    assert_eq!(found[0]["type"], "version_changed", "{checked:#}");
    assert_eq!(found[0]["sentence"], sentence);
    let approved = place.facet(&["approve", "mine", "--yes"]).exits(0);
    let shown = format!("{}{}", approved.out, approved.talk);
    assert!(shown.contains("in 3 files: added NOTES.md, modified index.ts"), "{shown}");
    assert_eq!(place.entry("mine")["version"], "0.2.0");
}

#[test]
fn a_required_variable_has_its_probe_value_for_a_look_and_stops_a_session_without_one() {
    let Some(place) = Place::new() else { return };
    place.init("keyed");
    place.append(
        "keyed/server.yaml",
        "env:\n  - name: KEYED_TOKEN\n    description: A token of the service\n    required: true\n    probe: harmless-value",
    );
    place.facet(&["add", "mine", "--yes", "./keyed"]).exits(0);
    assert_eq!(place.entry("mine")["env"], json!(["KEYED_TOKEN"]));
    place.facet(&["check"]).exits(0);
    let refused = place.refused("mine");
    assert_eq!(code_of(&refused), "variable-not-set");
    assert!(refused.to_string().contains("A token of the service"), "{refused}");
    let mut command = place.command(&["run", "mine"]);
    let mut client = Client::start(command.env("KEYED_TOKEN", "own"), Stdio::inherit());
    client.initialize("test", &json!({}));
    client.close();
}

#[test]
fn pruning_keeps_the_archive_that_was_approved_and_its_runtime() {
    let Some(place) = OwnPlace::new() else { return };
    place.init("kept");
    place.facet(&["add", "mine", "--yes", "./kept"]).exits(0);
    place.append("kept/index.ts", "// not what was approved");
    let entry = place.entry("mine");
    place.facet(&["cache", "prune", "--max-size", "0"]).exits(0);
    assert!(place.stored("files", &entry["content_hash"]).join("content").is_file());
    assert!(!place.stored("servers", &entry["integrity"]).exists(), "it is unpacked again");
    // `run` fetches nothing.
    assert_eq!(place.greeting().as_deref(), Some("Hello, Ada!"));
}

#[test]
fn pruning_removes_a_runtime_that_no_approved_server_needs() {
    let Some(place) = OwnPlace::new() else { return };
    assert!(place.runtime_program().is_file());
    place.facet(&["cache", "prune", "--max-size", "0"]).exits(0);
    assert_eq!(place.runtime_program(), Path::new(""));
}

#[test]
fn packages_above_the_store_are_refused_where_the_server_could_read_them() {
    let Some(place) = Place::new() else { return };
    place.init("lonely");
    place.facet(&["add", "mine", "--yes", "./lonely"]).exits(0);
    let modules = CACHE.join("facet/node_modules");
    place.facet(&["grant", "mine", "filesystem=all", "--yes"]).exits(0);
    fs::create_dir_all(&modules).unwrap();
    let refused = place.refused("mine");
    fs::remove_dir(&modules).unwrap();
    assert_eq!(code_of(&refused), "ancestor-node-modules");
    assert!(refused.to_string().contains("facet grant mine filesystem=none"), "{refused}");
}

/// Types the five commands; between the first and the second one the server is written.
fn five_commands(place: &Place, write: impl FnOnce()) -> Command {
    let lines = shown_lines("five commands");
    let [first, before @ .., last] = lines.as_slice() else { panic!("no commands") };
    assert_eq!(before.len(), 3, "{lines:?}");
    place.type_line(first);
    write();
    for line in before {
        place.type_line(line);
    }
    place.shell(&format!("exec {last}"))
}

#[test]
fn the_five_commands_of_the_documentation_end_in_a_guarded_session() {
    let Some(place) = Place::new() else { return };
    let mut client = Client::start(&mut five_commands(&place, || {}), Stdio::inherit());
    client.initialize("test", &json!({}));
    assert_eq!(client.tools(), ["greet"]);
    let answer = client.call("greet", &json!({ "name": "Ada" }));
    assert!(answer.to_string().contains("Hello, Ada!"), "{answer}");
    let refused = client.call("greet", &json!({ "name": "Ada", "more": 1 }));
    assert!(refused.get("error").is_some(), "{refused}");
    client.close();
}

/// What no JavaScript can have, over two files.
#[test]
fn the_five_commands_are_enough_for_typescript() {
    let Some(place) = Place::new() else { return };
    let write = || {
        let code = "export enum Tone { Kind = \"Welcome\" }\n\
                    export class Greeter {\n  constructor(private readonly tone: Tone) {}\n  \
                    greet<Name extends string>(name: Name) {\n    return `${this.tone}, ${name}!`;\n  }\n}\n";
        place.trusted.write("my-server/greeter.ts", code);
        let import = "import { Greeter, Tone } from \"./greeter\";\n";
        place.prepend("my-server/index.ts", import);
        let call = "${new Greeter(Tone.Kind satisfies Tone).greet(args.name as string)}";
        place.replace("my-server/index.ts", "Hello, ${args.name}!", call);
    };
    let said = sourced::greeting(&mut five_commands(&place, write));
    assert_eq!(said.as_deref(), Some("Welcome, Ada!"));
}

#[test]
fn the_five_commands_are_enough_for_a_required_variable() {
    let Some(place) = Place::new() else { return };
    let write = || {
        place.append("my-server/server.yaml", &shown("variable", "yaml"));
        let value = "${process.env.SERVICE_TOKEN}";
        place.replace("my-server/index.ts", "Hello, ${args.name}!", value);
    };
    let mut run = five_commands(&place, write);
    assert_eq!(code_of(&place.refused("mine")), "variable-not-set");
    let said = sourced::greeting(run.env("SERVICE_TOKEN", "own"));
    assert_eq!(said.as_deref(), Some("own"));
}

#[test]
fn a_server_with_npm_packages_runs_without_a_network() {
    let Some(place) = Place::new() else { return };
    let lines = shown_lines("npm package");
    let [init, install, add] = lines.as_slice() else { panic!("{lines:?}") };
    place.type_line(init);
    // The lock is made by the managed bun, which is the first in the path of the line.
    place.type_line(install);
    let import = "import isOdd from \"is-odd\";\n";
    place.trusted.write("odd/index.ts", &format!("{import}{}", place.trusted.read("odd/index.ts")));
    let answer = "${args.name.length} is ${isOdd(args.name.length) ? \"odd\" : \"even\"}";
    place.replace("odd/index.ts", "Hello, ${args.name}!", answer);
    place.type_line(add);
    let entry = place.entry("odd");
    assert_eq!(entry["grants"]["network"], "none", "{entry:#}");
    let tree = place.stored("servers", &entry["integrity"]).join("tree");
    assert!(tree.join("index.facet.js").is_file() && !tree.join("node_modules").exists());
    // Neither the directory nor a registry is there any more.
    fs::remove_dir_all(place.trusted.file("odd")).unwrap();
    let mut command = place.command(&["run", "odd"]);
    command.env("npm_config_registry", "http://127.0.0.1:9/");
    let mut client = Client::start(&mut command, Stdio::inherit());
    client.initialize("test", &json!({}));
    for (name, expected) in [("Ada", "3 is odd"), ("Adam", "4 is even")] {
        let answer = client.call("greet", &json!({ "name": name }));
        assert!(answer.to_string().contains(expected), "{answer}");
    }
    client.close();
}
