//! Installs where something is missing or in the way: a project, a home, a cache or a disk that cannot be written, no
//! network, a proxy, a slow registry. Each has a clear result, and nothing is half written.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod places;
#[allow(dead_code, reason = "each test uses a part of it")]
mod published;
#[allow(dead_code, reason = "each test uses a part of it")]
mod registry;
#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use facets_testkit::{Random, unused_address};
use places::{Disk, Forwarder, Role};
use published::{Market, User, certificate, files_of, put};
use serde_json::{Value, json};
use trusted::Ran;

/// What is typed without a terminal, before names.
const INSTALL: [&str; 6] =
    ["--json", "install", "--yes", "--client", "claude-code", "--no-connect"];

/// A registry with one facet and the server that it asks for.
fn market() -> Option<Market> {
    let market = Market::open()?;
    publish(&market);
    Some(market)
}

fn publish(market: &Market) {
    market.publish_server("north", "1.0.0");
    market.publish_facet("alpha", "1.0.0", &json!({ "north": "1.0.0" }));
}

fn port_of(market: &Market) -> u16 {
    market.url().rsplit(':').next().unwrap().parse().unwrap()
}

fn words<'w>(names: &[&'w str]) -> Vec<&'w str> {
    [&INSTALL[..], names].concat()
}

#[track_caller]
fn error(ran: Ran, code: &str) -> Value {
    let error = ran.exits(2).json()["error"].clone();
    assert_eq!(error["code"], code, "{error:#}");
    error
}

/// What is kept of an install that came to its end.
#[track_caller]
fn expect_installed(user: &User) {
    user.facet(&["verify"]).exits(0);
    assert!(files_of("alpha").iter().all(|file| user.file(file).exists()));
}

#[test]
fn without_a_network_what_is_stored_is_installed_and_the_rest_is_refused() {
    let Some(market) = market() else { return };
    let user = User::with_cold_store(&market);
    // Cold: nothing is known, and nothing is written.
    let refused = user.error(&[&INSTALL[1..], &["--offline", "alpha"]].concat(), 2);
    assert_eq!(refused["code"], "offline", "{refused:#}");
    assert_eq!(refused["next"], "the same command without --offline");
    assert_eq!(user.tree(), []);
    user.install(&["alpha"]);
    let whole = user.tree();
    drop(market);
    // Warm: files that are gone are written again, also where the registry does not answer.
    for words in [&["install"][..], &["install", "--offline"], &["install", "--frozen"]] {
        fs::remove_dir_all(user.file(".claude")).unwrap();
        assert_eq!(user.json(words, 0)["outcome"], "applied");
        assert_eq!(user.tree(), whole);
        assert_eq!(user.json(words, 0)["outcome"], "unchanged");
    }
    // What has to be asked for is not guessed.
    for words in [&["upgrade"][..], &["install", "alpha"], &["install", "--yes", "beta"]] {
        let error = user.error(words, 2);
        assert_eq!(error["code"], "registry-unreachable", "{words:?}: {error:#}");
    }
    assert_eq!(user.tree(), whole);
    // A clone on another machine, without the store.
    let clone = User::with_cold_store_at(&unused_address());
    for file in ["facets.json", "facets.lock", ".facets/surfaces/north.json"] {
        clone.put(file, &user.read(file));
    }
    let cloned = clone.tree();
    let run = |words: &[&str]| {
        let mut command = clone.command(&[&["--json", "install", "--yes"][..], words].concat());
        // That of the lock is asked, and does not answer.
        Ran::of(&command.env_remove("FACET_REGISTRY_URL").output().unwrap())
    };
    error(run(&["--offline"]), "offline");
    error(run(&[]), "registry-unreachable");
    assert_eq!(clone.tree(), cloned);
}

#[test]
fn without_a_home_facet_says_what_to_set_and_works_with_that() {
    let Some(market) = market() else { return };
    let user = User::of(&market);
    let homeless = |own: Option<&Path>| {
        let mut command = user.command(&words(&["alpha"]));
        command.env_remove("HOME");
        if let Some(own) = own {
            command.env("FACET_DIR", own);
        }
        Ran::of(&command.output().unwrap())
    };
    let refused = error(homeless(None), "no-home");
    assert_eq!(refused["next"], "export FACET_DIR=…");
    assert_eq!(user.tree(), []);
    assert_eq!(homeless(Some(&user.own())).exits(0).json()["outcome"], "applied");
    assert_eq!(homeless(Some(&user.own())).exits(0).json()["outcome"], "unchanged");
}

