mod add;
mod approvals;
mod build;
mod cache;
pub(crate) mod candidates;
mod digest;
mod examples;
mod install;
mod level;
mod named_values;
mod output_format;
mod publish;
mod run;
mod runtime;
mod users_project;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use add::Add;
pub(crate) use approvals::{ApprovalsCommand, Which};
pub(crate) use build::Build;
pub(crate) use cache::CacheCommand;
pub(crate) use digest::{ContractMode, DigestCommand};
pub(crate) use install::{
    Install, InstallAnswers, InstallCommand, InstallManner, Outdated, RegistryOrigin, Upgrade,
};
pub(crate) use level::Level;
pub(crate) use named_values::{HeaderArgument, VariableArgument};
pub(crate) use output_format::OutputFormat;
pub(crate) use publish::{KindChoice, Login, Publish, RegistryCommand, Yank};
pub(crate) use run::{DriftChoice, Run, Switch};
pub(crate) use runtime::{RuntimeArguments, RuntimeCommand};
pub(crate) use users_project::UsersProject;

use candidates::{client, code_names, installed_names, server_names};

const AFTER_HELP: &str = "\
First steps:
  facet adopt --dry-run                       show which MCP servers your clients start
  facet add memory -- npx -y @modelcontextprotocol/server-memory
  facet install NAME                          a facet or a server of a registry
  facet check                                 has anything changed since I approved it?

Exit codes: 0 ok, 1 changed or invalid, 2 could not check.";

/// The heading of what every command takes, apart from what one command takes.
const GLOBAL: &str = "Global options";

