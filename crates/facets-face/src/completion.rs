//! Completion of command lines while they are typed, and manual pages.

use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};

/// Answers a shell that asks, by this variable, what could come next; none if no shell asks.
#[must_use]
pub fn answer_shell(variable: &'static str, command: fn() -> Command) -> Option<ExitCode> {
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(command)
        .var(variable)
        .try_complete(std::env::args_os(), here.as_deref());
    match asked {
        Ok(false) => None,
        Ok(true) => Some(ExitCode::SUCCESS),
        Err(_) => Some(ExitCode::from(2)),
    }
}

/// What a shell reads to have that done for a program.
#[must_use]
pub fn script(program: &str, variable: &str, shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        // Writing into memory does not fail.
        let _ = completer.write_registration(variable, program, program, program, &mut script);
    }
    script
}

/// The manual page of a program.
#[must_use]
pub fn manual_page(command: Command) -> Vec<u8> {
    let mut page = Vec::new();
    // Writing into memory does not fail.
    let _ = clap_mangen::Man::new(command).render(&mut page);
    page
}
