//! The arguments of commands that install facets and servers of a registry.

use clap::Subcommand;
use facets_ops::client_files::Client;
use facets_ops::install::WishedName;

use super::candidates::{asset_client, client, installed_names};
use super::examples;
use super::level::Level;
use super::publish::KindChoice;
use super::users_project::UsersProject;

/// Said where a registry is chosen for a project that may be pinned to one.
pub(super) const REGISTRY: &str =
    "The registry [default: FACET_REGISTRY_URL, or the one in the lock]";
const ACCEPT_REGISTRY: &str = "Accept a registry other than the one in the lock";
const ACCEPT_MCP: &str =
    "Start commands and call URLs that facets declare, to inspect them, without asking";
const YES: &str = "The same as --accept moderate";
const ACCEPT: &str = "Accept findings up to this severity without asking";

#[derive(Debug, Subcommand)]
pub(crate) enum InstallCommand {
    /// Install facets and servers from a registry, or everything in the lock
    Install(Install),
    /// Install newer versions, after showing what changed
    #[command(visible_alias = "update")]
    Upgrade(Upgrade),
    /// List newer versions of facets and servers; changes nothing
    Outdated(Outdated),
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::INSTALL)]
pub(crate) struct Install {
    /// Facets and servers on a registry, or a facet as NAME=./DIR or NAME=github:OWNER/REPO#REF;
    /// without a name, installs what is in the lock
    #[arg(value_name = "NAME[@VERSION]")]
    pub(crate) names: Vec<WishedName>,
    /// Facet or server; by default whichever the registry has
    #[arg(long, value_enum, value_name = "KIND", requires = "names")]
    pub(crate) kind: Option<KindChoice>,
    #[command(flatten)]
    pub(crate) origin: RegistryOrigin,
    #[command(flatten)]
    pub(crate) manner: InstallManner,
    /// Also write texts with critical findings, if they are exactly as locked; starts no server:
    /// for CI with a reviewed lock
    #[arg(long)]
    pub(crate) trust_lock: bool,
    /// Write skills, agents and commands for this client; may be repeated
    #[arg(long = "client", value_name = "CLIENT", value_parser = asset_client())]
    pub(crate) clients: Vec<Client>,
    #[command(flatten)]
    pub(crate) scope: UsersProject,
    /// Configure this client to launch the servers through facet; may be repeated
    #[arg(long, value_name = "CLIENT", value_parser = client(), conflicts_with = "dry_run")]
    pub(crate) connect: Vec<Client>,
    /// Do not offer to configure clients
    #[arg(long, conflicts_with = "connect")]
    pub(crate) no_connect: bool,
    #[command(flatten)]
    pub(crate) answers: InstallAnswers,
}

/// What may be changed, and where it comes from.
#[derive(Debug, clap::Args)]
pub(crate) struct InstallManner {
    /// Change neither facets.json nor facets.lock: fail if they do not agree
    #[arg(long, alias = "frozen-lockfile", conflicts_with_all = ["names", "dry_run"])]
    pub(crate) frozen: bool,
    /// Use only what is stored on this machine
    #[arg(long)]
    pub(crate) offline: bool,
    /// Show what would be done; change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::UPGRADE)]
pub(crate) struct Upgrade {
    /// Facets and servers; all of them if none is given
    #[arg(value_name = "NAME", add = installed_names())]
    pub(crate) names: Vec<String>,
    /// Also take versions that facets.json excludes, and write them there
    #[arg(long)]
    pub(crate) latest: bool,
    /// Leave out packages of npm and PyPI that were published in the last days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(0..=3650))]
    pub(crate) min_age: Option<u64>,
    #[command(flatten)]
    pub(crate) scope: UsersProject,
    /// Show what would be done; change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) origin: RegistryOrigin,
    #[command(flatten)]
    pub(crate) answers: InstallAnswers,
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::OUTDATED)]
pub(crate) struct Outdated {
    /// Facets and servers; all of them if none is given
    #[arg(value_name = "NAME", add = installed_names())]
    pub(crate) names: Vec<String>,
    #[arg(long, value_name = "URL", help = REGISTRY)]
    pub(crate) registry: Option<String>,
    #[command(flatten)]
    pub(crate) scope: UsersProject,
}

/// Where something comes from.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct RegistryOrigin {
    #[arg(long, value_name = "URL", help = REGISTRY)]
    pub(crate) registry: Option<String>,
    #[arg(long, help = ACCEPT_REGISTRY)]
    pub(crate) accept_registry: bool,
}

/// What was answered beforehand.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct InstallAnswers {
    #[arg(long, help = ACCEPT_MCP)]
    pub(crate) accept_mcp: bool,
    #[arg(long, short, help = YES)]
    pub(crate) yes: bool,
    #[arg(long, value_enum, value_name = "LEVEL", help = ACCEPT)]
    pub(crate) accept: Option<Level>,
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use clap::error::ErrorKind;

    use super::*;
    use crate::args::{Args, Command};

    fn parsed(text: &str) -> Result<InstallCommand, ErrorKind> {
        let args = Args::try_parse_from(text.split_whitespace()).map_err(|error| error.kind())?;
        match args.command {
            Command::Install(command) => Ok(command),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_name_may_have_a_version_and_each_option_its_place() {
        let Ok(InstallCommand::Install(install)) = parsed(
            "facet install demo @acme/jira@1.* --kind facet --client codex --client opencode \
             --connect cursor --accept critical --accept-mcp --accept-registry --registry http://r",
        ) else {
            panic!("refused");
        };
        let names: Vec<String> = install.names.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["demo", "@acme/jira@1.*"]);
        assert_eq!(install.clients, [Client::Codex, Client::OpenCode]);
        assert_eq!(install.connect, [Client::Cursor]);
        assert_eq!(install.answers.accept, Some(Level::Critical));
        assert!(install.origin.accept_registry && install.answers.accept_mcp);
    }

    #[test]
    fn a_frozen_install_takes_neither_names_nor_a_dry_run() {
        let frozen = |text: &str| match parsed(text) {
            Ok(InstallCommand::Install(install)) => install.manner.frozen,
            other => panic!("{other:?}"),
        };
        assert!(frozen("facet install --frozen"));
        assert!(frozen("facet install --frozen-lockfile --offline --trust-lock"));
        for text in [
            "facet install demo --frozen",
            "facet install --frozen --dry-run",
            "facet install --connect cursor --no-connect",
            "facet install --connect cursor --dry-run",
        ] {
            assert_eq!(parsed(text).unwrap_err(), ErrorKind::ArgumentConflict, "{text}");
        }
    }

    #[test]
    fn only_clients_with_folders_get_texts() {
        assert_eq!(parsed("facet install --client cursor").unwrap_err(), ErrorKind::InvalidValue);
        assert_eq!(parsed("facet install Demo").unwrap_err(), ErrorKind::ValueValidation);
    }

    #[test]
    fn update_is_another_word_for_upgrade() {
        for verb in ["upgrade", "update"] {
            let Ok(InstallCommand::Upgrade(upgrade)) =
                parsed(&format!("facet {verb} demo --latest --dry-run -y"))
            else {
                panic!("{verb} was refused");
            };
            assert_eq!(upgrade.names, ["demo"]);
            assert!(upgrade.latest && upgrade.dry_run && upgrade.answers.yes);
        }
    }
}
