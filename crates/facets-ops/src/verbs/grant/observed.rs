//! Grants that follow from what the source of a server was seen to use (spec 11.4).

use facets_lock::Grants;
use facets_project::Project;

use crate::artifact_grants::{StartPlace, observed_grants};
use crate::error::{OpsError, ServerError};
use crate::pinned::Pinned;

/// What the analysis of its source saw.
pub(super) fn observed_by(pinned: &Pinned, project: &Project) -> Result<Grants, OpsError> {
    let place = if project.is_of_user() { StartPlace::Home } else { StartPlace::Project };
    let Some(entitlements) = &pinned.surface.source.entitlements else {
        let reason = "its source was not analysed, so nothing was observed; name each setting";
        let (path, reason) = ("observed".into(), reason.to_owned());
        return Err(ServerError::GrantUnusable { path, reason }.into());
    };
    Ok(observed_grants(entitlements, place))
}
