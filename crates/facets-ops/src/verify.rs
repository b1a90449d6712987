//! `facet verify`: is what lies here whole? Nothing is started, ever.

use std::path::Path;

use facets_drift::{
    Compat, Finding, FindingType, Severity, SubjectKind, compare_pins, compare_surfaces,
};
use facets_lock::Lock;
use facets_project::{Project, State};

use crate::check::{
    CheckOutcome, CheckReport, CheckedServer, against_manifest, is_others, not_locked,
    something_pinned,
};
use crate::pinned::{Pinned, chosen};
use crate::{OpsError, git};

/// What to verify.
#[derive(Debug)]
pub struct VerifyRequest {
    /// The servers; none are all.
    pub names: Vec<String>,
    /// A revision to compare the lock with.
    pub against: Option<String>,
    /// What is bad enough to say no.
    pub fail_on: Severity,
}

/// Checks that lock and surface files belong together, and what the lock has become since a
/// revision.
pub fn verify(request: &VerifyRequest) -> Result<CheckReport, OpsError> {
    let project = Project::here()?;
    let state = project.read(&|_| true)?;
    if request.against.is_none() {
        something_pinned(&state)?;
    }
    let old = match &request.against {
        None => None,
        Some(revision) => Some((revision.as_str(), git::lock_at(project.place(), revision)?)),
    };
    let mut servers = Vec::new();
    for name in chosen(&request.names, &state)? {
        let outcome = verify_one(&name, &state, project.place(), old.as_ref());
        let tools = state.lock.server(&name).map_or(0, |server| server.tools.len());
        servers.push(CheckedServer { name, tools, outcome });
    }
    if request.names.is_empty() {
        servers.extend(not_locked(&state));
    }
    if let (true, Some((_, old))) = (request.names.is_empty(), &old) {
        servers.extend(removed(old, &state.lock));
    }
    Ok(CheckReport { servers, fail_on: request.fail_on })
}

fn verify_one(name: &str, state: &State, root: &Path, old: Option<&(&str, Lock)>) -> CheckOutcome {
    // Somebody else's entry is whole as it is, unless it was one of ours.
    if is_others(name, state) {
        let was_ours = old.is_some_and(|(_, lock)| lock.server(name).is_some());
        return CheckOutcome::Judged(was_ours.then(unpinned).into_iter().collect());
    }
    let pinned = match Pinned::of(name, state) {
        Ok(pinned) => pinned,
        Err(problem) => return CheckOutcome::Edited(problem),
    };
    let findings = against_manifest(name, &pinned, state);
    match old.map(|(revision, lock)| since(name, &pinned, root, revision, lock)) {
        None => CheckOutcome::Judged(findings),
        Some(Ok(more)) => CheckOutcome::Judged(findings.into_iter().chain(more).collect()),
        Some(Err(error)) => CheckOutcome::Failed(error),
    }
}

/// What became of an entry since a revision.
fn since(
    name: &str,
    pinned: &Pinned,
    root: &Path,
    revision: &str,
    lock: &Lock,
) -> Result<Vec<Finding>, OpsError> {
    if lock.server(name).is_none() {
        let sentence = format!("this server was not locked at {revision}");
        return Ok(vec![Finding::new(
            FindingType::LaunchChanged,
            (SubjectKind::Server, ""),
            (Severity::Critical, Compat::Risky),
            sentence,
        )]);
    }
    let old = git::pinned_at(root, revision, name, lock)?;
    let mut findings = compare_pins(&old.server, &pinned.server);
    findings.extend(compare_surfaces(old.side(), pinned.side()));
    Ok(findings)
}

/// Servers that were locked at the revision and are not any more.
fn removed(old: &Lock, new: &Lock) -> Vec<CheckedServer> {
    let gone = old.servers().keys().filter(|name| !new.servers().contains_key(*name));
    gone.map(|name| CheckedServer {
        name: name.clone(),
        tools: 0,
        outcome: CheckOutcome::Judged(vec![unpinned()]),
    })
    .collect()
}

fn unpinned() -> Finding {
    Finding::new(
        FindingType::LaunchChanged,
        (SubjectKind::Server, ""),
        (Severity::Moderate, Compat::Breaking),
        "this server is no longer pinned",
    )
}
