//! Disks that are full or read-only, and stores of other users: each has its code, and nothing is started.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use facets_testkit::{put_program, skip};
use sourced::{OwnPlace, Place, code_of, error_in, greeting, is_root};
use trusted::{FACET, Ran};

const HELLO: Option<&str> = Some("Hello, Ada!");
/// Where a test that is started again finds its disk.
const DISK: &str = "FACET_TEST_DISK";

/// Runs one of the ignored tests below with mounts of its own, and an empty directory for a disk.
fn with_mounts(test: &str) {
    let words = ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"];
    let can = Command::new("unshare").args(words).output();
    if !is_root() || !can.is_ok_and(|output| output.status.success()) {
        return skip("a file system cannot be mounted here");
    }
    // The runtime is fetched before: a disk of the test would not keep it.
    if Place::new().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut again = Command::new("unshare");
    again.arg("--mount").arg(std::env::current_exe().unwrap());
    again.args(["--exact", test, "--ignored", "--nocapture"]).env(DISK, folder.path());
    let ran = Ran::of(&again.output().unwrap());
    assert!(ran.exit == 0 && ran.out.contains("1 passed"), "{}\n{}", ran.out, ran.talk);
}

/// The disk of a test that was started again, with a file system in memory of this size.
fn disk(size: &str) -> Option<PathBuf> {
    let disk = PathBuf::from(std::env::var_os(DISK)?);
    let options = format!("size={size},mode=755");
    mount(&["-t", "tmpfs", "-o", &options, "none"], &disk);
    Some(disk)
}

fn mount(words: &[&str], disk: &Path) {
    assert!(Command::new("mount").args(words).arg(disk).status().unwrap().success());
}

fn make_read_only(disk: &Path) {
    mount(&["-o", "remount,ro"], disk);
}

/// Leaves no byte free.
fn fill(disk: &Path) -> PathBuf {
    let path = disk.join("filler");
    let mut file = File::create(&path).unwrap();
    for size in [1 << 20, 1 << 12, 1] {
        let zeros = vec![0_u8; size];
        while file.write_all(&zeros).is_ok() {}
    }
    path
}

/// The code with which a command fails that has to.
#[track_caller]
fn code(place: &Place, words: &[&str]) -> String {
    let ran = place.json(words).exits(2);
    code_of(&error_in(&ran)).to_owned()
}

const APPROVE: [&str; 5] = ["approve", "mine", "--yes", "--accept", "critical"];

#[test]
#[ignore = "started by another test, with mounts of its own"]
fn store_on_a_full_disk() {
    let Some(disk) = disk("160m") else { return };
    let place = Place::with_copied_runtime(disk.join("cache")).unwrap();
    place.add_marking("crowded");
    let before = place.trusted.read("facets.lock");
    let filler = fill(&disk);
    // What is stored can be used.
    place.facet(&["verify"]).exits(0);
    assert_eq!(place.greeting().as_deref(), HELLO);
    assert!(place.take_mark());
    place.append("crowded/index.ts", "// a new version");
    assert_eq!(code(&place, &APPROVE), "store-full");
    assert_eq!(code(&place, &["add", "other", "--yes", "./crowded"]), "store-full");
    assert!(!place.take_mark(), "a server was started whose bytes could not be stored");
    assert_eq!(place.trusted.read("facets.lock"), before);
    assert_eq!(place.greeting().as_deref(), HELLO);
    place.facet(&["cache", "verify"]).exits(0);
    fs::remove_file(filler).unwrap();
    place.approve();
    assert!(place.take_mark());
    assert_ne!(place.trusted.read("facets.lock"), before);
}

#[test]
fn a_full_store_refuses_new_bytes_and_starts_those_that_it_has() {
    with_mounts("store_on_a_full_disk");
}

