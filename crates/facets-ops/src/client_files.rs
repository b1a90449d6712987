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

use crate::entry_variables::renamed_variables;
use crate::error::OpsError;
use crate::guarding::{is_of_workspaces, way_to_project, weakness};
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
}

impl FileEdit {
    /// What it says and would say, without the values that are nobody's business.
    #[must_use]
    pub fn shown(&self) -> (String, String) {
        (self.masked(self.before.as_deref()), self.masked(self.after.as_deref()))
    }

    fn masked(&self, text: Option<&str>) -> String {
        let text = text.unwrap_or_default().to_owned();
        self.kinds.iter().fold(text, |text, kind| masked(kind, &text))
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
        let (client, kinds) = (file.client, vec![file.clone()]);
        Ok(Self {
            edit: FileEdit { client, path, before: text.clone(), after: text, undos, kinds },
        })
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
        Scope::User => UserDirectory::of_this_user()?.project()?,
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

/// Undoes everything that was done to a file; what cannot be undone is given back.
/// `starts_facet` tells of a place whether its entry does.
pub(crate) fn undone(
    text: &str,
    undos: &[String],
    starts_facet: impl Fn(&[String]) -> bool,
) -> (String, Vec<String>, Vec<ClientError>, bool) {
    let mut text = text.to_owned();
    let (mut left, mut problems, mut was_absent) = (Vec::new(), Vec::new(), false);
    for written in undos.iter().rev() {
        let undo = match Undo::from_text(written) {
            Ok(undo) => undo,
            Err(error) => {
                // A newer facet may know how.
                problems.push(error);
                left.insert(0, written.clone());
                continue;
            }
        };
        match facets_clients::undo(&text, &undo) {
            Ok(other) => {
                was_absent |= undo.file_was_absent();
                text = other;
            }
            // There is nothing to undo; it may come back.
            Err(ClientError::Gone { .. }) => left.insert(0, written.clone()),
            // Somebody else has undone it.
            Err(ClientError::Edited { .. }) if !starts_facet(undo.place()) => {}
            Err(error) => {
                problems.push(error);
                left.insert(0, written.clone());
            }
        }
    }
    (text, left, problems, was_absent)
}

/// A server that a client starts without facet.
pub(crate) struct UnguardedServer {
    pub(crate) name: String,
    pub(crate) client: Client,
    /// Its file.
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
    /// Whether facet had seen to it that it does not.
    pub(crate) was_guarded: bool,
    /// Why it is not guarded although it starts facet.
    pub(crate) weakness: Option<String>,
}

impl UnguardedServer {
    /// Whether the guard was removed, or weakened.
    fn is_bad(&self) -> bool {
        self.was_guarded || self.weakness.is_some()
    }
}

/// An entry that starts a server through facet which is not pinned any more.
pub(crate) struct GoneServer {
    pub(crate) name: String,
    pub(crate) client: Client,
}

/// The servers of the clients around here.
#[derive(Default)]
pub(crate) struct ClientServers {
    /// How many start through facet.
    pub(crate) guarded: usize,
    pub(crate) unguarded: Vec<UnguardedServer>,
    pub(crate) gone: Vec<GoneServer>,
}

/// The servers of the clients around here: those that start through facet, and those that do not.
/// Changes nothing.
pub(crate) fn servers_of_clients(project: &Path) -> Result<ClientServers, OpsError> {
    let unreadable =
        |source| OpsError::File(FileError::Unreadable { path: project.to_owned(), source });
    let project = fs::canonicalize(project).map_err(unreadable)?;
    let places = places(&project)?;
    let user = UserDirectory::of_this_user()?.project_path();
    let (own, records) = (own_program(), ClientRecords::read_only()?);
    let pinned = [&project, &user].map(|place| locked_names(place));
    let (mut found, mut unread) = (ClientServers::default(), None);
    for scope in [Scope::Project, Scope::User] {
        for file in files(&[], scope, &places) {
            let read = match read(&file) {
                Ok(None) => continue,
                Ok(Some(read)) => read,
                // One that cannot be read must not hide what others say.
                Err(error) => {
                    unread.get_or_insert(error);
                    continue;
                }
            };
            let undos: Vec<Undo> = records
                .of(&read.path)?
                .iter()
                .filter_map(|undo| Undo::from_text(undo).ok())
                .collect();
            for entry in read.entries.iter().filter(|entry| entry.enabled) {
                let is_facet = entry.is_facet(Some(&own));
                let weakness = weakness(entry, &file, &[&project, &user], &project);
                if let (Some(name), None) = (entry.guarded_name(Some(&own)), &weakness) {
                    found.guarded += 1;
                    if !pinned.iter().any(|names| names.contains(name)) {
                        let (name, client) = (name.to_owned(), file.client);
                        found.gone.push(GoneServer { name, client });
                    }
                    continue;
                }
                let was_guarded = !is_facet && undos.iter().any(|undo| undo.place() == entry.place);
                let weakness = weakness.filter(|_| is_facet);
                let (name, client) = (entry.name.clone(), file.client);
                let path = read.path.clone();
                found.unguarded.push(UnguardedServer {
                    name,
                    client,
                    path,
                    scope,
                    was_guarded,
                    weakness,
                });
            }
        }
    }
    match unread {
        Some(error) if !found.unguarded.iter().any(UnguardedServer::is_bad) => Err(error),
        _ => Ok(found),
    }
}

/// The names that a lock has, as far as it can be read.
pub(crate) fn locked_names(project: &Path) -> BTreeSet<String> {
    let bytes = crate::input::read_regular(&project.join(LOCK), MAX_LOCK).unwrap_or_default();
    let lock = Lock::parse(&bytes).unwrap_or_else(|_| Lock::empty());
    lock.servers().keys().cloned().collect()
}
