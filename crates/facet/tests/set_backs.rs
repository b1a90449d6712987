//! A lock that is set back, copied or moved brings nothing back that was taken away, and a repository
//! that brings everything along approves nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::path::Path;
use std::process::{Command, Stdio};

use facets_testkit::Client;
use serde_json::{Value, json};
use trusted::{Ran, Trusted};

fn declarations(description: &str) -> Value {
    json!({ "tools": [{ "name": "read", "description": description, "inputSchema": { "type": "object" } }] })
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=x", "-c", "user.email=x@example.com"]).args(arguments);
    let output = git.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn commit(trusted: &Trusted) {
    git(&trusted.project(), &["add", "-A"]);
    git(&trusted.project(), &["commit", "-q", "-m", "x"]);
}

/// How a server starts in a directory: what it may use, as it is said, or why it does not.
fn start(trusted: &Trusted, folder: &Path, name: &str) -> Result<String, String> {
    let mut command = Trusted::command_in(folder, &trusted.home(), &["run", name]);
    let ran = Ran::of(&command.output().unwrap());
    match ran.exit {
        0 => Ok(ran.talk),
        _ => Err(ran.talk),
    }
}

/// A project with a history: added, approved again, and confined more and more.
fn with_history(add: &dyn Fn(&Trusted, &str) -> Ran) -> Trusted {
    let trusted = Trusted::new();
    git(&trusted.project(), &["init", "-q"]);
    trusted.declare(&declarations("Reads."));
    add(&trusted, "s").exits(0);
    commit(&trusted);
    trusted.declare(&declarations("Reads a file."));
    trusted.facet(&["approve", "s", "--yes"]).exits(0);
    commit(&trusted);
    for settings in [["sampling=no"], ["elicitation=no"]] {
        trusted.facet(&[&["grant", "s"], &settings[..]].concat()).exits(0);
        commit(&trusted);
    }
    trusted.declare(&declarations("Reads a whole file."));
    trusted.facet(&["approve", "s", "--yes"]).exits(0);
    commit(&trusted);
    trusted
}

fn revisions(trusted: &Trusted) -> Vec<String> {
    let list = git(&trusted.project(), &["rev-list", "HEAD"]);
    list.lines().map(str::to_owned).collect()
}

fn add_command(trusted: &Trusted, name: &str) -> Ran {
    trusted.add(name)
}

/// Every older lock starts with the newest grants, or does not start at all.
fn check_history(trusted: &Trusted, folder: &Path, name: &str) {
    let revisions = revisions(trusted);
    assert_eq!(revisions.len(), 5);
    let mut started = 0;
    for revision in &revisions {
        git(folder, &["checkout", "-q", revision, "--", "."]);
        if let Ok(said) = start(trusted, folder, name) {
            started += 1;
            assert!(said.contains("sampling=no elicitation=no"), "{revision}: {said}");
        }
    }
    // What was approved stays approved, so that branches can be switched.
    assert_eq!(started, revisions.len());
    git(folder, &["checkout", "-q", "HEAD", "--", "."]);
}

#[test]
fn older_locks_start_with_the_newest_grants() {
    let trusted = with_history(&add_command);
    check_history(&trusted, &trusted.project(), "s");
    // The lock says so itself as soon as it is written again.
    let oldest = revisions(&trusted).last().unwrap().clone();
    git(&trusted.project(), &["checkout", "-q", &oldest, "--", "."]);
    let said = start(&trusted, &trusted.project(), "s").unwrap();
    assert!(said.contains("allows more than you granted on this machine"), "{said}");
    let typed = "To write them into facets.lock: facet grant s sampling=no elicitation=no";
    assert!(said.contains(typed), "{said}");
    let grants = trusted.json(&["grant", "s"]).exits(0).json()["grants"].clone();
    assert_eq!((&grants["sampling"], &grants["elicitation"]), (&json!(false), &json!(false)));
    // Files, network and programs, too: the kernel is what says no.
    trusted.facet(&["grant", "s", "network=none", "subprocess=no"]).exits(0);
    git(&trusted.project(), &["checkout", "-q", &oldest, "--", "."]);
    let said = start(&trusted, &trusted.project(), "s").unwrap();
    assert!(said.contains("network=none") && said.contains("subprocess=no"), "{said}");
    assert!(said.contains("enforced by"), "{said}");
    // A person who wants it back says so.
    trusted.facet(&["grant", "s", "network=all"]).exits(2);
    trusted.facet(&["grant", "s", "network=all", "--yes"]).exits(0);
    let said = start(&trusted, &trusted.project(), "s").unwrap();
    assert!(said.contains("network=all"), "{said}");
}

#[test]
fn what_was_removed_or_revoked_does_not_come_back() {
    let trusted = with_history(&add_command);
    trusted.facet(&["approvals", "revoke", "s"]).exits(0);
    for revision in revisions(&trusted) {
        git(&trusted.project(), &["checkout", "-q", &revision, "--", "."]);
        let refused = start(&trusted, &trusted.project(), "s").unwrap_err();
        assert!(refused.contains("not-approved"), "{refused}");
    }
    git(&trusted.project(), &["checkout", "-q", "HEAD", "--", "."]);
    // Revoking keeps what was decided about grants; removing ends everything.
    trusted.facet(&["approve", "s", "--yes"]).exits(0);
    assert!(start(&trusted, &trusted.project(), "s").unwrap().contains("sampling=no"));
    trusted.facet(&["remove", "s"]).exits(0);
    for revision in revisions(&trusted) {
        git(&trusted.project(), &["checkout", "-q", &revision, "--", "."]);
        let refused = start(&trusted, &trusted.project(), "s").unwrap_err();
        assert!(refused.contains("not-approved"), "{refused}");
    }
}

#[test]
fn a_twin_is_decided_about_by_itself() {
    let trusted = with_history(&add_command);
    // The same words under another name, as somebody may write them into a lock.
    let lock = trusted.read("facets.lock");
    let entry = lock.split_once("\"s\": {").unwrap().1;
    let at = entry.find("\n    }").unwrap();
    let twin = format!("\"t\": {{{}\n    }}", entry[..at].replace("surfaces/s.", "surfaces/t."));
    let oldest = revisions(&trusted).last().unwrap().clone();
    let wide = twin.replace("\"sampling\": false", "\"sampling\": true");
    trusted.write("facets.lock", &lock.replacen("\"s\": {", &format!("{wide},\n    \"s\": {{"), 1));
    let surface = trusted.read(".facets/surfaces/s.json");
    trusted.write(".facets/surfaces/t.json", &surface);
    let manifest: Value = serde_json::from_str(&trusted.read("facets.json")).unwrap();
    let mut twins = manifest.clone();
    twins["servers"]["t"] = manifest["servers"]["s"].clone();
    trusted.write("facets.json", &twins.to_string());
    let refused = start(&trusted, &trusted.project(), "t").unwrap_err();
    assert!(refused.contains("not-approved"), "{refused}");
    // One that was added by its user keeps its own decisions when the other is removed.
    git(&trusted.project(), &["checkout", "-q", "HEAD", "--", "."]);
    std::fs::remove_file(trusted.file(".facets/surfaces/t.json")).unwrap();
    trusted.add("t").exits(0);
    commit(&trusted);
    trusted.facet(&["remove", "s"]).exits(0);
    assert!(start(&trusted, &trusted.project(), "t").unwrap().contains("sampling=yes"));
    git(&trusted.project(), &["checkout", "-q", &oldest, "--", "."]);
    assert!(start(&trusted, &trusted.project(), "s").unwrap_err().contains("not-approved"));
}

#[test]
fn an_address_is_approved_for_a_project_and_a_name() {
    let server = trusted_server();
    let url = server.url.clone();
    let add = move |trusted: &Trusted, name: &str| trusted.facet(&["add", name, &url, "--yes"]);
    let trusted = Trusted::new();
    git(&trusted.project(), &["init", "-q"]);
    add(&trusted, "s").exits(0);
    commit(&trusted);
    for setting in ["sampling=no", "elicitation=no"] {
        trusted.facet(&["grant", "s", setting]).exits(0);
        commit(&trusted);
    }
    for revision in revisions(&trusted) {
        git(&trusted.project(), &["checkout", "-q", &revision, "--", "."]);
        let said = start(&trusted, &trusted.project(), "s").unwrap();
        assert!(said.contains("sampling=no elicitation=no"), "{said}");
    }
    // Another project with the same lock has not approved it.
    let clone = trusted.folder.path().join("clone");
    git(trusted.folder.path(), &["clone", "-q", "project", "clone"]);
    let refused = start(&trusted, &clone, "s").unwrap_err();
    assert!(refused.contains("approved in another directory"), "{refused}");
    git(&trusted.project(), &["checkout", "-q", "HEAD", "--", "."]);
    trusted.facet(&["remove", "s"]).exits(0);
    for revision in revisions(&trusted) {
        git(&trusted.project(), &["checkout", "-q", &revision, "--", "."]);
        assert!(start(&trusted, &trusted.project(), "s").unwrap_err().contains("not-approved"));
    }
}

/// A server at an address, ended with the test.
struct Served {
    child: std::process::Child,
    url: String,
    trusted: Trusted,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// A server of ours, served over HTTP by facet itself.
fn trusted_server() -> Served {
    use std::io::{BufRead as _, BufReader};
    let trusted = Trusted::with_server(&declarations("Reads."));
    let mut command = trusted.command(&["run", "s", "--http", "127.0.0.1:0"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains("http://")).unwrap();
    let at = line.find("http://").unwrap();
    let url = line[at..].split_whitespace().next().unwrap().to_owned();
    std::thread::spawn(move || lines.for_each(drop));
    Served { child, url, trusted }
}

#[test]
fn a_worktree_and_a_moved_clone_are_told_so_and_asked_once() {
    let trusted = with_history(&add_command);
    trusted.add("t").exits(0);
    commit(&trusted);
    let worktree = trusted.folder.path().join("worktree");
    let path = worktree.to_str().unwrap();
    git(&trusted.project(), &["worktree", "add", "-q", "--detach", path, "HEAD"]);
    let place = std::fs::canonicalize(trusted.project()).unwrap();
    let refused = start(&trusted, &worktree, "s").unwrap_err();
    assert!(refused.contains(place.to_str().unwrap()) && refused.contains("worktree"), "{refused}");
    assert!(refused.contains("facet approve --all"), "{refused}");
    let there = |arguments: &[&str]| {
        Ran::of(&Trusted::command_in(&worktree, &trusted.home(), arguments).output().unwrap())
    };
    let listed = there(&["list"]).exits(0).out;
    assert_eq!(listed.matches("not here").count(), 2, "{listed}");
    let starts = trusted.starts();
    let approved = there(&["approve", "--all", "--yes"]).exits(0).out;
    assert_eq!(approved.matches("approved ").count(), 2, "{approved}");
    assert_eq!(trusted.starts(), starts, "nothing was started");
    // What was decided last holds there, too, whichever lock the worktree is set back to.
    let said = start(&trusted, &worktree, "s").unwrap();
    assert!(said.contains("sampling=no elicitation=no"), "{said}");
    for revision in revisions(&trusted).iter().skip(1) {
        git(&worktree, &["checkout", "-q", revision, "--", "."]);
        if let Ok(said) = start(&trusted, &worktree, "s") {
            assert!(said.contains("sampling=no elicitation=no"), "{revision}: {said}");
        }
    }
    // Moved: the old place is gone.
    let moved = trusted.folder.path().join("moved");
    std::fs::rename(trusted.project(), &moved).unwrap();
    git(&moved, &["checkout", "-q", "HEAD", "--", "."]);
    let refused = start(&trusted, &moved, "t").unwrap_err();
    assert!(refused.contains("approved in another directory"), "{refused}");
    let mut command = Trusted::command_in(&moved, &trusted.home(), &["approve", "--all", "--yes"]);
    Ran::of(&command.output().unwrap()).exits(0);
    start(&trusted, &moved, "t").unwrap();
}

#[test]
fn what_is_approved_is_listed_for_every_project() {
    let trusted = with_history(&add_command);
    let list = trusted.json(&["approvals", "list"]).exits(0).json();
    assert_eq!(trusted.json(&["approvals"]).exits(0).json(), list);
    let server = &list["servers"][0];
    assert_eq!((&server["name"], &server["gone"]), (&json!("s"), &json!(false)));
    assert_eq!(server["grants"]["sampling"], false);
    let approved = server["approved"].as_array().unwrap();
    assert_eq!(approved.len(), 3, "three surfaces were approved: {list:#}");
    let current: Vec<bool> = approved.iter().map(|one| one["current"] == true).collect();
    assert_eq!(current, [true, false, false]);
    let gone = trusted.folder.path().join("gone");
    std::fs::rename(trusted.project(), &gone).unwrap();
    std::fs::create_dir(trusted.folder.path().join("other")).unwrap();
    let other = |arguments: &[&str]| {
        let folder = trusted.folder.path().join("other");
        Ran::of(&Trusted::command_in(&folder, &trusted.home(), arguments).output().unwrap())
    };
    assert_eq!(other(&["approvals", "list"]).exits(0).out, "");
    let listed = other(&["approvals", "list", "--all"]).exits(0).out;
    assert!(
        listed.contains("(no longer exists)") && !listed.contains("currently pinned"),
        "{listed}"
    );
    other(&["approvals", "revoke"]).exits(2);
    other(&["approvals", "revoke", "s"]).exits(2);
    let place = server["project"].as_str().unwrap();
    other(&["approvals", "revoke", "s", "--project", place]).exits(0);
    // With the project goes whatever was decided about it.
    assert_eq!(other(&["approvals", "list", "--all"]).exits(0).out, "");
}

/// A repository with a file of a client, a lock, a ledger, a journal and a home brings nothing of its
/// own to run.
#[test]
fn a_repository_approves_nothing_in_itself() {
    let attacker = Trusted::with_server(&declarations("Reads."));
    // Everything that the attacker's machine knows, committed beside the lock.
    let copy = |from: &Path, to: &Path| {
        let status = Command::new("cp").arg("-R").arg(from).arg(to).status().unwrap();
        assert!(status.success());
    };
    let project = attacker.project();
    copy(&attacker.home(), &project.join("ledger"));
    std::fs::create_dir(project.join("home")).unwrap();
    copy(&attacker.home(), &project.join("home/.facet"));
    std::fs::create_dir(project.join("sub")).unwrap();
    for name in ["facets.json", "facets.lock", ".facets"] {
        copy(&project.join(name), &project.join("sub").join(name));
    }
    let inside = |path: &str| project.join(path).display().to_string();
    let victims = [
        ("FACET_DIR", "ledger".to_owned(), "."),
        ("FACET_DIR", "./ledger".to_owned(), "."),
        ("FACET_DIR", inside("ledger"), "."),
        ("FACET_DIR", inside("sub/../ledger"), "."),
        ("HOME", inside("home"), "."),
        ("HOME", "home".to_owned(), "."),
        // Beside the project, but in its repository.
        ("FACET_DIR", inside("ledger"), "sub"),
        ("HOME", inside("home"), "sub"),
    ];
    git(&project, &["init", "-q"]);
    std::os::unix::fs::symlink(project.join("ledger"), attacker.folder.path().join("link"))
        .unwrap();
    let link = attacker.folder.path().join("link").display().to_string();
    let victims = victims.into_iter().chain([("FACET_DIR", link, ".")]);
    for (variable, value, folder) in victims {
        let before = attacker.starts();
        let mut command = Command::new(trusted::FACET);
        command.args(["run", "s"]).current_dir(project.join(folder)).stdin(Stdio::null());
        command.env_remove("FACET_DIR").env(variable, &value);
        let ran = Ran::of(&command.output().unwrap());
        assert_eq!(ran.exit, 2, "{variable}={value}: {ran:?}");
        assert_eq!(attacker.starts(), before, "{variable}={value} started something");
        let mut list = Command::new(trusted::FACET);
        list.args(["list"]).current_dir(project.join(folder)).env_remove("FACET_DIR");
        let listed = Ran::of(&list.env(variable, &value).output().unwrap()).exits(2);
        assert!(listed.talk.contains("facet-dir-refused"), "{variable}={value}: {listed:?}");
    }
    // Also as the file of a client has it: `doctor` and `adopt` do not take that for guarded.
    let facet = trusted::FACET;
    let entries = [
        json!({ "command": "facet", "args": ["run", "s"] }),
        json!({ "command": inside("facet"), "args": ["run", "s"] }),
        json!({ "command": facet, "args": ["run", "s", "--trust-lock"] }),
        json!({ "command": facet, "args": ["run", "s", "--on-drift", "warn"] }),
        json!({ "command": facet, "args": ["run", "s", "--on-drift=warn"] }),
        json!({ "command": facet, "args": ["--sandbox=off", "run", "s"] }),
        json!({ "command": facet, "args": ["run", "s", "--directory", "/"] }),
        json!({ "command": facet, "args": ["run", "s"], "cwd": "sub" }),
        json!({ "command": facet, "args": ["run", "s"], "env": { "FACET_DIR": "ledger" } }),
        json!({ "command": facet, "args": ["run", "s"], "env": { "LD_PRELOAD": "x.so" } }),
        json!({ "command": facet, "args": ["run", "s"], "env": { "HOME": "home" } }),
        json!({ "command": facet, "args": ["run", "s"], "env": { "PATH": "." } }),
        json!({ "command": facet, "args": ["run", "s"], "env": { "FACET_ENV_PATH": "." } }),
        json!({ "command": facet, "args": ["run", "s"], "env": { "FACET_ENV_PATH": inside("bin") } }),
        json!({ "command": facet, "args": ["run", "s"], "env": { "HTTPS_PROXY": "http://x" } }),
        json!({ "command": facet, "args": ["run", "s"], "env": { "SSL_CERT_DIR": "/" } }),
        json!({ "command": facet, "args": ["run", "s"], "env": { "SHELL": "./x" } }),
        json!({ "command": facet, "args": ["run", "s", "${X:---trust-lock}"] }),
        json!({ "command": facet, "args": ["run", "s", "--sandbox", "${X:-off}"] }),
        json!({ "command": facet, "args": ["__facet-confine", "x", "/bin/sh", "run", "s"] }),
        json!({ "command": facet, "args": ["check", "run", "s"] }),
        json!({ "command": facet, "args": ["run", "s", "--directory", "/nowhere"] }),
        json!({ "command": facet, "args": ["run", "s"], "cwd": "nowhere" }),
    ];
    let honest = json!({ "command": facet, "args": ["run", "s"], "env": { "API_KEY": "x" } });
    let user = tempfile::tempdir().unwrap();
    let here = |arguments: &[&str]| {
        let mut command = attacker.command(arguments);
        Ran::of(&command.env("HOME", user.path()).output().unwrap())
    };
    for entry in entries {
        attacker.write(".mcp.json", &json!({ "mcpServers": { "s": entry } }).to_string());
        let said = here(&["doctor"]).exits(1).out;
        assert!(said.contains("is not guarded"), "{entry}: {said}");
        let found = here(&["--format", "json", "adopt", "--dry-run"]).exits(0).json();
        assert_eq!(found["found"][0]["outcome"], "weak", "{entry}: {found:#}");
    }
    attacker.write(".mcp.json", &json!({ "mcpServers": { "s": honest } }).to_string());
    assert!(here(&["doctor"]).out.contains("is guarded by facet"));
}

/// Both at once do not lose what the other decided.
#[test]
fn decisions_at_the_same_time_are_all_kept() {
    let trusted = Trusted::new();
    trusted.declare(&declarations("Reads."));
    let names: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
    for name in &names {
        trusted.add(name).exits(0);
    }
    let settings = ["sampling=no", "elicitation=no"];
    std::thread::scope(|scope| {
        for name in &names {
            for setting in settings {
                let trusted = &trusted;
                scope.spawn(move || {
                    // One of the two may come while the other changes the lock.
                    for _ in 0..10 {
                        if trusted.facet(&["grant", name, setting]).exit == 0 {
                            return;
                        }
                    }
                    panic!("{name} {setting}");
                });
            }
        }
    });
    for name in &names {
        let mut client = Client::start(&mut trusted.command(&["run", name]), Stdio::piped());
        client.initialize("test", &json!({}));
        client.finish();
        let grants = trusted.json(&["grant", name]).exits(0).json()["grants"].clone();
        assert_eq!((&grants["sampling"], &grants["elicitation"]), (&json!(false), &json!(false)));
    }
}

/// A decision that is made while another facet looks is not undone by it.
#[test]
fn what_is_decided_meanwhile_holds() {
    for decide in [&["grant", "s", "sampling=no"][..], &["remove", "s"]] {
        let trusted = Trusted::new();
        trusted.write("server.sh", "sleep 1\nexec \"$@\"\n");
        trusted.declare(&declarations("Reads."));
        let server = facets_testkit::workspace_binary("listed-server").display().to_string();
        let file = trusted.declarations().display().to_string();
        trusted.facet(&["add", "s", "--yes", "--", "sh", "server.sh", &server, &file]).exits(0);
        let (lock, manifest) = (trusted.read("facets.lock"), trusted.read("facets.json"));
        let surface = trusted.read(".facets/surfaces/s.json");
        let mut slow = trusted.command(&["approve", "s", "--yes"]);
        let slow = slow.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(400));
        trusted.facet(decide).exits(0);
        let ran = Ran::of(&slow.wait_with_output().unwrap()).exits(2);
        assert!(ran.talk.contains("project-changed-meanwhile"), "{ran:?}");
        // The old lock back: with the newest grants, or not at all.
        trusted.write("facets.lock", &lock);
        trusted.write("facets.json", &manifest);
        trusted.write(".facets/surfaces/s.json", &surface);
        match start(&trusted, &trusted.project(), "s") {
            Ok(said) => assert!(said.contains("sampling=no"), "{said}"),
            Err(refused) => assert!(decide[0] == "remove", "{refused}"),
        }
    }
}

/// Only `grant` widens, whatever became of the entry.
#[test]
fn approving_what_was_edited_or_taken_away_widens_nothing() {
    let narrow = |trusted: &Trusted| {
        let grants = trusted.json(&["grant", "s"]).exits(0).json()["grants"].clone();
        assert_eq!((&grants["network"], &grants["sampling"]), (&json!("none"), &json!(false)));
    };
    let trusted = Trusted::with_server(&declarations("Reads."));
    trusted.facet(&["grant", "s", "network=none", "sampling=no"]).exits(0);
    let lock = trusted.read("facets.lock");
    trusted.write("facets.lock", &lock.replace("\"era\": \"", "\"era\": \"x"));
    trusted.facet(&["verify"]).exits(1);
    trusted.facet(&["approve", "s", "--yes"]).exits(0);
    narrow(&trusted);
    // A lock from before, with the server only in the manifest.
    trusted.write("facets.lock", "{\n  \"lockfileVersion\": 0.3,\n  \"facets\": {}\n}\n");
    trusted.facet(&["approve", "--all", "--yes"]).exits(0);
    narrow(&trusted);
    // Neither: added once more.
    trusted.write("facets.lock", "{\n  \"lockfileVersion\": 0.3,\n  \"facets\": {}\n}\n");
    trusted.write("facets.json", "{}");
    trusted.add("s").exits(0);
    narrow(&trusted);
    // On a branch that has not got it, remove ends it all the same.
    trusted.write("facets.lock", "{\n  \"lockfileVersion\": 0.3,\n  \"facets\": {}\n}\n");
    trusted.write("facets.json", "{}");
    trusted.facet(&["remove", "s"]).exits(0);
    trusted.facet(&["remove", "s"]).exits(2);
}

/// A server that refuses to start confined has no say in whether it is.
#[test]
fn what_is_taken_away_is_gone_also_if_the_server_protests() {
    let trusted = Trusted::new();
    trusted.declare(&declarations("Reads."));
    trusted.write("server.sh", "touch /var/tmp/facet-protest 2>/dev/null || exit 3\nexec \"$@\"\n");
    let server = facets_testkit::workspace_binary("listed-server").display().to_string();
    let file = trusted.declarations().display().to_string();
    trusted.facet(&["add", "s", "--yes", "--", "sh", "server.sh", &server, &file]).exits(0);
    let ran = trusted.facet(&["grant", "s", "filesystem=none", "subprocess=no"]).exits(2);
    let holds = "error: the new restrictions of \"s\" are in force on this machine, but \
                 facets.lock was not changed: ";
    assert!(ran.talk.starts_with(holds), "{ran:?}");
    assert!(trusted.read("facets.lock").contains("\"filesystem\": \"all\""), "{ran:?}");
    let grants = trusted.json(&["grant", "s"]).exits(0).json()["grants"].clone();
    assert_eq!((&grants["filesystem"], &grants["subprocess"]), (&json!("none"), &json!(false)));
    assert!(start(&trusted, &trusted.project(), "s").is_err(), "it does not start open again");
    let _ = std::fs::remove_file("/var/tmp/facet-protest");
}

/// A session over HTTP that begins later begins with what is decided then.
#[test]
fn later_sessions_of_one_facet_begin_with_later_decisions() {
    let served = trusted_server();
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "x", "version": "1" } } });
    let answer = || {
        let mut curl = Command::new("curl");
        curl.args(["-s", "-m", "20", "-H", "Content-Type: application/json", "-H"]);
        curl.args(["Accept: application/json, text/event-stream", "-d", &initialize.to_string()]);
        String::from_utf8_lossy(&curl.arg(&served.url).output().unwrap().stdout).into_owned()
    };
    assert!(answer().contains("serverInfo"), "{}", answer());
    served.trusted.facet(&["approvals", "revoke", "s"]).exits(0);
    assert!(!answer().contains("serverInfo"), "{}", answer());
}

