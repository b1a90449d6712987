//! From arguments to a request, from a report to what is shown.

use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use facets_digest::json::Provenance;
use facets_face::Shown;
use facets_files::FileError;
use facets_ops::connect::{
    ConnectRequest, DisconnectReach, DisconnectRequest, connect, disconnect,
};
use facets_ops::data::DataRequest;
use facets_ops::digest_archive::{DigestArchiveRequest, digest_archive};
use facets_ops::digest_contract::{
    DigestCompareRequest, DigestContractRequest, Mode, digest_compare, digest_contract,
};
use facets_ops::digest_file::{DigestFileRequest, digest_file};
use facets_ops::digest_json::{DigestJsonRequest, digest_json};
use facets_ops::digest_surface::{DigestSurfaceRequest, digest_surface};
use facets_ops::doctor::{DoctorRequest, doctor};
use facets_ops::explain::{code_groups, codes, explain};
use facets_ops::grant::{GrantRequest, grant};
use facets_ops::init::{self, InitRequest, init};
use facets_ops::list::list;
use facets_ops::remove::{RemoveRequest, remove};
use facets_ops::scan::{ScanRequest, scan};
use facets_ops::show::show;
use facets_ops::unpack::{UnpackRequest, unpack};
use facets_ops::{Input, OpsError, sessions};
use facets_project::UserDirectory;

use crate::args::{Args, Command, ContractMode, DigestCommand, InitChoice};
use crate::missing_source::refuse_missing;
use crate::progress::Bar;
use crate::render::{self, Renderer};
use crate::start_directory;

/// How everything that follows is shown.
pub(crate) fn renderer(args: &Args) -> Renderer {
    Renderer {
        format: args.output_format(),
        quiet: args.quiet,
        verbose: args.verbose,
        directory: args.directory.clone().or_else(|| users_project(&args.command)),
    }
}

/// The project of the user, if the command is about that.
fn users_project(command: &Command) -> Option<PathBuf> {
    let is_meant = start_directory::is_for_user(command);
    is_meant.then(|| UserDirectory::of_person().ok().map(|user| user.project_path())).flatten()
}

pub(crate) fn run(args: Args, renderer: &Renderer) -> Shown {
    // The file of a client can tell `run` where to work, and where approvals are.
    if !matches!(args.command, Command::Run(_)) {
        facets_project::typed_by_person();
    }
    let typed = start_directory::seen_from_users_project(args.command);
    let result = start_directory::make_users_project(&typed)
        .and_then(|()| enter(renderer.directory.as_deref()))
        .and_then(|()| refuse_missing(&typed))
        .and_then(|()| start_directory::enter_project(typed))
        .and_then(|args| command(args, renderer));
    result.unwrap_or_else(|error| renderer.failure(&error))
}

fn enter(directory: Option<&Path>) -> Result<(), OpsError> {
    facets_project::remember_start();
    let Some(directory) = directory else {
        return Ok(());
    };
    let path = directory.to_owned();
    std::env::set_current_dir(directory).map_err(|source| match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => OpsError::NotADirectory { path },
        _ => OpsError::File(FileError::Unreadable { path, source }),
    })
}

