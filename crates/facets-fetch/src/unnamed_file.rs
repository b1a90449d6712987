//! Files without names: however the process ends, the system takes them back.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rustix::io::Errno;

/// How a name begins that exists for a moment, where the file system makes no file without one.
const PREFIX: &str = ".facets-fetch-";

/// Makes a file in a folder that no other process can open by name, and that is gone when it is closed.
pub(crate) fn unnamed_file(folder: &Path) -> io::Result<File> {
    match open_unnamed(folder) {
        Err(error) if is_unsupported(&error) => open_and_unlink(folder),
        other => other,
    }
}

#[cfg(target_os = "linux")]
fn open_unnamed(folder: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(File::from(open(folder, flags, Mode::RUSR | Mode::WUSR)?))
}

#[cfg(not(target_os = "linux"))]
fn open_unnamed(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// What `open(2)` lists for kernels and file systems without `O_TMPFILE`.
fn is_unsupported(error: &io::Error) -> bool {
    let unknown = [Errno::OPNOTSUPP, Errno::ISDIR, Errno::NOENT];
    let is_unknown = Errno::from_io_error(error).is_some_and(|errno| unknown.contains(&errno));
    is_unknown || error.kind() == io::ErrorKind::Unsupported
}

/// Makes a file with a name, and removes the name before a byte is written. A process that is killed
/// in between leaves an empty file, which the next one removes.
fn open_and_unlink(folder: &Path) -> io::Result<File> {
    sweep(folder);
    let named = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)?;
    let (file, path) = named.into_parts();
    match path.close() {
        // Another process has swept it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(file),
        other => other.map(|()| file),
    }
}

/// Removes empty files that killed processes left behind. Those of other users cannot be removed, and stay.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_empty = || entry.metadata().is_ok_and(|data| data.is_file() && data.len() == 0);
        if is_ours && is_empty() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::io::{Read as _, Seek as _, Write as _};
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_has_no_name_and_keeps_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        for make in [unnamed_file, open_and_unlink] {
            let mut file = make(folder.path()).unwrap();
            assert!(names(folder.path()).is_empty());
            file.write_all(b"bytes").unwrap();
            file.rewind().unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "bytes");
        }
        let absent = unnamed_file(&folder.path().join("absent")).unwrap_err();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_name_that_a_killed_process_left_is_removed_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let ours = |name: &str| at(&format!("{PREFIX}{name}"));
        fs::write(ours("left"), "").unwrap();
        fs::write(ours("full"), "bytes").unwrap();
        fs::write(at("other"), "").unwrap();
        fs::create_dir(ours("folder")).unwrap();
        symlink(at("other"), ours("link")).unwrap();
        open_and_unlink(folder.path()).unwrap();
        let kept = ["folder", "full", "link"].map(|name| format!("{PREFIX}{name}"));
        let kept: Vec<String> = kept.into_iter().chain(["other".to_owned()]).collect();
        assert_eq!(names(folder.path()), kept);
    }
}
