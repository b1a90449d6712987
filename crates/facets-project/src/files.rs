//! Which files are a project's, and how they are read and written.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use facets_model::InlineServerName;

use crate::ProjectError;

/// The manifest.
pub const MANIFEST: &str = "facets.json";
/// The lock.
pub const LOCK: &str = "facets.lock";
/// Everything else.
pub const STATE: &str = ".facets";

/// A lock or a surface file of the largest server that can be captured.
const MAX_FILE: u64 = 256 << 20;

/// The surface file of a server, from the project on.
#[must_use]
pub fn surface_path(server: &str) -> String {
    format!("{STATE}/surfaces/{server}.json")
}

/// Whether a path is one that facet writes in a project. A repository can bring a journal
/// along, so nothing else is ever written because a journal says so.
#[must_use]
pub fn is_ours(path: &str) -> bool {
    let server = path
        .strip_prefix(".facets/surfaces/")
        .and_then(|name| name.strip_suffix(".json"))
        .is_some_and(|name| name.parse::<InlineServerName>().is_ok());
    path == MANIFEST || path == LOCK || server
}

pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ProjectError {
    let path = path.to_owned();
    move |source| ProjectError::Io { what, path, source }
}

/// Reads a plain file; nothing if there is none. A link could lead anywhere.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, ProjectError> {
    let data = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(io("read", path))?,
    };
    if !data.is_file() {
        let reason = "it is not a plain file";
        return Err(ProjectError::Untrusted { path: path.to_owned(), reason });
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io("read", path))?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(io("read", path))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(ProjectError::TooLarge { path: path.to_owned(), limit: MAX_FILE });
    }
    Ok(Some(bytes))
}

/// Writes a file whole: beside its place, to the disk, then into its place.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), ProjectError> {
    if fs::symlink_metadata(path).is_ok_and(|data| !data.is_file()) {
        let reason = "it is not a plain file";
        return Err(ProjectError::Untrusted { path: path.to_owned(), reason });
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let staged = staged(path);
    let result = write_new(&staged, bytes)
        .and_then(|()| fs::rename(&staged, path).map_err(io("write", path)));
    if result.is_err() {
        let _ = fs::remove_file(&staged);
    }
    result?;
    sync_folder(folder)
}

/// Beside a file: where it is written before it is put in its place.
pub(crate) fn staged(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// Whether a name is one that [`staged`] gives to a file, whoever did.
pub(crate) fn is_staged(name: &str) -> bool {
    let parts = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"));
    let parts = parts.and_then(|name| name.rsplit_once('.'));
    parts.is_some_and(|(file, process)| {
        let ours = file == MANIFEST || file == LOCK || file.ends_with(".json");
        ours && !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Writes a file and waits until the disk has it.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), ProjectError> {
    let mut file = File::create(path).map_err(io("write", path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(io("write", path))
}

/// Waits until the disk has the names in a folder.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), ProjectError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder).and_then(|file| file.sync_all()).map_err(io("write", folder))
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
            let reason = "it is not a plain folder";
            Err(ProjectError::Untrusted { path: path.to_owned(), reason })
        }
    }
}
