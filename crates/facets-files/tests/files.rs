//! Reading with limits and writing whole.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use facets_failure::Describe as _;
use facets_files::{
    FileError, Placement, is_staged, read_plain, read_regular, staged_path, write_atomically,
};

#[test]
fn a_new_file_does_not_replace_an_older_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    write_atomically(&path, b"one", Placement::New).unwrap();
    let refused = write_atomically(&path, b"two", Placement::New);
    assert!(matches!(refused, Err(FileError::Unwritable { .. })), "{refused:?}");
    assert_eq!(fs::read(&path).unwrap(), b"one");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_full_and_a_read_only_disk_have_codes_of_their_own() {
    // ENOSPC, EROFS and EACCES of Linux
    let told = [28, 30, 13].map(|number| {
        let source = io::Error::from_raw_os_error(number);
        let failure = FileError::Unwritable { path: "a".into(), source }.describe();
        (failure.code, failure.next.starts_with("facet explain "))
    });
    assert_eq!(told, [("disk-full", false), ("disk-read-only", false), ("file-unwritable", true)]);
    let source = io::Error::from_raw_os_error(28);
    let full = FileError::Unwritable { path: "a".into(), source }.describe();
    assert_eq!(full.expected.as_deref(), Some("enough free space on the disk"));
    assert_eq!(full.actual.as_deref(), Some("No space left on device (os error 28)"));
}

#[test]
fn a_link_a_folder_and_a_pipe_are_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    fs::write(&target, "x").unwrap();
    let link = folder.path().join("link");
    symlink(&target, &link).unwrap();
    for path in [&link, &folder.path().to_owned()] {
        let refused = write_atomically(path, b"y", Placement::Replace);
        assert!(matches!(refused, Err(FileError::NotPlain { .. })), "{refused:?}");
    }
    assert_eq!(fs::read(&target).unwrap(), b"x");
    assert!(matches!(read_plain(&link, 10), Err(FileError::NotPlain { .. })));
    assert_eq!(read_regular(&link, 10).unwrap(), b"x");
}

#[test]
fn a_replaced_file_keeps_its_mode_and_a_new_one_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = folder.path().join("a");
    write_atomically(&path, b"secret", Placement::ReplaceFor { mode: None }).unwrap();
    assert_eq!(mode(&path), 0o600);
    write_atomically(&path, b"secret", Placement::ReplaceFor { mode: Some(0o640) }).unwrap();
    assert_eq!(mode(&path), 0o640);
}

#[test]
fn one_byte_over_the_limit_is_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, [0; 11]).unwrap();
    assert!(matches!(read_plain(&path, 10), Err(FileError::TooLarge { limit: 10, .. })));
    assert_eq!(read_plain(&path, 11).unwrap().unwrap().len(), 11);
    assert!(read_plain(&folder.path().join("absent"), 11).unwrap().is_none());
}

#[test]
fn staged_names_are_recognised_and_others_are_not() {
    let staged = staged_path("x/facets.lock".as_ref());
    let name = staged.file_name().unwrap().to_str().unwrap();
    assert_eq!(is_staged(name), Some("facets.lock"));
    for other in [".facets.lock.tmp", "facets.lock.1.tmp", ".a.b.tmp", ".a.1.tmp.", "", ".1.tmp"] {
        assert_eq!(is_staged(other), None, "{other}");
    }
}