/// Pin MCP servers, detect changes, and run them behind a guard
#[derive(Debug, Parser)]
#[command(name = "facet", version, propagate_version = true, disable_help_subcommand = false)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Human, global = true, help_heading = GLOBAL)]
    pub(crate) format: OutputFormat,
    /// Short for --format json
    #[arg(long, global = true, conflicts_with = "format", help_heading = GLOBAL)]
    pub(crate) json: bool,
    /// No progress, and no advice about what to do next
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = GLOBAL)]
    pub(crate) quiet: bool,
    /// More detail: full texts, all findings, all of standard error
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    pub(crate) verbose: bool,
    /// Work as if started in this directory; what --user pinned is in ~/.facet/user
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) directory: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// How the result is written, whichever way that was typed.
    pub(crate) fn output_format(&self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { self.format }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a facet package or an MCP server (a project needs no init: facet add)
    Init {
        /// What to create
        kind: InitChoice,
        /// Where; the directory is created if it does not exist
        #[arg(default_value = ".", value_name = "DIR")]
        target: PathBuf,
        /// The name; by default that of the directory
        #[arg(long)]
        name: Option<String>,
    },
    /// Build the archive of a facet or a server, and print its hashes
    Build(Build),
    #[command(flatten)]
    Registry(RegistryCommand),
    /// Unpack the archive of a facet or a server, after all of it was checked
    Unpack {
        /// The archive
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Where to; the directory is created, or must be empty
        #[arg(long, value_name = "DIR")]
        into: PathBuf,
    },
    /// Print the digests of files and documents
    #[command(subcommand)]
    Digest(DigestCommand),
    /// Show everything that an MCP server declares, with digests
    Inspect(Inspect),
    /// Pin a server: inspect it, approve it, write it into the lock
    Add(Add),
    #[command(flatten)]
    Install(InstallCommand),
    /// Pin the servers of MCP clients, and launch them through facet
    #[command(after_help = examples::ADOPT)]
    Adopt(Adopt),
    /// Configure clients to launch pinned servers through facet
    #[command(after_help = examples::CONNECT)]
    Connect {
        /// The clients
        #[arg(required = true, value_name = "CLIENT", value_parser = client())]
        clients: Vec<facets_ops::client_files::Client>,
        /// Your own client files instead of those of this project
        #[arg(long)]
        user: bool,
        /// Answer every question with yes
        #[arg(long, short)]
        yes: bool,
    },
    /// Restore the client files that facet has changed, in all projects
    #[command(after_help = examples::DISCONNECT)]
    Disconnect {
        /// The clients; all of them if none is given
        #[arg(value_name = "CLIENT", value_parser = client())]
        clients: Vec<facets_ops::client_files::Client>,
        /// Only the entries that start this server of this project; may be repeated
        #[arg(long = "server", value_name = "NAME", add = server_names())]
        servers: Vec<String>,
        /// Only the client files of this project
        #[arg(long)]
        here: bool,
        /// Answer every question with yes
        #[arg(long, short)]
        yes: bool,
    },
    /// Start pinned servers, and report what changed since they were approved
    Check(CheckArguments),
    /// Show what changed, and pin it if you say yes
    Approve(Approve),
    /// List or revoke your approvals on this machine
    #[command(after_help = examples::APPROVALS)]
    Approvals {
        #[command(subcommand)]
        command: Option<ApprovalsCommand>,
    },
    /// List or remove the data that confined servers keep between sessions
    #[command(after_help = examples::DATA)]
    Data {
        /// The servers; all of them if none is given
        #[arg(value_name = "NAME", add = server_names())]
        names: Vec<String>,
        /// All projects, not only this one
        #[arg(long)]
        all: bool,
        /// Remove the data
        #[arg(long)]
        clear: bool,
        /// Answer every question with yes
        #[arg(long, short, requires = "clear")]
        yes: bool,
    },
    /// List, verify or prune the store: what facet has downloaded and unpacked
    #[command(after_help = examples::CACHE)]
    Cache {
        #[command(subcommand)]
        command: Option<CacheCommand>,
    },
    /// List, install or remove the runtimes that facet starts servers with
    Runtime(RuntimeArguments),
    /// Check that lock, surface files and installed files are intact; starts nothing
    Verify(VerifyArguments),
    /// Compare two servers, or two versions of one; starts nothing
    #[command(after_help = examples::DIFF)]
    Diff {
        /// A pinned server, NAME@REV, a surface file or a file with contracts
        #[arg(value_name = "BEFORE")]
        before: String,
        /// The same, to compare with
        #[arg(value_name = "AFTER")]
        after: String,
        #[command(flatten)]
        gate: Gate,
    },
    /// List the facets and servers of this project
    #[command(visible_alias = "ls")]
    List(UsersProject),
    /// Show a pinned server: how it starts, what it may do, every description
    #[command(after_help = examples::SHOW)]
    Show {
        /// The server
        #[arg(add = server_names())]
        name: String,
    },
    /// Remove facets and servers from this project
    #[command(visible_alias = "rm", after_help = examples::REMOVE)]
    Remove {
        /// The facets and servers
        #[arg(required = true, value_name = "NAME", add = installed_names())]
        names: Vec<String>,
        /// Facet or server, where the project has both under a name
        #[arg(long, value_enum, value_name = "KIND")]
        kind: Option<KindChoice>,
        #[command(flatten)]
        scope: UsersProject,
        /// Without asking, also restore the client entries that start them
        #[arg(long, short)]
        yes: bool,
    },
    /// Start a pinned server for a client, and deliver only what was approved
    Run(Run),
    /// Show or change what a server may do
    // The settings are what people look for: they come before the options.
    #[command(after_help = examples::GRANT, help_template = examples::FIRST)]
    Grant {
        /// The server
        #[arg(add = server_names())]
        name: String,
        /// Settings to change; without any, shows what the server may do
        #[arg(value_name = "SETTING")]
        settings: Vec<facets_ops::grant::GrantSetting>,
        /// Grant more than before without asking, and the same as --accept moderate
        #[arg(long, short)]
        yes: bool,
        /// Accept changes up to this severity without asking
        #[arg(long, value_enum, value_name = "LEVEL")]
        accept: Option<Level>,
    },
    /// List your running sessions, in all projects
    #[command(after_help = examples::PS)]
    Ps,
    /// Show standard error and guard decisions of the last session of a server
    #[command(after_help = examples::LOGS)]
    Logs {
        /// The server
        #[arg(add = server_names())]
        name: String,
        /// Print new lines until the session ends
        #[arg(long, short)]
        follow: bool,
    },
    /// End the sessions of a server in this project
    Stop {
        /// The server
        #[arg(add = server_names())]
        name: String,
    },
    /// Find out what the source of a JavaScript or TypeScript server can reach
    #[command(after_help = examples::SCAN)]
    Scan {
        /// A directory, or one file
        #[arg(value_name = "DIR|FILE")]
        target: PathBuf,
    },
    /// Check this machine, this project and the MCP clients
    #[command(after_help = examples::DOCTOR)]
    Doctor,
    /// Explain a code that facet reported
    Explain {
        /// The code; without one, all codes are listed
        #[arg(add = code_names())]
        code: Option<String>,
    },
    /// Print the completion script of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command
    Man {
        /// Write the pages into this directory
        #[arg(value_name = "DIR")]
        target: Option<PathBuf>,
    },
}

impl Args {
    /// What is wrong with what was typed, where the parser does not see it.
    pub(crate) fn mistake(&self) -> Option<(ErrorKind, String)> {
        if self.format == OutputFormat::Sarif && !self.command.has_findings() {
            let message = match &self.command {
                Command::Verify(_) => "`--format sarif` cannot be used with `verify --file`",
                _ => "`--format sarif` is for check, verify and diff",
            };
            return Some((ErrorKind::ArgumentConflict, message.to_owned()));
        }
        if let Command::Add(add) = &self.command
            && let Some(message) = add.misplaced_option()
        {
            return Some((ErrorKind::ArgumentConflict, message.to_owned()));
        }
        if let Command::Build(build) = &self.command
            && let Some(message) = build.misplaced_output()
        {
            return Some((ErrorKind::ValueValidation, message.to_owned()));
        }
        self.mistyped_value().map(|message| (ErrorKind::ValueValidation, message))
    }

