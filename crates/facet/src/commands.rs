//! From arguments to a request, from a report to what is shown.

use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use facets_digest::json::Origin;
use facets_ops::build_check::{BuildCheckRequest, build_check};
use facets_ops::connect::{ConnectRequest, connect, disconnect};
use facets_ops::digest_contract::{
    DigestCompareRequest, DigestContractRequest, Mode, digest_compare, digest_contract,
};
use facets_ops::digest_file::{DigestFileRequest, digest_file};
use facets_ops::digest_json::{DigestJsonRequest, digest_json};
use facets_ops::digest_surface::{DigestSurfaceRequest, digest_surface};
use facets_ops::doctor::{DoctorRequest, doctor};
use facets_ops::explain::{explain, explanations};
use facets_ops::init::{self, InitRequest, init};
use facets_ops::list::list;
use facets_ops::remove::{RemoveRequest, remove};
use facets_ops::scan::{ScanRequest, scan};
use facets_ops::{Input, OpsError};

use crate::args::{Args, Command, ContractMode, Digest, InitKind};
use crate::output::Shown;
use crate::progress::Bar;
use crate::render::{self, Renderer};

pub(crate) fn run(args: Args) -> Shown {
    let renderer = Renderer {
        format: args.format,
        quiet: args.quiet,
        verbose: args.verbose,
        directory: args.directory,
    };
    let result =
        enter(renderer.directory.as_deref()).and_then(|()| command(args.command, &renderer));
    result.unwrap_or_else(|error| renderer.failure(&error))
}

fn enter(directory: Option<&Path>) -> Result<(), OpsError> {
    let Some(directory) = directory else {
        return Ok(());
    };
    let path = directory.to_owned();
    std::env::set_current_dir(directory).map_err(|source| match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => OpsError::NotADirectory { path },
        _ => OpsError::Unreadable { path, source },
    })
}

fn command(command: Command, renderer: &Renderer) -> Result<Shown, OpsError> {
    Ok(match command {
        Command::Init { kind, target: directory, name } => {
            renderer.init(&init(InitRequest { kind: kind.into(), directory, name })?)
        }
        Command::Build { check: _, target: directory } => {
            renderer.build_check(&build_check(&BuildCheckRequest { directory })?)
        }
        Command::Digest(Digest::File { files }) => digest_files(files, renderer)?,
        Command::Digest(Digest::Json { file, print, captured }) => {
            let origin = if captured { Origin::Captured } else { Origin::Authored };
            let request = DigestJsonRequest { input: file.into(), origin };
            renderer.digest_json(&digest_json(request)?, print)
        }
        Command::Digest(Digest::Surface { file }) => {
            let request = DigestSurfaceRequest { input: file.into() };
            renderer.digest_surface(&digest_surface(&request)?)
        }
        Command::Digest(Digest::Contract { file, mode }) => {
            let mode = match mode {
                ContractMode::V1 => Mode::V1,
                ContractMode::FusionV1 => Mode::FusionV1,
            };
            let request = DigestContractRequest { input: file.into(), mode };
            renderer.digest_contract(&digest_contract(&request)?)
        }
        Command::Digest(Digest::Compare { before, after }) => {
            let request = DigestCompareRequest { before: before.into(), after: after.into() };
            renderer.digest_compare(&digest_compare(&request)?)
        }
        Command::Scan { target: path } => {
            let bar = Bar::without_end(renderer.is_quiet());
            let report = scan(&ScanRequest { path }, &bar)?;
            drop(bar);
            renderer.scan(&report)
        }
        Command::Inspect(arguments) => crate::inspect::run(arguments, renderer)?,
        Command::Add(arguments) => crate::trust::run_add(arguments, renderer)?,
        Command::Check(arguments) => crate::gates::run_check(arguments, renderer)?,
        Command::Approve(arguments) => crate::trust::run_approve(arguments, renderer)?,
        Command::Verify { names, against, gate } => {
            crate::gates::run_verify(names, against, gate, renderer)?
        }
        Command::Diff { before, after, gate } => {
            crate::gates::run_diff(before, after, gate, renderer)?
        }
        Command::List => renderer.list(&list()?),
        Command::Remove { names } => {
            let request = RemoveRequest { names };
            remove(&request)?;
            renderer.removed(&request.names)
        }
        Command::Doctor => {
            let directory = PathBuf::from(".");
            renderer.doctor(&doctor(&DoctorRequest { directory }))
        }
        Command::Explain { code: Some(code) } => renderer.explanation(&explain(&code)?),
        Command::Explain { code: None } => renderer.codes(explanations()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "facet", &mut script);
            renderer.whole("script", script)
        }
        Command::Man { target } => manual(target, renderer)?,
        other => session(other, renderer)?,
    })
}

/// Commands about clients and running servers.
fn session(command: Command, renderer: &Renderer) -> Result<Shown, OpsError> {
    Ok(match command {
        Command::Adopt(arguments) => crate::trust::run_adopt(arguments, renderer)?,
        Command::Connect { clients, user, yes } => {
            let consent = crate::consent::Terminal { yes };
            let request = ConnectRequest { clients, scope: crate::trust::scope(user) };
            renderer.connected(&connect(&request, &consent)?, consent.asks())
        }
        Command::Disconnect { clients, yes } => {
            let consent = crate::consent::Terminal { yes };
            renderer.connected(&disconnect(&clients, &consent)?, consent.asks())
        }
        Command::Run(arguments) => crate::run::run_server(arguments, renderer)?,
        Command::Grant { name, settings, yes } => {
            let consent = crate::consent::Terminal { yes };
            let request = facets_ops::grant::GrantRequest { name, settings };
            renderer.granted(&facets_ops::grant::grant(&request, &consent)?)
        }
        Command::Ps => renderer.sessions(&facets_ops::run::ps()?),
        Command::Logs { name } => renderer.log(&name, &facets_ops::run::logs(&name)?),
        Command::Stop { name } => {
            let pids = facets_ops::run::stop(&name)?;
            renderer.stopped(&name, &pids)
        }
        // Everything else was looked at before.
        _ => Shown::exact(Vec::new()),
    })
}

impl From<InitKind> for init::InitKind {
    fn from(kind: InitKind) -> Self {
        match kind {
            InitKind::Facet => Self::Facet,
            InitKind::Server => Self::Server,
        }
    }
}

fn digest_files(files: Vec<PathBuf>, renderer: &Renderer) -> Result<Shown, OpsError> {
    let inputs: Vec<Input> = files.into_iter().map(Input::from).collect();
    let bar = Bar::for_files(&inputs, renderer.is_quiet());
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let report = digest_file(DigestFileRequest { inputs, threads }, &bar)?;
    drop(bar);
    Ok(renderer.digest_file(&report))
}

fn manual(directory: Option<PathBuf>, renderer: &Renderer) -> Result<Shown, OpsError> {
    let Some(directory) = directory else {
        return Ok(renderer.whole("page", render::manual_page()));
    };
    let unwritable = |source| OpsError::Unwritable { path: directory.clone(), source };
    std::fs::create_dir_all(&directory).map_err(unwritable)?;
    clap_mangen::generate_to(Args::command(), &directory).map_err(unwritable)?;
    Ok(renderer.manual(&directory))
}