/// Every command has an arm: one that is not routed does not compile, because nothing printed and
/// exit code 0 would mean yes.
fn command(command: Command, renderer: &Renderer) -> Result<Shown, OpsError> {
    match command {
        Command::Init { kind, target: directory, name } => {
            Ok(renderer.init(&init(InitRequest { kind: kind.into(), directory, name })?))
        }
        Command::Build(arguments) => crate::build::run_build(arguments, renderer),
        Command::Registry(command) => crate::registry::run_registry(command, renderer),
        Command::Unpack { file, into } => {
            Ok(renderer.unpacked(&unpack(UnpackRequest { file, into })?))
        }
        Command::Digest(digest) => run_digest(digest, renderer),
        Command::Scan { target: path } => run_scan(path, renderer),
        Command::Inspect(arguments) => crate::inspect::run(arguments, renderer),
        Command::Add(arguments) => crate::trust::run_add(arguments, renderer),
        Command::Install(command) => crate::install::run_install_command(command, renderer),
        Command::Check(arguments) => crate::gates::run_check(arguments, renderer),
        Command::Approve(arguments) => crate::trust::run_approve(arguments, renderer),
        Command::Approvals { command } => crate::decisions::run_approvals(command, renderer),
        Command::Data { names, all, clear, yes } => {
            let request = DataRequest { names, is_everywhere: all };
            crate::decisions::run_data(&request, clear.then_some(yes), renderer)
        }
        Command::Cache { command } => crate::cache::run_cache(command, renderer),
        Command::Runtime(arguments) => crate::runtime::run_runtime(&arguments, renderer),
        Command::Verify(arguments) => crate::gates::run_verify(arguments, renderer),
        Command::Diff { before, after, gate } => {
            crate::gates::run_diff(before, after, gate, renderer)
        }
        Command::List(_) => Ok(renderer.list(&list()?)),
        Command::Show { name } => Ok(renderer.show_pinned(&show(&name)?)),
        Command::Remove { names, kind, yes, .. } => {
            let request = RemoveRequest { names, kind: kind.map(Into::into) };
            run_remove(&request, yes, renderer)
        }
        Command::Adopt(arguments) => crate::trust::run_adopt(arguments, renderer),
        Command::Connect { clients, user, yes } => {
            let consent = crate::consent::Terminal::new(yes);
            let request = ConnectRequest { clients, scope: crate::trust::scope(user) };
            Ok(renderer.connected(&connect(&request, &consent)?, consent.asks()))
        }
        Command::Disconnect { clients, servers, here, yes } => {
            let reach = if here { DisconnectReach::Here } else { DisconnectReach::Everywhere };
            run_disconnect(&DisconnectRequest { clients, servers, reach }, yes, renderer)
        }
        Command::Run(arguments) => crate::run::run_server(arguments, renderer),
        Command::Grant { name, settings, yes, accept } => {
            let consent = crate::consent::Terminal::accepting(yes, accept.map(Into::into));
            run_grant(&GrantRequest { name, settings }, consent, renderer)
        }
        Command::Ps => Ok(renderer.sessions(&sessions::ps()?)),
        Command::Logs { name, follow: true } => crate::follow::run_follow(&name, renderer),
        Command::Logs { name, follow: false } => Ok(renderer.log(&name, &sessions::logs(&name)?)),
        Command::Stop { name } => Ok(renderer.stopped(&name, &sessions::stop(&name)?)),
        Command::Doctor => Ok(renderer.doctor(&doctor(&DoctorRequest { directory: ".".into() }))),
        Command::Explain { code: Some(code) } => Ok(renderer.explanation(&explain(&code)?)),
        Command::Explain { code: None } => Ok(renderer.codes(&code_groups(), codes().all())),
        Command::Completions { shell } => Ok(completions(shell, renderer)),
        Command::Man { target } => manual(target, renderer),
    }
}

fn run_digest(digest: DigestCommand, renderer: &Renderer) -> Result<Shown, OpsError> {
    match digest {
        DigestCommand::File { files } => digest_files(files, renderer),
        DigestCommand::Json { file, print, captured } => {
            let provenance = if captured { Provenance::Captured } else { Provenance::Authored };
            let request = DigestJsonRequest { input: file.into(), provenance };
            Ok(renderer.digest_json(&digest_json(request)?, print))
        }
        DigestCommand::Archive { file } => {
            Ok(renderer.digest_archive(&digest_archive(DigestArchiveRequest { file })?))
        }
        DigestCommand::Surface { file } => {
            let request = DigestSurfaceRequest { input: file.into() };
            Ok(renderer.digest_surface(&digest_surface(&request)?))
        }
        DigestCommand::Contract { file, mode } => {
            let mode = match mode {
                ContractMode::V1 => Mode::V1,
                ContractMode::FusionV1 => Mode::FusionV1,
            };
            let request = DigestContractRequest { input: file.into(), mode };
            Ok(renderer.digest_contract(&digest_contract(&request)?))
        }
        DigestCommand::Compare { before, after } => {
            let request = DigestCompareRequest { before: before.into(), after: after.into() };
            Ok(renderer.digest_compare(&digest_compare(&request)?))
        }
    }
}

fn run_scan(path: PathBuf, renderer: &Renderer) -> Result<Shown, OpsError> {
    let bar = Bar::without_end(renderer.is_quiet());
    let report = scan(&ScanRequest { path }, &bar)?;
    drop(bar);
    Ok(renderer.scan(&report))
}

fn run_remove(request: &RemoveRequest, yes: bool, renderer: &Renderer) -> Result<Shown, OpsError> {
    let consent = crate::consent::Terminal::new(yes);
    let report = remove(request, &consent)?;
    Ok(renderer.removed(&report, consent.asks()))
}

fn run_grant(
    request: &GrantRequest,
    consent: crate::consent::Terminal,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    let consent = consent.verbose(renderer.verbose).with_progress(renderer.is_quiet());
    Ok(renderer.granted(&grant(request, &consent)?, consent.asks()))
}

fn run_disconnect(
    request: &DisconnectRequest,
    yes: bool,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    let consent = crate::consent::Terminal::new(yes);
    Ok(renderer.connected(&disconnect(request, &consent)?, consent.asks()))
}

fn completions(shell: clap_complete::Shell, renderer: &Renderer) -> Shown {
    renderer.whole("script", crate::completion::script(shell))
}

impl From<InitChoice> for init::InitKind {
    fn from(kind: InitChoice) -> Self {
        match kind {
            InitChoice::Facet => Self::Facet,
            InitChoice::Server => Self::Server,
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
    let unwritable =
        |source| OpsError::File(FileError::Unwritable { path: directory.clone(), source });
    std::fs::create_dir_all(&directory).map_err(unwritable)?;
    clap_mangen::generate_to(Args::command(), &directory).map_err(unwritable)?;
    Ok(renderer.manual(&directory))
}
