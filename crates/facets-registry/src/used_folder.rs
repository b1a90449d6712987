//! Directories that several processes may use. What lies in one that no other process uses was left by a dead one.

use std::fs::File;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// A directory that this process uses for as long as this exists.
pub(crate) struct UsedFolder {
    /// Locked; none where there are no locks.
    folder: Option<File>,
}

impl UsedFolder {
    /// Waits while another process removes what lies there.
    pub(crate) fn new(path: &Path) -> Self {
        let folder = File::open(path).ok();
        Self { folder: folder.filter(|folder| flock(folder, FlockOperation::LockShared).is_ok()) }
    }

    /// Does something while no other process uses the directory. If one does, or if that is not known, nothing is
    /// done.
    pub(crate) fn alone<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let folder = self.folder.as_ref()?;
        let is_alone = flock(folder, FlockOperation::NonBlockingLockExclusive).is_ok();
        let done = is_alone.then(work);
        // Also if it is not alone: the attempt has given up the shared lock.
        let _ = flock(folder, FlockOperation::LockShared);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_used_alone_or_together() {
        let place = tempfile::tempdir().unwrap();
        let first = UsedFolder::new(place.path());
        assert_eq!(first.alone(|| 1), Some(1));
        let second = UsedFolder::new(place.path());
        for _ in 0..2 {
            assert_eq!((first.alone(|| 1), second.alone(|| 2)), (None, None));
        }
        drop(first);
        assert_eq!(second.alone(|| 2), Some(2));
        assert_eq!(UsedFolder::new(&place.path().join("none")).alone(|| 3), None);
    }
}
