//! Whether this machine has approved what a lock pins (spec 8.5).

use facets_lock::LockedServer;
use facets_project::{Approval, Approvals, Project};

use crate::error::OpsError;

/// Who decides what may be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// This user on this machine.
    Approvals,
    /// Whoever reviewed the lock.
    Lock,
}

/// Whether this user has approved an entry of a project on this machine.
pub(crate) fn is_approved(server: &LockedServer, project: &Project) -> Result<bool, OpsError> {
    let approval = Approval::of(server, project.place());
    Ok(Approvals::of_this_user()?.contains(&approval)?)
}

/// Whether an entry may be started without a question.
pub(crate) fn is_trusted(
    server: &LockedServer,
    project: &Project,
    trust: Trust,
) -> Result<bool, OpsError> {
    Ok(trust == Trust::Lock || is_approved(server, project)?)
}
