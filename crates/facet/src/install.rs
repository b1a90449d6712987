//! Arguments of the commands that install facets and servers become requests.

use std::sync::Arc;

use facets_face::{Exit, Shown};
use facets_ops::check::Trust;
use facets_ops::install::{
    InlineServers, InstallMode, InstallOptions, InstallReport, InstallRequest, NetworkUse,
    RegistryChange, WishedName, install,
};
use facets_ops::outdated::{OutdatedRequest, outdated};
use facets_ops::remove::PublishedKind;
use facets_ops::upgrade::{UpgradeRequest, VersionReach, upgrade};
use facets_ops::{OpsError, days_ago};

use crate::args::{
    Install, InstallAnswers, InstallCommand, InstallManner, KindChoice, Outdated, RegistryOrigin,
    Upgrade,
};
use crate::connect_offer::{ConnectChoice, offer_to_connect};
use crate::consent::Terminal;
use crate::install_bar::InstallBar;
use crate::render::{InstallContext, InstallVerb, Renderer, TypedInstall};

pub(crate) fn run_install_command(
    command: InstallCommand,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    match command {
        InstallCommand::Install(arguments) => run_install(arguments, renderer),
        InstallCommand::Upgrade(arguments) => run_upgrade(arguments, renderer),
        InstallCommand::Outdated(arguments) => run_outdated(arguments, renderer),
    }
}

fn run_install(arguments: Install, renderer: &Renderer) -> Result<Shown, OpsError> {
    let InstallManner { frozen, offline, dry_run } = arguments.manner;
    let mode = match (frozen, dry_run) {
        (true, _) => InstallMode::Frozen,
        (false, true) => InstallMode::DryRun,
        (false, false) => InstallMode::Apply,
    };
    let network = if offline { NetworkUse::Offline } else { NetworkUse::Allowed };
    let trust = if arguments.trust_lock { Trust::Lock } else { Trust::Approvals };
    let Install { names, kind, origin, clients, connect, no_connect, answers, .. } = arguments;
    let options = InstallOptions { mode, network, trust, ..options_of(origin, answers.accept_mcp) };
    let kind = kind.map(Into::into);
    let request = InstallRequest { names, kind, clients, own_name: None, options };
    let choice = match (no_connect, connect.as_slice()) {
        (true, _) => ConnectChoice::Never,
        (false, []) => ConnectChoice::Offer,
        (false, _) => ConnectChoice::These(connect),
    };
    let verb = InstallVerb::Install;
    carried_out(verb, (answers, choice), renderer, |consent, bar| install(&request, consent, bar))
}

fn run_upgrade(arguments: Upgrade, renderer: &Renderer) -> Result<Shown, OpsError> {
    let Upgrade { names, latest, dry_run, origin, answers, min_age, .. } = arguments;
    let mode = if dry_run { InstallMode::DryRun } else { InstallMode::Apply };
    let reach = if latest { VersionReach::Latest } else { VersionReach::AsWritten };
    let before = min_age.map(days_ago);
    let options = InstallOptions { mode, before, ..options_of(origin, answers.accept_mcp) };
    let verb = InstallVerb::Upgrade;
    let request = UpgradeRequest { names, reach, options };
    let choice = ConnectChoice::Never;
    carried_out(verb, (answers, choice), renderer, |consent, bar| upgrade(&request, consent, bar))
}

/// A server of a registry under an own name.
pub(crate) fn run_add_of_registry(
    (own_name, wished): (String, WishedName),
    registry: Option<String>,
    answers: InstallAnswers,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    let origin = RegistryOrigin { registry, accept_registry: false };
    let verb = InstallVerb::Install;
    let request = InstallRequest {
        names: vec![wished],
        kind: Some(PublishedKind::Server),
        clients: Vec::new(),
        own_name: Some(own_name),
        options: options_of(origin, false),
    };
    let choice = ConnectChoice::Never;
    carried_out(verb, (answers, choice), renderer, |consent, bar| install(&request, consent, bar))
}

/// Has it done with questions and bars, and shows what came of it.
fn carried_out(
    verb: InstallVerb,
    (answers, choice): (InstallAnswers, ConnectChoice),
    renderer: &Renderer,
    work: impl FnOnce(&Terminal, &InstallBar) -> Result<InstallReport, OpsError>,
) -> Result<Shown, OpsError> {
    let bar = Arc::new(InstallBar::new(renderer.is_quiet()));
    let consent = Terminal::accepting(answers.yes, answers.accept.map(Into::into))
        .verbose(renderer.verbose)
        .with_progress(renderer.is_quiet())
        .with_downloads(Arc::clone(&bar));
    let result = work(&consent, &bar);
    bar.clear();
    let report = match result {
        // Something is not what it should be: that is an answer.
        Err(error) if is_verdict(&error) => {
            return Ok(renderer.failure(&error).with_exit(Exit::No));
        }
        other => other?,
    };
    let connection = &offer_to_connect(&report, choice, &answers, renderer);
    let (accepts, was_read) = (consent.accepts, consent.asks());
    let typed = &TypedInstall { words: std::env::args_os().skip(1).collect(), verb };
    Ok(renderer.installed(&report, &InstallContext { typed, accepts, was_read, connection }))
}

/// Whether an error is a no, rather than a question that stays open (spec 14.2).
fn is_verdict(error: &OpsError) -> bool {
    matches!(error, OpsError::Install(error) if error.is_verdict())
}

fn run_outdated(arguments: Outdated, renderer: &Renderer) -> Result<Shown, OpsError> {
    let Outdated { names, registry, .. } = arguments;
    let origin = RegistryOrigin { registry, accept_registry: false };
    let report = outdated(&OutdatedRequest { names, options: options_of(origin, false) })?;
    Ok(renderer.outdated(&report))
}

/// What is usual.
fn options_of(origin: RegistryOrigin, accepts_inline: bool) -> InstallOptions {
    let RegistryOrigin { registry, accept_registry } = origin;
    let registry_change =
        if accept_registry { RegistryChange::Accepted } else { RegistryChange::Refused };
    let inline = if accepts_inline { InlineServers::Accepted } else { InlineServers::Asked };
    InstallOptions {
        registry,
        registry_change,
        network: NetworkUse::Allowed,
        mode: InstallMode::Apply,
        trust: Trust::Approvals,
        inline,
        before: None,
    }
}

impl From<KindChoice> for PublishedKind {
    fn from(kind: KindChoice) -> Self {
        match kind {
            KindChoice::Facet => Self::Facet,
            KindChoice::Server => Self::Server,
        }
    }
}
