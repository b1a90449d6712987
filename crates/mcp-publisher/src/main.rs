#![doc = include_str!("../README.md")]

mod args;
mod commands;
mod error;
mod explain;
mod face;
mod init;
mod project_files;
mod render;
mod validate;

use std::process::ExitCode;

use args::Args;
use clap::{CommandFactory as _, Parser as _};
use error::PublisherError;
use face::{COMPLETION_VARIABLE, FACE};
use facets_face::completion::answer_shell;
use facets_face::{Audience, Shown};

fn main() -> ExitCode {
    if let Some(code) = answer_shell(COMPLETION_VARIABLE, Args::command) {
        return code;
    }
    match Args::try_parse() {
        Ok(args) => {
            let audience = args.output_format().audience();
            FACE.print(&run_or_admit_a_defect(args), audience)
        }
        Err(error) => usage(&error),
    }
}

/// A defect is never a yes: whatever was to be judged is not judged.
fn run_or_admit_a_defect(args: Args) -> Shown {
    let renderer = commands::renderer(&args);
    let run = std::panic::AssertUnwindSafe(|| commands::run(args, &renderer));
    std::panic::catch_unwind(run).unwrap_or_else(|_| renderer.failure(&PublisherError::Internal))
}

/// Help and version are answers; everything else that clap reports is a wrong command line.
fn usage(error: &clap::Error) -> ExitCode {
    let audience = Audience::typed();
    FACE.print(&FACE.command_line(error, &error.to_string(), audience), audience)
}