    /// What is wrong with what was typed for `--env` and `--header`.
    fn mistyped_value(&self) -> Option<String> {
        let (start, variables, headers) = match &self.command {
            Command::Inspect(Inspect { variables, headers, .. }) => ("inspect", variables, headers),
            Command::Add(Add { variables, headers, .. }) => ("add", variables, headers),
            _ => return None,
        };
        let mut problems = variables.iter().filter_map(|variable| variable.problem(start));
        problems.next().or_else(|| headers.iter().find_map(|header| header.problem(start)))
    }
}

impl Command {
    /// Whether it finds something that SARIF has words for.
    fn has_findings(&self) -> bool {
        match self {
            Self::Check(_) | Self::Diff { .. } => true,
            Self::Verify(arguments) => arguments.file.is_none(),
            _ => false,
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::INSPECT)]
pub(crate) struct Inspect {
    /// An http(s) URL or a surface file
    #[arg(required_unless_present = "words", conflicts_with = "words")]
    pub(crate) target: Option<String>,
    /// The command to start, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) words: Vec<OsString>,
    /// Start the command without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Pass this environment variable to the command
    #[arg(long = "env", short = 'e', value_name = "NAME", conflicts_with = "target")]
    pub(crate) variables: Vec<VariableArgument>,
    /// Send a header with the value of an environment variable
    #[arg(long = "header", value_name = "NAME=ENVVAR", conflicts_with = "words")]
    pub(crate) headers: Vec<HeaderArgument>,
    /// Start the command without access to the network, to your files, or to both
    #[arg(long, value_enum, value_name = "DENY", value_delimiter = ',', conflicts_with = "target")]
    pub(crate) sandbox: Vec<SandboxPart>,
    /// With --sandbox filesystem: allow reading this path
    #[arg(long = "allow-read", value_name = "PATH", requires = "sandbox")]
    pub(crate) readable: Vec<PathBuf>,
    /// Also scan the source of the server, and show what it can reach
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) source: Option<PathBuf>,
    /// Save what the server declares as a surface file
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Seconds to wait for its first answer [default: 30, 60 for npx, uvx, docker and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::CHECK)]
pub(crate) struct CheckArguments {
    /// The servers; all of them if none is given
    #[arg(value_name = "NAME", add = server_names())]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) gate: Gate,
    /// Start servers that are in the lock but not approved on this machine: for CI with a reviewed
    /// lock
    #[arg(long)]
    pub(crate) trust_lock: bool,
    /// Seconds to wait for a first answer [default: as pinned, or 30, 60 for npx, uvx, docker and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::VERIFY)]
pub(crate) struct VerifyArguments {
    /// The facets and servers; all of them if none is given
    #[arg(value_name = "NAME", add = installed_names())]
    pub(crate) names: Vec<String>,
    /// Report what changed in the lock since this git revision
    #[arg(long, value_name = "REV")]
    pub(crate) against: Option<String>,
    /// Compare the hashes of this server.json with the published files; needs no project
    #[arg(long, value_name = "FILE", conflicts_with_all = ["names", "against", "summary", "user"])]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) scope: UsersProject,
    #[command(flatten)]
    pub(crate) gate: Gate,
    /// The directory in which that was typed, seen from the one that is worked in.
    #[arg(skip)]
    pub(crate) typed_in: PathBuf,
}

/// What decides over yes and no, and who is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Gate {
    /// Exit with code 1 for changes of this severity or higher
    #[arg(long, value_enum, default_value_t = Level::Moderate)]
    pub(crate) fail_on: Level,
    /// Use this policy instead of facets.policy.yaml
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Append a Markdown summary to this file, for a pull request
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option that a person types")]
pub(crate) struct Adopt {
    /// The clients; all of them if none is given
    #[arg(value_name = "CLIENT", value_parser = client())]
    pub(crate) clients: Vec<facets_ops::client_files::Client>,
    /// Your own client files instead of those of this project
    #[arg(long)]
    pub(crate) user: bool,
    /// Show what would be done with each entry; change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The same as --accept moderate
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Accept findings up to this severity without asking
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) accept: Option<Level>,
    /// Seconds to wait for its first answer, now and later [default: 30, 60 for npx, uvx, docker and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
    /// Keep commands such as npx and uvx as they are; pins no bytes of their packages
    #[arg(long)]
    pub(crate) as_command: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples::APPROVE)]
pub(crate) struct Approve {
    /// The servers
    #[arg(required_unless_present = "all", value_name = "NAME", add = server_names())]
    pub(crate) names: Vec<String>,
    /// All servers of this project; asks once for those that you approved in another directory
    #[arg(long, conflicts_with = "names")]
    pub(crate) all: bool,
    /// Accept changes up to moderate without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Accept changes up to this severity without asking, and no others
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) accept: Option<Level>,
    /// Start servers that are in the lock but not approved on this machine
    #[arg(long)]
    pub(crate) trust_lock: bool,
    /// Seconds to wait for a first answer, now and later [default: as pinned, or 30, 60 for npx, uvx, docker and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
}

/// What a server can be kept from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxPart {
    /// Deny all sockets
    Network,
    /// Deny files, except those of the system and of the current directory
    Filesystem,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum InitChoice {
    /// Skills, agents and commands
    Facet,
    /// A source-mode MCP server
    Server,
}
