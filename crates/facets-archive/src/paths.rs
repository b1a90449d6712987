//! Paths of entries: which are accepted, and which cannot stand beside each other.

use std::collections::BTreeMap;

use facets_model::{ArtifactPath, collision_key};

use crate::error::{ArchiveError, EntryPathError, LimitError, LimitKind};
use crate::limits::ArchiveLimits;

/// Reads the path of an entry (spec 2.6).
pub(crate) fn parse_path(
    bytes: &[u8],
    limits: &ArchiveLimits,
) -> Result<ArtifactPath, ArchiveError> {
    let text = std::str::from_utf8(bytes).map_err(|_| EntryPathError::not_utf8(bytes))?;
    if text.len() > limits.path {
        let (limit, start) = (limits.path as u64, text.chars().take(80).collect::<String>());
        return Err(LimitError::of_entry(LimitKind::Path, limit, &start).into());
    }
    let refused = |problem| EntryPathError::Refused { path: text.to_owned(), problem };
    Ok(text.parse().map_err(refused)?)
}

/// What a key of [`PathSet`] is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    File,
    Directory,
}

/// The paths of an archive, by what file systems make of them.
#[derive(Default)]
pub(crate) struct PathSet {
    nodes: BTreeMap<String, (NodeKind, String)>,
    bytes: usize,
}

impl PathSet {
    /// Adds a file, unless it collides with an earlier path.
    pub(crate) fn add_file(&mut self, path: &ArtifactPath) -> Result<(), EntryPathError> {
        let key = collision_key(path.as_str());
        if let Some((kind, other)) = self.nodes.get(&key) {
            let (path, other) = (path.to_string(), other.clone());
            return Err(match kind {
                NodeKind::Directory => EntryPathError::FileAsDirectory { path, other },
                NodeKind::File if path == other => EntryPathError::Duplicate { path },
                NodeKind::File => EntryPathError::Collision { path, other },
            });
        }
        self.add_parents(path.as_str(), &key)?;
        self.insert(key, NodeKind::File, path.as_str());
        Ok(())
    }

    /// Adds a directory, which may be there already.
    pub(crate) fn add_directory(&mut self, path: &ArtifactPath) -> Result<(), EntryPathError> {
        let key = collision_key(path.as_str());
        self.add_parents(path.as_str(), &key)?;
        self.require_directory(key, path.as_str())
    }

    /// Bytes of all paths, which is about what this takes of the memory.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn add_parents(&mut self, path: &str, key: &str) -> Result<(), EntryPathError> {
        for (end, _) in key.match_indices('/') {
            self.require_directory(key[..end].to_owned(), path)?;
        }
        Ok(())
    }

    fn require_directory(&mut self, key: String, path: &str) -> Result<(), EntryPathError> {
        match self.nodes.get(&key) {
            Some((NodeKind::Directory, _)) => Ok(()),
            Some((NodeKind::File, other)) => {
                let (path, other) = (path.to_owned(), other.clone());
                Err(EntryPathError::FileAsDirectory { path, other })
            }
            None => {
                self.insert(key, NodeKind::Directory, path);
                Ok(())
            }
        }
    }

    fn insert(&mut self, key: String, kind: NodeKind, path: &str) {
        self.bytes += key.len();
        self.nodes.insert(key, (kind, path.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> ArtifactPath {
        text.parse().unwrap()
    }

    #[test]
    fn paths_that_some_file_system_confuses_are_refused() {
        let mut paths = PathSet::default();
        paths.add_file(&path("a/b")).unwrap();
        paths.add_file(&path("é")).unwrap();
        let mut refused = |text: &str| paths.add_file(&path(text)).unwrap_err();
        assert!(matches!(refused("a/b"), EntryPathError::Duplicate { .. }));
        assert!(matches!(refused("A/B"), EntryPathError::Collision { .. }));
        assert!(matches!(refused("e\u{301}"), EntryPathError::Collision { .. }));
        assert!(matches!(refused("a"), EntryPathError::FileAsDirectory { .. }));
        assert!(matches!(refused("a/b/c"), EntryPathError::FileAsDirectory { .. }));
        paths.add_file(&path("a/c")).unwrap();
        paths.add_file(&path("b")).unwrap();
    }

    #[test]
    fn a_directory_may_be_named_again_and_is_no_file() {
        let mut paths = PathSet::default();
        paths.add_directory(&path("a")).unwrap();
        paths.add_directory(&path("a")).unwrap();
        paths.add_file(&path("a/b")).unwrap();
        paths.add_directory(&path("a")).unwrap();
        assert!(paths.add_directory(&path("a/b")).is_err());
        assert!(paths.add_file(&path("a")).is_err());
    }
}
