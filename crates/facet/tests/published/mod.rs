//! A registry with small facets and servers, and users who install from it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use facets_testkit::repository_root;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::registry::Registry;
use crate::sourced::{CACHE, Place, store_below};
use crate::trusted::{FACET, Ran};

/// A registry, and an author who publishes there.
pub(crate) struct Market {
    pub(crate) registry: Registry,
    author: TempDir,
    token: String,
}

impl Market {
    /// None, and a visible skip, where the registry is not built or the runtime cannot be fetched.
    pub(crate) fn open() -> Option<Self> {
        Self::open_with(&[])
    }

    /// The same, at `https://127.0.0.1` and `https://registry.test`.
    pub(crate) fn open_with_tls() -> Option<Self> {
        let [certificate, key] = [certificate(), certificate().with_file_name("named-key.pem")];
        let [cert, key_file] = ["--tls-cert", "--tls-key"].map(OsStr::new);
        Self::open_with(&[cert, certificate.as_os_str(), key_file, key.as_os_str()])
    }

    fn open_with(options: &[&OsStr]) -> Option<Self> {
        Place::new()?;
        // The runtime is copied: a registry without one fetches it.
        let prepare = |data: &Path| copy_runtime(&data.join("store"));
        let registry = Registry::start_with(prepare, options)?;
        let (author, token) = (tempfile::tempdir().unwrap(), registry.token("author"));
        Some(Self { registry, author, token })
    }

    pub(crate) fn url(&self) -> &str {
        &self.registry.url
    }

    fn facet(&self, words: &[&str]) -> Ran {
        let mut command = Command::new(FACET);
        command.args(words).current_dir(self.author.path()).stdin(Stdio::null());
        command.env("FACET_DIR", self.author.path().join("own")).env("XDG_CACHE_HOME", &*CACHE);
        command.env("FACET_REGISTRY_URL", self.url()).env("FACET_TOKEN", &self.token);
        if self.url().starts_with("https:") {
            command.env("SSL_CERT_FILE", certificate());
        }
        Ran::of(&command.output().unwrap())
    }

    /// Publishes a version of a server with one tool, whose description has the version.
    pub(crate) fn publish_server(&self, name: &str, version: &str) {
        let folder = format!("{name}-{version}");
        self.facet(&["init", "server", &folder, "--name", name]).exits(0);
        let folder = self.author.path().join(&folder);
        let manifest = format!("name: {name}\nversion: {version}\nruntime: bun\nentry: index.ts\n");
        fs::write(folder.join("server.yaml"), manifest).unwrap();
        let source = fs::read_to_string(folder.join("index.ts")).unwrap();
        let source = format!("// {name} {version}\n{source}");
        fs::write(folder.join("index.ts"), source).unwrap();
        self.facet(&["publish", folder.to_str().unwrap(), "--yes"]).exits(0);
    }

    /// Publishes a version of a facet: a skill with a companion, an agent and a command that have its name in theirs,
    /// and these servers.
    pub(crate) fn publish_facet(&self, name: &str, version: &str, servers: &Value) {
        self.publish_texts(name, version, servers, &format!("of {name} {version}\n"));
    }

    /// The same with a companion of any size.
    pub(crate) fn publish_texts(
        &self,
        name: &str,
        version: &str,
        servers: &Value,
        companion: &str,
    ) {
        let folder = self.author.path().join(format!("{name}-{version}"));
        let mut manifest = json!({
            "name": name,
            "version": version,
            "skills": { (format!("{name}-plan")): { "description": "Plans", "files": ["more/notes.md"] } },
            "agents": { (format!("{name}-agent")): { "description": "Reviews" } },
            "commands": { (format!("{name}-ship")): { "description": "Ships" } },
        });
        if servers.as_object().is_some_and(|all| !all.is_empty()) {
            manifest["servers"] = servers.clone();
        }
        let files = [
            ("facet.json".to_owned(), manifest.to_string()),
            (format!("skills/{name}-plan/SKILL.md"), format!("# Plan\n\nVersion {version}.\n")),
            (format!("skills/{name}-plan/more/notes.md"), companion.to_owned()),
            (format!("agents/{name}-agent.md"), format!("Review as in {version}.\n")),
            (format!("commands/{name}-ship.md"), format!("Ship as in {version}.\n")),
        ];
        for (path, text) in files {
            put(&folder.join(path), &text);
        }
        self.facet(&["publish", folder.to_str().unwrap(), "--yes"]).exits(0);
    }
}

