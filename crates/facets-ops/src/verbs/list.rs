//! `facet list`: what is locked here.

use facets_lock::LockedEntry;
use facets_model::{InlineServerName, Origin};
use facets_project::{Project, ProjectError, State, declared_origin, project_around};

use crate::approval::is_approved;
use crate::client_files::locked_names;
use crate::error::OpsError;
use crate::moving::approved_elsewhere;
use crate::pinned::{Pinned, is_others};

/// One server.
#[derive(Debug)]
pub struct ListedServer {
    /// Its name.
    pub name: String,
    /// Where it comes from; none if this facet does not start it, or nothing is locked.
    pub origin: Option<Origin>,
    /// How many tools it has; none if nothing is locked.
    pub tools: Option<usize>,
    /// Whether this user has approved it on this machine.
    pub approved: bool,
    /// Where else this user has approved it just so, if not here.
    pub approved_in: Option<String>,
    /// Whether its entry in the lock, or its surface file, is not as facet wrote it.
    pub edited: bool,
}

/// The servers of a project, by name.
#[derive(Debug)]
pub struct ListReport {
    /// Sorted by name.
    pub servers: Vec<ListedServer>,
}

/// The names of the servers that are locked here, as far as they can be read: for a shell that
/// completes a name, so nothing is changed or completed.
#[must_use]
pub fn server_names() -> Vec<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let project = project_around(&here).unwrap_or(here);
    // What a shell is offered may be run by it: a lock can hold anything under `servers`.
    let is_name = |name: &&String| name.parse::<InlineServerName>().is_ok();
    locked_names(&project).iter().filter(is_name).cloned().collect()
}

/// Lists what is locked, and what the manifest names without it.
pub fn list() -> Result<ListReport, OpsError> {
    let project = Project::here()?;
    let state = project.read(&|_| true)?;
    // Without a home nothing is approved; a ledger that cannot be trusted is an error, and no answer,
    // unless there is nothing to approve: what lies around a user's directory is no project.
    match project.user() {
        Ok(_) | Err(ProjectError::NoHome) => {}
        Err(ProjectError::BadUserDirectory { around: Some(_), .. })
            if !state.has_lock && state.manifest.is_none() => {}
        Err(error) => return Err(error.into()),
    }
    let mut servers: Vec<ListedServer> = state
        .lock
        .servers()
        .iter()
        .map(|(name, entry)| match entry {
            LockedEntry::Other | LockedEntry::Broken(_) => ListedServer {
                name: name.clone(),
                origin: None,
                tools: None,
                approved: false,
                approved_in: None,
                edited: !is_others(name, &state),
            },
            LockedEntry::Server(server) => {
                // An approval is one of a lock entry with its surface file.
                let edited = Pinned::of(name, &state).is_err();
                let approved = !edited && is_approved(name, server, &project).unwrap_or(false);
                let elsewhere = approved_elsewhere(name, server, &project).ok().flatten();
                ListedServer {
                    name: name.clone(),
                    origin: Some(server.origin.clone()),
                    tools: Some(server.surface.tools.len()),
                    approved,
                    approved_in: elsewhere.map(|record| record.project),
                    edited,
                }
            }
        })
        .collect();
    servers.extend(only_declared(&state));
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(ListReport { servers })
}

fn only_declared(state: &State) -> Vec<ListedServer> {
    let Some(manifest) = &state.manifest else { return Vec::new() };
    let new = manifest.servers.keys().filter(|name| !state.lock.servers().contains_key(*name));
    new.map(|name| ListedServer {
        name: name.clone(),
        origin: declared_origin(manifest, name).cloned(),
        tools: None,
        approved: false,
        approved_in: None,
        edited: false,
    })
    .collect()
}
