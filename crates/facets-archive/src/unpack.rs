//! Writing what was validated, and taking it all back if it turns out to be something else.

use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io::{self, Seek, Write as _};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::panic::resume_unwind;
use std::thread;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::io::Errno;

use crate::entry_mode::EntryMode;
use crate::error::{ArchiveError, UnpackError, unreadable};
use crate::folder::{open_below, open_folder, split_name};
use crate::index::ArchiveIndex;
use crate::kept::KeptTar;
use crate::scan::{EntryVisitor, visit_directories, visit_kept_files};
use crate::tar::{TarEntry, TarEntryKind};

/// Threads are not worth their start for fewer files.
const FILES_PER_THREAD: usize = 32;
/// More of them wait for the same disk.
const MOST_THREADS: usize = 8;

/// Back to the beginning of an archive.
pub(crate) fn rewind(archive: &mut impl Seek) -> Result<(), ArchiveError> {
    archive.rewind().map_err(unreadable)
}

/// Writes the entries of a validated archive into an empty directory: from the bytes that were kept, else from
/// those that `read_again` reads, if they are the same.
pub(crate) fn write_archive(
    directory: BorrowedFd<'_>,
    index: &ArchiveIndex,
    kept: Option<&KeptTar>,
    read_again: impl FnOnce(&mut dyn EntryVisitor) -> Result<ArchiveIndex, ArchiveError>,
) -> Result<(), ArchiveError> {
    refuse_occupied(directory)?;
    let mut extraction = Extraction::new(directory);
    if let Some(kept) = kept {
        visit_directories(index, &mut extraction)?;
        write_kept_files(kept, index, &mut extraction)?;
    } else if read_again(&mut extraction)? != *index {
        return Err(UnpackError::Changed.into());
    }
    extraction.is_complete = true;
    Ok(())
}

/// Writes files on several threads: making a file takes longer than filling it. The error is that of the first file
/// that has one, whichever thread is faster.
fn write_kept_files(
    kept: &KeptTar,
    index: &ArchiveIndex,
    extraction: &mut Extraction<'_>,
) -> Result<(), ArchiveError> {
    let root = extraction.root;
    let write = |numbers: Range<usize>| {
        let mut part = Extraction::new(root);
        let result = visit_kept_files(kept, index, numbers, &mut part);
        (part, result)
    };
    let mut parts = parts_of(index.files.len(), threads(index.files.len()));
    let first = parts.next().unwrap_or_default();
    let written = thread::scope(|scope| {
        let spawn = |numbers: Range<usize>| {
            let work = numbers.clone();
            (thread::Builder::new().spawn_scoped(scope, move || write(work)), numbers)
        };
        let spawned: Vec<_> = parts.map(spawn).collect();
        let mut written = vec![write(first)];
        written.extend(spawned.into_iter().map(|(thread, numbers)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // Where no thread can be started, this one does it.
            Err(_) => write(numbers),
        }));
        written
    });
    let mut results = Vec::new();
    for (part, result) in written {
        extraction.absorb(part);
        results.push(result);
    }
    results.into_iter().collect()
}

fn threads(files: usize) -> usize {
    let available = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    available.min(MOST_THREADS).min(files / FILES_PER_THREAD).max(1)
}

/// So many parts of nearly the same length, in order.
fn parts_of(count: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    (0..parts).map(move |part| part * count / parts..(part + 1) * count / parts)
}

fn refuse_occupied(directory: BorrowedFd<'_>) -> Result<(), UnpackError> {
    let failed = |error: Errno| unwritable(".", error.into());
    for entry in Dir::read_from(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            return Err(UnpackError::Occupied { path: name.to_string_lossy().into_owned() });
        }
    }
    Ok(())
}

fn unwritable(path: &str, source: io::Error) -> UnpackError {
    if source.kind() == io::ErrorKind::AlreadyExists {
        return UnpackError::Occupied { path: path.to_owned() };
    }
    UnpackError::Unwritable { path: path.to_owned(), source }
}

/// Files and directories that were written, and that go again unless all of them were.
struct Extraction<'d> {
    root: BorrowedFd<'d>,
    /// The directory that the last file went into, as most files follow others of the same.
    current: Option<(String, OwnedFd)>,
    file: Option<File>,
    files: Vec<String>,
    folders: Vec<String>,
    known: BTreeSet<String>,
    is_complete: bool,
}

