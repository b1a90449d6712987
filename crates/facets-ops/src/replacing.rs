//! Another server under a name that is pinned.

use facets_lock::{Profile, StartSettings};
use facets_project::{Project, State};

use crate::approval::{Trust, UserDecision};
use crate::consent::{ApprovalPage, Consent};
use crate::error::{OpsError, ServerError};
use crate::outside_servers::refuse_inside_server;
use crate::pinned::is_others;
use crate::pinning::NewServer;
use crate::repinning::{Accepted, LaunchChange, NewPin, repin};

/// Starts or calls the new server, shows what it declares otherwise than the old one, and pins it if
/// the answer is yes. What was decided about grants stays.
pub(crate) fn replace_pin(
    server: NewServer,
    consent: &dyn Consent,
) -> Result<ApprovalPage, OpsError> {
    refuse_inside_server()?;
    let NewServer { name, origin, directory, timeout, source, given: _ } = server;
    let project = Project::here()?;
    let state = project.read(&|other| other == name)?;
    require_known(&name, &state)?;
    if !consent.can_answer() {
        return Err(OpsError::NotApproved { asked: false });
    }
    let grants = match state.lock.server(&name) {
        Some(locked) => UserDecision::of(&name, locked, &project)?.grants,
        None => project.ledger()?.grants(&name)?.unwrap_or(facets_lock::Grants::ALL),
    };
    let settings = StartSettings { profile: Profile::following(&grants), directory, timeout };
    let launch_change = LaunchChange::Typed;
    let new = NewPin { name: &name, origin, settings, grants, timeout, source, launch_change };
    repin(&project, &state, new, (Accepted::Asked, Trust::Approvals), consent)
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
