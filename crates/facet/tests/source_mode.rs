//! Servers from source: built, stored, pinned by their bytes, and started with the managed runtime.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use facets_store::Store;
use facets_testkit::{Client, repository_root, skip};
use serde_json::{Value, json};
use trusted::{FACET, Ran, Trusted, findings};

/// One cache for all tests: the runtime is fetched once.
static CACHE: LazyLock<PathBuf> =
    LazyLock::new(|| repository_root().join("target/tools/source-mode-cache"));

/// Whether the runtime can be had here.
static HAS_RUNTIME: LazyLock<bool> = LazyLock::new(|| {
    let place = Place::with_cache(CACHE.clone());
    place.init("warm-up");
    let added = place.facet(&["add", "mine", "--yes", "./warm-up"]);
    let is_unreachable = added.exit != 0 && added.talk.contains("fetch");
    assert!(added.exit == 0 || is_unreachable, "{added:?}");
    added.exit == 0
});

struct Place {
    trusted: Trusted,
    cache: PathBuf,
}

impl Place {
    /// A project beside the shared cache; none where the runtime cannot be fetched.
    fn new() -> Option<Self> {
        if *HAS_RUNTIME {
            return Some(Self::with_cache(CACHE.clone()));
        }
        skip("the registry that has the runtime cannot be reached");
        None
    }

    fn with_cache(cache: PathBuf) -> Self {
        fs::create_dir_all(&cache).unwrap();
        Self { trusted: Trusted::new(), cache }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.trusted.command(words);
        command.env("XDG_CACHE_HOME", &self.cache);
        command
    }

    fn facet(&self, words: &[&str]) -> Ran {
        Ran::of(&self.command(words).output().unwrap())
    }

    fn json(&self, words: &[&str]) -> Ran {
        let words: Vec<&str> = ["--format", "json"].iter().chain(words).copied().collect();
        self.facet(&words)
    }

    /// A new server, which is like no other that a test stores.
    fn init(&self, name: &str) {
        self.facet(&["init", "server", name]).exits(0);
    }

    /// Adds a line to the end of a file of the project.
    fn append(&self, file: &str, line: &str) {
        let text = self.trusted.read(file);
        self.trusted.write(file, &format!("{text}{line}\n"));
    }

    fn replace(&self, file: &str, old: &str, new: &str) {
        let text = self.trusted.read(file);
        assert!(text.contains(old), "{text}");
        self.trusted.write(file, &text.replace(old, new));
    }

    /// A session, as a client opens it.
    fn session(&self, name: &str) -> Client {
        Client::start(&mut self.command(&["run", name]), Stdio::inherit())
    }

    /// The pinned entry.
    fn entry(&self, name: &str) -> Value {
        let lock: Value = serde_json::from_str(&self.trusted.read("facets.lock")).unwrap();
        lock["servers"][name].clone()
    }

    /// Where a digest of the lock lies in the store.
    fn stored(&self, kind: &str, digest: &Value) -> PathBuf {
        let hex = digest.as_str().unwrap().strip_prefix("sha256:").unwrap();
        let store = Store::open(&self.cache.join("facet")).unwrap();
        store.path().join(kind).join("sha256").join(&hex[..2]).join(&hex[2..])
    }

    /// The program of the runtime, as it is stored.
    fn runtime_program(&self) -> PathBuf {
        let runtimes = Store::open(&self.cache.join("facet")).unwrap().path().join("runtimes");
        let found =
            Command::new("find").arg(runtimes).args(["-name", "bun", "-type", "f"]).output();
        PathBuf::from(String::from_utf8(found.unwrap().stdout).unwrap().trim())
    }