impl<'d> Extraction<'d> {
    fn new(root: BorrowedFd<'d>) -> Self {
        Self {
            root,
            current: None,
            file: None,
            files: Vec::new(),
            folders: Vec::new(),
            known: BTreeSet::new(),
            is_complete: false,
        }
    }

    /// Makes the directories of a path that are not there, and opens the last one.
    fn enter(&mut self, path: &str) -> io::Result<&OwnedFd> {
        let is_current = self.current.as_ref().is_some_and(|(current, _)| current == path);
        if !is_current {
            let folder = self.make(path)?;
            self.current = Some((path.to_owned(), folder));
        }
        let current = self.current.as_ref().map(|(_, folder)| folder);
        current.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn make(&mut self, path: &str) -> io::Result<OwnedFd> {
        let mut folder = open_folder(self.root, ".")?;
        let mut made = String::new();
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            if !made.is_empty() {
                made.push('/');
            }
            made.push_str(segment);
            if self.known.insert(made.clone()) {
                match mkdirat(&folder, segment, Mode::from_raw_mode(0o755)) {
                    Ok(()) => self.folders.push(made.clone()),
                    // Some file systems have one directory for two spellings.
                    Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            folder = open_folder(&folder, segment)?;
        }
        Ok(folder)
    }

    /// Makes a file that nothing else can write: only the handle that is kept here can.
    fn create(&mut self, path: &str, mode: EntryMode) -> io::Result<()> {
        let (parent, name) = split_name(path);
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = self.enter(parent)?;
        let file = openat(folder, name, flags, Mode::from_raw_mode(mode.read_only_bits()))?;
        self.files.push(path.to_owned());
        self.file = Some(File::from(file));
        Ok(())
    }

    /// Takes over what a part has written.
    fn absorb(&mut self, mut part: Self) {
        self.files.append(&mut part.files);
        self.folders.append(&mut part.folders);
        part.is_complete = true;
    }

    /// Removes everything, directories after what is in them.
    fn undo(&mut self) {
        self.file = None;
        self.current = None;
        // A part may have made a directory in that of another.
        self.folders.sort();
        for path in self.files.iter().rev() {
            self.remove(path, AtFlags::empty());
        }
        for path in self.folders.iter().rev() {
            self.remove(path, AtFlags::REMOVEDIR);
        }
    }

    /// An error here would hide the one that led here; the caller removes the directory.
    fn remove(&self, path: &str, flags: AtFlags) {
        let (parent, name) = split_name(path);
        if let Ok(folder) = open_below(self.root, parent) {
            let _ = unlinkat(&folder, name, flags);
        }
    }
}

impl EntryVisitor for Extraction<'_> {
    fn begin(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        let path = entry.path.as_str();
        let result = match entry.kind {
            TarEntryKind::Directory => self.enter(path).map(|_| ()),
            TarEntryKind::File(mode) => self.create(path, mode),
        };
        result.map_err(|error| unwritable(path, error).into())
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let path = self.files.last().map(String::as_str).unwrap_or_default();
        Ok(file.write_all(bytes).map_err(|error| unwritable(path, error))?)
    }

    fn end(&mut self, entry: &TarEntry) -> Result<(), ArchiveError> {
        let (Some(file), TarEntryKind::File(mode)) = (self.file.take(), entry.kind) else {
            return Ok(());
        };
        Ok(restore_bits(&file, mode).map_err(|error| unwritable(entry.path.as_str(), error))?)
    }
}

/// The bits of the process's own mask do not count. Where it takes none, nothing is changed: inside a sandbox that
/// may be refused.
fn restore_bits(file: &File, mode: EntryMode) -> io::Result<()> {
    let wanted = mode.read_only_bits();
    if file.metadata()?.permissions().mode() & 0o7777 == wanted {
        return Ok(());
    }
    file.set_permissions(Permissions::from_mode(wanted))
}

impl Drop for Extraction<'_> {
    fn drop(&mut self) {
        if !self.is_complete {
            self.undo();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_of_it_in_order() {
        for (count, parts) in [(0, 1), (1, 1), (100, 3), (3001, 8), (2, 4)] {
            let ranges: Vec<Range<usize>> = parts_of(count, parts).collect();
            assert_eq!(ranges.len(), parts);
            assert!(ranges.into_iter().flatten().eq(0..count), "{count} in {parts}");
        }
        assert_eq!((threads(0), threads(1), threads(FILES_PER_THREAD)), (1, 1, 1));
        assert!(threads(usize::MAX) <= MOST_THREADS);
    }
}
