//! Projects that were moved, cloned once more, or have a worktree of git: what was approved elsewhere,
//! just as it is here, is asked for once.

use std::path::Path;

use facets_lock::LockedServer;
use facets_project::{LedgerRecord, Project, State};

use crate::consent::{Answer, Consent, MovedServer};
use crate::error::{OpsError, ServerError};
use crate::outside_servers::refuse_inside_server;

/// Where this user has approved an entry, if that is not here.
pub(crate) fn approved_elsewhere(
    name: &str,
    server: &LockedServer,
    project: &Project,
) -> Result<Option<LedgerRecord>, OpsError> {
    let ledger = project.ledger()?;
    if ledger.approval(name, server)?.is_some() {
        return Ok(None);
    }
    Ok(ledger.elsewhere(name, server)?.into_iter().next())
}

/// Why an entry is not started: nobody has approved it, or only in another place.
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
        let variant = record.approval(server).map(|known| known.variant.clone());
        // What was decided here already holds as well.
        let here = ledger.grants(&record.name)?;
        let grants =
            here.map_or_else(|| moved.grants.clone(), |here| moved.grants.capped_at(&here));
        ledger.approve(&record.name, server, &grants, variant.unwrap_or_default())?;
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
