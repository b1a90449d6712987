//! The parts that our own binary plays when it is entered again.

use std::path::{Path, PathBuf};

/// The first argument of the stages. Nobody types them.
pub const SUPERVISE: &str = "__facet-supervise";
pub(crate) const CONFINE: &str = "__facet-confine";
pub(crate) const FORWARD: &str = "__facet-forward";

/// What facet says to the supervisor: end the server, but let it finish first.
pub const TERMINATE: u8 = b'T';

/// This very executable, also if its file was replaced while it runs.
pub fn own_executable() -> std::io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if link.exists() { Ok(link.to_owned()) } else { std::env::current_exe() }
}

/// A part that our own binary can play inside the sandbox instead of starting a program. The
/// binary registers its stages in `main`, so that the worker knows none of them.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// What [`crate::Program::Stage`] calls it.
    pub name: &'static str,
    /// Runs it to its end; the result is the exit code.
    pub run: fn() -> i32,
}
