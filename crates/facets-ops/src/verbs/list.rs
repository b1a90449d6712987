//! `facet list`: what is locked here.

use facets_digest::Digest;
pub use facets_lock::AcceptedFindings;
use facets_lock::LockedEntry;
use facets_model::{InlineServerName, Origin, PlainVersion, Version};
use facets_plan::source_text;
use facets_project::{
    InstalledFile, Project, ProjectError, State, declared_origin, project_around,
};

pub use crate::accepted_findings::accepted_words;
use crate::approval::is_approved;
use crate::client_files::locked_names;
use crate::error::OpsError;
use crate::installing::shown_source;
use crate::moving::approved_elsewhere;
use crate::pinned::{Pinned, is_others};

/// One server.
#[derive(Debug)]
pub struct ListedServer {
    /// Its name.
    pub name: String,
    /// Where it comes from; none if this facet does not start it, or nothing is locked.
    pub origin: Option<Origin>,
    /// Its version, if its bytes are pinned with one.
    pub version: Option<Version>,
    /// How many tools it has; none if nothing is locked.
    pub tools: Option<usize>,
    /// Whether this user has approved it on this machine.
    pub approved: bool,
    /// Where else this user has approved it just so, if not here.
    pub approved_in: Option<String>,
    /// Whether its entry in the lock, or its surface file, is not as facet wrote it.
    pub edited: bool,
    /// Critical findings that were accepted when it was pinned.
    pub accepted: AcceptedFindings,
}

/// One facet.
#[derive(Debug)]
pub struct ListedFacet {
    /// Its name.
    pub name: String,
    /// Its version; none if nothing is locked.
    pub version: Option<PlainVersion>,
    /// Where it comes from.
    pub source: String,
    /// How many skills, agents and commands it has.
    pub assets: usize,
    /// How many of its files this user has edited or removed.
    pub files_edited: usize,
    /// Whether its files are installed on this machine.
    pub installed: bool,
    /// Critical findings in its texts that were accepted when it was installed.
    pub accepted: AcceptedFindings,
}

/// The servers and facets of a project, by name.
#[derive(Debug)]
pub struct ListReport {
    /// Sorted by name.
    pub servers: Vec<ListedServer>,
    /// Sorted by name.
    pub facets: Vec<ListedFacet>,
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
            LockedEntry::Uncaptured(_) | LockedEntry::Other | LockedEntry::Broken(_) => {
                let is_uncaptured = matches!(entry, LockedEntry::Uncaptured(_));
                ListedServer {
                    name: name.clone(),
                    origin: None,
                    version: None,
                    tools: None,
                    approved: false,
                    approved_in: None,
                    edited: !is_uncaptured && !is_others(name, &state),
                    accepted: AcceptedFindings::default(),
                }
            }
            LockedEntry::Server(server) => {
                // An approval is one of a lock entry with its surface file.
                let edited = Pinned::of(name, &state).is_err();
                let approved = !edited && is_approved(name, server, &project).unwrap_or(false);
                let elsewhere = approved_elsewhere(name, server, &project).ok().flatten();
                ListedServer {
                    name: name.clone(),
                    origin: Some(server.origin.clone()),
                    version: server.pin.artifact().map(|pin| pin.version.clone()),
                    tools: Some(server.surface.tools.len()),
                    approved,
                    approved_in: elsewhere.map(|record| record.project),
                    edited,
                    accepted: server.accepted.clone(),
                }
            }
        })
        .collect();
    servers.extend(only_declared(&state));
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    let facets = listed_facets(&project, &state);
    Ok(ListReport { servers, facets })
}

fn listed_facets(project: &Project, state: &State) -> Vec<ListedFacet> {
    let installed = project.installed().unwrap_or_default();
    let locked = state.lock.facets().keys().map(|name| {
        let facet = state.lock.facet(name);
        let record = installed.facets.get(name);
        let is_installed =
            record.zip(facet).is_some_and(|(record, facet)| record.integrity == facet.integrity);
        let is_edited = |file: &&InstalledFile| {
            let bytes = project.read_asset(file.base, &file.path).ok().flatten();
            bytes.as_deref().map(Digest::of) != Some(file.digest)
        };
        let files = record.into_iter().flat_map(|record| &record.files);
        ListedFacet {
            name: name.clone(),
            version: facet.map(|facet| facet.version.clone()),
            source: facet.map(|facet| shown_source(&facet.source)).unwrap_or_default(),
            assets: facet.map_or(0, |facet| facet.assets.len()),
            files_edited: files.filter(is_edited).count(),
            installed: is_installed,
            accepted: facet.map(|facet| facet.accepted.clone()).unwrap_or_default(),
        }
    });
    let mut facets: Vec<ListedFacet> = locked.collect();
    let declared = state.manifest.iter().flat_map(|manifest| &manifest.facets);
    let new = declared.filter(|(name, _)| !state.lock.facets().contains_key(name.as_str()));
    facets.extend(new.map(|(name, facet)| ListedFacet {
        name: name.to_string(),
        version: None,
        source: source_text(&facet.source),
        assets: 0,
        files_edited: 0,
        installed: false,
        accepted: AcceptedFindings::default(),
    }));
    facets.sort_by(|one, other| one.name.cmp(&other.name));
    facets
}

fn only_declared(state: &State) -> Vec<ListedServer> {
    let Some(manifest) = &state.manifest else { return Vec::new() };
    let new = manifest.servers.keys().filter(|name| !state.lock.servers().contains_key(*name));
    new.map(|name| ListedServer {
        name: name.clone(),
        origin: declared_origin(manifest, name).cloned(),
        version: None,
        tools: None,
        approved: false,
        approved_in: None,
        edited: false,
        accepted: AcceptedFindings::default(),
    })
    .collect()
}
