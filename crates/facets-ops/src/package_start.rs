//! Directly before a package is started: its files and its runtime are still those that were verified.

use std::path::PathBuf;

use facets_launch::{Sandbox, StartCheck, UnverifiedFiles};
use facets_store::{StoredTree, Verified};

use crate::artifact_start::refuse_surroundings;
use crate::error::OpsError;
use crate::packages::{PackageRuntime, verify_copy};

/// Everything that a package is started from. While it lives, none of it leaves the store.
#[derive(Debug)]
pub(crate) struct PackageStart {
    /// The pinned server that it is.
    pub(crate) name: Option<String>,
    pub(crate) tree: Verified<StoredTree>,
    pub(crate) runtime: PackageRuntime,
    /// What bun made of its files earlier.
    pub(crate) transpiled: Option<Verified<StoredTree>>,
    /// The copy that it starts from instead of the tree.
    pub(crate) copy: Option<PathBuf>,
}

impl PackageStart {
    fn check(&self, sandbox: &Sandbox) -> Result<(), OpsError> {
        let mut tree = self.tree.path_for_start()?;
        if let Some(copy) = &self.copy {
            verify_copy(&self.tree, copy, self.name.as_deref().unwrap_or_default())?;
            tree = copy;
        }
        // Python is told where to look, and looks nowhere else.
        if let PackageRuntime::Managed(_) = self.runtime {
            refuse_surroundings(self.name.as_deref(), tree, sandbox)?;
        }
        if let Some(transpiled) = &self.transpiled {
            transpiled.path_for_start()?;
        }
        self.runtime.require_unmodified()
    }
}

impl StartCheck for PackageStart {
    fn verify(&self, sandbox: &Sandbox) -> Result<(), UnverifiedFiles> {
        self.check(sandbox).map_err(|error| Box::new(error) as UnverifiedFiles)
    }
}
