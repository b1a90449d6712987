//! How a server starts: a process of ours, or a call to an address.

use std::ffi::OsString;
use std::path::PathBuf;

use facets_wire::Header;
use facets_worker::Sandbox;

use crate::environment::Variables;
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

/// An address, and what is sent along with every request.
#[derive(Clone, Debug)]
pub struct RemoteLaunch {
    /// The address.
    pub url: String,
    /// Headers to send.
    pub headers: Vec<Header>,
}
