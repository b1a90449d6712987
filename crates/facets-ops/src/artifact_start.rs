//! Directly before an artifact is started: its files and its runtime are still those that were verified.

use std::path::Path;

use facets_launch::{Sandbox, StartCheck, UnverifiedFiles};
use facets_runtime::{InstalledRuntime, read_surroundings};
use facets_store::{StoredTree, Verified};

use crate::error::{ArtifactError, OpsError};

/// Everything that an artifact is started from. While it lives, none of it leaves the store.
#[derive(Debug)]
pub(crate) struct ArtifactStart {
    /// The pinned server that it is.
    pub(crate) name: Option<String>,
    pub(crate) tree: Verified<StoredTree>,
    pub(crate) runtime: InstalledRuntime,
}

impl ArtifactStart {
    fn check(&self, sandbox: &Sandbox) -> Result<(), OpsError> {
        let tree = self.tree.path_for_start()?;
        refuse_surroundings(self.name.as_deref(), tree, sandbox)?;
        self.runtime.program_for_start()?;
        Ok(())
    }
}

impl StartCheck for ArtifactStart {
    fn verify(&self, sandbox: &Sandbox) -> Result<(), UnverifiedFiles> {
        self.check(sandbox).map_err(|error| Box::new(error) as UnverifiedFiles)
    }
}

/// spec 11.1: a runtime looks for packages in every directory above a file, and nothing that lies there is part of
/// the artifact.
pub(crate) fn refuse_surroundings(
    server: Option<&str>,
    tree: &Path,
    sandbox: &Sandbox,
) -> Result<(), OpsError> {
    let mut above = read_surroundings(tree).into_iter();
    match above.find(|path| sandbox.filesystem.opens_part_of(path)) {
        Some(path) => {
            let server = server.map(str::to_owned);
            Err(ArtifactError::ModulesAbove { path, server }.into())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use facets_failure::Describe as _;
    use facets_launch::Filesystem;

    use super::*;

    #[test]
    fn packages_above_an_artifact_are_refused_only_where_the_server_can_read_them() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let tree = top.join("store/tree");
        std::fs::create_dir_all(&tree).unwrap();
        let confined = |read: Vec<PathBuf>| Sandbox {
            filesystem: Filesystem::Listed { read, names: Vec::new(), write: Vec::new() },
            ..Sandbox::default()
        };
        let modules = top.join("node_modules");
        std::fs::create_dir(&modules).unwrap();
        assert!(refuse_surroundings(None, &tree, &confined(vec![tree.clone()])).is_ok());
        for open in [
            Sandbox::default(),
            confined(vec![top.clone()]),
            confined(vec![modules.join("left-pad")]),
        ] {
            let refused = refuse_surroundings(Some("mine"), &tree, &open);
            let Err(OpsError::Artifact(error)) = refused else { panic!("{refused:?}") };
            assert_eq!(error.next(), "facet grant mine filesystem=none");
            let ArtifactError::ModulesAbove { path, .. } = error else { panic!("{error:?}") };
            assert_eq!(path, modules);
        }
    }
}
