//! Files that were verified, and that a server is started from.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use facets_failure::Describe;
use facets_worker::{Sandbox, VerifiedPath};

/// Why verified files cannot be started any more.
pub type UnverifiedFiles = Box<dyn Describe + Send + Sync>;

/// Looks at verified files once more, directly before each start.
pub trait StartCheck: fmt::Debug + Send + Sync {
    /// Fails if the files are not those that were verified, or if a server in this sandbox could load others
    /// in their place.
    fn verify(&self, sandbox: &Sandbox) -> Result<(), UnverifiedFiles>;
}

/// Files that were verified, and that a server is started from.
#[derive(Clone, Debug)]
pub struct VerifiedFiles {
    /// The files of the server itself.
    pub tree: PathBuf,
    /// What it reads beside these: its runtime.
    pub read: Vec<PathBuf>,
    /// Looks at all of them before each start.
    pub check: Arc<dyn StartCheck>,
}

impl VerifiedFiles {
    /// Which files and directories these are now.
    pub(crate) fn identities(&self) -> io::Result<Vec<VerifiedPath>> {
        std::iter::once(&self.tree).chain(&self.read).map(|path| VerifiedPath::now(path)).collect()
    }
}
