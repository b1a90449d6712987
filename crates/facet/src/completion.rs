//! Completion of commands, options and names, while they are typed.

use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::env::{CompleteEnv, Shells};

use crate::args::Args;

/// By which the script of a shell asks. Entries of client files cannot set it (spec 10.6).
const VARIABLE: &str = "FACET_COMPLETE";

/// Answers a shell that asks what could come next; none if no shell asks.
pub(crate) fn answer_shell() -> Option<ExitCode> {
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(Args::command)
        .var(VARIABLE)
        .try_complete(std::env::args_os(), here.as_deref());
    match asked {
        Ok(false) => None,
        Ok(true) => Some(ExitCode::SUCCESS),
        Err(_) => Some(ExitCode::from(2)),
    }
}

/// What a shell reads to have that done.
pub(crate) fn script(shell: clap_complete::Shell) -> Vec<u8> {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        // Writing into memory does not fail.
        let _ = completer.write_registration(VARIABLE, "facet", "facet", "facet", &mut script);
    }
    script
}
