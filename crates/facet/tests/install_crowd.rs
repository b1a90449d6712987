//! Many installs at once on one store: all of them end well, and every artifact is downloaded once.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod published;
#[allow(dead_code, reason = "each test uses a part of it")]
mod registry;
#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::collections::BTreeSet;
use std::process::{Child, Stdio};

use published::{Market, User, files_of};
use serde_json::{Value, json};
use trusted::Ran;

const SERVERS: [&str; 3] = ["north", "south", "east"];
const FACETS: usize = 6;
const PROJECTS: usize = 10;

/// Each facet asks for two of the servers.
fn servers_of(facet: usize) -> [&'static str; 2] {
    [SERVERS[facet % 3], SERVERS[(facet + 1) % 3]]
}

/// Each project has three facets that follow each other.
fn facets_of(project: usize) -> [usize; 3] {
    [project % FACETS, (project + 1) % FACETS, (project + 2) % FACETS]
}

fn name_of(facet: usize) -> String {
    format!("facet-{}", ["a", "b", "c", "d", "e", "f"][facet])
}

/// How many archives the registry has sent since it started.
fn downloads(market: &Market) -> usize {
    let log = market.registry.log();
    let is_download = |line: &&str| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        line["route"].as_str().is_some_and(|route| route.ends_with("/archive"))
            && line["method"] == "GET"
    };
    log.lines().filter(is_download).count()
}

fn market() -> Option<Market> {
    let market = Market::open()?;
    for server in SERVERS {
        market.publish_server(server, "1.0.0");
    }
    for facet in 0..FACETS {
        let servers = servers_of(facet).map(|name| (name.to_owned(), json!("1.0.0")));
        market.publish_facet(&name_of(facet), "1.0.0", &servers.into_iter().collect());
    }
    Some(market)
}

/// Starts an install in a project of its own, of a user that all projects share.
fn start(user: &User, project: usize) -> Child {
    let folder = user.folder.path().join(format!("project-{project}"));
    std::fs::create_dir(&folder).unwrap();
    let facets = facets_of(project).map(name_of);
    let words = ["--json", "install", "--yes", "--client", "claude-code", "--no-connect"];
    let words = [&words[..], &facets.each_ref().map(String::as_str)].concat();
    let mut command = user.command_in(&folder, &words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn expect_installed(user: &User, project: usize, report: &Value) {
    let folder = user.folder.path().join(format!("project-{project}"));
    let wanted: BTreeSet<&str> = facets_of(project).into_iter().flat_map(servers_of).collect();
    let named: BTreeSet<&str> = report["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| server["name"].as_str().unwrap())
        .collect();
    assert_eq!(named, wanted, "{report:#}");
    for facet in facets_of(project).map(name_of) {
        for file in files_of(&facet) {
            let text = std::fs::read_to_string(folder.join(&file)).unwrap();
            assert!(text.contains("1.0.0"), "{file}: {text}");
        }
    }
    let verified = Ran::of(&user.command_in(&folder, &["--json", "verify"]).output().unwrap());
    let verified = verified.exits(0).json();
    assert!(!verified.to_string().contains("not stored"), "{verified:#}");
}

#[test]
fn ten_installs_of_overlapping_projects_download_every_artifact_once() {
    let Some(market) = market() else { return };
    let user = User::with_cold_store(&market);
    let before = downloads(&market);
    let running: Vec<Child> = (0..PROJECTS).map(|project| start(&user, project)).collect();
    for (project, child) in running.into_iter().enumerate() {
        let ran = Ran::of(&child.wait_with_output().unwrap());
        expect_installed(&user, project, &ran.exits(0).json());
    }
    assert_eq!(downloads(&market) - before, FACETS + SERVERS.len());
}

#[test]
fn ten_installs_into_one_project_leave_one_state() {
    let Some(market) = market() else { return };
    let user = User::with_cold_store(&market);
    let start = |_| {
        let words = ["install", "--yes", "--client", "claude-code", "--no-connect", "facet-a"];
        let mut command = user.command(&words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<Child> = (0..PROJECTS).map(start).collect();
    let mut done = 0;
    for child in running {
        let ran = Ran::of(&child.wait_with_output().unwrap());
        // Another one may have changed the project since this one read it: that is told, and nothing is written.
        let is_told = ran.exit == 2 && ran.talk.contains("[project-changed-meanwhile]");
        assert!(ran.exit == 0 || is_told, "{ran:?}");
        done += usize::from(ran.exit == 0);
    }
    assert!(done > 0);
    user.facet(&["install"]).exits(0);
    user.facet(&["verify"]).exits(0);
}
