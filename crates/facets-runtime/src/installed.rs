//! A program whose bytes were just verified.

use std::path::PathBuf;

use facets_digest::Digest;
use facets_store::{FileMode, StoredTree, TreeItem, Verified};

use crate::error::RuntimeError;
use crate::managed_runtime::{ManagedRuntime, RuntimeBinary};

/// A program whose bytes were just verified. While it lives, it is not removed from the store.
#[derive(Debug)]
pub struct InstalledRuntime {
    runtime: &'static ManagedRuntime,
    binary: &'static RuntimeBinary,
    tree: Verified<StoredTree>,
}

impl InstalledRuntime {
    /// Compares a tree, whose bytes are as its manifest says, with the table: it has the program and nothing else.
    pub(crate) fn verify(
        runtime: &'static ManagedRuntime,
        binary: &'static RuntimeBinary,
        tree: Verified<StoredTree>,
    ) -> Result<Self, RuntimeError> {
        if let Some(expected) = binary.tree_digest() {
            return Self::verify_files(runtime, binary, tree, expected);
        }
        let (digest, size) = (binary.digest(), binary.size);
        let program = TreeItem::File { digest, size, mode: FileMode::Executable };
        let is_file = |item: &TreeItem| matches!(item, TreeItem::File { .. });
        let files = tree.manifest().items().filter(|(_, item)| is_file(item)).count();
        let found = tree.manifest().item(binary.path);
        if files == 1 && found == Some(&program) {
            return Ok(Self { runtime, binary, tree });
        }
        let actual = match found {
            Some(TreeItem::File { digest: found, .. }) if *found != digest => found.to_string(),
            Some(TreeItem::File { .. }) => format!("{digest}, with other files or another mode"),
            Some(TreeItem::Directory) | None => "no such file".to_owned(),
        };
        let what = tree.path().join(binary.path).display().to_string();
        Err(RuntimeError::Mismatch { what, expected: digest.to_string(), actual })
    }

    /// The same of a program that uses all files of its package.
    fn verify_files(
        runtime: &'static ManagedRuntime,
        binary: &'static RuntimeBinary,
        tree: Verified<StoredTree>,
        expected: Digest,
    ) -> Result<Self, RuntimeError> {
        let actual = *tree.digest();
        if actual == expected {
            return Ok(Self { runtime, binary, tree });
        }
        let what = tree.path().display().to_string();
        let (expected, actual) = (expected.to_string(), actual.to_string());
        Err(RuntimeError::Mismatch { what, expected, actual })
    }

    /// Where the program lies, for messages and grants. A path can be swapped: a start uses
    /// [`Self::program_for_start`].
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.tree.path().join(self.binary.path)
    }

    /// The program, directly before it is started. Fails if its path leads elsewhere than to the file that was
    /// verified, or if that was modified since.
    pub fn program_for_start(&self) -> Result<PathBuf, RuntimeError> {
        Ok(self.tree.path_for_start()?.join(self.binary.path))
    }

    /// SHA-256 of the program.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.binary.digest()
    }

    /// The runtime, as the table has it.
    #[must_use]
    pub fn runtime(&self) -> &'static ManagedRuntime {
        self.runtime
    }

    /// The program on this platform, as the table has it.
    #[must_use]
    pub fn binary(&self) -> &'static RuntimeBinary {
        self.binary
    }

    /// The tree with the program.
    #[must_use]
    pub fn tree(&self) -> &Verified<StoredTree> {
        &self.tree
    }
}
