//! The files of MCP clients on this machine, read and written.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

pub use facets_clients::{Client, Scope, looks_like_secret};
use facets_clients::{
    ClientError, ClientFile, Entry, EntryTransport, Guarded, Places, Undo, masked, parse,
};
use facets_files::FileError;
use facets_lock::Lock;
use facets_project::{ClientRecords, LOCK, Project, UserDirectory};
use rustix::fs::{Access, access};

use crate::entry_variables::renamed_variables;
use crate::error::OpsError;
use crate::guarding::{is_of_workspaces, way_to_project};
use crate::own_program::own_program;
use crate::write_file;

/// More than any lock has.
const MAX_LOCK: u64 = 64 << 20;

/// A file of a client, as it is and as it would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// Whose.
    pub client: Client,
    /// Where it really lies.
    pub path: PathBuf,
    /// What it says; none if it is not there.
    pub before: Option<String>,
    /// What it would say; none if it would go.
    pub after: Option<String>,
    /// How to undo everything that was done to it, then.
    pub(crate) undos: Vec<String>,
    /// How its servers are found; in one that lies elsewhere, in any of these ways.
    pub(crate) kinds: Vec<ClientFile>,
    /// Entries that are as before facet then, or gone if facet added them.
    pub restored: Vec<RestoredEntry>,
}

/// An entry that facet wrote, and that is undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredEntry {
    /// Its name.
    pub name: String,
    /// Whether facet added it; else it rewrote one that was there.
    pub was_inserted: bool,
}

impl FileEdit {
    /// What it says and would say, without the values that are nobody's business.
    #[must_use]
    pub fn shown(&self) -> (String, String) {
        (self.masked(self.before.as_deref()), self.masked(self.after.as_deref()))
    }

    fn masked(&self, text: Option<&str>) -> String {
        let Some((first, others)) = self.kinds.split_first() else { return String::new() };
        // All at once: what is masked cannot be read again.
        let mut file = first.clone();
        for container in others.iter().flat_map(|kind| &kind.containers) {
            if !file.containers.contains(container) {
                file.containers.push(container.clone());
            }
        }
        masked(&file, text.unwrap_or_default())
    }
}

/// A file on its way from what it says to what it will say.
pub(crate) struct Rewriting {
    edit: FileEdit,
}

impl Rewriting {
    /// Begins with what is there, if anything is.
    pub(crate) fn of(file: &ClientFile, known: Option<&ClientFileText>) -> Result<Self, OpsError> {
        let path = known.map_or_else(|| file.path.clone(), |read| read.path.clone());
        let text = known.map(|read| read.text.clone());
        let undos = ClientRecords::of_this_user()?.of(&path)?;
        let (client, kinds, restored) = (file.client, vec![file.clone()], Vec::new());
        let (before, after) = (text.clone(), text);
        Ok(Self { edit: FileEdit { client, path, before, after, undos, kinds, restored } })
    }

    /// Makes one change more.
    pub(crate) fn change(
        &mut self,
        by: impl FnOnce(Option<&str>) -> Result<(String, Undo), ClientError>,
    ) -> Result<(), ClientError> {
        let (text, undo) = by(self.edit.after.as_deref())?;
        // What somebody else has written over is not ours to undo any more.
        let is_other = |known: &String| {
            Undo::from_text(known).map_or(true, |known| known.place() != undo.place())
        };
        self.edit.undos.retain(is_other);
        self.edit.undos.push(undo.to_text());
        self.edit.after = Some(text);
        Ok(())
    }

    /// What is to be written, if anything is.
    pub(crate) fn edit(self) -> Option<FileEdit> {
        Some(self.edit).filter(|edit| edit.before != edit.after)
    }
}

/// A file of a client that is there.
pub(crate) struct ClientFileText {
    pub(crate) file: ClientFile,
    /// Where it really lies.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) entries: Vec<Entry>,
}

/// Goes where the servers of a scope are pinned: that place, and where clients keep their files.
pub(crate) fn enter(scope: Scope) -> Result<(Places, PathBuf), OpsError> {
    let here = Project::here()?;
    let places = places(here.place())?;
    let directory = match scope {
        Scope::Project => here.place().to_owned(),
        Scope::User => UserDirectory::of_person()?.project()?,
    };
    std::env::set_current_dir(&directory).map_err(|source| {
        OpsError::File(FileError::Unreadable { path: directory.clone(), source })
    })?;
    Ok((places, directory))
}

/// Where the clients of this user keep their files.
pub(crate) fn places(project: &Path) -> Result<Places, OpsError> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = set("HOME").map(PathBuf::from).ok_or(facets_project::ProjectError::NoHome)?;
    let config_home = set("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let codex_home = set("CODEX_HOME").map_or_else(|| home.join(".codex"), PathBuf::from);
    let app_support = match std::env::consts::OS {
        "macos" => home.join("Library/Application Support"),
        _ => config_home.clone(),
    };
    Ok(Places { home, config_home, codex_home, app_support, project: project.to_owned() })
}

