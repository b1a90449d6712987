//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use facets_face::Audience;

const AFTER_HELP: &str = "\
First steps:
  mcp-publisher init                   write a server.json for this project
  mcp-publisher validate               show everything that a registry would refuse
  mcp-publisher hash-gen > out.json    add the hashes of all files of all packages
  mcp-publisher verify out.json        compare them with what is published

Exit codes: 0 ok, 1 invalid or changed, 2 could not check.";

/// The heading of what every command takes, apart from what one command takes.
const GLOBAL: &str = "Global options";

/// Describe MCP servers for a registry, and pin the bytes of their packages
#[derive(Debug, Parser)]
#[command(name = "mcp-publisher", version, propagate_version = true, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Human, global = true, help_heading = GLOBAL)]
    pub(crate) format: OutputFormat,
    /// Short for --format json
    #[arg(long, global = true, conflicts_with = "format", help_heading = GLOBAL)]
    pub(crate) json: bool,
    /// No progress, no advice: the result and errors only
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = GLOBAL)]
    pub(crate) quiet: bool,
    /// More detail: the hashes of all files, and the hosts that were asked
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    pub(crate) verbose: bool,
    /// Work as if started in this directory
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
    /// Write a server.json from package.json, pyproject.toml, Dockerfile and the git remote
    Init {
        /// The file to write; it must not exist
        #[arg(default_value = "server.json", value_name = "FILE")]
        file: PathBuf,
    },
    /// Show everything that is wrong with a server.json
    Validate {
        /// The file
        #[arg(default_value = "server.json", value_name = "FILE")]
        file: PathBuf,
    },
    /// Hash every file of every package, and print the completed server.json
    HashGen {
        /// The file; it is not changed
        #[arg(default_value = "server.json", value_name = "FILE")]
        file: PathBuf,
    },
    /// Compare the hashes of a server.json with the published files
    Verify {
        /// The file
        #[arg(default_value = "server.json", value_name = "FILE")]
        file: PathBuf,
    },
    /// Explain a code, or list all of them
    Explain {
        /// The code
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
