use std::path::PathBuf;

use clap::Subcommand;

use super::candidates::server_names;

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
        #[arg(value_name = "NAME", required_unless_present_any = ["all", "project"], add = server_names())]
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
