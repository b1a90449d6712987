//! How a server starts: a process of ours, or a call to an address.

use std::ffi::OsString;
use std::path::PathBuf;

use facets_wire::Header;
use facets_worker::Sandbox;

use crate::environment::Variables;
use crate::program::executables;
use crate::settled::settled_path;
use crate::verified_files::VerifiedFiles;

/// A server that can be started or called: everything that it takes, and nothing to decide.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are few, and nearly all are processes")]
pub enum Launchable {
    /// A process below us.
    Process(ProcessLaunch),
    /// A server that runs elsewhere.
    Remote(RemoteLaunch),
}

impl Launchable {
    /// The same server without what only says where and for whom it runs (spec 5.2): what it declares then
    /// is the same on every machine.
    #[must_use]
    pub fn normalised(&self) -> Self {
        match self.clone() {
            Self::Process(process) => {
                let variables = Variables { is_normalised: true, ..process.variables };
                Self::Process(ProcessLaunch { variables, ..process })
            }
            // Nothing of this machine is sent along but the headers.
            remote @ Self::Remote(_) => remote,
        }
    }
}

/// A command line, never a shell's.
#[derive(Clone, Debug)]
pub struct ProcessLaunch {
    /// The program: a path, or a name to be found in `PATH`.
    pub program: OsString,
    /// Its arguments, passed as they are.
    pub args: Vec<OsString>,
    /// Its environment.
    pub variables: Variables,
    /// Where it starts.
    pub directory: PathBuf,
    /// What it is kept from.
    pub sandbox: Sandbox,
    /// The verified files that it is started from; none for a command as a user wrote it.
    pub verified: Option<VerifiedFiles>,
}

impl ProcessLaunch {
    /// What is executed when the server starts, where it really lies. A link that the server can write leads to
    /// no other program than one that it can write.
    #[must_use]
    pub fn executed_files(&self, writable: &[PathBuf]) -> Vec<PathBuf> {
        let path = self.variables.search_path();
        let found = executables(&self.program, &self.directory, &path, writable);
        let is_writable = |file: &PathBuf| writable.iter().any(|folder| file.starts_with(folder));
        let real = found.into_iter().filter_map(|file| {
            let own = || std::fs::canonicalize(&file).ok().filter(is_writable);
            settled_path(&file, writable).or_else(own)
        });
        real.collect()
    }
}

/// An address, and what is sent along with every request.
#[derive(Clone, Debug)]
pub struct RemoteLaunch {
    /// The address.
    pub url: String,
    /// Headers to send.
    pub headers: Vec<Header>,
}
