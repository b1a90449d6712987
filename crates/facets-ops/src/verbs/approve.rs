//! `facet approve`: look at what changed, and pin it anew.

use facets_drift::Severity;
use facets_lock::{LockedEntry, LockedServer, Profile, StartSettings};
use facets_model::{ArtifactSource, Origin};
use facets_project::{Project, State, declared_origin};

pub use crate::approval::Trust;
use crate::approval::UserDecision;
pub use crate::consent::MovedServer;
use crate::consent::{ApprovalPage, Consent};
use crate::critical_findings::or_accept_with;
use crate::error::{OpsError, ServerError};
use crate::facet_values::FacetValues;
use crate::moving::approve_moved;
use crate::outside_servers::refuse_inside_server;
use crate::pinned::{Pinned, is_others, uncaptured};
use crate::repinning::{Accepted, LaunchChange, NewBytes, NewPin, repin};
use crate::unknown_server::unknown_server;

/// What to approve.
#[derive(Debug)]
pub struct ApproveRequest {
    /// The servers; none are all.
    pub names: Vec<String>,
    /// Seconds to wait for an answer, now and later; none is as it was.
    pub timeout: Option<u64>,
    /// Accept changes up to this without asking.
    pub accept: Option<Severity>,
    /// Who decides what may be started.
    pub trust: Trust,
}

/// What was approved.
#[derive(Debug, Default)]
pub struct ApproveReport {
    /// What was approved in another place before, just as it is here. None of it was started.
    pub moved: Vec<MovedServer>,
    /// What was looked at and pinned anew.
    pub pages: Vec<ApprovalPage>,
    /// What could not be, of several.
    pub failed: Vec<(String, OpsError)>,
}

