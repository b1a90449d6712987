//! The parts that our own binary plays when it is entered again.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The first argument of the stages. Nobody types them.
pub const SUPERVISE: &str = "__facet-supervise";
pub(crate) const CONFINE: &str = "__facet-confine";
pub(crate) const FORWARD: &str = "__facet-forward";

/// What begins the name of a variable on its way to the server, while our own binary confines itself.
const HELD_BACK: &str = "FACET_HELD_";

/// What a variable is called until the server starts.
pub(crate) fn held_back(name: &OsStr) -> OsString {
    let mut held = OsString::from(HELD_BACK);
    held.push(name);
    held
}

/// The variables of the server, by their own names.
pub(crate) fn held_variables() -> Vec<(OsString, OsString)> {
    let held = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.as_bytes().strip_prefix(HELD_BACK.as_bytes())?;
        Some((OsStr::from_bytes(name).to_owned(), value))
    });
    held.collect()
}

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
