#![doc = include_str!("../README.md")]

mod args;
mod commands;
mod output;
mod progress;
mod render;

use std::process::ExitCode;

use args::{Args, Format};
use clap::Parser as _;
use output::Shown;

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => {
            let format = args.format;
            output::print(&commands::run(args), format)
        }
        Err(error) => usage(&error),
    }
}

/// Help and version are answers; everything else that clap reports is a wrong command line.
fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    let asks_for_json = std::env::args().any(|arg| arg == "json" || arg == "--format=json");
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output::print(&Shown::styled(error.render().ansi().to_string()), Format::Human)
        }
        _ if asks_for_json => output::print(&render::json::usage(&error.to_string()), Format::Json),
        _ => output::print(&Shown::failure(error.render().ansi().to_string()), Format::Human),
    }
}