#[test]
#[ignore = "started by another test, with mounts of its own"]
fn keep_the_home_on_a_full_disk() {
    let Some(disk) = disk("4m") else { return };
    let mut place = Place::new().unwrap();
    place.home = disk.join("home");
    fs::create_dir(&place.home).unwrap();
    place.add_marking("homeless");
    let before = place.trusted.read("facets.lock");
    let filler = fill(&disk);
    assert_eq!(place.refusal("run"), "disk-full");
    assert_eq!(code(&place, &["add", "other", "--yes", "./homeless"]), "disk-full");
    assert!(!place.take_mark(), "a session was started that could not be recorded");
    place.facet(&["verify"]).exits(0);
    // A look is possible, an approval is not.
    place.append("homeless/index.ts", "// a new version");
    assert_eq!(code(&place, &APPROVE), "disk-full");
    assert_eq!(place.trusted.read("facets.lock"), before);
    fs::remove_file(filler).unwrap();
    assert_eq!(place.greeting().as_deref(), HELLO);
}

#[test]
fn a_full_home_starts_nothing() {
    with_mounts("keep_the_home_on_a_full_disk");
}

#[test]
#[ignore = "started by another test, with mounts of its own"]
fn build_and_unpack_onto_a_full_disk() {
    let Some(disk) = disk("4m") else { return };
    let place = Place::new().unwrap();
    place.init("written");
    place.facet(&["build", "written", "--output", "out.server.tar.gz"]).exits(0);
    fill(&disk);
    let (file, directory) = (disk.join("out.server.tar.gz"), disk.join("out"));
    let (output, into) = (file.to_str().unwrap(), directory.to_str().unwrap());
    assert_eq!(code(&place, &["build", "written", "--output", output]), "disk-full");
    assert_eq!(code(&place, &["unpack", "out.server.tar.gz", "--into", into]), "disk-full");
    // An empty directory that was there stays, and stays empty.
    fs::create_dir(&directory).unwrap();
    assert_eq!(code(&place, &["unpack", "out.server.tar.gz", "--into", into]), "disk-full");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    let left: Vec<_> = fs::read_dir(&disk).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_full_disk_keeps_nothing_of_an_archive() {
    with_mounts("build_and_unpack_onto_a_full_disk");
}

#[test]
#[ignore = "started by another test, with mounts of its own"]
fn store_on_a_read_only_disk() {
    let Some(disk) = disk("160m") else { return };
    let mut place = Place::with_copied_runtime(disk.join("cache")).unwrap();
    place.add_marking("carved");
    make_read_only(&disk);
    place.facet(&["verify"]).exits(0);
    assert_eq!(place.greeting().as_deref(), HELLO);
    assert!(place.take_mark());
    // It builds the directory, and cannot store the result.
    assert_eq!(place.refusal("check"), "store-unwritable");
    place.append("carved/index.ts", "// a new version");
    assert_eq!(code(&place, &APPROVE), "store-unwritable");
    assert_eq!(code(&place, &["add", "other", "--yes", "./carved"]), "store-unwritable");
    // A cache that cannot even be made.
    place.cache = disk.join("none");
    assert_eq!(place.refusal("run"), "store-unwritable");
    assert_eq!(code(&place, &APPROVE), "store-unwritable");
    assert!(!place.take_mark());
}

#[test]
fn a_read_only_store_is_used_and_refuses_new_bytes() {
    with_mounts("store_on_a_read_only_disk");
}

#[test]
#[ignore = "started by another test, with mounts of its own"]
fn keep_the_home_on_a_read_only_disk() {
    let Some(disk) = disk("4m") else { return };
    let mut place = Place::new().unwrap();
    place.home = disk.join("home");
    fs::create_dir(&place.home).unwrap();
    place.add_marking("settled");
    make_read_only(&disk);
    place.facet(&["verify"]).exits(0);
    assert_eq!(place.refusal("run"), "disk-read-only");
    assert_eq!(place.refusal("check"), "disk-read-only");
    place.append("settled/index.ts", "// a new version");
    assert_eq!(code(&place, &APPROVE), "disk-read-only");
    assert_eq!(code(&place, &["add", "other", "--yes", "./settled"]), "disk-read-only");
    assert!(!place.take_mark());
}

#[test]
fn a_read_only_home_starts_nothing() {
    with_mounts("keep_the_home_on_a_read_only_disk");
}

fn give(path: &Path, user: &str) {
    assert!(Command::new("chown").args(["-hR", user]).arg(path).status().unwrap().success());
}

fn set_mode(path: &Path, bits: u32) {
    fs::set_permissions(path, Permissions::from_mode(bits)).unwrap();
}

#[test]
fn a_store_that_belongs_to_another_user_is_refused() {
    if !is_root() {
        return skip("only root can give files to another user");
    }
    let Some(place) = OwnPlace::new() else { return };
    place.add_marking("foreign");
    let store = place.cache.join("facet");
    let inner = store.join("store/v1");
    // All of it, and a single directory on the way.
    for path in [&store, &inner, &inner.join("servers")] {
        give(path, "nobody");
        for verb in ["run", "verify", "check"] {
            assert_eq!(place.refusal(verb), "store-untrusted", "{verb} {}", path.display());
        }
        assert_eq!(code(&place, &APPROVE), "store-untrusted", "{}", path.display());
        assert!(!place.take_mark());
        give(path, "root");
    }
    // One file of the server: it was replaced.
    let tree = place.stored("servers", &place.entry("mine")["integrity"]).join("tree");
    give(&tree.join("index.ts"), "nobody");
    assert_eq!(place.refusal("run"), "store-tampered");
    assert!(!place.take_mark());
    assert_eq!(place.greeting().as_deref(), HELLO);
}

/// facet as a user who is not root, with a project, a home and a cache of this user.
struct OtherUser {
    place: OwnPlace,
}

impl OtherUser {
    fn new() -> Option<Self> {
        let place = OwnPlace::new()?;
        let top = place.trusted.folder.path();
        // Directories of tests are closed to others, and so may be the one of the program.
        for path in [top, place.cache.parent()?] {
            set_mode(path, 0o755);
        }
        put_program(Path::new(FACET), &top.join("facet"));
        fs::create_dir(top.join("home")).unwrap();
        for path in [&place.trusted.project(), &top.join("home"), &place.cache] {
            give(path, "nobody");
        }
        Some(Self { place })
    }

    fn command(&self, cache: &Path, words: &[&str]) -> Command {
        let top = self.place.trusted.folder.path();
        let mut command = Command::new("runuser");
        // Which gives it the variables of that user.
        command.args(["-u", "nobody", "--", "env"]);
        command.arg(format!("HOME={}", top.join("home").display()));
        command.arg(top.join("facet")).args(words).current_dir(self.place.trusted.project());
        command.env("FACET_DIR", top.join("home/facet")).env("XDG_CACHE_HOME", cache);
        command
    }

    fn facet(&self, cache: &Path, words: &[&str]) -> Ran {
        let words = [&["--format", "json"][..], words].concat();
        Ran::of(&self.command(cache, &words).output().unwrap())
    }

    fn code(&self, cache: &Path, words: &[&str]) -> String {
        code_of(&error_in(&self.facet(cache, words).exits(2))).to_owned()
    }
}

#[test]
fn two_users_have_two_stores_and_neither_uses_that_of_the_other() {
    if !is_root() {
        return skip("only root can switch to another user");
    }
    let Some(other) = OtherUser::new() else { return };
    let (own, top) = (&other.place.cache, other.place.trusted.folder.path());
    other.facet(own, &["init", "server", "shared"]).exits(0);
    other.facet(own, &["add", "mine", "--yes", "./shared"]).exits(0);
    assert_eq!(greeting(&mut other.command(own, &["run", "mine"])).as_deref(), HELLO);
    // The store of root, closed as facet makes it, and then open to be read.
    let Some(roots) = Place::with_copied_runtime(top.join("roots")) else { return };
    set_mode(&roots.cache, 0o755);
    for (mode, code) in [(0o700, "store-unreadable"), (0o755, "store-untrusted")] {
        set_mode(&roots.cache.join("facet"), mode);
        for words in [&["run", "mine"][..], &["add", "again", "--yes", "./shared"][..]] {
            assert_eq!(other.code(&roots.cache, words), code, "{mode:o} {words:?}");
        }
    }
    // Root does not use the store of that user, either.
    let refused = other.place.json(&["add", "again", "--yes", "./shared"]).exits(2);
    assert_eq!(code_of(&error_in(&refused)), "store-untrusted");
    assert_eq!(greeting(&mut other.command(own, &["run", "mine"])).as_deref(), HELLO);
}
