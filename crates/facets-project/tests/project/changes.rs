//! Changes of a project are whole or not at all, and nobody else's journal is completed.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::support::Written;
use facets_digest::Digest;
use facets_project::{Change, LOCK, MANIFEST, Project, ProjectError, UserDirectory};
use serde_json::json;

fn project(written: &Written) -> Project {
    Project::at(&written.project(), written.user()).unwrap()
}

fn without(project: &Project, server: &str) -> Result<(), ProjectError> {
    project.change(|state| {
        let lock = state.lock.without_server(server).unwrap();
        let manifest = state.manifest_text.as_deref().unwrap();
        let manifest = facets_project::without_server(manifest, server, false).unwrap();
        Ok(Change {
            manifest: Some(manifest),
            lock: Some(lock),
            surfaces: vec![(server.to_owned(), None)],
            ..Change::default()
        })
    })
}

/// A file of a change: its path, and what it was and will be.
type Planned<'f> = (&'f str, Option<&'f [u8]>, Option<&'f [u8]>);

/// A journal as facet writes it: what comes next is to complete it, or not to.
fn write_journal(root: &Path, files: &[Planned<'_>]) -> String {
    let journal = root.join(".facets/journal");
    fs::create_dir_all(&journal).unwrap();
    let digest = |bytes: Option<&[u8]>| bytes.map(|bytes| Digest::of(bytes).to_string());
    let mut steps = Vec::new();
    for (index, (path, before, after)) in files.iter().enumerate() {
        if let Some(after) = after {
            fs::write(journal.join(index.to_string()), after).unwrap();
        }
        steps.push(json!({ "path": path, "before": digest(*before), "after": digest(*after) }));
    }
    let plan = json!({ "version": 1, "files": steps }).to_string();
    fs::write(journal.join("plan.json"), &plan).unwrap();
    plan
}

/// What facet writes down when this user begins a change.
fn mark(written: &Written, plan: &str) -> PathBuf {
    let place = fs::canonicalize(written.project()).unwrap();
    let folder = written.folder.path().join("home/journals");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(Digest::of(place.as_os_str().as_encoded_bytes()).hex());
    fs::write(&file, Digest::of(plan.as_bytes()).to_string()).unwrap();
    file
}

#[test]
fn a_change_is_seen_in_all_files_and_leaves_nothing_behind() {
    let written = Written::by("2f02447", "settled");
    let project = project(&written);
    without(&project, "far").unwrap();
    let state = project.read(&|_| true).unwrap();
    assert!(state.lock.server("far").is_none());
    assert!(!state.manifest_text.unwrap().contains("\"far\""));
    let root = written.project();
    assert!(!root.join(".facets/surfaces/far.json").exists());
    assert!(!root.join(".facets/journal").exists());
    let marks = fs::read_dir(written.folder.path().join("home/journals")).unwrap().count();
    assert_eq!(marks, 0, "the mark goes with the journal");
}

#[test]
fn a_decision_that_fails_changes_nothing() {
    let written = Written::by("2f02447", "settled");
    let before = fs::read(written.project().join(LOCK)).unwrap();
    let failed =
        project(&written).change::<ProjectError>(|_| Err(ProjectError::NoHome)).unwrap_err();
    assert!(matches!(failed, ProjectError::NoHome));
    assert_eq!(fs::read(written.project().join(LOCK)).unwrap(), before);
    assert!(!written.project().join(".facets/journal").exists());
}

#[test]
fn a_journal_of_this_user_is_completed_by_whoever_comes_next() {
    let written = Written::by("2f02447", "settled");
    let root = written.project();
    let lock = fs::read(root.join(LOCK)).unwrap();
    let manifest = fs::read(root.join(MANIFEST)).unwrap();
    let new = b"{\n  \"manifestVersion\": 0.2,\n  \"facets\": {}\n}\n";
    let plan = write_journal(
        &root,
        &[(LOCK, Some(&lock), Some(&lock)), (MANIFEST, Some(&manifest), Some(new))],
    );
    let mark = mark(&written, &plan);
    fs::write(root.join(".facets.json.4711.tmp"), "half").unwrap();
    fs::create_dir(root.join(".facets/journal.4711")).unwrap();
    let state = project(&written).read(&|_| false).unwrap();
    assert_eq!(state.manifest_text.unwrap().as_bytes(), new);
    for gone in [".facets/journal", ".facets/journal.4711", ".facets.json.4711.tmp"] {
        assert!(!root.join(gone).exists(), "{gone}");
    }
    assert!(!mark.exists());
}

#[test]
fn a_journal_that_a_repository_brings_along_is_refused() {
    let written = Written::by("2f02447", "settled");
    let root = written.project();
    let lock = fs::read(root.join(LOCK)).unwrap();
    write_journal(&root, &[(LOCK, Some(&lock), None)]);
    let refused = project(&written).read(&|_| false).unwrap_err();
    assert!(matches!(refused, ProjectError::ForeignJournal { .. }), "{refused:?}");
    assert_eq!(fs::read(root.join(LOCK)).unwrap(), lock);
}

#[test]
fn a_journal_names_only_files_of_facet() {
    let written = Written::by("2f02447", "settled");
    let root = written.project();
    for path in
        ["../escape", "server.sh", ".facets/surfaces/../../x.json", ".facets/surfaces/.json"]
    {
        let plan = write_journal(&root, &[(path, None, Some(b"x"))]);
        mark(&written, &plan);
        let refused = project(&written).read(&|_| false).unwrap_err();
        assert!(matches!(refused, ProjectError::Interrupted { .. }), "{path}: {refused:?}");
    }
    assert!(!written.folder.path().join("escape").exists());
}

#[test]
fn a_file_that_is_neither_old_nor_new_is_left_alone() {
    let written = Written::by("2f02447", "settled");
    let root = written.project();
    let edited = fs::read(root.join(LOCK)).unwrap();
    let plan = write_journal(&root, &[(LOCK, Some(b"another"), Some(b"{}"))]);
    mark(&written, &plan);
    let refused = project(&written).read(&|_| false).unwrap_err();
    assert!(matches!(refused, ProjectError::Interrupted { .. }), "{refused:?}");
    assert_eq!(fs::read(root.join(LOCK)).unwrap(), edited);
}

#[test]
fn content_of_a_journal_that_was_replaced_is_refused() {
    let written = Written::by("2f02447", "settled");
    let root = written.project();
    let lock = fs::read(root.join(LOCK)).unwrap();
    let plan = write_journal(&root, &[(LOCK, Some(&lock), Some(b"{}"))]);
    mark(&written, &plan);
    fs::write(root.join(".facets/journal/0"), "{\"other\": 1}").unwrap();
    let refused = project(&written).read(&|_| false).unwrap_err();
    assert!(matches!(refused, ProjectError::Interrupted { .. }), "{refused:?}");
    assert_eq!(fs::read(root.join(LOCK)).unwrap(), lock);
}

#[test]
fn a_newer_journal_is_refused() {
    let written = Written::by("2f02447", "settled");
    let root = written.project();
    fs::create_dir_all(root.join(".facets/journal")).unwrap();
    let plan = json!({ "version": 3, "files": [] }).to_string();
    fs::write(root.join(".facets/journal/plan.json"), &plan).unwrap();
    mark(&written, &plan);
    let refused = project(&written).read(&|_| false).unwrap_err();
    assert!(matches!(refused, ProjectError::Interrupted { .. }), "{refused:?}");
}

#[test]
fn links_in_the_place_of_files_and_folders_are_refused() {
    let written = Written::by("2f02447", "settled");
    let root = written.project();
    let aside = written.folder.path().join("aside");
    fs::rename(root.join(LOCK), &aside).unwrap();
    symlink(&aside, root.join(LOCK)).unwrap();
    let refused = project(&written).read(&|_| false).unwrap_err();
    assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
    fs::remove_file(root.join(LOCK)).unwrap();
    fs::rename(&aside, root.join(LOCK)).unwrap();
    fs::rename(root.join(".facets"), &aside).unwrap();
    symlink(&aside, root.join(".facets")).unwrap();
    let refused = project(&written).read(&|_| false).unwrap_err();
    assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
}

#[test]
fn a_directory_of_the_user_that_others_can_write_is_refused() {
    let written = Written::by("2f02447", "settled");
    let home = written.folder.path().join("home");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).unwrap();
    let refused = facets_project::Ledger::of(&written.place, &written.user()).unwrap_err();
    assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
    let refused = without(&project(&written), "far").unwrap_err();
    assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
    assert!(fs::read_to_string(written.project().join(LOCK)).unwrap().contains("\"far\""));
}

