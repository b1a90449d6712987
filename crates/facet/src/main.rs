#![doc = include_str!("../README.md")]

mod args;
mod build;
mod cache;
mod commands;
mod completion;
mod connect_offer;
mod consent;
mod decisions;
mod face;
mod follow;
mod gates;
mod inspect;
mod install;
mod install_bar;
mod local_source;
mod missing_source;
mod origin;
mod package_source;
mod progress;
mod publish_bar;
mod registry;
mod registry_source;
mod render;
mod run;
mod runtime;
mod start_directory;
mod token_prompt;
mod trust;
mod typed;
mod typed_words;

use std::process::ExitCode;

use args::Args;
use clap::Parser as _;
use face::FACE;
use facets_face::{Audience, Shown};

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
                let audience = args.output_format().audience();
                return FACE.print(&run_or_admit_a_defect(args), audience);
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
    let audience = Audience::typed();
    FACE.print(&FACE.command_line(error, &usage_text(error, words), audience), audience)
}

/// What is wrong with a command line, and the line to type where that can be told.
fn usage_text(error: &clap::Error, words: &[String]) -> String {
    match typed::with_separator(words) {
        Some(line) => format!("{error}\nPut the command to start after `--`:\n  {line}\n"),
        None => error.to_string(),
    }
}
