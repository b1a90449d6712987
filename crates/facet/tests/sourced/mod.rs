//! A project with servers from source, and a cache that has the runtime.

use std::fs;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use facets_store::Store;
use facets_testkit::{Client, repository_root, skip};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::trusted::{Ran, Trusted};

/// One cache for all tests: the runtime is fetched once.
pub(crate) static CACHE: LazyLock<PathBuf> =
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

/// Notes every start of a server, where it may write to.
const MARKING: &str = r#"import { appendFileSync } from "node:fs";
try {
  appendFileSync(MARK, "started\n");
} catch {}
"#;

pub(crate) struct Place {
    pub(crate) trusted: Trusted,
    pub(crate) cache: PathBuf,
    /// What facet keeps for the user.
    pub(crate) home: PathBuf,
}

impl Place {
    /// A project beside the shared cache; none where the runtime cannot be fetched.
    pub(crate) fn new() -> Option<Self> {
        if *HAS_RUNTIME {
            return Some(Self::with_cache(CACHE.clone()));
        }
        skip("the registry that has the runtime cannot be reached");
        None
    }

    pub(crate) fn with_cache(cache: PathBuf) -> Self {
        fs::create_dir_all(&cache).unwrap();
        let trusted = Trusted::new();
        let home = trusted.home();
        Self { trusted, cache, home }
    }

    /// A project with a cache at a path of its own, to which the runtime is copied.
    pub(crate) fn with_copied_runtime(cache: PathBuf) -> Option<Self> {
        drop(Self::new()?);
        let place = Self::with_cache(cache);
        let (from, to) = (store_below(&CACHE), store_below(&place.cache));
        let copied = Command::new("cp").arg("-a").arg(from.join("runtimes")).arg(to).status();
        assert!(copied.unwrap().success());
        Some(place)
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.trusted.command(words);
        command.env("XDG_CACHE_HOME", &self.cache).env("FACET_DIR", &self.home);
        command
    }

    pub(crate) fn facet(&self, words: &[&str]) -> Ran {
        Ran::of(&self.command(words).output().unwrap())
    }

    pub(crate) fn json(&self, words: &[&str]) -> Ran {
        let words: Vec<&str> = ["--format", "json"].iter().chain(words).copied().collect();
        self.facet(&words)
    }

    /// A new server, which is like no other that a test stores.
    pub(crate) fn init(&self, name: &str) {
        self.facet(&["init", "server", name]).exits(0);
    }

    /// Adds a line to the end of a file of the project.
    pub(crate) fn append(&self, file: &str, line: &str) {
        let text = self.trusted.read(file);
        self.trusted.write(file, &format!("{text}{line}\n"));
    }

    /// Puts a text before all others of a file of the project.
    pub(crate) fn prepend(&self, file: &str, text: &str) {
        let old = self.trusted.read(file);
        self.trusted.write(file, &format!("{text}{old}"));
    }

    pub(crate) fn replace(&self, file: &str, old: &str, new: &str) {
        let text = self.trusted.read(file);
        assert!(text.contains(old), "{text}");
        self.trusted.write(file, &text.replace(old, new));
    }

    /// Pins whatever the source of `mine` is now.
    pub(crate) fn approve(&self) {
        self.facet(&["approve", "mine", "--yes", "--accept", "critical"]).exits(0);
    }

    /// A session, as a client opens it.
    pub(crate) fn session(&self, name: &str) -> Client {
        Client::start(&mut self.command(&["run", name]), Stdio::inherit())
    }

    /// What the tool of `mine` says in a session; nothing where the server does not start.
    pub(crate) fn greeting(&self) -> Option<String> {
        greeting(&mut self.command(&["run", "mine"]))
    }

    /// The pinned entry.
    pub(crate) fn entry(&self, name: &str) -> Value {
        let lock: Value = serde_json::from_str(&self.trusted.read("facets.lock")).unwrap();
        lock["servers"][name].clone()
    }

    /// Where a digest of the lock lies in the store.
    pub(crate) fn stored(&self, kind: &str, digest: &Value) -> PathBuf {
        let hex = digest.as_str().unwrap().strip_prefix("sha256:").unwrap();
        store_below(&self.cache).join(kind).join("sha256").join(&hex[..2]).join(&hex[2..])
    }

    /// The program of the runtime, as it is stored.
    pub(crate) fn runtime_program(&self) -> PathBuf {
        let runtimes = store_below(&self.cache).join("runtimes");
        let found =
            Command::new("find").arg(runtimes).args(["-name", "bun", "-type", "f"]).output();
        PathBuf::from(String::from_utf8(found.unwrap().stdout).unwrap().trim())
    }

