//! Nothing beside the locked bytes runs: changed trees, planted caches and configuration, swapped runtimes, edited closures.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod packaged;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use facets_testkit::NpmPackage;
use packaged::{Place, npm_server, npm_word, wheel_server, wheel_word};
use serde_json::{Value, json};

/// Looks from inside at what could have run beside the server.
const LOOK: &str = "globalThis.planted = globalThis.planted || 'nothing';\n\
    process.env.SEEN_FROM_INSIDE = String(globalThis.planted) + ' ' + String(process.env.FROM_DOTENV);\n";

fn said(answer: &Value) -> Value {
    let text = answer["result"]["content"][0]["text"].as_str();
    serde_json::from_str(text.unwrap_or_else(|| panic!("{answer}"))).unwrap()
}

/// A place with the server `mine` of npm.
fn npm_place(prelude: &str) -> Option<Place> {
    let place = Place::with_own_cache()?;
    place.host.publish_npm(&npm_word("1.0.0", "blue"));
    place.host.publish_npm(&npm_server("my-server", "1.0.0", "Shows variables.", prelude));
    place.facet(&["add", "mine", "npm:my-server", "--yes"]).exits(0);
    Some(place)
}

/// Writes to a file of the store, whatever its mode.
fn overwrite(path: &Path, change: impl Fn(Vec<u8>) -> Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let mode = fs::metadata(path).unwrap().permissions();
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(path, change(bytes)).unwrap();
    fs::set_permissions(path, mode).unwrap();
}

