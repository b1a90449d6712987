//! What `facet-registry --json` prints is what `docs/schemas` says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use facets_testkit::repository_root;
use serde_json::Value;
use support::{RegistryProcess, bearer, facet, program, run};
use tempfile::TempDir;

/// Prints one line and its log, whatever the format is.
const WITHOUT_RESULT: &[&str] = &["serve"];

/// Its output is the same in every program.
const SHARED: &[&str] = &["help"];

/// Schemas of a command that has two.
const SECOND: &[&str] = &["registry-explain-all"];

fn schema(name: &str) -> Value {
    let path = repository_root().join(format!("docs/schemas/{name}.json"));
    let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap()
}

/// Commands of one data directory, and the schemas that their output was compared with.
struct Operator<'d> {
    data: &'d TempDir,
    seen: BTreeMap<&'static str, Vec<Value>>,
}

impl<'d> Operator<'d> {
    fn new(data: &'d TempDir) -> Self {
        Self { data, seen: BTreeMap::new() }
    }

    #[track_caller]
    fn run(&mut self, name: &'static str, exit: i32, words: &[&str]) -> Value {
        let ran = run(program(self.data).arg("--json").args(words));
        assert_eq!(ran.exit, exit, "{words:?}: {}{}", ran.stdout, ran.stderr);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        let schema = schema(name);
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{words:?}: {errors:?}: {document:#}");
        self.seen.entry(name).or_default().push(document.clone());
        document
    }

    /// Whether some output had this, at the end of a JSON pointer below its list.
    fn saw(&self, name: &str, list: &str, member: &str, is_so: impl Fn(&Value) -> bool) -> bool {
        let documents = self.seen.get(name).into_iter().flatten();
        let mut items = documents.flat_map(|one| one[list].as_array().unwrap());
        items.any(|item| is_so(&item[member]))
    }
}

#[test]
fn results_are_as_their_schemas_say() {
    let registry = RegistryProcess::start(&[]);
    let token = registry.token(&["publish:*"], "acme");
    let bearer = bearer(&token);
    assert_eq!(registry.publish("demo", &facet("demo", "1.0.0", "text"), &token).status, 201);
    let yank = "/v0/facets/demo/1.0.0/yank";
    let yanked = registry.ask("POST", yank, &[bearer.as_pair()], br#"{"reason":"leak"}"#);
    assert_eq!(yanked.status, 200, "{yanked:?}");
    assert_eq!(registry.ask("DELETE", yank, &[bearer.as_pair()], b"").status, 200);

    let mut operator = Operator::new(&registry.data);
    let create = ["token", "create", "--scope", "read", "--note", "for CI", "--expires-in", "9"];
    let made = operator.run("registry-token-create", 0, &create);
    let listed = operator.run("registry-token-list", 0, &["token", "list"]);
    let mut ids = listed["tokens"].as_array().unwrap().iter().map(|token| &token["id"]);
    assert!(ids.any(|id| *id == made["id"]), "{made}: {listed}");
    let id = listed["tokens"][0]["id"].as_str().unwrap().to_owned();
    operator.run("registry-token-revoke", 0, &["token", "revoke", &id]);
    operator.run("registry-token-list", 0, &["token", "list"]);
    operator.run("registry-owner-set", 0, &["owner", "set", "facet", "demo", "other"]);
    let scope = operator.run("registry-owner-set", 0, &["owner", "set", "scope", "@new", "other"]);
    assert_eq!(scope["reserved"], true, "{scope}");
    operator.run("registry-check", 0, &["check"]);
    operator.run("registry-gc", 0, &["gc", "--older-than", "0", "--dry-run"]);
    operator.run("registry-gc", 0, &["gc", "--older-than", "0"]);
    operator.run("registry-migrate", 0, &["migrate"]);
    operator.run("registry-audit", 0, &["audit"]);
    let saved = tempfile::tempdir().unwrap();
    let target = saved.path().join("data");
    operator.run("registry-backup", 0, &["backup", target.to_str().unwrap()]);
    fs::remove_file(find_blob(&registry)).unwrap();
    operator.run("registry-check", 1, &["check"]);
    let second = saved.path().join("second");
    operator.run("registry-backup", 1, &["backup", second.to_str().unwrap()]);
    operator.run("error", 2, &["token", "revoke", "none"]);
    operator.run("registry-explain", 0, &["explain", "token-unknown"]);
    operator.run("registry-explain", 0, &["explain", "E_VERSION_EXISTS"]);
    operator.run("registry-explain-all", 0, &["explain"]);
    operator.run("version", 0, &["--version"]);

    // Each member that may be `null` was seen both ways, and each action of the audit.
    for (list, name, member) in [
        ("tokens", "registry-token-list", "expires"),
        ("tokens", "registry-token-list", "revoked"),
        ("entries", "registry-audit", "token_id"),
        ("entries", "registry-audit", "detail"),
    ] {
        assert!(operator.saw(name, list, member, Value::is_null), "{member} is never null");
        assert!(operator.saw(name, list, member, |one| !one.is_null()), "{member} is always null");
    }
    let actions = schema("registry-audit");
    let actions = actions["$defs"]["entry"]["properties"]["action"]["enum"].as_array().unwrap();
    for action in actions {
        let was_done = operator.saw("registry-audit", "entries", "action", |one| one == action);
        assert!(was_done, "{action} was not done");
    }
    assert!(operator.saw("registry-check", "damaged", "kind", |kind| kind == "absent"));
    check_commands(&operator);
}

#[test]
fn new_tables_are_listed() {
    let data = tempfile::tempdir().unwrap();
    let mut operator = Operator::new(&data);
    let made = operator.run("registry-migrate", 0, &["migrate"]);
    assert!(!made["migrations"].as_array().unwrap().is_empty(), "{made}");
    assert!(data.path().join("data/catalog.sqlite").is_file());
}

/// Every command that the help lists has a schema that was used, and every schema is in the list of schemas.
fn check_commands(operator: &Operator<'_>) {
    let mut commands = subcommands(operator.data, &[]);
    assert!(commands.len() > 5, "{commands:?}");
    let mut expected: BTreeSet<String> = SECOND.iter().map(|name| (*name).to_owned()).collect();
    while let Some(command) = commands.pop() {
        let words: Vec<&str> = command.split(' ').collect();
        if SHARED.contains(&words[0]) || WITHOUT_RESULT.contains(&words[0]) {
            continue;
        }
        let below = subcommands(operator.data, &words);
        if below.is_empty() {
            expected.insert(format!("registry-{}", words.join("-")));
        }
        commands.extend(below.into_iter().filter(|name| !name.ends_with(" help")));
    }
    let used = operator.seen.keys().filter(|name| name.starts_with("registry-"));
    assert_eq!(used.map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(), expected);
    let page = fs::read_to_string(repository_root().join("docs/schemas/README.md")).unwrap();
    for name in &expected {
        assert!(page.contains(&format!("| [{name}]({name}.json) |")), "{name} is not listed");
    }
}

/// The commands that the help of a command lists.
fn subcommands(data: &TempDir, command: &[&str]) -> Vec<String> {
    let help = run(program(data).arg("--json").args(command).arg("--help"));
    let help: Value = serde_json::from_str(&help.stdout).unwrap();
    let Some((_, list)) = help["help"].as_str().unwrap().split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.map(|name| [command, &[name]].concat().join(" ")).collect()
}

/// The one blob of a registry.
fn find_blob(registry: &RegistryProcess) -> PathBuf {
    let mut folders = vec![registry.data.path().join("data/blobs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name.len() == 64) {
                return path;
            }
        }
    }
    panic!("no blob is stored");
}
