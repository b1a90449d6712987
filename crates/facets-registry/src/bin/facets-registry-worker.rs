//! Plays the part of the registry's program in tests of this library.

use std::ffi::OsString;
use std::process::ExitCode;

use facets_registry::{PROBE_STAGES, PROBE_WORKER, probe_worker};

fn main() -> ExitCode {
    facets_worker::enter(PROBE_STAGES);
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.split_first() {
        Some((part, rest)) if part == PROBE_WORKER => probe_worker(rest),
        _ => ExitCode::from(2),
    }
}