fn open(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Whether a session starts.
fn starts(place: &Place) -> bool {
    let mut command = place.command(&["run", "mine"]);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    command.status().unwrap().success()
}

#[test]
fn a_changed_byte_of_the_tree_is_not_started_and_a_new_file_neither() {
    let Some(place) = npm_place("") else { return };
    assert!(starts(&place));
    let tree = place.trees().into_iter().find(|tree| tree.join("node_modules").is_dir()).unwrap();
    let file = tree.join("node_modules/word-of-the-day/index.js");
    overwrite(&file, |bytes| String::from_utf8(bytes).unwrap().replace("blue", "evil").into());
    assert!(!starts(&place), "the dependency was changed");
    // What was found modified is fetched and unpacked again.
    place.facet(&["install"]).exits(0);
    assert!(starts(&place));
    let tree = place.trees().into_iter().find(|tree| tree.join("node_modules").is_dir()).unwrap();
    open(&tree.join("node_modules/word-of-the-day"));
    fs::write(tree.join("node_modules/word-of-the-day/more.js"), "").unwrap();
    assert!(!starts(&place), "a file was added");
}

#[test]
fn verify_hashes_every_byte_of_a_tree() {
    let Some(place) = npm_place("") else { return };
    place.facet(&["verify"]).exits(0);
    let tree = place.trees().into_iter().find(|tree| tree.join("node_modules").is_dir()).unwrap();
    overwrite(&tree.join("node_modules/my-server/index.js"), |mut bytes| {
        bytes.push(b'\n');
        bytes
    });
    let ran = place.facet(&["verify"]);
    assert_ne!(ran.exit, 0, "{ran:?}");
}

#[test]
fn an_edited_closure_is_not_started() {
    let Some(place) = npm_place("") else { return };
    let path = ".facets/closures/mine.json";
    let closure = place.trusted.read(path);
    for edited in [
        closure.replace("1.0.0", "1.0.1"),
        closure.replacen(' ', "  ", 1),
        closure.replace("\"size\":", "\"size\": "),
        String::new(),
    ] {
        place.trusted.write(path, &edited);
        assert_eq!(place.refused(&["run", "mine"]), "lock-edited");
        assert_ne!(place.facet(&["verify"]).exit, 0);
    }
    fs::remove_file(place.trusted.file(path)).unwrap();
    assert_eq!(place.refused(&["run", "mine"]), "lock-edited");
    place.trusted.write(path, &closure);
    assert!(starts(&place));
}

#[test]
fn configuration_beside_the_server_has_no_effect_inside() {
    let Some(place) = npm_place(LOOK) else { return };
    let plant = "globalThis.planted = 'preloaded';\n";
    place.trusted.write("plant.js", plant);
    place.trusted.write("bunfig.toml", "preload = [\"./plant.js\"]\n");
    place.trusted.write(".env", "FROM_DOTENV=planted\nNODE_OPTIONS=--require ./plant.js\n");
    place
        .trusted
        .write(".npmrc", "registry=http://127.0.0.1:9/\nnode-options=--require ./plant.js\n");
    place.trusted.write(
        "tsconfig.json",
        "{\"compilerOptions\":{\"paths\":{\"word-of-the-day\":[\"./plant.js\"]}}}",
    );
    fs::create_dir_all(place.trusted.file("node_modules/word-of-the-day")).unwrap();
    place.trusted.write("node_modules/word-of-the-day/index.js", plant);
    // Bun's own cache in the home of the user.
    fs::create_dir_all(place.user.path().join(".bun/install/cache/@t@")).unwrap();
    let mut command = place.command(&["run", "mine"]);
    command.env("NODE_OPTIONS", "--require ./plant.js").env("BUN_OPTIONS", "--preload ./plant.js");
    command.env("NODE_PATH", place.trusted.file("node_modules"));
    let mut client = facets_testkit::Client::start(&mut command, std::process::Stdio::inherit());
    client.initialize("test", &json!({}));
    let env = said(&client.call("env", &json!({})));
    assert_eq!(env["SEEN_FROM_INSIDE"], "nothing undefined", "{env:#}");
    for name in ["NODE_OPTIONS", "BUN_OPTIONS", "NODE_PATH", "FROM_DOTENV", "npm_config_registry"] {
        assert_eq!(env.get(name), None, "{name}: {env:#}");
    }
    client.close();
}

#[test]
fn what_bun_made_of_the_files_is_verified_like_the_files() {
    // Bun keeps what it makes of larger files.
    let large = "// ".to_owned() + &"long comment ".repeat(8_000) + "\n";
    let Some(place) = npm_place(&format!("{LOOK}{large}")) else { return };
    // As root, bun could write to the store: then it has no cache unless its files are confined.
    place.facet(&["grant", "mine", "filesystem=none", "--yes"]).exits(0);
    place.facet(&["check"]).exits(0);
    let is_cache = |tree: &std::path::PathBuf| !tree.join("node_modules").is_dir();
    let cache = place.trees().into_iter().find(is_cache).unwrap();
    let made: Vec<_> = fs::read_dir(&cache).unwrap().flatten().map(|one| one.path()).collect();
    assert!(!made.is_empty(), "bun keeps nothing any more");
    assert!(starts(&place));
    overwrite(&made[0], |mut bytes| {
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        bytes
    });
    assert!(!starts(&place), "the cache was changed");
}

#[test]
fn python_reads_nothing_beside_the_tree() {
    let Some(place) = Place::with_own_cache() else { return };
    let look = "import os, sys\nos.environ['SEEN'] = str(getattr(sys, 'planted', 'nothing'))\n";
    place.host.publish_wheel(&wheel_word("1.0"));
    place.host.publish_wheel(&wheel_server("1.0", "Shows variables.", look));
    place.facet(&["add", "mine", "pypi:my-server", "--yes"]).exits(0);
    let plant = "import sys\nsys.planted = 'yes'\nWORD = 'evil'\n";
    for name in ["wordofday.py", "sitecustomize.py", "usercustomize.py", "json.py"] {
        place.trusted.write(name, plant);
    }
    let mut command = place.command(&["run", "mine"]);
    command.env("PYTHONPATH", place.trusted.project()).env("PYTHONSTARTUP", "wordofday.py");
    let mut client = facets_testkit::Client::start(&mut command, std::process::Stdio::inherit());
    client.initialize("test", &json!({}));
    let env = said(&client.call("env", &json!({})));
    assert_eq!(env["SEEN"], "nothing", "{env:#}");
    assert_eq!(env.get("PYTHONPATH"), None);
    client.close();
    let tree = place.trees().into_iter().find(|tree| tree.join("my_server").is_dir()).unwrap();
    let compiled = fs::read_dir(tree.join("__pycache__")).unwrap().flatten().next().unwrap();
    overwrite(&compiled.path(), |mut bytes| {
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        bytes
    });
    assert!(!starts(&place), "bytecode was changed");
}

#[test]
fn a_swapped_runtime_is_not_started() {
    let Some(place) = npm_place("") else { return };
    let found = std::process::Command::new("find")
        .arg(place.cache.join("facet/store/v1/runtimes"))
        .args(["-name", "bun", "-type", "f"])
        .output()
        .unwrap();
    let bun = std::path::PathBuf::from(String::from_utf8(found.stdout).unwrap().trim());
    open(bun.parent().unwrap());
    fs::remove_file(&bun).unwrap();
    fs::write(&bun, "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(&bun, fs::Permissions::from_mode(0o555)).unwrap();
    assert!(!starts(&place));
}

#[test]
fn another_python_than_the_pinned_one_is_refused_until_it_is_approved() {
    let Some(place) = Place::with_own_cache() else { return };
    place.host.publish_wheel(&wheel_word("1.0"));
    place.host.publish_wheel(&wheel_server("1.0", "Shows variables.", ""));
    place.facet(&["add", "mine", "pypi:my-server", "--yes"]).exits(0);
    let lock = place.trusted.read("facets.lock");
    let entry = place.entry("mine");
    let digest = entry["runtime"]["binaries"].as_object().unwrap().values().next().unwrap();
    let other = format!("sha256:{}", "0".repeat(64));
    place.trusted.write("facets.lock", &lock.replace(digest.as_str().unwrap(), &other));
    // The launch is another one, so nothing of it is approved, and the lock does not match itself.
    assert!(!starts(&place));
}

#[test]
fn grants_confine_a_package() {
    let prelude = "let net = 'open'; try { require('child_process').spawnSync('true').error && (net = 'closed') } catch { net = 'closed' }\n\
        process.env.SPAWN = net;\n";
    let Some(place) = npm_place(prelude) else { return };
    let seen = |place: &Place| {
        let mut client = place.session("mine");
        let env = said(&client.call("env", &json!({})));
        client.close();
        env["SPAWN"].as_str().unwrap().to_owned()
    };
    assert_eq!(seen(&place), "open", "packages start with everything");
    place
        .facet(&["grant", "mine", "network=none", "subprocess=no", "filesystem=none", "--yes"])
        .exits(0);
    assert_eq!(seen(&place), "closed");
    place.facet(&["grant", "mine", "observed", "--yes"]).exits(0);
    let grants = place.entry("mine")["grants"].clone();
    assert_eq!(grants["network"], "none", "{grants}");
}

#[test]
fn a_variable_that_chooses_code_is_refused() {
    let Some(place) = Place::new() else { return };
    place.host.publish_npm(&npm_word("1.0.0", "blue"));
    place.host.publish_npm(&npm_server("my-server", "1.0.0", "Shows variables.", ""));
    let mut command = place.command(&[
        "--format",
        "json",
        "add",
        "mine",
        "npm:my-server",
        "--yes",
        "--env",
        "NODE_OPTIONS",
    ]);
    let ran = trusted::Ran::of(&command.env("NODE_OPTIONS", "").output().unwrap());
    assert!(format!("{ran:?}").contains("package-variable-refused"), "{ran:?}");
}

#[test]
fn no_script_of_a_package_runs() {
    let Some(place) = Place::new() else { return };
    let mark = place.trusted.file("mark");
    let touch = format!("touch {}", mark.display());
    let scripted = NpmPackage::new("word-of-the-day", "1.0.0")
        .file("index.js", "module.exports = 'blue';\n")
        .script("preinstall", &touch)
        .script("install", &touch)
        .script("postinstall", &touch)
        .script("prepare", &touch);
    place.host.publish_npm(&scripted);
    place.host.publish_npm(&npm_server("my-server", "1.0.0", "Shows variables.", ""));
    let added = place.json(&["add", "mine", "npm:my-server", "--yes"]).exits(0).json();
    assert_eq!(added["package"]["scripts"], json!(["word-of-the-day@1.0.0"]), "{added:#}");
    assert!(!mark.exists());
}

/// Keeps a count beside its own code, as some servers do.
const COUNTING: &str = "const fs = require('fs'); const at = __dirname + '/count.txt';\n\
    let count = 0; try { count = Number(fs.readFileSync(at, 'utf8')); } catch {}\n\
    fs.writeFileSync(at, String(count + 1)); process.env.COUNT = String(count);\n";

#[test]
fn a_server_that_writes_beside_its_code_gets_a_copy_in_which_pinned_files_are_verified() {
    let Some(place) = Place::with_own_cache() else { return };
    place.host.publish_npm(&npm_word("1.0.0", "blue"));
    place.host.publish_npm(&npm_server("my-server", "1.0.0", "Shows variables.", COUNTING));
    place.facet(&["add", "mine", "npm:my-server", "--yes", "--copy"]).exits(0);
    assert_eq!(place.entry("mine")["copy"], true);
    let count = |place: &Place| {
        let mut client = place.session("mine");
        let env = said(&client.call("env", &json!({})));
        client.close();
        env["COUNT"].as_str().unwrap().parse::<u32>().unwrap()
    };
    let first = count(&place);
    assert_eq!(count(&place), first + 1, "what it wrote is there the next time");
    place.facet(&["verify"]).exits(0);
    let found = std::process::Command::new("find")
        .arg(&place.home)
        .args(["-path", "*word-of-the-day/index.js"])
        .output()
        .unwrap();
    let file = std::path::PathBuf::from(String::from_utf8(found.stdout).unwrap().trim());
    fs::write(&file, "module.exports = 'evil';\n").unwrap();
    assert_eq!(place.refused(&["run", "mine"]), "package-copy-modified");
    place.facet(&["data", "mine", "--clear", "--yes"]).exits(0);
    assert_eq!(count(&place), 0, "a new copy");
}

#[test]
fn a_server_that_cannot_write_beside_its_code_is_named_and_offered_a_copy() {
    let Some(place) = Place::with_own_cache() else { return };
    place.host.publish_npm(&npm_word("1.0.0", "blue"));
    place.host.publish_npm(&npm_server("my-server", "1.0.0", "Shows variables.", ""));
    place.facet(&["add", "mine", "npm:my-server", "--yes"]).exits(0);
    place.facet(&["grant", "mine", "filesystem=none", "--yes"]).exits(0);
    place.host.publish_npm(&npm_server("my-server", "1.1.0", "Shows variables.", COUNTING));
    let ran = place.facet(&["upgrade", "mine", "--yes", "--accept", "critical"]);
    assert_ne!(ran.exit, 0, "{ran:?}");
    assert!(ran.talk.contains("writes beside its own code"), "{ran:?}");
    assert!(ran.talk.contains("--copy"), "{ran:?}");
}
