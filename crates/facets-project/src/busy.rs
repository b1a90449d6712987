//! One facet at a time: a file that is locked while something is read or changed (spec 8.4).

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use crate::error::ProjectError;
use crate::files;

/// How long another facet may take.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(20);

/// Keeps other facets of this user away while it lives.
pub(crate) struct Busy {
    _file: Option<File>,
}

impl Busy {
    /// Keeps nobody away.
    pub(crate) fn of_nobody() -> Self {
        Self { _file: None }
    }

    /// Keeps those away who change something of a project. Where there is no such file, nobody ever has.
    pub(crate) fn shared(path: &Path, project: &Path) -> Result<Self, ProjectError> {
        match options().open(path) {
            Ok(file) => wait(file, (path, project), PATIENCE, File::try_lock_shared),
            Err(_) => Ok(Self::of_nobody()),
        }
    }

    /// Keeps everybody else away.
    pub(crate) fn exclusive(path: &Path, project: &Path) -> Result<Self, ProjectError> {
        let file = options().create(true).truncate(false).open(path);
        wait(file.map_err(files::io("write", path))?, (path, project), PATIENCE, File::try_lock)
    }
}

/// A link could have us make a file anywhere, and a pipe would hold us for ever.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.write(true).custom_flags(flags.bits().cast_signed());
    options
}

fn wait(
    file: File,
    (path, project): (&Path, &Path),
    patience: Duration,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<Busy, ProjectError> {
    let start = Instant::now();
    loop {
        match lock(&file) {
            Ok(()) => return Ok(Busy { _file: Some(file) }),
            Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                std::thread::sleep(PAUSE);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(ProjectError::Busy { path: project.to_owned() });
            }
            // A file system without locks: better to work than to refuse.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(Busy::of_nobody());
            }
            Err(TryLockError::Error(source)) => {
                return Err(ProjectError::Io { what: "lock", path: path.to_owned(), source });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const NO_TIME: Duration = Duration::ZERO;

    /// What becomes of waiting if the lock is tried with these results.
    fn waited(
        patience: Duration,
        results: impl Fn() -> Result<(), TryLockError>,
    ) -> Result<(), ProjectError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("busy");
        let file = File::create(&path).unwrap();
        wait(file, (&path, folder.path()), patience, |_| results()).map(drop)
    }

    /// spec 8.4: others wait for 20 seconds
    #[test]
    fn waits_for_another_facet_and_not_for_ever() {
        let tries = Cell::new(0);
        let busy_twice = || {
            tries.set(tries.get() + 1);
            if tries.get() < 3 { Err(TryLockError::WouldBlock) } else { Ok(()) }
        };
        waited(PATIENCE, busy_twice).unwrap();
        let failed = waited(NO_TIME, || Err(TryLockError::WouldBlock)).unwrap_err();
        assert!(matches!(failed, ProjectError::Busy { .. }), "{failed:?}");
    }

    #[test]
    fn works_on_a_file_system_without_locks_and_on_no_broken_one() {
        let failing =
            |kind: io::ErrorKind| waited(NO_TIME, move || Err(TryLockError::Error(kind.into())));
        failing(io::ErrorKind::Unsupported).unwrap();
        let failed = failing(io::ErrorKind::StorageFull).unwrap_err();
        assert!(matches!(failed, ProjectError::Io { what: "lock", .. }), "{failed:?}");
    }

    #[test]
    fn a_link_is_no_file_to_lock_and_makes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (folder.path().join("busy"), folder.path().join("elsewhere"));
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        let failed = Busy::exclusive(&path, folder.path()).err().unwrap();
        assert!(matches!(failed, ProjectError::Io { what: "write", .. }), "{failed:?}");
        assert!(!elsewhere.exists());
    }
}
