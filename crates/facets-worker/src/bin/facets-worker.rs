//! Plays the worker's part in tests of libraries.

fn main() -> std::process::ExitCode {
    facets_worker::enter(&[]);
    std::process::ExitCode::from(2)
}
