mod digest;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use digest::{ContractMode, DigestCommand};

/// Is what I run exactly what was published and what I approved?
#[derive(Debug, Parser)]
#[command(name = "facet", version, propagate_version = true, disable_help_subcommand = false)]
#[command(after_help = "Exit codes: 0 yes, 1 a negative verdict, 2 could not judge.")]
pub(crate) struct Args {
    /// How the result is written
    #[arg(long, value_enum, default_value_t = OutputFormat::Human, global = true)]
    pub(crate) format: OutputFormat,
    /// No progress, no advice: the result and errors only
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// More detail
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// Work as if started in this directory
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How the result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, of check, verify and diff
    Sarif,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Begin a facet or a server
    Init {
        /// What to begin
        kind: InitChoice,
        /// Where; it is made if it is not there
        #[arg(default_value = ".", value_name = "DIR")]
        target: PathBuf,
        /// The name; by default that of the directory
        #[arg(long)]
        name: Option<String>,
    },
    /// Check a manifest and the files that it names
    Build {
        /// Check only, write nothing
        #[arg(long, required = true)]
        check: bool,
        /// The directory with the manifest
        #[arg(default_value = ".", value_name = "DIR")]
        target: PathBuf,
    },
    /// Print the identity of files and documents
    #[command(subcommand)]
    Digest(DigestCommand),
    /// Show everything that an MCP server declares, and its identity
    Inspect(Inspect),
    /// Begin to trust a server: look at it, approve it, pin it
    Add(Add),
    /// Find the servers that MCP clients start, pin them, and guard them from now on
    #[command(
        after_help = "Clients: claude-code, claude-desktop, codex, opencode, cursor, vscode, gemini.\nTo undo: facet disconnect."
    )]
    Adopt(Adopt),
    /// Have clients start what is pinned here through facet
    Connect {
        /// The clients
        #[arg(required = true, value_name = "CLIENT")]
        clients: Vec<facets_ops::client_files::Client>,
        /// Files of this user, not of this project
        #[arg(long)]
        user: bool,
        /// Answer every question with yes
        #[arg(long)]
        yes: bool,
    },
    /// Have clients start again what they started before
    Disconnect {
        /// The clients; all of them if none is given
        #[arg(value_name = "CLIENT")]
        clients: Vec<facets_ops::client_files::Client>,
        /// Answer every question with yes
        #[arg(long)]
        yes: bool,
    },
    /// Start what is pinned, and report what changed
    Check(CheckArguments),
    /// Look at what changed, and pin it anew
    Approve(Approve),
    /// List what you have approved, or take it back
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// List what confined servers keep from one session to the next, or remove it
    Data {
        /// The servers; all of them if none is given
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Of every project, not only of this one
        #[arg(long)]
        all: bool,
        /// Remove it
        #[arg(long)]
        clear: bool,
        /// Answer every question with yes
        #[arg(long, requires = "clear")]
        yes: bool,
    },
    /// Check that what is pinned is whole; starts nothing
    Verify {
        /// The servers; all of them if none is given
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Report what the lock has become since this revision of git
        #[arg(long, value_name = "REV")]
        against: Option<String>,
        #[command(flatten)]
        gate: Gate,
    },
    /// Compare two servers, or one at two times; starts nothing
    #[command(
        after_help = "Each is the name of a pinned server, NAME@REV for the pin at a revision of git,\na surface file, or a file with contracts (also of MCP Fusion).\nExit code 1 if something is at or above --fail-on."
    )]
    Diff {
        /// The first
        #[arg(value_name = "BEFORE")]
        before: String,
        /// The second
        #[arg(value_name = "AFTER")]
        after: String,
        #[command(flatten)]
        gate: Gate,
    },
    /// List the servers of this project
    List,
    /// No longer trust servers: unpin them
    Remove {
        /// The servers
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Start a pinned server for a client, and stand between the two
    Run(Run),
    /// Decide what a server may do, or see it
    #[command(
        after_help = "Settings:\n  network=none|all|HOST:PORT,…\n  filesystem=none|all|PATH,ro:PATH,…\n  subprocess=yes|no  sampling=yes|no  elicitation=yes|no\n  arguments=any|pinned"
    )]
    Grant {
        /// The server
        name: String,
        /// What it may do from now on; nothing to see what it may do
        #[arg(value_name = "SETTING")]
        settings: Vec<facets_ops::grant::GrantSetting>,
        /// Answer every question with yes
        #[arg(long)]
        yes: bool,
    },
    /// List the sessions of this user
    Ps,
    /// Show what a server said in its last session here
    Logs {
        /// The server
        name: String,
    },
    /// End the sessions of a server here
    Stop {
        /// The server
        name: String,
    },
    /// Find what the source of a JavaScript or TypeScript server can reach
    Scan {
        /// A directory, or one file
        #[arg(value_name = "DIR|FILE")]
        target: PathBuf,
    },
    /// See whether facet works on this machine
    Doctor,
    /// Explain a code that facet reported
    Explain {
        /// The code; all of them are listed if there is none
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

impl Command {
    /// Whether it finds something that SARIF has words for.
    pub(crate) fn has_findings(&self) -> bool {
        matches!(self, Self::Check(_) | Self::Verify { .. } | Self::Diff { .. })
    }
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  facet inspect -- npx -y @modelcontextprotocol/server-memory\n  facet inspect https://mcp.example.com/ --header Authorization=MY_TOKEN\n  facet inspect surface.json"
)]
pub(crate) struct Inspect {
    /// An http(s) URL or a surface file
    #[arg(required_unless_present = "words", conflicts_with = "words")]
    pub(crate) target: Option<String>,
    /// A command to start, behind `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) words: Vec<OsString>,
    /// Start the command without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Pass this variable of the environment on to the command
    #[arg(long = "env", value_name = "NAME", conflicts_with = "target")]
    pub(crate) variables: Vec<String>,
    /// Send a header, with the value of an environment variable
    #[arg(long = "header", value_name = "NAME=ENVVAR", value_parser = header, conflicts_with = "words")]
    pub(crate) headers: Vec<(String, String)>,
    /// Keep the command from these
    #[arg(long, value_enum, value_delimiter = ',', conflicts_with = "target")]
    pub(crate) sandbox: Vec<SandboxPart>,
    /// With the file system closed: let it read this as well
    #[arg(long = "allow-read", value_name = "PATH", requires = "sandbox")]
    pub(crate) readable: Vec<PathBuf>,
    /// Scan the server's source, too, and add what it can reach
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) source: Option<PathBuf>,
    /// Write the surface file
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Seconds to wait for an answer [default: 30, 120 for npx, uvx and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  facet add memory -- npx -y @modelcontextprotocol/server-memory\n  facet add docs https://mcp.example.com/ --header Authorization=MY_TOKEN"
)]
pub(crate) struct Add {
    /// Its name in this project
    pub(crate) name: String,
    /// An http(s) URL
    #[arg(required_unless_present = "words", conflicts_with = "words")]
    pub(crate) url: Option<String>,
    /// A command to start, behind `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) words: Vec<OsString>,
    /// Answer every question with yes, except about what is critical
    #[arg(long)]
    pub(crate) yes: bool,
    /// Answer with yes, also about what is as bad as this
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) accept: Option<Level>,
    /// Pass this variable of the environment on to the command
    #[arg(long = "env", value_name = "NAME", value_parser = variable, conflicts_with = "url")]
    pub(crate) variables: Vec<String>,
    /// Send a header, with the value of an environment variable
    #[arg(long = "header", value_name = "NAME=ENVVAR", value_parser = header, conflicts_with = "words")]
    pub(crate) headers: Vec<(String, String)>,
    /// Start it in this directory, from the project on
    #[arg(long, value_name = "DIR", conflicts_with = "url")]
    pub(crate) cwd: Option<PathBuf>,
    /// Scan the server's source, too, now and at every check
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) source: Option<PathBuf>,
    /// Seconds to wait for an answer, now and later [default: 30, 120 for npx, uvx and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 as approved, 1 drift, 2 could not judge (a server that does not start, or that\nnobody has approved on this machine)."
)]
pub(crate) struct CheckArguments {
    /// The servers; all of them if none is given
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) gate: Gate,
    /// Start what the lock says, also if nobody approved it on this machine: for CI that trusts
    /// the reviewed file
    #[arg(long)]
    pub(crate) trust_lock: bool,
    /// Seconds to wait for an answer [default: as pinned, or 30, 120 for npx, uvx and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Standard input and output are the client's. Exit code 1 if --on-drift stop ended the session,\n2 if nothing was started, else that of the server."
)]
pub(crate) struct Run {
    /// The server
    pub(crate) name: String,
    /// What happens when the server is not what was approved
    #[arg(long, value_enum, default_value_t = DriftChoice::Block)]
    pub(crate) on_drift: DriftChoice,
    /// Serve clients on this machine over streamable HTTP instead, at this address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<std::net::SocketAddr>,
    /// Append a line of JSON for every decision to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// How often a server that fails is started again in a row
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) restarts: u32,
    /// Enforce what the server was granted, or not
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub(crate) sandbox: Switch,
    /// Start what the lock says, also if nobody approved it on this machine
    #[arg(long)]
    pub(crate) trust_lock: bool,
}

