//! `facet remove`: no longer trust a server, or have a facet.

use std::path::{Path, PathBuf};

use facets_clients::{ClientError, Entry, Undo};
use facets_lock::surface_path;
use facets_model::ArtifactName;
use facets_model::manifest::ProjectManifest;
use facets_project::{
    Change, ClientRecords, LOCK, MANIFEST, Project, ProjectError, State, is_ours, without_facet,
    without_server,
};
pub use facets_registry_client::PublishedKind;

use crate::client_files::{Client, FileEdit, require_writable, write};
use crate::client_values::starts_here;
use crate::consent::{Answer, Consent};
use crate::error::{OpsError, TaskError};
use crate::facet_removal::{FileRemoval, receipt_without, servers_of_facets};
use crate::facet_servers::{authored_name, facet_servers};
use crate::install_report::InstalledFileShown;
use crate::outside_servers::refuse_inside_server;
use crate::pinned::declared_server;
use crate::pinning::closure_changes;
use crate::restoring::{Restoration, restore_entries};
use crate::unknown_server::unknown_server;

/// What to remove.
#[derive(Debug)]
pub struct RemoveRequest {
    /// Servers and facets.
    pub names: Vec<String>,
    /// What the names are, where a project has both.
    pub kind: Option<PublishedKind>,
}

/// What was removed, and which clients still start it.
#[derive(Debug)]
pub struct RemoveReport {
    /// The servers, also those that only removed facets asked for.
    pub names: Vec<String>,
    /// The facets.
    pub facets: Vec<String>,
    /// Their files in folders of clients.
    pub files: Vec<InstalledFileShown>,
    /// Files of clients whose entries started what was removed, as they were before facet.
    pub restored: Vec<FileEdit>,
    /// Files of clients whose entries still start it.
    pub left: Vec<(Client, PathBuf)>,
    /// Files whose entries still start it and were edited since facet wrote them: nothing restores those.
    pub edited: Vec<(Client, PathBuf)>,
    /// Whether the project has nothing left.
    pub is_empty: bool,
}

/// Removes servers and facets from manifest and lock, with their surface files and the files of clients. Clients that
/// start servers through facet are shown, and get back what they had. A no keeps both; without a terminal the entries
/// are left.
pub fn remove(request: &RemoveRequest, consent: &dyn Consent) -> Result<RemoveReport, OpsError> {
    refuse_inside_server()?;
    let project = Project::here()?;
    let removal = Removal::of(request, &project)?;
    project.check_writable()?;
    // Found while there is something that they start.
    let Restoration { edits, only_whole: mut left, left: edited } =
        entries_of(&removal.servers, &project)?;
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
    let files = removal.carry_out(&project)?;
    let mut restored = Vec::new();
    if answer == Answer::Yes {
        edits.iter().try_for_each(write)?;
        restored = edits;
    } else {
        left.extend(edits.into_iter().map(|edit| (edit.client, edit.path)));
    }
    let is_empty = is_empty(&project.read(&|_| false)?);
    let Removal { servers: names, facets, .. } = removal;
    Ok(RemoveReport { names, facets, files, restored, left, edited, is_empty })
}

