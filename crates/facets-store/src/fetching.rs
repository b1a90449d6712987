//! Who fetches the bytes of a file that is not stored: one process, and the others wait for it.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use facets_digest::Digest;
use rustix::fs::OFlags;

use crate::directory::Directory;
use crate::error::{StoreError, unwritable};
use crate::locking::{LockState, try_exclusive};
use crate::store::Store;

/// Where the lock files lie, beside the entries.
const FETCHING: &str = "fetching";

/// Between two looks at a lock that another process has.
const PAUSE: Duration = Duration::from_millis(20);

/// The right to fetch a file. It ends when this is dropped, or with the process, however that ends.
#[derive(Debug)]
pub struct FetchTurn {
    held: Option<HeldLock>,
}

#[derive(Debug)]
struct HeldLock {
    folder: Directory,
    name: String,
    _file: File,
}

impl FetchTurn {
    /// Whether no other process fetches the same file meanwhile. That cannot be said where the file system has
    /// no locks, or where another process has fetched for longer than was waited.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.held.is_some()
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        // Those who wait have the file open, see that the name is gone, and begin anew.
        let _ = self.folder.unlink(&self.name);
    }
}

impl Store {
    /// Waits until no other process or thread fetches the file with this digest. Who had to wait looks into the
    /// store again first. A process that fetches for longer than `patience` is not waited for: two that fetch
    /// the same do no harm.
    pub fn fetch_turn(&self, digest: &Digest, patience: Duration) -> Result<FetchTurn, StoreError> {
        let begun = Instant::now();
        let name = digest.hex();
        loop {
            let (failed, folder) = self.fetching()?;
            let Some(file) = open_or_make(&folder, &name).map_err(&failed)? else { continue };
            match try_exclusive(&file).map_err(&failed)? {
                LockState::Held if folder.holds(&name, &file).map_err(&failed)? => {
                    let held = Some(HeldLock { folder, name, _file: file });
                    return Ok(FetchTurn { held });
                }
                // The one who had it is done, and has removed the name.
                LockState::Held => {}
                LockState::Unsupported => return Ok(FetchTurn { held: None }),
                LockState::Taken if begun.elapsed() >= patience => {
                    return Ok(FetchTurn { held: None });
                }
                LockState::Taken => std::thread::sleep(PAUSE),
            }
        }
    }

    fn fetching(&self) -> Result<(impl Fn(io::Error) -> StoreError, Directory), StoreError> {
        let path: PathBuf = self.root().path().join(FETCHING);
        let failed = unwritable(&path);
        let folder = self.root().open_or_make(FETCHING).map_err(&failed)?;
        Ok((failed, folder))
    }
}

/// Opens a lock file, and makes it if there is none; nothing if another process was faster.
fn open_or_make(folder: &Directory, name: &str) -> io::Result<Option<File>> {
    match folder.open_file(name, OFlags::RDWR | OFlags::CREATE | OFlags::NONBLOCK) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const LONG: Duration = Duration::from_mins(10);

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("cache")).unwrap();
        (folder, store)
    }

    fn left(store: &Store) -> usize {
        std::fs::read_dir(store.path().join(FETCHING)).unwrap().count()
    }

    #[test]
    fn of_many_who_want_a_file_one_fetches_it() {
        let (_folder, store) = store();
        let (digest, fetched) = (Digest::of(b"bytes"), AtomicUsize::new(0));
        let want = || {
            let turn = store.fetch_turn(&digest, LONG).unwrap();
            assert!(turn.is_exclusive());
            if store.get_file(&digest).unwrap().is_none() {
                fetched.fetch_add(1, Ordering::Relaxed);
                store.put_file(&digest, &b"bytes"[..]).unwrap();
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(want);
            }
        });
        assert_eq!(fetched.into_inner(), 1);
        assert_eq!(left(&store), 0, "no lock file is left");
    }

    #[test]
    fn another_file_is_not_waited_for_and_a_slow_process_not_for_ever() {
        let (_folder, store) = store();
        let first = store.fetch_turn(&Digest::of(b"1"), LONG).unwrap();
        let second = store.fetch_turn(&Digest::of(b"2"), LONG).unwrap();
        assert!(first.is_exclusive() && second.is_exclusive());
        let third = store.fetch_turn(&Digest::of(b"1"), Duration::ZERO).unwrap();
        assert!(!third.is_exclusive());
        drop(third);
        assert_eq!(left(&store), 2, "the lock of another stays");
        drop(first);
        assert!(store.fetch_turn(&Digest::of(b"1"), Duration::ZERO).unwrap().is_exclusive());
    }

    #[test]
    fn a_lock_file_that_a_killed_process_left_holds_nobody() {
        let (_folder, store) = store();
        let digest = Digest::of(b"bytes");
        drop(store.fetch_turn(&digest, LONG).unwrap());
        std::fs::write(store.path().join(FETCHING).join(digest.hex()), "").unwrap();
        assert!(store.fetch_turn(&digest, Duration::ZERO).unwrap().is_exclusive());
        assert_eq!(left(&store), 0);
    }
}
