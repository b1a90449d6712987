//! The door: which part our own binary is to play.

use std::ffi::OsString;

use crate::stage::{CONFINE, FORWARD, SUPERVISE, Stage};
use crate::{confine, forward, supervise};

/// From here on a panic ends the process, as a signal would: half a supervisor, or half a session, is
/// worse than none.
pub fn abort_on_panic() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        std::process::abort();
    }));
}

/// Plays the part that the arguments ask for and never comes back; or does nothing.
pub fn enter(stages: &[Stage]) {
    let mut arguments = std::env::args_os().skip(1);
    let part = arguments.next();
    if part.as_ref().is_some_and(|part| [SUPERVISE, FORWARD, CONFINE].iter().any(|one| part == one))
    {
        abort_on_panic();
    }
    match part {
        Some(stage) if stage == SUPERVISE => supervise::run(),
        Some(stage) if stage == FORWARD => forward::run(),
        Some(stage) if stage == CONFINE => {
            confine::run(&arguments.collect::<Vec<OsString>>(), stages)
        }
        _ => {}
    }
}