/// What happens when a server is not what was approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriftChoice {
    /// What changed is withheld, the rest works
    Block,
    /// Everything works, and it is said
    Warn,
    /// The session ends
    Stop,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// Yes
    On,
    /// No
    Off,
}

/// What decides over yes and no, and who is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Gate {
    /// What is bad enough for exit code 1
    #[arg(long, value_enum, default_value_t = Level::Moderate)]
    pub(crate) fail_on: Level,
    /// A policy instead of facets.policy.yaml
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Append a summary in Markdown to this file, for a pull request
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Adopt {
    /// The clients; all of them if none is given
    #[arg(value_name = "CLIENT")]
    pub(crate) clients: Vec<facets_ops::client_files::Client>,
    /// Files of this user, not of this project
    #[arg(long)]
    pub(crate) user: bool,
    /// Only show what is there
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Answer every question with yes, except about what is critical
    #[arg(long)]
    pub(crate) yes: bool,
    /// Answer with yes, also about what is as bad as this
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) accept: Option<Level>,
    /// Seconds to wait for an answer, now and later [default: 30, 120 for npx, uvx and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Approve {
    /// The servers
    #[arg(required_unless_present = "all", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// All servers of this project; those that you approved in another place with one question
    #[arg(long, conflicts_with = "names")]
    pub(crate) all: bool,
    /// Answer every question with yes
    #[arg(long)]
    pub(crate) yes: bool,
    /// Accept changes up to this without a question, and nothing beyond
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) accept: Option<Level>,
    /// Start what the lock says, also if nobody approved it on this machine
    #[arg(long)]
    pub(crate) trust_lock: bool,
    /// Seconds to wait for an answer, now and later [default: as pinned, or 30, 120 for npx, uvx and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// Anything at all
    Info,
    /// Nothing to worry about
    Safe,
    /// Somebody should read it
    Moderate,
    /// Nobody should run it unread
    Critical,
}

