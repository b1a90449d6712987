//! How something is installed.

use crate::approval::Trust;

/// How something is installed.
#[derive(Clone, Debug)]
pub struct InstallOptions {
    /// The registry that was typed; none is that of the environment, or the locked one.
    pub registry: Option<String>,
    /// Whether another registry than the locked one is accepted.
    pub registry_change: RegistryChange,
    /// Whether the network may be used.
    pub network: NetworkUse,
    /// Whether anything is written.
    pub mode: InstallMode,
    /// Who decides about what is locked.
    pub trust: Trust,
    /// Whether commands and addresses that facets declare may be started or called.
    pub inline: InlineServers,
    /// Packages of npm and PyPI that were published later are left out: a date.
    pub before: Option<String>,
}

/// Whether another registry than the locked one is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistryChange {
    /// The origin is pinned.
    Refused,
    /// The user typed that it may change.
    Accepted,
}

/// Whether the network may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkUse {
    /// Where something is not stored on this machine.
    Allowed,
    /// Never.
    Offline,
}

/// Whether anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallMode {
    /// After a yes.
    Apply,
    /// Nothing: what would be done is shown.
    DryRun,
    /// Only what the lock has: neither manifest nor lock changes.
    Frozen,
}

/// Whether commands and addresses that facets declare may be started or called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InlineServers {
    /// After a yes at a terminal.
    Asked,
    /// They were accepted beforehand (`--accept-mcp`).
    Accepted,
}