/// The certificate of a registry that speaks TLS.
pub(crate) fn certificate() -> PathBuf {
    repository_root().join("testdata/registry-tls/named-cert.pem")
}

/// The files of one of the facets above in the folders of Claude Code.
pub(crate) fn files_of(name: &str) -> [String; 4] {
    [
        format!(".claude/agents/{name}-agent.md"),
        format!(".claude/commands/{name}-ship.md"),
        format!(".claude/skills/{name}-plan/SKILL.md"),
        format!(".claude/skills/{name}-plan/more/notes.md"),
    ]
}

/// A user with a home, a cache and a project.
pub(crate) struct User {
    pub(crate) folder: TempDir,
    pub(crate) cache: PathBuf,
    registry: String,
}

impl User {
    /// With the cache that all tests share.
    pub(crate) fn of(market: &Market) -> Self {
        Self::of_registry(market.url())
    }

    fn of_registry(registry: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, cache: CACHE.clone(), registry: registry.to_owned() }
    }

    /// With an own cache that has the runtime, and nothing else.
    pub(crate) fn with_cold_store(market: &Market) -> Self {
        Self::with_cold_store_at(market.url())
    }

    /// The same with any registry.
    pub(crate) fn with_cold_store_at(registry: &str) -> Self {
        let mut user = Self::of_registry(registry);
        user.cache = user.folder.path().join("cache");
        copy_runtime(&user.cache.join("facet"));
        user
    }

    /// The same user with another registry.
    pub(crate) fn at(mut self, registry: &str) -> Self {
        registry.clone_into(&mut self.registry);
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// What facet keeps for this user.
    pub(crate) fn own(&self) -> PathBuf {
        self.home().join(".facet")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        put(&self.file(name), text);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn command_in(&self, project: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(FACET);
        command.args(words).current_dir(project).stdin(Stdio::null());
        command.env("HOME", self.home()).env_remove("FACET_DIR").env_remove("FACET_TOKEN");
        command.env("XDG_CACHE_HOME", &self.cache).env("FACET_REGISTRY_URL", &self.registry);
        for name in ["XDG_CONFIG_HOME", "CODEX_HOME", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        self.command_in(&self.project(), words)
    }

    pub(crate) fn facet(&self, words: &[&str]) -> Ran {
        Ran::of(&self.command(words).output().unwrap())
    }

    #[track_caller]
    pub(crate) fn json(&self, words: &[&str], exit: i32) -> Value {
        self.facet(&[&["--json"][..], words].concat()).exits(exit).json()
    }

    /// The error of a command that fails.
    #[track_caller]
    pub(crate) fn error(&self, words: &[&str], exit: i32) -> Value {
        self.json(words, exit)["error"].clone()
    }

    /// Installs for Claude Code, with a yes beforehand.
    #[track_caller]
    pub(crate) fn install(&self, names: &[&str]) -> Value {
        let words = ["install", "--yes", "--client", "claude-code", "--no-connect"];
        self.json(&[&words[..], names].concat(), 0)
    }

    /// Everything of the project, by its path, apart from what git has.
    pub(crate) fn tree(&self) -> Vec<(String, Vec<u8>)> {
        tree(&self.project())
    }
}

impl Drop for User {
    /// Sealed directories are more than `tempdir` removes.
    fn drop(&mut self) {
        if self.cache != *CACHE
            && let Ok(store) = facets_store::Store::open(&self.cache.join("facet"))
        {
            let _ = store.prune(0, &std::collections::BTreeSet::new());
        }
    }
}

/// Every file below a directory.
pub(crate) fn tree(root: &Path) -> Vec<(String, Vec<u8>)> {
    let (mut files, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.push((name, fs::read(&path).unwrap_or_default()));
            }
        }
    }
    files.sort();
    files
}

pub(crate) fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Copies the runtime of the shared cache to a store.
pub(crate) fn copy_runtime(store: &Path) {
    fs::create_dir_all(store).unwrap();
    let to = facets_store::Store::open(store).unwrap().path().to_owned();
    let from = store_below(&CACHE).join("runtimes");
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}
