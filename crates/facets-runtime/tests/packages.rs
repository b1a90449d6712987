//! Runtimes from a registry on this machine: fetched, verified, refused, evicted, removed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;
use std::process::{Command, Stdio};

use facets_digest::{Digest, NoProgress};
use facets_failure::Describe as _;
use facets_fetch::NoFetchProgress;
use facets_runtime::{ManagedRuntime, RuntimeError, Runtimes};
use facets_store::{CheckedBy, FileMode, StoreError, TreeItem, TreePin, TreeWriter};
use facets_testkit::{PackageRegistry, unused_address};
use support::{
    PACKAGE, PROGRAM, Scratch, VERSION, described, fetcher, flip, registry, runtime, tarball,
};

/// Two files that belong to the package, of which the program alone is kept.
const FILES: &[(&str, &[u8])] = &[("package.json", b"{}"), ("bin/bun", PROGRAM)];

fn install(
    scratch: &Scratch,
    runtime: &'static ManagedRuntime,
    base: &str,
) -> Result<Vec<u8>, RuntimeError> {
    let store = scratch.store();
    let fetcher = fetcher(base, scratch.path());
    let installed = Runtimes::new(&store).install(runtime, &fetcher, &NoFetchProgress)?;
    assert_eq!(installed.digest(), Digest::of(PROGRAM));
    assert_eq!(installed.runtime().version, VERSION);
    assert_eq!(installed.program(), installed.program_for_start()?);
    Ok(fs::read(installed.program()).unwrap())
}

/// The entries of the store that are intact.
fn intact(scratch: &Scratch) -> usize {
    let verdicts = scratch.store().verify(&NoProgress).unwrap();
    verdicts.iter().filter(|verdict| verdict.problem.is_none()).count()
}

#[test]
fn a_runtime_is_fetched_once_and_then_verified() {
    let scratch = Scratch::new();
    let (runtime, package) = runtime(FILES);
    let store = scratch.store();
    assert!(Runtimes::new(&store).installed(runtime).unwrap().is_none());
    assert_eq!(install(&scratch, runtime, &registry(&package).base).unwrap(), PROGRAM);
    assert_eq!(install(&scratch, runtime, &unused_address()).unwrap(), PROGRAM, "not fetched");
    let installed = Runtimes::new(&store).installed(runtime).unwrap().unwrap();
    let files: Vec<&str> = installed.tree().manifest().items().map(|(path, _)| path).collect();
    assert_eq!(files, ["bin", "bin/bun"]);
    let item = installed.tree().manifest().item("bin/bun").unwrap();
    assert!(matches!(item, TreeItem::File { mode: FileMode::Executable, .. }), "{item:?}");
}

#[test]
fn a_package_that_is_not_in_the_table_is_refused_with_both_hashes() {
    let scratch = Scratch::new();
    let (runtime, package) = runtime(FILES);
    let other = tarball(&[("bin/bun", PROGRAM), ("more", b"")]);
    let error = install(&scratch, runtime, &registry(&other).base).unwrap_err();
    let failure = error.describe();
    assert_eq!(failure.code, "runtime-mismatch", "{error}");
    assert!(failure.message.contains(PACKAGE), "{error}");
    assert_eq!(failure.expected, Some(Digest::of(&package).to_string()));
    assert_eq!(failure.actual, Some(Digest::of(&other).to_string()));
    assert_eq!(scratch.store().entries().unwrap(), []);
}

#[test]
fn a_program_that_is_not_in_the_table_is_refused() {
    for (content, actual) in [
        (&[("bin/bun", &b"another"[..])][..], Digest::of(b"another").to_string()),
        (&[("bin/node", PROGRAM)][..], "no such file".to_owned()),
    ] {
        let scratch = Scratch::new();
        let package = tarball(content);
        let error = install(&scratch, described(&package), &registry(&package).base).unwrap_err();
        assert_eq!(error.code(), "runtime-mismatch", "{error}");
        assert_eq!(error.expected(), Some(Digest::of(PROGRAM).to_string()));
        assert_eq!(error.actual(), Some(actual));
        assert_eq!(scratch.store().entries().unwrap(), []);
    }
}

#[test]
fn a_modified_program_is_refused_evicted_and_fetched_again() {
    let scratch = Scratch::new();
    let (runtime, package) = runtime(FILES);
    let registry = registry(&package);
    install(&scratch, runtime, &registry.base).unwrap();
    let store = scratch.store();
    let program = Runtimes::new(&store).installed(runtime).unwrap().unwrap().program();
    flip(&program);
    let error = install(&scratch, runtime, &registry.base).unwrap_err();
    assert_eq!(error.code(), "store-tampered", "{error}");
    assert!(!program.exists());
    assert!(Runtimes::new(&store).installed(runtime).unwrap().is_none());
    assert_eq!(install(&scratch, runtime, &registry.base).unwrap(), PROGRAM);
}

