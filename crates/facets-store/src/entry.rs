//! An entry that is open: locked against removal, and compared with its place.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::OFlags;

use crate::directory::{Directory, is_missing, reading};
use crate::error::{StoreError, tampered, unreadable, unwritable};
use crate::locking::{LockState, try_exclusive, try_shared};
use crate::removal::USED;
use crate::staging::Staging;

/// How long another process may take.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);

/// The time of the last use is not written more often.
const HOUR: Duration = Duration::from_hours(1);

/// An entry that is open. It is not removed while this lives.
#[derive(Debug)]
pub(crate) struct OpenEntry {
    shard: Directory,
    name: String,
    directory: Directory,
    used: File,
}

/// How an entry is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Together with other readers.
    Use,
    /// Alone.
    Removal,
}

/// What became of one attempt to open an entry.
enum Attempt {
    Opened(OpenEntry),
    Absent,
    /// Others have it locked.
    Locked,
}

impl OpenEntry {
    /// Opens an entry for use; nothing if there is none.
    pub(crate) fn open(shard: &Directory, name: &str) -> Result<Option<Self>, StoreError> {
        let start = Instant::now();
        loop {
            match Self::attempt(shard, name, Purpose::Use)? {
                Attempt::Opened(entry) => return Ok(Some(entry)),
                Attempt::Absent => return Ok(None),
                // It is about to be removed, or another process checks whether it is in use.
                Attempt::Locked if start.elapsed() < PATIENCE => thread::sleep(PAUSE),
                Attempt::Locked => {
                    return Err(StoreError::Busy { path: shard.path().join(name) });
                }
            }
        }
    }

    /// Opens an entry to remove it; nothing if there is none, or it is in use.
    pub(crate) fn open_unused(shard: &Directory, name: &str) -> Result<Option<Self>, StoreError> {
        match Self::attempt(shard, name, Purpose::Removal)? {
            Attempt::Opened(entry) => Ok(Some(entry)),
            Attempt::Absent | Attempt::Locked => Ok(None),
        }
    }

    fn attempt(shard: &Directory, name: &str, purpose: Purpose) -> Result<Attempt, StoreError> {
        let path = shard.path().join(name);
        let stamp = match shard.stamp(name) {
            Err(error) if is_missing(&error) => return Ok(Attempt::Absent),
            other => other.map_err(unreadable(&path))?,
        };
        if !stamp.is_directory() {
            return Err(tampered(path, "a directory", stamp.kind()));
        }
        let directory = match shard.open(name) {
            Err(error) if is_missing(&error) => return Ok(Attempt::Absent),
            other => other.map_err(unreadable(&path))?,
        };
        let is_in_place =
            || shard.holds(name, directory.handle()).map_err(unreadable(shard.path()));
        let used = match directory.open_file(USED, flags(purpose)) {
            // Without its lock it is either being removed, or not as it was stored.
            Err(error) if is_missing(&error) && is_in_place()? => {
                return Err(tampered(path.join(USED), "a file", "not found"));
            }
            Err(error) if is_missing(&error) => return Ok(Attempt::Absent),
            Err(error) if purpose == Purpose::Removal => {
                return Err(unwritable(&path.join(USED))(error));
            }
            other => other.map_err(unreadable(&path.join(USED)))?,
        };
        if !is_locked(&used, purpose).map_err(unreadable(&path.join(USED)))? {
            return Ok(if is_in_place()? { Attempt::Locked } else { Attempt::Absent });
        }
        // It may have been removed before it was locked.
        if !is_in_place()? {
            return Ok(Attempt::Absent);
        }
        let shard = shard.try_clone().map_err(unreadable(shard.path()))?;
        Ok(Attempt::Opened(Self { shard, name: name.to_owned(), directory, used }))
    }

    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Notes that it is used now. On a disk that is read-only nothing is noted, and nothing collected.
    pub(crate) fn touch(&self) {
        let now = SystemTime::now();
        let last = self.used.metadata().and_then(|data| data.modified());
        // A time in the future would keep it for ever.
        let is_recent = last.is_ok_and(|last| now.duration_since(last).is_ok_and(|age| age < HOUR));
        if !is_recent {
            let _ = self.used.set_modified(now);
        }
    }

    /// Takes it out of its place. It is removed at once, or when its last reader is done.
    pub(crate) fn remove(self, temporary: Directory) -> Result<(), StoreError> {
        let Self { shard, name, directory, used } = self;
        let failed = unwritable(directory.path());
        // The holder of this lock removes this very entry; if another one is in its place, that is done.
        if try_exclusive(directory.handle()).map_err(&failed)? == LockState::Taken
            || !shard.holds(&name, directory.handle()).map_err(&failed)?
        {
            return Ok(());
        }
        let aside = Staging::reserve(temporary).map_err(&failed)?;
        aside.take_from(&shard, &name).and_then(|()| shard.sync()).map_err(&failed)?;
        // Our own lock would keep it from being removed.
        drop(used);
        drop(aside);
        Ok(())
    }
}

