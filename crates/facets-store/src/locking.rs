//! Locks on open files, which end with the process that holds them, however it ends.

use std::fs::{File, TryLockError};
use std::io;

/// What became of a lock that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockState {
    /// It is ours until the file is closed.
    Held,
    /// Another process has it.
    Taken,
    /// The file system has no locks.
    Unsupported,
}

pub(crate) fn try_shared(file: &File) -> io::Result<LockState> {
    state(file.try_lock_shared())
}

pub(crate) fn try_exclusive(file: &File) -> io::Result<LockState> {
    state(file.try_lock())
}

fn state(tried: Result<(), TryLockError>) -> io::Result<LockState> {
    match tried {
        Ok(()) => Ok(LockState::Held),
        Err(TryLockError::WouldBlock) => Ok(LockState::Taken),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            Ok(LockState::Unsupported)
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_share_a_file_and_keep_a_remover_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("used");
        let first = File::create(&path).unwrap();
        let (second, third) = (File::open(&path).unwrap(), File::open(&path).unwrap());
        assert_eq!(try_shared(&first).unwrap(), LockState::Held);
        assert_eq!(try_shared(&second).unwrap(), LockState::Held);
        assert_eq!(try_exclusive(&third).unwrap(), LockState::Taken);
        let failed = state(Err(TryLockError::Error(io::ErrorKind::StorageFull.into())));
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        let none = state(Err(TryLockError::Error(io::ErrorKind::Unsupported.into())));
        assert_eq!(none.unwrap(), LockState::Unsupported);
    }
}
