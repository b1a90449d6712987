//! `facet verify`: is what lies here whole? Nothing is started, ever.

use std::path::{Path, PathBuf};

use facets_drift::{Compat, Finding, FindingType, Severity, SubjectKind};
use facets_lock::{Lock, LockedServer, Pin};
use facets_plan::{LockDifference, Wanted, frozen_differences};
use facets_project::{MANIFEST, Project, State};

use crate::accepted_findings::{accepted_since, accepted_words};
use crate::checked_facet::check_facet;
pub use crate::checked_facet::{CheckedFacet, FacetProblem};
use crate::error::{InstallCheck, OpsError};
use crate::facet_history::{compare_with_revision, removed_facets};
use crate::git;
use crate::judgement::{
    CheckOutcome, CheckReport, CheckedServer, judged, not_locked, something_pinned,
};
use crate::packages::verify_package;
use crate::parallel::on_all_processors;
use crate::pin_changes::compare_pins;
use crate::pinned::{Pinned, against_manifest, chosen, differences, is_others};
use crate::policy::{self, AppliedPolicy, Asked};
use crate::stored_verification::StoredVerification;

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
    let (facet_names, server_names) = split(&request.names, &state);
    let names = match (server_names.as_slice(), request.names.is_empty()) {
        ([], false) => Vec::new(),
        _ => chosen(&server_names, &state)?,
    };
    let stored = StoredVerification::default();
    let mut servers = on_all_processors(&names, |name| {
        let outcome = verify_one(name, &state, project.place(), old.as_ref());
        let mut verified = verify_server(name, state.lock.server(name), outcome, &stored);
        verified.notes.extend(accepted_notes(name, &state.lock, old.as_ref()));
        verified
    });
    let installed = project.installed()?;
    let facets =
        on_all_processors(&facet_names, |name| check_facet(name, &project, &state, &installed));
    let mut facets = facets.into_iter().collect::<Result<Vec<CheckedFacet>, OpsError>>()?;
    if request.names.is_empty() {
        facets.extend(against_declared(&state));
    }
    if let Some((revision, old)) = &old {
        let since = (*revision, old);
        for facet in &mut facets {
            compare_with_revision(facet, &state.lock, since);
        }
        if request.names.is_empty() {
            facets.extend(removed_facets(&state.lock, since));
        }
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
    let (uncaptured, fail_on) = (Vec::new(), request.fail_on);
    Ok(CheckReport { servers, facets, uncaptured, fail_on, policy: applied })
}

/// Where facets.json and the lock do not ask for the same facets.
fn against_declared(state: &State) -> Option<CheckedFacet> {
    let wanted = Wanted::of(state.manifest.as_ref()?);
    let is_of_facet = |difference: &&LockDifference| match difference {
        LockDifference::NotLocked { what, .. }
        | LockDifference::NotDeclared { what, .. }
        | LockDifference::Differs { what, .. } => *what == "facet",
        LockDifference::Materialization { .. } => true,
        LockDifference::Problem(_) => false,
    };
    let differences = frozen_differences(&wanted, &state.lock);
    let problems: Vec<FacetProblem> = differences
        .iter()
        .filter(is_of_facet)
        .map(|difference| FacetProblem {
            check: InstallCheck::Lockfile,
            path: MANIFEST.to_owned(),
            expected: "the facets of facets.lock".to_owned(),
            actual: difference.to_string(),
        })
        .collect();
    let name = MANIFEST.to_owned();
    (!problems.is_empty()).then(|| CheckedFacet { name, problems, notes: Vec::new() })
}

/// Which of the names are facets, and which are servers; without names, all facets and, by no name, all servers.
fn split(names: &[String], state: &State) -> (Vec<String>, Vec<String>) {
    if names.is_empty() {
        return (state.lock.facets().keys().cloned().collect(), Vec::new());
    }
    let is_facet = |name: &&String| {
        state.lock.facets().contains_key(*name) && !state.lock.servers().contains_key(*name)
    };
    let (facets, servers): (Vec<&String>, Vec<&String>) = names.iter().partition(is_facet);
    (facets.into_iter().cloned().collect(), servers.into_iter().cloned().collect())
}

/// What was found of an entry of the lock, and of what the store has of it.
fn verify_server(
    name: &str,
    server: Option<&LockedServer>,
    outcome: CheckOutcome,
    stored: &StoredVerification,
) -> CheckedServer {
    let (outcome, notes) = with_stored((name, outcome), server, stored);
    let tools = server.map_or(0, |server| server.surface.tools.len());
    let pinned = |server: &LockedServer| Some(server.surface.tools.keys().cloned().collect());
    let facts = server.map(|server| policy::facts(server, pinned(server))).unwrap_or_default();
    let (name, profile, is_remote) = (name.to_owned(), None, false);
    CheckedServer { name, tools, outcome, profile, notes, is_remote, facts }
}

/// spec 8.8: whoever reviews a lock is told what somebody accepted
fn accepted_notes(name: &str, lock: &Lock, old: Option<&(&str, Lock)>) -> Vec<String> {
    let Some(now) = lock.server(name) else { return Vec::new() };
    let mut notes: Vec<String> = accepted_words(&now.accepted).into_iter().collect();
    if let Some((revision, Some(old))) = old.map(|(revision, lock)| (revision, lock.server(name))) {
        let what = |server: &LockedServer| {
            (server.origin.clone(), server.pin.clone(), server.surface.clone())
        };
        let is_same = what(old) == what(now);
        notes.extend(accepted_since(revision, (&old.accepted, &now.accepted), is_same));
    }
    notes
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
    (name, outcome): (&str, CheckOutcome),
    server: Option<&LockedServer>,
    stored: &StoredVerification,
) -> (CheckOutcome, Vec<String>) {
    let (CheckOutcome::Judged(_), Some(server)) = (&outcome, server) else {
        return (outcome, Vec::new());
    };
    let absent = match &server.pin {
        Pin::AsWritten => return (outcome, Vec::new()),
        Pin::Artifact(pin) => stored.verify(pin),
        Pin::Package(pin) => verify_package(name, pin),
    };
    match absent {
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
