//! `facet connect` and `facet disconnect`: clients start what is pinned here through facet, or
//! what they started before.

use std::path::{Path, PathBuf};

use facets_clients::{ClientError, ClientFile, Entry, guard, insert, parse};
use facets_lock::LockedEntry;
use facets_project::{Project, State};

use crate::client_entries::origin_of_entry;
use crate::client_files::{
    Client, FileEdit, Rewriting, Scope, command_line, enter, files, guarded, places, read, write,
};
use crate::client_values::starts_here;
use crate::consent::Consent;
use crate::error::{OpsError, ServerError};
use crate::outside_servers::refuse_inside_server;
use crate::own_program::{own_program, own_program_or_refuse};
use crate::restoring::{Restoration, restore_entries};

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
    /// Only entries that start these servers of this project; none are all, of every project.
    pub servers: Vec<String>,
}

/// What was rewritten, and what could not be.
#[derive(Debug)]
pub struct ConnectReport {
    /// The files.
    pub edits: Vec<FileEdit>,
    /// What stays as it is, and why.
    pub left: Vec<(PathBuf, ClientError)>,
    /// Variables that new entries have to set, by server.
    pub needs: Vec<(String, Vec<String>)>,
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
                report.needs.extend(needs(state, name));
                rewriting.change(|text| insert(file, text, name, &wanted))
            }
        };
        let path = || known.as_ref().map_or_else(|| file.path.clone(), |read| read.path.clone());
        report.left.extend(changed.err().map(|error| (path(), error)));
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
    let DisconnectRequest { clients, servers } = request;
    let mut report = ConnectReport { edits: Vec::new(), left: Vec::new(), needs: Vec::new() };
    let is_client = |client: Client| clients.is_empty() || clients.contains(&client);
    let project = Project::here()?;
    let is_meant = |path: &Path, entry: &Entry| {
        let mut names = servers.iter();
        servers.is_empty() || names.any(|name| starts_here(entry, path, name, &project))
    };
    let Restoration { edits, left, only_whole } = restore_entries(is_client, is_meant)?;
    report.edits = edits;
    report.left = left;
    for (_, path) in only_whole {
        let place = servers.join(", ");
        report.left.push((path, ClientError::Entangled { place }));
    }
    if servers.is_empty() {
        note_unrecorded(clients, &mut report)?;
    }
    let named: String = servers.iter().map(|name| format!(" --server {name}")).collect();
    let next = command_line("disconnect", clients, Scope::Project);
    finish(report, consent, format!("{next}{named}"))
}

/// What starts facet here all the same: an entry that was renamed, or a file that was moved.
fn note_unrecorded(clients: &[Client], report: &mut ConnectReport) -> Result<(), OpsError> {
    let places = places(Project::here()?.place())?;
    for scope in [Scope::Project, Scope::User] {
        for file in files(clients, scope, &places) {
            let Ok(Some(read)) = read(&file) else { continue };
            if report.left.iter().any(|(path, _)| *path == read.path) {
                continue;
            }
            let edit = report.edits.iter().find(|edit| edit.path == read.path);
            let after = edit.map_or(Some(read.text.as_str()), |edit| edit.after.as_deref());
            let entries = parse(&file, after.unwrap_or_default()).unwrap_or_default();
            let left = entries.iter().filter(|entry| entry.is_facet(Some(&own_program())));
            report.left.extend(
                left.map(|entry| (read.path.clone(), ClientError::unrecorded(&entry.place))),
            );
        }
    }
    Ok(())
}

/// The variables of a server that nobody sets for it yet.
fn needs(state: &State, name: &str) -> Option<(String, Vec<String>)> {
    let origin = &state.lock.server(name)?.origin;
    let variables: Vec<String> = origin.variables().into_iter().map(str::to_owned).collect();
    (!variables.is_empty()).then(|| (name.to_owned(), variables))
}

fn is_pinned_as(entry: &Entry, file: &ClientFile, project: &Path, state: &State) -> bool {
    let pinned = state.lock.server(&entry.name);
    let pinned = pinned.map(|server| (server.origin.clone(), server.settings.directory.clone()));
    pinned.is_some() && origin_of_entry(entry, file, project) == pinned
}

fn finish(
    report: ConnectReport,
    consent: &dyn Consent,
    next: String,
) -> Result<ConnectReport, OpsError> {
    if !report.edits.is_empty() {
        consent.may_rewrite(&report.edits).or_refuse("nothing was rewritten", next)?;
        report.edits.iter().try_for_each(write)?;
    }
    Ok(report)
}
