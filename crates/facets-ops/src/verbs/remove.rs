//! `facet remove`: no longer trust a server.

use std::path::{Path, PathBuf};

use facets_clients::{ClientError, Entry, Undo};
use facets_lock::surface_path;
use facets_model::manifest::ProjectManifest;
use facets_project::{
    Change, ClientRecords, LOCK, MANIFEST, Project, ProjectError, State, is_ours, without_server,
};

use crate::client_files::{Client, FileEdit, require_writable, write};
use crate::client_values::starts_here;
use crate::consent::{Answer, Consent};
use crate::error::OpsError;
use crate::outside_servers::refuse_inside_server;
use crate::restoring::{Restoration, restore_entries};
use crate::unknown_server::unknown_server;

/// What to remove.
#[derive(Debug)]
pub struct RemoveRequest {
    /// The servers.
    pub names: Vec<String>,
}

/// What was removed, and which clients still start it.
#[derive(Debug)]
pub struct RemoveReport {
    /// The servers.
    pub names: Vec<String>,
    /// Files of clients whose entries started what was removed, as they were before facet.
    pub restored: Vec<FileEdit>,
    /// Files of clients whose entries still start it.
    pub left: Vec<(Client, PathBuf)>,
    /// Files whose entries still start it and were edited since facet wrote them: nothing restores those.
    pub edited: Vec<(Client, PathBuf)>,
    /// Whether the project has nothing left.
    pub is_empty: bool,
}

/// Removes servers from manifest and lock, with their surface files. Clients that start them through
/// facet are shown, and get back what they had. A no keeps both; without a terminal the entries are left.
pub fn remove(request: &RemoveRequest, consent: &dyn Consent) -> Result<RemoveReport, OpsError> {
    refuse_inside_server()?;
    let project = Project::here()?;
    let there = names_there(request, &project)?;
    project.check_writable()?;
    // Found while there is something that they start.
    let Restoration { edits, only_whole: mut left, left: edited } =
        entries_of(&request.names, &project)?;
    let of_client = |(path, _): (PathBuf, ClientError)| Some((client_of(&path)?, path));
    let mut edited: Vec<(Client, PathBuf)> = edited.into_iter().filter_map(of_client).collect();
    edited.dedup();
    let answer = match edits.as_slice() {
        [] => Answer::Yes,
        edits => consent.may_remove(&request.names, edits),
    };
    if answer == Answer::No {
        let next = format!("facet remove {} --yes", request.names.join(" "));
        answer.or_refuse("nothing was removed", next)?;
    }
    // A file that cannot be written is found out before anything is removed.
    if answer == Answer::Yes {
        edits.iter().try_for_each(require_writable)?;
    }
    unpin(request, &there, &project)?;
    let mut restored = Vec::new();
    if answer == Answer::Yes {
        edits.iter().try_for_each(write)?;
        restored = edits;
    } else {
        left.extend(edits.into_iter().map(|edit| (edit.client, edit.path)));
    }
    let is_empty = is_empty(&project.read(&|_| false)?);
    Ok(RemoveReport { names: request.names.clone(), restored, left, edited, is_empty })
}

/// Whether neither manifest nor lock names anything any more.
fn is_empty(state: &State) -> bool {
    let is_unnamed = |all: &ProjectManifest| all.servers.is_empty() && all.facets.is_empty();
    let is_unlocked = state.has_lock && state.lock.servers().is_empty();
    is_unlocked && state.manifest.as_ref().is_none_or(is_unnamed)
}

/// Whose file that is, by the record that facet has of it.
fn client_of(path: &Path) -> Option<Client> {
    let records = ClientRecords::of_this_user().ok()?;
    let undos = records.of(path).ok()?;
    undos.iter().find_map(|undo| Undo::from_text(undo).ok()).map(|undo| undo.client())
}

/// How files of clients would be without the entries that start these servers.
fn entries_of(names: &[String], project: &Project) -> Result<Restoration, OpsError> {
    let is_meant = |path: &Path, entry: &Entry| {
        names.iter().any(|name| starts_here(entry, path, name, project))
    };
    restore_entries(|_, _| true, is_meant)
}

/// The names that manifest or lock have. The others must be known to the ledger: another branch may have
/// them, and what was decided about them ends all the same.
fn names_there(request: &RemoveRequest, project: &Project) -> Result<Vec<String>, OpsError> {
    // A project without anything is not touched.
    let state = project.read(&|_| false)?;
    let ledger = project.ledger()?;
    let is_there = |name: &&String| {
        let declared = state.manifest.as_ref().is_some_and(|all| all.servers.contains_key(*name));
        declared || state.lock.servers().contains_key(*name)
    };
    let (there, others): (Vec<&String>, Vec<&String>) = request.names.iter().partition(is_there);
    for name in others {
        if ledger.record(name)?.is_none() {
            return Err(unknown_server(name, &state));
        }
    }
    let there: Vec<String> = there.into_iter().cloned().collect();
    plan(&state, &there)?;
    Ok(there)
}

fn unpin(request: &RemoveRequest, there: &[String], project: &Project) -> Result<(), OpsError> {
    let ledger = project.ledger()?;
    // First of all: a lock that comes back must not find what it needs.
    request.names.iter().try_for_each(|name| ledger.end(name))?;
    if there.is_empty() { Ok(()) } else { project.change(|now| plan(now, there)) }
}

fn plan(state: &State, names: &[String]) -> Result<Change, OpsError> {
    let mut lock = state.lock.clone();
    let mut manifest = state.manifest_text.clone();
    let mut surfaces = Vec::new();
    for name in names {
        let locked = lock.servers().contains_key(name);
        let declared = state.manifest.as_ref().is_some_and(|all| all.servers.contains_key(name));
        if !locked && !declared {
            return Err(unknown_server(name, state));
        }
        if locked {
            lock = lock
                .without_server(name)
                .map_err(|source| ProjectError::Lock { path: LOCK.into(), source })?;
            if is_ours(&surface_path(name)) {
                surfaces.push((name.clone(), None));
            }
        }
        if let Some(text) = manifest.take() {
            let others = state.manifest.iter().flat_map(|all| all.servers.keys());
            let mut left = others.filter(|other| !names.contains(other));
            let edited = without_server(&text, name, left.next().is_none());
            let edited =
                edited.map_err(|source| ProjectError::Edit { path: MANIFEST.into(), source })?;
            manifest = Some(edited);
        }
    }
    let manifest = manifest.filter(|text| Some(text) != state.manifest_text.as_ref());
    let lock = (lock != state.lock).then_some(lock);
    Ok(Change { manifest, lock, surfaces })
}
