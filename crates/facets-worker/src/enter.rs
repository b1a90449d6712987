//! The door: which part our own binary is to play.

use std::ffi::OsString;

use crate::stage::{CONFINE, FORWARD, SUPERVISE, Stage};
use crate::{confine, forward, supervise};

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
