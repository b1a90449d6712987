//! `facet runtime`: fetched from the registry that npm is configured with, and refused if its hash differs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::path::PathBuf;

use facets_digest::Digest;
use facets_model::RuntimeName;
use facets_runtime::current;
use facets_store::Store;
use facets_testkit::PackageRegistry;
use trusted::{Ran, Trusted};

struct FreshMachine {
    trusted: Trusted,
}

impl FreshMachine {
    fn new() -> Self {
        Self { trusted: Trusted::new() }
    }

    fn caches(&self) -> PathBuf {
        self.trusted.folder.path().join("caches")
    }

    /// With a registry of npm, and no other configuration.
    fn facet(&self, registry: &PackageRegistry, words: &[&str]) -> Ran {
        let mut command = self.trusted.command(words);
        command.env("XDG_CACHE_HOME", self.caches()).env("HOME", self.trusted.folder.path());
        command.env("npm_config_registry", format!("{}/npm/", registry.base));
        Ran::of(&command.output().unwrap())
    }
}

#[test]
fn another_package_than_that_of_the_table_is_refused_and_nothing_is_stored() {
    let machine = FreshMachine::new();
    let runtime = current(RuntimeName::Bun);
    let Ok(binary) = runtime.binary() else { return };
    let mut registry = PackageRegistry::bind();
    registry.add_npm(binary.package, runtime.version, b"another");
    let registry = registry.start();
    let refused = machine.facet(&registry, &["runtime", "install"]).exits(2);
    assert!(refused.talk.contains("[runtime-mismatch]"), "{refused:?}");
    assert!(refused.talk.contains(&binary.package_digest().to_string()), "{refused:?}");
    assert!(refused.talk.contains(&Digest::of(b"another").to_string()), "{refused:?}");
    let store = Store::find(&machine.caches().join("facet")).unwrap().unwrap();
    assert_eq!(store.entries().unwrap(), []);
    let list = machine.facet(&registry, &["runtime"]).exits(0);
    assert!(list.out.contains("not installed"), "{list:?}");
}

#[test]
fn a_registry_without_the_package_is_named() {
    let machine = FreshMachine::new();
    let registry = PackageRegistry::bind().start();
    let refused = machine.facet(&registry, &["runtime", "install", "bun"]).exits(2);
    assert!(refused.talk.contains("[fetch-not-found]"), "{refused:?}");
    assert!(refused.talk.contains("npm:@oven/bun-"), "{refused:?}");
}
