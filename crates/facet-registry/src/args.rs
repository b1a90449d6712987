//! The command line.

mod serve;
mod storage;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use facets_face::Audience;

pub(crate) use serve::ServeArguments;
pub(crate) use storage::StorageArguments;

const AFTER_HELP: &str = "\
First steps:
  facet-registry serve                               a registry on http://127.0.0.1:8080
  facet-registry token create --scope 'publish:*'    print a token that may publish everything
  facet-registry check                               hash everything that is stored anew

Every option is also a variable (--read-rate is FACET_REGISTRY_READ_RATE) and a key of the
file that --config names (read-rate = 6000). Options come before variables, variables before
the file.

Exit codes: 0 ok, 1 something is damaged or was refused, 2 could not do it.";

/// The heading of what every command takes, apart from what one command takes.
const GLOBAL: &str = "Global options";

/// Serve a registry for facets and MCP servers
#[derive(Debug, Parser)]
#[command(name = "facet-registry", version, propagate_version = true, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Human, global = true, help_heading = GLOBAL)]
    pub(crate) format: OutputFormat,
    /// Short for --format json
    #[arg(long, global = true, conflicts_with = "format", help_heading = GLOBAL)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) storage: StorageArguments,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// How the result is written, whichever way that was typed.
    pub(crate) fn output_format(&self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { self.format }
    }
}

/// How the result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    Human,
    /// One JSON document
    Json,
}

impl OutputFormat {
    /// Who reads errors.
    pub(crate) fn audience(self) -> Audience {
        match self {
            Self::Human => Audience::People,
            Self::Json => Audience::Machines,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer requests until a signal ends it
    Serve(Box<ServeArguments>),
    /// Create, list and revoke tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Hash every stored blob anew, and report what is missing or damaged
    Check,
    /// Remove blobs that no version needs
    Gc {
        /// Keep what is younger than this
        #[arg(long, value_name = "DURATION", default_value = "1h")]
        older_than: String,
        /// Only show what would be removed
        #[arg(long)]
        dry_run: bool,
    },
    /// Bring the tables of the catalog up to date
    Migrate,
    /// Copy catalog and blobs into an empty directory, verified; `serve --data DIR` starts it
    Backup {
        /// The directory; it is created, or must be empty
        #[arg(value_name = "DIR")]
        target: PathBuf,
    },
    /// Change the owner of a name or a scope
    #[command(subcommand)]
    Owner(OwnerCommand),
    /// Show who did what, the latest first
    Audit {
        /// How many entries
        #[arg(long, value_name = "NUMBER", default_value_t = 100,
            value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// Explain a code, or list all of them
    Explain {
        /// The code
        code: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Print a new token; it is shown this once
    Create {
        /// What it may do: publish:*, publish:@scope/*, publish:NAME, or read; may be repeated
        #[arg(long = "scope", value_name = "SCOPE", required = true)]
        scopes: Vec<String>,
        /// Whose token it is; owns the names that it publishes first
        #[arg(long, default_value = "admin")]
        owner: String,
        /// What it is for
        #[arg(long, value_name = "TEXT", default_value = "")]
        note: String,
        /// After how many days it ends; without this, never
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36500))]
        expires_in: Option<u32>,
    },
    /// Show all tokens, without their secrets
    List,
    /// End a token, at once and for good
    Revoke {
        /// The id that `token list` shows
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OwnerCommand {
    /// Give a name or a scope to another owner; versions stay as they are
    Set {
        /// What the name belongs to
        kind: KindArgument,
        /// The name, or the scope with its @; one that does not exist is reserved
        name: String,
        /// The new owner
        owner: String,
    },
}

/// What a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArgument {
    /// A facet
    Facet,
    /// An MCP server
    Server,
    /// A scope: its owner publishes new names below it, and names that exist keep their owners
    Scope,
}

impl KindArgument {
    /// As it is typed.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Facet => "facet",
            Self::Server => "server",
            Self::Scope => "scope",
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_switch_may_be_given_without_a_value() {
        let words = ["facet-registry", "serve", "--private", "--trust-proxy=false"];
        let args = Args::try_parse_from(words).unwrap();
        let Command::Serve(serve) = args.command else { panic!("not serve") };
        let given = serve.given();
        assert!(given.contains(&("private", "true".to_owned())), "{given:?}");
        assert!(given.contains(&("trust-proxy", "false".to_owned())), "{given:?}");
    }
}