/// What a server can be kept from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxPart {
    /// Sockets of every kind
    Network,
    /// Files but for the system's and those of the current directory
    Filesystem,
}

fn variable(text: &str) -> Result<String, String> {
    let name: Result<facets_model::VariableName, _> = text.parse();
    name.map(|name| name.to_string()).map_err(|error| format!("{text:?} is no variable: {error}"))
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, variable) = text.split_once('=').ok_or("it is written NAME=ENVVAR")?;
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        return Err(format!("{name:?} is not the name of a header"));
    }
    let variable: facets_model::VariableName =
        variable.parse().map_err(|error| format!("{variable:?} is no variable: {error}"))?;
    Ok((name.to_owned(), variable.to_string()))
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum InitChoice {
    /// Skills, agents and commands
    Facet,
    /// A source-mode MCP server
    Server,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List what you have approved, and what it may do
    List {
        #[command(flatten)]
        which: Which,
    },
    /// No longer approve servers; what is pinned stays
    Revoke {
        /// The servers; all of them if none is given
        #[arg(value_name = "NAME", required_unless_present_any = ["all", "project"])]
        names: Vec<String>,
        #[command(flatten)]
        which: Which,
    },
}

/// Of which projects.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    /// Of every project, not only of this one
    #[arg(long, conflicts_with = "project")]
    pub(crate) all: bool,
    /// Of the project that lies, or lay, in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}
