//! The probe worker: a process of its own that starts one server and looks at it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use facets_digest::Digest;

/// The first argument with which the program re-enters itself as the worker.
pub const PROBE_WORKER: &str = "probe-worker";

/// The runtime that servers are started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstalledProgram {
    /// Where the program lies.
    pub(crate) path: PathBuf,
    /// Its name and version, such as `bun 1.4.4`.
    pub(crate) version: String,
}

/// One server to look at.
pub(crate) struct ProbeRequest<'r> {
    /// Its archive.
    pub(crate) archive: &'r Path,
    /// SHA-256 of the archive.
    pub(crate) content_hash: Digest,
    /// SHA-256 of the uncompressed tar inside.
    pub(crate) integrity: Digest,
    /// An empty directory that only this probe uses.
    pub(crate) scratch: &'r Path,
    /// What it is started with.
    pub(crate) runtime: &'r InstalledProgram,
    /// The executable of the registry, which is started again as the worker.
    pub(crate) program: &'r Path,
}

/// What a server declares.
pub(crate) struct ProbeAnswer {
    /// The text of its surface file.
    pub(crate) surface_file: String,
}

/// Why there is no answer.
pub(crate) enum ProbeFailure {
    /// The server does not start, or has no valid surface.
    Refused {
        /// The code of the reason.
        code: String,
        /// The reason.
        error: String,
        /// What the server printed.
        printed: String,
    },
    /// The worker could not do its work, through no fault of the server.
    Broken(String),
}

/// Looks at a server. Blocks for 35 seconds at most.
pub(crate) fn probe(request: &ProbeRequest<'_>) -> Result<ProbeAnswer, ProbeFailure> {
    let ProbeRequest { archive, content_hash, integrity, scratch, runtime, program } = request;
    Err(ProbeFailure::Broken(format!(
        "no probe worker: {} {content_hash} {integrity} {} {} {} {}",
        archive.display(),
        scratch.display(),
        runtime.path.display(),
        runtime.version,
        program.display(),
    )))
}

/// The worker's main.
pub fn probe_worker(_arguments: &[OsString]) -> ExitCode {
    ExitCode::FAILURE
}
