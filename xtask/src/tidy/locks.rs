//! The fuzz targets have a workspace and a lockfile of their own, which no ordinary build reads.

use crate::Outcome;
use crate::run::{self, cargo};

pub(super) fn check() -> Outcome<Vec<String>> {
    let mut metadata = cargo();
    metadata.current_dir(run::root().join("fuzz"));
    metadata.args(["metadata", "--quiet", "--locked", "--format-version", "1"]);
    match run::output(&mut metadata) {
        Ok(_) => Ok(Vec::new()),
        Err(reason) if reason.contains("--locked") => {
            let next = "cargo update --workspace --manifest-path fuzz/Cargo.toml";
            Ok(vec![format!("fuzz/Cargo.lock does not match the crates: run {next}")])
        }
        Err(reason) => Err(reason),
    }
}
