//! What the environment says of where a user keeps things.
//!
//! Apart from the other tests: for a moment a process that is being started holds the files that they
//! have locked.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[expect(dead_code, reason = "shared with other tests")]
#[path = "project/support.rs"]
mod support;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use facets_project::{ClientRecords, UserDirectory};
use support::Written;

/// Not a test of its own: it tells what it finds in the environment that another test gives it.
#[test]
#[ignore = "started by other tests, with an environment of its own"]
fn tell_user_directory() {
    facets_project::remember_start();
    if std::env::var_os("GO_TO").is_some() {
        std::env::set_current_dir("/").unwrap();
    }
    match UserDirectory::of_this_user() {
        Ok(user) => println!("found {}", user.project_path().display()),
        Err(error) => println!("refused {error:?}"),
    }
    println!("records {}", ClientRecords::read_only().map_or(0, |records| records.all().len()));
}

/// What a process of this user finds that was started in a folder, with these variables.
fn told(folder: &Path, variables: &[(&str, &OsStr)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "tell_user_directory", "--ignored", "--nocapture"]);
    command.current_dir(folder).env_remove("FACET_DIR").env_remove("HOME").env_remove("GO_TO");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn facet_dir_comes_before_the_home_and_an_empty_one_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start");
    fs::create_dir(&start).unwrap();
    let (own, home) = (folder.path().join("own"), folder.path().join("home"));
    let (own_set, home_set) = (("FACET_DIR", own.as_os_str()), ("HOME", home.as_os_str()));
    let found = |path: &Path| format!("found {}\n", path.join("user").display());
    assert!(told(&start, &[own_set, home_set]).contains(&found(&own)));
    assert!(told(&start, &[home_set]).contains(&found(&home.join(".facet"))));
    let empty = ("FACET_DIR", OsStr::new(""));
    assert!(told(&start, &[empty, home_set]).contains(&found(&home.join(".facet"))));
    assert!(told(&start, &[]).contains("refused NoHome"));
    assert!(!own.exists() && !home.exists(), "looking makes nothing");
}

#[test]
fn a_relative_facet_dir_and_one_where_facet_was_started_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    for own in [Path::new("relative"), &inside] {
        let refused = told(folder.path(), &[("FACET_DIR", own.as_os_str())]);
        assert!(refused.contains("refused BadUserDirectory"), "{refused}");
    }
    let (own, elsewhere) = (("FACET_DIR", inside.as_os_str()), ("GO_TO", OsStr::new("/")));
    let refused = told(folder.path(), &[own, elsewhere]);
    assert!(refused.contains("refused BadUserDirectory"), "{refused}");
}

#[test]
fn records_of_clients_are_read_without_making_anything() {
    let written = Written::by("2f02447", "settled");
    let home = written.folder.path().join("home");
    let told_in = |own: &Path| told(&written.project(), &[("FACET_DIR", own.as_os_str())]);
    assert!(told_in(&home).contains("records 1\n"));
    let none = written.folder.path().join("none");
    assert!(told_in(&none).contains("records 0\n"));
    assert!(!none.exists());
}
