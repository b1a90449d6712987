//! Which wall of the sandbox could not be built.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// Which wall of the sandbox could not be built, and why.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfineError {
    /// Capabilities could not be given up.
    #[error("capabilities: {0}")]
    Capabilities(io::Error),
    /// Files, or connections, could not be closed.
    #[error("Landlock: {0}")]
    Landlock(Box<dyn Error>),
    /// System calls could not be closed.
    #[error("seccomp: {0}")]
    Seccomp(Box<dyn Error>),
    /// What was granted is no longer where it was.
    #[error("{}: {source}", path.display())]
    Path {
        /// Where it was.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no network of its own.
    #[error("{what}: {source}")]
    Network {
        /// What was to be done.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
}
