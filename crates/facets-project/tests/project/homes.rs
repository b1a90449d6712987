//! Private homes: one for each server of a project, private, measured, and cleared whatever a server
//! did to them.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use facets_project::{Homes, PrivateHome, ProjectError, UserDirectory};
use tempfile::TempDir;

struct Fixture {
    folder: TempDir,
    homes: Homes,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let homes = Homes::of(&UserDirectory::at(folder.path().join("facet")));
        Self { folder, homes }
    }

    fn home(&self, project: &str, name: &str) -> PathBuf {
        self.homes.home(Path::new(project), name).unwrap()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("facet/data")
    }

    fn kept(&self, project: &str, name: &str) -> PrivateHome {
        self.homes.of_server(Path::new(project), name).unwrap().unwrap()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn each_server_of_each_project_has_a_home_of_its_own_that_survives() {
    let fixture = Fixture::new();
    let home = fixture.home("/project", "notes");
    fs::write(home.join("kept"), "text").unwrap();
    assert_eq!(fixture.home("/project", "notes"), home);
    assert_eq!(fs::read(home.join("kept")).unwrap(), b"text");
    for (project, name) in [("/project", "other"), ("/elsewhere", "notes")] {
        assert_ne!(fixture.home(project, name), home);
    }
    let mut folder = home.as_path();
    while folder != fixture.folder.path() {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
        folder = folder.parent().unwrap();
    }
}

#[test]
fn a_home_that_its_server_opened_to_others_is_private_again_at_the_next_start() {
    let fixture = Fixture::new();
    let home = fixture.home("/project", "notes");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(mode(&fixture.home("/project", "notes")), 0o700);
}

#[test]
fn a_link_in_the_place_of_a_home_is_refused_and_its_target_left_alone() {
    let fixture = Fixture::new();
    let (home, target) = (fixture.home("/project", "notes"), fixture.folder.path().join("target"));
    fs::create_dir(&target).unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_dir(&home).unwrap();
    symlink(&target, &home).unwrap();
    let refused = fixture.homes.home(Path::new("/project"), "notes").unwrap_err();
    assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
    assert_eq!(mode(&target), 0o755);
}

#[test]
fn homes_are_listed_by_project_and_name() {
    let fixture = Fixture::new();
    for (project, name) in [("/b", "two"), ("/a", "two"), ("/a", "one")] {
        fixture.home(project, name);
    }
    let all = fixture.homes.all().unwrap();
    let listed: Vec<(&str, &str)> = all.iter().map(|home| (&*home.project, &*home.name)).collect();
    assert_eq!(listed, [("/a", "one"), ("/a", "two"), ("/b", "two")]);
    assert_eq!(all[0], fixture.kept("/a", "one"));
    assert_eq!(fixture.homes.of_server(Path::new("/b"), "one").unwrap(), None);
}

#[test]
fn everything_in_a_home_is_measured_and_nothing_that_a_link_leads_to() {
    let fixture = Fixture::new();
    let home = fixture.home("/project", "notes");
    assert_eq!(
        (fixture.kept("/project", "notes").files, fixture.kept("/project", "notes").bytes),
        (0, 0)
    );
    let outside = fixture.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("large"), vec![1; 1 << 20]).unwrap();
    fs::create_dir_all(home.join("a/b")).unwrap();
    fs::write(home.join("a/b/file"), vec![1; 64 << 10]).unwrap();
    fs::write(home.join("a/file"), vec![1; 64 << 10]).unwrap();
    symlink(&outside, home.join("link")).unwrap();
    let kept = fixture.kept("/project", "notes");
    assert_eq!(kept.path, home);
    assert_eq!(kept.files, 5, "two folders, two files and a link");
    assert!((128 << 10..1 << 20).contains(&kept.bytes), "{}", kept.bytes);
}

#[test]
fn a_cleared_home_is_gone_with_what_its_server_locked_and_others_stay() {
    let fixture = Fixture::new();
    let other = fixture.home("/project", "other");
    let home = fixture.home("/project", "notes");
    let deep = home.join("a/b/c/d");
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("file"), "text").unwrap();
    symlink(&other, home.join("a/link")).unwrap();
    fs::write(other.join("file"), "text").unwrap();
    for folder in [deep.as_path(), &home.join("a/b"), &home.join("a")] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o000)).unwrap();
    }
    fixture.homes.clear(&fixture.kept("/project", "notes")).unwrap();
    assert!(!home.exists());
    assert_eq!(fixture.homes.of_server(Path::new("/project"), "notes").unwrap(), None);
    assert!(other.join("file").exists());
    let left: Vec<_> = fs::read_dir(fixture.data()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left aside");
}

#[test]
fn what_lies_outside_of_the_data_of_the_user_is_not_cleared() {
    let fixture = Fixture::new();
    fixture.home("/project", "notes");
    let outside = fixture.folder.path().join("outside/home");
    fs::create_dir_all(&outside).unwrap();
    let foreign = PrivateHome { path: outside.clone(), ..fixture.kept("/project", "notes") };
    fixture.homes.clear(&foreign).unwrap();
    assert!(outside.exists());
}

#[test]
fn what_a_killed_facet_was_clearing_is_no_home_and_is_swept_up() {
    let fixture = Fixture::new();
    let home = fixture.home("/project", "notes");
    let aside = fixture.data().join("cleared-4711-notes");
    fs::create_dir(&aside).unwrap();
    fs::rename(home.parent().unwrap(), aside.join("notes")).unwrap();
    assert!(fixture.homes.all().unwrap().is_empty());
    let kept = fixture.home("/project", "kept");
    fixture.homes.sweep().unwrap();
    assert!(!aside.exists());
    assert!(kept.exists());
}
