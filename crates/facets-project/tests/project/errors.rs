//! An error says what it is about, what would have been right, and what to type next.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::Written;
use facets_failure::{Describe as _, Failure, LineColumn};
use facets_project::{LOCK, MANIFEST, Project, ProjectError, UserDirectory};

/// What reading says when a file of the project has this content.
fn refusal(file: &str, content: &[u8]) -> (Failure, Written) {
    let written = Written::by("2f02447", "settled");
    fs::write(written.project().join(file), content).unwrap();
    let project = Project::at(&written.project(), written.user()).unwrap();
    (project.read(&|_| false).unwrap_err().describe(), written)
}

#[test]
fn a_lock_that_is_no_json_is_named_with_the_place_in_it() {
    let (failure, written) = refusal(LOCK, b"{\n  x\n}\n");
    assert_eq!(failure.code, "json-unexpected-character");
    assert_eq!(failure.file, Some(written.project().join(LOCK)));
    assert_eq!(failure.place, Some(LineColumn { line: 2, column: 3 }));
    assert_eq!(failure.expected.as_deref(), Some("a member name or '}'"));
    assert_eq!(failure.actual.as_deref(), Some("'x'"));
    assert_eq!(failure.next, "facet explain json-unexpected-character");
}

#[test]
fn problems_of_a_manifest_are_counted_and_all_named_with_their_places() {
    for (content, counted) in [
        (&b"\xff"[..], "1 problem"),
        (br#"{"manifestVersion":0.2,"facets":{},"servers":{"a":1}}"#, "1 problem"),
        (br#"{"manifestVersion":0.2,"facets":{},"servers":{"a":1,"b":2}}"#, "2 problems"),
    ] {
        let (failure, written) = refusal(MANIFEST, content);
        assert_eq!(failure.code, "manifest-has-problems");
        assert_eq!(failure.file, Some(written.project().join(MANIFEST)));
        assert_eq!(failure.actual.as_deref(), Some(counted));
        assert_eq!(failure.next, "facet doctor");
        assert_eq!(failure.problems.len().to_string(), counted.split_once(' ').unwrap().0);
        for problem in &failure.problems {
            assert_eq!(problem.file, written.project().join(MANIFEST));
            assert!(problem.place.is_some() && !problem.fix.is_empty(), "{problem:?}");
        }
    }
}

#[test]
fn a_link_in_the_place_of_a_file_is_not_trusted() {
    let written = Written::by("2f02447", "settled");
    let lock = written.project().join(LOCK);
    fs::remove_file(&lock).unwrap();
    symlink("/etc/passwd", &lock).unwrap();
    let project = Project::at(&written.project(), written.user()).unwrap();
    let failure = project.read(&|_| false).unwrap_err().describe();
    assert_eq!(failure.code, "project-untrusted-file");
    assert_eq!(
        failure.expected.as_deref(),
        Some("a regular file or directory that you own and only you can write")
    );
    assert_eq!(failure.actual.as_deref(), Some("it is a link, or not a regular file"));
    assert_eq!((failure.file, failure.place), (Some(lock), None));
}

#[test]
fn a_manifest_that_cannot_be_edited_is_named_with_the_place_in_it() {
    let source = facets_project::without_server("{\n x", "a", true).unwrap_err();
    let failure = ProjectError::Edit { path: MANIFEST.into(), source }.describe();
    assert_eq!(failure.code, "project-cannot-be-edited");
    assert_eq!(failure.place.map(|place| place.line), Some(2));
}

#[test]
fn a_folder_that_does_not_exist_is_unreadable_and_one_that_is_a_file_unwritable() {
    let folder = tempfile::tempdir().unwrap();
    let user = UserDirectory::at(folder.path().join("home"));
    let failure = Project::at(&folder.path().join("none"), user.clone()).unwrap_err().describe();
    assert_eq!(
        (failure.code, failure.expected.as_deref()),
        ("file-unreadable", Some("a readable file"))
    );
    fs::write(folder.path().join("home"), "").unwrap();
    let failure = user.project().unwrap_err().describe();
    assert_eq!(
        (failure.code, failure.expected.as_deref()),
        ("file-unwritable", Some("a writable path"))
    );
}

#[test]
fn a_full_disk_has_the_code_that_it_has_everywhere() {
    // ENOSPC of Linux
    let source = std::io::Error::from_raw_os_error(28);
    let failure = ProjectError::Io { what: "write", path: MANIFEST.into(), source }.describe();
    assert_eq!(failure.code, "disk-full");
    assert_eq!(failure.expected.as_deref(), Some("enough free space on the disk"));
    assert!(failure.next.starts_with("free some space"), "{failure:?}");
}

#[test]
fn every_code_of_an_error_is_explained() {
    let error = |path: &Path| ProjectError::Ledger { path: path.to_owned() };
    assert!(ProjectError::CODES.contains(&error(Path::new("a")).code()));
    for code in ProjectError::CODES {
        assert!(facets_project::EXPLANATIONS.contains(code), "{code}");
    }
    let home = ProjectError::NoHome.describe();
    assert_eq!((home.next.as_str(), home.file), ("export FACET_DIR=…", None));
}
