#![doc = include_str!("../README.md")]

mod args;
mod commands;
mod config;
mod error;
mod explain;
mod face;
mod opened;
mod render;
mod timestamp;
mod web;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use facets_face::{Audience, Shown};
use rustix::fs::Mode;

pub use web::{ArtifactRoute, Representation, RequestHead, RouteRefusal, VersionPart};

use args::Args;
use error::ProgramError;
use face::FACE;

/// The program: reads the command line of this process, and does what it says.
#[must_use]
pub fn run() -> ExitCode {
    // Before anything else: this process may be the supervisor of a server, or the scanner of its source.
    facets_worker::enter(&[facets_probe::SCAN_STAGE]);
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [first, rest @ ..] = words.as_slice()
        && first == facets_registry::PROBE_WORKER
    {
        return facets_registry::probe_worker(rest);
    }
    // Other users of this machine read neither the catalog nor archives, also where a directory is open to them.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    // One provider of cryptography for all. If one is installed already, it is this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match Args::try_parse() {
        Ok(args) => {
            let audience = args.output_format().audience();
            FACE.print(&run_or_admit_a_defect(args), audience)
        }
        Err(error) => usage(&error),
    }
}

/// A defect is never a yes: whatever was to be done is not done.
fn run_or_admit_a_defect(args: Args) -> Shown {
    let renderer = commands::renderer(&args);
    let run = std::panic::AssertUnwindSafe(|| commands::run(args, &renderer));
    std::panic::catch_unwind(run).unwrap_or_else(|_| renderer.failure(&ProgramError::Internal))
}

/// Help and version are answers; everything else that clap reports is a wrong command line.
fn usage(error: &clap::Error) -> ExitCode {
    let audience = Audience::typed();
    FACE.print(&FACE.command_line(error, &error.to_string(), audience), audience)
}
