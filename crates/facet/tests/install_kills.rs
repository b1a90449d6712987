//! Installs, upgrades and removals that are killed at random moments: the next command finds the project as it was
//! before or as it should be after, and no file of the user is touched.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod published;
#[allow(dead_code, reason = "each test uses a part of it")]
mod registry;
#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use facets_testkit::{Random, long_count};
use published::{Market, User, files_of};
use serde_json::{Value, json};
use sourced::store_below;

/// Files of the user beside those of facet; some are in folders that facet makes.
const OWN_FILES: [&str; 6] = [
    "README.md",
    ".claude/settings.json",
    ".claude/agents/mine.md",
    ".claude/skills/mine/SKILL.md",
    ".claude/skills/alpha-plan/own.md",
    ".claude/commands/mine.md",
];
/// A file of facet that the user edited.
const EDITED: &str = ".claude/skills/kept-plan/SKILL.md";

/// Versions of facets, and of servers, by name.
type Versions = BTreeMap<String, String>;

fn market() -> Option<Market> {
    let market = Market::open()?;
    for version in ["1.0.0", "1.1.0"] {
        for server in ["north", "south"] {
            market.publish_server(server, version);
        }
        market.publish_facet("alpha", version, &json!({ "north": "1.0.0" }));
        market.publish_facet("beta", version, &json!({ "north": "1.0.0", "south": "1.0.0" }));
        market.publish_facet("kept", version, &json!({}));
    }
    Some(market)
}

/// A project with a facet whose skill the user edited.
struct Walk {
    user: User,
    random: Random,
    /// Kills after which the project was as before, and as after.
    outcomes: [usize; 2],
    /// Kills that left something for the next command to complete.
    interrupted: usize,
}

impl Walk {
    fn new(market: &Market, seed: u64) -> Self {
        let user = User::with_cold_store(market);
        for file in OWN_FILES {
            user.put(file, &format!("{file} is mine\n"));
        }
        user.put("facets.json", "{\n  // mine\n  \"facets\": {},\n  \"x-mine\": [1]\n}\n");
        user.install(&["kept@1.0.0"]);
        user.put(EDITED, "edited\n");
        Self { user, random: Random::seeded(seed), outcomes: [0; 2], interrupted: 0 }
    }

    /// What the project has, judged through facet.
    #[track_caller]
    fn versions(&self) -> Versions {
        let listed = self.user.json(&["list"], 0);
        let facets = listed["facets"].as_array().unwrap().iter();
        let version = |facet: &Value| {
            let (name, version) = (facet["name"].as_str(), facet["version"].as_str());
            (name.unwrap().to_owned(), version.unwrap().to_owned())
        };
        let mut versions: Versions = facets.map(version).collect();
        let lock: Value = serde_json::from_str(&self.user.read("facets.lock")).unwrap();
        for server in listed["servers"].as_array().unwrap() {
            let name = server["name"].as_str().unwrap();
            let version = lock["servers"][name]["version"].as_str();
            versions.insert(name.to_owned(), version.unwrap_or("unknown").to_owned());
        }
        versions
    }

