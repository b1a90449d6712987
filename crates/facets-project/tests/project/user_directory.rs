//! Where a user keeps things: private, outside of what others bring along.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;

use facets_project::{Ledger, ProjectError, UserDirectory};

/// spec 8.5: what lies in a repository approves nothing in it
#[test]
fn a_directory_in_the_project_or_its_repository_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (repository, project) = (folder.path().join("site"), folder.path().join("site/a/b"));
    fs::create_dir_all(&project).unwrap();
    let is_allowed = |own: &Path| UserDirectory::at(own.to_owned()).outside_of(&project).is_ok();
    assert!(is_allowed(&folder.path().join("own")));
    assert!(is_allowed(&repository.join("early")), "no repository yet");
    fs::create_dir(repository.join(".git")).unwrap();
    assert!(!is_allowed(&repository.join("own")));
    assert!(!is_allowed(&project.join("own/not/made/yet")));
    symlink(&project, folder.path().join("link")).unwrap();
    assert!(!is_allowed(&folder.path().join("link/own")));
}

#[test]
fn places_in_and_around_a_directory_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    fs::create_dir(&own).unwrap();
    symlink(&own, folder.path().join("link")).unwrap();
    let user = UserDirectory::at(own.clone());
    for (place, touches, holds) in [
        (own.clone(), true, true),
        (own.join("ledger/x"), true, true),
        (folder.path().join("link/ledger"), true, true),
        (folder.path().to_owned(), true, false),
        (folder.path().join("other"), false, false),
    ] {
        assert_eq!((user.touches(&place), user.holds(&place)), (touches, holds), "{place:?}");
    }
}

#[test]
fn a_directory_that_is_not_plainly_of_this_user_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    let ledger = || Ledger::of(Path::new("/project"), &UserDirectory::at(own.clone()));
    let reason = || match ledger() {
        Err(ProjectError::Untrusted { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    fs::write(&own, "").unwrap();
    assert_eq!(reason(), "it is a link, or not a directory");
    let below = UserDirectory::at(own.join("below"));
    assert!(matches!(Ledger::of(Path::new("/project"), &below), Err(ProjectError::Io { .. })));
    fs::remove_file(&own).unwrap();
    symlink(folder.path(), &own).unwrap();
    assert_eq!(reason(), "it is a link, or not a directory");
    fs::remove_file(&own).unwrap();
    fs::create_dir(&own).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o720)).unwrap();
    assert_eq!(reason(), "other users can write to it");
    fs::set_permissions(&own, fs::Permissions::from_mode(0o700)).unwrap();
    ledger().unwrap();
    // Only root can give a folder away.
    if chown(&own, Some(65_534), None).is_ok() {
        assert_eq!(reason(), "it belongs to another user");
    }
}