#[test]
fn what_is_made_for_a_user_is_for_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let user = UserDirectory::at(folder.path().join("home"));
    facets_project::ClientRecords::in_directory(&user).unwrap();
    for path in ["home", "home/clients"] {
        let mode = fs::metadata(folder.path().join(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{path}");
    }
}

#[test]
fn records_without_anything_to_undo_are_removed() {
    let written = Written::by("2f02447", "settled");
    let records = facets_project::ClientRecords::in_directory(&written.user()).unwrap();
    let (path, _) = records.all().remove(0);
    records.set(&path, &[]).unwrap();
    assert!(records.all().is_empty());
    assert!(records.of(&path).unwrap().is_empty());
}

#[test]
fn files_of_a_killed_facet_are_swept_up_and_nothing_that_looks_like_them() {
    let written = Written::by("2f02447", "settled");
    let root = written.project();
    let left = [
        ".facets.json.4711.tmp",
        ".facets.lock.4711.tmp",
        ".facets/surfaces/.far.json.4711.tmp",
        ".facets/journal.4711/0",
        ".facets/journal.4711.done/0",
    ];
    let others = [
        ".notes.txt.4711.tmp",
        ".facets.lock.x.tmp",
        "facets.lock.4711.tmp",
        ".facets/journal.old/0",
        ".facets/journal./0",
        ".facets/my-journal.4711/0",
    ];
    for path in left.iter().chain(&others) {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), "half").unwrap();
    }
    without(&project(&written), "far").unwrap();
    for path in left {
        assert!(!root.join(path).exists(), "{path}");
    }
    for path in others {
        assert!(root.join(path).exists(), "{path}");
    }
}

