//! Names in the temporary directory, for entries on their way in or out. Each has a lock file beside it that its
//! process holds: if it can be locked, that process is gone.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::OFlags;

use crate::directory::{Directory, creating, is_missing};
use crate::locking::{LockState, try_exclusive};
use crate::removal;

const LOCK: &str = ".lock";

/// Names that are tried before giving up.
const ATTEMPTS: usize = 10_000;

/// A name for an entry on its way. Dropping it removes everything that is left under the name; if this process
/// is killed, the next sweep does.
#[derive(Debug)]
pub(crate) struct Staging {
    folder: Directory,
    name: String,
    _lock: File,
}

impl Staging {
    /// A name that no other process has.
    pub(crate) fn reserve(folder: Directory) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        for _ in 0..ATTEMPTS {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{number}", std::process::id());
            // In other containers there are processes of the same number.
            let lock = match folder.open_file(&lock_of(&name), creating()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            };
            // A sweep may have found it before it was locked, and removes it.
            let is_ours = try_exclusive(&lock)? != LockState::Taken;
            if is_ours && folder.holds(&lock_of(&name), &lock)? {
                return Ok(Self { folder, name, _lock: lock });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Makes a directory of this name.
    pub(crate) fn make(&self) -> io::Result<Directory> {
        self.folder.make(&self.name)?;
        self.folder.open(&self.name)
    }

    /// Moves it into its place, if that is free.
    pub(crate) fn move_to(&self, folder: &Directory, name: &str) -> io::Result<()> {
        self.folder.rename(&self.name, folder, name)
    }

    /// Takes something out of its place, to be removed.
    pub(crate) fn take_from(&self, folder: &Directory, name: &str) -> io::Result<()> {
        folder.rename(name, &self.folder, &self.name)
    }

    /// The leftovers of a process that is gone; nothing if it is alive.
    fn adopt(folder: &Directory, name: &str) -> io::Result<Option<Self>> {
        let lock = match folder.open_file(&lock_of(name), OFlags::RDWR | OFlags::NONBLOCK) {
            // Not made by us, unless it was removed just now.
            Err(error) if is_missing(&error) && folder.stamp(name).is_ok() => {
                match folder.open_file(&lock_of(name), creating()) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
                    other => other?,
                }
            }
            Err(error) if is_missing(&error) => return Ok(None),
            other => other?,
        };
        let is_left = try_exclusive(&lock)? == LockState::Held;
        if is_left && folder.holds(&lock_of(name), &lock)? {
            let (folder, name) = (folder.try_clone()?, name.to_owned());
            return Ok(Some(Self { folder, name, _lock: lock }));
        }
        Ok(None)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // An evicted tree may still be in use, and then goes with a later sweep.
        if removal::remove(&self.folder, &self.name).is_ok() {
            let _ = self.folder.unlink(&lock_of(&self.name));
        }
    }
}

fn lock_of(name: &str) -> String {
    format!("{name}{LOCK}")
}

/// Removes the leftovers of processes that are gone.
pub(crate) fn sweep(folder: &Directory) -> io::Result<()> {
    let names = folder.names()?;
    let names: BTreeSet<&str> =
        names.iter().map(|name| name.strip_suffix(LOCK).unwrap_or(name)).collect();
    for name in names {
        // Leftovers that cannot be removed now do no harm.
        drop(Staging::adopt(folder, name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn temporary() -> (tempfile::TempDir, Directory) {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::open_path(folder.path()).unwrap();
        (folder, directory)
    }

    #[test]
    fn what_is_dropped_goes_and_what_is_moved_stays() {
        let (folder, directory) = temporary();
        let inner = directory.open_or_make("inner").unwrap();
        let staging = Staging::reserve(directory.try_clone().unwrap()).unwrap();
        fs::write(staging.make().unwrap().path().join("file"), "").unwrap();
        drop(staging);
        assert_eq!(directory.names().unwrap(), ["inner"]);
        let staging = Staging::reserve(directory.try_clone().unwrap()).unwrap();
        fs::write(staging.make().unwrap().path().join("file"), "").unwrap();
        staging.move_to(&inner, "moved").unwrap();
        drop(staging);
        assert_eq!(directory.names().unwrap(), ["inner"]);
        assert!(folder.path().join("inner/moved/file").exists());
    }

    #[test]
    fn a_sweep_removes_what_dead_processes_left_and_nothing_else() {
        let (folder, directory) = temporary();
        for name in ["1-0", "1-1", "stray"] {
            fs::create_dir_all(folder.path().join(name).join("tree")).unwrap();
        }
        fs::write(folder.path().join("1-0.lock"), "").unwrap();
        fs::write(folder.path().join("1-1.lock"), "").unwrap();
        fs::write(folder.path().join("1-2.lock"), "").unwrap();
        let other = File::open(folder.path().join("1-1.lock")).unwrap();
        other.try_lock().unwrap();
        let staging = Staging::reserve(directory.try_clone().unwrap()).unwrap();
        staging.make().unwrap();
        sweep(&directory).unwrap();
        let own = staging.name.clone();
        let mut expected = vec!["1-1".to_owned(), "1-1.lock".to_owned(), lock_of(&own), own];
        expected.sort_unstable();
        assert_eq!(directory.names().unwrap(), expected);
    }

    #[test]
    fn an_entry_that_is_taken_out_of_its_place_waits_for_its_readers() {
        let (folder, directory) = temporary();
        let shelf = directory.open_or_make("shelf").unwrap();
        let temporary = directory.open_or_make("tmp").unwrap();
        fs::create_dir(folder.path().join("shelf/entry")).unwrap();
        fs::write(folder.path().join("shelf/entry/used"), "").unwrap();
        let reader = File::open(folder.path().join("shelf/entry/used")).unwrap();
        reader.try_lock_shared().unwrap();
        let aside = Staging::reserve(temporary.try_clone().unwrap()).unwrap();
        aside.take_from(&shelf, "entry").unwrap();
        drop(aside);
        assert!(shelf.names().unwrap().is_empty());
        assert_eq!(temporary.names().unwrap().len(), 2, "in use: the entry and its lock");
        drop(reader);
        sweep(&temporary).unwrap();
        assert!(temporary.names().unwrap().is_empty());
    }
}
