#![doc = include_str!("../README.md")]

mod confine;
mod forward;
mod launch_spec;
mod proxy;
mod supervise;
mod tree;

pub use confine::{Confinement, available_confinement};
pub use launch_spec::{
    Filesystem, LaunchSpec, LaunchSpecError, Network, Program, Sandbox, Subprocess,
};
pub use supervise::end_orphans;

use std::ffi::OsString;
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
    /// What [`Program::Stage`] calls it.
    pub name: &'static str,
    /// Runs it to its end; the result is the exit code.
    pub run: fn() -> i32,
}

/// Plays the part that the arguments ask for and never comes back; or does nothing.
pub fn enter(stages: &[Stage]) {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(stage) if stage == SUPERVISE => supervise::run(),
        Some(stage) if stage == FORWARD => forward::run(),
        Some(stage) if stage == CONFINE => {
            confine::run(&arguments.collect::<Vec<OsString>>(), stages)
        }
        _ => {}
    }
}
