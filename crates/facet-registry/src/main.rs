//! The program; everything is in the library, so that tests and the fuzzer can call it.

use std::process::ExitCode;

fn main() -> ExitCode {
    facet_registry::run()
}
