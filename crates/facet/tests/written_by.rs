//! Projects, ledgers and client records that earlier facets wrote keep working.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use facets_testkit::{Client, repository_root};
use serde_json::json;
use trusted::{Ran, Trusted};

/// Every version that has written fixtures.
const VERSIONS: &[&str] = &["2f02447", "ff83894"];

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
    // As facet makes folders; a repository does not keep their modes.
    fs::DirBuilder::new().recursive(true).mode(0o700).create(to).unwrap();
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
    for version in VERSIONS {
        let written = InPlace::of(version, "settled");
        let lock = written.file("facets.lock");
        written.facet(&["verify"]).exits(0);
        let list = written.facet(&["list", "--format", "json"]).exits(0).json();
        let servers = list["servers"].as_array().unwrap();
        assert_eq!(servers.len(), 3);
        assert!(servers.iter().all(|server| server["approved"] == true), "{list}");
        written.facet(&["check", "greeter", "adopted"]).exits(0);
        assert_eq!(written.file("facets.lock"), lock);
    }
}

#[test]
fn an_approved_server_of_an_earlier_facet_runs_without_a_question() {
    for version in VERSIONS {
        let written = InPlace::of(version, "settled");
        let mut client = Client::start(&mut written.command(&["run", "greeter"]), Stdio::null());
        client.initialize("test", &json!({}));
        assert_eq!(client.tools(), ["greet"]);
        let answer = client.call("greet", &json!({ "name": "you" }));
        assert_eq!(answer["result"]["content"][0]["text"], "hello");
        assert_eq!(client.finish(), Some(0));
        written.facet(&["logs", "greeter"]).exits(0);
    }
}

/// What the server of a fixture sees of its home.
fn home_of(written: &InPlace) -> String {
    let mut client = Client::start(&mut written.command(&["run", "greeter"]), Stdio::null());
    client.initialize("test", &json!({}));
    let answer = client.call("greet", &json!({ "name": "you" }));
    client.finish();
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_project_of_version_1_works_as_it_did_and_is_migrated_by_one_approve() {
    let written = InPlace::of("2f02447", "settled");
    let script = written.file("server.sh").replace("\"text\":\"hello\"", "\"text\":\"'$HOME'\"");
    fs::write(written.place.join("project/server.sh"), script).unwrap();
    let older = written.file("facets.lock");
    let own = std::env::var("HOME").unwrap();
    assert!(home_of(&written).contains("/facet-"), "an empty home that goes with the session");
    let checked = written.facet(&["check", "greeter"]).exits(0).out;
    assert!(checked.contains("facet approve greeter"), "{checked}");
    let checked = written.facet(&["check", "greeter", "--format", "json"]).exits(0).json();
    assert_eq!(checked["servers"][0]["profile"], "scratch");
    assert_eq!(written.file("facets.lock"), older);
    let page = written.facet(&["approve", "greeter", "--yes", "--format", "json"]).exits(0).json();
    assert_eq!(page["servers"][0]["profile"], "native");
    let newer = written.file("facets.lock");
    assert!(newer.contains("\"serversVersion\": 2") && newer.contains("\"profile\": \"native\""));
    // The others stay as they were, and what was decided about grants holds.
    let of_adopted = |lock: &str| {
        lock[lock.find("\"adopted\"").unwrap()..lock.find("\"far\"").unwrap()].to_owned()
    };
    assert_eq!(of_adopted(&newer), of_adopted(&older));
    assert_eq!(home_of(&written), own);
    written.facet(&["check", "greeter"]).exits(0);
    let said = written.facet(&["run", "greeter"]).exits(0).talk;
    assert!(said.contains("network=none"), "{said}");
    assert!(written.facet(&["check", "adopted"]).exits(0).out.contains("facet approve adopted"));
    // Set back, it is what it was, with what was decided last.
    written.facet(&["grant", "greeter", "sampling=no"]).exits(0);
    fs::write(written.place.join("project/facets.lock"), &older).unwrap();
    assert!(home_of(&written).contains("/facet-"));
    let said = written.facet(&["run", "greeter"]).exits(0).talk;
    assert!(said.contains("network=none") && said.contains("sampling=no"), "{said}");
    // Members of version 2 in a lock of version 1 are somebody's edit, also with the right digest.
    let mixed = newer.replace("\"serversVersion\": 2", "\"serversVersion\": 1");
    fs::write(written.place.join("project/facets.lock"), mixed).unwrap();
    written.facet(&["verify"]).exits(1);
    written.facet(&["run", "greeter"]).exits(2);
}

#[test]
fn a_client_file_that_an_earlier_facet_rewrote_comes_back_byte_for_byte() {
    for version in VERSIONS {
        let written = InPlace::of(version, "settled");
        let before = fs::read_to_string(written.place.join("mcp.json.before")).unwrap();
        assert_ne!(written.file(".mcp.json"), before);
        written.facet(&["disconnect", "claude-code", "--yes"]).exits(0);
        assert_eq!(written.file(".mcp.json"), before);
        assert_eq!(fs::read_dir(written.place.join("home/clients")).unwrap().count(), 0);
    }
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
