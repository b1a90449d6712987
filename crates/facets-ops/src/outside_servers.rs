//! Decisions are made outside of servers: what a server starts must not approve it.

use crate::error::{OpsError, ServerError};

/// spec 8.5: approvals, grants, locks and client files are not changed below a supervisor of facet
pub(crate) fn refuse_inside_server() -> Result<(), OpsError> {
    if facets_launch::is_supervised() { Err(ServerError::InsideServer.into()) } else { Ok(()) }
}
