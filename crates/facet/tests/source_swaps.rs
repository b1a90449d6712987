//! Directories that are swapped while servers are added and started: what runs is what was pinned, or nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod listening;
#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use facets_testkit::{Random, long_count, skip};
use listening::{Answer, BOTH, Listening, initialize};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use sourced::{OwnPlace, Place, flip_at, is_root};

const PINNED: &str = "Hello, Ada!";
const FORGED: &str = "Forged, Ada!";

/// Swaps two directories in one step, if both are there.
fn exchange(one: &Path, other: &Path) -> bool {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(copied.unwrap().success());
}

/// Puts the forged greeting into the code below a directory.
fn forge(directory: &Path) {
    let file = directory.join("index.ts");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("Hello, "), "{text}");
    // The file may be sealed, and so is the one in its place.
    let mode = fs::metadata(&file).unwrap().permissions();
    fs::remove_file(&file).unwrap();
    fs::write(&file, text.replace("Hello, ", "Forged, ").replace("Greets", "Forges")).unwrap();
    fs::set_permissions(&file, mode).unwrap();
}

/// Ends the swaps, also when a test fails.
struct Ending<'e>(&'e AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Works while another thread swaps, again and again.
fn while_swapping(swap: impl FnMut() + Send, work: impl FnOnce()) {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (mut swap, is_done) = (swap, &is_done);
        scope.spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                swap();
            }
        });
        let _ending = Ending(is_done);
        work();
    });
}

/// A server from source, and beside it a forged one.
fn two_sources(place: &Place) -> (PathBuf, PathBuf) {
    place.init("source");
    let (source, forged) = (place.trusted.file("source"), place.trusted.file("forged"));
    copy(&source, &forged);
    forge(&forged);
    (source, forged)
}

/// Swaps both sources, and waits for up to four milliseconds.
fn swapping(source: &Path, forged: &Path) -> impl FnMut() + Send {
    let mut random = Random::seeded(1);
    move || {
        assert!(exchange(source, forged));
        std::thread::sleep(Duration::from_micros(random.bits() % 4000));
    }
}

#[test]
fn a_source_that_is_swapped_during_starts_is_never_started() {
    let Some(place) = Place::new() else { return };
    let (source, forged) = two_sources(&place);
    place.facet(&["add", "mine", "--yes", "./source"]).exits(0);
    while_swapping(swapping(&source, &forged), || {
        for round in 0..long_count(200) {
            assert_eq!(place.greeting().as_deref(), Some(PINNED), "{round}");
        }
    });
}

#[test]
fn a_source_that_is_swapped_while_it_is_added_is_one_of_the_two() {
    let Some(place) = Place::new() else { return };
    let (source, forged) = two_sources(&place);
    let integrity = |name: &str| {
        let words = ["build", name, "--force", "--output", "out.tar.gz"];
        place.json(&words).exits(0).json()["integrity"].clone()
    };
    let both = [(integrity("source"), "Greets", PINNED), (integrity("forged"), "Forges", FORGED)];
    let mut added = 0;
    while_swapping(swapping(&source, &forged), || {
        for round in 0..long_count(100) {
            // It may notice, and refuse a directory that changes.
            if place.facet(&["add", "mine", "--yes", "./source"]).exit != 0 {
                continue;
            }
            added += 1;
            let pinned = place.entry("mine")["integrity"].clone();
            let found = both.iter().find(|(integrity, ..)| *integrity == pinned);
            let (_, description, greeting) = found.unwrap_or_else(|| panic!("{round}: {pinned}"));
            // The bytes that are pinned are those that were looked at, and those that run.
            let surface = place.trusted.read(".facets/surfaces/mine.json");
            assert!(surface.contains(*description), "{round}: {surface}");
            assert_eq!(place.greeting().as_deref(), Some(*greeting), "{round}");
            place.facet(&["remove", "mine", "--yes"]).exits(0);
        }
    });
    assert!(added > 0, "nothing could be added");
}