#[test]
fn a_thorough_look_hashes_every_byte_of_the_program() {
    let scratch = Scratch::new();
    let (runtime, package) = runtime(FILES);
    let store = scratch.store();
    let runtimes = Runtimes::new(&store);
    assert!(runtimes.installed_hashed(runtime).unwrap().is_none());
    install(&scratch, runtime, &registry(&package).base).unwrap();
    let installed = runtimes.installed_hashed(runtime).unwrap().unwrap();
    assert_eq!(installed.tree().checked_by(), CheckedBy::Hash);
    let program = installed.program();
    drop(installed);
    flip(&program);
    let error = runtimes.installed_hashed(runtime).unwrap_err();
    assert_eq!(error.code(), "store-tampered", "{error}");
}

type Case = fn(&mut TreeWriter<'_>) -> Result<(), StoreError>;

#[test]
fn a_tree_that_was_replaced_with_its_manifest_is_refused_and_evicted() {
    let (runtime, package) = runtime(FILES);
    let registry = registry(&package);
    let cases: [Case; 4] = [
        |tree| tree.file("bin/bun", FileMode::Executable, &b"another"[..]).map(drop),
        |tree| tree.file("bin/bun", FileMode::Plain, PROGRAM).map(drop),
        |tree| {
            tree.file("bin/bun", FileMode::Executable, PROGRAM)?;
            tree.file("bunfig.toml", FileMode::Plain, &b""[..]).map(drop)
        },
        |tree| tree.directory("bin/bun"),
    ];
    for (index, fill) in cases.into_iter().enumerate() {
        let scratch = Scratch::new();
        let store = scratch.store();
        let key = runtime.binary().unwrap().key();
        drop(store.put_tree(&key, TreePin::AsStored, fill).unwrap());
        let error = Runtimes::new(&store).installed(runtime).unwrap_err();
        assert_eq!(error.code(), "runtime-mismatch", "{index}: {error}");
        assert_eq!(store.entries().unwrap(), [], "{index}");
        assert_eq!(install(&scratch, runtime, &registry.base).unwrap(), PROGRAM, "{index}");
    }
}

#[test]
fn a_runtime_is_removed_unless_it_is_in_use() {
    let scratch = Scratch::new();
    let (runtime, package) = runtime(FILES);
    let store = scratch.store();
    let runtimes = Runtimes::new(&store);
    assert!(!runtimes.remove(runtime).unwrap());
    install(&scratch, runtime, &registry(&package).base).unwrap();
    let used = runtimes.installed(runtime).unwrap();
    assert_eq!(runtimes.remove(runtime).unwrap_err().code(), "runtime-in-use");
    drop(used);
    assert!(runtimes.remove(runtime).unwrap());
    assert!(runtimes.installed(runtime).unwrap().is_none());
}

#[test]
fn a_registry_that_has_no_such_version_leaves_nothing() {
    let scratch = Scratch::new();
    let (runtime, _) = runtime(FILES);
    let empty = PackageRegistry::bind().start();
    let error = install(&scratch, runtime, &empty.base).unwrap_err();
    assert_eq!(error.code(), "fetch-not-found", "{error}");
    assert_eq!(scratch.store().entries().unwrap(), []);
}

/// Not a test of its own: one of the processes.
#[test]
#[ignore = "started by another test, twice"]
fn install_the_same() {
    let (Some(cache), Ok(base)) =
        (std::env::var_os("RUNTIME_CACHE"), std::env::var("RUNTIME_BASE"))
    else {
        return;
    };
    let store = facets_store::Store::open(cache.as_ref()).unwrap();
    let (runtime, _) = runtime(FILES);
    let home = tempfile::tempdir().unwrap();
    let fetcher = fetcher(&base, home.path());
    Runtimes::new(&store).install(runtime, &fetcher, &NoFetchProgress).unwrap();
}

#[test]
fn two_processes_at_once_install_it_once() {
    let scratch = Scratch::new();
    let (_, package) = runtime(FILES);
    let registry = registry(&package);
    let start = |_: usize| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "install_the_same", "--ignored", "--nocapture"]);
        command.env("RUNTIME_CACHE", scratch.cache()).env("RUNTIME_BASE", &registry.base);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<_> = (0..2).map(start).collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!((scratch.store().entries().unwrap().len(), intact(&scratch)), (1, 1));
}