#[test]
fn a_project_that_cannot_be_written_is_refused_before_anything_is_started() {
    let Some(market) = market() else { return };
    let user = User::of(&market);
    let Some(disk) = Disk::read_only(&user.project()) else { return };
    let ran = disk.run(&user.command(&words(&["alpha"])));
    let refused = error(ran, "disk-read-only");
    assert!(refused["next"].is_string(), "{refused:#}");
    // What was approved there would be approved of a project that does not have it.
    assert!(!user.own().join("ledger").exists());
}

#[test]
fn a_removal_that_fails_ends_no_approval() {
    let Some(market) = market() else { return };
    let user = User::of(&market);
    user.install(&["alpha"]);
    let copy = user.folder.path().join("copy");
    let copied = Command::new("cp").arg("-a").args([user.project(), copy.clone()]).status();
    assert!(copied.unwrap().success());
    let Some(disk) = Disk::small(&user.project()) else { return };
    let is_approved = || user.facet(&["approvals", "list"]).exits(0).out.contains("north");
    assert!(is_approved());
    let script =
        format!("cp -a {}/. . && cat /dev/zero > filler 2> /dev/null; exec \"$@\"", copy.display());
    let removal = user.command(&["--json", "remove", "alpha"]);
    error(disk.run_script(&script, &removal), "disk-full");
    assert!(is_approved());
    user.facet(&["remove", "alpha"]).exits(0);
    assert!(!is_approved());
}

#[test]
fn a_home_that_cannot_be_written_installs_nothing() {
    let Some(market) = market() else { return };
    let user = User::of(&market);
    let Some(disk) = Disk::read_only(&user.home()) else { return };
    let refused = error(disk.run(&user.command(&words(&["alpha"]))), "disk-read-only");
    assert!(refused["file"].as_str().unwrap().contains("home"), "{refused:#}");
    assert_eq!(user.tree(), []);
}

#[test]
fn a_cache_that_cannot_be_written_is_told_as_that() {
    let Some(market) = market() else { return };
    let mut user = User::of(&market);
    user.cache = user.folder.path().join("own-cache");
    fs::create_dir(&user.cache).unwrap();
    let Some(disk) = Disk::read_only(&user.cache) else { return };
    error(disk.run(&user.command(&words(&["alpha"]))), "store-unwritable");
    assert_eq!(user.tree(), []);
    // Where everything is stored already, it is only read.
    let warm = User::with_cold_store(&market);
    warm.install(&["alpha"]);
    fs::remove_dir_all(warm.file(".claude")).unwrap();
    let disk = Disk::remounted(&warm.cache).unwrap();
    disk.run(&warm.command(&["install"])).exits(0);
    disk.run(&warm.command(&["verify"])).exits(0);
    expect_installed(&warm);
}

/// More than a small disk has room for, however it is compressed.
fn large_text() -> String {
    let mut random = Random::seeded(1);
    (0..100_000).map(|_| format!("{:016x}\n", random.bits())).collect()
}

#[test]
fn a_full_disk_leaves_the_project_as_it_was() {
    let Some(market) = market() else { return };
    market.publish_texts("large", "1.0.0", &json!({}), &large_text());
    // The project, the home and the store are full in turn.
    let user = User::of(&market);
    let Some(disk) = Disk::small(&user.project()) else { return };
    let script =
        "echo '{}' > facets.json && \"$@\"; code=$?; find . -type f | sort >&2; exit $code";
    let ran = disk.run_script(script, &user.command(&words(&["large"])));
    assert_eq!(ran.talk.trim(), "./.facets/.gitignore\n./facets.json", "{ran:?}");
    let refused = error(ran, "disk-full");
    assert!(refused["next"].is_string(), "{refused:#}");
    let user = User::of(&market);
    let disk = Disk::small(&user.home()).unwrap();
    let script = "cat /dev/zero > \"$HOME/filler\" 2> /dev/null; exec \"$@\"";
    let refused = error(disk.run_script(script, &user.command(&words(&["large"]))), "disk-full");
    assert!(refused["file"].as_str().unwrap().contains("/home/"), "{refused:#}");
    assert!(user.tree().iter().all(|(path, _)| path == ".facets/.gitignore"));
    let mut user = User::of(&market);
    user.cache = user.folder.path().join("own-cache");
    fs::create_dir(&user.cache).unwrap();
    let disk = Disk::small(&user.cache).unwrap();
    let refused = error(disk.run(&user.command(&words(&["large"]))), "store-full");
    assert_eq!(refused["next"], "facet cache prune");
    assert_eq!(user.tree(), []);
}