/// Starts each server, shows what changed, and pins it anew if the answer is yes.
pub fn approve(request: &ApproveRequest, consent: &dyn Consent) -> Result<ApproveReport, OpsError> {
    refuse_inside_server()?;
    let project = Project::here()?;
    let mut report = ApproveReport::default();
    let mut names = request.names.clone();
    if names.is_empty() {
        let state = project.read(&|_| true)?;
        names = all_names(&state)?;
        report.moved = approve_moved(&names, &project, &state, consent)?;
        names.retain(|name| !report.moved.iter().any(|moved| moved.name == *name));
    }
    let count = names.len();
    for (number, name) in names.into_iter().enumerate() {
        consent.progress().on_server(number + 1, count);
        match approve_one(&project, &name, request, consent) {
            Ok(page) => report.pages.push(page),
            // One that does not start keeps no other from it.
            Err(error) if request.names.len() != 1 => report.failed.push((name, error)),
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

/// Every server that facet starts here, or that the manifest names.
fn all_names(state: &State) -> Result<Vec<String>, OpsError> {
    let locked = state.lock.servers().iter();
    let locked = locked
        .filter(|(name, _)| !is_others(name, state) || uncaptured_origin(name, state).is_some());
    let mut names: Vec<String> = locked.map(|(name, _)| name.clone()).collect();
    let declared = state.manifest.iter().flat_map(|manifest| {
        manifest.servers.keys().filter(|name| declared_origin(manifest, name).is_some())
    });
    names.extend(declared.cloned());
    names.sort();
    names.dedup();
    if names.is_empty() { Err(ServerError::NothingPinned.into()) } else { Ok(names) }
}

fn approve_one(
    project: &Project,
    name: &str,
    request: &ApproveRequest,
    consent: &dyn Consent,
) -> Result<ApprovalPage, OpsError> {
    let state = project.read(&|other| other == name)?;
    if is_others(name, &state) && uncaptured_origin(name, &state).is_none() {
        let name = name.to_owned();
        return Err(match state.lock.servers().get(&name) {
            Some(LockedEntry::Uncaptured(server)) => uncaptured(&name, server),
            _ => ServerError::NotInline { name }.into(),
        });
    }
    let origin = wanted_origin(name, &state)?;
    let locked = state.lock.server(name);
    let values = FacetValues::of(project, name, &origin);
    let decision = locked
        .map(|server| UserDecision::with_values(name, server, project, &values))
        .transpose()?;
    let is_approved = decision.as_ref().is_some_and(|known| known.approval.is_some());
    let grants = match decision {
        Some(decision) => Some(decision.grants),
        // An entry that was deleted from the lock does not widen the latest decision.
        None => project.ledger()?.grants(name)?,
    };
    let before = locked.map(|server| server.settings.clone()).unwrap_or_default();
    let settings = StartSettings {
        // Also what an older facet pinned: from now on it behaves as it would without facet.
        profile: grants.as_ref().map_or(Profile::Native, Profile::following),
        directory: before.directory,
        timeout: request.timeout.or(before.timeout),
    };
    let accepted = request.accept.map_or(Accepted::Asked, Accepted::UpTo);
    // Other bytes need a yes of their own, which a level of findings is not.
    let has_bytes = matches!(origin, Origin::SourceMode(_) | Origin::Package(_));
    let yes = if has_bytes { " --yes" } else { "" };
    let new = NewPin {
        name,
        bytes: bytes_to_approve(&origin, locked, Pinned::of(name, &state).ok()),
        origin,
        settings,
        grants,
        timeout: request.timeout,
        source: locked.and_then(|server| server.source.clone()),
        launch_change: LaunchChange::Reported,
        before: None,
        values,
    };
    let page = repin(project, &state, new, (accepted, request.trust), consent);
    page.map_err(|error| {
        let look = || look_at(name, is_approved);
        or_accept_with(error, look, |level| format!("facet approve {name}{yes} --accept {level}"))
    })
}

/// Of a registry's server the pinned bytes are approved: another version is what `upgrade` is for.
fn bytes_to_approve(
    origin: &Origin,
    locked: Option<&LockedServer>,
    pinned: Option<Pinned>,
) -> NewBytes {
    let closure = pinned.and_then(|pinned| pinned.closure).map(Box::new);
    match (origin, locked) {
        (Origin::SourceMode(artifact), Some(locked))
            if matches!(artifact.source, ArtifactSource::Registry { .. }) =>
        {
            NewBytes::Pinned(locked.pin.clone(), None)
        }
        // Of a package, too, unless it is asked for in another way by now.
        (Origin::Package(_), Some(locked)) if closure.is_some() && locked.origin == *origin => {
            NewBytes::Pinned(locked.pin.clone(), closure)
        }
        _ => NewBytes::Resolved,
    }
}

/// What is typed to look at a server, without a decision.
fn look_at(name: &str, is_approved: bool) -> String {
    if is_approved { format!("facet check {name}") } else { format!("facet approve {name}") }
}

/// What the manifest asks for, because that is what people edit; else what the lock does.
fn wanted_origin(name: &str, state: &State) -> Result<Origin, OpsError> {
    let declared = state.manifest.as_ref().and_then(|manifest| declared_origin(manifest, name));
    let locked = state.lock.server(name).map(|server| &server.origin);
    match (declared, locked) {
        (Some(declared), Some(locked)) if locked.is_declared_as(declared) => Ok(locked.clone()),
        (Some(declared), _) => Ok(declared.clone()),
        (None, Some(locked)) => Ok(locked.clone()),
        (None, None) => match uncaptured_origin(name, state) {
            Some(origin) => Ok(origin.clone()),
            None => Err(unknown_server(name, state)),
        },
    }
}

/// The command or address of a facet that nobody has looked at yet.
fn uncaptured_origin<'s>(name: &str, state: &'s State) -> Option<&'s Origin> {
    match state.lock.servers().get(name)? {
        LockedEntry::Uncaptured(server) => server.declared.origin(),
        LockedEntry::Server(_) | LockedEntry::Other | LockedEntry::Broken(_) => None,
    }
}