/// A pinned server, where its stored files lie, and a forged copy of these.
fn with_forged_store(name: &str) -> Option<(OwnPlace, PathBuf, PathBuf)> {
    if !is_root() {
        skip("only root can move sealed directories");
        return None;
    }
    let place = OwnPlace::new()?;
    place.init(name);
    place.facet(&["add", "mine", "--yes", &format!("./{name}")]).exits(0);
    let tree = place.stored("servers", &place.entry("mine")["integrity"]).join("tree");
    let forged = place.cache.join("forged");
    copy(&tree, &forged);
    forge(&forged);
    Some((place, tree, forged))
}

/// Swaps a tree with a forged one, and back. Between two swaps passes more than a tick of the clock, by which
/// the kernel dates them.
fn swap_tree(tree: &Path, forged: &Path, aside: &Path, random: &mut Random) -> bool {
    let mut pause = || std::thread::sleep(Duration::from_millis(12 + random.bits() % 100));
    copy(forged, aside);
    let is_swapped = exchange(tree, aside);
    pause();
    // Unless facet has removed the entry with the forged tree in the meantime.
    exchange(tree, aside);
    fs::remove_dir_all(aside).unwrap();
    pause();
    is_swapped
}

#[test]
fn a_stored_tree_that_is_swapped_during_starts_is_the_pinned_one_or_is_not_started() {
    let Some((place, tree, forged)) = with_forged_store("swapped") else { return };
    let (aside, swaps) = (place.cache.join("aside"), AtomicUsize::new(0));
    let mut random = Random::seeded(2);
    let swap = || {
        if swap_tree(&tree, &forged, &aside, &mut random) {
            swaps.fetch_add(1, Ordering::Relaxed);
        }
    };
    let mut started = 0;
    let rounds = long_count(300);
    while_swapping(swap, || {
        for round in 0..rounds {
            match place.greeting().as_deref() {
                Some(PINNED) => started += 1,
                None => {}
                other => panic!("{round}: {other:?}"),
            }
        }
    });
    assert!(swaps.into_inner() > 0, "nothing was swapped in {rounds} rounds, {started} started");
    place.approve();
    assert_eq!(place.greeting().as_deref(), Some(PINNED));
}

/// The text of the only tool, over a session that was opened.
fn said(listening: &Listening, opened: &Answer) -> String {
    let headers = format!("{BOTH}Mcp-Session-Id: {}\r\n", opened.session.as_ref().unwrap());
    let opened = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(listening.post(&headers, &opened).status, 202);
    let params = json!({ "name": "greet", "arguments": { "name": "Ada" } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    let answer = listening.post(&headers, &call).messages().pop().unwrap();
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_tree_that_was_swapped_between_two_sessions_over_http_does_not_start_again() {
    let Some((place, tree, forged)) = with_forged_store("served") else { return };
    let listening = Listening::of(&mut place.command(&["run", "mine", "--http", "127.0.0.1:0"]));
    assert_eq!(said(&listening, &listening.post(BOTH, &initialize())), PINNED);
    // Forged, and then the pinned one again, which was elsewhere in between.
    for _ in 0..2 {
        assert!(exchange(&tree, &forged));
        let refused = listening.post(BOTH, &initialize());
        assert_eq!((refused.status, refused.session.as_deref()), (503, None), "{}", refused.body);
    }
    let logs = place.facet(&["logs", "mine"]).exits(0);
    assert!(logs.out.contains("was replaced after it was verified"), "{logs:?}");
    drop(listening);
    // The next one verifies it anew.
    assert_eq!(place.greeting().as_deref(), Some(PINNED));
}

#[test]
fn a_file_that_is_written_to_between_two_sessions_over_http_does_not_start_again() {
    let Some(place) = OwnPlace::new() else { return };
    place.init("written");
    place.facet(&["add", "mine", "--yes", "./written"]).exits(0);
    let tree = place.stored("servers", &place.entry("mine")["integrity"]).join("tree");
    let listening = Listening::of(&mut place.command(&["run", "mine", "--http", "127.0.0.1:0"]));
    assert_eq!(said(&listening, &listening.post(BOTH, &initialize())), PINNED);
    flip_at(&tree.join("index.ts"), 3);
    let refused = listening.post(BOTH, &initialize());
    assert_eq!((refused.status, refused.session.as_deref()), (503, None), "{}", refused.body);
}
