//! `facet approvals`: what this user has decided, and taking it back (spec 8.5).

use std::path::{Path, PathBuf};

use std::time::{Duration, UNIX_EPOCH};

use facets_digest::Digest;
use facets_lock::Grants;
use facets_project::{Ledger, LedgerRecord, Project, State};

use crate::audit::timestamp;
use crate::error::{OpsError, ServerError};
use crate::facet_values::FacetValues;
use crate::outside_servers::refuse_inside_server;

/// Of which projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichProjects {
    /// The one here.
    Here,
    /// The one that lies, or lay, there.
    At(PathBuf),
    /// All of this user.
    All,
}

/// What was decided about one name.
#[derive(Debug)]
pub struct DecidedServer {
    /// Where its project lies.
    pub project: String,
    /// Whether that is gone.
    pub is_gone: bool,
    /// The name.
    pub name: String,
    /// The latest decision on what it may do.
    pub grants: Option<Grants>,
    /// What was approved, the latest first.
    pub approved: Vec<ApprovedSurface>,
}

/// One surface that was approved.
#[derive(Debug)]
pub struct ApprovedSurface {
    /// When; RFC 3339 in UTC.
    pub time: String,
    /// How it starts.
    pub launch: Digest,
    /// What it declares.
    pub surface: Digest,
    /// Whether it declares something else on this machine.
    pub varies: bool,
    /// Whether it is what the lock here pins now.
    pub is_current: bool,
}

/// Lists what was decided.
pub fn list_approvals(which: &WhichProjects) -> Result<Vec<DecidedServer>, OpsError> {
    let project = Project::here()?;
    let records = records_of(which, &project)?;
    // Whatever is wrong with the project here, what was decided can be seen and taken back.
    let state = project.read(&|_| false).ok();
    let here = state.as_ref().map(|state| (&project, state));
    let decided = records.into_iter().filter(is_decided);
    Ok(decided.map(|record| decided_server(record, here)).collect())
}

fn is_decided(record: &LedgerRecord) -> bool {
    record.grants.is_some() || !record.approved.is_empty()
}

fn records_of(which: &WhichProjects, project: &Project) -> Result<Vec<LedgerRecord>, OpsError> {
    // What an older facet approved here counts from the first look on.
    let _ = project.read(&|_| false);
    Ok(match which {
        WhichProjects::Here => project.ledger()?.records(),
        WhichProjects::At(path) => Ledger::of(&real(path), &project.user()?)?.records(),
        WhichProjects::All => Ledger::all(&project.user()?)?,
    })
}

fn decided_server(record: LedgerRecord, here: Option<(&Project, &State)>) -> DecidedServer {
    let LedgerRecord { project, name, grants, approved, .. } = record;
    let here = here.filter(|(here, _)| here.place().to_string_lossy() == project.as_str());
    let locked = here.and_then(|(_, state)| state.lock.server(&name));
    let values = here
        .zip(locked)
        .and_then(|((here, _), server)| FacetValues::of(here, &name, &server.origin).digest);
    let approved = approved.into_iter().rev().map(|one| ApprovedSurface {
        time: shown_time(one.seconds),
        launch: one.launch,
        surface: one.surface,
        varies: !one.variant.is_empty(),
        is_current: locked.is_some_and(|server| one.is_of(server, values)),
    });
    let is_gone = !Path::new(&project).exists();
    DecidedServer { is_gone, approved: approved.collect(), project, name, grants }
}

/// An impossible time in a record is no reason to fail.
fn shown_time(seconds: u64) -> String {
    const LATEST: u64 = 253_402_300_799;
    timestamp(UNIX_EPOCH + Duration::from_secs(seconds.min(LATEST)))
}

/// No longer approves anything of these names; without a name, of all. Gives back which.
pub fn revoke_approvals(
    names: &[String],
    which: &WhichProjects,
) -> Result<Vec<DecidedServer>, OpsError> {
    refuse_inside_server()?;
    let project = Project::here()?;
    let user = project.user()?;
    let mut records = records_of(which, &project)?;
    // What an older facet wrote has no names, and must not count later.
    match which {
        WhichProjects::Here => project.ledger()?.ignore_older()?,
        WhichProjects::At(path) => Ledger::of(&real(path), &user)?.ignore_older()?,
        WhichProjects::All => Ledger::end_all_older(&user)?,
    }
    let is_gone = |record: &LedgerRecord| !Path::new(&record.project).exists();
    records.retain(|one| !one.approved.is_empty() || (is_gone(one) && is_decided(one)));
    if let Some(name) = names.iter().find(|name| !records.iter().any(|one| one.name == **name)) {
        let known = records.into_iter().map(|one| one.name).collect();
        return Err(ServerError::NothingApproved { name: name.clone(), known }.into());
    }
    records.retain(|one| names.is_empty() || names.contains(&one.name));
    for record in &records {
        let ledger = Ledger::of_record(record, &user);
        // The grants of a project that is gone are of no use.
        if is_gone(record) { ledger.end(&record.name)? } else { ledger.revoke(&record.name)? }
    }
    Ok(records.into_iter().map(|record| decided_server(record, None)).collect())
}

/// Where a project lies, or lay.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.canonicalize().unwrap_or(absolute)
}
