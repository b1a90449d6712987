//! How a server is to be started.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a server is to be kept from while it is only looked at.
#[derive(Clone, Debug, Default)]
pub struct SandboxRequest {
    /// No network at all.
    pub network: bool,
    /// No files but the system's, the current directory's, and these.
    pub filesystem: Option<Vec<PathBuf>>,
}

/// How a server is to be prepared.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaunchOptions {
    /// Values of variables that our own environment does not have.
    pub(crate) given: BTreeMap<String, String>,
    /// What it is kept from.
    pub(crate) sandbox: SandboxRequest,
}
