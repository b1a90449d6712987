//! How much is stored at once.

/// How much is stored at once (spec 4.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreLimits {
    /// Files and directories of a tree.
    pub items: usize,
    /// Bytes of a path in a tree.
    pub path: usize,
    /// Bytes of one file of a tree.
    pub file: u64,
    /// Bytes of an archive, or of all files of a tree.
    pub total: u64,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self { items: 100_000, path: 1024, file: 512 << 20, total: 2 << 30 }
    }
}

impl StoreLimits {
    /// The longest manifest that a tree within these limits can have.
    pub(crate) fn manifest(&self) -> u64 {
        // A line has a digest, a mode, a size and three spaces beside its path.
        let line = self.path as u64 + 128;
        line.saturating_mul(self.items as u64 + 1)
    }
}
