//! Another server under a name that is pinned.

use facets_lock::{Grants, Profile, StartSettings};
use facets_model::Origin;
use facets_project::{Project, State};

use crate::approval::{Trust, UserDecision};
use crate::consent::{ApprovalPage, Consent};
use crate::error::{OpsError, ServerError};
use crate::facet_values::FacetValues;
use crate::outside_servers::refuse_inside_server;
use crate::pinned::is_others;
use crate::pinning::NewServer;
use crate::repinning::{Accepted, LaunchChange, NewBytes, NewPin, repin};

/// Starts or calls the new server, shows what it declares otherwise than the old one, and pins it if
/// the answer is yes. What was decided about grants stays.
pub(crate) fn replace_pin(
    server: NewServer,
    consent: &dyn Consent,
) -> Result<ApprovalPage, OpsError> {
    refuse_inside_server()?;
    let NewServer { name, origin, published, directory, timeout, source, before, .. } = server;
    let project = Project::here()?;
    let state = project.read(&|other| other == name)?;
    require_known(&name, &state)?;
    if !consent.can_answer() {
        return Err(OpsError::NotApproved { asked: false });
    }
    let grants = decided_grants(&name, &origin, &project, &state)?;
    let profile = grants.as_ref().map_or(Profile::Native, Profile::following);
    let settings = StartSettings { profile, directory, timeout };
    let bytes = published.map_or(NewBytes::Resolved, |bytes| NewBytes::Published(Box::new(bytes)));
    let launch_change = LaunchChange::Typed;
    let values = FacetValues::of(&project, &name, &origin);
    let new = NewPin {
        name: &name,
        origin,
        bytes,
        settings,
        grants,
        timeout,
        source,
        launch_change,
        before: before.as_deref(),
        values,
    };
    repin(&project, &state, new, (Accepted::Asked, Trust::Approvals), consent)
}

/// What was decided about a name. An artifact in place of something else begins anew: what a command was
/// granted is mostly everything.
fn decided_grants(
    name: &str,
    origin: &Origin,
    project: &Project,
    state: &State,
) -> Result<Option<Grants>, OpsError> {
    let is_artifact = |origin: &Origin| matches!(origin, Origin::SourceMode(_));
    match state.lock.server(name) {
        Some(locked) if is_artifact(origin) && !is_artifact(&locked.origin) => Ok(None),
        Some(locked) => Ok(Some(UserDecision::of(name, locked, project)?.grants)),
        None => Ok(project.ledger()?.grants(name)?),
    }
}

fn require_known(name: &str, state: &State) -> Result<(), OpsError> {
    let is_declared = state.manifest.as_ref().is_some_and(|all| all.servers.contains_key(name));
    if !is_declared && !state.lock.servers().contains_key(name) {
        let known = state.lock.servers().keys().cloned().collect();
        return Err(ServerError::NothingToReplace { name: name.to_owned(), known }.into());
    }
    if is_others(name, state) {
        return Err(ServerError::NotInline { name: name.to_owned() }.into());
    }
    Ok(())
}
