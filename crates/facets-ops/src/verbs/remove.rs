//! `facet remove`: no longer trust a server.

use std::path::{Path, PathBuf};

use facets_clients::{Entry, Undo};
use facets_lock::surface_path;
use facets_project::{
    Change, ClientRecords, LOCK, MANIFEST, Project, ProjectError, State, is_ours, without_server,
};

use crate::client_files::{Client, FileEdit, write};
use crate::client_values::starts_here;
use crate::consent::{Answer, Consent};
use crate::error::{OpsError, ServerError};
use crate::outside_servers::refuse_inside_server;
use crate::restoring::{Restoration, restore_entries};

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
}

/// Removes servers from manifest and lock, with their surface files. Clients that start them through
/// facet are shown, and get back what they had if the answer is yes.
pub fn remove(request: &RemoveRequest, consent: &dyn Consent) -> Result<RemoveReport, OpsError> {
    let project = Project::here()?;
    // Found while there is something that they start.
    let Restoration { edits, only_whole: mut left, left: edited } =
        entries_of(&request.names, &project)?;
    // An entry that was edited since cannot be restored, and still starts it.
    left.extend(edited.into_iter().filter_map(|(path, _)| Some((client_of(&path)?, path))));
    unpin(request, &project)?;
    let mut restored = Vec::new();
    if !edits.is_empty() && consent.may_rewrite(&edits) == Answer::Yes {
        edits.iter().try_for_each(write)?;
        restored = edits;
    } else {
        left.extend(edits.into_iter().map(|edit| (edit.client, edit.path)));
    }
    Ok(RemoveReport { names: request.names.clone(), restored, left })
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
    restore_entries(|_| true, is_meant)
}

fn unpin(request: &RemoveRequest, project: &Project) -> Result<(), OpsError> {
    refuse_inside_server()?;
    // A project without anything is not touched.
    let state = project.read(&|_| false)?;
    let ledger = project.ledger()?;
    let is_there = |name: &&String| {
        let declared = state.manifest.as_ref().is_some_and(|all| all.servers.contains_key(*name));
        declared || state.lock.servers().contains_key(*name)
    };
    // Another branch may have it: what was decided about it ends all the same.
    let (there, others): (Vec<&String>, Vec<&String>) = request.names.iter().partition(is_there);
    for name in others {
        if ledger.record(name)?.is_none() {
            let known = state.lock.servers().keys().cloned().collect();
            return Err(ServerError::Unknown { name: name.clone(), known }.into());
        }
    }
    let there: Vec<String> = there.into_iter().cloned().collect();
    plan(&state, &there)?;
    // First of all: a lock that comes back must not find what it needs.
    request.names.iter().try_for_each(|name| ledger.end(name))?;
    if there.is_empty() { Ok(()) } else { project.change(|now| plan(now, &there)) }
}

fn plan(state: &State, names: &[String]) -> Result<Change, OpsError> {
    let mut lock = state.lock.clone();
    let mut manifest = state.manifest_text.clone();
    let mut surfaces = Vec::new();
    for name in names {
        let locked = lock.servers().contains_key(name);
        let declared = state.manifest.as_ref().is_some_and(|all| all.servers.contains_key(name));
        if !locked && !declared {
            let known = lock.servers().keys().cloned().collect();
            return Err(ServerError::Unknown { name: name.clone(), known }.into());
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
