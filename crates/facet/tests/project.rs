//! The files of a project: whole at every moment, and touched only where they must be.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use facets_testkit::{Random, long_count, shared_vectors, workspace_binary};
use serde_json::{Value, json};
use trusted::{FACET, Ran, Trusted};

fn server(description: &str) -> Value {
    json!({ "tools": [{ "name": "read", "description": description,
        "inputSchema": { "type": "object" } }] })
}

/// What facet says about the project: the servers, and whether everything is whole.
fn state(trusted: &Trusted) -> String {
    let listed = trusted.json(&["list"]).exits(0).json();
    let verified = trusted.facet(&["verify"]);
    let nothing = verified.exit == 2 && verified.talk.contains("nothing-pinned");
    assert!(verified.exit == 0 || nothing, "{verified:?}");
    let servers = listed["servers"].as_array().unwrap();
    let line = |server: &Value| {
        let pinned =
            trusted.file(&format!(".facets/surfaces/{}.json", server["name"].as_str().unwrap()));
        let surface = std::fs::read_to_string(pinned).unwrap_or_default();
        let text = surface.lines().find(|line| line.contains("\"description\""));
        format!("{} {} {:?}", server["name"], server["tools"], text)
    };
    servers.iter().map(line).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_killed_facet_leaves_the_old_or_the_new() {
    let mut random = Random::seeded(5);
    let (mut old, mut new) = (0, 0);
    // How long each verb takes, as far as that is known: machines differ, and are busy.
    let mut typical = [Duration::from_millis(40); 3];
    for round in 0..long_count(300) {
        let trusted = Trusted::new();
        trusted.declare(&server("Reads a file"));
        let verb = ["add", "approve", "remove"][round % 3];
        if verb != "add" {
            trusted.add("s").exits(0);
        }
        let before = state(&trusted);
        trusted.declare(&server("Reads another file"));
        let run = |kill_after: Option<Duration>| {
            let mut command = match verb {
                "add" => {
                    let mut command = trusted.command(&["add", "s", "--yes", "--"]);
                    command.arg(workspace_binary("listed-server")).arg(trusted.declarations());
                    command
                }
                "approve" => trusted.command(&["approve", "s", "--yes"]),
                _ => trusted.command(&["remove", "s"]),
            };
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let start = Instant::now();
            if let Some(after) = kill_after {
                std::thread::sleep(after);
                child.kill().unwrap();
            }
            child.wait().unwrap();
            start.elapsed()
        };
        // As long as it may take, and a little longer: the moments at the end count most.
        let longest = typical[round % 3].as_micros() * 5 / 4 + 1;
        let longest = u64::try_from(longest).unwrap();
        run(Some(Duration::from_micros(random.bits() % longest)));
        let after = state(&trusted);
        if after == before {
            old += 1;
            // Nothing that was left behind is in the way.
            typical[round % 3] = run(None);
            let done = state(&trusted);
            assert_ne!(done, before, "{verb} in round {round}");
        } else {
            new += 1;
            let expected = match verb {
                "remove" => String::new(),
                _ => after.clone(),
            };
            assert_eq!(after, expected, "{verb} in round {round}");
            assert!(verb == "remove" || after.contains("another"), "{verb}: {after}");
        }
        let left: Vec<_> = std::fs::read_dir(trusted.project())
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".tmp"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
    assert!(old > 0 && new > 0, "{old} old, {new} new: the moments are chosen badly");
}

#[test]
fn many_at_once_lose_nothing() {
    let trusted = Trusted::new();
    trusted.declare(&server("Reads a file"));
    let names: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
    let start = |name: &str| {
        let mut command = trusted.command(&["add", name, "--yes", "--"]);
        command.arg(workspace_binary("listed-server")).arg(trusted.declarations());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<_> = names.iter().map(|name| start(name)).collect();
    for child in running {
        Ran::of(&child.wait_with_output().unwrap()).exits(0);
    }
    let listed = trusted.json(&["list"]).exits(0).json();
    assert_eq!(listed["servers"].as_array().unwrap().len(), names.len());
    trusted.facet(&["check"]).exits(0);
    // Two that want one name: one has it, the other says why not.
    let running: Vec<_> = (0..2).map(|_| start("same")).collect();
    let mut exits: Vec<i32> = Vec::new();
    for child in running {
        let ran = Ran::of(&child.wait_with_output().unwrap());
        exits.push(ran.exit);
        let clear = ["project-changed-meanwhile", "server-exists"];
        assert!(ran.exit == 0 || clear.iter().any(|code| ran.talk.contains(code)), "{ran:?}");
    }
    exits.sort_unstable();
    assert_eq!(exits, [0, 2]);
    trusted.facet(&["verify"]).exits(0);
}

/// Makes a journal one that this user has begun.
fn begin(trusted: &Trusted, plan: &str) {
    let folder = trusted.home().join("journals");
    std::fs::create_dir_all(&folder).unwrap();
    let place = std::fs::canonicalize(trusted.project()).unwrap();
    let name = facets_digest::Digest::of(place.as_os_str().as_encoded_bytes()).hex();
    let digest = facets_digest::Digest::of(plan.as_bytes()).to_string();
    std::fs::write(folder.join(name), digest).unwrap();
}

/// A journal that a repository brings along writes nowhere but where facet writes.
#[test]
fn a_strange_journal_is_refused() {
    let trusted = Trusted::with_server(&server("Reads a file"));
    let journal = trusted.file(".facets/journal");
    std::fs::create_dir(&journal).unwrap();
    std::fs::write(journal.join("0"), "owned").unwrap();
    let digest = "sha256:ad7f8ae3ee78cd45acd2a0cd1edb5bc5e1f0ae9e0e2ab2bbd3fa5bc1a9b3bd7e";
    for path in ["../outside", "/tmp/outside", ".git/config", ".facets/surfaces/../../x.json"] {
        let plan = json!({ "version": 1,
            "files": [{ "path": path, "before": null, "after": digest }] });
        std::fs::write(journal.join("plan.json"), plan.to_string()).unwrap();
        let ran = trusted.facet(&["check"]).exits(2);
        assert!(ran.talk.contains("project-foreign-journal"), "{path}: {ran:?}");
        // Not even if this user had begun it.
        begin(&trusted, &plan.to_string());
        let ran = trusted.facet(&["check"]).exits(2);
        assert!(ran.talk.contains("project-interrupted"), "{path}: {ran:?}");
    }
    assert!(!trusted.folder.path().join("outside").exists());
    std::fs::remove_dir_all(&journal).unwrap();
    // Nor does a link lead facet elsewhere.
    let elsewhere = trusted.folder.path().join("elsewhere");
    std::fs::rename(trusted.file(".facets"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, trusted.file(".facets")).unwrap();
    let ran = trusted.facet(&["check"]).exits(2);
    assert!(ran.talk.contains("project-untrusted-file"), "{ran:?}");
    std::fs::remove_file(trusted.file(".facets")).unwrap();
    std::fs::rename(&elsewhere, trusted.file(".facets")).unwrap();
    // Files of others that have the right name are not facet's to remove.
    let victim = trusted.folder.path().join("victim");
    std::fs::rename(trusted.file(".facets/surfaces"), &victim).unwrap();
    std::fs::write(victim.join("x.tmp"), "").unwrap();
    std::fs::write(victim.join(".x.json.1.tmp"), "").unwrap();
    std::os::unix::fs::symlink(&victim, trusted.file(".facets/surfaces")).unwrap();
    for verb in [&["remove", "s"][..], &["approve", "s", "--yes"], &["check"]] {
        let ran = trusted.facet(verb).exits(2);
        assert!(ran.talk.contains("project-untrusted-file"), "{ran:?}");
    }
    for name in ["s.json", "x.tmp", ".x.json.1.tmp"] {
        assert!(victim.join(name).exists(), "{name}");
    }
    // Nor is what only looks like something that facet left behind.
    std::fs::remove_file(trusted.file(".facets/surfaces")).unwrap();
    std::fs::rename(&victim, trusted.file(".facets/surfaces")).unwrap();
    std::fs::create_dir(trusted.file(".facets/journal.notes")).unwrap();
    std::fs::create_dir(trusted.file(".facets/journal.7")).unwrap();
    trusted.facet(&["approve", "s", "--yes"]).exits(0);
    assert!(trusted.file(".facets/surfaces/x.tmp").exists());
    assert!(trusted.file(".facets/journal.notes").exists());
    assert!(!trusted.file(".facets/surfaces/.x.json.1.tmp").exists());
    assert!(!trusted.file(".facets/journal.7").exists());
}

#[test]
fn a_change_that_was_interrupted_is_completed() {
    let trusted = Trusted::with_server(&server("Reads a file"));
    let lock = trusted.read("facets.lock");
    let digest = |text: &str| facets_digest::Digest::of(text.as_bytes()).to_string();
    let empty = facets_lock::Lock::parse(lock.as_bytes()).unwrap().without_server("s").unwrap();
    let journal = trusted.file(".facets/journal");
    let write = |before: &str| {
        std::fs::create_dir_all(&journal).unwrap();
        std::fs::write(journal.join("0"), empty.text()).unwrap();
        let plan = json!({ "version": 1, "files": [
            { "path": "facets.lock", "before": before, "after": digest(empty.text()) }] });
        std::fs::write(journal.join("plan.json"), plan.to_string()).unwrap();
        begin(&trusted, &plan.to_string());
    };
    // Somebody else's journal, as a repository may bring one along, changes nothing.
    write(&digest(&lock));
    std::fs::remove_dir_all(trusted.home().join("journals")).unwrap();
    for verb in [&["check", "--trust-lock"][..], &["list"], &["verify"]] {
        let ran = trusted.facet(verb).exits(2);
        assert!(ran.talk.contains("project-foreign-journal"), "{ran:?}");
    }
    assert_eq!(trusted.read("facets.lock"), lock);
    // Somebody has edited the file since: neither the old nor the new.
    write(&digest("something else"));
    let ran = trusted.facet(&["list"]).exits(2);
    assert!(ran.talk.contains("project-interrupted"), "{ran:?}");
    assert_eq!(trusted.read("facets.lock"), lock);
    write(&digest(&lock));
    trusted.facet(&["list"]).exits(0);
    assert_eq!(trusted.read("facets.lock"), empty.text());
    assert!(!journal.exists());
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    // Read-only for everybody, the superuser included.
    let trusted = Trusted::new();
    trusted.declare(&server("Reads a file"));
    let system = std::path::Path::new("/sys/kernel");
    let mut command = Trusted::command_in(system, &trusted.home(), &["add", "s", "--yes", "--"]);
    command.arg(workspace_binary("listed-server")).arg(trusted.declarations()).arg(trusted.trace());
    let ran = Ran::of(&command.output().unwrap()).exits(2);
    // Where the system is mounted read-only, the code says so.
    let is_named = |code: &&str| ran.talk.contains(*code);
    assert!(["file-unwritable", "disk-read-only"].iter().any(is_named), "{ran:?}");
    assert_eq!(trusted.starts(), 0, "nothing is started for a place that cannot be written");
    let mut command = Trusted::command_in(system, &trusted.home(), &["list"]);
    Ran::of(&command.output().unwrap()).exits(0);
    // A disk that is full: files may not grow.
    let trusted = Trusted::with_server(&server("Reads a file"));
    let before = (trusted.read("facets.json"), trusted.read("facets.lock"));
    trusted.declare(&server("Reads another file"));
    for limit in [0, 1, 2] {
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec {FACET} approve s --yes");
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(trusted.project())
            .env("FACET_DIR", trusted.home())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let ran = Ran::of(&output);
        assert_ne!(ran.exit, 0, "{ran:?}");
        assert_eq!(before, (trusted.read("facets.json"), trusted.read("facets.lock")));
        trusted.facet(&["verify"]).exits(0);
    }
    trusted.facet(&["approve", "s", "--yes"]).exits(0);
}

#[test]
fn what_facet_does_not_know_stays_byte_for_byte() {
    let manifest = "{\n  // what we use\n  \"x-top\": {\"a\": 1},\n  \"manifestVersion\": 0.2,\n  \
                    \"facets\": {\n    \"demo\": \"1.*\" // of the registry\n  },\n}\n";
    let lock = "{\n  \"lockfileVersion\": 0.3,\n  \"facets\": {},\n  \"x-note\": [1, 2.50, \"\\u00e9\"]\n}\n";
    let trusted = Trusted::new();
    trusted.declare(&server("Reads a file"));
    trusted.write("facets.json", manifest);
    trusted.write("facets.lock", lock);
    trusted.add("s").exits(0);
    for (file, text) in [("facets.json", manifest), ("facets.lock", lock)] {
        let after = trusted.read(file);
        for line in text.lines() {
            let line = line.trim_end_matches(',');
            assert!(after.contains(line), "{file} lost {line:?}:\n{after}");
        }
    }
    // A member that somebody adds to our entry survives a new approval.
    let edited = trusted.read("facets.lock").replacen(
        "\"era\": \"initialize\",",
        "\"era\": \"initialize\",\n      \"x-owner\": {\"team\": \"a\"},",
        1,
    );
    trusted.write("facets.lock", &edited);
    trusted.facet(&["check"]).exits(0);
    trusted.declare(&server("Reads another file"));
    trusted.facet(&["approve", "s", "--yes"]).exits(0);
    assert!(trusted.read("facets.lock").contains("\"x-owner\""));
    trusted.facet(&["remove", "s"]).exits(0);
    assert_eq!(trusted.read("facets.lock"), lock);
    let back = trusted.read("facets.json");
    assert!(back.contains("// what we use") && back.contains("// of the registry"), "{back}");
    assert!(!trusted.file(".facets/surfaces/s.json").exists());
}

#[test]
fn projects_of_the_reference_come_back_as_they_were() {
    let Some(vectors) = shared_vectors("facets") else { return };
    for project in ["basic", "alias-local", "lock-extras"] {
        let folder = vectors.join("projects").join(project);
        let trusted = Trusted::new();
        trusted.declare(&server("Reads a file"));
        let original = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
        for file in ["facets.json", "facets.lock"] {
            trusted.write(file, &original(file));
        }
        trusted.add("ours").exits(0);
        trusted.facet(&["check", "ours"]).exits(0);
        let with = trusted.read("facets.lock");
        assert_ne!(with, original("facets.lock"));
        trusted.facet(&["remove", "ours"]).exits(0);
        assert_eq!(trusted.read("facets.lock"), original("facets.lock"), "{project}");
        let manifest = trusted.read("facets.json").replace(",\n  \"servers\": {}", "");
        assert_eq!(manifest, original("facets.json"), "{project}");
    }
}

#[test]
fn the_same_approval_gives_the_same_bytes() {
    let one = Trusted::with_server(&server("Reads a file"));
    let first = one.read("facets.lock");
    one.facet(&["approve", "s", "--yes"]).exits(0);
    assert_eq!(one.read("facets.lock"), first);
    assert!(first.ends_with("}\n"));
    let newer = first.replace("\"serversVersion\": 2", "\"serversVersion\": 3");
    one.write("facets.lock", &newer);
    let ran = one.facet(&["check"]).exits(2);
    assert!(ran.talk.contains("lock-unknown-version"), "{ran:?}");
}