    /// A line of the documentation, for a user who has facet and bun.
    fn shell(&self, line: &str) -> Command {
        let folder = |program: &Path| program.parent().unwrap().to_owned();
        let programs = [folder(Path::new(FACET)), folder(&self.runtime_program())];
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(programs.into_iter().chain(std::env::split_paths(&path)));
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.trusted.project()).stdin(Stdio::null());
        command.env("PATH", path.unwrap()).env("XDG_CACHE_HOME", &self.cache);
        command.env("FACET_DIR", self.trusted.home());
        command
    }

    /// Runs such a line to its end, which has to be a good one.
    fn type_line(&self, line: &str) {
        Ran::of(&self.shell(line).output().unwrap()).exits(0);
    }

    /// The error of a start that has to fail, as JSON.
    fn refused(&self, name: &str) -> Value {
        let ran = self.json(&["run", name]);
        assert_ne!(ran.exit, 0, "{ran:?}");
        let text = if ran.out.trim().is_empty() { &ran.talk } else { &ran.out };
        let start = text.find('{').unwrap_or_else(|| panic!("{ran:?}"));
        serde_json::from_str(&text[start..]).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }
}

/// Changes one byte of a file that is sealed.
fn flip(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let sealed = fs::metadata(file).unwrap().permissions();
    fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(file, bytes).unwrap();
    fs::set_permissions(file, sealed).unwrap();
}

/// The lines of a block in `docs/getting-started.md` that stands between two comments.
fn shown_lines(name: &str) -> Vec<String> {
    let page = repository_root().join("docs/getting-started.md");
    let text = fs::read_to_string(page).unwrap();
    let (_, behind) = text.split_once(&format!("<!-- {name}: begin -->\n```sh\n")).unwrap();
    let (block, _) = behind.split_once(&format!("```\n<!-- {name}: end -->\n")).unwrap();
    block.lines().map(str::to_owned).collect()
}

