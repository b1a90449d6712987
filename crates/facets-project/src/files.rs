//! Which files are a project's, and how they are read and written.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use facets_files::Placement;
use facets_lock::{CLOSURES, SURFACES};
use facets_model::InlineServerName;
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::error::ProjectError;

/// The manifest.
pub const MANIFEST: &str = "facets.json";
/// The lock.
pub const LOCK: &str = "facets.lock";
/// Everything else.
pub const STATE: &str = ".facets";

/// A lock or a surface file of the largest server that can be captured.
pub(crate) const MAX_FILE: u64 = 256 << 20;

/// Whether a path is one that facet writes in a project. A repository can bring a journal
/// along, so nothing else is ever written because a journal says so.
#[must_use]
pub fn is_ours(path: &str) -> bool {
    let is_of_server = |folder: &str| {
        path.strip_prefix(folder)
            .and_then(|name| name.strip_prefix('/'))
            .and_then(|name| name.strip_suffix(".json"))
            .is_some_and(|name| name.parse::<InlineServerName>().is_ok())
    };
    path == MANIFEST || path == LOCK || is_of_server(SURFACES) || is_of_server(CLOSURES)
}

pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ProjectError {
    let path = path.to_owned();
    move |source| ProjectError::Io { what, path, source }
}

/// Reads a plain file; nothing if there is none. A link could lead anywhere.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, ProjectError> {
    Ok(facets_files::read_plain(path, MAX_FILE)?)
}

/// Writes a file whole, in the place of an older one.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), ProjectError> {
    Ok(facets_files::write_atomically(path, bytes, Placement::Replace)?)
}

/// Reads a file in which this user keeps something; nothing if there is none. What others could have written
/// decides nothing.
pub(crate) fn read_own(path: &Path) -> Result<Option<Vec<u8>>, ProjectError> {
    let untrusted = |reason| ProjectError::Untrusted { path: path.to_owned(), reason };
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = fs::File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(untrusted("it is a link, or not a regular file"));
        }
        Err(error) => return Err(io("read", path)(error)),
    };
    let data = file.metadata().map_err(io("read", path))?;
    if !data.is_file() {
        return Err(untrusted("it is a link, or not a regular file"));
    }
    if data.uid() != rustix::process::getuid().as_raw() {
        return Err(untrusted("it belongs to another user"));
    }
    if data.mode() & 0o022 != 0 {
        return Err(untrusted("other users can write to it"));
    }
    let content = facets_files::read_to_limit(file, MAX_FILE).map_err(io("read", path))?;
    content.map(Some).ok_or(ProjectError::TooLarge { path: path.to_owned(), limit: MAX_FILE })
}

/// Writes a file that nobody else can read, in the place of an older one.
pub(crate) fn write_own(path: &Path, bytes: &[u8]) -> Result<(), ProjectError> {
    let placement = Placement::ReplaceFor { mode: None };
    Ok(facets_files::write_atomically(path, bytes, placement)?)
}

/// Whether a name is that of one of our files before it was put in its place, whoever wrote it.
pub(crate) fn is_staged(name: &str) -> bool {
    let file = facets_files::is_staged(name);
    // The manifest and surface files end in `.json`.
    file.is_some_and(|file| file == LOCK || file.ends_with(".json"))
}

/// Removes what was staged for a file and never put in its place. No other facet may be writing it.
pub(crate) fn sweep_staged(folder: &Path, file: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().and_then(facets_files::is_staged) == Some(file) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes a folder that must be one, and no link.
pub(crate) fn make_folder(path: &Path) -> Result<PathBuf, ProjectError> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        other => other.map_err(io("write", path))?,
    }
    check_folder(path)?;
    Ok(path.to_owned())
}

/// A folder that is a link could have us write anywhere.
pub(crate) fn check_folder(path: &Path) -> Result<(), ProjectError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(io("read", path)(error)),
        Ok(data) if data.is_dir() => Ok(()),
        Ok(_) => {
            let reason = "it is a link, or not a directory";
            Err(ProjectError::Untrusted { path: path.to_owned(), reason })
        }
    }
}
