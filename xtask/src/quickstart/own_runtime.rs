//! The runtime that starts servers from source: fetched once, and copied to where it is needed.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Outcome, run};

/// What came of a part that needs the runtime.
pub(super) enum OwnServer {
    /// What there is to see.
    Shown(Vec<String>),
    /// Why there is nothing to see.
    LeftOut(String),
}

impl OwnServer {
    /// What there is to see, or why there is nothing.
    pub(super) fn into_lines(self) -> Vec<String> {
        match self {
            Self::Shown(lines) => lines,
            Self::LeftOut(reason) => vec![format!("Left out: {reason}")],
        }
    }
}

/// Whether there is a runtime to copy.
pub(super) enum FetchedRuntime {
    Here,
    /// Its registry cannot be reached; with `CI` set that is a failure instead.
    Unreachable,
}

/// Why a part is left out.
pub(super) const UNREACHABLE: &str = "the npm registry that has the runtime cannot be reached";

/// Below the cache directory of facet, and below that of a registry.
const STORE: &str = "store/v1";

/// Fetches it into the cache of the tests, unless it is there. What a user decides is below `root`.
pub(super) fn fetch(facet: &Path, root: &Path) -> Outcome<FetchedRuntime> {
    let shared = run::root().join("target/tools/source-mode-cache");
    fs::create_dir_all(&shared).map_err(|error| error.to_string())?;
    let mut install = Command::new(facet);
    install.args(["runtime", "install"]).current_dir(root).stdin(Stdio::null());
    install.env("FACET_DIR", root.join("home")).env("XDG_CACHE_HOME", &shared);
    match run::output(&mut install) {
        Ok(_) => Ok(FetchedRuntime::Here),
        Err(said) if said.contains("[fetch-unreachable]") && !run::in_ci() => {
            Ok(FetchedRuntime::Unreachable)
        }
        Err(said) => Err(said),
    }
}

/// Copies it into a cache directory.
pub(super) fn copy_into(cache: &Path) -> Outcome {
    let target = cache.join(STORE);
    // A store that others can write to is refused, whatever the mask of this process.
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&target);
    made.map_err(|error| error.to_string())?;
    let shared = run::root().join("target/tools/source-mode-cache/facet");
    let runtimes = shared.join(STORE).join("runtimes");
    run::output(Command::new("cp").arg("-a").arg(runtimes).arg(target)).map(drop)
}

/// Removes a directory with stores in it. Their directories are sealed, and could not be removed as they are.
pub(super) fn remove_stores(root: &Path) {
    let _ = Command::new("chmod").arg("-R").arg("u+w").arg(root).status();
    let _ = fs::remove_dir_all(root);
}