/// The files of some clients in a scope, those that are there and those that could be.
pub(crate) fn files(clients: &[Client], scope: Scope, places: &Places) -> Vec<ClientFile> {
    let clients = if clients.is_empty() { Client::ALL.to_vec() } else { clients.to_vec() };
    let files = clients.into_iter().flat_map(|client| client.files(places));
    files.filter(|file| file.scope == scope).collect()
}

/// Whether a client has a file for a project in this very folder.
#[must_use]
pub fn has_project_files(folder: &Path) -> bool {
    let Ok(places) = places(folder) else { return false };
    files(&[], Scope::Project, &places).iter().any(|file| file.path.exists())
}

/// Reads a file, if it is there.
pub(crate) fn read(file: &ClientFile) -> Result<Option<ClientFileText>, OpsError> {
    // Many people keep these files elsewhere, and link to them.
    let path = match fs::canonicalize(&file.path) {
        Ok(path) => path,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(OpsError::File(FileError::Unreadable { path: file.path.clone(), source }));
        }
    };
    let bytes = crate::input::read_regular(&path, facets_clients::MAX_BYTES as u64)?;
    let failed = |source| OpsError::Client { path: path.clone(), source };
    let text = String::from_utf8(bytes).map_err(|error| {
        OpsError::File(FileError::Unreadable {
            path: path.clone(),
            source: std::io::Error::other(error.utf8_error()),
        })
    })?;
    let entries = parse(file, &text).map_err(failed)?;
    Ok(Some(ClientFileText { file: file.clone(), path, text, entries }))
}

/// What to type to have it done without a question.
pub(crate) fn command_line(verb: &str, clients: &[Client], scope: Scope) -> String {
    let clients = clients.iter().map(|client| client.name());
    let scope = (scope == Scope::User).then_some("--user");
    let words = ["facet", verb].into_iter().chain(clients).chain(scope).chain(["--yes"]);
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a file of a client could be written: another one takes its place in the same folder.
pub(crate) fn require_writable(edit: &FileEdit) -> Result<(), OpsError> {
    if is_writable(&edit.path) {
        return Ok(());
    }
    let (path, source) = (edit.path.clone(), std::io::ErrorKind::PermissionDenied.into());
    Err(OpsError::File(FileError::Unwritable { path, source }))
}

/// The same of a path. A folder that is made first can be written.
pub(crate) fn is_writable(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| folder.exists());
    folder.is_none_or(|folder| access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok())
}

/// Writes a file of a client, if nobody else has since it was read. How to undo it is written
/// first.
pub(crate) fn write(edit: &FileEdit) -> Result<(), OpsError> {
    let now = match fs::read(&edit.path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(source) => {
            return Err(OpsError::File(FileError::Unreadable { path: edit.path.clone(), source }));
        }
    };
    if now.as_deref() != edit.before.as_ref().map(String::as_bytes) {
        let (path, source) = (edit.path.clone(), ClientError::Overtaken);
        return Err(OpsError::Client { path, source });
    }
    let records = ClientRecords::of_this_user()?;
    let mut both = records.of(&edit.path)?;
    both.extend(edit.undos.iter().filter(|undo| !both.contains(undo)).cloned().collect::<Vec<_>>());
    records.set(&edit.path, &both)?;
    if let Some(text) = &edit.after {
        let mode = fs::metadata(&edit.path).map(|data| data.permissions().mode());
        write_file::replace_with_mode(&edit.path, text.as_bytes(), mode.ok())?;
    } else {
        let unwritable =
            |source| OpsError::File(FileError::Unwritable { path: edit.path.clone(), source });
        fs::remove_file(&edit.path).map_err(unwritable)?;
    }
    Ok(records.set(&edit.path, &edit.undos)?)
}

/// How a client starts a server through facet.
pub(crate) fn guarded(
    file: &ClientFile,
    name: &str,
    directory: &Path,
    entry: Option<&Entry>,
    headers: Vec<(String, String)>,
) -> Guarded {
    let mut args = vec!["run".to_owned(), name.to_owned()];
    let cwd = entry.and_then(|entry| match &entry.transport {
        EntryTransport::Command { cwd, .. } => cwd.as_deref(),
        EntryTransport::Url { .. } | EntryTransport::Unclear { .. } => None,
    });
    let directory = match file.scope {
        Scope::User => Some(directory.display().to_string()),
        // These say themselves where the project lies; the others begin there.
        Scope::Project if is_of_workspaces(file.client) => Some("${workspaceFolder}".to_owned()),
        Scope::Project => cwd.map(|cwd| way_to_project(cwd, directory)),
    };
    args.extend(directory.into_iter().flat_map(|directory| ["--directory".to_owned(), directory]));
    let variables = entry.map(renamed_variables).unwrap_or_default();
    Guarded { program: own_program(), args, headers, variables }
}

/// The names that a lock has, as far as it can be read.
pub(crate) fn locked_names(project: &Path) -> BTreeSet<String> {
    let bytes = crate::input::read_regular(&project.join(LOCK), MAX_LOCK).unwrap_or_default();
    let lock = Lock::parse(&bytes).unwrap_or_else(|_| Lock::empty());
    lock.servers().keys().cloned().collect()
}
