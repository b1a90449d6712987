//! The arguments of commands that talk to a registry.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use facets_model::{ArtifactName, Version};

use super::examples;

const REGISTRY: &str = "The registry [default: FACET_REGISTRY_URL]";

#[derive(Debug, Subcommand)]
pub(crate) enum RegistryCommand {
    /// Publish a facet or a server on a registry
    Publish(Publish),
    /// Take back a published version, or undo that
    Yank(Yank),
    /// Store the token for a registry, after the registry has confirmed it
    Login(Login),
    /// Remove the token for a registry from this machine
    Logout {
        #[arg(long, value_name = "URL", help = REGISTRY)]
        registry: Option<String>,
    },
    /// Show whom the token for a registry belongs to, and what it may do
    Whoami {
        #[arg(long, value_name = "URL", help = REGISTRY)]
        registry: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::PUBLISH)]
pub(crate) struct Publish {
    /// A directory with a manifest, a .facet file, or a .server.tar.gz
    #[arg(default_value = ".", value_name = "DIR|ARCHIVE")]
    pub(crate) target: PathBuf,
    #[arg(long, value_name = "URL", help = REGISTRY)]
    pub(crate) registry: Option<String>,
    /// Show what would be published, and upload nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Start the server and publish it without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::YANK)]
pub(crate) struct Yank {
    /// The name of the facet or server
    pub(crate) name: ArtifactName,
    /// The version
    // Not `version`: that one is the flag of every command.
    #[arg(id = "published", value_name = "VERSION")]
    pub(crate) version: Version,
    /// Why, for everyone who asks for the version
    #[arg(long, value_name = "TEXT", required_unless_present = "undo", conflicts_with = "undo")]
    pub(crate) reason: Option<String>,
    /// Let the version be chosen again
    #[arg(long)]
    pub(crate) undo: bool,
    /// Facet or server; by default whichever the registry has
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) kind: Option<KindChoice>,
    #[arg(long, value_name = "URL", help = REGISTRY)]
    pub(crate) registry: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::LOGIN)]
pub(crate) struct Login {
    #[arg(long, value_name = "URL", help = REGISTRY)]
    pub(crate) registry: Option<String>,
    /// Read the token from this file instead of the terminal
    #[arg(long, value_name = "FILE", conflicts_with = "token_stdin")]
    pub(crate) token_file: Option<PathBuf>,
    /// Read the token from standard input
    #[arg(long)]
    pub(crate) token_stdin: bool,
}

/// What a registry has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindChoice {
    /// Skills, agents and commands
    Facet,
    /// A source-mode MCP server
    Server,
}
