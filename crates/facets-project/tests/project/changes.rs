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
    let plan = json!({ "version": 2, "files": [] }).to_string();
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