    /// A command that changes something.
    fn words(&mut self, now: &Versions) -> Vec<&'static str> {
        const INSTALL: [&str; 5] = ["install", "--yes", "--no-connect", "--client", "claude-code"];
        let install = |name| [&INSTALL[..], &[name]].concat();
        let mut possible = Vec::new();
        for (name, older, newer) in
            [("alpha", "alpha@1.0.0", "alpha@1.1.0"), ("beta", "beta@1.0.0", "beta@1.1.0")]
        {
            match now.get(name).map(String::as_str) {
                None => possible.extend([install(older), install(newer)]),
                Some("1.0.0") => {
                    possible.extend([install(newer), vec!["remove", name]]);
                    possible.push(vec!["upgrade", "--latest", "--yes", name]);
                }
                Some(_) => possible.extend([install(older), vec!["remove", name]]),
            }
        }
        possible.push(match now["kept"].as_str() {
            "1.0.0" => vec!["upgrade", "--latest", "--yes"],
            _ => install("kept@1.0.0"),
        });
        if !now.contains_key("south") {
            possible.push(install("south@1.0.0"));
        }
        let at = self.random.below(possible.len());
        possible.swap_remove(at)
    }

    /// Some commands have to download everything again.
    fn maybe_forget_downloads(&mut self) {
        if self.random.one_in(3) {
            let store = store_below(&self.user.cache);
            for kind in ["files", "servers"] {
                let _ = fs::remove_dir_all(store.join(kind));
            }
        }
    }

    /// Kills a command: at any moment, or just when it begins to write.
    fn kill(&mut self, child: &mut Child) {
        let begun = Instant::now();
        let journal = self.user.file(".facets/journal");
        let waits_for_journal = self.random.one_in(2);
        let late = Duration::from_micros(self.random.bits() % 700_000);
        let writing = Duration::from_micros(self.random.bits() % 30_000);
        loop {
            let is_over = child.try_wait().unwrap().is_some();
            if is_over || !waits_for_journal && begun.elapsed() >= late {
                break;
            }
            if waits_for_journal && journal.exists() {
                std::thread::sleep(writing);
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        let _ = child.kill();
        child.wait().unwrap();
        self.interrupted += usize::from(journal.exists());
    }

    /// What a command would make of the project.
    fn after(&self, before: &Versions, words: &[&str]) -> Versions {
        if let ["remove", name] = words {
            return self.without(before, name);
        }
        let report = self.user.json(&[words, &["--dry-run"]].concat(), 0);
        let mut versions = Versions::new();
        for item in ["facets", "servers"].iter().flat_map(|kind| report[kind].as_array().unwrap()) {
            if let (Some(name), Some(to)) = (item["name"].as_str(), item["to"].as_str()) {
                versions.insert(name.to_owned(), to.to_owned());
            }
        }
        versions
    }

    /// The servers that a facet alone asked for go with it.
    fn without(&self, before: &Versions, facet: &str) -> Versions {
        let mut after = before.clone();
        after.remove(facet);
        let is_asked_for = |server: &str| match server {
            "north" => after.contains_key("alpha") || after.contains_key("beta"),
            _ => after.contains_key("beta") || self.user.read("facets.json").contains("south"),
        };
        let gone = ["north", "south"].map(|server| (server, is_asked_for(server)));
        for (server, _) in gone.iter().filter(|(_, is_asked_for)| !is_asked_for) {
            after.remove(*server);
        }
        after
    }

    fn round(&mut self, round: usize) {
        let before = self.versions();
        let words = self.words(&before);
        let after = self.after(&before, &words);
        self.maybe_forget_downloads();
        let mut command = self.user.command(&words);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        self.kill(&mut child);
        let now = self.versions();
        let context = format!("round {round}: {words:?}");
        assert!(now == before || now == after, "{context}\n{before:?}\n{now:?}\n{after:?}");
        self.outcomes[usize::from(now != before)] += 1;
        self.expect_own_files(&context);
        self.user.facet(&["install", "--yes"]).exits(0);
        assert_eq!(self.versions(), now, "{context}: an install of what is locked changed it");
        self.expect_intact(&now, &context);
    }

    #[track_caller]
    fn expect_own_files(&self, context: &str) {
        for file in OWN_FILES {
            assert_eq!(self.user.read(file), format!("{file} is mine\n"), "{context}");
        }
        assert_eq!(self.user.read(EDITED), "edited\n", "{context}");
        let manifest = self.user.read("facets.json");
        assert!(manifest.contains("// mine") && manifest.contains("x-mine"), "{context}");
    }

    /// Every file is that of its version, and facet says so, too.
    #[track_caller]
    fn expect_intact(&self, now: &Versions, context: &str) {
        self.expect_own_files(context);
        let report = self.user.json(&["verify"], 1);
        let servers = report["servers"].as_array().unwrap();
        assert!(servers.iter().all(|one| one["outcome"] == "same"), "{context}: {report:#}");
        for facet in report["facets"].as_array().unwrap() {
            // What the user edited is told, and nothing else.
            let problems = facet["problems"].as_array().unwrap();
            let is_told = facet["name"] == "kept";
            assert_eq!(problems.len(), usize::from(is_told), "{context}: {report:#}");
            assert!(problems.iter().all(|one| one["path"] == EDITED), "{context}: {report:#}");
        }
        let facets = ["alpha", "beta", "kept"].into_iter().filter(|name| now.contains_key(*name));
        let files = facets.flat_map(|name| files_of(name).map(|file| (file, &now[name])));
        let files: BTreeMap<String, &String> = files.collect();
        for (file, version) in files.iter().filter(|(file, _)| *file != EDITED) {
            assert!(self.user.read(file).contains(*version), "{context}: {file}");
        }
        // Nothing of a version that was removed is left, nor a file on its way.
        let is_known = |path: &str| files.contains_key(path) || OWN_FILES.contains(&path);
        let found = self.user.tree().into_iter().map(|(path, _)| path);
        let left: Vec<String> =
            found.filter(|path| path.starts_with(".claude/") && !is_known(path)).collect();
        assert_eq!(left, Vec::<String>::new(), "{context}");
    }
}

#[test]
fn a_killed_command_leaves_the_old_or_the_new_project_and_every_own_file() {
    let Some(market) = market() else { return };
    let rounds = long_count(500) / 2;
    // Two projects of two users at once.
    let walks: Vec<Walk> = std::thread::scope(|scope| {
        let walk = |seed| {
            let market = &market;
            scope.spawn(move || {
                let mut walk = Walk::new(market, seed);
                (0..rounds).for_each(|round| walk.round(round));
                walk
            })
        };
        let running = [walk(22), walk(23)];
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let sum = |at: usize| walks.iter().map(|walk| walk.outcomes[at]).sum::<usize>();
    let interrupted: usize = walks.iter().map(|walk| walk.interrupted).sum();
    println!("{} as before, {} as after, {interrupted} with a journal", sum(0), sum(1));
    if rounds >= 25 {
        assert!(sum(0) > 0 && sum(1) > 0 && interrupted > 0, "the kills come too early or late");
    }
}
