//! Servers that nobody has looked at: what the lock has of them, and why.

use facets_failure::Describe as _;
use facets_lock::{LockedEntry, UncapturedServer};
use facets_model::manifest::DeclaredServer;
use facets_plan::{ServerQuery, ServerStep, WantedServer, WantedWhat};

use super::goal::{Goal, is_of_facet};
use super::looks::Look;
use super::task::InstallTask;
use crate::error::OpsError;

impl InstallTask {
    /// A command or address that does not start or answer keeps nothing else from being installed.
    pub(super) fn unseen(
        &self,
        goal: &Goal,
        step: &ServerStep,
        error: OpsError,
    ) -> Result<(Look, Option<String>), OpsError> {
        let name = step.name.as_str();
        let wanted = goal.servers.get(name);
        let inline = wanted.filter(|wanted| matches!(wanted.what, WantedWhat::Inline { .. }));
        let (Some(wanted), false) = (inline, matches!(error, OpsError::NotApproved { .. })) else {
            return Err(error);
        };
        let look = match goal.queries.get(name) {
            Some(ServerQuery::Locked) => Look::NotApproved,
            _ if is_of_facet(wanted) => Look::Uncaptured(self.uncaptured(name, wanted)),
            _ => return Err(error),
        };
        let seen = error.actual().map(|seen| format!(": {seen}")).unwrap_or_default();
        Ok((look, Some(format!("server \"{name}\" could not be inspected: {error}{seen}"))))
    }

    /// The entry of a server that a facet declares and nobody has looked at; none if the lock has it, or has what
    /// stays without a look.
    pub(super) fn uncaptured(
        &self,
        name: &str,
        wanted: &WantedServer,
    ) -> Option<Box<UncapturedServer>> {
        let entry = declared_entry(wanted)?;
        let is_of_project = wanted.by.iter().any(|by| by.facet().is_none());
        let is_new = match self.before.lock.servers().get(name) {
            None => true,
            Some(LockedEntry::Uncaptured(locked)) => **locked != entry,
            // What was approved is not what the facet declares by now.
            Some(LockedEntry::Server(_)) => {
                matches!(wanted.what, WantedWhat::Inline { .. }) && !is_of_project
            }
            Some(LockedEntry::Other | LockedEntry::Broken(_)) => false,
        };
        is_new.then(|| Box::new(entry))
    }
}

/// What a facet declares, as a lock has it before anybody looked at it.
fn declared_entry(wanted: &WantedServer) -> Option<UncapturedServer> {
    let facet = wanted.by.iter().find_map(|by| by.facet())?.to_string();
    let declared = match &wanted.what {
        WantedWhat::Registry { artifact, floor } => {
            DeclaredServer::Floor { artifact: Some(artifact.clone()), floor: floor.clone() }
        }
        WantedWhat::Inline { declared, .. } => declared.clone(),
        WantedWhat::Image(image) => DeclaredServer::Image(image.clone()),
        WantedWhat::Local(_) => return None,
    };
    Some(UncapturedServer { declared, facet })
}
