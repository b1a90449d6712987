#![doc = include_str!("../README.md")]

mod args;
mod cache;
mod commands;
mod completion;
mod consent;
mod decisions;
mod follow;
mod gates;
mod inspect;
mod origin;
mod output;
mod progress;
mod render;
mod run;
mod shown;
mod start_directory;
mod trust;
mod typed;

use std::process::ExitCode;

use args::{Args, OutputFormat};
use clap::Parser as _;
use shown::Shown;

fn main() -> ExitCode {
    // Before anything else: this process may be the supervisor of a server.
    facets_worker::enter(&[facets_probe::SCAN_STAGE]);
    if let Some(code) = completion::answer_shell() {
        return code;
    }
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let refused = match Args::try_parse() {
        Ok(args) => {
            let Some((kind, message)) = args.mistake() else {
                let format = args.output_format();
                return output::print(&run_or_admit_a_defect(args), format);
            };
            typed::command_error(&words, kind, message)
        }
        Err(error) => typed::explained(error, &words),
    };
    usage(&refused, &words)
}

/// A defect in facet is never a yes: whatever was to be judged is not judged.
fn run_or_admit_a_defect(args: Args) -> Shown {
    let renderer = commands::renderer(&args);
    let run = std::panic::AssertUnwindSafe(|| commands::run(args, &renderer));
    std::panic::catch_unwind(run).unwrap_or_else(|_| {
        renderer.failure(&facets_ops::OpsError::Internal { subject: "this command".to_owned() })
    })
}

/// Help and version are answers; everything else that clap reports is a wrong command line.
fn usage(error: &clap::Error, words: &[String]) -> ExitCode {
    use clap::error::ErrorKind;
    let format = if asks_for_json() { OutputFormat::Json } else { OutputFormat::Human };
    let shown = match (error.kind(), format) {
        (ErrorKind::DisplayHelp, OutputFormat::Json) => {
            render::json::answer("help", &error.to_string())
        }
        (ErrorKind::DisplayVersion, OutputFormat::Json) => {
            render::json::answer("version", env!("CARGO_PKG_VERSION"))
        }
        (ErrorKind::DisplayHelp | ErrorKind::DisplayVersion, _) => {
            Shown::styled(error.render().ansi().to_string())
        }
        (_, OutputFormat::Json) => render::json::usage(&usage_text(error, words)),
        // The refused words are quoted, and may be anything.
        (_, OutputFormat::Human | OutputFormat::Sarif) => Shown::failure(
            usage_text(error, words).lines().map(|line| render::visible(line) + "\n").collect(),
        ),
    };
    output::print(&shown, format)
}

/// What is wrong with a command line, and the line to type where that can be told.
fn usage_text(error: &clap::Error, words: &[String]) -> String {
    match typed::with_separator(words) {
        Some(line) => format!("{error}\nPut the command to start after `--`:\n  {line}\n"),
        None => error.to_string(),
    }
}

/// What clap could not parse has to be looked for by hand.
fn asks_for_json() -> bool {
    let words: Vec<_> = std::env::args_os().take_while(|word| word != "--").collect();
    let pair = words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
    pair || words.iter().any(|word| word == "--format=json" || word == "--json")
}