/// Whether neither manifest nor lock names anything any more.
fn is_empty(state: &State) -> bool {
    let is_unnamed = |all: &ProjectManifest| all.servers.is_empty() && all.facets.is_empty();
    let is_unlocked =
        state.has_lock && state.lock.servers().is_empty() && state.lock.facets().is_empty();
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

/// What is removed.
struct Removal {
    /// All servers whose approvals end.
    servers: Vec<String>,
    /// Those of them that manifest or lock have.
    there: Vec<String>,
    facets: Vec<String>,
}

impl Removal {
    /// The servers and facets of these names, with the servers that only these facets ask for.
    fn of(request: &RemoveRequest, project: &Project) -> Result<Self, OpsError> {
        // A project without anything is not touched.
        let state = project.read(&|_| false)?;
        let (facets, mut servers) = split(request, &state)?;
        refuse_of_facets(&servers, &facets, &state)?;
        servers.extend(servers_of_facets(&facets, &state));
        let there = names_there(&servers, &state, project)?;
        let removal = Self { servers, there, facets };
        removal.plan(&state, None)?;
        Ok(removal)
    }

    fn carry_out(&self, project: &Project) -> Result<Vec<InstalledFileShown>, OpsError> {
        let mut files = Vec::new();
        let mut changed = Ok(());
        if !self.there.is_empty() || !self.facets.is_empty() {
            changed = project.change(|now| {
                let removal = FileRemoval::of(&self.facets, project)?;
                files = removal.files(project);
                self.plan(now, Some((project, &removal)))
            });
        }
        // A lock that comes back must not find what it needs; one that never went still does. What failed may be
        // done all the same: the journal ends it.
        if changed.is_ok() || self.is_done(project) {
            let ledger = project.ledger()?;
            self.servers.iter().try_for_each(|name| ledger.end(name))?;
        }
        changed.map(|()| files)
    }

    /// Whether the lock has nothing of it any more.
    fn is_done(&self, project: &Project) -> bool {
        let is_gone = |state: &State| {
            let servers = self.there.iter().all(|name| !state.lock.servers().contains_key(name));
            servers && self.facets.iter().all(|name| !state.lock.facets().contains_key(name))
        };
        project.read(&|_| false).is_ok_and(|state| is_gone(&state))
    }

    fn plan(
        &self,
        state: &State,
        files: Option<(&Project, &FileRemoval)>,
    ) -> Result<Change, OpsError> {
        let change = plan_servers(state, &self.there)?;
        if self.facets.is_empty() {
            return Ok(change);
        }
        let mut lock = change.lock.unwrap_or_else(|| state.lock.clone());
        let mut manifest = change.manifest.or_else(|| state.manifest_text.clone());
        for name in &self.facets {
            lock = lock
                .without_facet(name)
                .map_err(|source| ProjectError::Lock { path: LOCK.into(), source })?;
            if let Some(text) = manifest {
                let edited = without_facet(&text, name);
                let failed = |source| ProjectError::Edit { path: MANIFEST.into(), source };
                manifest = Some(edited.map_err(failed)?);
            }
        }
        let (assets, installed, receipt) = match files {
            None => (Vec::new(), None, None),
            Some((project, files)) => {
                (files.changes(), Some(files.record()), receipt_without(&self.facets, project)?)
            }
        };
        let manifest = manifest.filter(|text| Some(text) != state.manifest_text.as_ref());
        let lock = (lock != state.lock).then_some(lock);
        let (surfaces, closures) = (change.surfaces, change.closures);
        Ok(Change { manifest, lock, surfaces, closures, assets, installed, receipt })
    }
}

/// Which names are facets, and which are servers.
fn split(request: &RemoveRequest, state: &State) -> Result<(Vec<String>, Vec<String>), OpsError> {
    let is_facet = |name: &str| {
        let declared = state.manifest.iter().flat_map(|all| all.facets.keys());
        declared.map(ArtifactName::as_str).any(|facet| facet == name)
            || state.lock.facets().contains_key(name)
    };
    let is_server = |name: &str| {
        let declared = state.manifest.as_ref().is_some_and(|all| all.servers.contains_key(name));
        declared || state.lock.servers().contains_key(name)
    };
    let (mut facets, mut servers) = (Vec::new(), Vec::new());
    for name in &request.names {
        let comes_with_itself = servers_of_facets(std::slice::from_ref(name), state).contains(name);
        match (request.kind, is_facet(name), is_server(name) && !comes_with_itself) {
            (None, true, true) => {
                return Err(TaskError::KindAmbiguous { name: name.clone(), verb: "remove" }.into());
            }
            (None, true, false) | (Some(PublishedKind::Facet), ..) => facets.push(name.clone()),
            (None, false, _) | (Some(PublishedKind::Server), ..) => servers.push(name.clone()),
        }
    }
    match facets.iter().find(|name| !is_facet(name)) {
        Some(name) => Err(unknown_server(name, state)),
        None => Ok((facets, servers)),
    }
}

/// A server that a facet asks for would come back with the next install.
fn refuse_of_facets(servers: &[String], removed: &[String], state: &State) -> Result<(), OpsError> {
    let of_facets = facet_servers(state);
    for name in servers {
        let Some(by) = of_facets.get(name) else { continue };
        let left = by.iter().find(|facet| !removed.iter().any(|name| name == facet.as_str()));
        if let Some(facet) = left {
            let authored = authored_name(name, facet, state).unwrap_or(name).to_owned();
            let (name, facet) = (name.clone(), facet.to_string());
            return Err(TaskError::ServerOfFacet { name, facet, authored }.into());
        }
    }
    Ok(())
}

/// The names that manifest or lock have. The others must be known to the ledger: another branch may have
/// them, and what was decided about them ends all the same.
fn names_there(
    names: &[String],
    state: &State,
    project: &Project,
) -> Result<Vec<String>, OpsError> {
    let ledger = project.ledger()?;
    let is_there = |name: &&String| {
        declared_key(state, name).is_some() || state.lock.servers().contains_key(*name)
    };
    let (there, others): (Vec<&String>, Vec<&String>) = names.iter().partition(is_there);
    for name in others {
        if ledger.record(name)?.is_none() {
            return Err(unknown_server(name, state));
        }
    }
    Ok(there.into_iter().cloned().collect())
}

/// The member of the manifest that declares a server.
fn declared_key<'s>(state: &'s State, name: &str) -> Option<&'s str> {
    let declared = declared_server(state.manifest.as_ref()?, name)?;
    Some(declared.0)
}

fn plan_servers(state: &State, names: &[String]) -> Result<Change, OpsError> {
    let mut lock = state.lock.clone();
    let mut manifest = state.manifest_text.clone();
    let (mut surfaces, mut closures) = (Vec::new(), Vec::new());
    for name in names {
        let locked = lock.servers().contains_key(name);
        let declared = declared_key(state, name);
        if !locked && declared.is_none() {
            return Err(unknown_server(name, state));
        }
        if locked {
            lock = lock
                .without_server(name)
                .map_err(|source| ProjectError::Lock { path: LOCK.into(), source })?;
            if is_ours(&surface_path(name)) {
                surfaces.push((name.clone(), None));
            }
            closures.extend(closure_changes(state, name, None));
        }
        if let (Some(text), Some(key)) = (&manifest, declared) {
            let others = state.manifest.iter().flat_map(|all| all.servers.keys());
            let is_left = |other: &&String| {
                !names.iter().any(|name| declared_key(state, name) == Some(other.as_str()))
            };
            let mut left = others.filter(is_left);
            let edited = without_server(text, key, left.next().is_none());
            let edited =
                edited.map_err(|source| ProjectError::Edit { path: MANIFEST.into(), source })?;
            manifest = Some(edited);
        }
    }
    let manifest = manifest.filter(|text| Some(text) != state.manifest_text.as_ref());
    let lock = (lock != state.lock).then_some(lock);
    Ok(Change { manifest, lock, surfaces, closures, ..Change::default() })
}
