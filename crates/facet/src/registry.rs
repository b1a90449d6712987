//! Arguments of the commands that talk to a registry become requests.

use facets_face::{DownloadBar, Exit, Shown};
use facets_ops::building::ArtifactKind;
use facets_ops::login::{LoginRequest, LogoutRequest, login, logout};
use facets_ops::publish::{PublishMode, PublishOutcome, PublishRequest, PublishWatch, publish};
use facets_ops::whoami::{WhoamiRequest, whoami};
use facets_ops::yank::{YankChange, YankRequest, yank};
use facets_ops::{Input, OpsError};

use crate::args::{KindChoice, Login, Publish, RegistryCommand, Yank};
use crate::consent::Terminal;
use crate::publish_bar::PublishBar;
use crate::render::Renderer;
use crate::token_prompt::TerminalPrompt;

pub(crate) fn run_registry(
    command: RegistryCommand,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    match command {
        RegistryCommand::Publish(arguments) => run_publish(arguments, renderer),
        RegistryCommand::Yank(arguments) => run_yank(arguments, renderer),
        RegistryCommand::Login(arguments) => run_login(arguments, renderer),
        RegistryCommand::Logout { registry } => {
            Ok(renderer.logged_out(&logout(&LogoutRequest { registry })?))
        }
        RegistryCommand::Whoami { registry } => {
            Ok(renderer.whoami(&whoami(&WhoamiRequest { registry })?))
        }
    }
}

fn run_publish(arguments: Publish, renderer: &Renderer) -> Result<Shown, OpsError> {
    let Publish { target: path, registry, dry_run, yes } = arguments;
    let mode = if dry_run { PublishMode::DryRun } else { PublishMode::Upload };
    let consent = Terminal::new(yes).verbose(renderer.verbose).with_progress(renderer.is_quiet());
    let build = DownloadBar::new(renderer.is_quiet());
    let upload = PublishBar::new(renderer.is_quiet());
    let watch = PublishWatch { build: &build, on_built: &|| build.clear(), upload: &upload };
    let outcome = publish(&PublishRequest { path, registry, mode }, &consent, &watch);
    drop(upload);
    Ok(match outcome? {
        PublishOutcome::Refused(report) => renderer.build_check(&report),
        PublishOutcome::Rejected(error) => renderer.failure(&error).with_exit(Exit::No),
        PublishOutcome::Shown(page) => renderer.publish_shown(&page),
        PublishOutcome::Published(report) => renderer.published(&report, consent.asks()),
    })
}

fn run_yank(arguments: Yank, renderer: &Renderer) -> Result<Shown, OpsError> {
    let Yank { name, version, reason, undo: _, kind, registry } = arguments;
    let change = match reason {
        Some(reason) => YankChange::Yank { reason },
        // The parser takes one of the two.
        None => YankChange::Undo,
    };
    let kind = kind.map(Into::into);
    Ok(renderer.yanked(&yank(&YankRequest { registry, kind, name, version, change })?))
}

fn run_login(arguments: Login, renderer: &Renderer) -> Result<Shown, OpsError> {
    let Login { registry, token_file, token_stdin } = arguments;
    let token = match token_file {
        Some(file) => Some(Input::File(file)),
        None => token_stdin.then_some(Input::Stdin),
    };
    let report = login(&LoginRequest { registry, token }, &TerminalPrompt)?;
    Ok(renderer.logged_in(&report))
}

impl From<KindChoice> for ArtifactKind {
    fn from(kind: KindChoice) -> Self {
        match kind {
            KindChoice::Facet => Self::Facet,
            KindChoice::Server => Self::Server,
        }
    }
}
