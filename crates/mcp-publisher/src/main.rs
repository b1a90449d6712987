#![doc = include_str!("../README.md")]

mod args;
mod bundle_hash;
mod commands;
mod complete;
mod error;
mod explain;
mod file_result;
mod hash_gen;
mod init;
mod listing;
mod output;
mod progress;
mod project_files;
mod render;
mod server_file;
mod shown;
mod text;
mod validate;
mod verify;

use std::process::ExitCode;

use args::{Args, OutputFormat};
use clap::Parser as _;
use error::PublisherError;
use shown::Shown;

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => {
            let format = args.output_format();
            output::print(&run_or_admit_a_defect(args), format)
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
    use clap::error::ErrorKind;
    let format = if asks_for_json() { OutputFormat::Json } else { OutputFormat::Human };
    let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let shown = match (is_answer, format) {
        (true, OutputFormat::Human) => Shown::styled(error.render().ansi().to_string()),
        (true, OutputFormat::Json) if error.kind() == ErrorKind::DisplayVersion => {
            render::answer("version", env!("CARGO_PKG_VERSION"))
        }
        (true, OutputFormat::Json) => render::answer("help", &error.to_string()),
        (false, OutputFormat::Json) => render::usage(&error.to_string()),
        // The refused words are quoted, and may be anything.
        (false, OutputFormat::Human) => Shown::failure(
            error.to_string().lines().map(|line| text::visible(line) + "\n").collect(),
        ),
    };
    output::print(&shown, format)
}

/// What clap could not parse has to be looked for by hand.
fn asks_for_json() -> bool {
    let words: Vec<_> = std::env::args_os().take_while(|word| word != "--").collect();
    let pair = words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
    pair || words.iter().any(|word| word == "--format=json" || word == "--json")
}
