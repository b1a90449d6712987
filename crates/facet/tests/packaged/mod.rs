//! A project whose packages come from a registry of the test, and a cache that has the programs for them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use facets_testkit::{
    Client, NpmPackage, PackageHost, Wheel, npm_server_source_with_prelude,
    python_server_source_with_prelude, repository_root, skip,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::trusted::{Ran, Trusted};

/// One cache for all tests: bun, npm and uv are fetched once.
pub(crate) static CACHE: LazyLock<PathBuf> =
    LazyLock::new(|| repository_root().join("target/tools/package-cache"));

/// Whether the programs can be had here.
static HAS_PROGRAMS: LazyLock<bool> = LazyLock::new(|| {
    fs::create_dir_all(&*CACHE).unwrap();
    let trusted = Trusted::new();
    ["bun", "npm", "uv"].iter().all(|name| {
        let mut command = trusted.command(&["runtime", "install", name]);
        command.env("XDG_CACHE_HOME", &*CACHE).output().unwrap().status.success()
    })
});

pub(crate) struct Place {
    pub(crate) trusted: Trusted,
    pub(crate) host: PackageHost,
    pub(crate) cache: PathBuf,
    pub(crate) home: PathBuf,
    /// The home directory of the user, which is empty.
    pub(crate) user: TempDir,
    _own_cache: Option<TempDir>,
}

impl Place {
    /// A project beside the shared cache; none where the programs cannot be fetched.
    pub(crate) fn new() -> Option<Self> {
        if !*HAS_PROGRAMS {
            skip("the registries that have bun, npm and uv cannot be reached");
            return None;
        }
        Some(Self::with_cache(CACHE.clone(), None))
    }

    /// A project with a cache of its own, to which the programs are copied.
    pub(crate) fn with_own_cache() -> Option<Self> {
        drop(Self::new()?);
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let place = Self::with_cache(cache.clone(), Some(folder));
        copy_programs(&cache);
        Some(place)
    }

    fn with_cache(cache: PathBuf, own_cache: Option<TempDir>) -> Self {
        let trusted = Trusted::new();
        let (home, user) = (trusted.home(), tempfile::tempdir().unwrap());
        let host = PackageHost::start();
        Self { trusted, host, cache, home, user, _own_cache: own_cache }
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.trusted.command(words);
        command
            .env("HOME", self.user.path())
            .env("XDG_CACHE_HOME", &self.cache)
            .env("FACET_DIR", &self.home)
            .env("npm_config_registry", self.host.npm_url())
            .env("PIP_INDEX_URL", self.host.pypi_url())
            .env_remove("PIP_FIND_LINKS");
        command
    }

    pub(crate) fn facet(&self, words: &[&str]) -> Ran {
        Ran::of(&self.command(words).output().unwrap())
    }

    pub(crate) fn json(&self, words: &[&str]) -> Ran {
        let words: Vec<&str> = ["--format", "json"].iter().chain(words).copied().collect();
        self.facet(&words)
    }

    /// The code of a command that has to fail.
    #[track_caller]
    pub(crate) fn refused(&self, words: &[&str]) -> String {
        let ran = self.json(words);
        assert_ne!(ran.exit, 0, "{ran:?}");
        let text = if ran.out.trim().is_empty() { &ran.talk } else { &ran.out };
        let report: Value =
            serde_json::from_str(text.trim()).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        let code = report["error"]["code"]
            .as_str()
            .or_else(|| report["servers"][0]["error"]["code"].as_str());
        code.unwrap_or_else(|| panic!("no code: {ran:?}")).to_owned()
    }

    pub(crate) fn session(&self, name: &str) -> Client {
        let mut client = Client::start(&mut self.command(&["run", name]), Stdio::inherit());
        client.initialize("test", &json!({}));
        client
    }

    /// The pinned entry.
    pub(crate) fn entry(&self, name: &str) -> Value {
        let lock: Value = serde_json::from_str(&self.trusted.read("facets.lock")).unwrap();
        lock["servers"][name].clone()
    }

    /// Everything that the project has in its own files.
    pub(crate) fn files(&self) -> Vec<String> {
        ["facets.json", "facets.lock", ".facets/closures/mine.json", ".facets/surfaces/mine.json"]
            .iter()
            .map(|name| fs::read_to_string(self.trusted.file(name)).unwrap_or_default())
            .collect()
    }

    /// The trees of packages in the store.
    pub(crate) fn trees(&self) -> Vec<PathBuf> {
        trees_in(&self.cache)
    }
}

/// Copies bun, npm and uv into another cache.
pub(crate) fn copy_programs(cache: &Path) {
    let (from, to) = (CACHE.join("facet/store/v1/runtimes"), cache.join("facet/store/v1"));
    fs::create_dir_all(&to).unwrap();
    for folder in [cache.join("facet"), cache.join("facet/store"), to.clone()] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}

/// The trees of packages in a cache, in order.
pub(crate) fn trees_in(cache: &Path) -> Vec<PathBuf> {
    let closures = cache.join("facet/store/v1/closures");
    let found = Command::new("find")
        .arg(closures)
        .args(["-mindepth", "4", "-maxdepth", "4", "-name", "tree"])
        .output()
        .unwrap();
    let text = String::from_utf8(found.stdout).unwrap();
    let mut trees: Vec<PathBuf> = text.lines().map(PathBuf::from).collect();
    trees.sort();
    trees
}

/// A server of npm with one dependency, whose word is in the description of its tool.
pub(crate) fn npm_server(
    name: &str,
    version: &str,
    description: &str,
    prelude: &str,
) -> NpmPackage {
    let tools = [("env", description), ("echo", "Says what it is told.")];
    let word = "const word = require('word-of-the-day');\n";
    let source = npm_server_source_with_prelude(&tools, &format!("{word}{prelude}"));
    NpmPackage::new(name, version)
        .program("index.js", source)
        .bin(name.rsplit('/').next().unwrap(), "index.js")
        .dependency("word-of-the-day", "^1.0.0")
}

/// The dependency.
pub(crate) fn npm_word(version: &str, word: &str) -> NpmPackage {
    NpmPackage::new("word-of-the-day", version)
        .file("index.js", format!("module.exports = {word:?};\n"))
}

/// A server of PyPI with one dependency.
pub(crate) fn wheel_server(version: &str, description: &str, prelude: &str) -> Wheel {
    let tools = [("env", description), ("echo", "Says what it is told.")];
    let source = python_server_source_with_prelude(&tools, &format!("import wordofday\n{prelude}"));
    Wheel::new("my-server", version)
        .file("my_server/__init__.py", source)
        .console_script("my-server", "my_server:main")
        .requires_dist("wordofday>=1")
}

pub(crate) fn wheel_word(version: &str) -> Wheel {
    Wheel::new("wordofday", version).file("wordofday.py", "WORD = 'blue'\n")
}