/// Some file systems grant an exclusive lock only on a file that is open for writing; others are read-only.
fn flags(purpose: Purpose) -> OFlags {
    match purpose {
        Purpose::Use => reading(),
        Purpose::Removal => OFlags::RDWR | OFlags::NONBLOCK,
    }
}

fn is_locked(used: &File, purpose: Purpose) -> io::Result<bool> {
    Ok(match purpose {
        // Without locks nothing is ever collected, so nothing need be locked.
        Purpose::Use => try_shared(used)? != LockState::Taken,
        Purpose::Removal => try_exclusive(used)? == LockState::Held,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    struct Shelf {
        folder: tempfile::TempDir,
        shard: Directory,
        temporary: Directory,
    }

    impl Shelf {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let top = Directory::open_path(folder.path()).unwrap();
            let (shard, temporary) =
                (top.open_or_make("shard").unwrap(), top.open_or_make("tmp").unwrap());
            Self { folder, shard, temporary }
        }

        fn put(&self, name: &str) -> PathBuf {
            let path = self.folder.path().join("shard").join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join(USED), "").unwrap();
            path
        }

        fn temporary(&self) -> Directory {
            self.temporary.try_clone().unwrap()
        }
    }

    #[test]
    fn an_entry_in_use_is_not_opened_for_removal() {
        let shelf = Shelf::new();
        shelf.put("e");
        assert!(OpenEntry::open(&shelf.shard, "none").unwrap().is_none());
        let (one, two) = (OpenEntry::open(&shelf.shard, "e"), OpenEntry::open(&shelf.shard, "e"));
        assert!(OpenEntry::open_unused(&shelf.shard, "e").unwrap().is_none());
        drop((one, two));
        let unused = OpenEntry::open_unused(&shelf.shard, "e").unwrap().unwrap();
        unused.remove(shelf.temporary()).unwrap();
        assert!(OpenEntry::open(&shelf.shard, "e").unwrap().is_none());
        assert!(shelf.temporary.names().unwrap().is_empty());
    }

    #[test]
    fn an_evicted_entry_is_gone_for_others_and_stays_for_its_readers() {
        let shelf = Shelf::new();
        let path = shelf.put("e");
        fs::write(path.join("content"), "text").unwrap();
        let reader = OpenEntry::open(&shelf.shard, "e").unwrap().unwrap();
        let evictor = OpenEntry::open(&shelf.shard, "e").unwrap().unwrap();
        evictor.remove(shelf.temporary()).unwrap();
        assert!(OpenEntry::open(&shelf.shard, "e").unwrap().is_none());
        assert!(reader.directory().open_file("content", reading()).is_ok());
        // A second process that found the same does not evict the entry that was stored since.
        shelf.put("e");
        reader.remove(shelf.temporary()).unwrap();
        assert!(OpenEntry::open(&shelf.shard, "e").unwrap().is_some());
        crate::staging::sweep(&shelf.temporary).unwrap();
        assert!(shelf.temporary.names().unwrap().is_empty());
    }

    #[test]
    fn links_files_and_bare_directories_are_no_entries() {
        let shelf = Shelf::new();
        let aside = shelf.put("aside");
        symlink(&aside, aside.with_file_name("link")).unwrap();
        fs::write(aside.with_file_name("file"), "").unwrap();
        fs::create_dir(aside.with_file_name("bare")).unwrap();
        for name in ["link", "file", "bare"] {
            let failed = OpenEntry::open(&shelf.shard, name);
            assert!(matches!(failed, Err(StoreError::Tampered { .. })), "{name}: {failed:?}");
        }
    }

    #[test]
    fn the_time_of_use_is_written_once_an_hour_and_never_lies_ahead() {
        let shelf = Shelf::new();
        let used = shelf.put("e").join(USED);
        let entry = OpenEntry::open(&shelf.shard, "e").unwrap().unwrap();
        let now = SystemTime::now();
        let after = |time: SystemTime| {
            File::options().write(true).open(&used).unwrap().set_modified(time).unwrap();
            entry.touch();
            fs::metadata(&used).unwrap().modified().unwrap()
        };
        let recent = now - HOUR / 2;
        assert_eq!(after(recent), recent);
        for time in [now - HOUR * 2, now + HOUR] {
            let touched = after(time);
            assert!(touched >= now && touched < now + HOUR / 2, "{touched:?}");
        }
    }
}
