use std::path::PathBuf;

use clap::Subcommand;

use super::candidates::server_names;

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List your approvals and what the servers may do
    List {
        #[command(flatten)]
        which: Which,
    },
    /// Revoke approvals; the servers stay pinned
    Revoke {
        /// The servers; all of them if none is given
        #[arg(value_name = "NAME", required_unless_present_any = ["all", "project"], add = server_names())]
        names: Vec<String>,
        #[command(flatten)]
        which: Which,
    },
}

impl Default for ApprovalsCommand {
    /// Whoever types no more wants to see them.
    fn default() -> Self {
        Self::List { which: Which::default() }
    }
}

/// Of which projects.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Which {
    /// All projects, not only this one
    #[arg(long, conflicts_with = "project")]
    pub(crate) all: bool,
    /// The project in this directory, even if it no longer exists
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}
