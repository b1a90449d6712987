//! Directly before an artifact is started: its files and its runtime are still those that were verified.

use std::fmt;
use std::path::{Path, PathBuf};

use facets_launch::{Filesystem, Sandbox, StartCheck, UnverifiedFiles};
use facets_runtime::{InstalledRuntime, Runtimes};
use facets_store::{Store, StoredFile, StoredTree, Verified};

use crate::error::{ArtifactError, OpsError};

/// Everything that an artifact is started from. While it lives, none of it leaves the store.
pub(crate) struct ArtifactStart {
    pub(crate) store: Store,
    pub(crate) tree: Verified<StoredTree>,
    pub(crate) runtime: InstalledRuntime,
    /// A configuration that says nothing, in place of any that lies around.
    pub(crate) empty: Verified<StoredFile>,
}

impl ArtifactStart {
    fn check(&self, sandbox: &Sandbox) -> Result<(), OpsError> {
        let tree = self.tree.path_for_start()?;
        refuse_modules_above(tree, sandbox)?;
        self.empty.require_unmodified()?;
        let known = self.runtime.runtime();
        match Runtimes::new(&self.store).installed(known)? {
            Some(now) if now.program() == self.runtime.program() => Ok(()),
            _ => {
                let runtime = format!("{} {}", known.name.name(), known.version);
                Err(ArtifactError::RuntimeAbsent { runtime }.into())
            }
        }
    }
}

impl StartCheck for ArtifactStart {
    fn verify(&self, sandbox: &Sandbox) -> Result<(), UnverifiedFiles> {
        self.check(sandbox).map_err(|error| Box::new(error) as UnverifiedFiles)
    }
}

impl fmt::Debug for ArtifactStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ArtifactStart");
        shown.field("tree", &self.tree.path()).finish_non_exhaustive()
    }
}

/// spec 11.1: runtimes look for packages in every directory above a file, and no package that lies there is
/// part of the artifact.
fn refuse_modules_above(tree: &Path, sandbox: &Sandbox) -> Result<(), OpsError> {
    let above = tree.ancestors().skip(1).map(|folder| folder.join("node_modules"));
    let mut above = above.filter(|folder| folder.symlink_metadata().is_ok());
    match above.find(|folder| is_readable(folder, &sandbox.filesystem)) {
        Some(path) => Err(ArtifactError::ModulesAbove { path }.into()),
        None => Ok(()),
    }
}

/// Whether a server can read anything of a folder.
fn is_readable(folder: &Path, filesystem: &Filesystem) -> bool {
    let touches = |path: &PathBuf| folder.starts_with(path) || path.starts_with(folder);
    match filesystem {
        Filesystem::Open => true,
        Filesystem::Listed { read, write, .. } => read.iter().chain(write).any(touches),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_above_an_artifact_are_refused_only_where_the_server_can_read_them() {
        let place = tempfile::tempdir().unwrap();
        let tree = place.path().join("store/tree");
        std::fs::create_dir_all(&tree).unwrap();
        let confined = |read: Vec<PathBuf>| Sandbox {
            filesystem: Filesystem::Listed { read, names: Vec::new(), write: Vec::new() },
            ..Sandbox::default()
        };
        assert!(refuse_modules_above(&tree, &Sandbox::default()).is_ok(), "there are none");
        let modules = place.path().join("node_modules");
        std::fs::create_dir(&modules).unwrap();
        assert!(refuse_modules_above(&tree, &confined(vec![tree.clone()])).is_ok());
        for open in [
            Sandbox::default(),
            confined(vec![place.path().to_owned()]),
            confined(vec![modules.join("left-pad")]),
        ] {
            let refused = refuse_modules_above(&tree, &open);
            let Err(OpsError::Artifact(ArtifactError::ModulesAbove { path })) = refused else {
                panic!("{refused:?}")
            };
            assert_eq!(path, modules);
        }
    }
}
