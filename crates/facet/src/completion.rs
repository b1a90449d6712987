//! Completion of commands, options and names, while they are typed.

use std::process::ExitCode;

use clap::CommandFactory as _;
use facets_face::completion;

use crate::args::Args;

/// By which the script of a shell asks. Entries of client files cannot set it (spec 10.6).
const VARIABLE: &str = "FACET_COMPLETE";

/// Answers a shell that asks what could come next; none if no shell asks.
pub(crate) fn answer_shell() -> Option<ExitCode> {
    completion::answer_shell(VARIABLE, Args::command)
}

/// What a shell reads to have that done.
pub(crate) fn script(shell: clap_complete::Shell) -> Vec<u8> {
    completion::script("facet", VARIABLE, shell)
}
