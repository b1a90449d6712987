//! Where this user keeps files that can be fetched again (spec 10.7.1).

use std::path::{Path, PathBuf};

use facets_project::{LOCK, ProjectError, UserDirectory};
use facets_store::StoreError;

use crate::error::OpsError;

/// What the environment says, wherever that leads.
fn named_directory() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .or_else(|| absolute("FACET_DIR").map(|own| own.join("cache")));
    caches.map(|caches| caches.join("facet"))
}

/// Whether a place is in the cache directory, or around it; also where that is none that facet would use.
pub(crate) fn touches_cache(place: &Path) -> bool {
    named_directory().is_some_and(|path| UserDirectory::at(path).touches(place))
}

/// A project must not have the cache directory in it, also before it is one: its first `add` makes it one.
pub(crate) fn require_cache_outside(project: &Path) -> Result<(), OpsError> {
    let path = cache_directory()?;
    if UserDirectory::at(path.clone()).outside_of(project).is_err() {
        let reason = "it is inside the directory of the project";
        return Err(StoreError::Untrusted { path, reason }.into());
    }
    Ok(())
}

/// The cache directory of facet: `$XDG_CACHE_HOME/facet`, or `~/.cache/facet`.
pub(crate) fn cache_directory() -> Result<PathBuf, OpsError> {
    let path = named_directory().ok_or(ProjectError::NoHome)?;
    let here = std::env::current_dir().unwrap_or_default();
    // A repository could bring a store along, with trees of its own choice.
    if UserDirectory::at(path.clone()).outside_of_repositories(&here).is_err() {
        let reason = "it is inside the repository of the current directory";
        return Err(StoreError::Untrusted { path, reason }.into());
    }
    // So could a project that is no repository, as one that was unpacked.
    let is_project = |folder: &&Path| folder.join(LOCK).exists();
    let holds_cache = |folder: &Path| UserDirectory::at(path.clone()).outside_of(folder).is_err();
    if here.ancestors().filter(is_project).any(holds_cache) {
        let reason = "it is inside the project of the current directory";
        return Err(StoreError::Untrusted { path, reason }.into());
    }
    Ok(path)
}