/// Approvals of an older facet have no names: they count once, and end with the others.
#[test]
fn approvals_of_an_older_facet_do_not_outlive_their_end() {
    let fixture = facets_testkit::repository_root().join("testdata/written-by/2f02447/settled");
    let copied = |from: &Path, to: &Path| {
        let status = Command::new("cp").args(["-R"]).arg(from).arg(to).status().unwrap();
        assert!(status.success());
    };
    // An address was approved for every project: for the first that has it, and no other.
    let trusted = Trusted::new();
    let (one, other) = (trusted.folder.path().join("one"), trusted.folder.path().join("other"));
    copied(&fixture.join("project"), &one);
    copied(&fixture.join("project"), &other);
    copied(&fixture.join("home/approvals"), &trusted.home().join("approvals"));
    let approved = |folder: &Path| {
        let mut command =
            Trusted::command_in(folder, &trusted.home(), &["list", "--format", "json"]);
        let list = Ran::of(&command.output().unwrap()).exits(0).json();
        let servers = list["servers"].as_array().unwrap().clone();
        servers.iter().find(|server| server["name"] == "far").unwrap()["approved"] == true
    };
    assert!(approved(&one));
    assert!(!approved(&other));
    // All of them, wherever one is.
    let trusted = Trusted::new();
    copied(&fixture.join("home/approvals"), &trusted.home().join("approvals"));
    trusted.facet(&["approvals", "revoke", "--all"]).exits(0);
    let one = trusted.folder.path().join("one");
    copied(&fixture.join("project"), &one);
    let mut command = Trusted::command_in(&one, &trusted.home(), &["run", "far"]);
    Ran::of(&command.env("KEY", "x").output().unwrap()).exits(2);
}

/// Where a project lies may be no text.
#[test]
fn a_place_that_is_no_text_is_revoked_like_any_other() {
    use std::os::unix::ffi::OsStrExt as _;
    let trusted = Trusted::new();
    let folder = trusted.folder.path().join(std::ffi::OsStr::from_bytes(b"p\xff"));
    std::fs::create_dir(&folder).unwrap();
    trusted.declare(&declarations("Reads."));
    let ran = |arguments: &[&str]| {
        Ran::of(&Trusted::command_in(&folder, &trusted.home(), arguments).output().unwrap())
    };
    let server = facets_testkit::workspace_binary("listed-server").display().to_string();
    let file = trusted.declarations().display().to_string();
    ran(&["add", "s", "--yes", "--", &server, &file]).exits(0);
    ran(&["run", "s"]).exits(0);
    ran(&["approvals", "revoke", "s"]).exits(0);
    ran(&["run", "s"]).exits(2);
}