    /// The error of a start that has to fail, as JSON.
    pub(crate) fn refused(&self, name: &str) -> Value {
        let ran = self.json(&["run", name]);
        assert_ne!(ran.exit, 0, "{ran:?}");
        error_in(&ran)
    }

    /// The code with which a command refuses `mine`, or what is wrong with it.
    pub(crate) fn refusal(&self, verb: &str) -> String {
        if verb == "run" {
            return code_of(&self.refused("mine")).to_owned();
        }
        let ran = self.json(&[verb]);
        assert_ne!(ran.exit, 0, "{verb}: {ran:?}");
        let report = ran.json();
        let server = &report["servers"][0];
        let code = server["error"]["code"].as_str().or_else(|| server["outcome"].as_str());
        code.unwrap_or_else(|| code_of(&report)).to_owned()
    }

    /// Adds a server as `mine` that notes every start in a directory which it may write to, and shows that it does.
    pub(crate) fn add_marking(&self, name: &str) {
        self.init(name);
        fs::create_dir(self.trusted.file("marks")).unwrap();
        let mark = json!(self.mark()).to_string();
        self.prepend(&format!("{name}/index.ts"), &MARKING.replace("MARK", &mark));
        self.facet(&["add", "mine", "--yes", &format!("./{name}")]).exits(0);
        self.facet(&["grant", "mine", "filesystem=marks", "--yes"]).exits(0);
        self.take_mark();
        assert_eq!(self.greeting().as_deref(), Some("Hello, Ada!"));
        assert!(self.take_mark(), "the server leaves no mark");
    }

    fn mark(&self) -> PathBuf {
        self.trusted.file("marks/started")
    }

    /// Whether the server was started since this was asked for the last time.
    pub(crate) fn take_mark(&self) -> bool {
        fs::remove_file(self.mark()).is_ok()
    }
}

/// A project whose cache goes with it.
pub(crate) struct OwnPlace {
    place: Place,
    _folder: TempDir,
}

impl OwnPlace {
    /// None where the runtime cannot be fetched.
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::with_copied_runtime(folder.path().join("cache"))?;
        Some(Self { place, _folder: folder })
    }
}

impl Deref for OwnPlace {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.place
    }
}

impl Drop for OwnPlace {
    /// Sealed directories are more than `tempdir` removes.
    fn drop(&mut self) {
        if let Ok(store) = Store::open(&self.place.cache.join("facet")) {
            let _ = store.prune(0, &std::collections::BTreeSet::new());
        }
    }
}

/// The store of a cache.
pub(crate) fn store_below(cache: &Path) -> PathBuf {
    Store::open(&cache.join("facet")).unwrap().path().to_owned()
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Changes one byte of a file that is sealed.
pub(crate) fn flip(file: &Path) {
    let middle = fs::read(file).unwrap().len() / 2;
    flip_at(file, middle);
}

pub(crate) fn flip_at(file: &Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 1;
    let sealed = fs::metadata(file).unwrap().permissions();
    fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(file, bytes).unwrap();
    fs::set_permissions(file, sealed).unwrap();
}

/// The error that a command printed as JSON, on either stream.
#[track_caller]
pub(crate) fn error_in(ran: &Ran) -> Value {
    let text = if ran.out.trim().is_empty() { &ran.talk } else { &ran.out };
    let start = text.find('{').unwrap_or_else(|| panic!("{ran:?}"));
    serde_json::from_str(&text[start..]).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[track_caller]
pub(crate) fn code_of(error: &Value) -> &str {
    error["error"]["code"]
        .as_str()
        .or_else(|| error["code"].as_str())
        .unwrap_or_else(|| panic!("{error}"))
}

/// What the tool says in a session that a command opens; nothing where the server does not start.
pub(crate) fn greeting(command: &mut Command) -> Option<String> {
    let mut client = Client::start(command, Stdio::null());
    let said = greeting_in(&mut client);
    client.finish();
    said
}

fn greeting_in(client: &mut Client) -> Option<String> {
    let opening = json!({
        "protocolVersion": "2025-11-25",
        "clientInfo": { "name": "test", "version": "1" },
        "capabilities": {},
    });
    asked(client, 1, "initialize", &opening)?.get("result")?;
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let call = json!({ "name": "greet", "arguments": { "name": "Ada" } });
    let answer = asked(client, 2, "tools/call", &call)?;
    answer["result"]["content"][0]["text"].as_str().map(str::to_owned)
}

/// The answer to a request; none if the session ends before.
fn asked(client: &mut Client, id: u64, method: &str, params: &Value) -> Option<Value> {
    client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    loop {
        let line = client.line(Duration::from_mins(1))?;
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == id && message.get("method").is_none() {
            return Some(message);
        }
    }
}
