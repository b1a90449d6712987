use std::path::PathBuf;

use clap::ValueEnum;

use super::candidates::server_names;

#[derive(Debug, clap::Args)]
#[command(after_help = super::examples::RUN)]
pub(crate) struct Run {
    /// The server
    #[arg(add = server_names())]
    pub(crate) name: String,
    /// What to do when the server changed since it was approved
    #[arg(long, value_enum, default_value_t = DriftChoice::Block)]
    pub(crate) on_drift: DriftChoice,
    /// Serve clients on this machine over streamable HTTP instead, at this address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<std::net::SocketAddr>,
    /// Append every decision to this file, as a line of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// How many times in a row a server that fails after its first answer is restarted
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) restarts: u32,
    /// Whether the server is confined as granted
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub(crate) sandbox: Switch,
    /// Start the server if it is in the lock but not approved on this machine
    #[arg(long)]
    pub(crate) trust_lock: bool,
}

/// What happens when a server is not what was approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriftChoice {
    /// Withhold what changed; the rest works
    Block,
    /// Deliver everything and report the changes: no protection
    Warn,
    /// End the session
    Stop,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// Confine it as granted
    On,
    /// No confinement, whatever was granted
    Off,
}
