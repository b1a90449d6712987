//! The arguments of `facet digest`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum DigestCommand {
    /// SHA-256 of the raw bytes of files
    File {
        /// The files; `-` is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Both hashes of the archive of a facet or a server, and those of its files
    Archive {
        /// The archive
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Hashes of a surface file, or of the reply to tools/list
    Surface {
        /// The file; `-` is standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Behaviour digest of a contract, of several contracts by name, or of a surface file
    Contract {
        /// The file; `-` is standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Which kind of digest
        #[arg(long, value_enum, default_value_t = ContractMode::V1)]
        mode: ContractMode,
    },
    /// Compare two servers by their behaviour digests, tool by tool
    #[command(after_help = "Exit code 1 if they differ.")]
    Compare {
        /// A surface file, a contract, contracts by name, or a vurb.lock
        #[arg(value_name = "BEFORE")]
        before: PathBuf,
        /// The same, to compare with
        #[arg(value_name = "AFTER")]
        after: PathBuf,
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

/// Whose behaviour digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContractMode {
    /// facet's own
    V1,
    /// The one of MCP Fusion (Vurb) 3.17
    FusionV1,
}
