//! `facet build`, `facet digest archive`, `facet unpack`: the same tree is the same archive everywhere.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use facets_digest::Digest;
use facets_testkit::{component, put_program, repository_root, skip};
use serde_json::{Value, json};
use trusted::{FACET, Ran, Trusted};

const MANIFEST: &str = "name: demo\nversion: 1.2.3\nruntime: bun\nentry: src/index.ts\n";

/// The files of a server, in an order that is not the one of an archive.
const FILES: &[(&str, &str)] = &[
    ("src/index.ts", "console.log('demo')\n"),
    ("server.yaml", MANIFEST),
    ("bin/tool", "#!/bin/sh\n"),
    (".gitignore", "*.log\n"),
    ("debug.log", "not packed\n"),
    ("src-a.ts", "export {}\n"),
];

fn write_tree<'f>(root: &Path, files: impl IntoIterator<Item = &'f (&'f str, &'f str)>) {
    for (path, text) in files {
        let full = root.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
    }
}

fn set_mode(path: &Path, bits: u32) {
    fs::set_permissions(path, Permissions::from_mode(bits)).unwrap();
}

/// A project with a server in it.
fn with_server() -> (Trusted, PathBuf) {
    let trusted = Trusted::new();
    let server = trusted.project().join("server");
    write_tree(&server, FILES);
    set_mode(&server.join("bin/tool"), 0o755);
    (trusted, server)
}

fn built(trusted: &Trusted, words: &[&str]) -> Value {
    trusted.json(&[&["build"][..], words].concat()).exits(0).json()
}

fn listing(root: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_same_tree_is_the_same_archive_wherever_and_however_it_was_written() {
    let (trusted, _) = with_server();
    let first = built(&trusted, &["server"]);
    let archive = fs::read(trusted.file("demo-1.2.3.server.tar.gz")).unwrap();
    assert_eq!(first["content_hash"], Digest::of(&archive).to_string());
    assert_eq!(first["size"], archive.len());

    let elsewhere = Trusted::new();
    let other = elsewhere.project().join("a/much/longer/path/to it");
    write_tree(&other, FILES.iter().rev());
    set_mode(&other.join("bin/tool"), 0o700);
    set_mode(&other.join("src/index.ts"), 0o600);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let index = File::options().write(true).open(other.join("src/index.ts")).unwrap();
    index.set_times(FileTimes::new().set_modified(long_ago)).unwrap();
    let script = format!("umask 077; exec {FACET} build --output ../out.tar.gz 'to it'");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(other.parent().unwrap());
    Ran::of(&shell.env("FACET_DIR", elsewhere.home()).output().unwrap()).exits(0);
    let again = fs::read(elsewhere.file("a/much/longer/path/../out.tar.gz")).unwrap();
    assert_eq!(again, archive);
}

/// The archive of the files, built here.
fn usual_archive() -> Vec<u8> {
    let (trusted, _) = with_server();
    built(&trusted, &["server"]);
    fs::read(trusted.file("demo-1.2.3.server.tar.gz")).unwrap()
}

/// Dates everything in a directory, itself included.
fn set_dates(path: &Path, seconds: u64) {
    let date = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let times = FileTimes::new().set_modified(date).set_accessed(date);
    File::open(path).unwrap().set_times(times).unwrap();
    for entry in fs::read_dir(path).into_iter().flatten() {
        set_dates(&entry.unwrap().path(), seconds);
    }
}

#[test]
fn dates_and_locales_are_not_in_the_archive() {
    let (trusted, server) = with_server();
    let archive = usual_archive();
    let cases =
        [(0, "C", "UTC"), (5_000_000_000, "tr_TR.UTF-8", "Asia/Tokyo"), (1, "", "nonsense")];
    for (seconds, locale, zone) in cases {
        set_dates(&server, seconds);
        let mut command = trusted.command(&["build", "server", "--output", "out"]);
        command.env("LC_ALL", locale).env("LANG", locale).env("TZ", zone);
        command.env("SOURCE_DATE_EPOCH", seconds.to_string());
        Ran::of(&command.output().unwrap()).exits(0);
        assert_eq!(fs::read(trusted.file("out")).unwrap(), archive, "{seconds} {locale} {zone}");
        fs::remove_file(trusted.file("out")).unwrap();
    }
}

/// Tells a program another time, if that asks the C library for it.
const CLOCK: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (clock != CLOCK_REALTIME) return syscall(SYS_clock_gettime, clock, now);
  now->tv_sec = NOW;
  now->tv_nsec = 0;
  return 0;
}
";