#[test]
fn a_proxy_is_used_where_the_usual_variables_name_one() {
    let Some(market) = Market::open_with_tls() else { return };
    publish(&market);
    let proxy = Forwarder::start(Role::Proxy);
    // A name that only the proxy can lead to the registry.
    let user = User::with_cold_store_at(&format!("https://registry.test:{}", port_of(&market)));
    let run = |proxy: Option<&str>| {
        let mut command = user.command(&words(&["alpha"]));
        command.env("SSL_CERT_FILE", certificate());
        if let Some(proxy) = proxy {
            command.env("HTTPS_PROXY", proxy);
        }
        Ran::of(&command.output().unwrap())
    };
    error(run(None), "registry-unreachable");
    let unused = unused_address();
    error(run(Some(&unused)), "registry-unreachable");
    assert_eq!(user.tree(), []);
    run(Some(&proxy.url)).exits(0);
    assert!(proxy.requests() > 0);
    expect_installed(&user);
}

#[test]
fn a_slow_registry_is_waited_for() {
    let Some(market) = market() else { return };
    let slow = Forwarder::start(Role::Slow(port_of(&market), Duration::from_millis(700)));
    let user = User::with_cold_store(&market).at(&slow.url);
    assert_eq!(user.install(&["alpha"])["outcome"], "applied");
    assert!(slow.requests() >= 4, "{}", slow.requests());
    expect_installed(&user);
}

#[test]
fn the_project_is_found_from_below_from_elsewhere_and_in_a_worktree() {
    let Some(market) = market() else { return };
    let user = User::of(&market);
    user.install(&["alpha"]);
    let whole = user.tree();
    // From a directory below, and from elsewhere.
    let below = user.file("src/deep");
    fs::create_dir_all(&below).unwrap();
    fs::remove_dir_all(user.file(".claude")).unwrap();
    Ran::of(&user.command_in(&below, &["install"]).output().unwrap()).exits(0);
    assert_eq!(user.tree(), whole);
    fs::remove_dir_all(user.file(".claude")).unwrap();
    let project = user.project();
    let words = ["--directory", project.to_str().unwrap(), "install"];
    Ran::of(&user.command_in(user.folder.path(), &words).output().unwrap()).exits(0);
    assert_eq!(user.tree(), whole);
    // A worktree of the same repository is a project of its own, whose servers nobody has approved.
    let tree = user.folder.path().join("tree");
    for words in [
        &["init", "--quiet", "."][..],
        &["add", "facets.json", "facets.lock", ".facets"],
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x"],
        &["worktree", "add", "--quiet", tree.to_str().unwrap()],
    ] {
        let git = Command::new("git").args(words).current_dir(&project).output().unwrap();
        assert!(git.status.success(), "{git:?}");
    }
    let run = |words: &[&str]| Ran::of(&user.command_in(&tree, words).output().unwrap());
    let first = run(&["--json", "install"]).exits(0).json();
    assert_eq!(first["servers"][0]["status"], "not_approved", "{first:#}");
    assert!(files_of("alpha").iter().all(|file| tree.join(file).exists()));
    run(&["install", "--yes"]).exits(0);
    run(&["verify"]).exits(0);
    run(&["remove", "alpha"]).exits(0);
    user.facet(&["verify"]).exits(0);
}

