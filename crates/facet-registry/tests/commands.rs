//! What operators type.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::{Ran, RegistryProcess, facet, program, run};
use tempfile::TempDir;

fn operator() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
}

#[test]
fn a_token_is_printed_alone_and_never_again() {
    let data = operator();
    let arguments = ["token", "create", "--scope", "publish:@acme/*", "--scope", "read"];
    let made = run(program(&data)
        .args(arguments)
        .args(["--scope", "read"])
        .args(["--owner", "acme", "--note", "for CI"]));
    assert_eq!((made.exit, &*made.stderr), (0, ""));
    let token = made.stdout.strip_suffix('\n').unwrap();
    assert!(token.starts_with("fct_pub_") && token.len() == 51, "{token}");
    let listed = run(program(&data).args(["--json", "token", "list"]));
    assert!(!listed.stdout.contains(token), "{}", listed.stdout);
    let listed = json(&listed);
    let record = &listed["tokens"][0];
    assert_eq!(record["scopes"], serde_json::json!(["publish:@acme/*", "read"]));
    assert_eq!((&record["owner"], &record["note"]), (&"acme".into(), &"for CI".into()));
    let id = record["id"].as_str().unwrap();
    assert_eq!(run(program(&data).args(["token", "revoke", id])).exit, 0);
    let listed = json(&run(program(&data).args(["--json", "token", "list"])));
    assert!(listed["tokens"][0]["revoked"].is_string(), "{listed}");
    let unknown = run(program(&data).args(["token", "revoke", "none"]));
    assert_eq!(unknown.exit, 2);
    assert!(unknown.stderr.contains("[token-unknown]"), "{}", unknown.stderr);
    for scope in ["publish", "write:*", "publish:A"] {
        let refused = run(program(&data).args(["token", "create", "--scope", scope]));
        assert_eq!((refused.exit, &*refused.stdout), (2, ""), "{scope}");
    }
    let audit = json(&run(program(&data).args(["--json", "audit"])));
    let actions: Vec<&str> = audit["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    assert!(actions.contains(&"token-create") && actions.contains(&"token-revoke"), "{audit}");
}

#[test]
fn mistakes_in_the_configuration_are_named_with_their_place() {
    let data = operator();
    let file = data.path().join("registry.toml");
    fs::write(&file, "private = true\nread-rat = 5\n").unwrap();
    let refused = run(program(&data).args(["serve", "--config"]).arg(&file));
    assert_eq!((refused.exit, &*refused.stdout), (2, ""));
    assert!(refused.stderr.contains("registry.toml:2:1"), "{}", refused.stderr);
    assert!(refused.stderr.contains("read-rate"), "{}", refused.stderr);
    fs::write(&file, "read-rate = \"fast\"\n").unwrap();
    let refused = run(program(&data).args(["--json", "serve", "--config"]).arg(&file));
    let error = &json(&refused)["error"];
    assert_eq!((&error["code"], &error["line"]), (&"setting-invalid".into(), &1.into()));
    let variable = run(program(&data).env("FACET_REGISTRY_CONNECTIONS", "many").arg("serve"));
    assert!(variable.stderr.contains("FACET_REGISTRY_CONNECTIONS"), "{}", variable.stderr);
    let misspelt = run(program(&data).env("FACET_REGISTRY_PRIVAT", "true").arg("serve"));
    assert_eq!(misspelt.exit, 2);
    assert!(misspelt.stderr.contains("FACET_REGISTRY_PRIVATE"), "{}", misspelt.stderr);
    let tls = run(program(&data).args(["serve", "--tls-cert", "x"]));
    assert!(tls.stderr.contains("[settings-conflict]"), "{}", tls.stderr);
    let pem = run(program(&data).args(["serve", "--tls-cert", "/none", "--tls-key", "/none"]));
    assert!(pem.stderr.contains("[tls-invalid]"), "{}", pem.stderr);
    let empty = data.path().join("empty.pem");
    fs::write(&empty, "").unwrap();
    let empty = empty.to_str().unwrap();
    let pem = run(program(&data).args(["serve", "--tls-cert", empty, "--tls-key", empty]));
    assert!(pem.stderr.contains("the file has no certificate as PEM"), "{}", pem.stderr);
    let secret = run(program(&data).args(["check", "--database", "mysql://u:hunter2@h/d"]));
    assert_eq!(secret.exit, 2);
    assert!(!secret.stderr.contains("hunter2"), "{}", secret.stderr);
}

#[test]
fn the_help_shows_every_setting() {
    let data = operator();
    let help = run(program(&data).args(["serve", "--help"]));
    assert_eq!(help.exit, 0);
    for flag in [
        "--data",
        "--database",
        "--database-file",
        "--blobs",
        "--s3-access-key-file",
        "--s3-secret-key-file",
        "--config",
        "--listen",
        "--private",
        "--tls-cert",
        "--tls-key",
        "--trust-proxy",
        "--public-url",
        "--read-rate",
        "--write-rate",
        "--connections",
        "--facet-size",
        "--server-size",
        "--uploads-at-once",
        "--upload-rate",
        "--upload-window",
        "--probes-at-once",
        "--cache-size",
        "--log",
        "--shutdown-wait",
    ] {
        assert!(
            help.stdout.contains(&format!("{flag} ")) || help.stdout.contains(&format!("{flag}[")),
            "{flag}"
        );
    }
}

#[test]
fn what_is_stored_is_checked_collected_and_saved() {
    let registry = RegistryProcess::start(&[]);
    let token = registry.token(&["publish:*"], "acme");
    let archive = facet("demo", "1.0.0", "text");
    assert_eq!(registry.publish("demo", &archive, &token).status, 201);
    let command = |arguments: &[&str]| run(program(&registry.data).arg("--json").args(arguments));
    let checked = command(&["check"]);
    assert_eq!((checked.exit, json(&checked)["blobs"].as_u64()), (0, Some(1)));
    let collected = json(&command(&["gc", "--older-than", "0", "--dry-run"]));
    assert_eq!((&collected["removed"], &collected["kept"]), (&0.into(), &1.into()));
    assert_eq!(command(&["owner", "set", "facet", "demo", "other"]).exit, 0);
    let refused = registry.publish("demo", &facet("demo", "1.1.0", "text"), &token);
    assert_eq!(refused.code(), "E_NOT_OWNER");
    assert_eq!(json(&command(&["migrate"]))["migrations"], serde_json::json!([]));

    let saved = operator();
    let target = saved.path().join("data");
    let target = target.to_str().unwrap();
    assert_eq!(json(&command(&["backup", target]))["blobs"], 1);
    assert_eq!(run(program(&saved).arg("check")).exit, 0, "a copy is a registry");

    let blob = find_blob(&registry);
    fs::remove_file(&blob).unwrap();
    fs::write(&blob, b"damaged").unwrap();
    let checked = command(&["check"]);
    assert_eq!((checked.exit, &json(&checked)["damaged"][0]["kind"]), (1, &"damaged".into()));
    let second = saved.path().join("second");
    let partial = command(&["backup", second.to_str().unwrap()]);
    assert_eq!((partial.exit, &json(&partial)["damaged"][0]["kind"]), (1, &"damaged".into()));
    fs::remove_file(&blob).unwrap();
    assert_eq!(json(&command(&["check"]))["damaged"][0]["kind"], "absent");
}

#[test]
fn other_users_of_the_machine_read_neither_data_nor_backups() {
    let data = operator();
    let (place, target) = (data.path().join("data"), data.path().join("saved/copy"));
    fs::create_dir(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    let registry = RegistryProcess::start_in(data, &[]);
    let token = registry.token(&["publish:*"], "acme");
    assert_eq!(registry.publish("demo", &facet("demo", "1.0.0", "text"), &token).status, 201);
    assert_eq!(run(program(&registry.data).arg("backup").arg(&target)).exit, 0);
    assert!(place.join("catalog.sqlite").is_file() && target.join("catalog.sqlite").is_file());
    let mut paths = vec![target.clone()];
    paths.extend(entries(&place));
    while let Some(path) = paths.pop() {
        let found = fs::symlink_metadata(&path).unwrap();
        assert_eq!(found.permissions().mode() & 0o077, 0, "{}", path.display());
        if found.is_dir() {
            paths.extend(entries(&path));
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The one blob of a registry.
fn find_blob(registry: &RegistryProcess) -> PathBuf {
    let mut folders = vec![registry.data.path().join("data/blobs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_digest = path.file_name().is_some_and(|name| name.len() == 64);
            if path.is_dir() {
                folders.push(path);
            } else if is_digest {
                return path;
            }
        }
    }
    panic!("no blob");
}

#[test]
fn a_port_that_is_taken_and_an_unknown_code_are_errors_with_a_next_step() {
    let registry = RegistryProcess::start(&[]);
    let data = operator();
    let taken = run(program(&data).args(["serve", "--listen", &registry.address]));
    assert_eq!(taken.exit, 2);
    assert!(taken.stderr.contains("[listen-failed]"), "{}", taken.stderr);
    let explained =
        run(Command::new(env!("CARGO_BIN_EXE_facet-registry")).args(["explain", "listen-failed"]));
    assert_eq!(explained.exit, 0);
    let problem = run(program(&data).args(["explain", "E_VERSION_EXISTS"]));
    assert_eq!(problem.exit, 0, "{}", problem.stderr);
    assert_eq!(run(program(&data).args(["explain", "listen-fail"])).exit, 2);
    let version = run(program(&data).arg("--version"));
    assert!(version.stdout.starts_with("facet-registry "), "{}", version.stdout);
}

#[test]
fn a_command_that_only_looks_makes_no_registry() {
    let data = operator();
    for words in [&["check"][..], &["gc"], &["token", "list"], &["audit"]] {
        let refused = run(program(&data).args(words));
        assert_eq!((refused.exit, &*refused.stdout), (2, ""), "{words:?}");
        assert!(refused.stderr.contains("[registry-missing]"), "{}", refused.stderr);
        assert!(!data.path().join("data").exists(), "{words:?}");
    }
}

#[test]
fn settings_without_a_meaning_are_refused() {
    let data = operator();
    for words in [
        ["serve", "--threads", "99999999"],
        ["serve", "--facet-size", "0"],
        ["serve", "--header-timeout", "0s"],
        ["serve", "--database", "catalog"],
    ] {
        let refused = run(program(&data).args(words));
        assert_eq!(refused.exit, 2, "{words:?}");
        assert!(refused.stderr.contains("[setting-invalid]"), "{words:?}: {}", refused.stderr);
    }
    assert_eq!(run(program(&data).args(["audit", "--limit", "0"])).exit, 2);
    let scope = run(program(&data).args(["token", "create", "--scope", "x"]));
    assert!(scope.stderr.contains("facet-registry token create --help"), "{}", scope.stderr);
}

#[test]
fn a_terminal_that_is_closed_ends_the_server_in_order() {
    let mut registry = RegistryProcess::start(&[]);
    registry.signal(rustix::process::Signal::HUP);
    assert_eq!(registry.wait().code(), Some(0));
}
