//! A process that changes a project, killed at any moment: what the next one finds is the old or the new state.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use facets_clients::Client;
use facets_digest::Digest;
use facets_lock::{AcceptedFindings, LockedFacet, LockedFacetSource};
use facets_model::{AssetBase, AssetKind};
use facets_project::{
    AssetChange, Change, InstalledFacet, InstalledFile, InstalledRecord, Project, ProjectError,
    UserDirectory,
};
use facets_testkit::{Random, long_count};

/// More than are synchronised one by one, in every third state.
const MANY: usize = 80;

/// What a state has: a part of it changes, a part comes and goes.
fn files(number: u64) -> Vec<(String, String)> {
    if number == 0 {
        return Vec::new();
    }
    let count = if number.is_multiple_of(3) { MANY } else { 6 };
    let mut files: Vec<(String, String)> = (0..count)
        .map(|file| (format!(".claude/skills/planning/{file}/text"), format!("{number} {file}")))
        .collect();
    files.push((format!(".codex/agents/agent-{}.toml", number % 2), "the same".to_owned()));
    files
}

fn manifest(number: u64) -> String {
    format!("{{ \"manifestVersion\": 0.2, \"number\": {number} }}\n")
}

/// Which state a project is in, by its manifest.
fn number(project: &Project) -> u64 {
    let state = project.read(&|_| false).unwrap();
    let Some(text) = state.manifest_text else { return 0 };
    text.trim_end_matches(" }\n").rsplit(' ').next().unwrap().parse().unwrap()
}

fn change(project: &Project, before: u64) -> Result<Change, ProjectError> {
    let (old, new) = (files(before), files(before + 1));
    let find = |all: &[(String, String)], path: &str| {
        let found = all.iter().find(|(known, _)| known == path);
        found.map(|(_, content)| content.as_bytes().to_vec())
    };
    let gone = old.iter().filter(|(path, _)| find(&new, path).is_none());
    let assets = new.iter().chain(gone).map(|(path, _)| AssetChange {
        base: AssetBase::Project,
        path: path.clone(),
        before: find(&old, path).as_deref().map(Digest::of),
        content: find(&new, path),
    });
    let file = |(path, content): &(String, String)| InstalledFile {
        base: AssetBase::Project,
        path: path.clone(),
        digest: Digest::of(content.as_bytes()),
        kind: AssetKind::Skill,
        name: "planning".parse().unwrap(),
        client: Client::ClaudeCode,
        is_found: false,
    };
    let version: facets_model::PlainVersion = format!("{}.0.0", before + 1).parse().unwrap();
    let integrity = Digest::of(version.to_string().as_bytes());
    let in_receipt = LockedFacet {
        source: LockedFacetSource::Local { path: "./facet".to_owned() },
        version: version.clone(),
        integrity,
        content_hash: None,
        assets: Vec::new(),
        servers: [].into(),
        accepted: AcceptedFindings::default(),
    };
    let receipt = project.receipt()?.unwrap().with_facet("team-tools", &in_receipt).unwrap();
    let facet =
        InstalledFacet { version, integrity, entry: None, files: new.iter().map(file).collect() };
    Ok(Change {
        manifest: Some(manifest(before + 1)),
        assets: assets.collect(),
        installed: Some(InstalledRecord {
            facets: [("team-tools".to_owned(), facet)].into(),
            made_folders: Vec::new(),
        }),
        receipt: Some(receipt),
        ..Change::default()
    })
}

fn project(folder: &Path) -> Project {
    let user = UserDirectory::at(folder.join("home"));
    Project::at(&folder.join("project"), user).unwrap()
}

/// Not a test of its own: the process that is killed.
#[test]
#[ignore = "started by another test, which kills it"]
fn change_again_and_again() {
    let Some(folder) = std::env::var_os("PROJECT_FOLDER") else { return };
    let project = project(Path::new(&folder));
    loop {
        let before = number(&project);
        project.change(|_| change(&project, before)).unwrap();
    }
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "change_again_and_again", "--ignored"])
        .env("PROJECT_FOLDER", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Everything says the same number, and nothing else is there.
fn check(folder: &Path, round: usize) -> u64 {
    let project = project(folder);
    let number = number(&project);
    let (root, expected) = (folder.join("project"), files(number));
    for (path, content) in &expected {
        let found = fs::read_to_string(root.join(path)).unwrap_or_default();
        assert_eq!(found, *content, "round {round}, {number}: {path}");
    }
    // What a killed facet left beside the lock goes with the next change.
    let is_asset =
        |path: &PathBuf| path.strip_prefix(&root).is_ok_and(|path| path.iter().count() > 1);
    let is_own = |path: &PathBuf| path.starts_with(root.join(".facets"));
    let mut here = all_files(&root);
    here.retain(|path| is_asset(path) && !is_own(path));
    assert_eq!(here.len(), expected.len(), "round {round}, {number}: {here:?}");
    let installed = project.installed().unwrap();
    let recorded: Vec<String> = installed.files().map(|file| file.path.clone()).collect();
    let paths: Vec<String> = expected.into_iter().map(|(path, _)| path).collect();
    assert_eq!(recorded, paths, "round {round}, {number}");
    let receipt = project.receipt().unwrap().unwrap();
    let version = format!("\"version\": \"{number}.0.0\"");
    assert!(number == 0 || receipt.text().contains(&version), "round {round}: {}", receipt.text());
    number
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new_state_of_everything() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("project")).unwrap();
    let mut random = Random::seeded(22);
    let rounds = long_count(300);
    let mut last = 0;
    for round in 0..rounds {
        let mut child = start(folder.path());
        std::thread::sleep(Duration::from_micros(random.bits() % 120_000));
        assert!(child.try_wait().unwrap().is_none(), "round {round}: it ended by itself");
        child.kill().unwrap();
        child.wait().unwrap();
        let now = check(folder.path(), round);
        assert!(now >= last, "round {round}: {now} after {last}");
        last = now;
    }
    // The next change takes along whatever killed ones left.
    let project = project(folder.path());
    project.change(|_| change(&project, last)).unwrap();
    check(folder.path(), rounds);
    let mut left = all_files(folder.path());
    left.retain(|path| path.extension().is_some_and(|end| end == "tmp"));
    assert!(left.is_empty(), "{left:?}");
    let state: Vec<PathBuf> = all_files(&folder.path().join("project/.facets"));
    assert_eq!(state, [folder.path().join("project/.facets/.gitignore")]);
    // One kill can come before anything.
    assert!(last > 0 || rounds < 10, "nothing was ever changed: the kills come too early");
}
