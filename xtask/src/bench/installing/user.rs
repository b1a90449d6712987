//! Somebody with a home, a cache and projects.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::run;

/// The cache of the tests: the runtime is large, and is fetched once.
pub(super) fn shared_cache() -> PathBuf {
    run::root().join("target/tools/source-mode-cache")
}

/// Puts the runtime into a store. It is linked to nothing: one name is a rule of the store.
pub(super) fn copy_runtime(cache: &Path) -> Outcome {
    let store = cache.join("store/v1");
    let mut make = Command::new("mkdir");
    run::output(make.args(["-p", "-m", "700"]).arg(cache))?;
    for folder in [cache.join("store"), store.clone()] {
        run::output(Command::new("mkdir").args(["-m", "700"]).arg(folder))?;
    }
    let runtimes = shared_cache().join("facet/store/v1/runtimes");
    run::output(Command::new("cp").arg("-a").arg(runtimes).arg(store)).map(drop)
}

/// A user of facet, with nothing of this machine's configuration.
pub(super) struct BenchUser {
    facet: PathBuf,
    folder: PathBuf,
    registry: Option<String>,
}

impl BenchUser {
    /// With a store that has the runtime, and nothing else.
    pub(super) fn new(facet: &Path, folder: &Path, registry: Option<String>) -> Outcome<Self> {
        let user = Self { facet: facet.to_owned(), folder: folder.to_owned(), registry };
        for part in [user.home(), user.cache()] {
            fs::create_dir_all(part).map_err(|error| error.to_string())?;
        }
        copy_runtime(&user.cache().join("facet"))?;
        Ok(user)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// Where its store has entries.
    pub(super) fn store(&self) -> PathBuf {
        self.cache().join("facet/store/v1")
    }

    /// A project, which is made if there is none.
    pub(super) fn project(&self, name: &str) -> Outcome<PathBuf> {
        let project = self.folder.join(name);
        fs::create_dir_all(&project).map_err(|error| error.to_string())?;
        Ok(project)
    }

    /// A command in a project.
    pub(super) fn command(&self, project: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(&self.facet);
        command.args(words).current_dir(project);
        self.prepare(&mut command);
        command
    }

    /// Sets home, cache and registry.
    pub(super) fn prepare(&self, command: &mut Command) {
        for name in ["FACET_DIR", "FACET_TOKEN", "FACET_REGISTRY_URL", "XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        command.env("HOME", self.home()).env("XDG_CACHE_HOME", self.cache());
        if let Some(registry) = &self.registry {
            command.env("FACET_REGISTRY_URL", registry);
        }
    }
}
