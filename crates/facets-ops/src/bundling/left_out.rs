//! Patterns that leave out what bundling needs: without it the server would be packed without its packages.

use std::path::Path;

use facets_archive::PackedServer;

use super::dependencies::{LOCK, PACKAGE, declares_any};
use crate::error::{BundleError, OpsError};
use crate::input::read_regular;

/// More than any `package.json` has.
const LARGEST: u64 = 16 << 20;

/// A `package.json` that a pattern leaves out declares nothing.
pub(super) fn require_no_dependencies(
    directory: &Path,
    packed: &PackedServer,
) -> Result<(), OpsError> {
    let Some(reason) = reason(packed, PACKAGE) else { return Ok(()) };
    if declares_any(&read_regular(&directory.join(PACKAGE), LARGEST)?)? {
        return Err(BundleError::LeftOut { file: PACKAGE, reason }.into());
    }
    Ok(())
}

/// A pattern does not leave out the lock.
pub(super) fn require_lock(packed: &PackedServer) -> Result<(), BundleError> {
    match reason(packed, LOCK) {
        Some(reason) => Err(BundleError::LeftOut { file: LOCK, reason }),
        None => Ok(()),
    }
}

fn reason(packed: &PackedServer, file: &str) -> Option<String> {
    packed.left_out.iter().find_map(|one| one.explain(file))
}
