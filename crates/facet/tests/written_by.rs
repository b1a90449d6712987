//! Projects, ledgers and client records that earlier facets wrote keep working.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use facets_testkit::{Client, repository_root};
use serde_json::json;
use trusted::{Ran, Trusted};

/// A fixture in the place where it was written: approvals and marks hold only there.
struct InPlace {
    place: PathBuf,
}

impl InPlace {
    fn of(version: &str, state: &str) -> Self {
        let place = PathBuf::from(format!("/tmp/facet-written-by-{version}"));
        // Only one at a time can be there; what a killed test left goes after a while.
        let begin = Instant::now();
        while let Err(error) = fs::create_dir(&place) {
            let waited = begin.elapsed();
            assert!(waited < Duration::from_mins(2), "{}: {error}", place.display());
            if waited > Duration::from_mins(1) {
                let _ = fs::remove_dir_all(&place);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let from = repository_root().join("testdata/written-by").join(version).join(state);
        copy(&from, &place);
        Self { place }
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.place.join("project").join(name)).unwrap()
    }

    fn facet(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().unwrap())
    }

    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let (project, home) = (self.place.join("project"), self.place.join("home"));
        let mut command = Trusted::command_in(&project, &home, arguments);
        command.env("GREETING", "hi").stdin(Stdio::null());
        command
    }
}

impl Drop for InPlace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.place);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

#[test]
fn a_project_of_an_earlier_facet_is_whole_approved_and_unchanged() {
    let written = InPlace::of("2f02447", "settled");
    let lock = written.file("facets.lock");
    written.facet(&["verify"]).exits(0);
    let list = written.facet(&["list", "--format", "json"]).exits(0).json();
    let servers = list["servers"].as_array().unwrap();
    assert_eq!(servers.len(), 3);
    assert!(servers.iter().all(|server| server["approved"] == true), "{list}");
    written.facet(&["check", "greeter", "adopted"]).exits(0);
    assert_eq!(written.file("facets.lock"), lock);
}

#[test]
fn an_approved_server_of_an_earlier_facet_runs_without_a_question() {
    let written = InPlace::of("2f02447", "settled");
    let mut client = Client::start(&mut written.command(&["run", "greeter"]), Stdio::null());
    client.initialize("test", &json!({}));
    assert_eq!(client.tools(), ["greet"]);
    let answer = client.call("greet", &json!({ "name": "you" }));
    assert_eq!(answer["result"]["content"][0]["text"], "hello");
    assert_eq!(client.finish(), Some(0));
    written.facet(&["logs", "greeter"]).exits(0);
}

#[test]
fn a_client_file_that_an_earlier_facet_rewrote_comes_back_byte_for_byte() {
    let written = InPlace::of("2f02447", "settled");
    let before = fs::read_to_string(written.place.join("mcp.json.before")).unwrap();
    assert_ne!(written.file(".mcp.json"), before);
    written.facet(&["disconnect", "claude-code", "--yes"]).exits(0);
    assert_eq!(written.file(".mcp.json"), before);
    assert_eq!(fs::read_dir(written.place.join("home/clients")).unwrap().count(), 0);
}

#[test]
fn a_change_that_an_earlier_facet_was_killed_in_is_completed() {
    let written = InPlace::of("2f02447", "interrupted");
    assert!(written.file("facets.json").contains("\"far\""));
    let list = written.facet(&["list", "--format", "json"]).exits(0).json();
    let names: Vec<&str> =
        list["servers"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["adopted", "greeter"]);
    assert!(!written.file("facets.json").contains("\"far\""));
    assert!(!written.place.join("project/.facets/journal").exists());
    assert_eq!(fs::read_dir(written.place.join("home/journals")).unwrap().count(), 0);
    written.facet(&["verify"]).exits(0);
}
