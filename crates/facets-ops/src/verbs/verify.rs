//! `facet verify`: is what lies here whole? Nothing is started, ever.

use std::path::{Path, PathBuf};

use facets_drift::{Compat, Finding, FindingType, Severity, SubjectKind};
use facets_lock::{Lock, LockedServer};
use facets_project::{Project, State};

use crate::error::OpsError;
use crate::git;
use crate::judgement::{
    CheckOutcome, CheckReport, CheckedServer, judged, not_locked, something_pinned,
};
use crate::pin_changes::compare_pins;
use crate::pinned::{Pinned, against_manifest, chosen, differences, is_others};
use crate::policy::{self, AppliedPolicy, Asked};
use crate::stored_artifact::verify_stored;

/// What to verify.
#[derive(Debug)]
pub struct VerifyRequest {
    /// The servers; none are all.
    pub names: Vec<String>,
    /// A revision to compare the lock with.
    pub against: Option<String>,
    /// What is bad enough to say no.
    pub fail_on: Severity,
    /// A policy instead of the project's own.
    pub policy: Option<PathBuf>,
}

/// Checks that lock and surface files belong together, and what the lock has become since a
/// revision.
pub fn verify(request: &VerifyRequest) -> Result<CheckReport, OpsError> {
    let project = Project::here()?;
    let loaded = policy::load(request.policy.as_deref())?;
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
        let (outcome, notes) = with_stored(outcome, state.lock.server(&name));
        let server = state.lock.server(&name);
        let tools = server.map_or(0, |server| server.surface.tools.len());
        let pinned = |server: &LockedServer| Some(server.surface.tools.keys().cloned().collect());
        let facts = server.map(|server| policy::facts(server, pinned(server))).unwrap_or_default();
        servers.push(CheckedServer {
            name,
            tools,
            outcome,
            profile: None,
            notes,
            is_remote: false,
            facts,
        });
    }
    if request.names.is_empty() {
        servers.extend(not_locked(&state));
    }
    if let (true, Some((_, old))) = (request.names.is_empty(), &old) {
        servers.extend(removed(old, &state.lock));
    }
    let asked = Asked { names: &request.names, state: &state };
    let mut applied = policy::apply(loaded.as_ref(), &mut servers, &asked);
    if let Some(revision) = &request.against
        && let Some(note) = policy::since(loaded.as_ref(), &project, revision)?
    {
        applied.get_or_insert_with(AppliedPolicy::none).notes.insert(0, note);
    }
    Ok(CheckReport { servers, fail_on: request.fail_on, policy: applied })
}

fn verify_one(name: &str, state: &State, root: &Path, old: Option<&(&str, Lock)>) -> CheckOutcome {
    // Somebody else's entry is whole as it is, unless it was one of ours.
    if is_others(name, state) {
        let was_ours = old.is_some_and(|(_, lock)| lock.server(name).is_some());
        return judged(was_ours.then(unpinned).into_iter().collect());
    }
    let pinned = match Pinned::of(name, state) {
        Ok(pinned) => pinned,
        Err(problem) => return CheckOutcome::Edited(problem),
    };
    let findings = against_manifest(name, &pinned, state);
    match old.map(|(revision, lock)| since(name, &pinned, root, revision, lock)) {
        None => judged(findings),
        Some(Ok(more)) => judged(findings.into_iter().chain(more).collect()),
        Some(Err(error)) => CheckOutcome::of_error(error),
    }
}

/// Hashes what this machine has of a pinned artifact and of its runtime. On another machine, or on a clone, that
/// may be nothing.
fn with_stored(
    outcome: CheckOutcome,
    server: Option<&LockedServer>,
) -> (CheckOutcome, Vec<String>) {
    let artifact = server.and_then(|server| server.pin.artifact());
    let (CheckOutcome::Judged(_), Some(pin)) = (&outcome, artifact) else {
        return (outcome, Vec::new());
    };
    match verify_stored(pin) {
        Ok(absent) => (outcome, absent.iter().map(|what| not_stored(what)).collect()),
        Err(error) => (CheckOutcome::of_error(error), Vec::new()),
    }
}

fn not_stored(what: &str) -> String {
    format!("{what} is not stored on this machine, and was not verified")
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
        let sentence = format!("added since {revision}");
        return Ok(vec![Finding::new(
            FindingType::LaunchChanged,
            (SubjectKind::Server, ""),
            (Severity::Critical, Compat::Risky),
            sentence,
        )]);
    }
    let old = git::pinned_at(root, revision, name, lock)?;
    let mut findings = compare_pins(&old.server, &pinned.server);
    findings.extend(differences(old.side(), pinned.side()));
    Ok(findings)
}

/// Servers that were locked at the revision and are not any more.
fn removed(old: &Lock, new: &Lock) -> Vec<CheckedServer> {
    let gone = old.servers().keys().filter(|name| !new.servers().contains_key(*name));
    gone.map(|name| CheckedServer::new(name.clone(), judged(vec![unpinned()]))).collect()
}

fn unpinned() -> Finding {
    Finding::new(
        FindingType::LaunchChanged,
        (SubjectKind::Server, ""),
        (Severity::Moderate, Compat::Breaking),
        "no longer pinned",
    )
}