/// A library with that clock, or a visible skip.
fn clock_library(folder: &Path, now: u64) -> Option<PathBuf> {
    let compiler = component("cc")?;
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    fs::write(&source, CLOCK).unwrap();
    let mut compile = Command::new(compiler);
    compile.args(["-shared", "-fPIC", &format!("-DNOW={now}"), "-o"]).arg(&library).arg(&source);
    Ran::of(&compile.output().unwrap()).exits(0);
    Some(library)
}

#[test]
fn the_clock_is_not_in_the_archive() {
    let (trusted, _) = with_server();
    let archive = usual_archive();
    for now in [0, 1_000_000_000, 5_000_000_000] {
        let Some(library) = clock_library(trusted.folder.path(), now) else { return };
        let run = |command: &mut Command| {
            Ran::of(&command.env("LD_PRELOAD", &library).output().unwrap()).exits(0).out
        };
        assert_eq!(run(Command::new("date").arg("+%s")).trim(), now.to_string());
        run(&mut trusted.command(&["build", "server", "--output", "out"]));
        assert_eq!(fs::read(trusted.file("out")).unwrap(), archive, "{now}");
        fs::remove_file(trusted.file("out")).unwrap();
    }
}

#[test]
fn a_facet_is_also_the_same_archive_wherever_and_however_it_was_written() {
    let yaml = "name: helper\nversion: 0.1.0\ncommands:\n  hi:\n    description: Says hi\n\
                skills:\n  plan:\n    description: Plans\n    files: [a.md, b/c.md]\n";
    let files = [
        ("facet.yaml", yaml),
        ("commands/hi.md", "Say hi.\n"),
        ("skills/plan/SKILL.md", "Plan.\n"),
        ("skills/plan/a.md", "a"),
        ("skills/plan/b/c.md", "c"),
    ];
    let trusted = Trusted::new();
    write_tree(&trusted.file("one"), &files);
    built(&trusted, &["one"]);
    let archive = fs::read(trusted.file("helper-0.1.0.facet")).unwrap();
    let other = trusted.file("another/long path");
    write_tree(&other, files.iter().rev());
    set_mode(&other.join("commands/hi.md"), 0o600);
    set_dates(&other, 1_000_000_000);
    let script = format!("umask 077; exec {FACET} build 'another/long path' --output out");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(trusted.project()).env("FACET_DIR", trusted.home());
    shell.env("LC_ALL", "tr_TR.UTF-8").env("TZ", "Asia/Tokyo");
    Ran::of(&shell.output().unwrap()).exits(0);
    assert_eq!(fs::read(trusted.file("out")).unwrap(), archive);
}

#[test]
fn a_checkout_of_git_is_the_same_archive() {
    let Some(git) = component("git") else { return };
    let (trusted, server) = with_server();
    let run = |directory: &Path, words: &[&str]| {
        let mut command = Command::new(&git);
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"]).args(words);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        Ran::of(&command.current_dir(directory).output().unwrap()).exits(0);
    };
    run(&server, &["init", "--quiet"]);
    run(&server, &["add", "."]);
    run(&server, &["commit", "--quiet", "--message", "All"]);
    run(&trusted.project(), &["clone", "--quiet", "server", "clone"]);
    set_dates(&trusted.file("clone"), 1_000_000_000);
    built(&trusted, &["clone"]);
    let archive = fs::read(trusted.file("demo-1.2.3.server.tar.gz")).unwrap();
    assert_eq!(archive, usual_archive());
}

#[test]
fn another_user_builds_the_same_archive() {
    if !rustix::process::geteuid().is_root() {
        return skip("only root can switch to another user");
    }
    let (trusted, _) = with_server();
    // Directories of tests are closed to others, and so may be the one of the program.
    let (top, program) = (trusted.folder.path(), trusted.folder.path().join("facet"));
    set_mode(top, 0o755);
    put_program(Path::new(FACET), &program);
    let chown = Command::new("chown").args(["-R", "nobody"]).arg(trusted.project()).status();
    assert!(chown.unwrap().success());
    let mut command = Command::new("runuser");
    command.args(["-u", "nobody", "--"]).arg(program).args(["build", "server"]);
    command.current_dir(trusted.project()).env("FACET_DIR", trusted.file("home"));
    Ran::of(&command.output().unwrap()).exits(0);
    let archive = fs::read(trusted.file("demo-1.2.3.server.tar.gz")).unwrap();
    assert_eq!(archive, usual_archive());
}