#[track_caller]
fn code_of(error: &Value) -> &str {
    error["error"]["code"]
        .as_str()
        .or_else(|| error["code"].as_str())
        .unwrap_or_else(|| panic!("{error}"))
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
    place.init("gaining");
    place.facet(&["add", "mine", "--yes", "./gaining"]).exits(0);
    place.replace("gaining/server.yaml", "0.1.0", "0.2.0");
    let text = place.trusted.read("gaining/index.ts");
    let mark = place.trusted.file("started");
    let gained = format!(
        "import {{ execSync }} from \"node:child_process\";\nexecSync({:?});\n{text}",
        format!("touch {}", mark.display())
    );
    place.trusted.write("gaining/index.ts", &gained);
    let checked = place.json(&["check"]).exits(1).json();
    let found = findings(&checked);
    let kinds: Vec<&str> = found.iter().filter_map(|one| one["type"].as_str()).collect();
    assert!(kinds.contains(&"version_changed"), "{checked:#}");
    let gained = found.iter().find(|one| one["type"] == "entitlement_gained");
    assert_eq!(gained.unwrap()["severity"], "critical", "{checked:#}");
    let refused = place.facet(&["approve", "mine", "--yes"]);
    assert_ne!(refused.exit, 0, "{refused:?}");
    // A level alone would ask for `--yes`, too.
    let command = "facet approve mine --yes --accept critical";
    assert!(refused.talk.contains(command), "{refused:?}");
    assert!(!mark.exists(), "the new version was started");
    // What is pinned still runs.
    let mut client = place.session("mine");
    client.initialize("test", &json!({}));
    assert_eq!(client.tools(), ["greet"]);
    client.close();
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
    place.facet(&["approve", "mine", "--yes", "--accept", "critical"]).exits(0);
    assert_ne!(place.entry("mine")["content_hash"], before["content_hash"]);
    place.facet(&["check"]).exits(0);
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
fn whatever_is_tampered_with_is_refused_with_its_own_code() {
    let Some(place) = Place::new() else { return };
    place.init("guarded");
    place.facet(&["add", "mine", "--yes", "./guarded"]).exits(0);
    let entry = place.entry("mine");
    let restore = || place.facet(&["approve", "mine", "--yes", "--accept", "critical"]).exits(0);

    flip(&place.stored("files", &entry["content_hash"]).join("content"));
    let verified = place.facet(&["verify"]).exits(1);
    assert!(verified.out.contains("mine: tampered with\n"), "{verified:?}");
    assert!(!verified.out.contains("could not check"), "{verified:?}");
    restore();
    flip(&place.stored("files", &entry["content_hash"]).join("content"));
    let verified = place.json(&["verify"]).exits(1).json();
    let server = &verified["servers"][0];
    assert_eq!((&server["outcome"], code_of(server)), (&json!("tampered"), "store-tampered"));
    restore();
    flip(&place.stored("files", &entry["content_hash"]).join("content"));
    assert_eq!(code_of(&place.refused("mine")), "store-tampered");
    // It was evicted, and `run` builds nothing.
    assert_eq!(code_of(&place.refused("mine")), "artifact-not-stored");
    restore();

    flip(&place.stored("servers", &entry["integrity"]).join("tree/index.ts"));
    assert_eq!(code_of(&place.refused("mine")), "store-tampered");
    restore();

    let lock = place.trusted.read("facets.lock");
    let hash = entry["integrity"].as_str().unwrap();
    let other = if hash.ends_with('0') { "1" } else { "0" };
    place
        .trusted
        .write("facets.lock", &lock.replace(hash, &format!("{}{other}", &hash[..hash.len() - 1])));
    assert_eq!(code_of(&place.refused("mine")), "lock-edited");
    place.trusted.write("facets.lock", &lock);

    let file = ".facets/surfaces/mine.json";
    let surface = place.trusted.read(file);
    place.trusted.write(file, &surface.replace("Greets", "greets"));
    assert_eq!(code_of(&place.refused("mine")), "lock-edited");
    place.trusted.write(file, &surface);
    place.facet(&["verify"]).exits(0);
}

/// A project with a cache of its own that has the runtime.
fn with_own_cache(folder: &Path) -> Option<Place> {
    drop(Place::new()?);
    let cache = folder.join("cache");
    let copied = Command::new("cp").arg("-a").arg(&*CACHE).arg(&cache).status();
    assert!(copied.unwrap().success());
    Some(Place::with_cache(cache))
}

#[test]
fn pruning_keeps_the_archive_that_was_approved() {
    let folder = tempfile::tempdir().unwrap();
    let Some(place) = with_own_cache(folder.path()) else { return };
    place.init("kept");
    place.facet(&["add", "mine", "--yes", "./kept"]).exits(0);
    place.append("kept/index.ts", "// not what was approved");
    let entry = place.entry("mine");
    place.facet(&["cache", "prune", "--max-size", "0"]).exits(0);
    assert!(place.stored("files", &entry["content_hash"]).join("content").is_file());
    assert!(!place.stored("servers", &entry["integrity"]).exists(), "it is unpacked again");
    let store = Store::open(&place.cache.join("facet")).unwrap();
    let _ = store.prune(0, &std::collections::BTreeSet::new());
}

#[test]
fn a_runtime_that_was_tampered_with_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let Some(place) = with_own_cache(folder.path()) else { return };
    place.init("unlucky");
    place.facet(&["add", "mine", "--yes", "./unlucky"]).exits(0);
    flip(&place.runtime_program());
    let refused = place.refused("mine");
    assert!(["store-tampered", "runtime-mismatch"].contains(&code_of(&refused)), "{refused}");
    // Sealed directories are more than `tempdir` removes.
    let store = Store::open(&place.cache.join("facet")).unwrap();
    let _ = store.prune(0, &std::collections::BTreeSet::new());
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

#[test]
fn the_five_commands_of_the_documentation_end_in_a_guarded_session() {
    let Some(place) = Place::new() else { return };
    let lines = shown_lines("five commands");
    let [before @ .., last] = lines.as_slice() else { panic!("no commands") };
    assert_eq!(before.len(), 4, "{lines:?}");
    for line in before {
        place.type_line(line);
    }
    let mut client = Client::start(&mut place.shell(&format!("exec {last}")), Stdio::inherit());
    client.initialize("test", &json!({}));
    assert_eq!(client.tools(), ["greet"]);
    let answer = client.call("greet", &json!({ "name": "Ada" }));
    assert!(answer.to_string().contains("Hello, Ada!"), "{answer}");
    client.close();
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
