//! From an origin to a pin: what exactly a person asked for.

use facets_lock::Pin;
use facets_model::Origin;

/// What exactly an origin is now. Commands and addresses name no bytes, so nothing is looked up.
pub(crate) fn resolve(origin: &Origin) -> Pin {
    match origin {
        Origin::Command(_) | Origin::Address(_) => Pin::AsWritten,
    }
}
