//! The codes of errors about servers.

use super::ServerError;

impl ServerError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "inside-a-server",
        "server-uncaptured",
        "server-unknown",
        "server-exists",
        "server-bad-name",
        "server-not-inline",
        "lock-edited",
        "project-changed-meanwhile",
        "command-not-text",
        "git-failed",
        "diff-incomparable",
        "above-accepted",
        "nothing-pinned",
        "nothing-approved",
        "no-data",
        "still-running",
        "launch-differs",
        "grant-conflict",
        "grant-elsewhere",
        "grant-unusable",
        "not-attested",
        "not-running",
        "not-stopped",
        "address-unusable",
        "secret-declared",
        "secret-in-launch",
    ];
}
