use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Is what I run exactly what was published and what I approved?
#[derive(Debug, Parser)]
#[command(name = "facet", version, propagate_version = true, disable_help_subcommand = false)]
#[command(after_help = "Exit codes: 0 yes, 1 a negative verdict, 2 could not judge.")]
pub(crate) struct Args {
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Human, global = true)]
    pub(crate) format: Format,
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
pub(crate) enum Format {
    /// For people
    Human,
    /// One JSON document
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Begin a facet or a server
    Init {
        /// What to begin
        kind: InitKind,
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
    Digest(Digest),
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

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum InitKind {
    /// Skills, agents and commands
    Facet,
    /// A source-mode MCP server
    Server,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Digest {
    /// SHA-256 of the raw bytes of files
    File {
        /// The files; `-` is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// SHA-256 of the canonical form of a JSON document
    Json {
        /// The document; `-` is standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print the canonical form instead of its digest
        #[arg(long)]
        print: bool,
        /// Read it as captured from a server: large integers keep their digits
        #[arg(long)]
        captured: bool,
    },
}
