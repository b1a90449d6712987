//! From the command line to a result.

use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use facets_face::completion::{manual_page, script};
use facets_face::{DownloadBar, Shown};
use facets_fetch::{FetchLimits, Fetcher, Machine, Reach};
use facets_file_hashes::{ServerFile, Unhashed, hash_gen, verify};
use facets_files::FileError;

use crate::args::{Args, Command};
use crate::error::PublisherError;
use crate::explain::{codes, explain};
use crate::face::{COMPLETION_VARIABLE, FACE};
use crate::init::init;
use crate::render::Renderer;
use crate::validate::validate;

/// How results are to be shown.
pub(crate) fn renderer(args: &Args) -> Renderer {
    Renderer { format: args.output_format(), quiet: args.quiet, verbose: args.verbose }
}

/// Runs a command.
pub(crate) fn run(args: Args, renderer: &Renderer) -> Shown {
    let Args { directory, command, .. } = args;
    let result = route(command, directory.as_deref(), renderer);
    result.unwrap_or_else(|error| renderer.failure(&error))
}

fn route(
    command: Command,
    directory: Option<&Path>,
    renderer: &Renderer,
) -> Result<Shown, PublisherError> {
    let at = |file: PathBuf| directory.map_or_else(|| file.clone(), |folder| folder.join(&file));
    let bar = || DownloadBar::new(renderer.is_quiet());
    Ok(match command {
        Command::Init { file } => renderer.init(&init(&at(file))?),
        Command::Validate { file } => renderer.validate(&validate(&at(file))?),
        Command::HashGen { file } => {
            let file = ServerFile::read(&at(file))?;
            let report = hash_gen(&file, &fetcher(directory), &bar())?;
            renderer.hash_gen(&file.path, report)
        }
        Command::Verify { file } => {
            let file = ServerFile::read(&at(file))?;
            let fetcher = fetcher(directory);
            renderer.verify(&verify(&file, Unhashed::Skipped, &fetcher, &bar())?)
        }
        Command::Explain { code: Some(code) } => renderer.explanation(&explain(&code)?),
        Command::Explain { code: None } => renderer.codes(codes().all()),
        Command::Completions { shell } => {
            renderer.whole("script", script(FACE.program, COMPLETION_VARIABLE, shell))
        }
        Command::Man { target: None } => renderer.whole("page", manual_page(Args::command())),
        Command::Man { target: Some(folder) } => renderer.manual(&write_manual(&at(folder))?),
    })
}

/// Writes a page for each command, and says where.
fn write_manual(folder: &Path) -> Result<PathBuf, PublisherError> {
    let unwritable = |source| FileError::Unwritable { path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    clap_mangen::generate_to(Args::command(), folder).map_err(unwritable)?;
    Ok(folder.to_owned())
}

/// As the user's own npm and pip would fetch.
fn fetcher(directory: Option<&Path>) -> Fetcher {
    let mut machine = Machine::here();
    if let Some(directory) = directory {
        machine.directory = machine.directory.join(directory);
    }
    Fetcher::new(machine, Reach::AsUser, FetchLimits::default())
}
