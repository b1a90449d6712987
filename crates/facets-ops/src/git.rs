//! Files as they were at a revision.

use std::path::Path;
use std::process::{Command, Stdio};

use facets_lock::{Lock, surface_path};
use facets_project::{LOCK, ProjectError};
use facets_surface::parse_surface_file;

use crate::broken_pin::BrokenPin;
use crate::error::{OpsError, ServerError};
use crate::pinned::Pinned;

/// A file at a revision; none if it was not there.
pub(crate) fn file_at(
    root: &Path,
    revision: &str,
    path: &str,
) -> Result<Option<Vec<u8>>, OpsError> {
    let what = format!("{revision}:./{path}");
    let failed = |reason: String| ServerError::Git { what: what.clone(), reason };
    // A revision is no option, and an object is shown as it is: no filter of the repository runs.
    if revision.starts_with('-') || revision.contains(':') || revision.is_empty() {
        return Err(failed("not a revision".to_owned()).into());
    }
    let git = |arguments: &[&str]| {
        Command::new("git")
            .args(["--no-pager", "--no-optional-locks"])
            // A repository must not have git start anything.
            .args(["-c", "core.fsmonitor=false", "-c", "protocol.allow=never"])
            .args(["-c", "core.sshCommand=false", "-c", "core.hooksPath=/dev/null"])
            .args(["-c", "safe.bareRepository=explicit", "-c", "credential.helper="])
            .args(arguments)
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .current_dir(root)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| failed(error.to_string()))
    };
    let commit = format!("{revision}^{{commit}}");
    let known = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
    if !known.status.success() {
        return Err(failed("revision not found".to_owned()).into());
    }
    let found = git(&["cat-file", "blob", &what])?;
    Ok(found.status.success().then_some(found.stdout))
}

/// The lock at a revision; an empty one if there was none.
pub(crate) fn lock_at(root: &Path, revision: &str) -> Result<Lock, OpsError> {
    match file_at(root, revision, LOCK)? {
        None => Ok(Lock::empty()),
        Some(bytes) => Lock::parse(&bytes).map_err(|source| {
            let path = format!("{revision}:{LOCK}").into();
            OpsError::Project(ProjectError::Lock { path, source })
        }),
    }
}

/// A server as it was locked at a revision.
pub(crate) fn pinned_at(
    root: &Path,
    revision: &str,
    name: &str,
    lock: &Lock,
) -> Result<Pinned, OpsError> {
    let known = || lock.servers().keys().cloned().collect();
    let unknown = || ServerError::Unknown {
        name: format!("{name}@{revision}"),
        known: known(),
        of_user: None,
    };
    let server = lock.server(name).ok_or_else(unknown)?.clone();
    let edited =
        |problem: BrokenPin| ServerError::Edited { name: format!("{name}@{revision}"), problem };
    let bytes = file_at(root, revision, &surface_path(name))?;
    let file = surface_path(name);
    let bytes = bytes.ok_or_else(|| edited(BrokenPin::NoSurfaceFile { file: file.clone() }))?;
    let surface = parse_surface_file(&bytes)
        .map_err(|source| edited(BrokenPin::SurfaceFile { file, source }))?;
    let digest = facets_digest::Digest::of(&bytes);
    Pinned::pair(name, server, surface, digest).map_err(|problem| edited(problem).into())
}
