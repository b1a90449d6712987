//! A registry with authors, and users with homes of their own who install from it.

pub(crate) mod proxy;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use facets_store::Store;
use facets_testkit::{repository_root, skip};
use jsonschema::Validator;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::registry::Registry;
use crate::sourced::{CACHE, Place, store_below};
use crate::trusted::{FACET, Ran};

/// What `facet install --format json` prints.
static INSTALL: LazyLock<Validator> = LazyLock::new(|| {
    let path = repository_root().join("docs/schemas/install.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let common = repository_root().join("docs/schemas/error.json");
    assert!(common.is_file());
    jsonschema::draft202012::new(&schema).unwrap()
});

/// Runs a program on a pseudo-terminal, and answers its questions.
const TERMINAL: &str = "import pty, os, sys
answers, seen = list(sys.argv[1]), b''
def read(fd):
    global seen
    data = os.read(fd, 1024)
    seen += data
    while b'[y/N]' in seen:
        seen = seen.split(b'[y/N]', 1)[1]
        os.write(fd, (answers.pop(0) if len(answers) > 1 else answers[0]).encode() + b'\\n')
    return data
sys.exit(pty.spawn(sys.argv[2:], read) >> 8)";

/// A real registry, and what authors publish on it.
pub(crate) struct Market {
    pub(crate) registry: Registry,
    token: String,
    /// Sources.
    folder: TempDir,
}

impl Market {
    /// None, and a visible skip, without a registry or a runtime for servers.
    pub(crate) fn open() -> Option<Self> {
        let place = Place::new()?;
        drop(place);
        let registry = Registry::start()?;
        let token = registry.token("author").trim().to_owned();
        let folder = tempfile::tempdir().unwrap();
        let market = Self { registry, token, folder };
        market.author(&["init", "server", "template"], 0);
        Some(market)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A command of the author.
    pub(crate) fn author(&self, words: &[&str], exit: i32) -> Value {
        let mut command = Command::new(FACET);
        command.arg("--json").args(words).current_dir(self.folder()).stdin(Stdio::null());
        clean(&mut command, &self.folder().join("home"), &CACHE);
        command.env("FACET_REGISTRY_URL", &self.registry.url).env("FACET_TOKEN", &self.token);
        let ran = Ran::of(&command.output().unwrap()).exits(exit);
        serde_json::from_str(&ran.out).unwrap_or(Value::Null)
    }

    /// The program of a server with one tool, `greet`.
    pub(crate) fn template(&self) -> String {
        fs::read_to_string(self.folder().join("template/index.ts")).unwrap()
    }

    /// Publishes a version of a server; what the registry states of it.
    pub(crate) fn server(&self, name: &str, version: &str, program: &str) -> Value {
        let folder = format!("server-{}-{version}", name.replace('/', "_"));
        write(&self.folder().join(&folder).join("index.ts"), program.as_bytes());
        let manifest = format!(
            "name: \"{name}\"\nversion: \"{version}\"\ndescription: A server\nruntime: bun\nentry: index.ts\n"
        );
        write(&self.folder().join(&folder).join("server.yaml"), manifest.as_bytes());
        self.author(&["publish", &folder, "--yes"], 0)
    }

    /// The versions of a server, all with the same tool.
    pub(crate) fn servers(&self, name: &str, versions: &[&str]) {
        for version in versions {
            self.server(name, version, &self.template());
        }
    }

    /// Writes a facet, and publishes it; what `facet build` says of it.
    pub(crate) fn facet(&self, manifest: &Value, files: &[(&str, &[u8])]) -> Value {
        let folder =
            format!("{}-{}", text(&manifest["name"]).replace('/', "_"), text(&manifest["version"]));
        write_facet(&self.folder().join(&folder), manifest, files);
        let built = self.author(&["build", &folder, "--output", &format!("{folder}.facet")], 0);
        self.author(&["publish", &folder, "--yes"], 0);
        built
    }

    /// A facet with one skill.
    pub(crate) fn skill(&self, name: &str, version: &str, skill: &str, body: &str) -> Value {
        let manifest = json!({
            "name": name, "version": version,
            "skills": { skill: { "description": "Helps" } },
        });
        self.facet(&manifest, &[(&format!("skills/{skill}/SKILL.md"), body.as_bytes())])
    }

    pub(crate) fn yank(&self, kind: &str, name: &str, version: &str) {
        self.author(&["yank", name, version, "--reason", "broken", "--kind", kind], 0);
    }

    /// What the registry states about a version.
    pub(crate) fn stated(&self, path: &str) -> Value {
        let (status, body) = proxy::get(&self.registry.url, path);
        assert!(status.starts_with("200"), "{status} {path}");
        serde_json::from_slice(&body).unwrap()
    }
}

/// Somebody with a project and a home.
pub(crate) struct User {
    folder: TempDir,
    pub(crate) cache: PathBuf,
    /// The registry that is configured; none if it is empty.
    pub(crate) registry: String,
}

impl User {
    /// With the store that all tests share.
    pub(crate) fn new(registry: &str) -> Self {
        Self::with_cache(registry, CACHE.clone())
    }

    /// With a store that has the runtime alone.
    pub(crate) fn with_own_store(registry: &str) -> Self {
        let mut user = Self::with_cache(registry, PathBuf::new());
        user.cache = user.folder.path().join("cache");
        drop(Place::with_copied_runtime(user.cache.clone()).unwrap());
        user
    }

    fn with_cache(registry: &str, cache: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project")).unwrap();
        fs::create_dir_all(folder.path().join("home")).unwrap();
        Self { folder, cache, registry: registry.to_owned() }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.file(name), text.as_bytes());
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(FACET);
        command.args(words).current_dir(self.project()).stdin(Stdio::null());
        clean(&mut command, &self.home(), &self.cache);
        if !self.registry.is_empty() {
            command.env("FACET_REGISTRY_URL", &self.registry);
        }
        command
    }

    pub(crate) fn facet(&self, words: &[&str]) -> Ran {
        Ran::of(&self.command(words).output().unwrap())
    }

    /// What a command shows on a terminal where each question gets its answer, the last one all others.
    pub(crate) fn at_terminal(&self, words: &[&str], answers: &str) -> Ran {
        let inner = self.command(words);
        let mut command = Command::new("python3");
        command.args(["-c", TERMINAL, answers]).arg(inner.get_program()).args(inner.get_args());
        command.current_dir(self.project()).env("NO_COLOR", "1");
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Ran::of(&command.output().unwrap())
    }

    /// What a command prints as JSON; an install as it is documented.
    #[track_caller]
    pub(crate) fn json(&self, words: &[&str], exit: i32) -> Value {
        let words: Vec<&str> = ["--json"].iter().chain(words).copied().collect();
        let document = self.facet(&words).exits(exit).json();
        if document.get("outcome").is_some() {
            let errors: Vec<String> =
                INSTALL.iter_errors(&document).map(|e| e.to_string()).collect();
            assert!(errors.is_empty(), "{errors:?} {document:#}");
        }
        document
    }

    /// The code, and the check if it names one, of a command that is refused.
    #[track_caller]
    pub(crate) fn refusal(&self, words: &[&str], exit: i32) -> String {
        let error = &self.json(words, exit)["error"];
        let message = text(&error["message"]);
        let check =
            message.split_once(": the ").and_then(|(_, rest)| rest.strip_suffix(" check failed"));
        format!("{} {}", text(&error["code"]), check.unwrap_or_default()).trim().to_owned()
    }

    pub(crate) fn lock(&self) -> Value {
        serde_json::from_str(&self.read("facets.lock")).unwrap()
    }

    /// Every file and folder of project and home. Files with which facet waits for itself are none of it, nor is
    /// the private home of a server that was started to be looked at.
    pub(crate) fn snapshot(&self) -> Tree {
        let mut all = tree(&self.project(), "project");
        let of_home = tree(&self.home(), "home").into_iter();
        let is_kept = |path: &str, entry: &Entry| {
            let is_own_folder = path.starts_with("home/.facet") && *entry == Entry::Folder;
            !is_own_folder && !path.contains("/busy") && !path.starts_with("home/.facet/data/")
        };
        all.extend(of_home.filter(|(path, entry)| is_kept(path, entry)));
        all
    }

    /// What a command does that changes nothing.
    #[track_caller]
    pub(crate) fn changes_nothing<T>(&self, work: impl FnOnce(&Self) -> T) -> T {
        let before = self.snapshot();
        let done = work(self);
        assert_same(&before, &self.snapshot());
        done
    }
}

impl Drop for User {
    /// Sealed directories are more than `tempdir` removes.
    fn drop(&mut self) {
        if self.cache.starts_with(self.folder.path())
            && let Ok(store) = Store::open(&self.cache.join("facet"))
        {
            let _ = store.prune(0, &std::collections::BTreeSet::new());
        }
    }
}

/// Nothing of the machine counts.
fn clean(command: &mut Command, home: &Path, cache: &Path) {
    for name in ["FACET_DIR", "FACET_TOKEN", "FACET_REGISTRY_URL", "XDG_CONFIG_HOME", "CODEX_HOME"]
    {
        command.env_remove(name);
    }
    fs::create_dir_all(home).unwrap();
    command.env("HOME", home).env("XDG_CACHE_HOME", cache);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Folder,
    File(u32, Vec<u8>),
}

pub(crate) type Tree = BTreeMap<String, Entry>;

/// Everything below a folder, by its path.
pub(crate) fn tree(folder: &Path, shown: &str) -> Tree {
    let mut all = Tree::new();
    let Ok(entries) = fs::read_dir(folder) else { return all };
    for entry in entries {
        let entry = entry.unwrap();
        let name = format!("{shown}/{}", entry.file_name().to_str().unwrap());
        let meta = fs::symlink_metadata(entry.path()).unwrap();
        if meta.is_dir() {
            all.insert(name.clone(), Entry::Folder);
            all.extend(tree(&entry.path(), &name));
        } else {
            let mode = meta.permissions().mode() & 0o777;
            all.insert(name, Entry::File(mode, fs::read(entry.path()).unwrap_or_default()));
        }
    }
    all
}

/// Names what differs, rather than everything.
#[track_caller]
pub(crate) fn assert_same(before: &Tree, after: &Tree) {
    let names = before.keys().chain(after.keys());
    let mut other: Vec<&String> =
        names.filter(|name| before.get(*name) != after.get(*name)).collect();
    other.dedup();
    assert!(other.is_empty(), "changed: {other:?}");
}

pub(crate) fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

pub(crate) fn write_facet(folder: &Path, manifest: &Value, files: &[(&str, &[u8])]) {
    let text = serde_json::to_string_pretty(manifest).unwrap();
    write(&folder.join("facet.json"), text.as_bytes());
    for (path, bytes) in files {
        write(&folder.join(path), bytes);
    }
}

#[track_caller]
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value}"))
}

/// Where a file with a digest is in the store of a cache.
pub(crate) fn stored(cache: &Path, kind: &str, digest: &Value) -> PathBuf {
    let hex = text(digest).strip_prefix("sha256:").unwrap();
    store_below(cache).join(kind).join("sha256").join(&hex[..2]).join(&hex[2..])
}

/// Whether git can serve repositories here.
pub(crate) fn git_daemon() -> Option<PathBuf> {
    let output = Command::new("git").arg("--exec-path").output().ok()?;
    let programs = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    let program = programs.join("git-daemon");
    if !program.is_file() {
        skip("`git daemon` is not installed");
        return None;
    }
    Some(program)
}
