//! The real bun, from the npm registry that is configured on this machine.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::process::Command;

use facets_failure::Describe as _;
use facets_fetch::{FetchError, FetchLimits, Fetcher, Machine, NoFetchProgress, Reach};
use facets_model::RuntimeName;
use facets_runtime::{InstalledRuntime, RuntimeError, Runtimes, current};
use facets_testkit::skip;
use support::{Scratch, flip};

/// The real one, or a visible skip if no registry can be reached.
fn install(runtimes: Runtimes<'_>) -> Option<InstalledRuntime> {
    let fetcher = Fetcher::new(Machine::here(), Reach::AsUser, FetchLimits::default());
    match runtimes.install(current(RuntimeName::Bun), &fetcher, &NoFetchProgress) {
        Ok(installed) => Some(installed),
        Err(RuntimeError::NotFetched {
            source: error @ (FetchError::Unreachable { .. } | FetchError::NotFound { .. }),
            ..
        }) => {
            skip(&format!("no npm registry with bun: {error}"));
            None
        }
        Err(error) => panic!("{error}: {:?}", error.describe()),
    }
}

#[test]
fn the_real_bun_is_the_one_of_the_table_and_a_modified_one_is_fetched_again() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let runtimes = Runtimes::new(&store);
    let Some(installed) = install(runtimes) else { return };
    let program = installed.program_for_start().unwrap();
    let version = Command::new(&program).arg("--version").env_clear().output().unwrap();
    assert_eq!(version.stdout, format!("{}\n", installed.runtime().version).into_bytes());
    drop(installed);
    flip(&program);
    let error = runtimes.installed(current(RuntimeName::Bun)).unwrap_err();
    assert_eq!(error.code(), "store-tampered", "{error}");
    assert!(!program.exists());
    let Some(again) = install(runtimes) else { return };
    assert_eq!(again.program(), program);
}
