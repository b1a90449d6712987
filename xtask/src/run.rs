//! Starting programs, quietly unless they fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use crate::Outcome;

pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(Path::to_owned).unwrap_or_default()
}

/// The same cargo that runs us.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Whether `CI` is set, and not to something that means no.
pub(crate) fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(&*value, "" | "0" | "false"))
}

/// Where facet keeps what a user decides, while it is shown or measured: outside of every repository.
pub(crate) fn user_folder(purpose: &str) -> PathBuf {
    std::env::temp_dir().join(format!("facet-{purpose}-{}", std::process::id()))
}

/// Runs to the end; a failure comes back with everything the program said.
pub(crate) fn output(command: &mut Command) -> Outcome<Output> {
    let output = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    Err(format!("{command:?} failed\n{}", String::from_utf8_lossy(&said)))
}

pub(crate) fn text(command: &mut Command) -> Outcome<String> {
    output(command).map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// One step of a longer chore: a line when it is done, with its time.
pub(crate) fn step<T>(name: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f64();
    let verdict = if result.is_ok() { "ok" } else { "FAILED" };
    println!("{name:<12} {verdict} ({seconds:.1} s)");
    result
}

/// Builds what is measured, and says where facet is; what it is measured with is beside it.
pub(crate) fn release_facet() -> Outcome<PathBuf> {
    let packages = ["facet", "facet-registry", "facets-bench", "facets-testkit"];
    let packages = packages.map(|name| ["--package", name]);
    output(cargo().args(["build", "--quiet", "--release"]).args(packages.as_flattened()))?;
    Ok(root().join("target/release/facet"))
}

/// Builds what tests build, and says where facet is; the worker that it starts is beside it.
pub(crate) fn debug_facet() -> Outcome<PathBuf> {
    output(cargo().args(["build", "--quiet", "--workspace"]))?;
    Ok(root().join("target/debug/facet"))
}

pub(crate) fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