#[test]
fn texts_for_the_user_go_to_the_folders_of_the_user() {
    let Some(market) = market() else { return };
    let user = User::of(&market);
    let mine = user.home().join(".claude/agents/mine.md");
    put(&mine, "mine");
    let all = ["claude-code", "codex", "opencode"].map(|name| ["--client", name]).concat();
    let words = [&["install", "--user", "--yes", "alpha"][..], &all].concat();
    let report = user.json(&words, 0);
    assert_eq!(report["outcome"], "applied", "{report:#}");
    assert_eq!(user.tree(), [], "the current directory is no part of it");
    let files = [
        ".claude/agents/alpha-agent.md",
        ".claude/commands/alpha-ship.md",
        ".claude/skills/alpha-plan/SKILL.md",
        ".claude/skills/alpha-plan/more/notes.md",
        ".agents/skills/alpha-plan/SKILL.md",
        ".agents/skills/alpha-plan/more/notes.md",
        ".agents/commands/alpha-ship.md",
        ".codex/agents/alpha-agent.toml",
        ".config/opencode/agents/alpha-agent.md",
        ".config/opencode/commands/alpha-ship.md",
        ".config/opencode/skills/alpha-plan/SKILL.md",
        ".config/opencode/skills/alpha-plan/more/notes.md",
    ];
    for file in files {
        assert!(user.home().join(file).is_file(), "{file}");
    }
    assert_eq!(report["files"].as_array().unwrap().len(), files.len());
    // `--user` is the project in the directory of the user, wherever it is typed.
    let own = user.own().join("user");
    let directory = ["--directory", own.to_str().unwrap()];
    user.facet(&[&directory[..], &["verify"]].concat()).exits(0);
    let facet = |words: &[&str]| user.facet(&[words, &["--user"]].concat());
    facet(&["verify"]).exits(0);
    // Edited by the user: kept, told, and left where the rest is removed.
    let edited = user.home().join(files[0]);
    fs::write(&edited, "edited").unwrap();
    assert_eq!(user.json(&["install", "--user"], 0)["outcome"], "unchanged");
    facet(&["verify"]).exits(1);
    facet(&["remove", "alpha"]).exits(0);
    assert_eq!(fs::read_to_string(&edited).unwrap(), "edited");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    for file in &files[1..] {
        assert!(!user.home().join(file).exists(), "{file}");
    }
    assert!(!user.home().join(".codex").exists() && !user.home().join(".agents").exists());
}

#[test]
fn what_is_installed_for_the_user_is_listed_upgraded_and_removed_from_anywhere() {
    let Some(market) = market() else { return };
    let user = User::of(&market);
    // Nothing is there yet.
    assert_eq!(user.json(&["list", "--user"], 0)["facets"], json!([]));
    assert_eq!(user.json(&["outdated", "--user"], 0)["items"], json!([]));
    assert_eq!(user.error(&["upgrade", "--user"], 2)["code"], "install-nothing");
    user.facet(&["verify", "--user"]).exits(2);
    user.facet(&["remove", "alpha", "--user"]).exits(2);
    user.json(&["install", "--user", "--yes", "alpha@1.*", "--client", "claude-code"], 0);
    // The project around is another one, and has another version.
    user.install(&["alpha@1.0.0"]);
    let project = user.tree();
    market.publish_facet("alpha", "1.1.0", &json!({ "north": "1.0.0" }));
    let listed = user.json(&["list", "--user"], 0);
    assert_eq!(
        (&listed["facets"][0]["version"], &listed["servers"][0]["name"]),
        (&json!("1.0.0"), &json!("north"))
    );
    let outdated = user.json(&["outdated", "--user", "alpha"], 0);
    assert_eq!(outdated["items"][0]["upgrade"], "1.1.0", "{outdated:#}");
    let said = user.facet(&["outdated", "--user"]).exits(0);
    assert!(said.talk.contains(".facet/user upgrade"), "{}", said.talk);
    assert_eq!(user.json(&["upgrade", "--user", "--dry-run"], 0)["outcome"], "planned");
    assert_eq!(user.json(&["upgrade", "--user", "--yes"], 0)["outcome"], "applied");
    let skill = user.home().join(".claude/skills/alpha-plan/SKILL.md");
    assert!(fs::read_to_string(&skill).unwrap().contains("Version 1.1.0."));
    // Paths are those of where it was typed.
    user.facet(&["verify", "--user", "--summary", "summary.md"]).exits(0);
    assert!(user.read("summary.md").contains("north"));
    fs::remove_file(user.file("summary.md")).unwrap();
    user.facet(&["verify", "--user", "--directory", "/tmp"]).exits(2);
    let removed = user.json(&["remove", "--user", "alpha"], 0);
    assert_eq!(removed["removed"], json!(["north"]), "{removed:#}");
    assert!(!skill.exists());
    assert_eq!(user.tree(), project, "the project around is no part of it");
    user.facet(&["verify"]).exits(0);
}
