//! `facet approvals`: what this user has decided, and taking it back (spec 8.5).

use std::path::{Path, PathBuf};

use std::time::{Duration, UNIX_EPOCH};

use facets_digest::Digest;
use facets_lock::Grants;
use facets_project::{Ledger, LedgerRecord, Project, State};

use crate::audit::timestamp;
use crate::error::{OpsError, ServerError};
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
    let state = project.read(&|_| false)?;
    let here = project.place().to_string_lossy().into_owned();
    let records = match which {
        WhichProjects::Here => project.ledger()?.records()?,
        WhichProjects::At(path) => Ledger::of(&real(path), &project.user()?)?.records()?,
        WhichProjects::All => Ledger::all(&project.user()?)?,
    };
    let decided =
        records.into_iter().filter(|one| one.grants.is_some() || !one.approved.is_empty());
    Ok(decided.map(|record| decided_server(record, &here, &state)).collect())
}

fn decided_server(record: LedgerRecord, here: &str, state: &State) -> DecidedServer {
    let LedgerRecord { project, name, grants, approved } = record;
    let locked = state.lock.server(&name).filter(|_| project == here);
    let approved = approved.into_iter().rev().map(|one| ApprovedSurface {
        time: timestamp(UNIX_EPOCH + Duration::from_secs(one.seconds)),
        launch: one.launch,
        surface: one.surface,
        varies: !one.variant.is_empty(),
        is_current: locked.is_some_and(|server| one.is_of(server)),
    });
    let is_gone = !Path::new(&project).exists();
    DecidedServer { is_gone, approved: approved.collect(), project, name, grants }
}

/// No longer approves anything of these names; without a name, of all. Gives back which.
pub fn revoke_approvals(
    names: &[String],
    which: &WhichProjects,
) -> Result<Vec<DecidedServer>, OpsError> {
    refuse_inside_server()?;
    let mut known = list_approvals(which)?;
    known.retain(|one| !one.approved.is_empty());
    if let Some(name) = names.iter().find(|name| !known.iter().any(|one| one.name == **name)) {
        let known = known.into_iter().map(|one| one.name).collect();
        return Err(ServerError::NothingApproved { name: name.clone(), known }.into());
    }
    known.retain(|one| names.is_empty() || names.contains(&one.name));
    let user = Project::here()?.user()?;
    for one in &known {
        Ledger::of(Path::new(&one.project), &user)?.revoke(&one.name)?;
    }
    Ok(known)
}

/// Where a project lies, or lay.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.canonicalize().unwrap_or(absolute)
}
