//! After an install: clients that are found can launch the new servers through facet.

use std::path::PathBuf;

use facets_clients::Places;
use facets_face::visible;
use facets_ops::OpsError;
use facets_ops::ServerError;
use facets_ops::client_files::{Client, FileEdit, Scope};
use facets_ops::connect::{ConnectReport, ConnectRequest, connect};
use facets_ops::consent::{Answer, ApprovalPage, Consent, LaunchShown};
use facets_ops::install::{InstallOutcome, InstallReport, ServerOutcome, ServerStatus};
use facets_project::Project;

use crate::args::InstallAnswers;
use crate::consent::Terminal;
use crate::render::{self, Renderer};

/// Which clients are configured after an install.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ConnectChoice {
    /// None.
    Never,
    /// Those that are found, if somebody says yes.
    Offer,
    /// These.
    These(Vec<Client>),
}

/// What became of the offer.
pub(crate) enum Connection {
    /// Nobody was asked.
    None,
    /// Files of clients were rewritten; whether the difference was read before.
    Done(ConnectReport, bool),
    /// Somebody said no.
    Declined,
    /// It was asked for, and could not be done.
    Failed(OpsError),
}

/// Configures the clients that were typed, or asks once about those that are found.
pub(crate) fn offer_to_connect(
    report: &InstallReport,
    choice: ConnectChoice,
    answers: &InstallAnswers,
    renderer: &Renderer,
) -> Connection {
    let is_done = matches!(report.outcome, InstallOutcome::Applied | InstallOutcome::Unchanged);
    match choice {
        ConnectChoice::These(clients) if is_done => {
            let consent = Terminal::new(answers.yes || answers.accept.is_some());
            let request = ConnectRequest { clients, scope: scope_here() };
            match connect(&request, &consent) {
                Ok(report) => Connection::Done(report, consent.asks()),
                Err(error) => Connection::Failed(error),
            }
        }
        ConnectChoice::Offer if has_new_servers(report) && !renderer.is_quiet() => {
            let consent = Terminal::new(answers.yes || answers.accept.is_some());
            if consent.asks() { offered(report, &consent) } else { Connection::None }
        }
        ConnectChoice::Never | ConnectChoice::Offer | ConnectChoice::These(_) => Connection::None,
    }
}

/// Whose files launch the servers: those of the user's own project are for every project.
pub(crate) fn scope_here() -> Scope {
    match Project::here() {
        Ok(project) if project.is_of_user() => Scope::User,
        _ => Scope::Project,
    }
}

/// Whether something was pinned that a client can start.
pub(crate) fn has_new_servers(report: &InstallReport) -> bool {
    report.outcome == InstallOutcome::Applied && report.servers.iter().any(is_new)
}

fn is_new(server: &ServerOutcome) -> bool {
    matches!(server.status, ServerStatus::Added | ServerStatus::Changed)
}

fn offered(report: &InstallReport, terminal: &Terminal) -> Connection {
    let clients = found_clients();
    if clients.is_empty() {
        return Connection::None;
    }
    let new = report.servers.iter().filter(|server| is_new(server));
    let servers = new.map(|server| server.change.name.clone()).collect();
    let request = ConnectRequest { clients, scope: scope_here() };
    match connect(&request, &ConnectQuestion { terminal, servers }) {
        // All of them launch the servers already.
        Ok(report) if report.edits.is_empty() => Connection::None,
        Ok(report) => Connection::Done(report, true),
        Err(OpsError::Server(ServerError::Unanswered { .. })) => Connection::Declined,
        // Nobody asked for it: a file that cannot be read is no failure of the install.
        Err(_) => Connection::None,
    }
}

/// The clients that this user or this project has files of, and that have files to write to.
fn found_clients() -> Vec<Client> {
    let Some(places) = places() else { return Vec::new() };
    clients_at(&places, scope_here())
}

fn clients_at(places: &Places, scope: Scope) -> Vec<Client> {
    let is_found = |client: &&Client| {
        let files = client.files(places);
        files.iter().any(|file| file.scope == scope) && files.iter().any(|file| file.path.exists())
    };
    Client::ALL.iter().filter(is_found).copied().collect()
}

/// Where the clients of this user keep their files.
fn places() -> Option<Places> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = set("HOME").map(PathBuf::from)?;
    let config_home = set("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let codex_home = set("CODEX_HOME").map_or_else(|| home.join(".codex"), PathBuf::from);
    let app_support = match std::env::consts::OS {
        "macos" => home.join("Library/Application Support"),
        _ => config_home.clone(),
    };
    let project = std::env::current_dir().ok()?;
    Some(Places { home, config_home, codex_home, app_support, project })
}

/// The question of the offer in place of that of `facet connect`.
struct ConnectQuestion<'t> {
    terminal: &'t Terminal,
    servers: Vec<String>,
}

impl Consent for ConnectQuestion<'_> {
    fn can_answer(&self) -> bool {
        self.terminal.can_answer()
    }

    fn has_answered(&self) -> bool {
        self.terminal.has_answered()
    }

    fn may_start(&self, _: &LaunchShown<'_>) -> Answer {
        Answer::No
    }

    fn may_pin(&self, _: &ApprovalPage) -> Answer {
        Answer::No
    }

    fn may_rewrite(&self, edits: &[FileEdit]) -> Answer {
        self.terminal.ask(&render::edits(edits), &question(&self.servers, edits))
    }
}

fn question(servers: &[String], edits: &[FileEdit]) -> String {
    let clients = edits.iter().map(|edit| edit.client.title().to_owned()).collect::<Vec<_>>();
    let (servers, clients) = (visible(&listed(servers)), listed(&clients));
    format!("Installed. Configure {clients} to launch {servers} through facet?")
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn clients_are_found_by_their_files_and_need_one_for_projects() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        let places = Places {
            home: at("home"),
            config_home: at("home/.config"),
            codex_home: at("home/.codex"),
            app_support: at("home/.config"),
            project: at("project"),
        };
        assert_eq!(clients_at(&places, Scope::Project), []);
        for file in [
            "home/.claude.json",
            "home/.config/Claude/claude_desktop_config.json",
            "project/.cursor/mcp.json",
        ] {
            std::fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            std::fs::write(at(file), "{}").unwrap();
        }
        let of_project = clients_at(&places, Scope::Project);
        assert_eq!(of_project, [Client::ClaudeCode, Client::Cursor]);
        assert!(clients_at(&places, Scope::User).contains(&Client::ClaudeDesktop));
    }

    #[test]
    fn names_are_listed_as_people_do() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(listed(&names[..1]), "a");
        assert_eq!(listed(&names[..2]), "a and b");
        assert_eq!(listed(&names), "a, b and c");
    }
}
