//! What this user has decided about a server on this machine (spec 8.5).

use facets_digest::Digest;
use facets_lock::{Grants, LockedServer, StartSettings};
use facets_project::{Approval, Project};

use crate::error::OpsError;
use crate::facet_values::FacetValues;

/// Who decides what may be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// This user on this machine.
    Approvals,
    /// Whoever reviewed the lock.
    Lock,
}

/// What this user has decided about an entry of a lock.
#[derive(Clone, Debug)]
pub(crate) struct UserDecision {
    /// The approval of the entry, if there is one.
    pub(crate) approval: Option<Approval>,
    /// What the server may do: what the lock grants, and never more than was decided last. A lock that
    /// is set back brings nothing back.
    pub(crate) grants: Grants,
    /// What was decided last about that; none if nothing was.
    pub(crate) latest: Option<Grants>,
    /// The digest of the values that a facet gives it; none without.
    pub(crate) values: Option<Digest>,
}

impl UserDecision {
    pub(crate) fn of(
        name: &str,
        server: &LockedServer,
        project: &Project,
    ) -> Result<Self, OpsError> {
        Self::with_values(name, server, project, &FacetValues::of(project, name, &server.origin))
    }

    /// The same, if a facet gives it these values.
    pub(crate) fn with_values(
        name: &str,
        server: &LockedServer,
        project: &Project,
        values: &FacetValues,
    ) -> Result<Self, OpsError> {
        let ledger = project.ledger()?;
        let values = values.digest;
        let approval = ledger.approval(name, server, values)?;
        let latest = ledger.grants(name)?;
        let grants = match &latest {
            Some(latest) => server.grants.capped_at(latest),
            None => server.grants.clone(),
        };
        Ok(Self { approval, grants, latest, values })
    }

    /// Whether the entry may be started without a question.
    pub(crate) fn is_trusted(&self, trust: Trust) -> bool {
        trust == Trust::Lock || self.approval.is_some()
    }

    /// How the server starts with what it may do.
    pub(crate) fn settings(&self, server: &LockedServer) -> StartSettings {
        let settings = server.settings.clone();
        StartSettings { profile: settings.profile.with_grants(&self.grants), ..settings }
    }
}

/// Whether this user has approved an entry of a project on this machine.
pub(crate) fn is_approved(
    name: &str,
    server: &LockedServer,
    project: &Project,
) -> Result<bool, OpsError> {
    Ok(UserDecision::of(name, server, project)?.approval.is_some())
}
