//! `facet connect` and `facet disconnect`: clients start what is pinned here through facet, or
//! what they started before.

use std::path::{Path, PathBuf};

use facets_clients::{ClientError, ClientFile, Entry, Secret, Undo, guard, insert, parse};
use facets_lock::{Launch, LockedEntry};
use facets_project::{ClientRecords, Project, State};

use crate::adopt::launch_of_entry;

use crate::OpsError;
use crate::clients::{
    Client, FileEdit, Scope, enter, files, guarded, places, program, read, secrets, undone, write,
};
use crate::consent::Consent;

/// What to connect.
#[derive(Debug)]
pub struct ConnectRequest {
    /// The clients.
    pub clients: Vec<Client>,
    /// Files of this project, or of this user.
    pub scope: Scope,
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
    let (places, directory) = enter(request.scope)?;
    let state = Project::here()?.read(&|_| false)?;
    let servers: Vec<&String> = state
        .lock
        .servers()
        .iter()
        .filter(|(_, entry)| matches!(entry, LockedEntry::Inline(_)))
        .map(|(name, _)| name)
        .collect();
    if servers.is_empty() {
        return Err(crate::ServerError::NothingPinned.into());
    }
    let mut report = ConnectReport { edits: Vec::new(), left: Vec::new(), needs: Vec::new() };
    for client in &request.clients {
        let all = files(&[*client], request.scope, &places);
        // The first that is there, or the first that could be.
        let there = all.iter().find(|file| file.path.exists()).or(all.first());
        let Some(file) = there else { continue };
        let known = read(file)?;
        let path = known.as_ref().map_or_else(|| file.path.clone(), |read| read.path.clone());
        let mut text = known.as_ref().map(|read| read.text.clone());
        let mut undos = ClientRecords::of_this_user()?.of(&path)?;
        let before = text.clone();
        for name in &servers {
            let wanted = guarded(file, name, &directory, Vec::new());
            let entries = known.iter().flat_map(|read| &read.entries);
            let entry = entries.into_iter().find(|entry| entry.name == **name);
            let changed = match entry {
                Some(entry) if entry.is_facet(Some(&program())) => continue,
                // Something else under this name is not ours to replace.
                Some(entry) if !is_pinned_as(entry, &state, name) => {
                    Err(ClientError::Exists { place: (*name).clone() })
                }
                Some(entry) => {
                    guard(*client, text.as_deref().unwrap_or_default(), &entry.place, &wanted)
                }
                None => {
                    report.needs.extend(needs(&state, name));
                    insert(file, text.as_deref(), name, &wanted)
                }
            };
            match changed {
                Ok((other, undo)) => {
                    text = Some(other);
                    undos.push(undo.to_text());
                }
                Err(error) => report.left.push((path.clone(), error)),
            }
        }
        if text != before {
            let hidden = known.as_ref().map(|read| secrets(&read.entries)).unwrap_or_default();
            let client = *client;
            report.edits.push(FileEdit { client, path, before, after: text, undos, hidden });
        }
    }
    finish(report, consent, "facet connect")
}

/// Has clients start what they started before.
pub fn disconnect(clients: &[Client], consent: &dyn Consent) -> Result<ConnectReport, OpsError> {
    let mut report = ConnectReport { edits: Vec::new(), left: Vec::new(), needs: Vec::new() };
    for (path, undos) in ClientRecords::of_this_user()?.all() {
        let client = undos.iter().find_map(|undo| Undo::from_text(undo).ok());
        let Some(client) = client.map(|undo| undo.client()) else { continue };
        if !clients.is_empty() && !clients.contains(&client) {
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else {
            // Whoever removed the file has undone it.
            ClientRecords::of_this_user()?.set(&path, &[])?;
            continue;
        };
        let Ok(before) = String::from_utf8(bytes) else {
            let place = path.display().to_string();
            report.left.push((path, ClientError::Edited { place }));
            continue;
        };
        let (after, left, problems, was_absent) = undone(&before, &undos);
        report.left.extend(problems.into_iter().map(|problem| (path.clone(), problem)));
        let is_gone = was_absent && after.trim().is_empty();
        let after = Some(after).filter(|_| !is_gone);
        if after.as_ref() != Some(&before) {
            let hidden = hidden_in(client, &path, &before);
            let before = Some(before);
            report.edits.push(FileEdit { client, path, before, after, undos: left, hidden });
        } else if left != undos {
            ClientRecords::of_this_user()?.set(&path, &left)?;
        }
    }
    finish(report, consent, "facet disconnect")
}

/// The variables of a server that nobody sets for it yet.
fn needs(state: &State, name: &str) -> Option<(String, Vec<String>)> {
    let variables: Vec<String> = match &state.lock.server(name)?.launch {
        Launch::Command { env, .. } => env.clone(),
        Launch::Url { headers, .. } => headers.values().cloned().collect(),
    };
    (!variables.is_empty()).then(|| (name.to_owned(), variables))
}

fn is_pinned_as(entry: &Entry, state: &State, name: &str) -> bool {
    let pinned = state.lock.server(name).map(|server| &server.launch);
    pinned.is_some() && launch_of_entry(entry).as_ref() == pinned
}

/// What is not shown of a file, wherever it lies.
fn hidden_in(client: Client, path: &Path, text: &str) -> Vec<Secret> {
    let here = Path::new(".");
    let Ok(places) = places(here) else { return Vec::new() };
    let files = client.files(&places).into_iter();
    let parsed =
        files.filter_map(|file| parse(&ClientFile { path: path.to_owned(), ..file }, text).ok());
    parsed.flat_map(|entries| secrets(&entries)).collect()
}

fn finish(
    report: ConnectReport,
    consent: &dyn Consent,
    verb: &str,
) -> Result<ConnectReport, OpsError> {
    if !report.edits.is_empty() {
        let clients: Vec<&str> = report.edits.iter().map(|edit| edit.client.name()).collect();
        let next = format!("{verb} {} --yes", clients.join(" "));
        consent.may_rewrite(&report.edits).or_leave("nothing was rewritten", next)?;
        report.edits.iter().try_for_each(write)?;
    }
    Ok(report)
}
