//! `facet connect` and `facet disconnect`: clients start what is pinned here through facet, or
//! what they started before.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use facets_clients::{ClientError, ClientFile, Entry, guard, insert, parse};
use facets_launch::FOR_SERVER;
use facets_lock::LockedEntry;
use facets_project::{Project, State};

use crate::client_entries::origin_of_entry;
use crate::client_files::{
    Client, FileEdit, Rewriting, Scope, command_line, enter, files, guarded, locked_names, places,
    read, require_writable, write,
};
use crate::client_values::starts_here;
use crate::consent::Consent;
use crate::entry_variables::header_prefix;
use crate::error::{OpsError, ServerError};
use crate::outside_servers::refuse_inside_server;
use crate::own_program::{own_program, own_program_or_refuse};
use crate::restoring::{Restoration, restore_entries};
use crate::unknown_server::not_among;

/// What to connect.
#[derive(Debug)]
pub struct ConnectRequest {
    /// The clients.
    pub clients: Vec<Client>,
    /// Files of this project, or of this user.
    pub scope: Scope,
}

/// What to disconnect.
#[derive(Debug)]
pub struct DisconnectRequest {
    /// The clients; none are all.
    pub clients: Vec<Client>,
    /// Only entries that start these servers of this project; none are all.
    pub servers: Vec<String>,
    /// In which files.
    pub reach: DisconnectReach,
}

/// In which files entries are restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisconnectReach {
    /// Those of every project, and those of the user.
    Everywhere,
    /// Those of this project; for the user's own project those of the user.
    Here,
}

/// Something that stays as it is.
#[derive(Debug)]
pub struct LeftEntry {
    /// The file.
    pub path: PathBuf,
    /// Which entry, and why.
    pub problem: ClientError,
    /// Whether the file is neither of this project nor of the user.
    pub is_elsewhere: bool,
}

/// Variables that nobody sets for a server yet.
#[derive(Debug)]
pub struct NeededVariables {
    /// The server.
    pub server: String,
    /// What the entry has to set, as it is called there.
    pub variables: Vec<String>,
    /// Whose entry.
    pub client: Client,
    /// In which file.
    pub path: PathBuf,
}

/// What was rewritten, and what could not be.
#[derive(Debug)]
pub struct ConnectReport {
    /// The files.
    pub edits: Vec<FileEdit>,
    /// What stays as it is, and why.
    pub left: Vec<LeftEntry>,
    /// Variables that new entries have to set.
    pub needs: Vec<NeededVariables>,
}

/// Has clients start every server that is pinned here through facet.
pub fn connect(request: &ConnectRequest, consent: &dyn Consent) -> Result<ConnectReport, OpsError> {
    refuse_inside_server()?;
    own_program_or_refuse()?;
    let (places, directory) = enter(request.scope)?;
    let state = Project::here()?.read(&|_| false)?;
    let servers: Vec<&String> = state
        .lock
        .servers()
        .iter()
        .filter(|(_, entry)| matches!(entry, LockedEntry::Server(_)))
        .map(|(name, _)| name)
        .collect();
    if servers.is_empty() {
        return Err(ServerError::NothingPinned.into());
    }
    let mut report = ConnectReport { edits: Vec::new(), left: Vec::new(), needs: Vec::new() };
    for client in &request.clients {
        let all = files(&[*client], request.scope, &places);
        // The first that is there, or the first that could be.
        let there = all.iter().find(|file| file.path.exists()).or(all.first());
        if let Some(file) = there {
            connect_file(file, &servers, &state, &directory, &mut report)?;
        }
    }
    let next = command_line("connect", &request.clients, request.scope);
    finish(report, consent, next)
}

/// Enters every server into one file.
fn connect_file(
    file: &ClientFile,
    servers: &[&String],
    state: &State,
    directory: &Path,
    report: &mut ConnectReport,
) -> Result<(), OpsError> {
    let known = read(file)?;
    let mut rewriting = Rewriting::of(file, known.as_ref())?;
    let path = known.as_ref().map_or_else(|| file.path.clone(), |read| read.path.clone());
    for name in servers {
        let mut entries = known.iter().flat_map(|read| &read.entries);
        let entry = entries.find(|entry| entry.name == **name);
        let wanted = guarded(file, name, directory, entry, Vec::new());
        let changed = match entry {
            Some(entry) if entry.is_facet(Some(&own_program())) => continue,
            // Something else under this name is not ours to replace.
            Some(entry) if !is_pinned_as(entry, file, directory, state) => {
                Err(ClientError::Exists { place: (*name).clone() })
            }
            Some(entry) => rewriting
                .change(|text| guard(file.client, text.unwrap_or_default(), &entry.place, &wanted)),
            None => {
                report.needs.extend(needs(state, name, file.client, &path));
                rewriting.change(|text| insert(file, text, name, &wanted))
            }
        };
        let left = |problem| LeftEntry { path: path.clone(), problem, is_elsewhere: false };
        report.left.extend(changed.err().map(left));
    }
    report.edits.extend(rewriting.edit());
    Ok(())
}

