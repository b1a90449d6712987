//! Arguments of the commands that pin servers become requests.

use facets_drift::Severity;
use facets_face::Shown;
use facets_model::{PackageSpec, PackageTreeUse};
use facets_ops::add::{AddMode, AddRequest, PackageCommands, add};
use facets_ops::adopt::{AdoptRequest, adopt};
use facets_ops::approve::{ApproveRequest, approve};
use facets_ops::check::Trust;
use facets_ops::client_files::Scope;
use facets_ops::{OpsError, PackageStartError, days_ago};

use crate::args::{Add, Adopt, Approve, InstallAnswers, Level};
use crate::consent::Terminal;
use crate::install::run_add_of_registry;
use crate::local_source::is_local;
use crate::origin;
use crate::package_source::{PackageOptions, package_origin};
use crate::registry_source::registry_name;
use crate::render::Renderer;

impl From<Level> for Severity {
    fn from(level: Level) -> Self {
        match level {
            Level::Info => Self::Info,
            Level::Safe => Self::Safe,
            Level::Moderate => Self::Moderate,
            Level::Critical => Self::Critical,
        }
    }
}

pub(crate) fn run_add(arguments: Add, renderer: &Renderer) -> Result<Shown, OpsError> {
    if let Some(wished) = arguments.url.as_deref().and_then(registry_name) {
        let Add { name, registry, yes, accept, .. } = arguments;
        let answers = InstallAnswers { accept_mcp: false, yes, accept };
        return run_add_of_registry((name, wished), registry, answers, renderer);
    }
    let Add {
        name,
        url,
        words,
        replace,
        yes,
        accept,
        variables,
        headers,
        cwd,
        source,
        timeout,
        with,
        bin,
        runtime,
        min_age,
        as_command,
        copy,
        registry: _,
    } = arguments;
    let origin = match url {
        Some(word) if PackageSpec::is_meant_by(&word) => {
            let package: Result<PackageSpec, _> = word.parse();
            let package = package.map_err(|source| PackageStartError::BadName { word, source })?;
            let files = if copy { PackageTreeUse::Copied } else { PackageTreeUse::Shared };
            let options =
                PackageOptions { with, program: bin, runtime, files, args: words, variables };
            package_origin(package, options)?
        }
        Some(path) if is_local(&path) => origin::of_path(&path)?,
        Some(url) => origin::of_address(&url, headers, &["add", &name])?,
        None => origin::of_words(words, variables)?,
    };
    let mode = if replace { AddMode::Replace } else { AddMode::New };
    let packages = if as_command { PackageCommands::AsTyped } else { PackageCommands::Locked };
    let before = min_age.map(days_ago);
    let request =
        AddRequest { name, origin, start_directory: cwd, timeout, source, mode, before, packages };
    let consent = Terminal::accepting(yes, accept.map(Into::into)).verbose(renderer.verbose);
    let consent = consent.with_progress(renderer.is_quiet());
    add(request, &consent).map(|page| renderer.added(&page, consent.asks()))
}

pub(crate) fn run_approve(arguments: Approve, renderer: &Renderer) -> Result<Shown, OpsError> {
    let Approve { names, all: _, yes, accept, trust_lock, timeout } = arguments;
    let accept = accept.map(Into::into);
    let trust = if trust_lock { Trust::Lock } else { Trust::Approvals };
    let request = ApproveRequest { names, timeout, accept, trust };
    let accepts = request.accept.unwrap_or(Severity::Moderate);
    let consent = Terminal { accepts, ..Terminal::new(yes) }.verbose(renderer.verbose);
    let consent = consent.with_progress(renderer.is_quiet());
    approve(&request, &consent).map(|report| renderer.approved(&report, consent.asks()))
}

pub(crate) fn scope(is_user: bool) -> Scope {
    if is_user { Scope::User } else { Scope::Project }
}

pub(crate) fn run_adopt(arguments: Adopt, renderer: &Renderer) -> Result<Shown, OpsError> {
    let Adopt { clients, user, dry_run, yes, accept, timeout, as_command } = arguments;
    let packages = if as_command { PackageCommands::AsTyped } else { PackageCommands::Locked };
    let request = AdoptRequest { clients, scope: scope(user), timeout, is_dry: dry_run, packages };
    let consent = Terminal::accepting(yes, accept.map(Into::into)).verbose(renderer.verbose);
    let consent = consent.with_progress(renderer.is_quiet());
    let report = adopt(&request, &consent)?;
    Ok(renderer.adopted(&report, consent.asks() && report.was_shown))
}