#[test]
fn a_folder_without_files_of_facet_is_an_empty_project() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    fs::create_dir(&root).unwrap();
    let project = Project::at(&root, UserDirectory::at(folder.path().join("home"))).unwrap();
    let state = project.read(&|_| true).unwrap();
    assert!(state.manifest.is_none() && state.manifest_text.is_none() && !state.has_lock);
    assert!(state.lock.servers().is_empty());
    assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "reading makes nothing");
}

#[test]
fn a_project_whose_folder_went_away_is_neither_read_nor_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    fs::create_dir(&root).unwrap();
    let project = Project::at(&root, UserDirectory::at(folder.path().join("home"))).unwrap();
    fs::remove_dir(&root).unwrap();
    let change = || project.change::<ProjectError>(|_| Ok(Change::default())).unwrap_err();
    let failed = change();
    let state = root.join(".facets");
    assert!(
        matches!(&failed, ProjectError::Io { what: "write", path, .. } if *path == state),
        "{failed:?}"
    );
    fs::write(&root, "a file").unwrap();
    for failed in [change(), project.read(&|_| true).unwrap_err()] {
        assert!(
            matches!(&failed, ProjectError::Io { what: "read", path, .. } if *path == state),
            "{failed:?}"
        );
    }
}

#[test]
fn a_change_makes_the_folders_of_its_files_and_keeps_its_own_out_of_repositories() {
    let written = Written::by("2f02447", "settled");
    let surface = fs::read_to_string(written.project().join(".facets/surfaces/far.json")).unwrap();
    let lock = written.lock();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    fs::create_dir(&root).unwrap();
    let project = Project::at(&root, UserDirectory::at(folder.path().join("home"))).unwrap();
    let change = || Change {
        lock: Some(lock.clone()),
        surfaces: vec![("far".to_owned(), Some(surface.clone()))],
        ..Change::default()
    };
    project.change::<ProjectError>(|_| Ok(change())).unwrap();
    assert_eq!(fs::read_to_string(root.join(".facets/surfaces/far.json")).unwrap(), surface);
    let ignored = root.join(".facets/.gitignore");
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "/busy\n/journal*\n");
    fs::write(&ignored, "mine\n").unwrap();
    project.change::<ProjectError>(|_| Ok(change())).unwrap();
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "mine\n");
}

/// Whoever can read a project can lock any file in it.
#[test]
fn nobody_who_can_only_read_the_project_keeps_it_busy() {
    let written = Written::by("2f02447", "settled");
    let busy = written.project().join(".facets/busy");
    fs::write(&busy, "").unwrap();
    let locked = fs::File::open(&busy).unwrap();
    locked.lock().unwrap();
    project(&written).read(&|_| false).unwrap();
    without(&project(&written), "far").unwrap();
}

#[test]
fn whether_a_project_can_be_written_is_known_without_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    fs::create_dir(&root).unwrap();
    let project = Project::at(&root, UserDirectory::at(folder.path().join("home"))).unwrap();
    project.check_writable().unwrap();
    assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
    fs::remove_dir(&root).unwrap();
    assert!(project.check_writable().is_err());
}

#[test]
fn the_project_of_a_user_is_one_folder_of_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let user = UserDirectory::at(folder.path().join("home"));
    let own = Project::at(&user.project().unwrap(), user.clone()).unwrap();
    assert_eq!(user.project_path(), user.project().unwrap());
    assert!(own.is_of_user());
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    assert!(!Project::at(&other, user).unwrap().is_of_user());
}