/// Has clients start what they started before.
pub fn disconnect(
    request: &DisconnectRequest,
    consent: &dyn Consent,
) -> Result<ConnectReport, OpsError> {
    refuse_inside_server()?;
    let DisconnectRequest { clients, servers, reach } = request;
    let mut report = ConnectReport { edits: Vec::new(), left: Vec::new(), needs: Vec::new() };
    let project = Project::here()?;
    let scopes: &[Scope] = match reach {
        DisconnectReach::Everywhere => &[Scope::Project, Scope::User],
        DisconnectReach::Here if project.is_of_user() => &[Scope::User],
        DisconnectReach::Here => &[Scope::Project],
    };
    let own = real_files(&project, scopes)?;
    let is_file = |client: Client, path: &Path| {
        let is_client = clients.is_empty() || clients.contains(&client);
        is_client && (*reach == DisconnectReach::Everywhere || own.contains(path))
    };
    let is_meant = |path: &Path, entry: &Entry| {
        let mut names = servers.iter();
        servers.is_empty() || names.any(|name| starts_here(entry, path, name, &project))
    };
    let Restoration { edits, mut left, only_whole } = restore_entries(is_file, is_meant)?;
    report.edits = edits;
    left.extend(only_whole.into_iter().map(|(_, path)| {
        let place = servers.join(", ");
        (path, ClientError::Entangled { place })
    }));
    report.left.extend(left.into_iter().map(|(path, problem)| {
        let is_elsewhere = !own.contains(&path);
        LeftEntry { path, problem, is_elsewhere }
    }));
    if servers.is_empty() {
        note_unrecorded(clients, scopes, &mut report)?;
    }
    if report.edits.is_empty() && report.left.is_empty() {
        require_known(servers, &project)?;
    }
    let mut next = command_line("disconnect", clients, Scope::Project);
    next.extend(servers.iter().map(|name| format!(" --server {name}")));
    next.push_str(if *reach == DisconnectReach::Here { " --here" } else { "" });
    finish(report, consent, next)
}

/// A name that no entry starts and nobody has pinned is mistyped.
fn require_known(servers: &[String], project: &Project) -> Result<(), OpsError> {
    let known = locked_names(project.place());
    match servers.iter().find(|name| !known.contains(*name)) {
        Some(name) => Err(not_among(name, known.clone())),
        None => Ok(()),
    }
}

/// The files of clients of a project, or of the user, where they really lie.
fn real_files(project: &Project, scopes: &[Scope]) -> Result<BTreeSet<PathBuf>, OpsError> {
    let places = places(project.place())?;
    let all = scopes.iter().flat_map(|scope| files(&[], *scope, &places));
    Ok(all.filter_map(|file| file.path.canonicalize().ok()).collect())
}

/// What starts facet here all the same: an entry that was renamed, or a file that was moved.
fn note_unrecorded(
    clients: &[Client],
    scopes: &[Scope],
    report: &mut ConnectReport,
) -> Result<(), OpsError> {
    let places = places(Project::here()?.place())?;
    for file in scopes.iter().flat_map(|scope| files(clients, *scope, &places)) {
        let Ok(Some(read)) = read(&file) else { continue };
        if report.left.iter().any(|left| left.path == read.path) {
            continue;
        }
        let edit = report.edits.iter().find(|edit| edit.path == read.path);
        let after = edit.map_or(Some(read.text.as_str()), |edit| edit.after.as_deref());
        let entries = parse(&file, after.unwrap_or_default()).unwrap_or_default();
        let left = entries.iter().filter(|entry| entry.is_facet(Some(&own_program())));
        report.left.extend(left.map(|entry| LeftEntry {
            path: read.path.clone(),
            problem: ClientError::unrecorded(&entry.place),
            is_elsewhere: false,
        }));
    }
    Ok(())
}

/// The variables of a server that nobody sets for it yet.
fn needs(state: &State, name: &str, client: Client, path: &Path) -> Option<NeededVariables> {
    let origin = &state.lock.server(name)?.origin;
    let in_entry = |variable: &str| {
        let is_of_header = variable.starts_with(&header_prefix(name));
        // With its prefix it means something to the server alone.
        if is_of_header { variable.to_owned() } else { format!("{FOR_SERVER}{variable}") }
    };
    let variables: Vec<String> = origin.variables().into_iter().map(in_entry).collect();
    let (server, path) = (name.to_owned(), path.to_owned());
    (!variables.is_empty()).then_some(NeededVariables { server, variables, client, path })
}

fn is_pinned_as(entry: &Entry, file: &ClientFile, project: &Path, state: &State) -> bool {
    let pinned = state.lock.server(&entry.name);
    let pinned = pinned.map(|server| (server.origin.clone(), server.settings.directory.clone()));
    pinned.is_some() && origin_of_entry(entry, file, project) == pinned
}

fn finish(
    mut report: ConnectReport,
    consent: &dyn Consent,
    next: String,
) -> Result<ConnectReport, OpsError> {
    // One that cannot be written does not keep the others.
    let is_writable = |edit: &FileEdit| require_writable(edit).is_ok();
    let (edits, unwritable): (Vec<_>, Vec<_>) = report.edits.into_iter().partition(is_writable);
    report.edits = edits;
    report.left.extend(unwritable.into_iter().map(|edit| LeftEntry {
        path: edit.path,
        problem: ClientError::Unwritable,
        is_elsewhere: false,
    }));
    if !report.edits.is_empty() {
        consent.may_rewrite(&report.edits).or_refuse("nothing was rewritten", next)?;
        report.edits.iter().try_for_each(write)?;
    }
    Ok(report)
}
