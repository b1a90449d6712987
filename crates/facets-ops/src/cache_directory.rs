//! Where this user keeps files that can be fetched again (spec 10.7.1).

use std::path::PathBuf;

use facets_project::{ProjectError, UserDirectory};
use facets_store::StoreError;

use crate::error::OpsError;

/// The cache directory of facet: `$XDG_CACHE_HOME/facet`, or `~/.cache/facet`.
pub(crate) fn cache_directory() -> Result<PathBuf, OpsError> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .or_else(|| absolute("FACET_DIR").map(|own| own.join("cache")));
    let path = caches.ok_or(ProjectError::NoHome)?.join("facet");
    let here = std::env::current_dir().unwrap_or_default();
    // A repository could bring a store along, with trees of its own choice.
    if UserDirectory::at(path.clone()).outside_of_repositories(&here).is_err() {
        let reason = "it is inside the repository of the current directory";
        return Err(StoreError::Untrusted { path, reason }.into());
    }
    Ok(path)
}
