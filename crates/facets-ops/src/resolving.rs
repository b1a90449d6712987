//! From an origin to a pin: what exactly a person asked for.

use facets_lock::Pin;
use facets_model::Origin;

use crate::error::{OpsError, ServerError};

/// What exactly an origin is now. Commands and addresses name no bytes, so nothing is looked up.
pub(crate) fn resolve(origin: &Origin) -> Result<Pin, OpsError> {
    match origin {
        Origin::Command(_) | Origin::Address(_) => Ok(Pin::AsWritten),
        // Nothing builds or fetches artifacts yet.
        Origin::SourceMode(_) => Err(ServerError::NotInline { name: origin.to_string() }.into()),
    }
}