#[test]
fn what_goes_in_and_what_is_left_out_is_listed() {
    let (trusted, server) = with_server();
    fs::create_dir(server.join(".git")).unwrap();
    let report = built(&trusted, &["server"]);
    let paths = |member: &str| -> Vec<String> {
        let all = report[member].as_array().unwrap().iter();
        all.map(|one| one["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        paths("files"),
        [".gitignore", "bin/tool", "server.yaml", "src-a.ts", "src/index.ts"]
    );
    assert_eq!(paths("left_out"), [".git/", "debug.log"]);
    assert_eq!(report["left_out"][1]["pattern"], "*.log");
    let programs =
        report["files"].as_array().unwrap().iter().filter(|one| one["executable"] == true);
    assert_eq!(programs.count(), 1);
    assert_eq!((&report["kind"], &report["name"]), (&"server".into(), &"demo".into()));
    assert_eq!(report["version"], "1.2.3");
}

#[test]
fn what_was_built_is_what_is_read_and_unpacked() {
    let (trusted, server) = with_server();
    let report = built(&trusted, &["server"]);
    let archive = "demo-1.2.3.server.tar.gz";
    let read = trusted.json(&["digest", "archive", archive]).exits(0).json();
    for member in ["kind", "name", "version", "integrity", "content_hash", "files", "size"] {
        assert_eq!(read[member], report[member], "{member}");
    }
    let unpacked = trusted.json(&["unpack", archive, "--into", "out"]).exits(0).json();
    assert_eq!(unpacked["files"], report["files"]);
    let out = trusted.file("out");
    assert_eq!(fs::read(out.join("bin/tool")).unwrap(), fs::read(server.join("bin/tool")).unwrap());
    let mode = |path: &str| fs::metadata(out.join(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("bin/tool"), mode("server.yaml")), (0o555, 0o444));
    // What was unpacked gives the same archive.
    let again = built(&trusted, &["out", "--output", "again.tar.gz"]);
    assert_eq!(again["content_hash"], report["content_hash"]);
}

#[test]
fn secrets_and_links_are_refused_by_name_and_nothing_is_written() {
    let (trusted, server) = with_server();
    write_tree(&server, &[(".env.local", "A=1\n"), ("keys/id_rsa", "x\n")]);
    symlink("/etc/passwd", server.join("src/passwords")).unwrap();
    let refused = trusted.json(&["build", "server"]).exits(1).json();
    let problems: Vec<(&str, &str)> = refused["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["file"].as_str().unwrap(), one["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        problems,
        [
            ("server/.env.local", "archive-secret"),
            ("server/keys/id_rsa", "archive-secret"),
            ("server/src/passwords", "archive-symlink"),
        ]
    );
    let checked = trusted.json(&["build", "--check", "server"]).exits(1).json();
    assert_eq!(checked["problems"], refused["problems"]);
    let help = trusted.facet(&["build", "--help"]).exits(0).out;
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(help.join(" ").contains("all files that would be packed; write nothing"), "{help:?}");
    assert_eq!(listing(&trusted.project()), ["server"]);
    fs::remove_file(server.join("src/passwords")).unwrap();
    let allowed = ["server", "--allow-secret", ".env.local", "--allow-secret", "keys/id_rsa"];
    assert_eq!(built(&trusted, &allowed)["files"].as_array().unwrap().len(), 7);
}

#[test]
fn a_secret_that_is_allowed_and_not_packed_is_a_mistake() {
    let (trusted, server) = with_server();
    write_tree(&server, &[("keys/test.pem", "x\n")]);
    let allowed = ["server", "--allow-secret", "./keys/test.pem", "--allow-secret", "nope"];
    for verb in [&["build"][..], &["build", "--check"]] {
        let error = trusted.json(&[verb, &allowed].concat()).exits(2).json();
        assert_eq!(error["error"]["code"], "build-secret-not-packed");
        assert!(error["error"]["message"].as_str().unwrap().contains("nope"), "{error:#}");
    }
    assert_eq!(listing(&trusted.project()), ["server"]);
    built(&trusted, &allowed[..3]);
}

#[test]
fn quiet_leaves_out_the_lists_and_standard_output_gets_no_archive() {
    let (trusted, _) = with_server();
    let out = trusted.facet(&["build", "server", "--quiet"]).exits(0).out;
    let labels: Vec<&str> =
        out.lines().map(|line| line.split([' ', ':']).next().unwrap()).collect();
    assert_eq!(labels, ["built", "integrity", "content", "archive"]);
    let refused = trusted.facet(&["build", "server", "--output", "-"]).exits(2);
    assert!(refused.talk.contains("not written to standard output"), "{refused:?}");
    assert_eq!(listing(&trusted.project()), ["demo-1.2.3.server.tar.gz", "server"]);
}

#[test]
fn an_archive_is_overwritten_only_by_force() {
    let (trusted, server) = with_server();
    let first = built(&trusted, &["server"]);
    assert_eq!(first["unchanged"], false);
    assert_eq!(built(&trusted, &["server"])["unchanged"], true);
    fs::write(server.join("src/index.ts"), "changed\n").unwrap();
    let error = trusted.json(&["build", "server"]).exits(2).json();
    assert_eq!(error["error"]["code"], "build-output-exists");
    let archive = trusted.file("demo-1.2.3.server.tar.gz");
    assert_eq!(Digest::of(&fs::read(&archive).unwrap()).to_string(), first["content_hash"]);
    let forced = built(&trusted, &["server", "--force"]);
    assert_eq!(Digest::of(&fs::read(&archive).unwrap()).to_string(), forced["content_hash"]);
    assert_ne!(forced["integrity"], first["integrity"]);
}

#[test]
fn an_archive_never_becomes_part_of_the_next_one() {
    let (trusted, server) = with_server();
    let first = built(&trusted, &["server"]);
    for output in ["server/demo-1.2.3.server.tar.gz", "server/debug.log"] {
        let report = built(&trusted, &["server", "--force", "--output", output]);
        assert_eq!(report["integrity"], first["integrity"], "{output}");
    }
    for output in ["server/other.tgz", "server/src/a.server.tar.gz", "server/new/x/y"] {
        let error = trusted.json(&["build", "server", "--output", output]).exits(2).json();
        assert_eq!(error["error"]["code"], "build-output-inside", "{output}");
        assert!(!trusted.file(output).exists(), "{output}");
    }
    symlink("server", trusted.file("link")).unwrap();
    let error = trusted.json(&["build", "server", "--output", "link/x"]).exits(2).json();
    assert_eq!(error["error"]["code"], "build-output-inside");
    assert!(!server.join("new").exists());
}

#[test]
fn a_manifest_with_problems_is_not_built() {
    let (trusted, server) = with_server();
    fs::write(server.join("server.yaml"), MANIFEST.replace("bun", "deno")).unwrap();
    let refused = trusted.json(&["build", "server"]).exits(1).json();
    assert_eq!(refused["problems"][0]["code"], "manifest-bad-runtime");
    fs::write(server.join("server.yaml"), MANIFEST).unwrap();
    fs::write(server.join(".facetignore"), "index.ts\n").unwrap();
    let error = trusted.json(&["build", "server"]).exits(2).json();
    assert_eq!(error["error"]["code"], "archive-no-entry");
    assert_eq!(listing(&trusted.project()), ["server"]);
}

#[test]
fn a_facet_goes_round_and_yaml_becomes_json() {
    let trusted = Trusted::new();
    let folder = trusted.project().join("f");
    let yaml = "name: '@acme/helper'\nversion: 0.1.0\ncommands:\n  hi:\n    description: Says hi\n";
    write_tree(&folder, &[("facet.yaml", yaml), ("commands/hi.md", "Say hi.\n"), ("x.md", "x")]);
    let report = built(&trusted, &["f"]);
    assert_eq!(report["output"], "acme-helper-0.1.0.facet");
    assert_eq!(report["files"].as_array().unwrap().len(), 2);
    let unpack = ["unpack", "acme-helper-0.1.0.facet", "--into", "out"];
    let unpacked = trusted.json(&unpack).exits(0).json();
    assert_eq!(unpacked["integrity"], report["integrity"]);
    assert_eq!(listing(&trusted.file("out")), ["commands", "facet.json"]);
    assert!(trusted.read("out/facet.json").starts_with("{\n  \"name\": \"@acme/helper\""));
}

/// A server that imports a package, and prints what that gives.
fn with_package(trusted: &Trusted, folder: &str, package: &str, version: &str) -> PathBuf {
    let server = trusted.project().join(folder);
    let json = format!(r#"{{ "name": "demo", "dependencies": {{ "{package}": "{version}" }} }}"#);
    let code = format!(
        "import test from '{package}'\nconsole.log(test(3), require('path').basename(__dirname))\n"
    );
    let files = [
        ("package.json", json.as_str()),
        ("src/index.ts", code.as_str()),
        ("server.yaml", MANIFEST),
    ];
    write_tree(&server, &files);
    server
}

/// bun, if there is a registry of npm that it can reach.
fn bun_with_registry() -> Option<PathBuf> {
    let (npm, bun) = (component("npm")?, component("bun")?);
    let view = Command::new(npm).args(["view", "is-odd@3.0.1", "version"]).output();
    if !view.is_ok_and(|output| output.status.success()) {
        skip("no registry of npm can be reached");
        return None;
    }
    Some(bun)
}

fn write_lock(bun: &Path, server: &Path) {
    let mut install = Command::new(bun);
    install.args(["install", "--lockfile-only", "--save-text-lockfile"]).current_dir(server);
    assert!(install.output().unwrap().status.success());
}

/// Runs facet with a cache that several runs of these tests share: the runtime is large.
fn with_runtime(trusted: &Trusted, words: &[&str]) -> Ran {
    let caches = repository_root().join("target/test-caches");
    fs::create_dir_all(&caches).unwrap();
    let mut command = trusted.command(&[&["--format", "json"][..], words].concat());
    Ran::of(&command.env("XDG_CACHE_HOME", caches).output().unwrap())
}

#[test]
fn packages_need_a_lock_of_just_these() {
    let trusted = Trusted::new();
    let server = with_package(&trusted, "server", "is-odd", "3.0.1");
    let code = || {
        let mut command = trusted.command(&["--format", "json", "build", "server"]);
        command.env("XDG_CACHE_HOME", trusted.folder.path().join("caches"));
        let error = Ran::of(&command.output().unwrap()).exits(2).json();
        let code = error["error"]["code"].as_str().unwrap().to_owned();
        if code.ends_with("-lock") {
            // Here is no bun, neither of facet nor of the user.
            let next = "facet runtime install bun, then the same command again";
            assert_eq!(error["error"]["next"], next);
        }
        code
    };
    assert_eq!(code(), "build-no-lock");
    fs::write(server.join("bun.lockb"), "").unwrap();
    assert_eq!(code(), "build-binary-lock");
    let lock = |version: &str| {
        let root = format!(r#""": {{ "dependencies": {{ "is-odd": "{version}", }}, }},"#);
        format!("{{ \"lockfileVersion\": 1, \"workspaces\": {{ {root} }}, }}")
    };
    fs::write(server.join("bun.lock"), lock("3.0.0")).unwrap();
    assert_eq!(code(), "build-stale-lock");
    fs::write(server.join("bun.lock"), "{").unwrap();
    assert_eq!(code(), "build-package-document");
    // Without dependencies nothing is bundled.
    fs::write(server.join("package.json"), r#"{ "devDependencies": { "a": "1.0.0" } }"#).unwrap();
    assert_eq!(built(&trusted, &["server"])["bundle"], Value::Null);
}

#[test]
fn packages_are_bundled_and_the_bundle_is_the_same_everywhere() {
    let Some(bun) = bun_with_registry() else { return };
    let trusted = Trusted::new();
    let server = with_package(&trusted, "server", "is-odd", "3.0.1");
    write_lock(&bun, &server);
    let report = with_runtime(&trusted, &["build", "server"]).exits(0).json();
    assert_eq!(report["bundle"]["entry"], "src/index.facet.js");
    assert_eq!(report["bundle"]["packages"], json!(["is-number@6.0.0", "is-odd@3.0.1"]));
    let archive = "demo-1.2.3.server.tar.gz";
    trusted.json(&["unpack", archive, "--into", "out"]).exits(0);
    let yaml = MANIFEST.replace("src/index.ts", "\"src/index.facet.js\"");
    assert_eq!(trusted.read("out/server.yaml"), yaml);
    assert!(trusted.file("out/src/index.ts").exists());
    assert!(!server.join("node_modules").exists());
    let mut run = Command::new(&bun);
    run.arg(trusted.file("out/src/index.facet.js")).current_dir(trusted.project());
    assert_eq!(String::from_utf8_lossy(&run.output().unwrap().stdout), "true src\n");

    let elsewhere = with_package(&trusted, "another/place", "is-odd", "3.0.1");
    fs::copy(server.join("bun.lock"), elsewhere.join("bun.lock")).unwrap();
    let words = ["build", "another/place", "--output", "again.tar.gz"];
    let again = with_runtime(&trusted, &words).exits(0).json();
    assert_eq!(again["content_hash"], report["content_hash"]);

    // The command of the message writes the lock.
    fs::remove_file(server.join("bun.lock")).unwrap();
    let error = with_runtime(&trusted, &["build", "server"]).exits(2).json();
    assert_eq!(error["error"]["code"], "build-no-lock");
    let mut next = Command::new("sh");
    next.args(["-c", error["error"]["next"].as_str().unwrap()]).current_dir(trusted.project());
    Ran::of(&next.output().unwrap()).exits(0);
    with_runtime(&trusted, &["build", "server", "--force"]).exits(0);

    fs::write(server.join("src/index.facet.js"), "").unwrap();
    let error = with_runtime(&trusted, &["build", "server"]).exits(2).json();
    assert_eq!(error["error"]["code"], "build-bundle-collision");
}

#[test]
fn install_scripts_and_macros_are_refused() {
    let Some(bun) = bun_with_registry() else { return };
    let trusted = Trusted::new();
    let server = with_package(&trusted, "native", "bufferutil", "4.0.8");
    write_lock(&bun, &server);
    let error = with_runtime(&trusted, &["build", "native"]).exits(2).json();
    assert_eq!(error["error"]["code"], "build-package-refused");
    assert_eq!(error["error"]["problems"][0]["file"], "bufferutil@4.0.8");

    let server = with_package(&trusted, "macro", "is-odd", "3.0.1");
    let (pwned, index) = (trusted.file("pwned"), server.join("src/index.ts"));
    let code = format!("export const go = () => require('fs').writeFileSync({pwned:?}, '')\n");
    fs::write(server.join("src/macro.ts"), code).unwrap();
    fs::write(&index, "import { go } from './macro.ts' with { type: 'macro' }\ngo()\n").unwrap();
    write_lock(&bun, &server);
    let error = with_runtime(&trusted, &["build", "macro"]).exits(2).json();
    assert_eq!(error["error"]["code"], "build-bundle-failed");
    assert!(!pwned.exists());
}

#[test]
fn a_refused_archive_leaves_nothing_behind() {
    let (trusted, _) = with_server();
    built(&trusted, &["server"]);
    let archive = fs::read(trusted.file("demo-1.2.3.server.tar.gz")).unwrap();
    let mut flipped = archive.clone();
    let last = flipped.len() - 6;
    flipped[last] ^= 1;
    let longer = [archive.as_slice(), b"\0"].concat();
    let half = &archive[..archive.len() / 2];
    for (name, bytes) in [("cut", half), ("flipped", &flipped[..]), ("longer", &longer[..])] {
        fs::write(trusted.file(name), bytes).unwrap();
        let error = trusted.json(&["unpack", name, "--into", "out"]).exits(2).json();
        assert!(error["error"]["code"].as_str().unwrap().starts_with("archive-"), "{error:#}");
        assert_eq!(error["error"]["file"], name);
        assert!(!trusted.file("out").exists(), "{name}");
        trusted.json(&["digest", "archive", name]).exits(2);
    }
    // A directory that is not empty keeps what it has.
    fs::create_dir(trusted.file("full")).unwrap();
    trusted.write("full/mine", "mine");
    let words = ["unpack", "demo-1.2.3.server.tar.gz", "--into", "full"];
    let error = trusted.json(&words).exits(2).json();
    assert_eq!(error["error"]["code"], "archive-target-occupied");
    assert_eq!(listing(&trusted.file("full")), ["mine"]);
    // An empty one is used.
    fs::create_dir(trusted.file("empty")).unwrap();
    trusted.json(&["unpack", "demo-1.2.3.server.tar.gz", "--into", "empty"]).exits(0);
}
