//! Projects that were moved, cloned once more, or have a worktree of git: what was approved elsewhere,
//! just as it is here, is asked for once.

use std::path::Path;

use facets_lock::LockedServer;
use facets_project::{LedgerRecord, Project, State};

use crate::consent::{Answer, Consent, MovedServer};
use crate::error::{OpsError, ServerError};
use crate::facet_values::FacetValues;
use crate::outside_servers::refuse_inside_server;
use crate::pinned::{Pinned, against_manifest};
use crate::pinning::approve_entry;

/// Where this user has approved an entry, if that is not here.
pub(crate) fn approved_elsewhere(
    name: &str,
    server: &LockedServer,
    project: &Project,
) -> Result<Option<LedgerRecord>, OpsError> {
    let ledger = project.ledger()?;
    let values = FacetValues::of(project, name, &server.origin).digest;
    if ledger.approval(name, server, values)?.is_some() {
        return Ok(None);
    }
    let mut found = ledger.elsewhere(name, server, values)?.into_iter();
    let Some(mut latest) = found.next() else { return Ok(None) };
    // Each place has its own latest decision: what all of them allow is surely not too much.
    latest.grants = found.fold(latest.grants, |grants, other| match (grants, other.grants) {
        (Some(one), Some(other)) => Some(one.capped_at(&other)),
        (one, other) => one.or(other),
    });
    Ok(Some(latest))
}

/// Why an entry is not started: it is not approved, or only in another place.
pub(crate) fn not_approved(name: &str, server: &LockedServer, project: &Project) -> OpsError {
    let elsewhere = approved_elsewhere(name, server, project).ok().flatten();
    let name = name.to_owned();
    match elsewhere {
        Some(record) => ServerError::ApprovedElsewhere { name, project: record.project }.into(),
        None => ServerError::NotApproved { name, asked: false }.into(),
    }
}

/// Shows everything among these names that was approved elsewhere, and approves it here if the answer
/// is yes. What it may do is what was decided there last. Gives back the names.
pub(crate) fn approve_moved(
    names: &[String],
    project: &Project,
    state: &State,
    consent: &dyn Consent,
) -> Result<Vec<MovedServer>, OpsError> {
    let mut found = Vec::new();
    for name in names {
        let Some(server) = state.lock.server(name) else { continue };
        // What was edited, or is declared otherwise, has to be looked at.
        let whole = Pinned::of(name, state).ok();
        if whole.is_none_or(|pinned| !against_manifest(name, &pinned, state).is_empty()) {
            continue;
        }
        if let Some(record) = approved_elsewhere(name, server, project)? {
            found.push((server, record));
        }
    }
    let moved: Vec<MovedServer> =
        found.iter().map(|(server, record)| moved_server(server, record)).collect();
    if moved.is_empty() || consent.may_move(&moved) != Answer::Yes {
        return Ok(Vec::new());
    }
    refuse_inside_server()?;
    let ledger = project.ledger()?;
    for ((server, record), moved) in found.iter().zip(&moved) {
        let values = FacetValues::of(project, &record.name, &server.origin).digest;
        let variant = record.approval(server, values).map(|known| known.variant.clone());
        // What was decided here already holds as well.
        let here = ledger.grants(&record.name)?;
        let grants = match &here {
            Some(here) => moved.grants.capped_at(here),
            None => moved.grants.clone(),
        };
        let entry = LockedServer { grants, ..(*server).clone() };
        let entry = (record.name.as_str(), &entry, values);
        approve_entry(project, entry, here.as_ref(), variant.unwrap_or_default())?;
    }
    Ok(moved)
}

fn moved_server(server: &LockedServer, record: &LedgerRecord) -> MovedServer {
    let limit = record.grants.as_ref();
    MovedServer {
        name: record.name.clone(),
        origin: server.origin.clone(),
        project: record.project.clone(),
        is_gone: !Path::new(&record.project).exists(),
        grants: limit.map_or_else(|| server.grants.clone(), |limit| server.grants.capped_at(limit)),
    }
}
