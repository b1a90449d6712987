//! `facet remove`: no longer trust a server.

use facets_lock::surface_path;
use facets_project::{
    Change, LOCK, MANIFEST, Project, ProjectError, State, is_ours, without_server,
};

use crate::error::{OpsError, ServerError};
use crate::outside_servers::refuse_inside_server;

/// What to remove.
#[derive(Debug)]
pub struct RemoveRequest {
    /// The servers.
    pub names: Vec<String>,
}

/// Removes servers from manifest and lock, with their surface files.
pub fn remove(request: &RemoveRequest) -> Result<(), OpsError> {
    refuse_inside_server()?;
    let project = Project::here()?;
    // A project without anything is not touched.
    let state = project.read(&|_| false)?;
    plan(&state, &request.names)?;
    // First of all: a lock that comes back must not find what it needs.
    let ledger = project.ledger()?;
    request.names.iter().try_for_each(|name| ledger.end(name))?;
    project.change(|now| plan(now, &request.names))
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
