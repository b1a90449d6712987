//! What a wheel holds.

use facets_digest::Digest;

use crate::index::ArchivedFile;

/// What a wheel holds, and its hash. There is one only of a wheel that broke no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WheelIndex {
    /// SHA-256 of the wheel as it is stored.
    pub content_hash: Digest,
    /// Bytes of the wheel as it is stored.
    pub size: u64,
    /// Its files, in the order in which they are stored.
    pub files: Vec<ArchivedFile>,
}

impl WheelIndex {
    /// The file of a path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&ArchivedFile> {
        self.files.iter().find(|file| file.path.as_str() == path)
    }
}
